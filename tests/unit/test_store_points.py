"""What is read back is never trusted to have a type."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from include.domain.documents import DocumentKey
from include.domain.identity import point_id
from include.domain.payload import METADATA_FIELDS
from include.store.points import Said, stored_chunk, unit_vector
from include.store.schema import FIELDS, PAYLOAD_INDEXES, Kind
from tests.builders import NOON, new_points

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from([*FIELDS, "unknown"]), JSON) | st.none())
def test_a_tampered_payload_reads_as_none_where_its_type_is_wrong(payload: dict[str, object] | None) -> None:
    chunk = stored_chunk("id", payload)
    for name in ("source", "doc_id", "doc_version", "content_hash", "chunk_hash", "pipeline", "status", "text"):
        value = (payload or {}).get(name)
        assert getattr(chunk, name) == (value if isinstance(value, str) else None)
    for name in ("chunk_index", "chunk_count"):
        value = (payload or {}).get(name)
        assert getattr(chunk, name) == (value if isinstance(value, int) and not isinstance(value, bool) else None)
    assert chunk.fetched_at is None or chunk.fetched_at.tzinfo is not None
    known = {name: value for name, value in (payload or {}).items() if name in METADATA_FIELDS and value is not None}
    assert chunk.metadata == known


def test_chunks_of_a_document_that_say_the_same_share_one_mapping() -> None:
    points = [p for name in ("42", "43") for p in new_points(DocumentKey("helpcenter", name), ["a", "b"], title="T")]
    said: Said = {}
    first, second, other, _ = [stored_chunk(point.point_id, dict(point.payload), said).metadata for point in points]
    assert first is second
    assert other is not first
    assert other["url"] != first["url"]
    altered = stored_chunk("id", {**points[0].payload, "title": "another"}, said).metadata
    assert altered == {**first, "title": "another"}


def test_a_fence_without_offset_is_unreadable() -> None:
    assert stored_chunk("id", {"fetched_at": "2026-03-01T12:00:00"}).fetched_at is None
    assert stored_chunk("id", {"fetched_at": "2026-03-01T12:00:00.000000Z"}).fetched_at == NOON


@given(st.none() | st.lists(st.floats(width=32), max_size=4))
def test_a_stored_vector_is_reused_only_if_it_is_finite_and_of_length_one(value: list[float] | None) -> None:
    vector = unit_vector(value, 3)
    assert vector is None or (vector.shape == (3,) and abs(float(np.linalg.norm(vector)) - 1) < 2e-4)
    assert unit_vector([0.0, 1.0, 0.0], 3) is not None


def test_the_id_of_a_point_follows_from_its_payload() -> None:
    for point in new_points(DocumentKey("helpcenter", "42"), ["a", "b"]):
        chunk = stored_chunk(point.point_id, point.payload)
        parts = (chunk.source, chunk.doc_id, chunk.content_hash, chunk.pipeline, chunk.chunk_index, chunk.chunk_hash)
        assert point_id(*parts) == chunk.point_id  # type: ignore[arg-type]


def test_every_indexed_field_is_a_payload_field_that_an_engine_can_index() -> None:
    assert PAYLOAD_INDEXES.keys() <= FIELDS.keys()
    assert set(PAYLOAD_INDEXES.values()) <= {Kind.KEYWORD, Kind.INTEGER, Kind.BOOL, Kind.DATETIME}
    assert {"source", "doc_id", "status", "fetched_at", "chunk_hash", "content_hash"} <= PAYLOAD_INDEXES.keys()
