"""What is known of the dates of a whole source: where they come from, which are doubted, which are too much alike."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from include.domain.date_candidates import DateField, Doubt, place_of
from include.domain.dates import Precision, shown


@dataclass(frozen=True, slots=True)
class DateCluster:
    """Dates of one field and place that too many documents of a source share, from `first` to `last`: those of an
    import, a build, a checkout or a template. `documents` of the `of` that have a date from this place."""

    field: DateField
    origin: str
    first: datetime
    last: datetime
    documents: int
    of: int

    @property
    def why(self) -> str:
        span = self.last - self.first
        exactly = Precision.INSTANT if span < timedelta(hours=1) and self.first.time() != datetime.min.time() else None
        when = shown(self.first, exactly or Precision.DAY)
        what = f"bear {when}" if not span else f"bear dates within {_words(span)} of {when}"
        return f"{self.documents} of {self.of} documents {what}"

    def is_of(self, field: DateField, origin: str) -> bool:
        return field is self.field and place_of(origin) == self.origin

    def covers(self, field: DateField, origin: str, value: datetime) -> bool:
        return self.is_of(field, origin) and self.first <= value <= self.last


def cluster_of(clusters: Sequence[DateCluster], field: DateField, origin: str, value: datetime) -> DateCluster | None:
    """The one that a date belongs to. `clusters` are ordered by field, origin and first date, and none of one origin
    overlaps another: an import of weeks has thousands, and every date of its source is looked up."""
    at = bisect_right(clusters, (field, place_of(origin), value), key=lambda one: (one.field, one.origin, one.first))
    return clusters[at - 1] if at and clusters[at - 1].covers(field, origin, value) else None


@dataclass(frozen=True, slots=True)
class DateShare:
    """So many documents have this field from this origin with this trust; both are empty where it is unknown."""

    field: DateField
    origin: str
    trust: str
    documents: int


@dataclass(frozen=True, slots=True)
class DateAnomaly:
    """So many documents have a note of this doubt about this field; `example` is one of them."""

    field: DateField
    doubt: Doubt
    documents: int
    example: str


@dataclass(frozen=True, slots=True)
class DateReport:
    """The provenance of a source's dates, counted over the index."""

    documents: int
    shares: tuple[DateShare, ...] = ()
    anomalies: tuple[DateAnomaly, ...] = ()
    clusters: tuple[DateCluster, ...] = ()

    def trusted(self, field: DateField) -> int:
        """Documents whose date of this field a ranking may count."""
        return sum(each.documents for each in self.shares if each.field is field and each.trust in ("high", "low"))


def _words(span: timedelta) -> str:
    minutes = span.total_seconds() / 60
    return f"{minutes:.0f} minutes" if minutes < 90 else f"{minutes / 60:.0f} hours"
