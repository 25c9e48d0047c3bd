"""Which documents are copies of one another. Pure.

| two documents                                                     | are copies |
|-------------------------------------------------------------------|------------|
| have the same text (content hash)                                 | yes        |
| are members of one family of one source, in one language          | yes        |
| their best chunks are the same but for a few words, to the end,   |            |
| with the same numbers, and so are their titles but for dates      | yes        |
| begin alike                                                       | no         |
| are translations of each other                                    | no         |

A number is what versions and products differ in: "30 days" is no copy of "60 days" unless a family says so.
"""

from __future__ import annotations

import re
from functools import lru_cache

from include.ranking.candidates import Candidate
from include.ranking.wording import have_the_same_numbers, share_of_runs

ALIKE = 0.9
"""Share of three-word runs that two texts have in common (Jaccard) to be near-identical."""

_WORD = re.compile(r"\w+")


def why_copies(one: Candidate, other: Candidate) -> str:
    """In words, or empty when they are not."""
    if _have_one_text(one, other):
        return "the same text"
    if one.lang and other.lang and one.lang != other.lang:
        return ""
    if _are_of_one_family(one, other):
        return f"the same family, {one.family}"
    if one.chunks and other.chunks and _have_one_title(one, other):
        share = _share(one.chunks[0].text, other.chunks[0].text)
        if share >= ALIKE:
            return f"nearly the same text ({share:.0%} of it)"
    return ""


def _have_one_text(one: Candidate, other: Candidate) -> bool:
    return bool(one.content_hash) and one.content_hash == other.content_hash


def _are_of_one_family(one: Candidate, other: Candidate) -> bool:
    return bool(one.family) and one.family == other.family and one.key.source == other.key.source


def _have_one_title(one: Candidate, other: Candidate) -> bool:
    return one.title == other.title or title_without_dates(one.title) == title_without_dates(other.title)


def _share(one: str, other: str) -> float:
    """Share of common word runs; 0 where the numbers differ."""
    if one == other:
        return 1.0
    if min(len(one), len(other)) < ALIKE * max(len(one), len(other)) or not have_the_same_numbers(one, other):
        return 0.0
    return share_of_runs(one, other)


_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
# A bare number is no date: "Lesson 1" and "Lesson 2", PEP 101 and PEP 102 are different things.
_DATE_WORDS = re.compile(
    rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)?\s+{_MONTH}|{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?(?!\d)|{_MONTH}"
    r"|(?:spring|summer|autumn|fall|winter)\s+(?=(?:19|20)\d{2})"
    r"|(?:version|rev|revision|edition|draft)\s+\d+(?:\.\d+)*|v\d+(?:[._-]\d+)*|\d+(?:[._/-]\d+)+|(?:19|20)\d{2}"
    r"|q[1-4]|fy\s?\d{2,4}|draft|final|copy|version|rev|edition)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=2048)
def title_without_dates(title: str) -> str:
    """What versions of one title have in common: "Sales deck, March 2026 (final)" and "Sales deck v2" are alike."""
    stem = " ".join(_WORD.findall(_DATE_WORDS.sub(" ", title.replace("_", " "))))
    return stem.lower() or title.lower()


@lru_cache(maxsize=2048)
def bears_a_date(title: str) -> bool:
    """Whether a title names its version: by a date, a number of a version, a word like draft."""
    return _DATE_WORDS.search(title.replace("_", " ")) is not None
