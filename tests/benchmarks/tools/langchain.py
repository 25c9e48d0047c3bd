"""LangChain's `index()`: SQLRecordManager on SQLite, its Qdrant store, default key encoder and batch size."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from langchain_classic.indexes import SQLRecordManager
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.indexing import index
from langchain_qdrant import QdrantVectorStore
from qdrant_client import models

from tests.benchmarks.audit import Stored
from tests.benchmarks.corpus import cut
from tests.benchmarks.tool import Feed, Fuse, Meter
from tests.benchmarks.tools.qdrant_local import COLLECTION, LocalQdrant

# Only the default, deprecated encoder gives ids that Qdrant takes and notices a changed title.
warnings.filterwarnings("ignore", message=".*SHA-1.*")


class _Embeddings(Embeddings):
    def __init__(self, meter: Meter) -> None:
        self._meter = meter

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        rows: list[list[float]] = self._meter.embed(texts).tolist()
        return rows

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


class LangChain:
    """See tool.Tool. `cleanup` is index()'s: full removes what was not seen, incremental only per source seen."""

    def __init__(
        self,
        folder: Path,
        meter: Meter,
        fuse: Fuse | None = None,
        *,
        durable: bool = False,
        cleanup: Literal["full", "incremental"],
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._meter, self._cleanup = meter, cleanup
        self._client = LocalQdrant(folder, durable=durable, fuse=fuse)
        if not self._client.collection_exists(COLLECTION):
            size = models.VectorParams(size=meter.dimension, distance=models.Distance.COSINE)
            self._client.create_collection(COLLECTION, vectors_config=size)
        self._store = QdrantVectorStore(self._client, COLLECTION, embedding=_Embeddings(meter))
        self._records = SQLRecordManager("bench", db_url=f"sqlite:///{folder / 'records.sqlite'}")
        self._records.create_schema()

    def sync(self, feed: Feed) -> str:
        result = index(self._chunks(feed), self._records, self._store, cleanup=self._cleanup, source_id_key="source")
        return ", ".join(f"{name.removeprefix('num_')} {number}" for name, number in result.items())

    def stored(self) -> Iterator[Stored]:
        for record in self._client.records():
            metadata = record.payload["metadata"]
            yield Stored(metadata["source"], record.payload["page_content"], metadata["title"])

    def lose(self, points: int) -> None:
        self._client.lose(points)

    def haunt(self, points: int) -> None:
        self._client.haunt(points, "page_content")

    def empty(self) -> None:
        self._client.empty()

    def close(self) -> None:
        self._client.close()

    def _chunks(self, feed: Feed) -> Iterator[Document]:
        for page in feed.read():
            for chunk in cut(page, self._meter.count_tokens)[1]:
                yield Document(chunk.text, metadata={"source": page.doc_id, "title": page.title})
