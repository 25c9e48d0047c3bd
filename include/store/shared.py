"""One session of an embedded index for all readers of a process that come while it is open.

To open the embedded engine costs more than to search it (10,000 chunks: 440 ms and 20 ms), and it lets one session in
at a time. So a process that answers many readers opens it once for those who wait together. The session ends when
nobody reads, and after `OPEN_SECONDS` at the latest: other processes wait for the folder meanwhile.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from include.domain.errors import StoreBusy
from include.ports import Index, IndexReader, IndexStore

log = logging.getLogger(__name__)

OPEN_SECONDS = 2.0
"""So long at most is a session open for newcomers. Longer, and an ingest beside it waits; shorter, and more of the
time goes into opening."""

LINGER_SECONDS = 0.02
"""So long it stays open after the last reader: those who come in a burst are some milliseconds apart."""


class SharedReading:
    """IndexStore. Reads together with other threads; everything else is the store's own. Sessions must not be nested:
    the inner one could wait for the end of the outer one."""

    def __init__(self, store: IndexStore, *, wait_seconds: float, open_seconds: float = OPEN_SECONDS) -> None:
        """Who is not let in within `wait_seconds` gets StoreBusy, as from the store itself."""
        self._store = store
        self._wait_seconds = wait_seconds
        self._open_seconds = open_seconds
        self._changed = threading.Condition()
        self._waiting = 0
        self._inside = 0
        self._index: IndexReader | None = None
        self._failed: tuple[int, Exception] | None = None
        self._attempts = 0
        self._keeper: threading.Thread | None = None

    @property
    def location(self) -> str:
        return self._store.location

    def prepare(self, embedder_id: str, dimension: int) -> None:
        self._store.prepare(embedder_id, dimension)

    def writing(self) -> AbstractContextManager[Index]:
        return self._store.writing()

    @contextmanager
    def reading(self) -> Iterator[IndexReader]:
        index = self._enter()
        try:
            yield index
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    def _enter(self) -> IndexReader:
        deadline = time.monotonic() + self._wait_seconds
        with self._changed:
            self._waiting += 1
            before = self._attempts  # a failure of one of these began before this reader came
            try:
                while self._index is None:
                    self._awake()
                    if self._failed is not None and self._failed[0] > before:
                        raise self._failed[1]
                    if not self._changed.wait(deadline - time.monotonic()) and time.monotonic() >= deadline:
                        raise StoreBusy(
                            f"{self.location}: not open for reading within {self._wait_seconds:g} s; another process "
                            "holds it, or the readers before take too long. Try again later"
                        )
                self._inside += 1
                return self._index
            finally:
                self._waiting -= 1

    def _awake(self) -> None:
        """The thread that holds the session: the lock of the folder belongs to a thread."""
        if self._keeper is None or not self._keeper.is_alive():
            self._keeper = threading.Thread(target=self._keep, name="truecopy-index", daemon=True)
            self._keeper.start()
        self._changed.notify_all()

    def _keep(self) -> None:
        while True:
            with self._changed:
                while not self._waiting:
                    self._changed.wait()
                self._attempts += 1
            try:
                with self._store.reading() as index:
                    self._let_in(index)
            except Exception as error:  # noqa: BLE001 (every reader that waits gets it)
                with self._changed:
                    self._failed = (self._attempts, error)
                    self._changed.notify_all()

    def _let_in(self, index: IndexReader) -> None:
        closes_at = time.monotonic() + self._open_seconds
        with self._changed:
            self._index = index
            self._changed.notify_all()
            while (left := closes_at - time.monotonic()) > 0:
                if self._inside or self._waiting:
                    self._changed.wait(left)
                elif not self._changed.wait(min(left, LINGER_SECONDS)):
                    break
            self._index = None
            while self._inside:
                self._changed.wait()
