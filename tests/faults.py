"""Look at, step through, or break off the I/O of any index, between two operations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from include.ports import IndexStore


class Crash(BaseException):
    """The process dies here. Not an Exception: no handler of ours may survive it."""


@dataclass
class CrashAt:
    """An `on_io` that lets `operations` operations through and dies before the next one. Keeps what it saw."""

    operations: int
    seen: list[str] = field(default_factory=list)

    def __call__(self, operation: str) -> None:
        if len(self.seen) >= self.operations:
            raise Crash(f"before operation {len(self.seen) + 1}: {operation}")
        self.seen.append(operation)


class ObservedStore:
    """IndexStore around another one. `on_io` is called with the operation's name before each operation; what it
    raises prevents the operation, what it does (block, kill, step another actor) happens before it."""

    def __init__(self, store: IndexStore, on_io: Callable[[str], None]) -> None:
        self._store = store
        self._on_io = on_io

    @property
    def location(self) -> str:
        return self._store.location

    def prepare(self, embedder_id: str, dimension: int) -> None:
        self._on_io("prepare")
        self._store.prepare(embedder_id, dimension)

    @contextmanager
    def reading(self) -> Iterator[Any]:
        with self._store.reading() as session:
            yield _Observed(session, self._on_io)

    @contextmanager
    def writing(self) -> Iterator[Any]:
        with self._store.writing() as session:
            yield _Observed(session, self._on_io)


class _Observed:
    def __init__(self, session: object, on_io: Callable[[str], None]) -> None:
        self._session = session
        self._on_io = on_io

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        run = getattr(self._session, operation)

        def observed(*args: Any, **kwargs: Any) -> Any:
            self._on_io(operation)
            return run(*args, **kwargs)

        return observed
