"""The index on a Qdrant server, and in the client's local mode, which stands in for it where no server is.

What differs in local mode, as of qdrant-client 1.20: payload indexes and strict mode do not exist, every filter is a
loop over all payloads (20,000 chunks: 0.3 s a call), and a killed process leaves half operations. Insert-only
writes and the collection's metadata work in both. A local folder is locked by include.store.lock, because
the client reads everything before it takes a lock of its own.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from include.domain.errors import ConfigError, StoreBusy, StoreUnavailable
from include.domain.redaction import redact_address
from include.ports import Index, IndexReader
from include.store.lock import FolderLock
from include.store.schema import Builder, check_alias, check_builder, check_embedder, collection_name
from include.store.session import Reading, Writing

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

    from include.store.server_engine import ServerEngine
    from include.store.server_erasure import ServerErasure

IN_MEMORY = ":memory:"

_log = logging.getLogger(__name__)


class ServerStore:
    """IndexStore on a server (`http(s)://…`), in a local folder (a Path) or in memory (":memory:", for tests).

    `timeout` and `lock_timeout` are in seconds; `pause` is what waits between attempts.
    """

    def __init__(
        self,
        where: str | Path,
        alias: str,
        *,
        api_key: str | None = None,
        timeout: float = 60.0,
        lock_timeout: float = 60.0,
        notify: Callable[[str], None] = _log.warning,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._where = where if where == IN_MEMORY or isinstance(where, Path) else _checked_url(str(where))
        self._alias = check_alias(alias)
        self._api_key = api_key
        self._timeout = timeout
        self._lock_timeout = lock_timeout
        self._pause = pause
        self._lock = FolderLock(where.absolute(), lock_timeout, notify) if isinstance(where, Path) else None
        self._client: QdrantClient | None = None
        self._pid = 0
        self._one_at_a_time = threading.RLock()

    @property
    def location(self) -> str:
        return f"{self._where}#{self._alias}"

    def prepare(self, embedder_id: str, dimension: int) -> None:
        check_embedder(embedder_id, dimension)
        if isinstance(self._where, Path):
            self._where.mkdir(parents=True, exist_ok=True)
        builder = Builder(embedder_id, dimension)
        with self._engine() as engine:
            collection = ""
            while (standing := engine.aliased()) != collection:
                collection = standing or self._unaliased(engine, embedder_id)
                if standing is None:
                    engine.create(collection, builder)
                check_builder(engine.builder(collection), embedder_id, dimension, self.location)
                engine.create_missing_indexes(collection)
                # Last, so that the alias never leads to a collection that still lacks an index. One that leads
                # somewhere by now was pointed there by somebody: it stays, and that collection is looked at.
                if engine.aliased() is None:
                    engine.point_alias(collection)

    @contextmanager
    def reading(self) -> Iterator[IndexReader]:
        with self._engine() as engine:
            engine.open()
            session = Reading(engine)
            try:
                yield session
            finally:
                session.end()

    @contextmanager
    def writing(self) -> Iterator[Index]:
        with self._engine() as engine:
            engine.open()
            session = Writing(engine)
            try:
                yield session
            finally:
                session.end()

    def is_wanted(self) -> bool:
        """Whether another thread or process waits for the index now. A server lets everybody in."""
        return self._lock is not None and self._lock.is_wanted()

    def problems(self) -> list[str]:
        """What is wrong with the store itself, one sentence each. Raises StoreUnavailable if it does not answer."""
        with self._engine() as engine:
            collection = engine.aliased()
            if collection is None:
                return [f"{self.location}: the alias points nowhere; an ingest run creates it"]
            return [f"{self.location}: {problem}" for problem in engine.layout_problems(collection)]

    # -- for an erasure, which looks into every collection --

    def erasing(self) -> ServerErasure:
        from include.store.server_erasure import ServerErasure

        return ServerErasure(self, self._alias, self._pause)

    @property
    def is_server(self) -> bool:
        return not isinstance(self._where, Path) and self._where != IN_MEMORY

    @property
    def folder(self) -> Path | None:
        """Of the local mode on disk."""
        return self._where if isinstance(self._where, Path) else None

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody is in the folder of the local mode until the block ends, this store neither."""
        assert self._lock is not None
        with self._lock.held():
            yield

    @contextmanager
    def connected(self) -> Iterator[ServerEngine]:
        with self._engine() as engine:
            yield engine

    @contextmanager
    def _engine(self) -> Iterator[ServerEngine]:
        from include.store.server_engine import ServerEngine  # costs 2 s of imports, and only a server needs it

        if isinstance(self._where, Path):
            if not self._where.is_dir():
                raise StoreUnavailable(f"{self.location}: the folder does not exist; the first ingest run creates it")
            assert self._lock is not None
            with self._lock.held() as use:
                client = use.resource("client", self._connect, _close)
                yield ServerEngine(client, self._alias, self.location, self._pause, local=True)
        elif self._where == IN_MEMORY:
            if not self._one_at_a_time.acquire(timeout=self._lock_timeout):
                raise StoreBusy(f"{self.location} is in use by another thread for more than {self._lock_timeout:g} s")
            try:
                yield ServerEngine(self._shared(), self._alias, self.location, self._pause, local=True)
            finally:
                self._one_at_a_time.release()
        else:
            yield ServerEngine(self._shared(), self._alias, self.location, self._pause, local=False)

    def _shared(self) -> QdrantClient:
        with self._one_at_a_time:
            if self._client is None or self._pid != os.getpid():  # connections do not survive a fork
                self._client, self._pid = self._connect(), os.getpid()
            return self._client

    def _connect(self) -> QdrantClient:
        from qdrant_client import QdrantClient

        try:
            if isinstance(self._where, Path):
                return QdrantClient(path=str(self._where), force_disable_check_same_thread=True)
            if self._where == IN_MEMORY:
                return QdrantClient(IN_MEMORY)
            return QdrantClient(
                url=str(self._where), api_key=self._api_key, timeout=int(self._timeout), check_compatibility=False
            )
        except (OSError, ValueError, RuntimeError) as error:
            raise StoreUnavailable(f"{self.location}: cannot be opened: {error}") from error

    def _unaliased(self, engine: ServerEngine, embedder_id: str) -> str:
        """The collection to use where the alias is unknown: a whole one that lost its alias, else a new one.

        A collection of another embedder is neither used nor passed over: that would look like an empty index.
        """
        own = collection_name(self._alias, embedder_id)
        others = sorted(name for name in engine.collections() if name.startswith(f"{self._alias}."))
        return others[0] if others and own not in others else own


def _close(client: QdrantClient) -> None:
    client.close()


def _checked_url(url: str) -> str:
    """Scheme, host, port and path. Raises ConfigError for anything else, without repeating a password."""
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise ConfigError(f"index url {redact_address(url)!r} is no address: {error}") from None
    if parts.username or parts.password or parts.query:
        raise ConfigError(
            "the index url carries a user, password or query; put the key into the Airflow connection instead"
        )
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(
            f"index url {redact_address(url)!r}: allowed are http://host:port, https://host, edge:///folder"
        )
    return url.rstrip("/")
