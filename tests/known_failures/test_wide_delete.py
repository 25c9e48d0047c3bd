"""WIDE-DELETE: a delete selector wider than meant. There is one delete function, and it names one document."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from include.domain.documents import DocumentKey, Status
from include.domain.errors import UnsafeSelector
from include.domain.selection import Selector
from include.ports import IndexStore
from include.store.edge import EdgeStore
from tests.builders import at, new_points
from tests.fakes.index import FakeIndexStore
from tests.fakes.source import FakeSource
from tests.known_failures.site import Site

ROOT = Path(__file__).parents[2]
KEY = DocumentKey("handbook", "a")


@pytest.fixture(params=["fake", "edge"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> IndexStore:
    return FakeIndexStore() if request.param == "fake" else EdgeStore(tmp_path / "index", "docs")


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Selector(None),  # type: ignore[arg-type]
        lambda: Selector(""),  # type: ignore[arg-type]
        lambda: Selector("handbook:a"),  # type: ignore[arg-type]
        lambda: Selector({"source": "handbook"}),  # type: ignore[arg-type]
        lambda: Selector([]),  # type: ignore[arg-type]
        lambda: Selector(KEY, status=""),  # type: ignore[arg-type]
        lambda: Selector(KEY, status="published"),  # type: ignore[arg-type]
        lambda: Selector(KEY, status="pending"),  # type: ignore[arg-type]
    ],
)
def test_wd_01_wd_02_an_empty_or_untyped_selector_cannot_be_made(wrong: Callable[[], Selector]) -> None:
    with pytest.raises(UnsafeSelector):
        wrong()


@pytest.mark.parametrize(("source", "doc_id"), [("", "a"), ("handbook", ""), ("", "")])
def test_wd_01_a_document_without_a_name_cannot_be_meant(source: str, doc_id: str) -> None:
    with pytest.raises(ValueError, match="needs a source and an id"):
        DocumentKey(source, doc_id)


def test_wd_01_the_delete_refuses_whatever_is_no_selector(store: Any) -> None:
    site = two_sources(store)
    before = site.chunks()
    with store.writing() as index:
        for selector in (None, "", [], {}, {"must": []}, "handbook:a", KEY):
            with pytest.raises(UnsafeSelector):
                index.delete(selector)
    assert site.chunks() == before


def test_wd_01_a_document_whose_earlier_version_had_no_chunk_removes_nothing_of_others(store: Any) -> None:
    site = two_sources(store)
    before = {chunk.point_id for chunk in site.chunks()}
    with store.writing() as index:
        index.delete(Selector(DocumentKey("handbook", "never-there")))
        index.delete(Selector(DocumentKey("handbook", "a"), only_ids=("00000000-0000-0000-0000-000000000000",)))
    assert {chunk.point_id for chunk in site.chunks()} == before


def test_wd_04_conditions_exist_as_typed_fields_only_and_a_misplaced_one_is_an_error(store: Any) -> None:
    with pytest.raises(TypeError):
        Selector(KEY, version="v1")  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Selector(KEY, must=[])  # type: ignore[call-arg]
    store.prepare("e", 8)
    with store.writing() as index:
        index.insert(new_points(KEY, ["old one", "old two"], version="v1", status=Status.PUBLISHED, fetched_at=at(0)))
        index.insert(new_points(KEY, ["new one"], version="v2", status=Status.INCOMING, fetched_at=at(10)))
        # Every narrowing narrows: together they select what each of them selects.
        narrow = Selector(KEY, older_than=at(5), status=Status.PUBLISHED)
        assert index.count(narrow) == 2
        assert index.count(Selector(KEY, older_than=at(5), status=Status.INCOMING)) == 0
        index.delete(narrow)
        assert [chunk.text for chunk in index.scan("handbook")] == ["new one"]


def test_wd_06_pruning_one_source_leaves_every_byte_of_the_other_and_of_strangers(store: Any) -> None:
    site = two_sources(store)
    with store.writing() as index:
        index.insert(new_points(DocumentKey("stranger", "a"), ["of another team"], dimension=site.embedder.dimension))
    others = [content_of(store, source) for source in ("wiki", "stranger")]
    source = FakeSource()
    source.put("b", "only b is left\nshared line")
    for number in range(20):
        source.put(f"filler-{number}", f"filler {number}")
    site.connect = source.connector
    site.night()
    site.approve()
    manifest = site.run(released=True)
    assert manifest.documents == 21
    assert "a" not in site.documents()
    assert [content_of(store, source) for source in ("wiki", "stranger")] == others
    assert manifest.foreign_points == 1, "what belongs to nobody here is counted, never touched"


def test_wd_10_equal_ids_of_two_sources_are_two_documents(store: Any) -> None:
    site = two_sources(store)
    with store.writing() as index:
        index.delete(Selector(DocumentKey("handbook", "42")))
    assert "42" not in site.documents()
    left = {chunk.text for chunk in site.chunks("wiki") if chunk.doc_id == "42"}
    assert left == {"the wiki's forty-two", "shared line"}


def test_nothing_but_the_writer_and_the_removal_calls_the_delete_of_an_index() -> None:
    callers = set()
    for path in (ROOT / "include").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "delete":
                callers.add(str(path.relative_to(ROOT)))
    outside = {name.removeprefix("include/services/") for name in callers if not name.startswith("include/store/")}
    assert outside <= {"version_writer.py", "removal.py", "erase.py"}


def two_sources(store: Any) -> Site:
    """Handbook and wiki in one collection, with documents of the same name and a line in common."""
    handbook, wiki = FakeSource("handbook"), FakeSource("wiki")
    for source in (handbook, wiki):
        source.put("42", f"the {source.name}'s forty-two\nshared line")
        source.put("a", f"a of {source.name}\nshared line")
        source.put("b", f"b of {source.name}")
    configured = ("handbook", "wiki")
    site = Site.of(handbook, store=store, configured_sources=configured)
    Site.of(wiki, store=store, clock=site.clock, configured_sources=configured).night()
    site.night()
    return site


def content_of(store: Any, source: str) -> list[object]:
    with store.reading() as index:
        chunks = sorted(index.scan(source), key=lambda chunk: chunk.point_id)
        vectors = index.vectors([str(chunk.chunk_hash) for chunk in chunks])
    return [*chunks, *(vectors[str(chunk.chunk_hash)].tobytes() for chunk in chunks)]
