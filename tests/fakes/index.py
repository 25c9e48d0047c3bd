"""An index in memory. It keeps every promise of the ports, and judges a Selector by its own words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from include.domain.dates import rfc3339
from include.domain.documents import SEARCHABLE, DocumentKey, Status, StoredChunk
from include.domain.errors import EmbedderMismatch, StoreUnavailable, UnsafeSelector
from include.domain.selection import Selector
from include.ports import Hit, Hybrid, NewPoint, Vectors
from include.store.points import check_changes, check_points, payload_of, stored_chunk, unit_vector
from include.store.schema import FUSION_K, Builder, check_builder, check_embedder
from include.store.sparse import query_vector


def _nothing(_operation: str) -> None:
    pass


@dataclass
class FakePoint:
    payload: dict[str, object]
    vector: Vectors


@dataclass
class FakeIndexStore:
    """IndexStore. Sessions may overlap, as on a server: two actors can be stepped between each other's operations.

    `on_io` is called with the operation's name before the operation; what it raises prevents it. `points` is the
    content, for tests that look at it or damage it behind our back.
    """

    on_io: Callable[[str], None] = _nothing
    points: dict[str, FakePoint] = field(default_factory=dict)
    builder: Builder | None = None
    location: str = "fake"

    def prepare(self, embedder_id: str, dimension: int) -> None:
        self.on_io("prepare")
        check_embedder(embedder_id, dimension)
        if self.builder is None:
            self.builder = Builder(embedder_id, dimension)
        check_builder(self.builder, embedder_id, dimension, self.location)

    @contextmanager
    def reading(self) -> Iterator[FakeReader]:
        yield FakeReader(self)

    @contextmanager
    def writing(self) -> Iterator[FakeIndex]:
        yield FakeIndex(self)

    @property
    def dimension(self) -> int:
        if self.builder is None:
            raise StoreUnavailable(f"{self.location}: the alias points nowhere")
        return self.builder.dimension


class FakeReader:
    def __init__(self, store: FakeIndexStore) -> None:
        self._store = store
        self._dimension = store.dimension

    def scan(self, source: str) -> Iterator[StoredChunk]:
        self._store.on_io("scan")
        return iter([chunk for chunk in self._stored() if chunk.source == source])

    def chunks_of(self, keys: Sequence[DocumentKey]) -> Mapping[DocumentKey, Sequence[StoredChunk]]:
        self._store.on_io("chunks_of")
        stored = list(self._stored())
        return {key: [c for c in stored if (c.source, c.doc_id) == (key.source, key.doc_id)] for key in keys}

    def vectors(self, chunk_hashes: Iterable[str]) -> Mapping[str, Vectors]:
        self._store.on_io("vectors")
        wanted = set(chunk_hashes)
        return {
            str(point.payload["chunk_hash"]): point.vector
            for point in self._store.points.values()
            if point.payload.get("chunk_hash") in wanted
            and unit_vector(point.vector.tolist(), self._dimension) is not None
        }

    def count(self, selector: Selector) -> int:
        self._store.on_io("count")
        return len(self._selected(selector))

    def count_points(self, source: str | None = None) -> int:
        self._store.on_io("count_points")
        return sum(source is None or chunk.source == source for chunk in self._stored())

    def count_foreign(self, sources: Sequence[str]) -> int:
        self._store.on_io("count_foreign")
        return sum(chunk.source not in sources for chunk in self._stored())

    def count_documents_with(self, source: str, content_hash: str) -> int:
        self._store.on_io("count_documents_with")
        wanted = (source, content_hash, 0)
        return sum(
            (chunk.source, chunk.content_hash, chunk.chunk_index) == wanted and chunk.status != Status.INCOMING
            for chunk in self._stored()
        )

    def search(
        self,
        vector: Vectors,
        *,
        limit: int,
        sources: Sequence[str] = (),
        statuses: Sequence[Status] = (),
        doc_ids: Sequence[str] = (),
    ) -> Sequence[Hit]:
        self._store.on_io("search")
        if unit_vector(vector.tolist(), self._dimension) is None:
            raise EmbedderMismatch(f"a search needs a unit vector of {self._dimension} dimensions")
        hits = self._best(lambda point: float(point.vector @ vector), len(self._store.points), sources, statuses)
        return [hit for hit in hits if not doc_ids or hit.payload.get("doc_id") in doc_ids][:limit]

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
        """The words' leg counts shared words: which texts match is the engines' answer, in which order is not."""
        everything = len(self._store.points)
        asked = _words(text)
        best = {"dense": self.search(vector, limit=everything or 1, sources=sources, statuses=statuses)}
        if asked:
            shared = self._best(lambda point: len(asked & _words(point.payload["text"])), everything, sources, statuses)
            best["bm25"] = [hit for hit in shared if hit.score > 0]
        found = {leg: [hit for hit in hits if _is_newer(hit, newer_than)][:limit] for leg, hits in best.items()}
        fused: dict[str, Hit] = {}
        for hits in found.values():
            for rank, hit in enumerate(hits):
                before = fused[hit.point_id].score if hit.point_id in fused else 0.0
                fused[hit.point_id] = replace(hit, score=before + 1 / (FUSION_K + rank))
        legs = {leg: [replace(hit, payload={}) for hit in hits] for leg, hits in found.items()}
        return Hybrid(legs, sorted(fused.values(), key=lambda hit: -hit.score))

    def documents(self, keys: Sequence[DocumentKey]) -> Sequence[Hit]:
        wanted = {(key.source, key.doc_id) for key in keys}
        return [hit for hit in self._first_chunks() if (hit.payload["source"], hit.payload["doc_id"]) in wanted]

    def heads(self, source: str, families: Sequence[str], *, current: bool = False) -> Sequence[Hit]:
        return [
            hit
            for hit in self._first_chunks()
            if hit.payload["source"] == source
            and hit.payload.get("doc_family") in families
            and hit.payload["is_current" if current else "is_canonical"] is True
        ]

    def first_chunks(self, source: str) -> Iterator[Hit]:
        self._store.on_io("first_chunks")
        return iter(
            [
                Hit(point_id, 0.0, dict(point.payload))
                for point_id, point in self._store.points.items()
                if (point.payload.get("source"), point.payload.get("chunk_index")) == (source, 0)
                and point.payload.get("status") != Status.INCOMING
            ]
        )

    def _first_chunks(self) -> list[Hit]:
        self._store.on_io("documents")
        everything = self._best(lambda _: 0.0, len(self._store.points), (), ())
        return [hit for hit in everything if hit.payload.get("chunk_index") == 0]

    def _best(
        self, score: Callable[[FakePoint], float], limit: int, sources: Sequence[str], statuses: Sequence[Status]
    ) -> list[Hit]:
        shown = set(statuses or SEARCHABLE)
        hits = [
            Hit(point_id, score(point), dict(point.payload))
            for point_id, point in self._store.points.items()
            if point.payload.get("status") in shown and (not sources or point.payload.get("source") in sources)
        ]
        return sorted(hits, key=lambda hit: -hit.score)[:limit]

    def _stored(self) -> Iterator[StoredChunk]:
        return (stored_chunk(point_id, point.payload) for point_id, point in self._store.points.items())

    def _selected(self, selector: Selector) -> list[str]:
        if not isinstance(selector, Selector):
            raise UnsafeSelector(f"only a Selector names points, got {type(selector).__name__}")
        return [pid for pid, point in self._store.points.items() if _matches(selector, pid, point.payload)]


class FakeIndex(FakeReader):
    def insert(self, points: Sequence[NewPoint]) -> None:
        self._store.on_io("insert")
        check_points(points, self._dimension)
        for point in points:
            self._store.points.setdefault(point.point_id, FakePoint(payload_of(point), point.vector.copy()))

    def overwrite(self, points: Sequence[NewPoint]) -> None:
        self._store.on_io("overwrite")
        check_points(points, self._dimension)
        for point in points:
            self._store.points[point.point_id] = FakePoint(payload_of(point), point.vector.copy())

    def set_payload(self, selector: Selector, payload: Mapping[str, object]) -> None:
        self._store.on_io("set_payload")
        selected = self._selected(selector)
        check_changes(payload, selector.key)
        for point_id in selected:
            merged = {**self._store.points[point_id].payload, **payload}
            self._store.points[point_id].payload = {k: v for k, v in merged.items() if v is not None}

    def delete(self, selector: Selector) -> None:
        self._store.on_io("delete")
        for point_id in self._selected(selector):
            del self._store.points[point_id]


def _is_newer(hit: Hit, moment: datetime | None) -> bool:
    return moment is None or str(hit.payload.get("created_at", "")) > rfc3339(moment)


def _words(text: object) -> set[str]:
    """Without signs and stop words, and stemmed: as the engines' lexical vectors have them."""
    vector = query_vector(str(text))
    return {str(index) for index in vector.indices} if vector else set()


def _matches(selector: Selector, point_id: str, payload: Mapping[str, object]) -> bool:
    fence = _fence(payload.get("fetched_at"))
    return (
        (payload.get("source"), payload.get("doc_id")) == (selector.key.source, selector.key.doc_id)
        and (selector.status is None or payload.get("status") == selector.status)
        and (selector.fence is None or fence == selector.fence)
        and (selector.older_than is None or fence is None or fence <= selector.older_than)
        and (not selector.only_ids or point_id in selector.only_ids)
        and point_id not in selector.except_ids
    )


def _fence(value: object) -> datetime | None:
    """The instant as the engines read it: without an offset it is UTC, anything unreadable is none."""
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment and moment.tzinfo is None else moment
