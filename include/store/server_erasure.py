"""Removing documents from a Qdrant server, and from the client's local mode, down to their files.

A server marks deleted points and rewrites a segment only when a fifth of it is deleted, and its snapshots keep what
they had. So after the delete each collection's optimizer is told to rewrite for less, until it has nothing left to do,
and every snapshot is deleted and, where there was one, taken anew. What a server does not let anybody force is said:
its write-ahead log, and segments too small for its optimizer.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from qdrant_client import QdrantClient, models

from include.domain.documents import DocumentKey
from include.domain.erasure import Ending, PlaceReport
from include.store.server_calls import ServerCalls
from include.store.where import Is, Where

if TYPE_CHECKING:
    from include.store.server import ServerStore

PAGE = 2_000
_OPTIMIZER_TAKES_SECONDS = 600.0
_SMALLEST_SEGMENT = 100
"""The server refuses a lower `vacuum_min_vector_number`."""


class ServerErasure:
    """Implements ports.erasing.ErasableIndex."""

    name = "index"

    def __init__(self, store: ServerStore, alias: str, pause: Callable[[float], None]) -> None:
        self._store = store
        self._alias = alias
        self._pause = pause

    def count_everywhere(self, keys: Sequence[DocumentKey]) -> int:
        with self._store.connected() as engine:
            client, calls = engine.client, engine.calls
            return sum(_count(client, calls, name, keys) for name in self._collections(client, calls))

    def points_everywhere(self) -> Iterator[Mapping[str, object]]:
        with self._store.connected() as engine:
            client, calls = engine.client, engine.calls
            for name in self._collections(client, calls):
                offset = None
                while True:
                    records, offset = calls.make(
                        "scroll", client.scroll, name, limit=PAGE, offset=offset, with_payload=True, with_vectors=False
                    )
                    yield from (record.payload or {} for record in records)
                    if offset is None:
                        break

    def erase(self, keys: Sequence[DocumentKey]) -> PlaceReport:
        before = after = snapshots = 0
        settled = True
        with self._store.connected() as engine:
            client, calls = engine.client, engine.calls
            names = self._collections(client, calls)
            for name in names:
                before += _count(client, calls, name, keys)
                for key in keys:
                    engine.delete(Where((Is("source", key.source), Is("doc_id", key.doc_id))), name)
                after += _count(client, calls, name, keys)
            if self._store.is_server:
                snapshots = sum(self._without_old_snapshots(client, calls, name) for name in names)
                settled = min((self._vacuumed(client, calls, name) for name in names), default=True)
        ending = Ending.CLEARED if before else Ending.NOTHING
        if not self._store.is_server:
            if isinstance(self._store.folder, Path):
                self._vacuum_local(self._store.folder)
            return PlaceReport(self.name, ending, before=before, after=after, unit="points")
        optimizer = "" if settled else "its optimizer was still at work; "
        return PlaceReport(
            self.name,
            Ending.OPEN,
            before=before,
            after=after,
            unit="points",
            open=(
                f"{optimizer}the points and {snapshots} snapshots are gone; deleted text may remain in the server's "
                f"write-ahead log, and in segments of fewer than {_SMALLEST_SEGMENT} points"
            ),
            until="a copy into a new collection, whose old one is deleted, or the log's own turnover",
        )

    def _collections(self, client: QdrantClient, calls: ServerCalls) -> list[str]:
        found = calls.make("get_collections", client.get_collections).collections
        return sorted(each.name for each in found if each.name.startswith(f"{self._alias}."))

    def _without_old_snapshots(self, client: QdrantClient, calls: ServerCalls, name: str) -> int:
        """How many were deleted; one is taken anew where there was one."""
        found = calls.make("list_snapshots", client.list_snapshots, name)
        for each in found:
            calls.make("delete_snapshot", client.delete_snapshot, name, each.name, wait=True)
        if found:
            calls.make("create_snapshot", client.create_snapshot, name, wait=True)
        return len(found)

    def _vacuumed(self, client: QdrantClient, calls: ServerCalls, name: str) -> bool:
        """Whether the optimizer came to its end."""
        before = calls.make("get_collection", client.get_collection, name).config.optimizer_config
        tight = models.OptimizersConfigDiff(deleted_threshold=0.000001, vacuum_min_vector_number=_SMALLEST_SEGMENT)
        calls.make("update_collection", client.update_collection, name, optimizers_config=tight)
        try:
            deadline = time.monotonic() + _OPTIMIZER_TAKES_SECONDS
            while time.monotonic() < deadline:
                self._pause(0.5)
                if calls.make("get_collection", client.get_collection, name).status == models.CollectionStatus.GREEN:
                    return True
            return False
        finally:
            usual = models.OptimizersConfigDiff(
                deleted_threshold=before.deleted_threshold, vacuum_min_vector_number=before.vacuum_min_vector_number
            )
            calls.make("update_collection", client.update_collection, name, optimizers_config=usual)

    def _vacuum_local(self, folder: Path) -> None:
        """The local mode keeps points in SQLite, which leaves deleted rows in its pages. Its files were given back."""
        with self._store.alone():
            for file in folder.glob("collection/*/storage.sqlite"):
                with closing(sqlite3.connect(file)) as database:
                    database.execute("VACUUM")


def _of(key: DocumentKey) -> models.Filter:
    return models.Filter(
        must=[
            models.FieldCondition(key="source", match=models.MatchValue(value=key.source)),
            models.FieldCondition(key="doc_id", match=models.MatchValue(value=key.doc_id)),
        ]
    )


def _count(client: QdrantClient, calls: ServerCalls, name: str, keys: Sequence[DocumentKey]) -> int:
    return sum(calls.make("count", client.count, name, count_filter=_of(key), exact=True).count for key in keys)
