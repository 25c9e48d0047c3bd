"""What the hourly run must leave to the night and to a person, whatever it is asked for."""

from __future__ import annotations

from include.domain.manifest import DocumentState, RunState
from include.services.ingest import find_changed, ingest_documents
from tests.builders import context_of, night
from tests.fakes.source import FakeSource


def filled(pages: int = 40) -> FakeSource:
    source = FakeSource()
    for number in range(pages):
        source.put(f"page-{number:02}", f"page {number}\nabout thing {number}")
    return source


def ingest(context, **options):  # type: ignore[no-untyped-def]
    changed = find_changed(context, **options)
    outcomes = ingest_documents(
        context,
        changed.doc_ids,
        indexed=changed.indexed,
        forced=bool(options.get("force")),
        progress=lambda *_: None,
    )
    return changed, outcomes


def stored_texts(context) -> set[str]:  # type: ignore[no-untyped-def]
    with context.store.reading() as index:
        return {chunk.text for chunk in index.scan(context.source)}


def test_new_ids_wait_for_the_night_when_as_many_documents_vanish() -> None:
    source = filled()
    context = context_of(source)
    night(context, "fill")
    for number in range(40):
        source.delete(f"page-{number:02}")
        source.put(f"Page-{number:02}", f"page {number}\nabout thing {number}")
    changed, _ = ingest(context)
    assert changed.doc_ids == ()
    assert len(changed.deferred) == 40
    assert "changed id scheme" in changed.reason
    manifest = night(context, "night")
    assert {hold.reason.value for hold in manifest.holds} >= {"mass_rekey"}
    assert ingest(context)[0].doc_ids == (), "what a mass re-key holds does not come in by the hour"


def test_force_does_not_let_in_what_a_person_was_asked_about() -> None:
    source = filled()
    context = context_of(source)
    night(context, "fill")
    before = stored_texts(context)
    for number in range(40):
        source.put(f"page-{number:02}", f"we are being maintained, ticket {number}")
    assert night(context, "night").state is RunState.HELD
    changed, outcomes = ingest(context, force=True)
    assert changed.doc_ids == ()
    assert outcomes == []
    assert stored_texts(context) == before


def test_force_holds_a_source_that_comes_back_with_other_texts_under_the_same_versions() -> None:
    source = filled()
    context = context_of(source)
    night(context, "fill")
    before = stored_texts(context)
    for number in range(40):
        version = source.published()[f"page-{number:02}"].version
        source.put(f"page-{number:02}", f"degraded answer {number}", version=version)
    _, outcomes = ingest(context, force=True)
    assert {outcome.state for outcome in outcomes} == {DocumentState.HELD}
    assert stored_texts(context) == before


def test_force_refreshes_documents_that_did_not_change() -> None:
    source = filled()
    context = context_of(source)
    night(context, "fill")
    _, outcomes = ingest(context, force=True)
    assert len(outcomes) == 40
    assert {outcome.state for outcome in outcomes} <= {DocumentState.REPAIRED, DocumentState.REFRESHED}
    assert sum(outcome.embedded for outcome in outcomes) == 0


def test_a_login_page_that_takes_one_document_after_the_other_is_noticed() -> None:
    source = filled()
    context = context_of(source)
    night(context, "fill")
    states = []
    for number in range(20):
        source.put(f"page-{number:02}", "please log in")
        states += [outcome.state for outcome in ingest(context, doc_ids=[f"page-{number:02}"])[1]]
    assert states.count(DocumentState.REPLACED) <= 4, "10 % of 40 documents"
    assert states[-1] is DocumentState.HELD


def test_a_first_fill_behind_a_login_page_is_not_ingested() -> None:
    source = FakeSource()
    for number in range(20):
        source.put(f"page-{number:02}", "please log in")
    _, outcomes = ingest(context_of(source))
    assert {outcome.state for outcome in outcomes} == {DocumentState.HELD}


def test_twins_of_a_first_fill_are_ingested() -> None:
    source = filled()
    for number in range(10):
        source.put(f"stub-{number}", "to be written")
    _, outcomes = ingest(context_of(source))
    assert {outcome.state for outcome in outcomes} == {DocumentState.CREATED}


def test_a_login_page_on_everything_new_is_held_by_the_hour_and_by_the_night() -> None:
    source = filled(30)
    context = context_of(source)
    night(context, "fill")
    for number in range(20):
        source.put(f"new-{number:02}", "please log in")
    _, outcomes = ingest(context)
    assert {outcome.state for outcome in outcomes} == {DocumentState.HELD}
    manifest = night(context, "night")
    assert manifest.state is RunState.HELD
    assert {hold.reason.value for hold in manifest.holds} == {"same_text"}
    assert manifest.documents == 30


def test_a_login_page_that_drips_in_night_by_night_is_held_once_it_is_too_many() -> None:
    source = filled(30)
    context = context_of(source)
    night(context, "fill")
    for number in range(6):
        source.put(f"page-{2 * number:02}", "please log in")
        source.put(f"page-{2 * number + 1:02}", "please log in")
        night(context, f"night-{number}")
    with context.store.reading() as index:
        wrong = sum(chunk.text == "please log in" for chunk in index.scan(context.source))
    assert wrong <= 3, "10 % of 30 documents"


def test_a_small_source_that_is_rewritten_as_a_whole_is_held() -> None:
    source = filled(10)
    context = context_of(source)
    night(context, "fill")
    for number in range(10):
        source.put(f"page-{number:02}", f"error, request {number}")
    assert night(context, "night").state is RunState.HELD


def test_documents_that_are_listed_and_answer_gone_make_the_night_degraded() -> None:
    source = filled(30)
    context = context_of(source)
    night(context, "fill")
    source.put("page-01", "another text")
    source.before_fetch = lambda doc_id: source.hide(doc_id) if doc_id == "page-01" else None
    manifest = night(context, "night")
    assert manifest.state is RunState.DEGRADED
    assert "1 are listed but" in manifest.reason
