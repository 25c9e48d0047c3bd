"""How many deliveries were accepted and refused, by source, reason and hour.

    traffic/<hour>/<process>.json   {"<source>": {"<reason>": number}}; the source is "" where none is known

Each process counts in memory and replaces its own file as a whole every few seconds (`flush`): a flood of forged
requests is one write. What a process counted in its last seconds is lost with it. Sums are made when asked for.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import threading
import uuid
from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta

from include.domain.events import Reason
from include.ports import Clock
from include.records.state import StateRoot

log = logging.getLogger(__name__)

KEPT_DAYS = 8
_HOUR = "%Y-%m-%dT%H"


class FileTraffic:
    """Implements ports.Traffic. One for each process, used by any number of its threads."""

    def __init__(self, state: StateRoot, clock: Clock) -> None:
        self._state = state
        self._clock = clock
        self._name = f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._lock = threading.Lock()
        self._counts: dict[str, Counter[tuple[str, Reason]]] = {}
        self._unwritten: set[str] = set()

    def count(self, source: str, reason: Reason) -> None:
        hour = f"{self._clock.now():{_HOUR}}"
        with self._lock:
            self._counts.setdefault(hour, Counter())[source, reason] += 1
            self._unwritten.add(hour)

    def flush(self) -> None:
        """Write down what was counted since the last time. A failure is logged, and the numbers are kept."""
        with self._lock:
            hours = {hour: _as_record(self._counts[hour]) for hour in self._unwritten}
            self._unwritten.clear()
            this_hour = f"{self._clock.now():{_HOUR}}"
            self._counts = {hour: counts for hour, counts in self._counts.items() if hour >= this_hour or hour in hours}
        for hour, record in hours.items():
            try:
                self._state.write(f"traffic/{hour}/{self._name}.json", json.dumps(record).encode())
            except OSError as error:
                log.warning("the counts of deliveries could not be written and are kept: %s", error)
                with self._lock:
                    self._unwritten.add(hour)

    def since(self, moment: datetime) -> Mapping[str, Mapping[Reason, int]]:
        """Sums of all processes by source, from the beginning of that hour. Sources without traffic are left out."""
        sums: dict[str, Counter[Reason]] = {}
        first = f"{moment:{_HOUR}}"
        for hour in self._state.names("traffic"):
            if hour < first:
                continue
            for name, data in self._state.read_all(f"traffic/{hour}").items():
                try:
                    for source, counts in json.loads(data).items():
                        for reason, number in counts.items():
                            sums.setdefault(source, Counter())[Reason(reason)] += int(number)
                except (ValueError, TypeError, AttributeError) as error:
                    log.warning("traffic/%s/%s cannot be read and is passed over: %s", hour, name, error)
        return sums

    def sweep(self) -> None:
        oldest_kept = f"{self._clock.now() - timedelta(days=KEPT_DAYS):{_HOUR}}"
        for hour in self._state.names("traffic"):
            if hour < oldest_kept:
                self._state.remove_folder(f"traffic/{hour}")


def _as_record(counts: Counter[tuple[str, Reason]]) -> dict[str, dict[str, int]]:
    record: dict[str, dict[str, int]] = {}
    for (source, reason), number in sorted(counts.items()):
        record.setdefault(source, {})[reason.value] = number
    return record
