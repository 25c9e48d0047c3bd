"""The threads in which questions are answered: a bounded number, with a bounded queue in front of them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

Result = TypeVar("Result")


class OverloadedError(Exception):
    """More questions wait than would be answered in time."""


class Workers:
    """A caller that gives up leaves its thread at work, which still counts; what it had only queued is taken back."""

    def __init__(self, at_once: int, waiting: int) -> None:
        self._pool = ThreadPoolExecutor(at_once, "truecopy-answer")
        self._most = at_once + waiting
        self._lock = threading.Lock()
        self._under_way = 0

    async def run(self, act: Callable[[], Result]) -> Result:
        """What `act` returns or raises. Raises OverloadedError at once where there is no place."""
        with self._lock:
            if self._under_way >= self._most:
                raise OverloadedError
            self._under_way += 1
        future = self._pool.submit(act)
        future.add_done_callback(self._done)
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _done(self, _future: Future[Any]) -> None:
        with self._lock:
            self._under_way -= 1
