"""The index and its engine. A reader cannot write, by type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from include.domain.documents import DocumentKey, Status, StoredChunk
from include.domain.selection import Selector
from include.ports.embedding import Vectors


@dataclass(frozen=True, slots=True)
class NewPoint:
    """A chunk about to be written. `payload` is the whole payload contract of docs/DESIGN.md section 4."""

    point_id: str
    vector: Vectors
    text: str
    payload: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Hit:
    """One search result. `score` is the raw score of the leg that found it."""

    point_id: str
    score: float
    payload: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Hybrid:
    """A search in two legs. `legs` maps the name of a leg (dense, bm25) to its hits, best first, without payload.
    `fused` is what the engine makes of them: every chunk of a leg once, with payload, best first."""

    legs: Mapping[str, Sequence[Hit]]
    fused: Sequence[Hit]


class IndexReader(Protocol):
    """An open index that can be looked at."""

    def scan(self, source: str) -> Iterator[StoredChunk]:
        """Every stored point of a source, whatever its status, text included. Order is not promised."""
        ...

    def chunks_of(self, keys: Sequence[DocumentKey]) -> Mapping[DocumentKey, Sequence[StoredChunk]]:
        """Every stored point of these documents; a document without points maps to an empty sequence."""
        ...

    def vectors(self, chunk_hashes: Iterable[str]) -> Mapping[str, Vectors]:
        """The dense vector of any stored chunk of this collection with that hash; absent hashes are left out."""
        ...

    def count(self, selector: Selector) -> int:
        """Exact number of points."""
        ...

    def count_points(self, source: str | None = None) -> int:
        """Exact number of points of a source, or of the whole collection."""
        ...

    def count_foreign(self, sources: Sequence[str]) -> int:
        """Exact number of points that belong to none of these sources."""
        ...

    def count_documents_with(self, source: str, content_hash: str) -> int:
        """Exact number of documents of a source with this text (first chunks are counted)."""
        ...

    def search(
        self,
        vector: Vectors,
        *,
        limit: int,
        sources: Sequence[str] = (),
        statuses: Sequence[Status] = (),
        doc_ids: Sequence[str] = (),
    ) -> Sequence[Hit]:
        """Nearest chunks by the dense vector, best first; empty `statuses` means the searchable ones. `doc_ids` narrows
        the search to documents of these names, in whatever source."""
        ...

    def hybrid(
        self,
        vector: Vectors,
        text: str,
        *,
        limit: int,
        sources: Sequence[str] = (),
        statuses: Sequence[Status] = (),
        newer_than: datetime | None = None,
    ) -> Hybrid:
        """The best `limit` chunks by the dense vector and the best by the words of `text`, and both fused. The
        conditions are those of `search` and hold in every leg. A text without a word has a dense leg only.
        `newer_than` narrows the search to documents with a later `created_at`."""
        ...

    def documents(self, keys: Sequence[DocumentKey]) -> Sequence[Hit]:
        """The first chunk of each readable version of these documents, with payload and score 0."""
        ...

    def heads(self, source: str, families: Sequence[str], *, current: bool = False) -> Sequence[Hit]:
        """The first chunk of each readable version of these families' canonical members, or of their current ones, with
        payload and score 0."""
        ...

    def first_chunks(self, source: str) -> Iterator[Hit]:
        """The first chunk of each version of a source's documents that is not `incoming`, hidden ones included, with
        payload and score 0. Of a document with two versions both; the later `fetched_at` counts. Order is not promised.
        """
        ...


class Index(IndexReader, Protocol):
    """An open index that can be changed. Every call is one I/O operation and is complete when it returns."""

    def insert(self, points: Sequence[NewPoint]) -> None:
        """Store new points; a point whose id exists is left untouched (its text is the same by identity)."""
        ...

    def overwrite(self, points: Sequence[NewPoint]) -> None:
        """Store points whatever stands under their ids. Only for points that are not what their id says they are:
        altered behind our back, so that no reader may rely on them."""
        ...

    def set_payload(self, selector: Selector, payload: Mapping[str, object]) -> None:
        """Set payload fields on all selected points in one operation."""
        ...

    def delete(self, selector: Selector) -> None:
        """The one delete function. Raises UnsafeSelector for anything that is not one document."""
        ...


class IndexStore(Protocol):
    """Gives access to the collection behind the alias, and nothing else. Sessions are short: embed outside."""

    @property
    def location(self) -> str:
        """Where the index is, for messages; never contains a credential."""
        ...

    def prepare(self, embedder_id: str, dimension: int) -> None:
        """Create collection, payload indexes and alias if they do not exist. Idempotent.

        Raises EmbedderMismatch if the collection was built by another embedder; nothing is dropped.
        """
        ...

    def reading(self) -> AbstractContextManager[IndexReader]:
        """Raises StoreBusy when another process holds the store for too long."""
        ...

    def writing(self) -> AbstractContextManager[Index]:
        """Exclusive among writers of the embedded engine; flushed when the block ends without an error."""
        ...
