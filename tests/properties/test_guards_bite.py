"""What keeps pages in the index that must not be lost: each guard holds its scenario, which goes wrong without it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import uuid4

import pytest

from include.domain.dates import rfc3339
from include.domain.documents import Chunk, DocumentKey, ExtractedDocument, Marks, Presence, Status
from include.domain.errors import ApprovalRefused, UnsafeSelector
from include.domain.manifest import DocumentState, Manifest, RunState
from include.domain.plan import Change, Release
from include.domain.selection import Selector
from include.planning import diff, fences, gate, inspection
from include.services import applying, ingest, judging, look_again, reconcile, removal, version_writer
from include.services import version as versions
from include.services.context import SourceContext
from tests.builders import context_of, day, line_chunks, night, no_progress
from tests.fakes.index import FakeIndexStore
from tests.fakes.records import FakeLedger, FakeManifests, FakeRemovalMarks
from tests.fakes.source import FakeConnector, FakeSource
from tests.guards import Guard, Off, switch


def filled(pages: int = 20, store: FakeIndexStore | None = None) -> tuple[FakeSource, SourceContext]:
    source = FakeSource()
    for number in range(pages):
        source.put(f"page-{number:03}", f"page {number}\nabout thing {number}")
    context = context_of(source, store=store)
    assert night(context, "fill").state is RunState.TRUE
    return source, context


def documents(context: SourceContext) -> set[str]:
    with context.store.reading() as index:
        return {str(chunk.doc_id) for chunk in index.scan(context.source) if chunk.status != Status.INCOMING}


def texts(context: SourceContext, doc_id: str) -> set[str]:
    key = DocumentKey(context.source, doc_id)
    with context.store.reading() as index:
        return {str(chunk.text) for chunk in index.chunks_of([key])[key] if chunk.status != Status.INCOMING}


def read_now(context: SourceContext, doc_id: str) -> ExtractedDocument:
    """What a writer holds in its hands that was slow to write."""
    return context.read(context.connector.fetch(doc_id))


def approve_held(context: SourceContext, checksum: str, *, hours: float = 72) -> None:
    now = context.clock.now()
    context.ledger.release(
        Release(context.source, checksum, "ada", "looked at it", rfc3339(now), rfc3339(now + timedelta(hours=hours)))
    )


def release(context: SourceContext, run_id: str) -> None:
    """Apply what is held, if it may be."""
    with suppress(ApprovalRefused):
        night(context, run_id, released=True)


# -- scenarios: what must not happen --


def half_the_pages_vanish_at_once() -> None:
    source, context = filled()
    for number in range(10):
        source.delete(f"page-{number:03}")
    night(context, "night")
    assert len(documents(context)) == 20


def a_small_source_loses_one_of_nine() -> None:
    source, context = filled(9)
    source.delete("page-000")
    night(context, "night")
    assert len(documents(context)) == 9


def nine_percent_vanish_every_night() -> None:
    source, context = filled(100)
    for number in range(9):
        for doc_id in list(source.pages)[: len(documents(context)) * 9 // 100]:
            source.delete(doc_id)
        night(context, f"night-{number}")
        context.clock.turn(hours=12)
    assert len(documents(context)) >= 75


def a_killed_run_left_its_plan() -> None:
    source, context = filled(40)
    context.manifests.save(
        Manifest("killed", "night", "handbook", context.clock.now(), RunState.RUNNING, planned_removals=9)
    )
    for number in range(4):
        source.delete(f"page-{number:03}")
    night(context, "night")
    assert len(documents(context)) == 40


def every_id_changes_its_spelling() -> None:
    source, context = filled()
    source.pages = {f"docs/{doc_id}": page for doc_id, page in source.pages.items()}
    night(context, "night")
    assert len(documents(context)) == 20


def a_login_page_stands_in_for_many_pages() -> None:
    source, context = filled(40)
    for number in range(8):
        source.put(f"page-{number:03}", "please log in")
    night(context, "night")
    assert texts(context, "page-000") == {"page 0", "about thing 0"}


def a_login_page_reaches_the_ingest_of_a_day() -> None:
    source, context = filled(40)
    for number in range(8):
        source.put(f"page-{number:03}", "please log in")
    day(context, "day")
    assert texts(context, "page-000") == {"page 0", "about thing 0"}


def half_the_pages_are_rewritten_at_once() -> None:
    source, context = filled(40)
    for number in range(20):
        source.put(f"page-{number:03}", f"maintenance, reference {number}")
    night(context, "night")
    assert texts(context, "page-000") == {"page 0", "about thing 0"}


def the_listing_breaks_off_after_nineteen_of_twenty() -> None:
    source, context = filled()
    source.cut_off = 18
    source.delete("page-005")
    night(context, "night")
    assert len(documents(context)) == 20


def the_listing_leaves_out_a_page_that_exists() -> None:
    source, context = filled()
    listed = source.frozen()
    listed.delete("page-000")
    context = replace(context, connector=_TwoFaced(listed, source, context))
    night(context, "night")
    assert "page-000" in documents(context)


class _TwoFaced(FakeConnector):
    """Lists one state of the source and answers for single documents from another."""

    def __init__(self, listed: FakeSource, asked: FakeSource, context: SourceContext) -> None:
        super().__init__(asked, context.clock)
        self.list_documents = listed.connector(context.clock).list_documents


def the_source_gives_no_clear_answer_about_a_vanished_page() -> None:
    source, context = filled()
    source.delete("page-000")
    source.mute = True
    night(context, "night")
    assert "page-000" in documents(context)


def the_plan_changes_after_the_approval() -> None:
    source, context = filled()
    for number in range(5):
        source.delete(f"page-{number:03}")
    approve_held(context, night(context, "night").held_checksum)
    source.delete("page-010")
    release(context, "apply")
    assert "page-010" in documents(context)


def the_approval_has_expired() -> None:
    source, context = filled()
    for number in range(5):
        source.delete(f"page-{number:03}")
    approve_held(context, night(context, "night").held_checksum, hours=1)
    context.clock.turn(hours=2)
    release(context, "apply")
    assert len(documents(context)) == 20


def an_approval_is_used_for_a_second_loss() -> None:
    source, context = filled()
    gone = [f"page-{number:03}" for number in range(5)]
    for doc_id in gone:
        source.delete(doc_id)
    checksum = night(context, "night").held_checksum
    approve_held(context, checksum)
    release(context, "apply")
    assert len(documents(context)) == 15
    # The pages come back as they were, and are lost a second time: the same plan, the same checksum.
    for doc_id in gone:
        number = int(doc_id.removeprefix("page-"))
        source.put(doc_id, f"page {number}\nabout thing {number}")
    night(context, "back")
    assert len(documents(context)) == 20
    for doc_id in gone:
        source.delete(doc_id)
    assert night(context, "night-2").held_checksum == checksum
    release(context, "apply-2")
    assert len(documents(context)) == 20


def an_older_read_is_written_after_a_newer_one() -> None:
    source, context = filled()
    old = read_now(context, "page-000")
    source.put("page-000", "page 0\nedited")
    day(context, "day")
    context.writer.write([old])
    assert texts(context, "page-000") == {"page 0", "edited"}


def a_slow_read_is_written_after_the_removal() -> None:
    source, context = filled()
    old = read_now(context, "page-000")
    source.delete("page-000")
    night(context, "night")
    assert "page-000" not in documents(context)
    context.writer.write([old])
    assert "page-000" not in documents(context)


def a_page_is_published_again_after_a_removal_by_a_wrong_clock() -> None:
    source, context = filled()
    context.removal_marks.put(DocumentKey("handbook", "page-new"), datetime.fromisoformat("2035-01-01T00:00:00Z"))
    source.put("page-new", "welcome back")
    night(context, "night")
    assert "page-new" in documents(context)


def a_page_carries_the_fence_of_a_wrong_clock() -> None:
    source, context = filled()
    with context.store.writing() as index:
        wrong = {"fetched_at": "2035-01-01T00:00:00.000000Z"}
        index.set_payload(Selector(DocumentKey("handbook", "page-000")), wrong)
    source.put("page-000", "page 0\nedited")
    night(context, "night")
    assert texts(context, "page-000") == {"page 0", "edited"}


def the_store_loses_one_point_of_a_new_version() -> None:
    """Without a word, as a store does whose disk is full."""
    source, context = filled(store=_Forgetful())
    source.put("page-000", "page 0\nedited\nforget me")
    night(context, "night")
    assert texts(context, "page-000") == {"page 0", "about thing 0"}


class _Forgetful(FakeIndexStore):
    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, _WithoutSome() if name == "points" else value)


class _WithoutSome(dict):
    def __setitem__(self, key: str, value: object) -> None:
        if value.payload["text"] != "forget me":
            super().__setitem__(key, value)

    def setdefault(self, key: str, value: object = None) -> object:
        if key not in self:
            self[key] = value
        return self.get(key)


def a_page_makes_no_chunk() -> None:
    _, context = filled()
    blank = replace(read_now(context, "page-000"), text="")
    (outcome,) = context.writer.write([blank])
    assert texts(context, "page-000") == {"page 0", "about thing 0"}
    assert outcome.state is DocumentState.FAILED


def two_reads_in_the_same_instant_are_written() -> None:
    """Which is the later one cannot be told; neither may take the other away."""
    source, context = filled()
    moment = context.clock.now()
    first = replace(read_now(context, "page-000"), fetched_at=moment)
    source.put("page-000", "page 0\nedited")
    second = replace(read_now(context, "page-000"), fetched_at=moment)
    context.writer.write([second])
    context.writer.write([first])
    assert {"edited", "about thing 0"} <= texts(context, "page-000")


def a_text_is_altered_behind_our_back() -> None:
    _, context = filled()
    _damage(context, "page-000", text="call this number to pay")
    night(context, "night")
    assert texts(context, "page-000") == {"page 0", "about thing 0"}


def a_page_is_hidden_behind_our_back() -> None:
    _, context = filled()
    with context.store.writing() as index:
        index.set_payload(Selector(DocumentKey("handbook", "page-000")), {"status": Status.ARCHIVED.value})
    night(context, "night")
    with context.store.reading() as index:
        key = DocumentKey("handbook", "page-000")
        assert {chunk.status for chunk in index.chunks_of([key])[key]} == {Status.PUBLISHED}


def a_mark_is_taken_away_behind_our_back() -> None:
    _, context = filled()
    context.ledger.marked = {"handbook": {"page-000": Marks(pinned=True)}}
    night(context, "marked")
    with context.store.writing() as index:
        index.set_payload(Selector(DocumentKey("handbook", "page-000")), {"pinned": False})
    night(context, "night")
    assert said_of(context, "page-000", "pinned") == {True}


def an_address_is_altered_behind_our_back() -> None:
    _, context = filled()
    with context.store.writing() as index:
        index.set_payload(Selector(DocumentKey("handbook", "page-000")), {"url": "https://pay.example"})
    night(context, "night")
    assert said_of(context, "page-000", "url") == {"https://example.org/page-000"}


def the_address_of_one_chunk_is_altered_behind_our_back() -> None:
    _, context = filled()
    key = DocumentKey("handbook", "page-000")
    with context.store.writing() as index:
        (last,) = [chunk for chunk in index.chunks_of([key])[key] if chunk.chunk_index == 1]
        index.set_payload(Selector(key, only_ids=(last.point_id,)), {"url": "https://pay.example"})
    night(context, "night")
    assert said_of(context, "page-000", "url") == {"https://example.org/page-000"}


def an_address_was_read_by_settings_of_yesterday() -> None:
    _, context = filled()
    with context.store.writing() as index:
        before = {"url": "https://example.com/page-000", "metadata_hash": None, "read_with": None}
        index.set_payload(Selector(DocumentKey("handbook", "page-000")), before)
    night(context, "night")
    assert said_of(context, "page-000", "url") == {"https://example.org/page-000"}


def said_of(context: SourceContext, doc_id: str, name: str) -> set[object]:
    key = DocumentKey("handbook", doc_id)
    with context.store.reading() as index:
        return {chunk.metadata.get(name) for chunk in index.chunks_of([key])[key]}


def _damage(context: SourceContext, doc_id: str, **fields: object) -> None:
    assert isinstance(context.store, FakeIndexStore)
    point = next(p for p in context.store.points.values() if p.payload["doc_id"] == doc_id)
    point.payload.update(fields)


def a_delete_without_a_document_is_asked_for() -> None:
    _, context = filled()
    with suppress(UnsafeSelector), context.store.writing() as index:
        index.delete(Selector(None))
    assert len(documents(context)) == 20


def a_rename_fails_to_land() -> None:
    source, context = filled()
    page = source.pages.pop("page-000")
    source.pages["page-moved"] = page
    context = replace(context, writer=_Refusing(context, "page-moved"))
    night(context, "night")
    assert "page-000" in documents(context)


class _Refusing(version_writer.VersionWriter):
    """Cannot write one document."""

    def __init__(self, context: SourceContext, doc_id: str) -> None:
        embedder = context.writer._embedder
        super().__init__(
            store=context.store,
            embedder=embedder,
            removal_marks=context.removal_marks,
            clock=context.clock,
            chunk=self._chunk_others,
            pipeline=context.writer.pipeline,
        )
        self._doc_id = doc_id

    def _chunk_others(self, document: ExtractedDocument) -> tuple[Chunk, ...]:
        if document.key.doc_id == self._doc_id:
            raise ValueError("this page cannot be cut")
        return line_chunks(document)


def the_credential_sees_less_than_yesterday() -> None:
    source, context = filled()
    source.scope = "editor"
    assert night(context, "before").state is RunState.TRUE
    source.scope = "subscriber"
    source.hide("page-000")
    night(context, "night")
    assert "page-000" in documents(context)


def one_of_a_large_removal_still_exists() -> None:
    """Forty pages leave a proven listing, one of them by mistake; ten are asked for at first."""
    source, context = filled(400)
    context = replace(context, removal_questions=10)
    hidden = source.frozen()
    for number in range(40):
        hidden.delete(f"page-{number:03}")
    context.connector.list_documents = hidden.connector(context.clock).list_documents
    night(context, "night")
    assert len(documents(context)) == 400


def named_one_by_one_half_the_pages_vanish() -> None:
    source, context = filled()
    gone = [f"page-{number:03}" for number in range(10)]
    for doc_id in gone:
        source.delete(doc_id)
    for doc_id in gone:
        look_at(context, doc_id)
    assert len(documents(context)) == 20


def a_named_page_is_missing_from_a_cut_off_listing() -> None:
    source, context = filled()
    source.cut_off = 19
    (missing,) = source.pages.keys() - context.connector.list_documents().documents.keys()
    source.hide(missing)  # so that the question by id would confirm it
    source.pages["page-zzz"] = source.pages["page-000"]  # and the listing is cut off all the same
    look_at(context, missing)
    assert missing in documents(context)


def look_at(context: SourceContext, *doc_ids: str) -> Manifest:
    return look_again.look_again(
        context, doc_ids, dag_id="follow_events", run_id=f"look-{uuid4().hex}", progress=no_progress
    )


def believe_any_listing(monkeypatch: pytest.MonkeyPatch) -> None:
    for place in (look_again, diff):
        monkeypatch.setattr(place, "why_unproven", lambda _listing: "")


def ask_half(answers: removal._Answers, changes: Sequence[Change]) -> None:
    """The sample is asked for, and whatever it says, the others are not."""
    for change in changes:
        answers.confirmed.append(removal._Confirmed(change, answers._context.clock.now(), "not asked"))


# -- the guards --


def altered_limits(**changed: float) -> Off:
    """The gate with one limit out of reach."""
    judge = gate.judge

    def lenient(plan, limits, history, **others):
        return judge(plan, replace(limits, **changed), history, **others)

    def off(monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(judging, "judge", lenient)

    return off


def no_mass_update(plan, limits, *_):
    return [], []


def approve_anything(verdict, release, *, run_id, now):
    return gate.ApprovedPlan(gate._SEAL, verdict.source, verdict.held, release)


def approve_ignoring(**changed: str) -> Off:
    """The gate's check of a release, blind to one of its fields."""
    approve_release = gate.approve_release

    def blind(verdict, release, *, run_id, now):
        return approve_release(verdict, release and replace(release, **changed), run_id=run_id, now=now)

    return switch(reconcile, "approve_release", blind)


