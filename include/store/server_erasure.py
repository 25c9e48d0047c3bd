"""Removing documents from a Qdrant server, and from the client's local mode, down to their files.

A server marks deleted points and rewrites a segment only when a fifth of it is deleted, and its snapshots keep what
they had. So after the delete the collections' snapshots are deleted, their optimizers are told to rewrite for less,
until nothing is left to do, and where there was a snapshot one is taken anew. What nobody can force is said: the
server's write-ahead log, and segments too small for its optimizer. So are snapshots of the whole server: they are
other people's backups too.
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
        settled, whole = True, list[str]()
        with self._store.connected() as engine:
            client, calls = engine.client, engine.calls
            names = self._collections(client, calls)
            for name in names:
                before += _count(client, calls, name, keys)
                for key in keys:
                    engine.delete(Where((Is("source", key.source), Is("doc_id", key.doc_id))), name)
                after += _count(client, calls, name, keys)
            if self._store.is_server:
                had = {name: self._without_snapshots(client, calls, name) for name in names}
                snapshots = sum(had.values())
                whole = [each.name for each in calls.make("list_full_snapshots", client.list_full_snapshots)]
                settled = min((self._vacuumed(client, calls, name) for name in names), default=True)
                for name in (name for name, number in had.items() if number):
                    calls.make("create_snapshot", client.create_snapshot, name, wait=True)
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
                f"write-ahead log, in segments of fewer than {_SMALLEST_SEGMENT} points, and so in a snapshot taken now"
                + (f"; snapshots of the whole server hold it: {', '.join(whole)}" if whole else "")
            ),
            until="a copy into a new collection, whose old one is deleted, or the log's own turnover"
            + ("; whole snapshots until their owner deletes them" if whole else ""),
        )

    def _collections(self, client: QdrantClient, calls: ServerCalls) -> list[str]:
        found = calls.make("get_collections", client.get_collections).collections
        return sorted(each.name for each in found if each.name.startswith(f"{self._alias}."))

    def _without_snapshots(self, client: QdrantClient, calls: ServerCalls, name: str) -> int:
        """How many of the collection were deleted."""
        found = calls.make("list_snapshots", client.list_snapshots, name)
        for each in found:
            calls.make("delete_snapshot", client.delete_snapshot, name, each.name, wait=True)
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
