"""A run that sets metadata: what it shows, what it refuses, and the manifest that it always leaves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from include.domain.dates import rfc3339
from include.domain.documents import Status
from include.domain.errors import AuditFailed, ChangeRefused, ConfigError, StoreUnavailable
from include.domain.manifest import DocumentState, Manifest, RunHead, RunState
from include.domain.plan import Action, Change, HeldPlan, Hold, HoldReason
from include.planning.choosing import choose
from include.records.ledger import GitLedger
from include.services.metadata_run import Done, Wish, apply_run, dry_run, plan_run
from include.telemetry.gauges import gauges
from tests.builders import at, no_progress
from tests.metadata_shelf import APRIL, DECKS, LyingStore, Shelf, drops_every_third

FIRST_TEN = Wish("Ada", "older than they look", choose(["path=decks/deck-0?"]), {"created_at": APRIL, "title": "Deck"})


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def apply(shelf: Shelf, wish: Wish, run_id: str = "run", **options: Any) -> Done:
    return apply_run(shelf.context, wish, run_id=run_id, progress=no_progress, **options)


def left_by(shelf: Shelf, run_id: str = "run") -> Manifest:
    return shelf.context.manifests.load("set_metadata", run_id, "handbook")


def test_a_plan_says_what_readers_see_before_and_after(shelf: Shelf) -> None:
    plan = plan_run(shelf.context, FIRST_TEN, run_id="run")
    assert (plan.chosen, len(plan.rows), plan.chunks, plan.indexed) == (10, 10, 30, 20)
    assert str(plan.rows[0]) == "created_at: - -> 2023-04-01; title: deck 00 -> Deck"
    assert shelf.context.manifests.latest("handbook", dag_id="set_metadata") == []


def test_a_value_that_is_taken_away_shows_what_the_source_says(shelf: Shelf) -> None:
    apply(shelf, FIRST_TEN)
    plan = plan_run(shelf.context, Wish("Ada", "no", choose(["doc_id=decks/deck-00"]), {"title": None}), run_id="x")
    assert [str(row) for row in plan.rows] == ["title: Deck -> deck 00"]


def test_a_dry_run_leaves_a_manifest_with_every_document_and_the_checksum(shelf: Shelf) -> None:
    manifest, plan = dry_run(shelf.context, FIRST_TEN, run_id="run")
    assert left_by(shelf) == manifest
    assert (manifest.state, manifest.count(DocumentState.PLANNED)) == (RunState.PLANNED, 10)
    assert plan.checksum in manifest.reason
    assert shelf.context.ledger.marks("handbook") == {}


def test_only_what_was_looked_at_is_applied(shelf: Shelf) -> None:
    plan = plan_run(shelf.context, FIRST_TEN, run_id="look")
    shelf.set({DECKS[3]: {"title": "Somebody's"}})
    with pytest.raises(ChangeRefused, match=f"the plan computed now is .* not {plan.checksum}"):
        apply(shelf, FIRST_TEN, checksum=plan.checksum)
    assert (left_by(shelf).state, left_by(shelf).next_step) == (RunState.FAILED, "Nothing was changed")
    again = plan_run(shelf.context, FIRST_TEN, run_id="look")
    done = apply(shelf, FIRST_TEN, run_id="again", checksum=again.checksum)
    assert (done.manifest.state, done.manifest.count(DocumentState.MARKED)) == (RunState.TRUE, 10)
    assert (done.manifest.documents, done.manifest.chunks) == (20, 60)
    assert left_by(shelf, "again") == done.manifest


def test_a_table_marks_each_document_and_a_document_that_is_gone_is_named(shelf: Shelf) -> None:
    table = {DECKS[0]: {"created_at": "2023-01-05"}, DECKS[1]: {"created_at": "2023-02-06"}}
    done = apply(shelf, Wish("Ada", "table", patches=table, words="the table dates.csv"), run_id="table")
    assert [outcome.detail for outcome in done.manifest.outcomes] == [
        "created_at: - -> 2023-01-05",
        "created_at: - -> 2023-02-06",
    ]
    shelf.source.delete(DECKS[0])
    for point_id in [key for key, point in shelf.store.points.items() if point.payload["doc_id"] == DECKS[0]]:
        del shelf.store.points[point_id]
    back = apply(shelf, Wish("Ada", "wrong", reverts="table"), run_id="back")
    states = {outcome.doc_id: outcome.state for outcome in back.manifest.outcomes}
    assert states == {DECKS[0]: DocumentState.VANISHED, DECKS[1]: DocumentState.MARKED}
    assert shelf.context.ledger.marks("handbook") == {}


def test_a_wish_that_names_nothing_is_refused(shelf: Shelf) -> None:
    with pytest.raises(ConfigError, match="nothing says which documents"):
        apply(shelf, Wish("Ada", "why"))


def test_a_run_that_broke_off_is_finished_by_the_same_words_and_says_what_it_repaired(shelf: Shelf) -> None:
    left = 4

    def breaking(operation: str) -> None:
        nonlocal left
        left -= operation == "set_payload"
        if not left:
            raise StoreUnavailable("fake: it did not answer")

    shelf.store.on_io = breaking
    with pytest.raises(StoreUnavailable):
        apply(shelf, FIRST_TEN)
    shelf.store.on_io = lambda _: None
    assert left_by(shelf).next_step == "The same call again finishes what was begun"
    done = apply(shelf, FIRST_TEN, run_id="again", checksum="of the first")
    assert (len(done.plan.rows), done.manifest.count(DocumentState.REPAIRED)) == (0, 7)
    assert shelf.is_true()


def test_a_run_that_was_killed_while_it_hid_documents_counts_in_the_window(shelf: Shelf) -> None:
    def dying(operation: str) -> None:
        if operation == "set_payload":
            raise KeyboardInterrupt

    shelf.store.on_io = dying
    with pytest.raises(KeyboardInterrupt):
        apply(shelf, Wish("Ada", "tidy", choose(["doc_id=decks/deck-00"]), {"status": "archived"}))
    (removal,) = shelf.context.manifests.removals("handbook", at(-60))
    assert removal.documents == 1


def test_a_ledger_that_took_the_change_and_no_commit_is_not_called_untouched(
    shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = GitLedger(tmp_path)
    shelf.context = replace(shelf.context, ledger=ledger)
    wish = Wish("Ada", "tidy", choose(["doc_id=decks/deck-00"]), {"status": "archived"})

    def refusing(*_: object, **__: object) -> None:
        raise ConfigError("git commit failed: No space left on device")

    monkeypatch.setattr(ledger._repository, "commit", refusing)
    with pytest.raises(ConfigError):
        apply(shelf, wish)
    assert ledger.marks("handbook")[DECKS[0]].status is Status.ARCHIVED
    assert left_by(shelf).next_step == "The same call again finishes what was begun"
    (removal,) = shelf.context.manifests.removals("handbook", at(-60))
    assert removal.documents == 1
    monkeypatch.undo()
    done = apply(shelf, wish, run_id="again")
    assert done.manifest.count(DocumentState.REPAIRED) == 1
    assert shelf.is_true()
    assert ledger.recorded("handbook", "run") is not None


def test_a_red_audit_is_in_the_manifest(shelf: Shelf) -> None:
    store = LyingStore()
    lied_to = Shelf(store)
    store.lie = drops_every_third
    with pytest.raises(AuditFailed):
        apply(lied_to, FIRST_TEN)
    manifest = left_by(lied_to)
    assert (manifest.state, manifest.outcomes) == (RunState.FAILED, ())
    assert "The old values are in the ledger again" in manifest.reason


def test_what_waits_for_a_person_stays_in_its_manifests_and_gauges(shelf: Shelf) -> None:
    change = Change("old", Action.DELETE, "absent")
    hold = Hold(HoldReason.DELETION_LIMIT, "1 of 9")
    shelf.context.ledger.hold(HeldPlan("handbook", "c1", (change,), (hold,), 9, rfc3339(at(0)), "night"))
    manifest = apply(shelf, FIRST_TEN).manifest
    values = {gauge.name: gauge.value for gauge in gauges(RunHead.of(manifest), now=at(60))}
    assert (values["rag.deletions_held"], values["rag.docs"], values["rag.chunks"]) == (1, 20, 60)
