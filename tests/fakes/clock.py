"""A clock for tests: it never stands still, and it jumps where it is told to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

TICK = timedelta(microseconds=1)


@dataclass
class FakeClock:
    """Each look is one tick later than the last, so that no two reads of a source share a fence."""

    moment: datetime = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def now(self) -> datetime:
        self.moment += TICK
        return self.moment

    def turn(self, **by: float) -> None:
        """Turn forward, or back with a negative number; arguments as of `timedelta`."""
        self.moment += timedelta(**by)
