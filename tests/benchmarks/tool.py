"""What a measured tool has to offer, and what it is given: a source, an embedder whose use is counted, a fuse."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from include.embedding.static import StaticEmbedder
from include.ports import Vectors
from tests.benchmarks.audit import Stored
from tests.benchmarks.corpus import Corpus, Page


class SourceBroke(Exception):
    """The source stopped answering in the middle."""


@dataclass(frozen=True, slots=True)
class Feed:
    """What the source says during one run; it breaks off after so many documents if told to."""

    pages: Corpus
    breaks_after: int | None = None

    def read(self) -> Iterator[Page]:
        for number, page in enumerate(self.pages.values()):
            if number == self.breaks_after:
                raise SourceBroke(f"the source broke off after {number} of {len(self.pages)} documents")
            yield page


class Tool(Protocol):
    """A tool with an index of its own in a folder of its own."""

    def sync(self, feed: Feed) -> str:
        """One run over the whole source, as the tool's documentation shows it. Returns what the run says of itself.

        Raises what the run raises. May be called from two threads at once.
        """
        ...

    def stored(self) -> Iterable[Stored]:
        """Every chunk that a reader could find, read from the engine past the tool."""
        ...

    def lose(self, points: int) -> None:
        """Remove points past the tool."""
        ...

    def haunt(self, points: int) -> None:
        """Add points past the tool: copies of stored ones under new ids, with another text."""
        ...

    def empty(self) -> None:
        """Remove every point past the tool; the collection stays."""
        ...

    def close(self) -> None: ...


@dataclass(slots=True)
class Gate:
    """Holds one call: `entered` when it has come, lets it go on when `opened`."""

    entered: threading.Event = field(default_factory=threading.Event)
    opened: threading.Event = field(default_factory=threading.Event)


class Meter:
    """The embedder of every tool: counts texts and CPU seconds of the calling thread, and can be held.

    Implements ports.Embedder. Safe to share between threads.
    """

    def __init__(self) -> None:
        self._embedder = StaticEmbedder.bundled()
        self.id, self.dimension, self.max_tokens = (
            self._embedder.id,
            self._embedder.dimension,
            self._embedder.max_tokens,
        )
        self._mutex = threading.Lock()
        self._gate: Gate | None = None
        self._known: dict[str, Vectors] | None = None
        self._free = False
        self.texts = 0
        self.embed_seconds = 0.0
        self.count_seconds = 0.0

    def count_tokens(self, text: str) -> int:
        start = time.thread_time()
        tokens = self._embedder.count_tokens(text)
        self.count_seconds += time.thread_time() - start
        return tokens

    def embed(self, texts: Sequence[str]) -> Vectors:
        with self._mutex:
            gate, self._gate = self._gate, None
        if gate:
            gate.entered.set()
            gate.opened.wait()
        if self._free and self._known is not None and all(text in self._known for text in texts):
            return np.stack([self._known[text] for text in texts])
        start = time.thread_time()
        rows = self._embedder.embed(texts)
        with self._mutex:
            self.embed_seconds += time.thread_time() - start
            self.texts += len(texts)
            if self._known is not None:
                self._known.update(zip(texts, rows, strict=True))
        return rows

    def hold_next(self) -> Gate:
        """The next call of `embed`, whoever makes it, waits at the returned gate; later ones pass."""
        gate = Gate()
        with self._mutex:
            self._gate = gate
        return gate

    def remember(self) -> None:
        """Keep every vector from now on, for `free`."""
        self._known = {}

    @contextmanager
    def free(self) -> Iterator[None]:
        """Within the block known texts cost nothing and are not counted: for putting an index right again."""
        texts, self._free = self.texts, True
        try:
            yield
        finally:
            self.texts, self._free = texts, False


@dataclass(slots=True)
class Fuse:
    """Kills the process, as `kill -9` does, once so many things were written."""

    burns_after: int
    written: int = 0

    def burn(self, things: int = 1) -> None:
        self.written += things
        if self.written >= self.burns_after:
            os.kill(os.getpid(), signal.SIGKILL)
