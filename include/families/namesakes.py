"""Entries of a register that bear one title: `pep-0367.rst` and `pep-3135.rst`, both "New Super". Pure.

In a register every text has a number of its own, so neither path nor version tells that one took the place of another.
One title is no proof either: that they may be versions of one thing is for a person to say, unless they say so.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from include.families.members import Member

MOST = 4
"""So many entries of one title may be versions of one thing; of more the title is a heading ("Release schedule")."""

_ENTRY = re.compile(r"(?P<register>[a-z]{2,9}(?=[-_]?\d))?[-_]?(?P<number>\d{2,6})(?:[-_.].*)?", re.IGNORECASE)
_NUMBER_OF_TITLE = re.compile(r"^\W*(?:[A-Za-z]{2,9}[ -]?)?\d{1,6}\s*[:.)–—-]\s*")


def namesakes(members: Sequence[Member]) -> Iterator[tuple[str, ...]]:
    """Documents of one folder and language with a number each and one title but for it, two to four, sorted."""
    by_title: dict[tuple[str, str, str, str], dict[str, str]] = defaultdict(dict)
    for member in members:
        folder, name = posixpath.split(member.key.doc_id)
        entry = _ENTRY.fullmatch(name)
        title = " ".join(re.findall(r"\w+", _NUMBER_OF_TITLE.sub("", member.title).casefold()))
        if entry and title:
            lang = (member.lang or "").casefold()
            register = (entry["register"] or "").casefold()
            by_title[folder, register, title, lang][member.key.doc_id] = entry["number"]
    for _, found in sorted(by_title.items()):
        if 1 < len(found) <= MOST and len(set(found.values())) == len(found):
            yield tuple(sorted(found))