def ignore_checksum(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any recorded release of the source is found, and its checksum is taken for the right one."""
    monkeypatch.setattr(FakeLedger, "find_release", lambda self, source, checksum: self.releases[-1])
    monkeypatch.setattr(reconcile, "approve_release", approve_anything)


def ignore_use(monkeypatch: pytest.MonkeyPatch) -> None:
    approve_ignoring(used_by_run="")(monkeypatch)
    monkeypatch.setattr(FakeLedger, "use_release", lambda self, release, run_id: release)


def only_finished_runs(self: FakeManifests, source: str, since: datetime):
    return [
        removal
        for removal in recorded_removals(self, source, since)
        if self.saved["night", removal.run_id, source].state is not RunState.RUNNING
    ]


recorded_removals = FakeManifests.removals


def publish_without_looking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever arrived in the index is made readable."""

    def publish(index, version, stored):
        index.set_payload(Selector(version.key, only_ids=version.ids), {"status": version.status.value})
        return True

    monkeypatch.setattr(version_writer.Version, "is_brought_in", lambda self, stored: True)
    monkeypatch.setattr(version_writer.VersionWriter, "_mend", lambda self, index, version, stored: "")
    monkeypatch.setattr(version_writer, "_publish", publish)


GUARDS = [
    Guard("deletion limit", half_the_pages_vanish_at_once, switch(gate, "_removal_holds", lambda *_: [])),
    Guard("deletion limit, small source", a_small_source_loses_one_of_nine, altered_limits(deletion_percent=12)),
    Guard("window", nine_percent_vanish_every_night, altered_limits(window_percent=100)),
    Guard("window, killed runs", a_killed_run_left_its_plan, switch(FakeManifests, "removals", only_finished_runs)),
    Guard("mass re-key", every_id_changes_its_spelling, switch(judging, "with_contents", lambda plan, contents: plan)),
    Guard("same text, night", a_login_page_stands_in_for_many_pages, switch(gate, "_same_text", no_mass_update)),
    Guard("same text, day", a_login_page_reaches_the_ingest_of_a_day, switch(ingest, "_suspects", lambda *_, **__: {})),
    Guard("mass update", half_the_pages_are_rewritten_at_once, switch(gate, "_mass_update", no_mass_update)),
    Guard("proof", the_listing_breaks_off_after_nineteen_of_twenty, switch(diff, "why_unproven", lambda _: "")),
    Guard("probe", the_listing_leaves_out_a_page_that_exists, switch(FakeConnector, "probe", lambda *_: Presence.GONE)),
    Guard(
        "probe, doubt",
        the_source_gives_no_clear_answer_about_a_vanished_page,
        switch(Presence, "confirms_absence", property(lambda self: self is not Presence.PRESENT)),
    ),
    Guard("checksum", the_plan_changes_after_the_approval, ignore_checksum),
    Guard("expiry", the_approval_has_expired, approve_ignoring(expires_at="2999-01-01T00:00:00.000000Z")),
    Guard("used once", an_approval_is_used_for_a_second_loss, ignore_use),
    Guard("fence", an_older_read_is_written_after_a_newer_one, switch(versions, "newest_fence", lambda _: None)),
    Guard(
        "removal mark",
        a_slow_read_is_written_after_the_removal,
        switch(FakeRemovalMarks, "fence_of", lambda self, key: None),
    ),
    Guard(
        "wrong clock, mark",
        a_page_is_published_again_after_a_removal_by_a_wrong_clock,
        switch(version_writer, "is_believable", lambda fence, *, now: True),
    ),
    Guard(
        "wrong clock, fence",
        a_page_carries_the_fence_of_a_wrong_clock,
        switch(fences, "is_believable", lambda fence, *, now: True),
    ),
    Guard(
        "nothing in parts",
        the_store_loses_one_point_of_a_new_version,
        publish_without_looking,
    ),
    Guard(
        "no empty version",
        a_page_makes_no_chunk,
        switch(version_writer.VersionWriter, "_cut", lambda self, document: self._chunk(document)),
    ),
    Guard("no tie", two_reads_in_the_same_instant_are_written, switch(version_writer, "TICK", timedelta())),
    Guard("point identity", a_text_is_altered_behind_our_back, switch(inspection, "is_itself", lambda _: True)),
    Guard(
        "decided status",
        a_page_is_hidden_behind_our_back,
        switch(judging, "with_marks", lambda inventory, _: inventory),
    ),
    Guard(
        "decided marks",
        a_mark_is_taken_away_behind_our_back,
        switch(judging, "with_marks", lambda inventory, _: inventory),
    ),
    Guard(
        "digest of metadata",
        an_address_is_altered_behind_our_back,
        switch(inspection, "_fits_its_digest", lambda _: True),
    ),
    Guard(
        "siblings say the same",
        the_address_of_one_chunk_is_altered_behind_our_back,
        switch(inspection, "_different_metadata", lambda version: [version[0].metadata]),
    ),
    Guard(
        "settings of metadata",
        an_address_was_read_by_settings_of_yesterday,
        switch(judging, "diff", lambda *both, read_with, **how: diff.diff(*both, read_with=None, **how)),
    ),
    Guard(
        "typed selector",
        a_delete_without_a_document_is_asked_for,
        lambda monkeypatch: (
            monkeypatch.setattr(Selector, "__post_init__", lambda self: None),
            monkeypatch.setattr("tests.fakes.index._matches", lambda selector, point_id, payload: True),
        ),
    ),
    Guard(
        "rename landed",
        a_rename_fails_to_land,
        switch(
            applying,
            "ask_source",
            lambda context, approved, *, not_landed, **others: removal.ask_source(
                context, approved, not_landed=(), **others
            ),
        ),
    ),
    Guard("scope", the_credential_sees_less_than_yesterday, switch(gate, "_scope_holds", lambda *_: [])),
    Guard("doubt in a sample", one_of_a_large_removal_still_exists, switch(removal._Answers, "ask", ask_half)),
    Guard(
        "whole listing",
        named_one_by_one_half_the_pages_vanish,
        switch(look_again, "deferred_changes", lambda *_: {}),
    ),
    Guard("proof, events", a_named_page_is_missing_from_a_cut_off_listing, believe_any_listing),
]


@pytest.mark.parametrize("guard", GUARDS, ids=str)
def test_with_the_guard_nothing_is_damaged(guard: Guard) -> None:
    guard.holds()


@pytest.mark.parametrize("guard", GUARDS, ids=str)
def test_without_the_guard_the_damage_is_done(guard: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    guard.bites(monkeypatch)
