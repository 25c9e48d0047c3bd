"""An erased document leaves nothing in any store: no point, and on disk no byte."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from include.domain.documents import DocumentKey
from include.domain.erasure import Ending
from include.store.edge import EdgeStore
from include.store.server import ServerStore
from tests.builders import DIMENSION, EMBEDDER, new_points, publish, sha256, unit_vector
from tests.fakes.qdrant_http import serving

JANE, JOHN, NAMESAKE = DocumentKey("handbook", "jane"), DocumentKey("handbook", "john"), DocumentKey("site", "jane")
CANARY = "canary-of-jane-7f3a9c"


@pytest.fixture(params=["edge", "local-folder", "http", pytest.param("server", marks=pytest.mark.server)])
def filled(request: pytest.FixtureRequest, make_store: Callable[[str], Any]) -> Any:
    store = make_store(request.param)
    store.prepare(EMBEDDER, DIMENSION)
    with store.writing() as index:
        for key in (JANE, JOHN, NAMESAKE):
            name = CANARY if key == JANE else f"{key.source}-{key.doc_id}"
            points = new_points(key, [f"{name} says {number}" for number in range(4)])
            index.insert(points)
            publish(index, points)
    return store


def everything(store: Any) -> tuple[Any, ...]:
    """What readers can learn of the two documents that stay."""
    texts = [f"{key.source}-{key.doc_id} says {number}" for key in (JOHN, NAMESAKE) for number in range(4)]
    with store.reading() as index:
        chunks = index.chunks_of([JOHN, NAMESAKE])
        vectors = index.vectors([sha256(text) for text in texts])
        found = index.hybrid(unit_vector(texts[0]), texts[0], limit=8, sources=["site"])
        return (
            {key: sorted(chunks[key], key=lambda chunk: chunk.point_id) for key in (JOHN, NAMESAKE)},
            {name: vector.tobytes() for name, vector in vectors.items()},
            {hit.point_id: hit.payload for hit in found.fused},
        )


def bytes_below(folder: Path, text: str) -> list[str]:
    return [str(file) for file in folder.rglob("*") if file.is_file() and text.encode() in file.read_bytes()]


def test_an_erased_document_is_gone_and_nothing_else_is(filled: Any, tmp_path: Path) -> None:
    before = everything(filled)
    erasing = filled.erasing()
    assert erasing.count_everywhere([JANE]) == 4
    report = erasing.erase([JANE])
    assert (report.before, report.after) == (4, 0)
    assert erasing.count_everywhere([JANE]) == 0
    assert erasing.count_everywhere([JANE, JOHN, NAMESAKE]) == 8
    assert everything(filled) == before
    assert not any(CANARY in str(payload) for payload in erasing.points_everywhere())
    assert bytes_below(tmp_path, CANARY) == []


def test_to_erase_again_changes_nothing(filled: Any) -> None:
    erasing = filled.erasing()
    erasing.erase([JANE])
    before = everything(filled)
    assert erasing.erase([JANE]).before == 0
    assert everything(filled) == before


def test_snapshots_of_a_collection_are_taken_anew_and_those_of_the_server_are_named() -> None:
    with serving() as (url, server):
        store = ServerStore(url, "docs", pause=lambda seconds: None)
        store.prepare(EMBEDDER, DIMENSION)
        with store.writing() as index:
            index.insert(new_points(JANE, [CANARY]))
        (collection,) = [each.name for each in server.client.get_collections().collections]
        server.snapshots = {f"collections/{collection}/": ["monday", "tuesday"], "": ["whole"]}
        report = store.erasing().erase([JANE])
        assert server.snapshots == {f"collections/{collection}/": ["anew"], "": ["whole"]}
    assert report.ending is Ending.OPEN
    assert "2 snapshots are gone" in report.open
    assert "whole" in report.open
    asked = [(method, path) for method, path, _, _ in server.requests]
    assert asked.index(("POST", f"/collections/{collection}/snapshots")) > asked.index(
        ("PATCH", f"/collections/{collection}")
    )


def test_text_that_was_deleted_long_ago_leaves_the_files_too(tmp_path: Path) -> None:
    from include.domain.selection import Selector

    store = EdgeStore(tmp_path / "edge", "docs", lock_timeout=20)
    store.prepare(EMBEDDER, DIMENSION)
    with store.writing() as index:
        index.insert(new_points(JANE, [CANARY]))
        index.delete(Selector(JANE))
    assert bytes_below(tmp_path, CANARY), "the engine removes deleted text by itself now; the copy may not be needed"
    assert store.erasing().erase([JANE]).ending is Ending.NOTHING
    assert bytes_below(tmp_path, CANARY) == []


@pytest.mark.parametrize("step", ["finished", "repoint", "rmtree"])
def test_an_erasure_that_is_killed_is_finished_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    import shutil

    store = EdgeStore(tmp_path / "edge", "docs", lock_timeout=20)
    store.prepare(EMBEDDER, DIMENSION)
    with store.writing() as index:
        for key in (JANE, JOHN):
            points = new_points(key, [CANARY if key == JANE else "john"])
            index.insert(points)
            publish(index, points)

    class Killed(BaseException):
        pass

    def kill(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(shutil if step == "rmtree" else EdgeStore, step, kill)
        with pytest.raises(Killed):
            store.erasing().erase([JANE])
    with store.writing() as index:  # life goes on in between
        assert index.count_points() in (1, 2)
        points = new_points(DocumentKey("handbook", "new"), ["written after the crash"])
        index.insert(points)
        publish(index, points)
    store.erasing().erase([JANE])
    assert bytes_below(tmp_path, CANARY) == []
    with store.reading() as index:
        assert {chunk.doc_id for chunk in index.scan("handbook")} == {"john", "new"}
    assert len(list((tmp_path / "edge").glob("docs.*"))) == 1
