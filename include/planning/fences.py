"""Which of two writers is the newer one. A fence is the clock before the source was asked."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from include.domain.documents import Status, StoredChunk

CLOCK_TOLERANCE = timedelta(minutes=5)


def fence_after(fetched_at: datetime, stored: datetime | None, *, now: datetime) -> datetime:
    """The fence to write with.

    A stored fence further in the future than clocks may differ was written by a wrong clock. It would beat every
    honest write until that date, so it is stepped over instead of being believed.
    """
    if stored is not None and stored > now + CLOCK_TOLERANCE:
        return stored + timedelta(microseconds=1)
    return fetched_at


def newest_fence(chunks: Iterable[StoredChunk], *, readable_only: bool = False) -> datetime | None:
    """The newest fence among stored points; None when none has one."""
    fences = [
        chunk.fetched_at
        for chunk in chunks
        if chunk.fetched_at is not None and not (readable_only and chunk.status == Status.INCOMING)
    ]
    return max(fences, default=None)
