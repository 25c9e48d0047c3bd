"""The peers' index: qdrant-client's local mode, in memory or in a folder, and how to look at it past the tool."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from qdrant_client import QdrantClient, models

from tests.benchmarks.tool import Fuse

COLLECTION = "bench"
PAGE = 5_000


class LocalQdrant(QdrantClient):
    """In memory where nothing has to survive, which is the faster of the two. Writes are made one at a time: the
    local mode takes no lock of its own. A fuse dies after a write, when the tool has not yet noted it down."""

    def __init__(self, folder: Path, *, durable: bool, fuse: Fuse | None) -> None:
        where: dict[str, Any] = {"path": str(folder / "qdrant")} if durable else {"location": ":memory:"}
        super().__init__(**where, force_disable_check_same_thread=True)
        self._fuse = fuse
        self._mutex = threading.RLock()

    def upsert(self, collection_name: str, points: Any, **options: Any) -> Any:
        with self._mutex:
            result = super().upsert(collection_name, points, **options)
            if self._fuse:
                self._fuse.burn(len(points))
            return result

    def delete(self, collection_name: str, points_selector: Any, **options: Any) -> Any:
        with self._mutex:
            return super().delete(collection_name, points_selector, **options)

    def records(self, *, vectors: bool = False) -> Iterator[Any]:
        """Every point of the collection; none before the first run made it."""
        offset = None
        if not self.collection_exists(COLLECTION):
            return
        while True:
            found, offset = self.scroll(COLLECTION, limit=PAGE, offset=offset, with_payload=True, with_vectors=vectors)
            yield from found
            if offset is None:
                return

    def lose(self, points: int) -> None:
        ids = [record.id for record in self.records()]
        self.delete(COLLECTION, models.PointIdsList(points=ids[:: len(ids) // points][:points]))

    def haunt(self, points: int, text_key: str) -> None:
        found, _ = self.scroll(COLLECTION, limit=points, with_payload=True, with_vectors=True)
        ghosts = [
            models.PointStruct(
                id=str(uuid.uuid4()),
                vector=record.vector,
                payload={**(record.payload or {}), text_key: "A ghost"},
            )
            for record in found
        ]
        self.upsert(COLLECTION, ghosts)

    def empty(self) -> None:
        self.delete(COLLECTION, models.PointIdsList(points=[record.id for record in self.records()]))
