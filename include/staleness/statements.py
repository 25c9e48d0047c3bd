"""The source says so: the document calls itself archived, obsolete, deprecated, withdrawn. Pure.

| words                                             | evidence                                                  |
|---------------------------------------------------|-----------------------------------------------------------|
| archived, obsolete, retired, superseded, expired … | an anchor, which something else has to confirm            |
| deprecated, no longer maintained                  | a doubt: what it describes may still be in use            |
| withdrawn, retracted, abandoned, historic         | a weak sign: mostly it was never in force, and says so    |
| draft, deferred, rejected, a word that is not known | nothing: it is what it says, or nobody knows what        |
"""

from __future__ import annotations

import re

from include.families.standing import standing_of
from include.staleness.evidence import Evidence, Signal
from include.staleness.subject import Subject

OVER = 0.8
DEPRECATED = 0.6
GIVEN_UP = 0.4


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_OVER = _set(
    "archived obsolete obsoleted retired superseded superceded replaced moved removed sunset discontinued expired"
    " revoked repealed cancelled canceled void outdated eol überholt ersetzt"
)
_OVER_PHRASES = ("out of date", "end of life", "no longer valid", "no longer in force", "no longer current")
_DEPRECATED_PHRASES = ("deprecated", "no longer maintained", "no longer supported")
_GIVEN_UP = _set("withdrawn retracted abandoned historic")


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
    if any(each in phrase for each in _DEPRECATED_PHRASES):
        sentence += "; what it describes may still be in use"
        return Evidence(Signal.SOURCE_SAYS, DEPRECATED, sentence, facts=facts)
    return None if _GIVEN_UP.isdisjoint(words) else Evidence(Signal.SOURCE_SAYS, GIVEN_UP, sentence, facts=facts)


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:57]}..."
