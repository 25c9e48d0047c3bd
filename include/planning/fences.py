"""Which of two writers is the newer one. A fence is the clock before the source was asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta

from include.domain.documents import StoredChunk

CLOCK_TOLERANCE = timedelta(minutes=5)
"""So far apart may the clocks of two machines be."""

LONGEST_REMOVAL = timedelta(days=1)
"""So long after the question to the source a removal may still be at work."""

TICK = timedelta(microseconds=1)
_BEFORE_ANY_READ = datetime(1970, 1, 1, tzinfo=UTC)


def is_believable(fence: datetime, *, now: datetime) -> bool:
    """False for a fence further in the future than clocks may differ: it was written by a wrong clock."""
    return fence <= now + CLOCK_TOLERANCE


def corrected_fences(chunks: Iterable[StoredChunk], *, now: datetime) -> Mapping[datetime, datetime]:
    """What to store in place of each fence of a wrong clock: older than any honest one, their order kept.

    Such a fence would beat every honest write until its date. Stepping over it would not do: two writers would both
    take the next instant, and which of them read the source later could not be told any more.
    """
    wrong = {chunk.fetched_at for chunk in chunks if chunk.fetched_at and not is_believable(chunk.fetched_at, now=now)}
    return {fence: _BEFORE_ANY_READ + number * TICK for number, fence in enumerate(sorted(wrong))}


def later_removal(standing: datetime | None, fence: datetime) -> datetime:
    """Which removal of a document to remember. One that seems to come more than a day later than a removal that
    happens now was marked by a wrong clock; it must not hide the honest one."""
    if standing is None or standing > fence + LONGEST_REMOVAL:
        return fence
    return max(standing, fence)


def newest_fence(chunks: Iterable[StoredChunk]) -> datetime | None:
    """The newest fence among stored points; None when none has one."""
    return max((chunk.fetched_at for chunk in chunks if chunk.fetched_at is not None), default=None)
