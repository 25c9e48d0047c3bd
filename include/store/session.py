"""An open index: the port's operations, once, over the few things an engine can do.

What a selector means, what may be searched, when a page is the last one: decided here for every engine, so that
two engines cannot disagree about it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, Protocol

from include.domain.documents import DocumentKey, Status, StoredChunk
from include.domain.errors import EmbedderMismatch, StoreUnavailable
from include.domain.selection import Selector
from include.ports import Hit, Hybrid, NewPoint, Vectors
from include.store.points import Said, check_changes, check_points, stored_chunk, unit_vector
from include.store.schema import DENSE, SPARSE
from include.store.sparse import query_vector
from include.store.where import Condition, Is, OneOf, Where, searchable, selected

DOCUMENTS_PER_CALL = 100
HASHES_PER_CALL = 500

_SEARCHABLE = searchable((), ()).must


class Record(Protocol):
    """A point as an engine gives it back; both engines' own types fit."""

    @property
    def id(self) -> Any: ...

    @property
    def payload(self) -> Any: ...

    @property
    def vector(self) -> Any: ...


class Engine(Protocol):
    """What an adapter does. Every write is complete when it returns; every failure raises StoreUnavailable."""

    @property
    def dimension(self) -> int: ...

    def count(self, where: Where) -> int:
        """Exact."""
        ...

    def pages(
        self, where: Where, *, fields: Sequence[str] | None = None, vectors: bool = False
    ) -> Iterator[Sequence[Record]]:
        """Every match, page by page, none left out. With the whole payload, which costs less than a long list of its
        fields."""
        ...

    def nearest(self, vector: Any, using: str, where: Where, limit: int, *, with_payload: bool) -> Sequence[Hit]:
        """Best first; the conditions are part of the search, not applied to its result."""
        ...

    def fused(self, queries: Mapping[str, Any], where: Where, limit: int) -> Sequence[Hit]:
        """The best `limit` of each named vector, fused by rank, with payload, best first. The conditions are part of
        every leg and of the whole: not every engine passes those of the whole on to the legs."""
        ...

    def store(self, points: Sequence[NewPoint], *, overwrite: bool) -> None:
        """Existing ids are left untouched, or replaced."""
        ...

    def set_payload(self, where: Where, payload: Mapping[str, object]) -> None: ...

    def delete(self, where: Where) -> None: ...


