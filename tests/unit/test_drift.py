"""What the ledger decides reaches the index at night, whatever else happens to the documents."""

from __future__ import annotations

from dataclasses import replace

import pytest

from include.domain.documents import DocumentKey, Marks, Status
from include.domain.manifest import DocumentState, Findings, RunState
from include.services.context import SourceContext
from include.services.judging import prepare
from tests.builders import context_of, night, no_progress
from tests.fakes.source import FakeSource

PAGES = 20


@pytest.fixture
def source() -> FakeSource:
    return FakeSource().put_pages(PAGES)


@pytest.fixture
def context(source: FakeSource) -> SourceContext:
    context = context_of(source)
    assert night(context, "fill").state is RunState.TRUE
    return context


def decide(context: SourceContext, **marks: Marks) -> None:
    """As an edit of the ledger's file, or its `git revert`: nobody tells the index."""
    context.ledger.marked["handbook"] = {name.replace("_", "-"): each for name, each in marks.items()}  # type: ignore[attr-defined]


def said(context: SourceContext, doc_id: str, name: str) -> set[object]:
    key = DocumentKey("handbook", doc_id)
    with context.store.reading() as index:
        return {chunk.status if name == "status" else chunk.metadata.get(name) for chunk in index.chunks_of([key])[key]}


def test_decisions_made_by_hand_are_found_counted_named_and_carried_out(context: SourceContext) -> None:
    decide(context, page_01=Marks(pinned=True), page_02=Marks(status=Status.ARCHIVED, metadata={"title": "Gone"}))
    manifest = night(context, "night")
    assert (manifest.state, manifest.found, manifest.remaining) == (RunState.TRUE, Findings(drifted=2), Findings())
    assert {(each.doc_id, each.state, each.detail) for each in manifest.outcomes} == {
        ("page-01", DocumentState.REFRESHED, "not as the ledger decides: pinned"),
        ("page-02", DocumentState.HIDDEN, "not as the ledger decides: overridden, status, title"),
    }
    assert (said(context, "page-01", "pinned"), said(context, "page-02", "status")) == ({True}, {"archived"})
    decide(context)
    assert night(context, "taken back").found == Findings(drifted=2)
    assert (said(context, "page-02", "title"), said(context, "page-02", "status")) == ({"page 02"}, {"published"})
    assert night(context, "again").outcomes == ()


def test_a_document_that_is_written_anyway_is_not_marked_a_second_time(
    source: FakeSource, context: SourceContext
) -> None:
    decide(context, page_01=Marks(pinned=True))
    source.put("page-01", "page 1\nedited")
    manifest = night(context, "night")
    assert [(each.doc_id, each.state) for each in manifest.outcomes] == [("page-01", DocumentState.REPLACED)]
    assert said(context, "page-01", "pinned") == {True}


def test_a_removed_document_is_not_marked(source: FakeSource, context: SourceContext) -> None:
    decide(context, page_01=Marks(pinned=True))
    source.delete("page-01")
    manifest = night(context, "night")
    assert [(each.doc_id, each.state) for each in manifest.outcomes] == [("page-01", DocumentState.DELETED)]


def test_a_document_whose_new_text_waits_for_a_person_is_marked_all_the_same(
    source: FakeSource, context: SourceContext
) -> None:
    decide(context, page_01=Marks(status=Status.ARCHIVED))
    for number in range(15):
        source.put(f"page-{number:02}", f"rewritten {number}")
    manifest = night(context, "night")
    assert manifest.state is RunState.HELD
    assert "page-01" in {change.doc_id for change in manifest.held}
    assert said(context, "page-01", "status") == {"archived"}


def test_a_document_that_cannot_be_read_is_marked_all_the_same(source: FakeSource, context: SourceContext) -> None:
    decide(context, page_01=Marks(status=Status.ARCHIVED))
    source.touch("page-01")
    source.broken = {"page-01": RuntimeError("500")}
    manifest = night(context, "night")
    assert [each.state for each in manifest.outcomes] == [DocumentState.FAILED, DocumentState.HIDDEN]
    assert said(context, "page-01", "status") == {"archived"}


def test_a_mark_that_the_index_refuses_keeps_only_its_own_document_from_being_marked(context: SourceContext) -> None:
    decide(context, page_01=Marks(pinned=True), page_02=Marks(metadata={"lang": ""}), page_03=Marks(pinned=True))
    manifest = night(context, "night")
    assert manifest.state is RunState.DEGRADED
    (failed,) = [each for each in manifest.outcomes if each.state is DocumentState.FAILED]
    assert failed.doc_id == "page-02"
    assert "lang" in failed.detail
    assert (said(context, "page-01", "pinned"), said(context, "page-03", "pinned")) == ({True}, {True})


def test_a_plan_says_what_drifted_and_changes_nothing(context: SourceContext) -> None:
    decide(context, page_01=Marks(pinned=True))
    judged = prepare(context, progress=no_progress)
    judged.reading.spool.close()
    assert judged.plan.changes == ()
    assert [d.doc_id for d in judged.inventory.documents.values() if d.drift] == ["page-01"]
    assert said(context, "page-01", "pinned") == {False}


def test_a_manifest_says_why_a_document_was_written_again_in_its_version(context: SourceContext) -> None:
    manifest = night(replace(context, read_with="other settings"), "night")
    assert {each.detail for each in manifest.outcomes} == {
        "its metadata was read by other settings than those configured now"
    }
    assert not manifest.holds
