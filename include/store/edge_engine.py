"""An open Edge shard, and the translation into the embedded engine's types."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import qdrant_edge as edge

from include.domain.dates import rfc3339
from include.domain.errors import StoreUnavailable, UnsafeSelector
from include.ports import Hit, NewPoint
from include.store.points import payload_of
from include.store.schema import DENSE, FUSION_K, GRAPH_THRESHOLD_KB, PAYLOAD_INDEXES, SPARSE, Builder, Kind
from include.store.session import names_a_document
from include.store.sparse import document_vector
from include.store.where import After, Condition, HasId, Is, OneOf, Where, Within

PAGE = 2_000

_INDEX_TYPE = {
    Kind.KEYWORD: edge.PayloadSchemaType.Keyword,
    Kind.INTEGER: edge.PayloadSchemaType.Integer,
    Kind.BOOL: edge.PayloadSchemaType.Bool,
    Kind.DATETIME: edge.PayloadSchemaType.Datetime,
}


class EdgeEngine:
    """An open shard. Raises StoreUnavailable whatever the engine raises: its own errors are bare `Exception`."""

    def __init__(self, shard: Path, builder: Builder, location: str) -> None:
        self.builder = builder
        self._location = location
        # A run killed while it merged segments leaves them here for ever; under the lock nobody else can be at work.
        shutil.rmtree(shard / "temp_segments", ignore_errors=True)
        with self._errors("opening the shard"):
            self._shard = edge.EdgeShard.load(str(shard))

    @classmethod
    def create(cls, shard: Path, builder: Builder, location: str) -> None:
        """A new shard with every payload index, closed again."""
        shard.mkdir()
        edge.EdgeShard.create(str(shard), _layout(builder.dimension)).close()
        engine = cls(shard, builder, location)
        try:
            for name, kind in PAYLOAD_INDEXES.items():
                engine._update("index", edge.UpdateOperation.create_field_index(name, _INDEX_TYPE[kind]))
            engine.flush()
        finally:
            engine.close()

    @property
    def dimension(self) -> int:
        return self.builder.dimension

    def missing_indexes(self) -> list[str]:
        with self._errors("info"):
            schema = self._shard.info().payload_schema
        return [
            name
            for name, kind in PAYLOAD_INDEXES.items()
            if name not in schema or schema[name].data_type != _INDEX_TYPE[kind]
        ]

    def flush(self) -> None:
        with self._errors("flush"):
            self._shard.flush()

    def close(self) -> None:
        with self._errors("close"):
            self._shard.close()

    def count(self, where: Where) -> int:
        with self._errors("count"):
            return self._shard.count(edge.CountRequest(exact=True, filter=_filter(where)))

    def pages(
        self, where: Where, *, fields: Sequence[str] | None = None, vectors: bool = False
    ) -> Iterator[Sequence[edge.Record]]:
        offset = None
        while True:
            request = edge.ScrollRequest(
                offset=offset,
                limit=PAGE,
                filter=_filter(where),
                with_payload=True if fields is None else list(fields),
                with_vector=[DENSE] if vectors else False,
            )
            with self._errors("scroll"):
                records, offset = self._shard.scroll(request)
            yield records
            if offset is None:
                return

    def whole_pages(self) -> Iterator[Sequence[edge.Record]]:
        """Every point with all that it has, as `put` takes it."""
        offset = None
        while True:
            request = edge.ScrollRequest(offset=offset, limit=PAGE, with_payload=True, with_vector=True)
            with self._errors("scroll"):
                records, offset = self._shard.scroll(request)
            yield records
            if offset is None:
                return

    def put(self, records: Iterable[edge.Record]) -> None:
        """Points of another shard, as they are there."""
        made = [edge.Point(each.id, each.vector or {}, each.payload or {}) for each in records]
        if made:
            self._update("copy", edge.UpdateOperation.upsert_points(made))

    def nearest(self, vector: Any, using: str, where: Where, limit: int, *, with_payload: bool) -> Sequence[Hit]:
        query = edge.Query.Nearest(vector, using=using)
        return self._query(
            edge.QueryRequest(limit=limit, query=query, filter=_filter(where), with_payload=with_payload)
        )

    def fused(self, queries: Mapping[str, Any], where: Where, limit: int) -> Sequence[Hit]:
        legs = [
            edge.Prefetch(limit=limit, query=edge.Query.Nearest(vector, using=using), filter=_filter(where))
            for using, vector in queries.items()
        ]
        return self._query(
            edge.QueryRequest(
                limit=limit * len(legs),
                prefetches=legs,
                query=edge.Fusion.Rrf(k=FUSION_K),  # type: ignore[arg-type]  # its stub forgot that Rrf is a Fusion
                filter=_filter(where),
                with_payload=True,
            )
        )

    def _query(self, request: edge.QueryRequest) -> Sequence[Hit]:
        with self._errors("search"):
            points = self._shard.query(request)
        return [Hit(str(point.id), point.score, point.payload or {}) for point in points]

    def store(self, points: Sequence[NewPoint], *, overwrite: bool) -> None:
        made = [edge.Point(point.point_id, _vectors(point), payload_of(point)) for point in points]
        mode = edge.UpdateMode.Upsert if overwrite else edge.UpdateMode.InsertOnly
        self._update("insert", edge.UpdateOperation.upsert_points(made, update_mode=mode))

    def set_payload(self, where: Where, payload: Mapping[str, object]) -> None:
        self._update("set_payload", edge.UpdateOperation.set_payload_by_filter(_some(where), dict(payload)))

    def delete(self, where: Where) -> None:
        if not names_a_document(where):
            raise UnsafeSelector(f"{self._location}: a delete without source and document is refused: {where}")
        self._update("delete", edge.UpdateOperation.delete_points_by_filter(_some(where)))

    def _update(self, name: str, operation: edge.UpdateOperation) -> None:
        with self._errors(name):
            self._shard.update(operation)

    @contextmanager
    def _errors(self, operation: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            raise StoreUnavailable(
                f"{self._location}: {operation} failed: {error}. It can be repeated; if it fails again, look at the "
                "folder's disk and permissions.",
                operation=operation,
            ) from error


def _layout(dimension: int) -> edge.EdgeConfig:
    return edge.EdgeConfig(
        vectors={DENSE: edge.EdgeVectorParams(size=dimension, distance=edge.Distance.Cosine)},
        sparse_vectors={SPARSE: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)},
        optimizers=edge.EdgeOptimizersConfig(indexing_threshold=GRAPH_THRESHOLD_KB),
        # Without the log the engine takes no lock of its own and a kill loses everything since the last flush.
        wal_enabled=True,
    )


def _vectors(point: NewPoint) -> dict[str, Any]:
    sparse = document_vector(point.text)
    return {DENSE: point.vector.tolist()} | ({SPARSE: sparse} if sparse else {})


def _filter(where: Where) -> edge.Filter | None:
    return _some(where) if where.must or where.must_not else None


def _some(where: Where) -> edge.Filter:
    if not where.must and not where.must_not:
        raise UnsafeSelector("a write without conditions would change every point; nothing was done")
    return edge.Filter(
        must=[_condition(condition) for condition in where.must],
        must_not=[_condition(condition) for condition in where.must_not],
    )


def _condition(condition: Condition) -> edge.FieldCondition | edge.HasIdCondition:
    match condition:
        case Is(field, bool(value)):
            # The binding reads Python's bool as an integer, which then matches nothing, silently.
            return edge.FieldCondition(field, match=edge.MatchValue(np.bool_(value)))  # type: ignore[arg-type]
        case Is(field, value):
            return edge.FieldCondition(field, match=edge.MatchValue(value))
        case OneOf(field, values):
            return edge.FieldCondition(field, match=edge.MatchAny(list(values)))
        case Within(field, start, end):
            return edge.FieldCondition(field, range=edge.RangeDateTime(gte=rfc3339(start), lte=rfc3339(end)))
        case After(field, moment):
            return edge.FieldCondition(field, range=edge.RangeDateTime(gt=rfc3339(moment)))
        case HasId(ids):
            return edge.HasIdCondition(set(ids))
