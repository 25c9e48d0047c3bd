"""Accepted deliveries as small files on the state root, one each, so that nothing is ever shared between two writers.

    inbox/<source>/fresh/<key>.json        not looked at yet
    inbox/<source>/again/<key>.json        looked at once without effect; a second look is due
    inbox/<source>/done/<day>/<key>.json   settled on that day; kept as the memory against replays
    inbox/<source>/pause.json              until when the source is left alone

A file holds the names of documents and the time, nothing of the payload. An event moves from folder to folder; putting
one in asks for its own key only, however many others there are.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from include.domain.dates import from_rfc3339, rfc3339
from include.domain.events import Event, Waiting
from include.ports import Clock
from include.ports.erasing import Tombstones
from include.records.state import StateRoot

log = logging.getLogger(__name__)

LONGEST_MEMORY_DAYS = 7
_LONG_AGO = timedelta(hours=1)
_FRESH, _AGAIN, _DONE = "fresh", "again", "done"


class FileInbox:
    """Implements ports.Inbox."""

    def __init__(self, state: StateRoot, clock: Clock, tombstones: Tombstones | None = None) -> None:
        """With `tombstones` no erased document is named: its source may go on telling of it."""
        self._state = state
        self._clock = clock
        self._tombstones = tombstones

    def put(self, event: Event, *, remembered_days: int) -> bool:
        name = f"{event.key}.json"
        folder = f"inbox/{event.source}"
        # A clock that is a little ahead settles into tomorrow.
        days = (self._day(-ago) for ago in range(-1, min(remembered_days, LONGEST_MEMORY_DAYS) + 1))
        known = [f"{folder}/{_AGAIN}/{name}", *(f"{folder}/{_DONE}/{day}/{name}" for day in days)]
        if self._state.any_exists(known):
            return False
        erased = self._tombstones.marks_among(event.source, event.doc_ids) if self._tombstones else {}
        doc_ids = [erased.get(doc_id, doc_id) for doc_id in event.doc_ids]
        record = {"received_at": rfc3339(event.received_at), "doc_ids": doc_ids, "name": event.name}
        return self._state.create(f"{folder}/{_FRESH}/{name}", json.dumps(record).encode())

    def open(self, source: str) -> Sequence[Event]:
        return [*self._read(source, _FRESH, looked=False), *self._read(source, _AGAIN, looked=True)]

    def waiting(self, source: str) -> Waiting:
        events = self.open(source)
        return Waiting(len(events), min((event.received_at for event in events), default=None))

    def keep_for_second_look(self, events: Sequence[Event]) -> None:
        self._state.move({_place(event, _FRESH): _place(event, _AGAIN) for event in events if not event.looked})

    def settle(self, events: Sequence[Event]) -> None:
        done = f"{_DONE}/{self._day()}"
        self._state.move({_place(event, _AGAIN if event.looked else _FRESH): _place(event, done) for event in events})

    def postpone(self, source: str, until: datetime) -> None:
        self._state.write(f"inbox/{source}/pause.json", json.dumps({"until": rfc3339(until)}).encode())

    def postponed_until(self, source: str) -> datetime | None:
        try:
            return from_rfc3339(json.loads(self._state.read(f"inbox/{source}/pause.json"))["until"])
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError) as error:
            log.warning("inbox/%s/pause.json cannot be read and is passed over: %s", source, error)
            return None

    def sweep(self) -> None:
        oldest_kept = self._day(-LONGEST_MEMORY_DAYS - 1)
        for source in self._state.names("inbox"):
            for day in self._state.names(f"inbox/{source}/{_DONE}"):
                if day < oldest_kept:
                    self._state.remove_folder(f"inbox/{source}/{_DONE}/{day}")

    def _read(self, source: str, folder: str, *, looked: bool) -> Iterator[Event]:
        for name, data in self._state.read_all(f"inbox/{source}/{folder}").items():
            key = name.removesuffix(".json")
            try:
                record = json.loads(data)
                received_at, doc_ids = from_rfc3339(record["received_at"]), tuple(map(str, record["doc_ids"]))
                yield Event(source, key, received_at, doc_ids, str(record["name"]), looked)
            except (ValueError, KeyError, TypeError) as error:
                # Its documents are lost, that something happened is not: the whole source is looked at.
                log.warning("inbox/%s/%s/%s cannot be read: %s", source, folder, name, error)
                yield Event(source, key, self._clock.now() - _LONG_AGO, looked=looked)

    def _day(self, ahead: int = 0) -> str:
        return f"{self._clock.now() + timedelta(days=ahead):%Y-%m-%d}"


def _place(event: Event, folder: str) -> str:
    return f"inbox/{event.source}/{folder}/{event.key}.json"
