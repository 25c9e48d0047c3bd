"""What sources send of their own accord: deliveries that wait, and how many came."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from include.domain.events import Event, Reason, Waiting


class Inbox(Protocol):
    """Accepted deliveries until a look has settled them, and the memory of those that are settled.

    Any number of processes put events in while others read and settle them; no order is promised or needed.
    """

    def put(self, event: Event, *, remembered_days: int) -> bool:
        """Store an event, whatever the inbox holds in about the same time. False when a delivery with this key is
        open, or was settled within so many days. Raises OSError when it cannot be stored."""
        ...

    def open(self, source: str) -> Sequence[Event]:
        """Every event that no look has settled."""
        ...

    def waiting(self, source: str) -> Waiting:
        """How many those are, and since when."""
        ...

    def keep_for_second_look(self, events: Sequence[Event]) -> None:
        """A look found nothing to do, perhaps because the source lags behind its own event: these stay open."""
        ...

    def settle(self, events: Sequence[Event]) -> None:
        """Nothing is left to do. Their keys are remembered. Settling twice is fine."""
        ...

    def postpone(self, source: str, until: datetime) -> None:
        """Leave this source alone for a while: it could not be looked at."""
        ...

    def postponed_until(self, source: str) -> datetime | None: ...

    def sweep(self) -> None:
        """Forget what was settled longer ago than any memory."""
        ...


class Traffic(Protocol):
    """How many deliveries were accepted and refused, and why."""

    def count(self, source: str, reason: Reason) -> None:
        """Cheap and never fails: a flood must not become a flood of writes. The source is empty where none is known."""
        ...
