"""What speaks for a document being out of date, and what is proposed because of it. Pure data.

| signal         | cause        | may be an anchor                                                      |
|----------------|--------------|-----------------------------------------------------------------------|
| superseded     | replaced     | a person or the resolver says by what, and that is there for readers   |
| orphaned       | replaced     | never                                                                 |
| expired        | age          | the source states the day itself, and the date can be trusted          |
| aged           | age          | never                                                                 |
| not_retrieved  | usage        | never                                                                 |
| source_says    | source       | the document calls itself archived, obsolete and the like             |
| address_gone   | source       | never                                                                 |
| near_duplicate | duplication  | never                                                                 |

An anchor is a statement that somebody made about this very document. Everything else is a sign: signs raise a doubt,
and are often signs of one and the same thing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from include.domain.documents import DocumentKey


class Cause(StrEnum):
    """Why a document is out of date. Signals of one cause are different sights of one thing and count once."""

    REPLACED = "replaced"
    AGE = "age"
    USAGE = "usage"
    SOURCE = "source"
    DUPLICATION = "duplication"


class Signal(StrEnum):
    SUPERSEDED = "superseded"
    ORPHANED = "orphaned"
    EXPIRED = "expired"
    AGED = "aged"
    NOT_RETRIEVED = "not_retrieved"
    SOURCE_SAYS = "source_says"
    ADDRESS_GONE = "address_gone"
    NEAR_DUPLICATE = "near_duplicate"

    @property
    def cause(self) -> Cause:
        return _CAUSES[self]


_CAUSES = {
    Signal.SUPERSEDED: Cause.REPLACED,
    Signal.ORPHANED: Cause.REPLACED,
    Signal.EXPIRED: Cause.AGE,
    Signal.AGED: Cause.AGE,
    Signal.NOT_RETRIEVED: Cause.USAGE,
    Signal.SOURCE_SAYS: Cause.SOURCE,
    Signal.ADDRESS_GONE: Cause.SOURCE,
    Signal.NEAR_DUPLICATE: Cause.DUPLICATION,
}
_MAY_ANCHOR = frozenset({Signal.SUPERSEDED, Signal.EXPIRED, Signal.SOURCE_SAYS})


@dataclass(frozen=True, slots=True)
class Evidence:
    """One signal's finding about one document.

    `strength` lies between 0 and 1, in hundredths, so that a person can redo the sum. `sentence` says what was found.
    `facts` are what the finding rests on and stay the same while it does; numbers that move by themselves, like an age,
    stand in the sentence only. `replacement` is the document to read instead, where the signal knows one.
    Raises ValueError for a strength out of bounds and for an anchor that is none.
    """

    signal: Signal
    strength: float
    sentence: str
    anchor: bool = False
    facts: Mapping[str, str] = field(default_factory=dict, hash=False)
    replacement: DocumentKey | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.strength <= 1 or round(self.strength, 2) != self.strength:
            raise ValueError(f"{self.signal}: a strength is between 0 and 1, in hundredths, got {self.strength!r}")
        if self.anchor and self.signal not in _MAY_ANCHOR:
            raise ValueError(f"{self.signal} is a sign, it cannot be an anchor")

    @property
    def cause(self) -> Cause:
        return self.signal.cause

    @property
    def fingerprint(self) -> str:
        """What a person's `keep` remembers: the signal and its facts, 16 hex digits. Same finding, same fingerprint."""
        return _digest([self.signal, sorted(self.facts.items())])


def fingerprint_of(evidence: Iterable[Evidence]) -> str:
    """Of all evidence together, whatever its order: it changes when a finding comes, goes or becomes another."""
    return _digest(sorted({each.fingerprint for each in evidence}))


class Proposal(StrEnum):
    STAGE = "stage"  # hide it from readers until a person has looked, which one command takes back
    REVIEW = "review"  # ask a person; readers see it as before


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document that is proposed for a person's decision.

    `score` is what `fusion` makes of the evidence, in thousandths, and `arithmetic` says how, in a sentence. `evidence`
    is sorted, the strongest first. `replacement` is what a reader should see instead, if that is known.
    """

    key: DocumentKey
    proposal: Proposal
    score: float
    evidence: tuple[Evidence, ...]
    arithmetic: str
    replacement: DocumentKey | None = None

    @property
    def fingerprint(self) -> str:
        return fingerprint_of(self.evidence)


def _digest(content: object) -> str:
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()[:16]
