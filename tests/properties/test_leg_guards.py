"""What keeps hidden text out of a search that fuses two legs, on every store, and what happens without it.

The conditions stand in each leg and in the whole. Engines differ in what they make of those of the whole: today's pass
them on to the legs, qdrant-client's local mode once ignored them, and one that applied them to the fused list would
leave it short. So the conditions of the legs are tried on engines that are blind to those of the whole.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from qdrant_client import QdrantClient

from include.domain.documents import DocumentKey, Status
from include.ports import IndexStore
from include.store import edge_engine, server_engine, where
from include.store.edge import EdgeStore
from include.store.server import IN_MEMORY, ServerStore
from tests.builders import DIMENSION, EMBEDDER, new_points, unit_vector
from tests.fakes import index as fake_index
from tests.fakes.index import FakeIndexStore
from tests.fakes.qdrant_http import serving
from tests.guards import Guard, Off, switch

HIDDEN = (Status.INCOMING, Status.STAGED, Status.ARCHIVED)


@contextmanager
def fake() -> Iterator[IndexStore]:
    yield FakeIndexStore()


@contextmanager
def edge() -> Iterator[IndexStore]:
    with tempfile.TemporaryDirectory() as folder:
        yield EdgeStore(Path(folder) / "index", "docs")


@contextmanager
def local() -> Iterator[IndexStore]:
    yield ServerStore(IN_MEMORY, "docs")


@contextmanager
def http() -> Iterator[IndexStore]:
    with serving() as (url, _):
        yield ServerStore(url, "docs")


Opened = Callable[[], AbstractContextManager[IndexStore]]


def what_is_hidden_is_shown_or_crowds_out_the_rest(opened: Opened, *, blind: Off) -> Callable[[], None]:
    def scenario() -> None:
        with pytest.MonkeyPatch.context() as engine, opened() as store:
            blind(engine)
            store.prepare(EMBEDDER, DIMENSION)
            with store.writing() as index:
                for number in range(12):
                    key, status = DocumentKey("handbook", f"hidden-{number}"), HIDDEN[number % len(HIDDEN)]
                    index.insert(new_points(key, [f"the refund question {number}"], status=status))
                index.insert(new_points(DocumentKey("handbook", "seen"), ["a refund"], status=Status.PUBLISHED))
            with store.reading() as index:
                for limit in (1, 20):
                    found = index.hybrid(unit_vector("the refund question 0"), "refund question", limit=limit)
                    for hits in (*found.legs.values(), found.fused):
                        assert len(hits) == 1
                    assert [hit.payload["doc_id"] for hit in found.fused] == ["seen"]

    return scenario


def without_conditions(module: Any) -> Off:
    """The legs are asked for without any."""
    made = module.Prefetch
    return switch(module, "Prefetch", lambda **options: made(**options | {"filter": None}))


def sees_all(_engine: pytest.MonkeyPatch) -> None:
    pass


def edge_ignores_the_whole(engine: pytest.MonkeyPatch) -> None:
    made = edge_engine.edge.QueryRequest

    def request(**options: Any) -> Any:
        return made(**options | ({"filter": None} if "prefetches" in options else {}))

    engine.setattr(edge_engine.edge, "QueryRequest", request)


def client_ignores_the_whole(engine: pytest.MonkeyPatch) -> None:
    query_points = QdrantClient.query_points

    def query(self: QdrantClient, *names: str, **options: Any) -> Any:
        return query_points(self, *names, **options | ({"query_filter": None} if options.get("prefetch") else {}))

    engine.setattr(QdrantClient, "query_points", query)


ADAPTERS: dict[str, tuple[Opened, Off, Any]] = {
    "edge": (edge, edge_ignores_the_whole, edge_engine.edge),
    "local": (local, client_ignores_the_whole, server_engine.models),
    "http": (http, client_ignores_the_whole, server_engine.models),
}
damage = what_is_hidden_is_shown_or_crowds_out_the_rest
every_status = frozenset(Status)
GUARDS = [
    *(
        Guard(f"{name}, in each leg", damage(opened, blind=blind), without_conditions(module))
        for name, (opened, blind, module) in ADAPTERS.items()
    ),
    *(
        Guard(f"{name}, at all", damage(opened, blind=sees_all), switch(where, "SEARCHABLE", every_status))
        for name, (opened, _, _) in ADAPTERS.items()
    ),
    Guard("fake, at all", damage(fake, blind=sees_all), switch(fake_index, "SEARCHABLE", every_status)),
]


@pytest.mark.parametrize("guard", GUARDS, ids=str)
def test_with_the_status_in_each_leg_only_what_may_be_seen_is_found(guard: Guard) -> None:
    guard.holds()


@pytest.mark.parametrize("guard", GUARDS, ids=str)
def test_without_it_the_search_leaks_or_comes_back_short(guard: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    guard.bites(monkeypatch)
