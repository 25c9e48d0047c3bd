"""CocoIndex 1.0: one component per document, memoised embedding per chunk, its own Qdrant target, state in LMDB.

The target takes any QdrantClient, so the local mode serves as well as a server.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue

import cocoindex as coco
import numpy as np
from cocoindex.connectors import qdrant
from cocoindex.resources.schema import VectorSchema
from qdrant_client import QdrantClient

from tests.benchmarks.audit import Stored
from tests.benchmarks.corpus import Page, cut
from tests.benchmarks.tool import Feed, Fuse, Meter
from tests.benchmarks.tools.qdrant_local import COLLECTION, LocalQdrant

_INDEX = coco.ContextKey[QdrantClient]("bench/index")
_METER = coco.ContextKey[Meter]("bench/meter")


@coco.fn(memo=True)
async def _embed(text: str) -> list[float]:
    row: list[float] = coco.use_context(_METER).embed([text])[0].tolist()
    return row


@coco.fn(memo=True)
async def _document(page: tuple[str, str, str], target: qdrant.CollectionTarget) -> None:
    doc_id, title, text = page
    for chunk in cut(Page(doc_id, title, text), coco.use_context(_METER).count_tokens)[1]:
        point = qdrant.PointStruct(
            id=str(uuid.uuid5(uuid.NAMESPACE_URL, f"{doc_id}\x1f{chunk.index}")),
            vector=await _embed(chunk.text),
            payload={"source": doc_id, "title": title, "text": chunk.text},
        )
        target.declare_point(point)


class CocoIndex:
    """See tool.Tool."""

    def __init__(self, folder: Path, meter: Meter, fuse: Fuse | None = None, *, durable: bool = False) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._client = LocalQdrant(folder, durable=durable, fuse=fuse)
        self._dimension = meter.dimension
        context = coco.ContextProvider()
        context.provide(_INDEX, self._client)
        context.provide(_METER, meter)
        self._environment = coco.Environment(coco.Settings(db_path=folder / "state"), context_provider=context)
        self._app = coco.App(coco.AppConfig("bench", environment=self._environment), self._main)
        self._feeds: SimpleQueue[Feed] = SimpleQueue()

    def sync(self, feed: Feed) -> str:
        # An app's arguments are fixed; runs come in the order in which they were asked for.
        self._feeds.put(feed)
        self._app.update_blocking()
        return "updated"

    async def _main(self) -> None:
        schema = await qdrant.CollectionSchema.create(
            qdrant.QdrantVectorDef(VectorSchema(dtype=np.dtype(np.float32), size=self._dimension))
        )
        target = await qdrant.mount_collection_target(_INDEX, COLLECTION, schema)
        pages = ((page.doc_id, (page.doc_id, page.title, page.text)) for page in self._feeds.get().read())
        await coco.mount_each(_document, pages, target)

    def stored(self) -> Iterator[Stored]:
        for record in self._client.records():
            yield Stored(record.payload["source"], record.payload["text"], record.payload["title"])

    def lose(self, points: int) -> None:
        self._client.lose(points)

    def haunt(self, points: int) -> None:
        self._client.haunt(points, "text")

    def empty(self) -> None:
        self._client.empty()

    def close(self) -> None:
        self._environment.close()
        self._client.close()
