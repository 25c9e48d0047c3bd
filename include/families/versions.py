"""Versions as documents bear them, each kind compared by its own rule. Pure.

| kind          | written as                                                  | order                                     |
|---------------|-------------------------------------------------------------|-------------------------------------------|
| number        | 1.9, v1.10, 2.0-preview, 1.21rc1, 8u202, 0.1.x, version 3   | of numbers; pre-releases by SemVer's rule |
| date          | 2026-06-14, 14 June 2026, 202606, Q3 2026, 2026-W23, 6月    | of time                                   |
| fiscal period | Q3 FY26, FY2026, FY25/26                                    | of fiscal time, never set against a date  |
| season        | spring 2025                                                 | of seasons (northern), never against dates|
| ordinal       | rev 2, 3rd edition, draft-07, Rev C                         | of one word's count: rev against rev      |
| stage         | draft, proposed, alpha, beta, rc, final, final-final        | draft, proposed, rc, final; alpha, beta   |

Every version is a stretch between two places, most often of no length. One is before another when it begins and ends
before it; where one lies within the other (June 2026 and 14 June 2026, 4.2.x and 4.2.1) nobody knows which is newer
and they are not comparable. So the order is total among versions of one kind that are points, and everywhere
antisymmetric and transitive.

`packaging` reads what Python calls a version and `semver` what npm does; names hold both side by side, and neither
reads 1.9, 8u202, 0.1.x and 2.0-SNAPSHOT. What both do read is ordered as they do it.
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
    """One version as read. `text` is how it was written.

    `line` keeps apart what one kind counts separately: revisions and editions, calendars of other fiscal years,
    `5.4-ee` and `5.4-ce`. `is_sure`: the text has one reading; 03-04-2026 has two, "June" one for each year, and then
    the stretch covers them all. `stage` is set where the version says it: 2.0-rc1, draft-07, final.
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
    that overlap with another unless both are written alike.
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


def parse_version(text: str) -> Version | None:
    """The version that this text is: `v1.10`, `2026-06`, `3rd edition`, `3`. None: it is none, or says more than one
    would read as a version (`Sales deck v2`)."""
    raise NotImplementedError
