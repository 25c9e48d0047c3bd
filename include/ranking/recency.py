"""How new a document is, as a number between 0 and 1, and why. One function says which date counts, for ranking,
filters, staleness and explain alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from include.domain.dates import Trust
from include.ranking.candidates import Candidate

NEUTRAL = 0.5
"""What an unknown date counts: neither new nor old."""

FIRST_YEAR = 1971
"""What is dated before it is a zero that stands for no date, in whatever time zone."""

_DAY_SECONDS = 86_400.0


@dataclass(frozen=True, slots=True)
class HalfLives:
    """Days after which a document of a content type counts half as new. None: it never ages."""

    default: float | None = 180.0
    by_content_type: Mapping[str, float | None] = field(default_factory=dict)

    def of(self, content_type: str) -> float | None:
        return self.by_content_type.get(content_type, self.default)


@dataclass(frozen=True, slots=True)
class DocumentDate:
    """The date that a document is ranked by. `value` is None where it is unknown; `note` says why then."""

    value: datetime | None
    origin: str
    trust: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Recency:
    """`value` in [0, 1]; NEUTRAL for an unknown date."""

    value: float
    date: DocumentDate
    age_days: float | None = None


def document_date(candidate: Candidate, *, now: datetime) -> DocumentDate:
    """When the text came into force, else when it was written; never when it was edited or fetched.

    A date in the future, one that nobody vouches for and one that was never set (before 1971) are unknown. So is that
    of a text which is not in force yet: it may have been written yesterday, but what holds today is another.
    """
    effective = candidate.effective_date
    if effective is not None and effective > now:
        note = f"comes into force on {effective:%Y-%m-%d}"
        return DocumentDate(None, "effective_date", Trust.HIGH, note)
    if effective is not None and effective.year >= FIRST_YEAR:
        return DocumentDate(effective, "effective_date", Trust.HIGH)
    created, trust = candidate.created_at, candidate.created_at_trust
    if created is None:
        return DocumentDate(None, "", "", "date unknown")
    if created > now:
        return DocumentDate(None, candidate.created_at_origin, trust, f"date {created:%Y-%m-%d} lies in the future")
    if created.year < FIRST_YEAR:
        return DocumentDate(None, candidate.created_at_origin, trust, f"date {created:%Y-%m-%d} was never set")
    if trust not in (Trust.HIGH, Trust.LOW):
        return DocumentDate(None, candidate.created_at_origin, trust, f"date {created:%Y-%m-%d} is not trusted")
    return DocumentDate(created, candidate.created_at_origin or "created_at", trust)


def recency(candidate: Candidate, half_lives: HalfLives, *, now: datetime, at: datetime | None = None) -> Recency:
    """0.5 ** (age / half-life), the age counted back from `at` (default: now).

    A document from after `at` did not exist then and counts 0. Reference is a clock, never the newest of the results:
    if all are old, none is new.
    """
    date = document_date(candidate, now=now)
    half_life = half_lives.of(candidate.content_type)
    if date.value is None:
        return Recency(NEUTRAL, date)
    age = ((at or now) - date.value).total_seconds() / _DAY_SECONDS
    if age < 0:
        return Recency(0.0, date, age)
    if half_life is None:
        return Recency(NEUTRAL, date, age)
    return Recency(0.5 ** (age / half_life), date, age)
