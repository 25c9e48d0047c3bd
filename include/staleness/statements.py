"""The source says so: the document calls itself archived, obsolete, withdrawn, deprecated. Pure.

What is not finished (draft, proposed), put off (deferred) or decided against (rejected) is not out of date: it is what
it is, and a record of it.
"""

from __future__ import annotations

import re

from include.families.standing import standing_of
from include.staleness.evidence import Evidence, Signal
from include.staleness.subject import Subject

OVER = 0.8
NEARLY_OVER = 0.6


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_OVER = _words(
    "archived obsolete obsoleted retired superseded superceded replaced moved removed sunset discontinued expired"
    " revoked repealed cancelled canceled void outdated eol überholt ersetzt"
)
_OVER_PHRASES = ("out of date", "end of life", "no longer valid", "no longer in force", "no longer current")
_NEARLY = _words("deprecated historic abandoned withdrawn retracted")
_NEARLY_PHRASES = ("no longer maintained", "no longer supported")


def source_says(subject: Subject) -> Evidence | None:
    """Nothing where a person has said in the ledger that the document holds."""
    if subject.affirmed or not standing_of(subject.stated_status).is_over:
        return None
    words = re.findall(r"[^\W\d_]+", (subject.stated_status or "").casefold())
    phrase = " ".join(words)
    facts = {"stated_status": phrase[:80]}
    sentence = f"it calls itself {_shortened(subject.stated_status or '')!r}"
    if not _OVER.isdisjoint(words) or any(each in phrase for each in _OVER_PHRASES):
        return Evidence(Signal.SOURCE_SAYS, OVER, sentence, anchor=True, facts=facts)
    if not _NEARLY.isdisjoint(words) or any(each in phrase for each in _NEARLY_PHRASES):
        sentence += "; what it describes may still be in use"
        return Evidence(Signal.SOURCE_SAYS, NEARLY_OVER, sentence, facts=facts)
    return None


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:57]}..."
