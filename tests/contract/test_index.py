"""What every index promises, held against each engine and the fake alike."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from include.domain.dates import from_rfc3339, rfc3339
from include.domain.documents import DocumentKey, Status
from include.domain.errors import DocumentUnreadable, EmbedderMismatch, StoreUnavailable, UnsafeSelector
from include.domain.payload import METADATA_FIELDS
from include.domain.selection import Selector
from include.ports import NewPoint
from tests.builders import (
    DIMENSION,
    EMBEDDER,
    NOON,
    at,
    ids_of,
    new_points,
    publish,
    sha256,
    stored,
    unit_vector,
    with_payload,
)

A = DocumentKey("helpcenter", "42")
B = DocumentKey("handbook", "42")
C = DocumentKey("helpcenter", "43")
TEXTS = ["how to reset a password", "who to ask", "what it costs"]


def put(store: Any, *batches: list[NewPoint]) -> None:
    with store.writing() as index:
        for points in batches:
            index.insert(points)


def content(store: Any, *sources: str) -> list[Any]:
    with store.reading() as index:
        return sorted((c for s in sources for c in index.scan(s)), key=lambda c: c.point_id)


def everything(store: Any) -> dict[str, Any]:
    """Payload and vector of every point behind the alias, read past the port."""
    if hasattr(store, "points"):
        return {pid: (dict(p.payload), p.vector.tobytes()) for pid, p in store.points.items()}
    with store._engine() as engine:
        if hasattr(engine, "open"):
            engine.open()
        from include.store.where import Where

        return {
            str(r.id): (r.payload, np.asarray(r.vector["dense"], np.float32).tobytes())
            for page in engine.pages(Where(), vectors=True)
            for r in page
        }


# -- what is written is what is read --


def test_what_is_inserted_is_read_back_whole(store: Any) -> None:
    points = new_points(A, TEXTS, fetched_at=at(1) + timedelta(microseconds=7))
    put(store, points)
    assert content(store, "helpcenter") == sorted(stored(points), key=lambda c: c.point_id)
    with store.reading() as index:
        assert index.count_points() == index.count_points("helpcenter") == 3
        assert index.count_points("handbook") == 0


def test_a_second_insert_leaves_the_stored_point_untouched(store: Any) -> None:
    points = new_points(A, TEXTS)
    put(store, points)
    with store.writing() as index:
        publish(index, points)
        before = everything(store) if hasattr(store, "points") else None
        index.insert([with_payload(point, status="incoming", title="another") for point in points])
    after = everything(store)
    assert {payload["status"] for payload, _ in after.values()} == {"published"}
    assert {payload["title"] for payload, _ in after.values()} == {"Title of 42"}
    assert before is None or before == after


def test_an_overwrite_replaces_payload_and_vector_as_a_whole(store: Any) -> None:
    points = new_points(A, TEXTS, doc_family="old")
    put(store, points)
    with store.writing() as index:
        publish(index, points)
        index.overwrite(new_points(A, TEXTS, version="v2"))
    assert {c.doc_version for c in content(store, "helpcenter")} == {"v2"}
    assert {c.status for c in content(store, "helpcenter")} == {"incoming"}
    assert all("doc_family" not in payload for payload, _ in everything(store).values())


@pytest.mark.parametrize("page", [50, 5_000])
def test_hundreds_of_chunks_are_all_read(store: Any, page: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("include.store.edge_engine.PAGE", page)
    monkeypatch.setattr("include.store.server_engine.PAGE", page)
    big = new_points(A, [f"part {n}" for n in range(700)])
    put(store, big, new_points(C, TEXTS))
    with store.reading() as index:
        found = index.chunks_of([A, B, C])
        assert [len(found[key]) for key in (A, B, C)] == [700, 0, 3]
        assert sorted(c.chunk_index for c in found[A]) == list(range(700))
        assert len(index.vectors([sha256(f"part {n}") for n in range(700)])) == 700
        assert len(list(index.scan("helpcenter"))) == 703


def test_chunks_of_many_documents_keep_equal_ids_of_two_sources_apart(store: Any) -> None:
    keys = [DocumentKey(source, str(n)) for source in ("helpcenter", "handbook") for n in range(120)]
    put(store, [p for key in keys for p in new_points(key, [f"text of {key}"])])
    with store.reading() as index:
        found = index.chunks_of(keys)
    assert all([(c.source, c.doc_id) for c in found[key]] == [(key.source, key.doc_id)] for key in keys)


def test_vectors_are_found_by_chunk_hash_and_bit_equal_after_reuse(store: Any) -> None:
    put(store, new_points(A, TEXTS), new_points(C, [TEXTS[0], "new"]))
    hashes = [sha256(text) for text in (*TEXTS, "never stored")]
    with store.reading() as index:
        found = index.vectors(iter(hashes))
    assert set(found) == set(hashes[:3])
    for text in TEXTS:
        assert found[sha256(text)].dtype == np.float32
        np.testing.assert_allclose(found[sha256(text)], unit_vector(text), atol=1e-6)


def test_one_vector_is_found_for_a_text_that_is_stored_many_times(store: Any) -> None:
    keys = [DocumentKey("helpcenter", str(n)) for n in range(60)]
    put(store, [p for key in keys for p in new_points(key, ["same disclaimer", f"own text {key.doc_id}"])])
    with store.reading() as index:
        found = index.vectors([sha256("same disclaimer"), *(sha256(f"own text {n}") for n in range(60))])
    assert len(found) == 61


def test_metadata_are_read_back_as_stored_and_absent_fields_left_out(store: Any) -> None:
    dated = {"created_at": rfc3339(NOON), "created_at_origin": "front matter", "stated_aliases": ["deck"], "lang": None}
    points = new_points(A, TEXTS, **dated)
    put(store, points, new_points(B, TEXTS))
    with store.writing() as index:
        index.set_payload(Selector(A), {"title": "Another", "stated_aliases": None, "doc_family": "decks"})
    said = {**points[0].payload, "title": "Another", "doc_family": "decks"}
    expected = {name: said[name] for name in METADATA_FIELDS if said.get(name) is not None and name != "stated_aliases"}
    assert {"lang", "stated_aliases"}.isdisjoint(expected)
    chunks = content(store, A.source)
    assert [chunk.metadata for chunk in chunks] == [expected] * 3
    with store.reading() as index:
        assert [chunk.metadata for chunk in index.chunks_of([A])[A]] == [expected] * 3


# -- counting --


def test_counts_are_exact_by_source_by_text_and_for_strangers(store: Any) -> None:
    published = new_points(A, TEXTS)
    put(store, published, new_points(B, TEXTS), new_points(C, TEXTS, version="v2"))
    with store.writing() as index:
        publish(index, published)
        assert index.count_documents_with("helpcenter", sha256("\n".join(TEXTS))) == 1  # C is still incoming
        assert index.count_documents_with("handbook", sha256("\n".join(TEXTS))) == 0
        assert index.count_foreign(["helpcenter"]) == 3
        assert index.count_foreign(["helpcenter", "handbook"]) == 0
        assert index.count_foreign([]) == 9
        assert index.count(Selector(A)) == 3
        assert index.count(Selector(A, status=Status.INCOMING)) == 0


# -- publishing --


def test_publishing_raises_only_the_points_that_are_named(store: Any) -> None:
    old, new = new_points(A, ["old"]), new_points(A, TEXTS, version="v2")
    put(store, old, new)
    with store.writing() as index:
        publish(index, old, Status.ARCHIVED)
        publish(index, new[:2])
    statuses = {c.point_id: c.status for c in content(store, "helpcenter")}
    assert statuses == dict(
        zip([*ids_of(old), *ids_of(new)], ["archived", "published", "published", "incoming"], strict=True)
    )


# -- metadata --


def test_metadata_reach_every_chunk_and_none_removes_a_field(store: Any) -> None:
    points = new_points(A, TEXTS, doc_family="decks")
    put(store, points, new_points(B, TEXTS))
    with store.writing() as index:
        index.set_payload(Selector(A), {"pinned": True, "doc_family": None, "superseded_by": ["43"]})
    for point_id, (payload, _) in everything(store).items():
        ours = point_id in ids_of(points)
        assert payload["pinned"] is ours
        assert payload["superseded_by"] == (["43"] if ours else [])
        assert payload.get("doc_family") is None


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"content_hash": "x"},
        {"source": "handbook"},
        {"text": "x"},
        {"metadata.doc_id": "x"},
        {"pinned": 1},
        {"status": "live"},
        {"created_at": "2026-03-01"},
        {"fetched_at": None},
        {"title": "\ud800"},
    ],
    ids=repr,
)
def test_a_metadata_change_that_would_break_a_point_is_refused(store: Any, change: dict[str, object]) -> None:
    put(store, new_points(A, TEXTS))
    before = everything(store)
    with store.writing() as index, pytest.raises(DocumentUnreadable, match="nothing was written"):
        index.set_payload(Selector(A), change)
    assert everything(store) == before


# -- deleting --


def test_deleting_a_document_leaves_every_other_point_byte_identical(store: Any) -> None:
    put(store, new_points(A, TEXTS), new_points(B, TEXTS), new_points(C, TEXTS))
    before = everything(store)
    with store.writing() as index:
        index.delete(Selector(A))
        assert index.count(Selector(A)) == 0
    gone = set(ids_of(new_points(A, TEXTS)))
    assert everything(store) == {pid: point for pid, point in before.items() if pid not in gone}


@pytest.mark.parametrize("fence", ["yesterday", "", 5, True, None, ..., ["2020-01-01T00:00:00Z"]], ids=repr)
def test_a_point_without_a_readable_fence_counts_as_older(
    store: Any, fence: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = new_points(A, ["written by somebody else"])[0]
    with store.writing() as index:
        monkeypatch.setattr("include.store.session.check_points", lambda points, dimension: None)
        monkeypatch.setattr("tests.fakes.index.check_points", lambda points, dimension: None)
        index.insert([with_payload(point, fetched_at=fence)])
        assert index.count(Selector(A, fence=at(0))) == 0
        assert index.count(Selector(A, older_than=at(-1_000_000))) == 1
        index.delete(Selector(A, older_than=at(-1_000_000)))
        assert index.count(Selector(A)) == 0


def test_a_fence_is_exact_to_the_microsecond(store: Any) -> None:
    tick = timedelta(microseconds=1)
    with store.writing() as index:
        for n in range(3):
            index.insert(new_points(A, [f"version {n}"], fetched_at=NOON + n * tick))
        assert [index.count(Selector(A, fence=NOON + n * tick)) for n in range(-1, 4)] == [0, 1, 1, 1, 0]
        assert [index.count(Selector(A, older_than=NOON + n * tick)) for n in range(-1, 4)] == [0, 1, 2, 3, 3]
        index.delete(Selector(A, older_than=NOON + tick))
        assert [c.fetched_at for c in index.chunks_of([A])[A]] == [NOON + 2 * tick]


@pytest.mark.parametrize(
    "selector",
    [None, {}, [], "", "42", A, ("helpcenter", "42"), {"must": []}, object()],
    ids=lambda value: type(value).__name__ + str(value)[:12],
)
def test_anything_that_is_not_a_selector_deletes_and_changes_nothing(store: Any, selector: Any) -> None:
    put(store, new_points(A, TEXTS))
    with store.writing() as index:
        with pytest.raises(UnsafeSelector):
            index.delete(selector)
        with pytest.raises(UnsafeSelector):
            index.set_payload(selector, {"pinned": True})
        with pytest.raises(UnsafeSelector):
            index.count(selector)
        assert index.count_points() == 3


def test_random_selectors_take_exactly_what_they_name(store: Any) -> None:
    """The oracle is a plain reading of Selector's own words over the scanned points."""
    dice = random.Random(11)
    statuses = [Status.INCOMING, Status.PUBLISHED, Status.ARCHIVED]
    keys = [A, B, C]
    batch = [
        point
        for key in keys
        for version in range(4)
        for point in new_points(
            key,
            [f"{key} {version} {n}" for n in range(2)],
            version=f"v{version}",
            fetched_at=at(version),
            status=statuses[version % 3],
        )
    ]
    put(store, batch)
    ids = ids_of(batch)
    for _ in range(25):
        selector = Selector(
            dice.choice(keys),
            older_than=dice.choice([None, at(-1), at(1), at(2.5)]),
            except_ids=tuple(dice.sample(ids, dice.choice([0, 0, 3, 12]))),
            only_ids=tuple(dice.sample(ids, dice.choice([0, 0, 6, 20]))),
            status=dice.choice([None, None, *statuses]),
            fence=dice.choice([None, None, None, at(1), at(9)]),
        )
        before = {c.point_id: c for c in content(store, "helpcenter", "handbook")}
        named = {
            pid
            for pid, c in before.items()
            if (c.source, c.doc_id) == (selector.key.source, selector.key.doc_id)
            and (selector.older_than is None or c.fetched_at <= selector.older_than)
            and (selector.fence is None or c.fetched_at == selector.fence)
            and (selector.status is None or c.status == selector.status)
            and (not selector.only_ids or pid in selector.only_ids)
            and pid not in selector.except_ids
        }
        with store.writing() as index:
            assert index.count(selector) == len(named), selector
            index.delete(selector)
        assert {c.point_id for c in content(store, "helpcenter", "handbook")} == before.keys() - named, selector
        put(store, [point for point in batch if point.point_id in named])


