"""Whole runs over a source that misbehaves: what goes wrong stays where it happened, and the next run finishes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from include.domain.documents import DocumentKey, Status
from include.domain.errors import (
    ConfigError,
    DocumentUnreadable,
    EmbedderMismatch,
    ListingNotProven,
    SourceUnavailable,
    StoreUnavailable,
)
from include.domain.manifest import DocumentState, Findings, Manifest, RunState
from include.ports import NewPoint, Vectors
from include.services.context import SourceContext
from include.services.ingest import find_changed
from tests.builders import context_of, day, night
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.index import FakeIndexStore
from tests.fakes.source import FakeSource
from tests.faults import Crash, CrashAt, ObservedStore

PAGES = 25
SUCCESS = {night: RunState.TRUE, day: RunState.INGESTED}
WRITES = {"insert", "overwrite", "set_payload", "delete"}


@pytest.fixture
def source() -> FakeSource:
    source = FakeSource()
    for number in range(PAGES):
        source.put(f"page-{number:02}", f"page {number}\nabout thing {number}")
    return source


def filled(source: FakeSource, **options: Any) -> SourceContext:
    context = context_of(source, **options)
    assert night(context, "fill").state is RunState.TRUE
    return context


def text_of(context: SourceContext, doc_id: str) -> str:
    key = DocumentKey(context.source, doc_id)
    with context.store.reading() as index:
        chunks = [c for c in index.chunks_of([key])[key] if c.status != Status.INCOMING]
    return "\n".join(str(c.text) for c in sorted(chunks, key=lambda chunk: chunk.chunk_index or 0))


def is_true(context: SourceContext, source: FakeSource) -> bool:
    return {doc_id: text_of(context, doc_id) for doc_id in source.pages} == {
        doc_id: page.body.decode() if not page.draft else "" for doc_id, page in source.pages.items()
    }


def outcome(manifest: Manifest, doc_id: str) -> tuple[DocumentState, str]:
    (found,) = [outcome for outcome in manifest.outcomes if outcome.doc_id == doc_id]
    return found.state, found.detail


# -- nothing to do --


@pytest.mark.parametrize("run", [night, day])
def test_a_second_run_on_an_unchanged_source_writes_and_embeds_nothing(run: Any, source: FakeSource) -> None:
    operations: list[str] = []
    embedder = FakeEmbedder()
    context = filled(source, store=ObservedStore(FakeIndexStore(), operations.append), embedder=embedder)
    operations.clear()
    embedder.embedded.clear()
    manifest = run(context, "again")
    assert (manifest.state, manifest.outcomes, embedder.embedded) == (SUCCESS[run], (), [])
    assert not WRITES & set(operations)


def test_a_change_beside_the_text_embeds_nothing_and_moves_no_point(source: FakeSource) -> None:
    store, embedder = FakeIndexStore(), FakeEmbedder()
    context = filled(source, store=store, embedder=embedder)
    before = set(store.points)
    embedder.embedded.clear()
    source.touch("page-03")
    manifest = night(context, "night")
    assert outcome(manifest, "page-03")[0] is DocumentState.REFRESHED
    assert set(store.points) == before
    assert embedder.embedded == []


def test_only_changed_chunks_are_embedded(source: FakeSource) -> None:
    embedder = FakeEmbedder()
    context = filled(source, embedder=embedder)
    embedder.embedded.clear()
    source.put("page-03", "page 3\na new line\nabout thing 3")
    manifest = night(context, "night")
    assert embedder.embedded == ["a new line"]
    (replaced,) = manifest.outcomes
    assert (replaced.embedded, replaced.reused, replaced.minimum) == (1, 2, 1)


def test_a_rename_embeds_nothing_and_is_never_under_neither_name(source: FakeSource) -> None:
    embedder, seen = FakeEmbedder(), []
    store = FakeIndexStore()
    context = filled(source, store=store, embedder=embedder)
    embedder.embedded.clear()
    source.pages["renamed"] = source.pages.pop("page-03")

    def look(_operation: str) -> None:
        readable = {p.payload["doc_id"] for p in store.points.values() if p.payload["status"] == "published"}
        seen.append(bool({"page-03", "renamed"} & readable))

    store.on_io = look
    assert night(context, "night").state is RunState.TRUE
    assert embedder.embedded == []
    assert all(seen)
    assert text_of(context, "page-03") == ""


# -- documents that go wrong --


@pytest.mark.parametrize("run", [night, day])
@pytest.mark.parametrize(
    "fault", [DocumentUnreadable("half a page"), SourceUnavailable("time-out"), ValueError("day is out of range")]
)
def test_one_bad_document_fails_alone_keeps_its_last_version_and_is_tried_again(
    run: Any, fault: Exception, source: FakeSource
) -> None:
    context = filled(source)
    source.put("page-03", "page 3\nedited")
    source.put("page-04", "page 4\nedited")
    source.broken["page-03"] = fault
    manifest = run(context, "bad")
    assert manifest.state is RunState.DEGRADED
    assert outcome(manifest, "page-03") == (DocumentState.FAILED, str(fault))
    assert text_of(context, "page-03") == "page 3\nabout thing 3"
    assert text_of(context, "page-04") == "page 4\nedited"
    source.broken.clear()
    assert run(context, "good").state in (RunState.TRUE, RunState.INGESTED)
    assert is_true(context, source)


@pytest.mark.parametrize("body", [b"", b"   \n", b"\x00\x01\x02\xff\xfe" * 20])
def test_a_page_without_usable_text_keeps_its_last_version(body: bytes, source: FakeSource) -> None:
    context = filled(source)
    source.put("page-03", body)
    manifest = night(context, "night")
    assert outcome(manifest, "page-03")[0] is DocumentState.FAILED
    assert text_of(context, "page-03") == "page 3\nabout thing 3"


def test_a_document_that_the_listing_cannot_read_is_neither_fetched_nor_removed(source: FakeSource) -> None:
    context = filled(source)
    source.put("page-03", "page 3\nedited")
    source.unreadable["page-03"] = "its front matter has a date of 30 February"
    manifest = night(context, "night")
    assert manifest.state is RunState.DEGRADED
    assert outcome(manifest, "page-03") == (DocumentState.FAILED, "its front matter has a date of 30 February")
    assert text_of(context, "page-03") == "page 3\nabout thing 3"


def test_documents_in_are_documents_out_plus_listed_failures(source: FakeSource) -> None:
    for number in range(0, PAGES, 3):
        source.broken[f"page-{number:02}"] = DocumentUnreadable("broken")
    manifest = night(context_of(source), "fill")
    assert manifest.documents == manifest.count(DocumentState.CREATED) == PAGES - len(source.broken)
    assert manifest.count(DocumentState.FAILED) == len(source.broken)
    assert {o.doc_id for o in manifest.outcomes} == set(source.pages)


def test_an_outage_in_the_middle_of_reading_changes_nothing_and_says_so(source: FakeSource) -> None:
    context = filled(source)
    for doc_id in source.pages:
        source.put(doc_id, f"{doc_id}\nedited")
        source.broken[doc_id] = SourceUnavailable("502")
    manifest = night(context, "night")
    assert manifest.state is RunState.UNPROVEN
    assert "no answer for 20 documents in a row" in manifest.reason
    assert text_of(context, "page-03") == "page 3\nabout thing 3"


# -- between listing and reading --


def test_a_document_edited_between_listing_and_reading_is_stored_as_read(source: FakeSource) -> None:
    context = filled(source)
    source.put("page-03", "page 3\nfirst edit")
    edits = iter(["page 3\nsecond edit"])
    source.before_fetch = lambda doc_id: source.put(doc_id, text) if (text := next(edits, "")) else None
    manifest = night(context, "night")
    assert manifest.state is RunState.TRUE
    assert text_of(context, "page-03") == "page 3\nsecond edit"
    assert night(context, "again").outcomes == ()


@pytest.mark.parametrize("how", ["delete", "hide"])
def test_a_document_that_vanishes_between_listing_and_reading_is_left_to_the_next_night(
    how: str, source: FakeSource
) -> None:
    context = filled(source)
    source.put("page-03", "page 3\nedited")
    source.before_fetch = lambda doc_id: getattr(source, how)(doc_id)
    manifest = night(context, "night")
    assert outcome(manifest, "page-03")[0] is DocumentState.VANISHED
    assert text_of(context, "page-03") == "page 3\nabout thing 3", "one answer is a hint, the next listing is the proof"
    source.before_fetch = lambda doc_id: None
    assert night(context, "again").state is RunState.TRUE
    assert text_of(context, "page-03") == ""


def test_a_document_published_again_between_listing_and_removal_is_kept(source: FakeSource) -> None:
    context = filled(source)
    page = source.pages.pop("page-03")
    source.put("page-04", "page 4\nedited")

    def restore(_doc_id: str) -> None:
        source.pages["page-03"] = page

    source.before_fetch = restore
    manifest = night(context, "night")
    assert outcome(manifest, "page-03")[0] is DocumentState.KEPT
    assert text_of(context, "page-03") == "page 3\nabout thing 3"
    assert night(context, "again").state is RunState.TRUE


# -- a listing that proves nothing --


@pytest.mark.parametrize(
    "fault",
    [
        {"down": True},
        {"problem": "the site answered with an HTML login page"},
        {"scope_verified": False},
        {"cut_off": 10},
        {"cut_off": 0},
        {"pages": {}},
    ],
    ids=str,
)
def test_a_listing_that_proves_nothing_changes_nothing_and_says_why(
    fault: dict[str, object], source: FakeSource
) -> None:
    context = filled(source)
    for name, value in fault.items():
        setattr(source, name, value)
    manifest = night(context, "night")
    assert manifest.state is RunState.UNPROVEN
    assert manifest.reason
    assert (manifest.outcomes, manifest.documents) == ((), PAGES)
    assert text_of(context, "page-03") == "page 3\nabout thing 3"


def test_problems_of_the_listing_suite_stop_the_night(source: FakeSource) -> None:
    context = filled(source)
    strict = context_of(source, store=context.store, listing_problems=lambda listing: ["an id is blank"])
    manifest = night(strict, "night")
    assert manifest.state is RunState.UNPROVEN
    assert "an id is blank" in manifest.reason


def test_problems_of_the_index_suite_fail_the_night(source: FakeSource) -> None:
    manifest = night(context_of(source, index_problems=lambda inventory: ["a status is unknown"]), "night")
    assert manifest.state is RunState.FAILED
    assert "a status is unknown" in manifest.reason


def test_an_ingest_with_an_unverified_scope_reads_nothing(source: FakeSource) -> None:
    context = filled(source)
    source.scope_verified = False
    source.put("page-03", "page 3\nedited")
    with pytest.raises(ListingNotProven, match="scope"):
        find_changed(context)


# -- embedder and store --


class _FailingEmbedder(FakeEmbedder):
    """Well until told otherwise."""

    fault: Exception | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self.fault is not None:
            raise self.fault
        return super().embed(texts)


@pytest.mark.parametrize("fault", [EmbedderMismatch("384 dimensions"), StoreUnavailable("429")])
def test_an_embedder_that_raises_leaves_every_old_version_and_the_run_fails(
    fault: Exception, source: FakeSource
) -> None:
    embedder = _FailingEmbedder()
    store = FakeIndexStore()
    context = filled(source, embedder=embedder, store=store)
    before = dict(store.points)
    embedder.fault = fault
    source.put("page-03", "page 3\nedited")
    with pytest.raises(type(fault)):
        night(context, "night")
    assert store.points == before
    assert context.manifests.latest("handbook")[0].state is RunState.FAILED
    embedder.fault = None
    assert night(context, "again").state is RunState.TRUE
    assert is_true(context, source)


def test_a_text_that_the_embedder_refuses_fails_alone(source: FakeSource) -> None:
    context = filled(source, embedder=FakeEmbedder(max_tokens=20))
    source.put("page-03", "word " * 30)
    source.put("page-04", "page 4\nedited")
    manifest = night(context, "night")
    assert manifest.state is RunState.DEGRADED
    assert outcome(manifest, "page-03")[0] is DocumentState.FAILED
    assert (text_of(context, "page-03"), text_of(context, "page-04")) == ("page 3\nabout thing 3", "page 4\nedited")


class _Refusing(FakeIndexStore):
    """Refuses a write that has a certain text in it."""

    refused = ""
    fault: Exception = ConfigError("the store refused the request with 400")

    def check(self, points: Sequence[NewPoint]) -> None:
        if self.refused and any(self.refused in point.text for point in points):
            raise self.fault


@pytest.fixture
def refusing(monkeypatch: pytest.MonkeyPatch) -> _Refusing:
    from tests.fakes import index as fake

    store, insert = _Refusing(), fake.FakeIndex.insert

    def checked(self: fake.FakeIndex, points: Sequence[NewPoint]) -> None:
        store.check(points)
        insert(self, points)

    monkeypatch.setattr(fake.FakeIndex, "insert", checked)
    return store


def test_a_store_that_refuses_one_point_leaves_that_documents_last_version(
    refusing: _Refusing, source: FakeSource
) -> None:
    context = filled(source, store=refusing)
    refusing.refused = "poison"
    source.put("page-03", "page 3\npoison\nmore")
    source.put("page-04", "page 4\nedited")
    manifest = night(context, "night")
    assert manifest.state is RunState.DEGRADED
    assert outcome(manifest, "page-03") == (DocumentState.FAILED, str(refusing.fault))
    assert (text_of(context, "page-03"), text_of(context, "page-04")) == ("page 3\nabout thing 3", "page 4\nedited")
    refusing.refused = ""
    assert night(context, "again").state is RunState.TRUE
    assert is_true(context, source)


def test_a_store_that_is_unavailable_stops_the_run_and_the_next_one_finishes(
    refusing: _Refusing, source: FakeSource
) -> None:
    context = filled(source, store=refusing)
    refusing.refused, refusing.fault = "poison", StoreUnavailable("connection refused")
    source.put("page-03", "page 3\npoison")
    with pytest.raises(StoreUnavailable):
        night(context, "night")
    assert text_of(context, "page-03") == "page 3\nabout thing 3"
    refusing.refused = ""
    assert night(context, "again").state is RunState.TRUE
    assert is_true(context, source)


def test_whatever_operation_a_run_dies_before_it_leaves_a_manifest_and_the_next_run_finishes(
    source: FakeSource,
) -> None:
    source.put("page-24", "page 24\nedited")
    operations = 0
    while True:
        content = source.frozen()
        store = FakeIndexStore()
        context = filled(content, store=store)
        content.put("page-01", "page 1\nshorter")
        content.touch("page-02")
        content.delete("page-03")
        content.put("born", "new")
        store.on_io = CrashAt(operations)
        try:
            night(context, "dies")
            break
        except Crash:
            assert context.manifests.latest("handbook")[0].state is RunState.FAILED
        store.on_io = lambda _operation: None
        assert night(context, "again").state is RunState.TRUE
        assert is_true(context, content)
        assert text_of(context, "page-03") == ""
        operations += 1
    assert operations > 15


def test_an_ingest_leaves_a_mass_update_to_the_night_and_says_so(source: FakeSource) -> None:
    context = filled(source)
    for number in range(15):
        source.put(f"page-{number:02}", f"rewritten {number}")
    source.put("born", "new")
    changed = find_changed(context)
    assert changed.doc_ids == ("born",)
    assert len(changed.deferred) == 15
    assert "left to the nightly reconciliation" in changed.reason


def test_an_ingest_never_removes_a_document(source: FakeSource) -> None:
    context = filled(source)
    source.delete("page-03")
    source.hide("page-04")
    day(context, "day")
    assert text_of(context, "page-03") == "page 3\nabout thing 3"
    assert text_of(context, "page-04") == "page 4\nabout thing 4"


def test_findings_are_clean_after_a_true_night(source: FakeSource) -> None:
    context = filled(source)
    source.put("page-03", "page 3\nedited")
    source.delete("page-04")
    manifest = night(context, "night")
    assert manifest.found == Findings(orphan=1, stale=1)
    assert manifest.remaining == Findings()