class Reading:
    """IndexReader. Usable inside its block only, in the process that opened it."""

    def __init__(self, engine: Engine) -> None:
        self._open: Engine | None = engine

    def end(self) -> None:
        self._open = None

    @property
    def _engine(self) -> Engine:
        if self._open is None:
            raise StoreUnavailable("this session of the index has ended; open another one and read inside its block")
        return self._open

    def scan(self, source: str) -> Iterator[StoredChunk]:
        return self._chunks(Where((Is("source", source),)))

    def chunks_of(self, keys: Sequence[DocumentKey]) -> Mapping[DocumentKey, Sequence[StoredChunk]]:
        found: dict[DocumentKey, list[StoredChunk]] = {key: [] for key in keys}
        by_source: dict[str, list[str]] = defaultdict(list)
        for key in found:
            by_source[key.source].append(key.doc_id)
        for source, doc_ids in by_source.items():
            for some in _batches(doc_ids, DOCUMENTS_PER_CALL):
                for chunk in self._chunks(Where((Is("source", source), OneOf("doc_id", some)))):
                    if chunk.doc_id is not None and (key := DocumentKey(source, chunk.doc_id)) in found:
                        found[key].append(chunk)
        return found

    def vectors(self, chunk_hashes: Iterable[str]) -> Mapping[str, Vectors]:
        """As the port says; a stored vector that is not finite and of length 1 counts as absent."""
        found: dict[str, Vectors] = {}
        for some in _batches(dict.fromkeys(chunk_hashes), HASHES_PER_CALL):
            wanted = set(some)
            while wanted:
                # Only the first page: a boilerplate text may be stored a thousand times, and one vector is enough.
                where = Where((OneOf("chunk_hash", tuple(sorted(wanted))),))
                page = next(self._engine.pages(where, fields=("chunk_hash",), vectors=True), ())
                seen = set()
                for record in page:
                    chunk_hash = (record.payload or {}).get("chunk_hash")
                    if not isinstance(chunk_hash, str) or chunk_hash not in wanted:
                        continue
                    seen.add(chunk_hash)
                    vector = unit_vector((record.vector or {}).get("dense"), self._engine.dimension)
                    if vector is not None:
                        found[chunk_hash] = vector
                if not seen:
                    break
                wanted -= seen
        return found

    def count(self, selector: Selector) -> int:
        return self._engine.count(selected(selector))

    def count_points(self, source: str | None = None) -> int:
        return self._engine.count(Where() if source is None else Where((Is("source", source),)))

    def count_foreign(self, sources: Sequence[str]) -> int:
        return self._engine.count(Where(must_not=(OneOf("source", tuple(sources)),)) if sources else Where())

    def count_documents_with(self, source: str, content_hash: str) -> int:
        first_chunks = (Is("source", source), Is("content_hash", content_hash), Is("chunk_index", 0))
        return self._engine.count(Where(first_chunks, (Is("status", Status.INCOMING.value),)))

    def search(
        self,
        vector: Vectors,
        *,
        limit: int,
        sources: Sequence[str] = (),
        statuses: Sequence[Status] = (),
        doc_ids: Sequence[str] = (),
    ) -> Sequence[Hit]:
        """As the port says. Raises EmbedderMismatch for a vector that is not a unit vector of this collection."""
        return self._nearest(self._unit(vector), DENSE, limit, searchable(sources, statuses, doc_ids))

    def search_words(
        self, text: str, *, limit: int, sources: Sequence[str] = (), statuses: Sequence[Status] = ()
    ) -> Sequence[Hit]:
        """Best chunks by BM25; the conditions are those of `search`. A text without a word finds nothing."""
        query = query_vector(text)
        return [] if query is None else self._nearest(query, SPARSE, limit, searchable(sources, statuses))

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
        """As the port says. Raises EmbedderMismatch for a vector that is not a unit vector of this collection."""
        dense = self._unit(vector)
        if limit < 1:
            raise ValueError(f"a search needs a limit of at least 1, got {limit}")
        words = query_vector(text)
        queries: dict[str, Any] = {DENSE: dense} if words is None else {DENSE: dense, SPARSE: words}
        where = searchable(sources, statuses, newer_than=newer_than)
        legs = {
            using: self._engine.nearest(query, using, where, limit, with_payload=False)
            for using, query in queries.items()
        }
        return Hybrid(legs, self._engine.fused(queries, where, limit))

    def documents(self, keys: Sequence[DocumentKey]) -> Sequence[Hit]:
        by_source: dict[str, list[str]] = defaultdict(list)
        for key in dict.fromkeys(keys):
            by_source[key.source].append(key.doc_id)
        return [
            hit
            for source, doc_ids in by_source.items()
            for some in _batches(doc_ids, DOCUMENTS_PER_CALL)
            for hit in self._first_chunks((*_SEARCHABLE, Is("source", source), OneOf("doc_id", some)))
        ]

    def heads(self, source: str, families: Sequence[str], *, current: bool = False) -> Sequence[Hit]:
        is_head = Is("is_current" if current else "is_canonical", True)
        return [
            hit
            for some in _batches(dict.fromkeys(families), DOCUMENTS_PER_CALL)
            for hit in self._first_chunks((*_SEARCHABLE, Is("source", source), OneOf("doc_family", some), is_head))
        ]

    def first_chunks(self, source: str) -> Iterator[Hit]:
        return self._first_chunks((Is("source", source),), (Is("status", Status.INCOMING.value),))

    def _first_chunks(self, must: tuple[Condition, ...], must_not: tuple[Condition, ...] = ()) -> Iterator[Hit]:
        where = Where((*must, Is("chunk_index", 0)), must_not)
        for page in self._engine.pages(where):
            for record in page:
                yield Hit(str(record.id), 0.0, record.payload or {})

    def _unit(self, vector: Vectors) -> list[float]:
        query = unit_vector(vector.tolist(), self._engine.dimension)
        if query is None:
            raise EmbedderMismatch(
                f"a search needs a unit vector of {self._engine.dimension} dimensions, got shape {vector.shape}; check "
                "which embedder is configured"
            )
        return [float(value) for value in query]

    def _nearest(self, query: Any, using: str, limit: int, where: Where) -> Sequence[Hit]:
        if limit < 1:
            raise ValueError(f"a search needs a limit of at least 1, got {limit}")
        return self._engine.nearest(query, using, where, limit, with_payload=True)

    def _chunks(self, where: Where) -> Iterator[StoredChunk]:
        """Of one source."""
        said: Said = {}
        for page in self._engine.pages(where):
            for record in page:
                yield stored_chunk(record.id, record.payload, said)


class Writing(Reading):
    """Index."""

    def insert(self, points: Sequence[NewPoint]) -> None:
        """As the port says; everything is checked before anything is sent (see `points.check_points`)."""
        check_points(points, self._engine.dimension)
        if points:
            self._engine.store(points, overwrite=False)

    def overwrite(self, points: Sequence[NewPoint]) -> None:
        """As the port says; checked like `insert`."""
        check_points(points, self._engine.dimension)
        if points:
            self._engine.store(points, overwrite=True)

    def set_payload(self, selector: Selector, payload: Mapping[str, object]) -> None:
        where = selected(selector)
        check_changes(payload, selector.key)
        self._engine.set_payload(where, payload)

    def delete(self, selector: Selector) -> None:
        self._engine.delete(selected(selector))


def names_a_document(where: Where) -> bool:
    """True if at most one document can match: an engine deletes nothing else, whoever asks."""
    named = {condition.field for condition in where.must if isinstance(condition, Is) and condition.value}
    return {"source", "doc_id"} <= named


def _batches(values: Iterable[str], size: int) -> Iterator[tuple[str, ...]]:
    values = iter(values)
    while batch := tuple(islice(values, size)):
        yield batch
