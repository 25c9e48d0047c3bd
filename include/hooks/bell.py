"""Starts one run for a burst of events, a moment after the first of them."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

log = logging.getLogger(__name__)

TIDY_EVERY_SECONDS = 10.0


class Bell:
    """One thread a process. `start` begins a run, `tidy` does small chores every ten seconds; if either fails, that is
    logged and the others go on: whatever is not started here is found by the next scheduled run."""

    def __init__(self, start: Callable[[], None], tidy: Callable[[], None], every: float = TIDY_EVERY_SECONDS) -> None:
        self._start = start
        self._tidy = tidy
        self._every = every
        self._changed = threading.Condition()
        self._next: float | None = None
        self._after: float | None = None
        self._thread: threading.Thread | None = None

    def ring(self, seconds: float) -> None:
        """A run is due after so many seconds. Rings until then are answered by it as far as it comes late enough for
        them; one more run follows for those that it does not."""
        due = time.monotonic() + seconds
        with self._changed:
            if self._next is None or due < self._next:
                self._next, due = due, self._next or due
            if due > self._next:
                self._after = max(due, self._after or due)
            self._changed.notify()
        self.awake()

    def awake(self) -> None:
        """Start the thread, in the process that asks; a fork does not inherit it."""
        with self._changed:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._watch, name="truecopy-bell", daemon=True)
                self._thread.start()

    def _watch(self) -> None:
        tidy_at = time.monotonic() + self._every
        while True:
            with self._changed:
                until = tidy_at if self._next is None else min(tidy_at, self._next)
                self._changed.wait(max(0.0, until - time.monotonic()))
                now = time.monotonic()
                is_due = self._next is not None and self._next <= now
                if is_due:
                    self._next, self._after = self._after, None
            if is_due:
                self._attempt(self._start, "a run could not be started; the next scheduled one takes over")
            if now >= tidy_at:
                tidy_at = now + self._every
                self._attempt(self._tidy, "tidying up failed; it is tried again")

    @staticmethod
    def _attempt(act: Callable[[], None], what: str) -> None:
        try:
            act()
        except Exception:
            log.exception("webhooks: %s", what)
