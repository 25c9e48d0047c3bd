"""NOOP-DELETE: a delete that reports success and removes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from include.domain.documents import DocumentKey, Status
from include.domain.errors import StoreUnavailable
from include.domain.manifest import DocumentState, RunState
from include.domain.selection import Selector
from include.store.edge import EdgeStore
from tests.builders import new_points, with_payload
from tests.fakes.index import FakeIndexStore
from tests.faults import ObservedStore
from tests.known_failures.site import filled


class DeafStore:
    """A store whose delete answers, and removes nothing (`deaf`), or only the first point of what it is told."""

    def __init__(self, *, spares: int | None = None) -> None:
        self._store = FakeIndexStore()
        self._spares = spares
        self.deaf = False
        self.location = "deaf"

    def prepare(self, embedder_id: str, dimension: int) -> None:
        self._store.prepare(embedder_id, dimension)

    def reading(self) -> Any:
        return self._store.reading()

    @contextmanager
    def writing(self) -> Iterator[Any]:
        with self._store.writing() as index:
            honest = index.delete

            def delete(selector: Selector) -> None:
                spared = {i: p for i, p in self._store.points.items() if p.payload["doc_id"] == selector.key.doc_id}
                honest(selector)
                if self.deaf:
                    self._store.points |= dict(list(spared.items())[: self._spares])

            index.delete = delete
            yield index


@pytest.mark.parametrize("spares", [None, 1], ids=["nothing is removed", "one point stays"])
def test_nd_01_a_delete_that_removes_nothing_or_not_all_is_a_failure_and_is_tried_again(spares: int | None) -> None:
    store = DeafStore(spares=spares)
    source, site = filled(20, store=store)
    source.delete("page-003")
    store.deaf = True
    manifest = site.night()
    assert manifest.state is RunState.DEGRADED
    [outcome] = manifest.outcomes
    assert outcome.state is DocumentState.FAILED
    assert "left" in outcome.detail
    assert manifest.remaining is not None
    assert manifest.remaining.orphan == 1
    store.deaf = False
    assert site.night().state is RunState.TRUE
    assert "page-003" not in {chunk.doc_id for chunk in site.chunks()}


def test_nd_01_points_under_foreign_ids_are_removed_with_their_document() -> None:
    """Delete is defined on documents, not on ids that we believe the points to have."""
    source, site = filled(20)
    points = site.store.points  # type: ignore[attr-defined]
    for point_id in [i for i, point in points.items() if point.payload["doc_id"] == "page-003"]:
        points[f"{point_id[:-6]}ffffff"] = points.pop(point_id)
    source.delete("page-003")
    assert site.night().count(DocumentState.DELETED) == 1
    assert "page-003" not in {chunk.doc_id for chunk in site.chunks()}


def test_nd_04_five_changes_of_a_document_leave_the_chunks_of_the_last() -> None:
    source, site = filled(20)
    for number in range(5):
        source.put("page-003", "\n".join(f"version {number} line {line}" for line in range(number + 2)))
        manifest = site.night()
        assert site.texts()["page-003"] == [f"version {number} line {line}" for line in range(number + 2)]
        assert manifest.chunks == len(site.chunks()) == 38 + number + 2


def test_nd_05_a_store_that_is_down_while_documents_go_leaves_them_to_the_next_night() -> None:
    failing = [False]

    def on_io(operation: str) -> None:
        if failing[0] and operation == "delete":
            raise StoreUnavailable("fake: no answer")

    source, site = filled(20, store=ObservedStore(FakeIndexStore(), on_io))
    source.delete("page-003")
    failing[0] = True
    with pytest.raises(StoreUnavailable):
        site.night()
    [latest] = site.manifests.latest("handbook")
    assert latest.state is RunState.FAILED
    assert "page-003" in site.documents()
    failing[0] = False
    assert site.night().count(DocumentState.DELETED) == 1
    assert "page-003" not in site.documents()


def test_nd_08_nd_11_after_a_delete_no_read_path_finds_the_document_at_once_and_after_reopening(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    source, site = filled(20, store=EdgeStore(folder, "docs"))
    query = site.embedder.embed(["about thing 3"])[0]
    gone = DocumentKey("handbook", "page-003")
    source.delete("page-003")
    assert site.night().count(DocumentState.DELETED) == 1

    def everywhere(store: Any) -> list[object]:
        with store.reading() as index:
            return [
                *index.chunks_of([gone])[gone],
                *[chunk for chunk in index.scan("handbook") if chunk.doc_id == "page-003"],
                *[h for h in index.search(query, limit=40, statuses=list(Status)) if h.payload["doc_id"] == "page-003"],
                *[h for h in index.search_words("page 3", limit=40) if h.payload["doc_id"] == "page-003"],
                *[None] * index.count(Selector(gone)),
            ]

    assert everywhere(site.store) == []
    assert everywhere(EdgeStore(folder, "docs")) == []


def test_nd_08_within_the_session_of_the_delete_nothing_is_found_any_more(tmp_path: Path) -> None:
    store = EdgeStore(tmp_path / "index", "docs")
    store.prepare("e", 8)
    key = DocumentKey("handbook", "a")
    points = new_points(key, ["one", "two"], status=Status.PUBLISHED)
    with store.writing() as index:
        index.insert(points)
        assert index.count(Selector(key)) == 2
        index.delete(Selector(key))
        assert index.count(Selector(key)) == 0
        assert index.search(points[0].vector, limit=9) == []


def test_nd_09_points_that_name_their_document_elsewhere_are_not_taken_for_live_nor_overlooked() -> None:
    """Written by somebody else as `metadata.doc_id`: no delete of ours can reach them, so they are reported."""
    source, site = filled(20)
    stray = with_payload(
        new_points(DocumentKey("handbook", "page-003"), ["stray"], dimension=site.embedder.dimension)[0],
        doc_id=...,
        metadata={"doc_id": "page-003"},
    )
    points = site.store.points  # type: ignore[attr-defined]
    points["stray"] = type(next(iter(points.values())))(dict(stray.payload), stray.vector)
    source.delete("page-003")
    manifest = site.night()
    assert manifest.count(DocumentState.DELETED) == 1
    assert manifest.foreign_points == 1


def test_nd_09_a_document_that_has_points_and_is_asked_about_never_counts_as_deleted_with_zero_matches() -> None:
    """The planner saw the document in the index; when it is gone by the time of the delete, the result is the same."""
    source, site = filled(20)
    source.delete("page-003")
    points = site.store.points  # type: ignore[attr-defined]
    for point_id in [i for i, point in points.items() if point.payload["doc_id"] == "page-003"]:
        del points[point_id]
    manifest = site.night()
    assert manifest.count(DocumentState.DELETED) == 0, "nothing was there to delete, and nothing claims it was"
    assert manifest.state is RunState.TRUE
