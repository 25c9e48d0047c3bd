"""An inbox and a traffic count in memory, held to the same tests as those on disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from include.domain.events import Event, Reason, Waiting
from include.ports import Clock
from tests.fakes.clock import FakeClock


@dataclass
class FakeInbox:
    """`broken` makes every `put` fail, as a full disk does."""

    clock: Clock = field(default_factory=FakeClock)
    opened: dict[tuple[str, str], Event] = field(default_factory=dict)
    settled: dict[tuple[str, str], datetime] = field(default_factory=dict)
    pauses: dict[str, datetime] = field(default_factory=dict)
    broken: bool = False

    def put(self, event: Event, *, remembered_days: int) -> bool:
        if self.broken:
            raise OSError("no space left on device")
        place = (event.source, event.key)
        done = self.settled.get(place)
        remembered = done is not None and self.clock.now().date() - done.date() <= timedelta(days=remembered_days)
        if place in self.opened or remembered:
            return False
        self.opened[place] = event
        return True

    def open(self, source: str) -> Sequence[Event]:
        return [event for (of, _), event in self.opened.items() if of == source]

    def waiting(self, source: str) -> Waiting:
        events = self.open(source)
        return Waiting(len(events), min((event.received_at for event in events), default=None))

    def keep_for_second_look(self, events: Sequence[Event]) -> None:
        for event in events:
            if (event.source, event.key) in self.opened:
                self.opened[event.source, event.key] = replace(event, looked=True)

    def settle(self, events: Sequence[Event]) -> None:
        for event in events:
            if self.opened.pop((event.source, event.key), None):
                self.settled[event.source, event.key] = self.clock.now()

    def postpone(self, source: str, until: datetime) -> None:
        self.pauses[source] = until

    def postponed_until(self, source: str) -> datetime | None:
        return self.pauses.get(source)

    def sweep(self) -> None:
        oldest = self.clock.now() - timedelta(days=8)
        self.settled = {place: done for place, done in self.settled.items() if done >= oldest}


@dataclass
class FakeTraffic:
    counted: Counter[tuple[str, Reason]] = field(default_factory=Counter)

    def count(self, source: str, reason: Reason) -> None:
        self.counted[source, reason] += 1
