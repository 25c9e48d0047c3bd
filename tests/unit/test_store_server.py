"""What the server adapter says on the wire, and what it makes of trouble."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from qdrant_client import models

from include.domain.documents import DocumentKey
from include.domain.errors import ConfigError, EmbedderMismatch, StoreUnavailable, UnsafeSelector
from include.domain.selection import Selector
from include.store.registry import open_store
from include.store.schema import PAYLOAD_INDEXES
from include.store.server import ServerStore
from include.store.where import Is, OneOf, Where
from tests.builders import DIMENSION, EMBEDDER, at, new_points, publish, unit_vector
from tests.fakes.qdrant_http import QdrantHttp, serving

A = DocumentKey("helpcenter", "42")
KEY = "secret-key-5b1e"


@pytest.fixture
def server() -> Iterator[tuple[str, QdrantHttp]]:
    with serving() as running:
        yield running


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def store(server: tuple[str, QdrantHttp], pauses: list[float]) -> ServerStore:
    store = ServerStore(server[0], "docs", api_key=KEY, pause=pauses.append, timeout=1)
    store.prepare(EMBEDDER, DIMENSION)
    return store


def use_everything(store: ServerStore) -> None:
    points = new_points(A, [f"text {n}" for n in range(300)])
    with store.writing() as index:
        index.insert(points)
        index.overwrite(points[:2])
        publish(index, points)
        index.set_payload(Selector(A, older_than=at(1)), {"pinned": True})
        list(index.scan("helpcenter"))
        index.chunks_of([A])
        index.vectors([str(points[0].payload["chunk_hash"])])
        index.count_points()
        index.count_points("helpcenter")
        index.count_foreign(["helpcenter"])
        index.count_documents_with("helpcenter", "x")
        index.search(unit_vector("q"), limit=3, sources=["helpcenter"])
        selector = Selector(A, older_than=at(1), except_ids=(points[0].point_id,), fence=at(0))
        index.count(selector)
        index.delete(selector)


def test_indexes_exist_before_the_alias_and_the_alias_before_the_first_point(
    store: ServerStore, server: tuple[str, QdrantHttp]
) -> None:
    use_everything(store)
    order = [path.rsplit("/", 1)[-1] for method, path, _, _ in server[1].requests if method in ("PUT", "POST")]
    creation, *rest = order
    assert creation.startswith("docs.")
    assert rest[: len(PAYLOAD_INDEXES)] == ["index"] * len(PAYLOAD_INDEXES)
    assert rest[len(PAYLOAD_INDEXES)] == "aliases"
    assert "points" in rest[len(PAYLOAD_INDEXES) + 1 :]


def test_every_write_waits_every_count_is_exact_and_all_go_through_the_alias(
    store: ServerStore, server: tuple[str, QdrantHttp]
) -> None:
    server[1].requests.clear()
    use_everything(store)
    points = [request for request in server[1].requests if "/points" in request[1]]
    writes = [request for request in points if request[1].endswith(("/points", "/payload", "/delete"))]
    assert len(writes) == 6  # two requests of at most 256 points, one overwrite, publish, set_payload, delete
    assert {query.get("wait") for _, _, query, _ in writes} == {"true"}
    assert {body["exact"] for _, path, _, body in points if path.endswith("/count")} == {True}
    assert {path.split("/")[2] for _, path, _, _ in points} == {"docs"}


def test_every_filter_of_ours_is_on_an_indexed_field_and_another_is_refused(
    store: ServerStore, server: tuple[str, QdrantHttp]
) -> None:
    use_everything(store)
    (strict,) = server[1].strict.values()
    assert strict["enabled"] is True
    assert strict["unindexed_filtering_retrieve"] is strict["unindexed_filtering_update"] is False
    with store._engine() as engine, pytest.raises(ConfigError, match="index is required"):
        engine.count(Where((Is("title", "x"),)))


@pytest.mark.parametrize("status", ["acknowledged", "wait_timeout"])
def test_a_write_that_is_not_completed_is_an_error(
    store: ServerStore, server: tuple[str, QdrantHttp], status: str
) -> None:
    def half(method: str, path: str) -> tuple[int, dict[str, Any]] | None:
        written = path.endswith(("/points", "/payload", "/delete"))
        return (200, {"result": {"operation_id": 1, "status": status}, "status": "ok", "time": 0}) if written else None

    points = new_points(A, ["text"])
    with store.writing() as index:
        index.insert(points)
        server[1].trouble = half
        for write in (
            lambda: index.insert(points),
            lambda: publish(index, points),
            lambda: index.set_payload(Selector(A), {"pinned": True}),
            lambda: index.delete(Selector(A)),
        ):
            with pytest.raises(StoreUnavailable, match=status):
                write()


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_passing_trouble_is_waited_out_and_a_lasting_one_is_unavailable(
    store: ServerStore, server: tuple[str, QdrantHttp], pauses: list[float], status: int
) -> None:
    left = [2]

    def passing(method: str, path: str) -> tuple[int, dict[str, Any]] | None:
        left[0] -= 1
        return (status, {"status": {"error": "busy"}}) if left[0] >= 0 else None

    with store.reading() as index:
        server[1].trouble = passing
        assert index.count_points() == 0
        assert pauses == [0.5, 1.0]
        server[1].trouble = lambda method, path: (status, {"status": {"error": "busy"}})
        with pytest.raises(StoreUnavailable, match="count failed 5 times"):
            index.count_points()
    assert pauses[2:] == [0.5, 1.0, 2.0, 4.0]


def test_a_server_that_does_not_answer_in_time_is_unavailable(
    store: ServerStore, server: tuple[str, QdrantHttp], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("include.store.server_calls.PAUSES", (0.1,))
    with store.reading() as index:
        server[1].trouble = lambda method, path: time.sleep(1.3)  # type: ignore[func-returns-value]
        with pytest.raises(StoreUnavailable, match=r"count failed 2 times.*timed out"):
            index.count_points()


def test_a_server_that_is_not_there_is_unavailable(pauses: list[float]) -> None:
    store = ServerStore("http://127.0.0.1:9", "docs", pause=pauses.append)
    for attempt in (lambda: store.prepare(EMBEDDER, DIMENSION), store.problems, lambda: store.reading().__enter__()):
        with pytest.raises(StoreUnavailable, match="reachable"):
            attempt()


def test_a_refused_credential_says_so_without_repeating_it(
    store: ServerStore, server: tuple[str, QdrantHttp], pauses: list[float]
) -> None:
    server[1].trouble = lambda method, path: (403, {"status": {"error": "forbidden"}})
    with pytest.raises(ConfigError, match="credential") as refusal, store.reading():
        pass
    assert KEY not in str(refusal.value)
    assert KEY not in store.location
    assert pauses == []


def test_a_collection_that_vanishes_behind_the_alias_is_unavailable(
    store: ServerStore, server: tuple[str, QdrantHttp]
) -> None:
    with store.reading() as index:
        server[1].client.delete_collection(server[1].client.get_collections().collections[0].name)
        with pytest.raises(StoreUnavailable, match="not found"):
            index.count_points()


def test_a_creation_that_broke_off_is_completed(server: tuple[str, QdrantHttp], pauses: list[float]) -> None:
    store = ServerStore(server[0], "docs", pause=pauses.append)
    calls = iter(range(1_000))

    def down_after_three_indexes(method: str, path: str) -> tuple[int, dict[str, Any]] | None:
        return (503, {"status": {"error": "down"}}) if path.endswith("/index") and next(calls) >= 3 else None

    server[1].trouble = down_after_three_indexes
    with pytest.raises(StoreUnavailable):
        store.prepare(EMBEDDER, DIMENSION)
    assert "alias points nowhere" in store.problems()[0]
    server[1].trouble = lambda method, path: None
    store.prepare(EMBEDDER, DIMENSION)
    assert store.problems() == []


def test_an_alias_that_is_swapped_during_prepare_stays_where_it_was_pointed(
    store: ServerStore, server: tuple[str, QdrantHttp]
) -> None:
    url, qdrant = server
    (old,) = qdrant.indexes
    ServerStore(url, "next").prepare(EMBEDDER, DIMENSION)
    (new,) = set(qdrant.indexes) - {old}

    def alias(collection: str) -> None:
        made = models.CreateAlias(collection_name=collection, alias_name="docs")
        qdrant.client.update_collection_aliases([models.CreateAliasOperation(create_alias=made)])

    def led_to() -> str:
        return next(a.collection_name for a in qdrant.client.get_aliases().aliases if a.alias_name == "docs")

    def swapped(method: str, path: str) -> None:
        if path == f"/collections/{old}":  # the old one was found behind the alias and is being looked at
            alias(new)

    qdrant.trouble = swapped
    store.prepare(EMBEDDER, DIMENSION)
    assert led_to() == new

    qdrant.trouble = lambda method, path: None
    alias(old)
    ServerStore(url, "other").prepare("another-embedder", DIMENSION)
    (foreign,) = set(qdrant.indexes) - {old, new}
    qdrant.trouble = lambda method, path: alias(foreign) if path == f"/collections/{old}" else None
    with pytest.raises(EmbedderMismatch):  # what was swapped in is judged like what was there
        store.prepare(EMBEDDER, DIMENSION)
    assert led_to() == foreign


def test_an_alias_that_appears_while_the_collection_is_made_stays(server: tuple[str, QdrantHttp]) -> None:
    url, qdrant = server
    ServerStore(url, "next").prepare(EMBEDDER, DIMENSION)
    (new,) = qdrant.indexes

    def swapped(method: str, path: str) -> None:
        if method == "PUT" and path.startswith("/collections/docs.") and path.endswith("/index"):
            made = models.CreateAlias(collection_name=new, alias_name="docs")
            qdrant.client.update_collection_aliases([models.CreateAliasOperation(create_alias=made)])

    qdrant.trouble = swapped
    ServerStore(url, "docs").prepare(EMBEDDER, DIMENSION)
    assert {a.alias_name: a.collection_name for a in qdrant.client.get_aliases().aliases}["docs"] == new


def test_a_doctor_names_missing_indexes_and_missing_strict_mode(
    store: ServerStore, server: tuple[str, QdrantHttp]
) -> None:
    (collection,) = server[1].indexes
    del server[1].indexes[collection]["fetched_at"]
    server[1].strict[collection] = None
    problems = " | ".join(store.problems())
    assert "'fetched_at' is missing" in problems
    assert "strict mode is off" in problems
    with pytest.raises(EmbedderMismatch, match="another-embedder"):
        store.prepare("another-embedder", DIMENSION)


@pytest.mark.parametrize("where", [Where(), Where((Is("source", "a"),)), Where((OneOf("doc_id", ("1",)),))], ids=repr)
@pytest.mark.parametrize("kind", ["edge", "memory"])
def test_an_engine_itself_refuses_a_delete_wider_than_a_document(tmp_path: Any, kind: str, where: Where) -> None:
    store = open_store(f"edge://{tmp_path}/index" if kind == "edge" else ":memory:", "docs")
    store.prepare(EMBEDDER, DIMENSION)
    with store.writing() as index:
        index.insert(new_points(A, ["text"]))
        engine: Any = index._engine  # type: ignore[attr-defined]
        with pytest.raises(UnsafeSelector):
            engine.delete(where)
        with pytest.raises(UnsafeSelector):
            engine.set_payload(Where(), {"pinned": True})
        assert index.count_points() == 1


@pytest.mark.parametrize(
    ("url", "kind", "location"),
    [
        ("edge:///var/index", "EdgeStore", "edge:///var/index#docs"),
        ("local:///var/index", "ServerStore", "/var/index#docs"),
        (":memory:", "ServerStore", ":memory:#docs"),
        ("https://qdrant.example:6333/", "ServerStore", "https://qdrant.example:6333#docs"),
    ],
)
def test_the_address_chooses_the_adapter(url: str, kind: str, location: str) -> None:
    store = open_store(url, "docs", api_key=KEY)
    assert (type(store).__name__, store.location) == (kind, location)


@pytest.mark.parametrize("url", ["", "qdrant:6333", "ftp://x", "edge://", "edge://host/x", "edge:///", "http://"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="index url"):
        open_store(url, "docs")


def test_a_password_in_the_address_is_refused_and_not_repeated() -> None:
    for address in (
        "https://user:hunter2@qdrant.example",
        "https://qdrant.example?api-key=hunter2",
        "htps://user:hunter2@qdrant.example",
        "https//user:hunt/hunter2@qdrant.example",
        "user:hun@hunter2@qdrant.example",
        "edge://user:hunter2@host/index",
        "https://[user:hunter2@qdrant.example",
    ):
        with pytest.raises(ConfigError) as refusal:
            open_store(address, "docs")
        assert "hunter2" not in str(refusal.value)
        with pytest.raises(ConfigError) as refusal:
            ServerStore(address, "docs")
        assert "hunter2" not in str(refusal.value)
