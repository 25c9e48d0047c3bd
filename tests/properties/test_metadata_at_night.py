"""Whatever is done to stored metadata behind our back, one night finds it and sets it right; the next one writes
nothing."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from include.domain.documents import Marks, Status
from include.domain.manifest import RunState
from include.domain.payload import METADATA_FIELDS
from include.services.context import SourceContext
from tests.builders import context_of, night
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.index import FakeIndexStore
from tests.fakes.records import FakeLedger
from tests.fakes.source import FakeSource
from tests.faults import ObservedStore

PAGES = 6
WRITES = {"insert", "overwrite", "set_payload", "delete"}
MARKED = {
    "page-1": Marks(status=Status.SUPERSEDED, doc_family="guides", is_current=False, superseded_by=("page-2",)),
    "page-2": Marks(pinned=True, is_canonical=True, doc_family="guides", supersedes=("page-1",), family_version="2"),
    "page-3": Marks(metadata={"title": "A title of ours", "created_at": "2025-01-01T00:00:00.000000Z", "lang": "de"}),
    "page-4": Marks(status=Status.ARCHIVED, metadata={"content_type": "policy"}),
}

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 2) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=3,
)
OVERRIDDEN = st.dictionaries(st.sampled_from([*METADATA_FIELDS, "text"]), JSON, max_size=2).map(json.dumps)
VALUES = JSON | OVERRIDDEN | st.sampled_from(["archived", "de", "2025-01-01T00:00:00.000000Z", ["page-1"], []])
TAMPERING = st.tuples(
    st.integers(0, PAGES - 1), st.sampled_from([*METADATA_FIELDS, "status"]), st.sets(st.integers(0, 2)), VALUES
)
"""(page, field, which of its chunks: none means all, value: None takes the field away)"""


def filled() -> tuple[SourceContext, FakeIndexStore, FakeEmbedder, list[str]]:
    source, store, operations = FakeSource(), FakeIndexStore(), list[str]()
    for number in range(PAGES):
        source.put(f"page-{number}", f"page {number}\nabout thing {number}\nthe end of {number}")
    embedder = FakeEmbedder()
    context = context_of(
        source,
        store=ObservedStore(store, operations.append),
        embedder=embedder,
        ledger=FakeLedger({"handbook": MARKED}),
    )
    assert night(context, "fill").state is RunState.TRUE
    return context, store, embedder, operations


def stored(store: FakeIndexStore) -> dict[str, dict[str, Any]]:
    """Every payload by point; the fences aside, which tell when a document was read."""
    return {
        point_id: {name: value for name, value in point.payload.items() if name != "fetched_at"}
        for point_id, point in store.points.items()
    }


def tamper(store: FakeIndexStore, page: int, field: str, chunks: set[int], value: object) -> None:
    for point in store.points.values():
        payload = point.payload
        if payload["doc_id"] == f"page-{page}" and (not chunks or payload["chunk_index"] in chunks):
            payload[field] = value
            if value is None:
                del payload[field]


@given(st.lists(TAMPERING, min_size=1, max_size=4))
@settings(max_examples=300, deadline=None)
def test_one_night_sets_tampered_metadata_right_and_the_next_writes_nothing(
    tampering: list[tuple[int, str, set[int], object]],
) -> None:
    context, store, embedder, operations = filled()
    pristine = stored(store)
    for page, field, chunks, value in tampering:
        tamper(store, page, field, chunks, value)
    damaged = {
        str(payload["doc_id"]) for point_id, payload in stored(store).items() if unlike(payload, pristine[point_id])
    }
    assume(damaged)
    embedder.embedded.clear()

    manifest = night(context, "night")
    assert manifest.state is RunState.TRUE, manifest.reason
    assert manifest.found is not None
    assert not manifest.found.clean
    assert {outcome.doc_id for outcome in manifest.outcomes} == damaged
    assert stored(store) == pristine
    assert not embedder.embedded

    operations.clear()
    again = night(context, "again")
    assert (again.state, again.outcomes) == (RunState.TRUE, ())
    assert not WRITES & set(operations)


def unlike(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """1 and true are two values in an engine."""
    return one != other or any(type(value) is not type(other[name]) for name, value in one.items())