# -- searching --


def test_a_search_returns_the_nearest_first_with_its_payload(store: Any) -> None:
    points = new_points(A, TEXTS, status=Status.PUBLISHED)
    put(store, points)
    with store.reading() as index:
        hits = index.search(unit_vector(TEXTS[1]), limit=3)
    assert hits[0].point_id == points[1].point_id
    assert hits[0].score == pytest.approx(1.0, abs=1e-5)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert hits[0].payload["title"] == "Title of 42"


def test_hidden_points_neither_appear_nor_crowd_out_a_visible_one(store: Any) -> None:
    hidden = [Status.INCOMING, Status.STAGED, Status.ARCHIVED]
    for n, status in enumerate(hidden * 4):
        put(store, new_points(DocumentKey("helpcenter", f"h{n}"), ["the question"], status=status))
    put(store, new_points(A, ["something else"], status=Status.PUBLISHED))
    put(store, new_points(B, ["something else"], status=Status.SUPERSEDED))
    with store.reading() as index:
        assert {h.payload["doc_id"] for h in index.search(unit_vector("the question"), limit=2)} == {"42"}
        assert len(index.search(unit_vector("the question"), limit=20)) == 2
        only_b = index.search(unit_vector("the question"), limit=20, sources=["handbook"])
        assert [h.payload["source"] for h in only_b] == ["handbook"]
        staged = index.search(unit_vector("the question"), limit=20, statuses=[Status.STAGED])
        assert len(staged) == 4
        named = index.search(unit_vector("x"), limit=9, sources=[B.source], doc_ids=[B.doc_id, "nobody"])
        assert [hit.payload["source"] for hit in named] == [B.source]


