"""Looking again at named documents: what is done at once, and what is left to the night."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from uuid import uuid4

import pytest

from include.domain.documents import DocumentKey, Status
from include.domain.errors import EmbedderMismatch
from include.domain.manifest import DocumentState, Manifest, RunState
from include.domain.plan import HoldReason
from include.planning.limits import Limits
from include.services.context import SourceContext
from include.services.look_again import look_again
from tests.builders import context_of, night, no_progress
from tests.fakes.index import FakeIndexStore
from tests.fakes.source import FakeConnector, FakeSource
from tests.faults import ObservedStore

PAGES = 40


@pytest.fixture
def source() -> FakeSource:
    return FakeSource().put_pages(PAGES)


def filled(source: FakeSource, **options: object) -> SourceContext:
    context = context_of(source, **options)  # type: ignore[arg-type]
    assert night(context, "fill").state is RunState.TRUE
    connector = context.connector
    assert isinstance(connector, FakeConnector)
    connector.fetched.clear()
    return context


def look(context: SourceContext, doc_ids: Collection[str] | None) -> Manifest:
    return look_again(context, doc_ids, dag_id="follow_events", run_id=uuid4().hex, progress=no_progress)


def fetched(context: SourceContext) -> list[str]:
    assert isinstance(context.connector, FakeConnector)
    return context.connector.fetched


def text_of(context: SourceContext, doc_id: str) -> str:
    key = DocumentKey(context.source, doc_id)
    with context.store.reading() as index:
        chunks = [chunk for chunk in index.chunks_of([key])[key] if chunk.status != Status.INCOMING]
    return "\n".join(str(chunk.text) for chunk in sorted(chunks, key=lambda chunk: chunk.chunk_index or 0))


def states(manifest: Manifest) -> dict[str, DocumentState]:
    return {outcome.doc_id: outcome.state for outcome in manifest.outcomes}


def test_only_named_documents_are_touched_and_each_is_read_once(source: FakeSource) -> None:
    context = filled(source)
    source.put("page-01", "another text")
    source.put("page-02", "not named by anybody")
    source.put("new", "a new page")
    source.delete("page-03")
    source.hide("page-04")
    manifest = look(context, ["page-01", "new", "page-03", "page-04", "page-05", "never-heard-of"])
    assert manifest.state is RunState.INGESTED
    assert states(manifest) == {
        "page-01": DocumentState.REPLACED,
        "new": DocumentState.CREATED,
        "page-03": DocumentState.DELETED,
        "page-04": DocumentState.DELETED,
    }
    assert sorted(fetched(context)) == ["new", "page-01"]
    assert [text_of(context, doc_id) for doc_id in ("page-01", "new", "page-03")] == ["another text", "a new page", ""]
    assert text_of(context, "page-02") == "page 2\nabout thing 2"


def test_a_name_that_changed_nothing_writes_nothing(source: FakeSource) -> None:
    operations: list[str] = []
    context = filled(source, store=ObservedStore(FakeIndexStore(), operations.append))
    operations.clear()
    manifest = look(context, ["page-01", "draft-that-nobody-sees"])
    assert (manifest.state, manifest.outcomes, fetched(context)) == (RunState.INGESTED, (), [])
    assert not {"insert", "overwrite", "set_payload", "delete"} & set(operations)


def test_a_named_document_whose_state_cannot_be_read_is_listed_and_keeps_its_text(source: FakeSource) -> None:
    context = filled(source)
    source.put("page-01", "another text")
    source.unreadable = {"page-01": "status is missing", "page-02": "status is missing"}
    manifest = look(context, ["page-01"])
    assert (manifest.state, states(manifest)) == (RunState.DEGRADED, {"page-01": DocumentState.FAILED})
    assert (fetched(context), text_of(context, "page-01")) == ([], "page 1\nabout thing 1")


def test_without_a_name_everything_that_changed_is_looked_at(source: FakeSource) -> None:
    context = filled(source)
    source.put("page-01", "another text")
    source.delete("page-03")
    assert states(look(context, None)) == {"page-01": DocumentState.REPLACED, "page-03": DocumentState.DELETED}


def test_removals_by_name_fill_the_same_window_as_those_of_the_night(source: FakeSource) -> None:
    context = filled(source, limits=Limits(window_percent=5))
    for number in range(4):
        source.delete(f"page-{number:02}")
        manifest = look(context, [f"page-{number:02}"])
    assert states(manifest) == {"page-03": DocumentState.HELD}
    assert manifest.state is RunState.DEGRADED
    assert text_of(context, "page-03") != ""
    assert night(context, "night").state is RunState.HELD


def test_what_waits_for_a_person_does_not_slip_in_by_name(source: FakeSource) -> None:
    context = filled(source)
    gone = [f"page-{number:02}" for number in range(6)]
    for doc_id in gone:
        source.delete(doc_id)
    held = night(context, "night")
    assert held.state is RunState.HELD
    for number in range(40, 140):  # the source grows, and six of it are few now
        source.put(f"page-{number}", f"page {number}")
    manifest = look(context, gone)
    assert set(states(manifest).values()) == {DocumentState.HELD}
    assert context.ledger.held(context.source).checksum == held.held_checksum  # type: ignore[union-attr]


def test_the_question_of_the_night_is_neither_opened_nor_closed_by_a_look(source: FakeSource) -> None:
    context = filled(source)
    for number in range(10):
        source.delete(f"page-{number:02}")
    assert look(context, ["page-00"]).state is RunState.DEGRADED
    assert context.ledger.held(context.source) is None


def test_a_look_with_other_rights_is_no_measure_for_the_night_after_it(source: FakeSource) -> None:
    source.scope = "user 7 (editor)"
    context = filled(source)
    source.scope = "user 7 (reader)"
    source.hide("page-03")
    assert states(look(context, ["page-03"])) == {"page-03": DocumentState.HELD}
    manifest = night(context, "night")
    assert [hold.reason for hold in manifest.holds] == [HoldReason.SCOPE_CHANGED]
    assert text_of(context, "page-03") != ""


def test_a_day_full_of_events_does_not_make_the_night_forget_its_rights(source: FakeSource) -> None:
    source.scope = "user 7 (editor)"
    context = filled(source)
    for _ in range(60):
        look(context, ["page-05"])
    source.scope = "user 7 (reader)"
    source.hide("page-03")
    assert [hold.reason for hold in night(context, "night").holds] == [HoldReason.SCOPE_CHANGED]


def test_a_listing_that_proves_nothing_still_brings_in_what_it_shows(source: FakeSource) -> None:
    context = filled(source)
    source.put("page-01", "another text")
    source.delete("page-03")
    source.problem = "the list changed while it was read"
    manifest = look(context, ["page-01", "page-03"])
    assert states(manifest) == {"page-01": DocumentState.REPLACED, "page-03": DocumentState.HELD}
    assert text_of(context, "page-03") != ""


@pytest.mark.parametrize("fault", [{"down": True}, {"scope_verified": False}])
def test_a_source_that_cannot_be_believed_changes_nothing_and_leaves_a_manifest(
    source: FakeSource, fault: dict[str, bool]
) -> None:
    context = filled(source)
    source.put("page-01", "half a text")
    source.delete("page-03")
    for name, value in fault.items():
        setattr(source, name, value)
    manifest = look(context, ["page-01", "page-03"])
    assert (manifest.state, manifest.outcomes) == (RunState.UNPROVEN, ())
    assert context.manifests.load("follow_events", manifest.run_id, context.source) == manifest
    assert text_of(context, "page-01") != "half a text"


def test_a_source_that_gives_no_clear_answer_keeps_the_named_document(source: FakeSource) -> None:
    context = filled(source)
    source.delete("page-03")
    source.mute = True
    assert states(look(context, ["page-03"])) == {"page-03": DocumentState.KEPT}
    assert text_of(context, "page-03") != ""


def test_a_login_page_does_not_come_in_one_by_one(source: FakeSource) -> None:
    context = filled(source)
    for number in range(12):
        source.put(f"page-{number:02}", "Please log in")
        look(context, [f"page-{number:02}"])
    taken = [doc_id for doc_id in source.pages if text_of(context, doc_id) == "Please log in"]
    assert len(taken) <= PAGES * context.limits.same_text_percent / 100


def test_a_run_that_breaks_off_says_so_and_what_it_did(source: FakeSource) -> None:
    def refuse(operation: str) -> None:
        if operation == "delete":
            raise EmbedderMismatch("the store was replaced meanwhile")

    store = FakeIndexStore()
    context = filled(source, store=store)
    source.delete("page-03")
    context = replace(context, store=ObservedStore(store, refuse))
    with pytest.raises(EmbedderMismatch):
        look(context, ["page-03"])
    (manifest,) = context.manifests.latest(context.source, dag_id="follow_events")
    assert manifest.state is RunState.FAILED
    assert manifest.planned_removals == 1
