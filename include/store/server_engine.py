"""The engine's operations over qdrant-client. Imported only where a server is used: the client costs 2 s to import."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from qdrant_client import QdrantClient, models

from include.domain.errors import ConfigError, StoreUnavailable, UnsafeSelector
from include.ports import Hit, NewPoint
from include.store.points import payload_of
from include.store.schema import DENSE, FUSION_K, GRAPH_THRESHOLD_KB, PAYLOAD_INDEXES, SPARSE, Builder, Kind
from include.store.server_calls import ServerCalls
from include.store.session import names_a_document
from include.store.sparse import document_vector
from include.store.where import After, Condition, HasId, Is, OneOf, Where, Within

PAGE = 2_000
POINTS_PER_REQUEST = 256

_INDEX_TYPE = {
    Kind.KEYWORD: models.PayloadSchemaType.KEYWORD,
    Kind.INTEGER: models.PayloadSchemaType.INTEGER,
    Kind.BOOL: models.PayloadSchemaType.BOOL,
    Kind.DATETIME: models.PayloadSchemaType.DATETIME,
}

# Refuses what would scan every payload, so that our own filters are proven to be indexed. Exact searches stay
# allowed because exact counts need them. The sizes are far above what one document can select.
_STRICT = models.StrictModeConfig(
    enabled=True,
    unindexed_filtering_retrieve=False,
    unindexed_filtering_update=False,
    max_query_limit=10_000,
    upsert_max_batchsize=1_000,
    filter_max_conditions=64,
    condition_max_size=100_000,
)


class ServerEngine:
    """Works on the collection behind the alias, always by the alias: a swap takes effect with the next call.

    Raises StoreUnavailable when the server does not answer, or does not say that a write is completed; ConfigError
    when it refuses the request or the credential.
    """

    def __init__(
        self, client: QdrantClient, alias: str, location: str, pause: Callable[[float], None], *, local: bool
    ) -> None:
        self._client = client
        self._alias = alias
        self._location = location
        self._calls = ServerCalls(location, pause)
        self._local = local
        self._dimension = 0

    def open(self) -> None:
        """Raises StoreUnavailable unless the alias leads to a collection of ours."""
        if self.aliased() is None:
            raise StoreUnavailable(f"{self._location}: the alias points nowhere; an ingest run creates it")
        builder = self.builder(self._alias)
        if builder is None:
            raise StoreUnavailable(f"{self._location}: the collection does not say who built it; it is not one of ours")
        self._dimension = builder.dimension

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def client(self) -> QdrantClient:
        return self._client

    @property
    def calls(self) -> ServerCalls:
        return self._calls

    # -- layout --

    def aliased(self) -> str | None:
        """The collection behind the alias."""
        answer = self._calls.make("get_aliases", self._client.get_aliases)
        return next((item.collection_name for item in answer.aliases if item.alias_name == self._alias), None)

    def collections(self) -> list[str]:
        return [item.name for item in self._calls.make("get_collections", self._client.get_collections).collections]

    def builder(self, collection: str) -> Builder | None:
        return Builder.from_metadata(self._info(collection).config.metadata)

    def create(self, collection: str, builder: Builder) -> None:
        """Create it if it does not exist; of two that try at once, both succeed."""
        if self._calls.make("collection_exists", self._client.collection_exists, collection):
            return
        try:
            self._calls.make(
                "create_collection",
                self._client.create_collection,
                collection,
                vectors_config={DENSE: models.VectorParams(size=builder.dimension, distance=models.Distance.COSINE)},
                sparse_vectors_config={SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
                optimizers_config=models.OptimizersConfigDiff(indexing_threshold=GRAPH_THRESHOLD_KB),
                strict_mode_config=_STRICT,
                metadata=builder.as_metadata(),
            )
        except ConfigError:
            if not self._calls.make("collection_exists", self._client.collection_exists, collection):
                raise

    def create_missing_indexes(self, collection: str) -> None:
        for name in self._missing_indexes(collection):
            result = self._calls.make(
                "create_payload_index",
                self._client.create_payload_index,
                collection,
                field_name=name,
                field_schema=_INDEX_TYPE[PAYLOAD_INDEXES[name]],
                wait=True,
            )
            self._calls.completed("create_payload_index", result)

    def point_alias(self, collection: str) -> None:
        creation = models.CreateAlias(collection_name=collection, alias_name=self._alias)
        self._calls.make(
            "create_alias",
            self._client.update_collection_aliases,
            change_aliases_operations=[models.CreateAliasOperation(create_alias=creation)],
        )

    def layout_problems(self, collection: str) -> list[str]:
        problems = [f"payload index {name!r} is missing; run prepare" for name in self._missing_indexes(collection)]
        strict = self._info(collection).config.strict_mode_config
        if not self._local and not (strict and strict.enabled and strict.unindexed_filtering_update is False):
            problems.append("strict mode is off: an unindexed filter would scan every payload unnoticed")
        return problems

    def _missing_indexes(self, collection: str) -> list[str]:
        if self._local:
            return []
        schema = self._info(collection).payload_schema
        return [
            name
            for name, kind in PAYLOAD_INDEXES.items()
            if name not in schema or schema[name].data_type != _INDEX_TYPE[kind]
        ]

    def _info(self, collection: str) -> models.CollectionInfo:
        return self._calls.make("get_collection", self._client.get_collection, collection)

    # -- points --

    def count(self, where: Where) -> int:
        return self._calls.make("count", self._client.count, self._alias, count_filter=_filter(where), exact=True).count

    def pages(
        self, where: Where, *, fields: Sequence[str] | None = None, vectors: bool = False
    ) -> Iterator[Sequence[models.Record]]:
        offset = None
        while True:
            records, offset = self._calls.make(
                "scroll",
                self._client.scroll,
                self._alias,
                scroll_filter=_filter(where),
                limit=PAGE,
                offset=offset,
                with_payload=True if fields is None else list(fields),
                with_vectors=[DENSE] if vectors else False,
            )
            yield records
            if offset is None:
                return

    def nearest(self, vector: Any, using: str, where: Where, limit: int, *, with_payload: bool) -> Sequence[Hit]:
        return self._query(
            query=_query_vector(vector),
            using=using,
            query_filter=_filter(where),
            limit=limit,
            with_payload=with_payload,
        )

    def fused(self, queries: Mapping[str, Any], where: Where, limit: int) -> Sequence[Hit]:
        legs = [
            models.Prefetch(query=_query_vector(vector), using=using, filter=_filter(where), limit=limit)
            for using, vector in queries.items()
        ]
        return self._query(
            prefetch=legs,
            query=models.RrfQuery(rrf=models.Rrf(k=FUSION_K)),
            query_filter=_filter(where),
            limit=limit * len(legs),
            with_payload=True,
        )

    def _query(self, **request: Any) -> Sequence[Hit]:
        answer = self._calls.make("query_points", self._client.query_points, self._alias, **request)
        return [Hit(str(point.id), point.score, point.payload or {}) for point in answer.points]

    def store(self, points: Sequence[NewPoint], *, overwrite: bool) -> None:
        """In requests of 256 points. A failure between two leaves whole points that nobody can read yet."""
        mode = models.UpdateMode.UPSERT if overwrite else models.UpdateMode.INSERT_ONLY
        for start in range(0, len(points), POINTS_PER_REQUEST):
            made = [
                models.PointStruct(id=point.point_id, vector=_vectors(point), payload=payload_of(point))
                for point in points[start : start + POINTS_PER_REQUEST]
            ]
            result = self._calls.make(
                "upsert", self._client.upsert, self._alias, points=made, update_mode=mode, wait=True
            )
            self._calls.completed("upsert", result)

    def set_payload(self, where: Where, payload: Mapping[str, object]) -> None:
        result = self._calls.make(
            "set_payload", self._client.set_payload, self._alias, payload=dict(payload), points=_some(where), wait=True
        )
        self._calls.completed("set_payload", result)

    def delete(self, where: Where, collection: str = "") -> None:
        """From the collection behind the alias, or from the named one."""
        if not names_a_document(where):
            raise UnsafeSelector(f"{self._location}: a delete without source and document is refused: {where}")
        selector = models.FilterSelector(filter=_some(where))
        result = self._calls.make(
            "delete", self._client.delete, collection or self._alias, points_selector=selector, wait=True
        )
        self._calls.completed("delete", result)


def _vectors(point: NewPoint) -> dict[str, Any]:
    sparse = document_vector(point.text)
    return {DENSE: point.vector.tolist()} | ({SPARSE: _sparse(sparse)} if sparse else {})


def _query_vector(vector: Any) -> list[float] | models.SparseVector:
    return vector if isinstance(vector, list) else _sparse(vector)


def _sparse(vector: Any) -> models.SparseVector:
    return models.SparseVector(indices=list(vector.indices), values=list(vector.values))


def _filter(where: Where) -> models.Filter | None:
    return _some(where) if where.must or where.must_not else None


def _some(where: Where) -> models.Filter:
    if not where.must and not where.must_not:
        raise UnsafeSelector("a write without conditions would change every point; nothing was done")
    return models.Filter(
        must=[_condition(condition) for condition in where.must],
        must_not=[_condition(condition) for condition in where.must_not],
    )


def _condition(condition: Condition) -> models.Condition:
    match condition:
        case Is(field, value):
            return models.FieldCondition(key=field, match=models.MatchValue(value=value))
        case OneOf(field, values):
            return models.FieldCondition(key=field, match=models.MatchAny(any=list(values)))
        case Within(field, start, end):
            return models.FieldCondition(key=field, range=models.DatetimeRange(gte=start, lte=end))
        case After(field, moment):
            return models.FieldCondition(key=field, range=models.DatetimeRange(gt=moment))
        case HasId(ids):
            return models.HasIdCondition(has_id=list(ids))