def test_a_hybrid_search_finds_by_meaning_and_by_words_and_fuses_both(store: Any) -> None:
    put(store, new_points(A, ["the refund deadline", "shipping abroad", "opening hours"], status=Status.PUBLISHED))
    with store.reading() as index:
        found = index.hybrid(unit_vector("shipping abroad"), "refunds", limit=3)
        only_dense = index.hybrid(unit_vector("shipping abroad"), "the of ...", limit=3)
    texts = {hit.point_id: hit.payload["text"] for hit in found.fused}
    assert [texts[hit.point_id] for hit in found.legs["bm25"]] == ["the refund deadline"]
    assert texts[found.legs["dense"][0].point_id] == "shipping abroad"
    assert set(texts) == {hit.point_id for hits in found.legs.values() for hit in hits}
    assert [hit.score for hit in found.fused] == sorted((hit.score for hit in found.fused), reverse=True)
    assert {texts[hit.point_id] for hit in found.fused[:2]} == {"the refund deadline", "shipping abroad"}
    assert set(only_dense.legs) == {"dense"}
    assert len(only_dense.fused) == 3


def test_no_leg_of_a_hybrid_search_shows_or_is_crowded_by_what_is_hidden(store: Any) -> None:
    """Each leg apart and the fusion: one engine ignores the conditions of the whole where legs are fused."""
    hidden = [Status.INCOMING, Status.STAGED, Status.ARCHIVED]
    for n, status in enumerate(hidden * 4):
        put(store, new_points(DocumentKey("helpcenter", f"h{n}"), ["the refund question"], status=status))
    put(store, new_points(A, ["a refund, something else"], status=Status.PUBLISHED))
    put(store, new_points(B, ["a refund, something else again"], status=Status.SUPERSEDED))
    question = unit_vector("the refund question")
    with store.reading() as index:
        for limit in (2, 20):
            found = index.hybrid(question, "refund question", limit=limit)
            for hits in (*found.legs.values(), found.fused):
                assert len(hits) == 2
            assert {hit.payload["doc_id"] for hit in found.fused} == {A.doc_id, B.doc_id}
        only_b = index.hybrid(question, "refund", limit=20, sources=["handbook"])
        assert [hit.payload["source"] for hit in only_b.fused] == ["handbook"]
        assert all(len(hits) == 1 for hits in only_b.legs.values())


