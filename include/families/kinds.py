"""What a version is, and which of two is the newer. Pure.

| kind     | written as                                               | ordered by                                     |
|----------|----------------------------------------------------------|------------------------------------------------|
| number   | 1.9, v1.10, 2.0-preview, 1.21rc1, 8u202, 0.1.x           | its numbers; pre-releases as SemVer says       |
| date     | 2026-06-14, 14 June 2026, 202606, Q3 2026, 2026-W23      | time                                           |
| fiscal   | Q3 FY26, FY2026, FY25/26                                 | fiscal time, never set against a date          |
| season   | spring 2025                                              | seasons of the north, never set against a date |
| ordinal  | rev 2, 3rd edition, draft-07, Rev C                      | its count: revisions against revisions         |
| stage    | draft, proposed, alpha, beta, rc, final, final-final     | draft, proposed, rc, final; alpha, beta, rc    |

Every version is a stretch between two places, most often of no length. One is older than another when it begins and
ends before it. Where one lies within the other (June 2026 and 14 June 2026, 4.2.x and 4.2.1) nobody knows which is
newer: they are not comparable. So the order is total among the points of one kind and line, and everywhere
antisymmetric and transitive.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

Place = tuple[tuple[int | str, ...], ...]
"""Where a version stands among those of its kind and line; compared as tuples."""


class Kind(StrEnum):
    NUMBER = "number"
    DATE = "date"
    FISCAL = "fiscal period"
    SEASON = "season"
    ORDINAL = "ordinal"
    STAGE = "stage"


class Stage(StrEnum):
    """How far a text has come. Everything but FINAL is unfinished and never beats what is approved."""

    DEVELOPMENT = "development"  # snapshot, nightly: before its release, nobody knows how far
    ALPHA = "alpha"
    BETA = "beta"
    DRAFT = "draft"
    PROPOSED = "proposed"
    CANDIDATE = "candidate"
    FINAL = "final"


@dataclass(frozen=True, slots=True)
class Version:
    """One version as read. `text` is how it was written, in lower case.

    `line` keeps apart what one kind counts separately: revisions and editions, FY26 and FY25/26, `5.4-ee` and
    `5.4-ce`. `is_sure`: the text has one reading. 03-04-2026 has two and "June" one for each year; the stretch covers
    them all. `stage` is set where the version says it: 2.0-rc1, draft-07, final.
    """

    kind: Kind
    text: str
    low: Place
    high: Place
    line: str = ""
    stage: Stage | None = None
    is_sure: bool = True

    @property
    def is_unfinished(self) -> bool:
        return self.stage is not None and self.stage is not Stage.FINAL

    def __str__(self) -> str:
        return self.text


def compare(one: Version, other: Version) -> int | None:
    """-1, 0 or 1: `one` is older than, as old as, newer than `other`. None: nobody can tell.

    Not comparable are versions of different kinds or lines, two of which one lies within the other, and unsure ones
    that overlap another, unless both are written alike.
    """
    if (one.kind, one.line) != (other.kind, other.line):
        return None
    if not (one.is_sure and other.is_sure):
        if one.high < other.low:
            return -1
        if other.high < one.low:
            return 1
        return 0 if one == other else None
    if (one.low, one.high) == (other.low, other.high):
        return 0
    if one.low < other.low and one.high < other.high:
        return -1
    if one.low > other.low and one.high > other.high:
        return 1
    return None


@dataclass(frozen=True, slots=True)
class Found:
    """A version within a text: characters `start` to `end`."""

    start: int
    end: int
    version: Version
