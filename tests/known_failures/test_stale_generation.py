"""STALE-GENERATION: old chunks survive an update."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from include.domain.documents import Chunk, ExtractedDocument
from include.domain.manifest import DocumentState, RunState
from include.ports import IndexStore
from include.services.retrieval import Policy, retrieve
from include.store.edge import EdgeStore
from tests.builders import DIMENSION, EMBEDDER, at, line_chunks, sha256
from tests.connector_sources import GitRepository
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.index import FakeIndexStore
from tests.fakes.source import FakeSource
from tests.known_failures.pages import publish_page, publish_pages
from tests.known_failures.site import Site, filled


def lines(count: int, mark: str = "") -> str:
    return "\n".join(f"line {number}{mark}" for number in range(count))


def assert_one_generation(site: Site) -> None:
    """Every document has one version, whole, and nothing else is stored for it."""
    by_document: dict[object, list] = {}
    for chunk in site.chunks():
        by_document.setdefault(chunk.doc_id, []).append(chunk)
    for chunks in by_document.values():
        assert len({(chunk.doc_version, chunk.content_hash, chunk.pipeline) for chunk in chunks}) == 1
        assert sorted(chunk.chunk_index for chunk in chunks) == list(range(chunks[0].chunk_count))


def test_sg_01_deleted_and_added_again_four_times_there_is_one_version() -> None:
    source, site = filled(20)
    body = source.pages["page-003"].body
    for _ in range(4):
        source.delete("page-003")
        assert site.night().state is RunState.TRUE
        assert "page-003" not in site.documents()
        source.put("page-003", body)
        assert site.night().state is RunState.TRUE
        assert site.texts()["page-003"] == body.decode().splitlines()
        assert_one_generation(site)
    assert len(site.chunks()) == 40


def test_sg_02_one_changed_sentence_replaces_the_version_of_the_document() -> None:
    source, site = filled(20)
    source.put("page-003", "page 3\nabout another thing")
    manifest = site.night()
    assert [(o.doc_id, o.state, o.embedded) for o in manifest.outcomes] == [("page-003", DocumentState.REPLACED, 1)]
    assert site.texts()["page-003"] == ["page 3", "about another thing"]
    assert_one_generation(site)


@pytest.mark.parametrize("left", [[0, 1], [0, 2], [1, 2], [2], [2, 0]], ids=str)
def test_sg_04_a_document_that_only_lost_a_part_loses_it_in_the_index_although_nothing_is_embedded(
    left: Sequence[int],
) -> None:
    source, site = filled(20)
    source.put("page-003", lines(3))
    site.night()
    embedded = len(site.embedder.embedded)
    source.put("page-003", "\n".join(f"line {number}" for number in left))
    assert site.night().state is RunState.TRUE
    assert site.texts()["page-003"] == [f"line {number}" for number in left]
    assert len(site.embedder.embedded) == embedded
    assert_one_generation(site)


def test_sg_07_pages_of_a_release_that_leaves_the_listing_go_although_the_next_release_has_other_addresses() -> None:
    source = FakeSource()
    for number in range(20):
        source.put(f"docs/page-{number}", f"page {number}")
    source.put("docs/1.0.0/x", "how to install\nfor version 1.0.0")
    site = Site.of(source)
    site.night()
    source.put("docs/1.0.1/x", "how to install\nfor version 1.0.1")
    site.night()
    both = {doc_id for doc_id in site.documents() if doc_id.endswith("/x")}
    assert both == {"docs/1.0.0/x", "docs/1.0.1/x"}, "as long as the source publishes both, both are documents"
    source.delete("docs/1.0.0/x")
    site.night()
    assert [text for texts in site.texts().values() for text in texts if "1.0.0" in text] == []


def test_sg_09_a_page_that_shrinks_from_twenty_chunks_to_three_has_three() -> None:
    source, site = filled(20)
    source.put("page-003", lines(20))
    site.night()
    source.put("page-003", lines(3, " rewritten"))
    site.night()
    assert site.texts()["page-003"] == [f"line {number} rewritten" for number in range(3)]
    assert_one_generation(site)


def test_sg_09_another_chunk_size_makes_every_document_outdated_without_anybody_asking() -> None:
    _, site = filled(20)

    def whole(document: ExtractedDocument) -> tuple[Chunk, ...]:
        return (Chunk(0, document.text, "", sha256(document.text)),)

    site.chunk, site.pipeline = whole, "pipeline-2"
    manifest = site.night()
    assert manifest.found is not None
    assert manifest.found.outdated == 20
    assert manifest.state is RunState.TRUE
    assert {len(texts) for texts in site.texts().values()} == {1}
    assert_one_generation(site)
    assert site.night().outcomes == ()


def test_ten_refreshes_write_nothing_and_the_number_of_points_stays_the_same() -> None:
    _, site = filled(20)
    before, embedded = site.chunks(), len(site.embedder.embedded)
    for _ in range(10):
        assert site.night().outcomes == ()
        assert site.day().outcomes == ()
    assert site.chunks() == before
    assert len(site.embedder.embedded) == embedded


def test_growing_shrinking_and_shuffling_leave_exactly_the_last_state() -> None:
    source, site = filled(20)
    for count, mark in [(5, ""), (9, ""), (2, ""), (9, " b"), (9, ""), (1, " b"), (30, "")]:
        source.put("page-003", lines(count, mark))
        site.night()
        assert site.texts()["page-003"] == lines(count, mark).splitlines()
        assert_one_generation(site)


@pytest.mark.parametrize("engine", ["fake", "edge"])
def test_a_version_that_a_killed_run_left_beside_its_successor_is_never_the_answer(engine: str, tmp_path: Path) -> None:
    """Published, and killed before the older chunks were removed: until the next run both can be read. What is asked
    for stands in the old text only, and so many other chunks fit better than the new one that it is not found."""
    store: IndexStore = FakeIndexStore() if engine == "fake" else EdgeStore(tmp_path / "index", "docs")
    embedder = FakeEmbedder(dimension=DIMENSION)
    store.prepare(EMBEDDER, DIMENSION)
    publish_page(store, embedder, "page", "refund within 60 days", fetched_at=at(1))
    publish_pages(store, embedder, {f"other-{number}": f"refund story {number}" for number in range(9)})
    publish_page(store, embedder, "page", "money comes back in a month", "and no later", fetched_at=at(2))
    for limit in (1, 3):
        found = retrieve(store, embedder, "refund within 60 days", now=at(9), limit=limit, policy=Policy(overfetch=1))
        assert "refund within 60 days" not in found.texts
        assert found.shown


def test_leftovers_of_a_version_that_nobody_knows_any_more_are_found_and_removed() -> None:
    """What a crashed or foreign writer left behind is in no ledger; the index itself is read."""
    source, site = filled(20)
    old = line_chunks_of(source, site, "page-003", "an older text\nof three\nlines")
    source.put("page-003", "page 3\nabout thing 3")
    site.night()
    site.store.points.update(old)  # type: ignore[attr-defined]
    manifest = site.night()
    assert manifest.found is not None
    assert manifest.found.partial == 1
    assert site.texts()["page-003"] == ["page 3", "about thing 3"]
    assert_one_generation(site)


@pytest.mark.parametrize("damage", ["lost", "another text", "another place", "hidden"])
def test_a_chunk_that_was_damaged_behind_our_back_is_found_and_put_right(damage: str) -> None:
    """The version still matches the source, so that no comparison of versions would ever look again."""
    _, site = filled(20)
    points = site.store.points  # type: ignore[attr-defined]
    hurt = next(i for i, p in points.items() if (p.payload["doc_id"], p.payload["chunk_index"]) == ("page-003", 1))
    match damage:
        case "lost":
            del points[hurt]
        case "another text":
            points[hurt].payload["text"] = "something else"
        case "another place":
            points[hurt].payload["chunk_index"] = 7
        case "hidden":
            points[hurt].payload["status"] = "archived"
    manifest = site.night()
    assert manifest.found is not None
    assert manifest.found.partial == 1
    assert manifest.state is RunState.TRUE
    assert site.texts()["page-003"] == ["page 3", "about thing 3"]
    assert {chunk.status for chunk in site.chunks()} == {"published"}
    assert_one_generation(site)


def line_chunks_of(source: FakeSource, site: Site, doc_id: str, text: str) -> dict:
    """The points that a document would have with this text, as they are stored."""
    source.put(doc_id, text)
    site.night()
    return {i: p for i, p in site.store.points.items() if p.payload["doc_id"] == doc_id}  # type: ignore[attr-defined]


def test_a_renamed_file_leaves_nothing_under_its_old_name(tmp_path) -> None:
    files = {f"page-{number}.md": f"# Page {number}\n\nText {number}.\n" for number in range(20)}
    repository = GitRepository.create(tmp_path / "r", files)
    site = Site.of_git(repository.folder, tmp_path, chunk=line_chunks)
    site.night()
    embedded = len(site.embedder.embedded)
    repository.git("mv", "page-3.md", "renamed.md")
    repository.commit_all()
    assert site.night().state is RunState.TRUE
    assert "page-3.md" not in site.documents()
    assert site.texts()["renamed.md"] == ["# Page 3", "Text 3."]
    assert len(site.embedder.embedded) == embedded
