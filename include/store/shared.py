"""One session of an embedded index for all readers of a process that come while it is open.

To open the embedded engine costs more than to search it (10,000 chunks: 440 ms and 20 ms), and it lets one session in
at a time. So a process that answers many readers keeps it open for them, as long as nobody else wants it: when another
process waits, those who read now get a moment more, newcomers wait, and the other one has its turn.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from include.domain.errors import StoreBusy, StoreUnavailable
from include.ports import Index, IndexReader, IndexStore

log = logging.getLogger(__name__)

SHARE_SECONDS = 2.0
"""So long a session takes newcomers though another process waits. Longer, and an ingest beside it is slow; shorter, and
readers spend their time with opening."""

IDLE_SECONDS = 5.0
"""So long it stays open without a reader."""

LOOK_SECONDS = 0.05
"""So often it is looked whether another process waits."""


class SharedStore(IndexStore, Protocol):
    """A store that one process at a time can open."""

    def is_wanted(self) -> bool:
        """Whether another thread or process waits for it now."""
        ...


class SharedReading:
    """IndexStore. Reads together with other threads; everything else is the store's own. Sessions must not be nested:
    the inner one could wait for the end of the outer one."""

    def __init__(self, store: SharedStore, *, wait_seconds: float, share_seconds: float = SHARE_SECONDS) -> None:
        """Who is not let in within `wait_seconds` gets StoreBusy, as from the store itself."""
        self._store = store
        self._wait_seconds = wait_seconds
        self._share_seconds = share_seconds
        # One lock, two who wait for different things: were all woken by everything, fifty readers who wait for another
        # process would keep each other awake, and take the time of the process that they wait for.
        lock = threading.Lock()
        self._opened = threading.Condition(lock)
        self._asked = threading.Condition(lock)
        self._waiting = 0
        self._inside = 0
        self._entered = 0
        self._index: IndexReader | None = None
        self._failed: tuple[int, Exception] | None = None
        self._attempts = 0
        self._keeper: threading.Thread | None = None
        self._closed = False

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
            with self._asked:
                self._inside -= 1
                if not self._inside:
                    self._asked.notify()

    def close(self) -> None:
        """End the session as soon as those inside have read. Nobody is let in any more."""
        with self._asked:
            self._closed = True
            self._asked.notify()
            self._opened.notify_all()
            keeper = self._keeper
        if keeper is not None:
            keeper.join(self._wait_seconds)

    def _enter(self) -> IndexReader:
        deadline = time.monotonic() + self._wait_seconds
        with self._opened:
            before = self._attempts  # a failure of one of these began before this reader came
            self._waiting += 1
            try:
                if self._index is None and not self._closed:
                    self._ask()
                while self._index is None or self._closed:
                    if self._closed:
                        raise StoreUnavailable(f"{self.location}: this process is about to end")
                    if self._failed is not None and self._failed[0] > before:
                        raise self._failed[1]
                    if not self._opened.wait(deadline - time.monotonic()) and time.monotonic() >= deadline:
                        raise StoreBusy(
                            f"{self.location}: not open for reading within {self._wait_seconds:g} s; another process "
                            "holds it, or the readers before take too long. Try again later"
                        )
                self._inside += 1
                self._entered += 1
                return self._index
            finally:
                self._waiting -= 1

    def _ask(self) -> None:
        """Wake the thread that holds the session: the lock of the folder belongs to a thread."""
        if self._keeper is None or not self._keeper.is_alive():
            self._keeper = threading.Thread(target=self._keep, name="truecopy-index", daemon=True)
            self._keeper.start()
        self._asked.notify()

    def _keep(self) -> None:
        while not self._closed:
            with self._asked:
                while not self._waiting:
                    self._asked.wait()
                    if self._closed:
                        return
                self._attempts += 1
            try:
                with self._store.reading() as index:
                    self._let_in(index)
                time.sleep(LOOK_SECONDS)  # who waited outside is woken now, and must not find us there first
            except Exception as error:  # noqa: BLE001 (every reader that waits gets it)
                with self._opened:
                    self._failed = (self._attempts, error)
                    self._opened.notify_all()

    def _let_in(self, index: IndexReader) -> None:
        with self._asked:
            self._index = index
            self._opened.notify_all()
            try:
                self._stay()
            finally:
                self._index = None
                while self._inside:
                    self._asked.wait()

    def _stay(self) -> None:
        """Until others want the index, or nobody here does."""
        opened_at = read_at = looked_at = time.monotonic()
        wanted, seen = False, 0
        while not self._closed:
            self._asked.wait(LOOK_SECONDS)
            now = time.monotonic()
            if now - looked_at >= LOOK_SECONDS:
                wanted, looked_at = self._store.is_wanted(), now
            if self._inside or self._waiting or self._entered != seen:
                read_at, seen = now, self._entered
                if wanted and now - opened_at >= self._share_seconds:
                    return
            elif wanted or now - read_at >= IDLE_SECONDS:
                return
