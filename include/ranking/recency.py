"""How new a document is, as a number between 0 and 1, and why. One function says which date counts, for ranking,
filters, staleness and explain alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from include.domain.dates import AHEAD, FIRST_YEAR, Precision, Trust, shown
from include.ranking.candidates import Candidate

NEUTRAL = 0.5
"""What an unknown date counts: neither new nor old."""

_DAY_SECONDS = 86_400.0
_TRUSTED = frozenset({Trust.HIGH.value, Trust.LOW.value})
_EXACT_TO = {Precision.YEAR.value: "known to the year", Precision.MONTH.value: "known to the month"}


@dataclass(frozen=True, slots=True)
class HalfLives:
    """Days after which a document of a content type counts half as new. None: it never ages."""

    default: float | None = 180.0
    by_content_type: Mapping[str, float | None] = field(default_factory=dict)

    def of(self, content_type: str) -> float | None:
        return self.by_content_type.get(content_type, self.default)


@dataclass(slots=True)
class DocumentDate:
    """The date that a document is ranked by: the first instant of what is known. `value` is None where it is unknown;
    `note` says why then, and that no day is known where only the year or the month is."""

    value: datetime | None
    origin: str
    trust: str
    note: str = ""
    precision: str = ""

    @property
    def end(self) -> datetime | None:
        """The first instant after what is known: that of `2024` is the beginning of 2025."""
        if self.value is None:
            return None
        if self.precision == Precision.YEAR:
            return self.value.replace(year=self.value.year + 1)
        if self.precision == Precision.MONTH:
            return (self.value.replace(day=1) + timedelta(days=32)).replace(day=1)
        return self.value + timedelta(days=0 if self.precision == Precision.INSTANT else 1)

    def may_be_of_the_time_of(self, other: DocumentDate) -> bool:
        """Whether nobody knows which of the two is later: both are unknown, or what is known of them overlaps."""
        if self.value is None or other.value is None:
            return self.value is other.value
        assert self.end is not None
        assert other.end is not None
        return self.value == other.value or (self.value < other.end and other.value < self.end)

    @property
    def shown(self) -> str:
        """For people, no more exact than it is known; the note where it is unknown."""
        exact_to = next((one for one in Precision if one == self.precision), Precision.DAY)
        return shown(self.value, exact_to) if self.value else self.note


@dataclass(slots=True)
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
    if effective is not None and candidate.effective_date_trust in _TRUSTED:
        if effective > now:
            note = f"comes into force on {effective:%Y-%m-%d}"
            return DocumentDate(None, "effective_date", candidate.effective_date_trust, note)
        if effective.year >= FIRST_YEAR:
            exact_to = candidate.effective_date_precision
            note = _EXACT_TO.get(exact_to, "")
            return DocumentDate(effective, "effective_date", candidate.effective_date_trust, note, exact_to)
    created, trust = candidate.created_at, candidate.created_at_trust
    if created is None:
        return DocumentDate(None, "", "", "date unknown")
    # A calendar day may be the next one: it has begun already in the east.
    if created > now and created > now + (AHEAD if candidate.created_at_precision == Precision.DAY else timedelta(0)):
        return DocumentDate(None, candidate.created_at_origin, trust, f"date {created:%Y-%m-%d} lies in the future")
    if created.year < FIRST_YEAR:
        return DocumentDate(None, candidate.created_at_origin, trust, f"date {created:%Y-%m-%d} was never set")
    if trust not in _TRUSTED:
        return DocumentDate(None, candidate.created_at_origin, trust, f"date {created:%Y-%m-%d} is not trusted")
    exact_to = candidate.created_at_precision
    return DocumentDate(
        created, candidate.created_at_origin or "created_at", trust, _EXACT_TO.get(exact_to, ""), exact_to
    )


def recency(candidate: Candidate, half_lives: HalfLives, *, now: datetime, at: datetime | None = None) -> Recency:
    """0.5 ** (age / half-life), the age counted back from `at` (default: now).

    A document from after `at` did not exist then and counts 0. Reference is a clock, never the newest of the results:
    if all are old, none is new.
    """
    date = document_date(candidate, now=now)
    written = date.value
    if written is None:
        return Recency(NEUTRAL, date)
    age = ((at or now) - (written if written < now else now)).total_seconds() / _DAY_SECONDS
    if age < 0:
        return Recency(0.0, date, age)
    half_life = half_lives.of(candidate.content_type)
    if half_life is None:
        return Recency(NEUTRAL, date, age)
    return Recency(0.5 ** (age / half_life), date, age)