def test_a_search_among_newer_documents_finds_those_that_are_dated_later_and_no_others(store: Any) -> None:
    dates = [None, "2024-05-01T00:00:00.000000Z", "2026-05-01T00:00:00.000000Z", "2026-05-01T00:00:00.000001Z"]
    for number, created in enumerate(dates):
        key = DocumentKey("helpcenter", f"deck-{number}")
        put(store, new_points(key, [f"deck {number}"], status=Status.PUBLISHED, created_at=created))
    hidden = DocumentKey("helpcenter", "hidden")
    put(store, new_points(hidden, ["deck hidden"], status=Status.STAGED, created_at=dates[3]))
    with store.reading() as index:
        for moment, expected in ((dates[1], {"deck-2", "deck-3"}), (dates[2], {"deck-3"}), (dates[3], set())):
            found = index.hybrid(unit_vector("deck 0"), "deck", limit=9, newer_than=from_rfc3339(moment))
            assert {hit.payload["doc_id"] for hit in found.fused} == expected
            assert all(len(hits) == len(expected) for hits in found.legs.values())


def test_documents_and_heads_give_the_first_chunk_of_what_may_be_read(store: Any) -> None:
    family = {"doc_family": "refund", "is_canonical": True}
    put(store, new_points(A, TEXTS, status=Status.PUBLISHED, **family))
    put(store, new_points(B, TEXTS, status=Status.SUPERSEDED, doc_family="refund"))
    staged = DocumentKey("helpcenter", "staged")
    put(store, new_points(staged, TEXTS, status=Status.STAGED, **family))
    with store.reading() as index:
        found = index.documents([A, B, staged, DocumentKey("helpcenter", "nobody")])
        assert {(hit.payload["source"], hit.payload["doc_id"]) for hit in found} == {
            (A.source, A.doc_id),
            (B.source, B.doc_id),
        }
        assert {(hit.score, hit.payload["chunk_index"], hit.payload["title"]) for hit in found} == {
            (0.0, 0, f"Title of {A.doc_id}"),
            (0.0, 0, f"Title of {B.doc_id}"),
        }
        assert [hit.payload["doc_id"] for hit in index.heads(A.source, ["refund", "other"])] == [A.doc_id]
        assert list(index.heads(A.source, [])) == []
        assert [hit.payload["doc_id"] for hit in index.heads(B.source, ["refund"], current=True)] == [B.doc_id]
        assert list(index.heads(B.source, ["refund"])) == []
        assert list(index.documents([])) == []


def test_the_first_chunks_of_a_source_are_those_of_every_version_but_unfinished_ones(store: Any) -> None:
    put(store, new_points(A, TEXTS, status=Status.PUBLISHED))
    put(store, new_points(A, ["an older text"], status=Status.ARCHIVED, fetched_at=at(-9), version="v0"))
    put(store, new_points(C, TEXTS), new_points(B, TEXTS, status=Status.PUBLISHED))
    with store.reading() as index:
        found = list(index.first_chunks(A.source))
        assert list(index.first_chunks("nobody")) == []
    assert {(hit.payload["doc_id"], hit.payload["doc_version"], hit.payload["status"]) for hit in found} == {
        (A.doc_id, "v1", "published"),
        (A.doc_id, "v0", "archived"),
    }
    assert {hit.payload["chunk_index"] for hit in found} == {0}
    current = next(hit for hit in found if hit.payload["doc_version"] == "v1")
    assert current.score == 0
    assert current.payload == new_points(A, TEXTS, status=Status.PUBLISHED)[0].payload


@pytest.mark.parametrize("page", [50, 5_000])
def test_every_document_has_its_first_chunk(store: Any, page: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("include.store.edge_engine.PAGE", page)
    monkeypatch.setattr("include.store.server_engine.PAGE", page)
    keys = [DocumentKey(A.source, str(number)) for number in range(120)]
    put(store, [point for key in keys for point in new_points(key, TEXTS, status=Status.PUBLISHED)])
    with store.reading() as index:
        assert sorted(hit.payload["doc_id"] for hit in index.first_chunks(A.source)) == sorted(k.doc_id for k in keys)


def test_a_search_with_a_vector_of_another_model_is_refused(store: Any) -> None:
    put(store, new_points(A, TEXTS, status=Status.PUBLISHED))
    with store.reading() as index:
        for vector in (unit_vector("q", DIMENSION + 1), np.full(DIMENSION, np.nan, np.float32), np.zeros(DIMENSION)):
            with pytest.raises(EmbedderMismatch, match="unit vector"):
                index.search(vector.astype(np.float32), limit=1)


# -- refusing bad points --


def _bad_vector(values: Any) -> Callable[[NewPoint], NewPoint]:
    return lambda point: replace(point, vector=np.asarray(values, np.float32))


BAD = {
    "NaN": _bad_vector([np.nan] * DIMENSION),
    "infinite": _bad_vector([np.inf] * DIMENSION),
    "zero": _bad_vector([0.0] * DIMENSION),
    "not unit": _bad_vector([1.0] * DIMENSION),
    "two vectors": _bad_vector([[1.0] + [0.0] * (DIMENSION - 1)]),
    "a list": lambda p: replace(p, vector=p.vector.tolist()),
    "no doc_id": lambda p: with_payload(p, doc_id=...),
    "empty doc_id": lambda p: with_payload(p, doc_id=""),
    "nested key": lambda p: with_payload(p, metadata={"doc_id": "x"}),
    "number as text": lambda p: with_payload(p, doc_version=5),
    "bool as number": lambda p: with_payload(p, chunk_index=True),
    "number as bool": lambda p: with_payload(p, pinned=1),
    "index beyond count": lambda p: with_payload(p, chunk_count=0),
    "unknown status": lambda p: with_payload(p, status="live"),
    "naive date": lambda p: with_payload(p, fetched_at="2026-03-01T12:00:00.000000"),
    "date without seconds": lambda p: with_payload(p, created_at="2026-03-01T12:00Z"),
    "other offset": lambda p: with_payload(p, created_at="2026-03-01T12:00:00.000000+02:00"),
    "datetime object": lambda p: with_payload(p, created_at=NOON),
    "lone surrogate": lambda p: with_payload(p, title="\udc80"),
    "surrogate in indexed text": lambda p: replace(p, text="\udc80"),
    "empty text": lambda p: with_payload(p, text=" ", chunk_hash=sha256(" ")),
    "other hash": lambda p: with_payload(p, chunk_hash=sha256("another")),
    "id of another text": lambda p: with_payload(p, content_hash=sha256("another")),
    "list of numbers": lambda p: with_payload(p, supersedes=[1]),
}


@pytest.mark.parametrize("damage", BAD.values(), ids=BAD.keys())
def test_one_bad_point_keeps_the_whole_batch_out(store: Any, damage: Callable[[NewPoint], NewPoint]) -> None:
    good, bad = new_points(A, TEXTS)[:2]
    with store.writing() as index:
        for write in (index.insert, index.overwrite):
            with pytest.raises(DocumentUnreadable, match="nothing was written"):
                write([good, damage(bad)])
        assert index.count_points() == 0


def test_a_point_given_twice_in_one_write_is_refused(store: Any) -> None:
    point = new_points(A, TEXTS)[0]
    with store.writing() as index, pytest.raises(DocumentUnreadable, match="given twice"):
        index.insert([point, point])


def test_a_vector_of_another_dimension_is_refused(store: Any) -> None:
    with store.writing() as index, pytest.raises(EmbedderMismatch, match="dimensions"):
        index.insert(new_points(A, TEXTS, dimension=DIMENSION + 1))


def test_a_text_without_a_word_is_stored_all_the_same(store: Any) -> None:
    put(store, new_points(A, ["---", "the"], status=Status.PUBLISHED))
    with store.reading() as index:
        assert index.count_points() == 2
        assert len(index.search(unit_vector("---"), limit=5)) == 2


# -- the collection --


def test_preparing_again_changes_nothing(store: Any) -> None:
    put(store, new_points(A, TEXTS))
    before = everything(store)
    store.prepare(EMBEDDER, DIMENSION)
    assert everything(store) == before


@pytest.mark.parametrize("other", [("another-embedder", DIMENSION), (EMBEDDER, DIMENSION + 1)])
def test_another_embedder_is_refused_and_drops_nothing(store: Any, other: tuple[str, int]) -> None:
    put(store, new_points(A, TEXTS))
    before = everything(store)
    with pytest.raises(EmbedderMismatch, match=r"nothing was\s+changed"):
        store.prepare(*other)
    assert everything(store) == before


@pytest.mark.parametrize("kind", ["fake", "edge", "local-memory", "local-folder", "http"])
def test_an_index_that_was_never_prepared_is_unavailable_and_not_empty(
    make_store: Callable[[str], Any], kind: str
) -> None:
    store = make_store(kind)
    with pytest.raises(StoreUnavailable), store.reading() as index:
        index.count_points()
    with pytest.raises(StoreUnavailable), store.writing() as index:
        index.count_points()


def test_a_session_cannot_be_used_after_its_block(store: Any) -> None:
    if hasattr(store, "points"):
        pytest.skip("the fake has nothing to close")
    put(store, new_points(A, TEXTS))
    with store.reading() as index:
        late = index.scan("helpcenter")
    with pytest.raises(StoreUnavailable, match="ended"):
        index.count_points()
    with pytest.raises(StoreUnavailable, match="ended"):
        list(late)


def test_nested_sessions_of_one_thread_see_each_others_writes(store: Any) -> None:
    with store.reading() as outside:
        put(store, new_points(A, TEXTS))
        assert outside.count_points() == 3
    with store.writing() as index:
        index.insert(new_points(C, TEXTS))
        with store.reading() as inside:
            assert inside.count_points() == 6


def test_a_failing_block_keeps_the_operations_that_were_complete(store: Any) -> None:
    with pytest.raises(ZeroDivisionError), store.writing() as index:
        index.insert(new_points(A, TEXTS)) or 1 / 0
    with store.reading() as index:
        assert index.count_points() == 3
