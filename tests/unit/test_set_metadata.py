"""Metadata changed in place: planned, limited, recorded, brought into every chunk, audited, taken back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from include.domain.documents import Marks, Status
from include.domain.errors import AuditFailed, ChangeRefused, ChangeUnderway, ConfigError, StoreUnavailable
from include.domain.manifest import DocumentOutcome, DocumentState, Manifest, RunState
from include.domain.metadata import Hand, Patch
from include.domain.selection import Selector
from include.planning.choosing import choose
from include.services.marking import bring_in
from include.services.metadata_change import look, plan_change, plan_revert, unfinished
from include.services.metadata_run import Wish, apply_run
from include.services.set_metadata import apply_change
from tests.builders import at, day, night, no_progress
from tests.fakes.index import FakeIndex
from tests.fakes.source import FakeSource
from tests.metadata_shelf import (
    APRIL,
    DECKS,
    LyingStore,
    Shelf,
    changes_another_document,
    changes_one_chunk_of_another,
    counts_fewer,
    dated,
    drops_every_third,
    leaves_a_field_out,
    loses_a_chunk,
    loses_another_document,
    writes_one_chunk_only,
)


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


# -- what is written --


def test_every_chunk_says_what_was_set_and_nothing_else_changed(shelf: Shelf) -> None:
    before = shelf.payloads()
    marking = shelf.set(dated(*DECKS[:12]))
    assert (marking.before, marking.touched, marking.after) == (36, 36, 36)
    assert marking.written == {*DECKS[:12]}
    assert marking.chunks == dict.fromkeys(DECKS[:12], 3)
    for deck in DECKS[:12]:
        assert shelf.says(deck, "created_at") == APRIL
        assert shelf.says(deck, "created_at_origin") == "ledger"
    after = shelf.payloads()
    for point_id, payload in after.items():
        if payload["doc_id"] not in DECKS[:12]:
            assert payload == before[point_id]
        else:
            changed = {name for name in payload if payload[name] != before[point_id].get(name)}
            assert changed == {
                "created_at",
                "created_at_origin",
                "created_at_trust",
                "created_at_precision",
                "overridden",
            }
    assert shelf.is_true()


def test_one_operation_sets_all_chunks_of_a_document(shelf: Shelf) -> None:
    operations: list[str] = []
    shelf.store.on_io = operations.append
    shelf.set(
        {deck: {"created_at": "2023-04-01", "status": "superseded", "superseded_by": DECKS[0]} for deck in DECKS[1:3]}
    )
    assert operations.count("set_payload") == 2
    assert {"insert", "overwrite", "delete"}.isdisjoint(operations)


def test_a_second_run_with_the_same_words_changes_nothing(shelf: Shelf) -> None:
    shelf.set(dated(*DECKS[:5]))
    operations: list[str] = []
    shelf.store.on_io = operations.append
    again = shelf.plan(dated(*DECKS[:5]))
    assert again.patches == ()
    assert apply_change(shelf.context, again, progress=no_progress).written == frozenset()
    assert "set_payload" not in operations
    assert shelf.context.ledger.recorded("handbook", again.run_id) is None


def test_what_was_set_survives_edits_and_the_next_nights(shelf: Shelf) -> None:
    shelf.set({DECKS[0]: {"created_at": "2023-04-01", "title": "The deck", "pinned": True}})
    shelf.source.put(DECKS[0], "a new text\nof two lines")
    shelf.clock.moment = at(60)
    assert day(shelf.context, "by day").state is RunState.INGESTED
    shelf.source.touch(DECKS[1])
    shelf.clock.moment = at(120)
    assert night(shelf.context, "night").state is RunState.TRUE
    assert (shelf.says(DECKS[0], "created_at"), shelf.says(DECKS[0], "title")) == (APRIL, "The deck")
    assert shelf.says(DECKS[0], "pinned") is True


def test_a_status_is_set_on_the_chunks_themselves_and_can_be_set_back(shelf: Shelf) -> None:
    shelf.set({DECKS[0]: {"status": "superseded", "superseded_by": [DECKS[1], DECKS[2]]}})
    assert shelf.says(DECKS[0], "status") == "superseded"
    assert shelf.says(DECKS[0], "superseded_by") == [DECKS[1], DECKS[2]]
    shelf.set({DECKS[1]: {"status": "archived"}})
    assert shelf.says(DECKS[1], "status") == "archived"
    shelf.set({DECKS[1]: {"status": None}})
    assert shelf.says(DECKS[1], "status") == "published"
    assert shelf.is_true()


def test_two_versions_that_are_readable_for_an_instant_are_both_marked(shelf: Shelf) -> None:
    """A writer that was killed before it retired the older version."""

    def dying(operation: str) -> None:
        if operation == "delete":
            raise KeyboardInterrupt

    shelf.source.put(DECKS[0], "a new text\nof two lines")
    shelf.clock.moment = at(60)
    shelf.store.on_io = dying
    with pytest.raises(KeyboardInterrupt):
        day(shelf.context, "killed")
    shelf.store.on_io = lambda _: None
    shelf.set(dated(DECKS[0]))
    assert shelf.says(DECKS[0], "created_at") == APRIL
    assert len([p for p in shelf.payloads().values() if p["doc_id"] == DECKS[0]]) == 5


def test_the_resolver_writes_with_its_own_hand_and_a_pin_holds_it_off(shelf: Shelf) -> None:
    shelf.set({DECKS[1]: {"pinned": True}})
    marks = {"status": "superseded", "superseded_by": (DECKS[0],), "is_current": False, "doc_family": "decks"}
    shelf.set({DECKS[1]: marks, DECKS[2]: marks}, Hand.RESOLVER)
    assert (shelf.says(DECKS[1], "status"), shelf.says(DECKS[2], "status")) == ("published", "superseded")
    assert shelf.says(DECKS[1], "doc_family") == "decks"
    assert shelf.context.ledger.decided("handbook", Hand.PERSON) == {DECKS[1]: {"pinned": True}}
    with pytest.raises(ConfigError, match="title is not for the resolver to set"):
        shelf.plan({DECKS[1]: {"title": "x"}}, Hand.RESOLVER)


# -- what is refused --


@pytest.mark.parametrize(
    ("patch", "named"),
    [
        ({"created_at": "1.4.2023"}, "created_at is '1.4.2023'; allowed is a day"),
        ({"creatd_at": "2023-04-01"}, "'creatd_at' is not a field"),
        ({"created_at": "2026-03-09"}, "created_at 2026-03-09T00:00:00.000000Z is in the future"),
        ({"status": "superseded"}, "superseded by what"),
        ({"superseded_by": [DECKS[1]]}, "Set status=superseded"),
        ({"status": "superseded", "superseded_by": ["decks/none"]}, "names decks/none, which is not in the index"),
        ({"status": "superseded", "superseded_by": [DECKS[0]]}, "superseded_by names itself"),
        ({"supersedes": [DECKS[0]]}, "supersedes names itself"),
    ],
)
def test_what_makes_no_sense_is_refused_with_every_problem(patch: Patch, named: str, shelf: Shelf) -> None:
    before = shelf.payloads()
    with pytest.raises(ConfigError, match=named):
        shelf.plan({DECKS[0]: patch})
    assert shelf.payloads() == before
    assert shelf.context.ledger.decided("handbook", Hand.PERSON) == {}


def test_a_document_that_the_index_does_not_hold_is_refused_by_name(shelf: Shelf) -> None:
    with pytest.raises(ConfigError, match="decks/gone is not in the index"):
        shelf.plan(dated(DECKS[0], "decks/gone"))


def test_documents_that_would_supersede_one_another_in_a_circle_are_refused(shelf: Shelf) -> None:
    a, b, c = DECKS[:3]
    shelf.set({a: {"status": "superseded", "superseded_by": [b]}})
    with pytest.raises(ConfigError, match=f"{c} -> {a} -> {b} -> {c}"):
        shelf.plan(
            {b: {"status": "superseded", "superseded_by": [c]}, c: {"status": "superseded", "superseded_by": [a]}}
        )


@pytest.mark.parametrize(("by", "reason"), [("", "why"), ("ada", " ")])
def test_a_change_needs_a_person_and_a_reason(by: str, reason: str, shelf: Shelf) -> None:
    with pytest.raises(ConfigError, match="a person and a reason"):
        plan_change(shelf.context, dated(DECKS[0]), hand=Hand.PERSON, by=by, reason=reason, selector="x", run_id="r")


def test_hiding_more_documents_than_may_be_deleted_is_refused_and_nothing_is_recorded(shelf: Shelf) -> None:
    before = shelf.payloads()
    with pytest.raises(ChangeRefused, match=r"3 of 20 documents would be hidden, 15\.0 %, the limit is 10 %"):
        shelf.set({deck: {"status": "archived"} for deck in DECKS[:3]})
    assert shelf.payloads() == before
    assert shelf.context.ledger.marks("handbook") == {}
    shelf.set({deck: {"status": "archived"} for deck in DECKS[:2]})
    assert shelf.says(DECKS[1], "status") == "archived"


def test_hiding_fills_the_window_of_deletions_and_deletions_fill_it_too(shelf: Shelf) -> None:
    removed = tuple(DocumentOutcome(f"old-{number}", DocumentState.DELETED) for number in range(5))
    past = Manifest("past", "reconcile_index", "handbook", at(-60), RunState.TRUE, at(-50), outcomes=removed)
    shelf.context.manifests.save(past)
    with pytest.raises(ChangeRefused, match="2 documents would be hidden now, and 5 in the last 7 days"):
        shelf.set({deck: {"status": "archived"} for deck in DECKS[:2]})
    shelf.set({DECKS[0]: {"status": "archived"}})


def test_hiding_what_was_superseded_in_the_same_week_is_one_loss(shelf: Shelf) -> None:
    retired = tuple(DocumentOutcome(deck, DocumentState.RETIRED) for deck in DECKS[:4])
    past = Manifest("past", "resolve_canonical", "handbook", at(-60), RunState.RESOLVED, at(-50), outcomes=retired)
    shelf.context.manifests.save(past)
    shelf.set({deck: {"status": "archived"} for deck in DECKS[:2]})
    with pytest.raises(ChangeRefused, match="1 documents would be hidden now, and 0 deleted and 4 retired"):
        shelf.set({DECKS[4]: {"status": "archived"}})


def test_a_source_cannot_be_hidden_in_small_steps(shelf: Shelf) -> None:
    """One of what is left, run after run: the limits grow by nothing that they let through."""

    def hide(deck: str) -> Manifest:
        wish = Wish("Ada", "tidy", choice=choose([f"doc_id={deck}"]), patch={"status": "archived"})
        return apply_run(shelf.context, wish, run_id=f"hide-{deck}", progress=no_progress).manifest

    assert [hide(deck).count(DocumentState.HIDDEN) for deck in DECKS[:5]] == [1] * 5
    with pytest.raises(ChangeRefused, match=r"would be hidden now, and 5 in the last 7 days: 30\.0 % of 20"):
        hide(DECKS[5])
    assert shelf.says(DECKS[5], "status") == "published"


def test_what_was_hidden_in_the_ledger_by_hand_has_the_same_limits_at_night(shelf: Shelf) -> None:
    by_hand = shelf.context.ledger.marked  # type: ignore[attr-defined]
    by_hand["handbook"] = {DECKS[0]: Marks(pinned=True)} | {deck: Marks(status=Status.ARCHIVED) for deck in DECKS[1:4]}
    shelf.clock.moment = at(60)
    manifest = night(shelf.context, "too many")
    assert manifest.state is RunState.DEGRADED
    failed = {each.doc_id: each.detail for each in manifest.outcomes if each.state is DocumentState.FAILED}
    assert set(failed) == {*DECKS[1:4]}
    assert "3 of 20 documents would be hidden" in failed[DECKS[1]]
    assert (shelf.says(DECKS[0], "pinned"), shelf.says(DECKS[1], "status")) == (True, "published")
    by_hand["handbook"].pop(DECKS[1])
    shelf.clock.moment = at(120)
    manifest = night(shelf.context, "few enough")
    assert (manifest.state, manifest.count(DocumentState.HIDDEN)) == (RunState.TRUE, 2)
    (removal,) = shelf.context.manifests.removals("handbook", at(0))
    assert removal.documents == 2


def test_one_document_of_one_is_not_hidden_either() -> None:
    shelf = Shelf(decks=DECKS[:1])
    with pytest.raises(ChangeRefused, match=r"1 of 1 documents would be hidden, 100\.0 %"):
        shelf.set({DECKS[0]: {"status": "archived"}})


def test_another_source_with_the_same_ids_is_not_touched(shelf: Shelf) -> None:
    other = Shelf(shelf.store, source=FakeSource(name="helpcenter"))
    before = other.payloads()
    shelf.set({deck: {"title": "T", "status": "superseded", "superseded_by": DECKS[0]} for deck in DECKS[1:5]})
    after = other.payloads()
    assert {k: v for k, v in after.items() if v["source"] == "helpcenter"} == {
        k: v for k, v in before.items() if v["source"] == "helpcenter"
    }
    assert other.is_true()


def test_superseding_and_showing_again_hide_nothing(shelf: Shelf) -> None:
    shelf.set({deck: {"status": "superseded", "superseded_by": [DECKS[0]]} for deck in DECKS[1:]})
    assert shelf.says(DECKS[19], "status") == "superseded"


def test_a_second_run_at_the_same_source_is_refused_while_the_first_is_at_it(shelf: Shelf) -> None:
    change = shelf.plan(dated(DECKS[0]))
    with shelf.context.ledger.changing("handbook", "set-0"), pytest.raises(ChangeUnderway, match="set-0"):
        apply_change(shelf.context, change, progress=no_progress)
    assert shelf.context.ledger.marks("handbook") == {}


def test_a_plan_that_somebody_overtook_is_refused_and_the_later_word_stays(shelf: Shelf) -> None:
    stale = shelf.plan(dated(DECKS[0], DECKS[1]))
    shelf.set(dated(DECKS[1], on="2024-01-01"))
    with pytest.raises(ChangeRefused, match=f"{DECKS[1]}: created_at"):
        apply_change(shelf.context, stale, progress=no_progress)
    assert shelf.says(DECKS[0], "created_at") is None
    assert shelf.says(DECKS[1], "created_at") == "2024-01-01T00:00:00.000000Z"


# -- a store that lies --


LIES: dict[str, tuple[Callable[..., object], str]] = {
    "drops some writes": (drops_every_third, f"{DECKS[2]}: reads otherwise than it was set: created_at"),
    "writes one chunk of three": (writes_one_chunk_only, f"{DECKS[4]}: reads otherwise"),
    "reports fewer": (counts_fewer, f"{DECKS[3]}: 3 chunks before, 2 touched, 3 after"),
    "leaves a field out": (leaves_a_field_out, "reads otherwise than it was set: overridden"),
    "changes another document": (changes_another_document, f"1 others changed that nobody chose: {DECKS[19]}"),
    "changes one chunk of another": (changes_one_chunk_of_another, f"{DECKS[18]}: siblings disagree about title"),
    "loses another document": (loses_another_document, f"{DECKS[17]}: its chunks are gone"),
    "loses a chunk": (loses_a_chunk, f"{DECKS[0]}: .*2 of 3 chunks|{DECKS[0]}: 3 chunks before"),
}


@pytest.mark.parametrize("name", LIES)
def test_the_audit_catches_a_store_that_lies_and_the_old_values_come_back(name: str) -> None:
    lie, said = LIES[name]
    store = LyingStore()
    shelf = Shelf(store)
    shelf.set(dated(DECKS[1], on="2020-01-01"))
    before = shelf.payloads()

    def once(index: FakeIndex, *asked: Any) -> object:
        """Until the old values are put back."""
        recorded = shelf.context.ledger.recorded("handbook", "lied-to")
        taken_back = shelf.context.ledger.recorded("handbook", "lied-to.rolled-back")
        return lie(index, *asked) if recorded and not taken_back else None

    store.lie = once
    with pytest.raises(AuditFailed, match=said) as raised:
        shelf.set(dated(*DECKS[:6]), run_id="lied-to")
    assert "The old values are in the ledger again" in str(raised.value)
    store.lie = None
    assert shelf.context.ledger.decided("handbook", Hand.PERSON) == {
        DECKS[1]: {"created_at": "2020-01-01T00:00:00.000000Z"}
    }
    back = shelf.context.ledger.recorded("handbook", "lied-to.rolled-back")
    assert back is not None
    assert back.reverts == "lied-to"
    after = shelf.payloads()
    for point_id, payload in after.items():
        # Where the store has lost what the source said, only the night can know it: it reads the document again.
        assert payload == before[point_id] or name in ("leaves a field out", "changes one chunk of another")
    shelf.clock.moment = at(60)
    assert night(shelf.context, "night", released=False).state is RunState.TRUE
    assert shelf.is_true()


def test_a_store_that_goes_on_lying_is_named_with_what_still_says_otherwise() -> None:
    store = LyingStore()
    shelf = Shelf(store)

    def lie(index: FakeIndex, operation: str, selector: Selector, payload: Mapping[str, object]) -> object:
        """It counts too few, and then takes nothing any more."""
        back = shelf.context.ledger.recorded("handbook", "lied-to.rolled-back")
        return (
            (back is not None or None) if operation == "set_payload" else counts_fewer(index, operation, selector, {})
        )

    store.lie = lie
    with pytest.raises(
        AuditFailed, match=f"the store took 8, and 9 say .* 3 documents still say otherwise \\({DECKS[1]}"
    ):
        shelf.set(dated(*DECKS[1:4]), run_id="lied-to")
    store.lie = None
    shelf.clock.moment = at(60)
    night(shelf.context, "night")
    assert shelf.is_true()
    assert shelf.says(DECKS[1], "created_at") is None


def test_a_store_that_breaks_off_leaves_the_change_recorded_and_the_same_call_finishes_it(shelf: Shelf) -> None:
    change = shelf.plan(dated(*DECKS[:12]))
    left = 5

    def breaking(operation: str) -> None:
        nonlocal left
        left -= operation == "set_payload"
        if left == 0:
            raise StoreUnavailable("fake: it did not answer")

    shelf.store.on_io = breaking
    with pytest.raises(StoreUnavailable):
        apply_change(shelf.context, change, progress=no_progress)
    shelf.store.on_io = lambda _: None
    assert not shelf.is_true()
    again = shelf.plan(dated(*DECKS[:12]))
    assert again.patches == (), "the ledger says it already"
    also = unfinished(again, look(shelf.context), DECKS[:12])
    assert also
    marking = apply_change(shelf.context, again, also=also, progress=no_progress)
    assert marking.written == {*also}
    assert shelf.is_true()
    assert apply_change(shelf.context, change, progress=no_progress).written == frozenset()


# -- what was written by others meanwhile --


def test_a_version_that_is_written_while_marks_change_carries_the_new_ones(shelf: Shelf) -> None:
    """An ingest run looks at the ledger, then somebody sets metadata, then it publishes."""
    shelf.set_while_it_is_written(DECKS[0])
    assert day(shelf.context, "by day").state is RunState.INGESTED
    assert shelf.says(DECKS[0], "created_at") == APRIL
    assert shelf.is_true()


def test_a_version_that_appears_between_reading_and_writing_is_marked_too(shelf: Shelf) -> None:
    shelf.source.put(DECKS[0], "a new text\nof two lines")

    def ingesting(operation: str) -> None:
        if operation == "set_payload":
            shelf.store.on_io = lambda _: None
            shelf.clock.moment = at(60)
            day(shelf.context, "by day")

    change = shelf.plan(dated(DECKS[0]))
    shelf.store.on_io = ingesting
    marking = apply_change(shelf.context, change, progress=no_progress)
    assert (marking.before, marking.touched, marking.after) == (2, 2, 2)
    assert shelf.says(DECKS[0], "created_at") == APRIL
    assert shelf.is_true()


def test_a_document_that_is_removed_meanwhile_is_no_failure(shelf: Shelf) -> None:
    change = shelf.plan(dated(*DECKS[:2]))

    def removing(operation: str) -> None:
        if operation == "set_payload":
            shelf.store.on_io = lambda _: None
            shelf.source.delete(DECKS[0])
            shelf.source.delete(DECKS[19])
            shelf.clock.moment = at(60)
            night(shelf.context, "night")

    shelf.store.on_io = removing
    marking = apply_change(shelf.context, change, progress=no_progress)
    assert set(marking.chunks) == {DECKS[1]}
    assert shelf.is_true()


def test_bringing_in_makes_the_index_say_what_the_ledger_says_and_then_does_nothing(shelf: Shelf) -> None:
    shelf.context.ledger.marked["handbook"] = {DECKS[0]: Marks(status=Status.ARCHIVED), DECKS[1]: Marks(pinned=True)}  # type: ignore[attr-defined]
    marking = bring_in(shelf.context, [*DECKS[:3], "decks/none"], progress=no_progress)
    assert (marking.before, marking.touched, marking.after) == (9, 9, 9)
    assert marking.written == {DECKS[0], DECKS[1]}
    assert shelf.says(DECKS[0], "status") == "archived"
    assert bring_in(shelf.context, DECKS, progress=no_progress).written == frozenset()


def test_a_chunk_that_was_altered_gets_back_what_its_siblings_say(shelf: Shelf) -> None:
    altered = next(point for point in shelf.store.points.values() if point.payload["doc_id"] == DECKS[0])
    altered.payload |= {"title": "another", "pinned": True}
    assert bring_in(shelf.context, [DECKS[0]], progress=no_progress).written == {DECKS[0]}
    assert shelf.says(DECKS[0], "title") == "deck 00"
    assert shelf.is_true()


# -- taking back --


def test_a_reverted_run_leaves_every_byte_of_metadata_as_it_was(shelf: Shelf) -> None:
    shelf.set({DECKS[1]: {"created_at": "2020-01-01", "pinned": True}})
    before = shelf.payloads()
    patch = {
        "created_at": "2023-04-01",
        "title": "Deck",
        "status": "superseded",
        "superseded_by": DECKS[0],
        "pinned": None,
    }
    shelf.set(dict.fromkeys(DECKS[1:9], patch), run_id="the change")
    assert shelf.payloads() != before
    marking = shelf.revert("the change")
    assert marking.written == {*DECKS[1:9]}
    assert shelf.payloads() == before
    assert shelf.revert("the change").written == frozenset(), "there is nothing left to take back"


def test_what_somebody_set_since_is_a_named_conflict_and_stays(shelf: Shelf) -> None:
    shelf.set(dated(*DECKS[:3]), run_id="the change")
    shelf.set(dated(DECKS[1], on="2024-01-01"))
    with pytest.raises(ChangeRefused, match=f"1 values of run the change were set anew since: {DECKS[1]}: created_at"):
        shelf.revert("the change")
    assert shelf.says(DECKS[0], "created_at") == APRIL
    change = plan_revert(shelf.context, "the change", by="Ada", reason="wrong", new_run_id="back", skip_conflicts=True)
    apply_change(shelf.context, change, progress=no_progress)
    assert [shelf.says(deck, "created_at") for deck in DECKS[:3]] == [None, "2024-01-01T00:00:00.000000Z", None]


def test_taking_back_never_leaves_a_circle_of_successors(shelf: Shelf) -> None:
    shelf.set({DECKS[0]: {"status": "superseded", "superseded_by": DECKS[1]}}, run_id="first")
    shelf.revert("first")
    shelf.set({DECKS[1]: {"status": "superseded", "superseded_by": DECKS[0]}})
    before = shelf.context.ledger.marks("handbook")
    with pytest.raises(ChangeRefused, match=f"leads back to it: {DECKS[0]} -> {DECKS[1]} -> {DECKS[0]}"):
        shelf.revert("set-2")
    assert shelf.context.ledger.marks("handbook") == before


def test_taking_back_half_of_a_run_never_leaves_a_published_document_with_a_successor(shelf: Shelf) -> None:
    shelf.set({DECKS[0]: {"status": "superseded", "superseded_by": DECKS[1]}}, run_id="first")
    shelf.set({DECKS[0]: {"superseded_by": DECKS[2]}})
    with pytest.raises(ChangeRefused, match=f"names {DECKS[2]}, but its status is published"):
        plan_revert(shelf.context, "first", by="Ada", reason="wrong", new_run_id="back", skip_conflicts=True)


def test_a_run_that_the_ledger_does_not_know_cannot_be_taken_back(shelf: Shelf) -> None:
    with pytest.raises(ConfigError, match="no change by run nothing"):
        shelf.revert("nothing")


def test_after_an_edit_taking_back_shows_what_the_source_says_now(shelf: Shelf) -> None:
    shelf.set({DECKS[0]: {"title": "By hand"}}, run_id="the change")
    shelf.source.put(DECKS[0], "# Renamed\n\ntext", media_type="text/markdown")
    shelf.clock.moment = at(60)
    day(shelf.context, "by day")
    assert shelf.says(DECKS[0], "title") == "By hand"
    shelf.revert("the change")
    assert shelf.says(DECKS[0], "title") == "Renamed"


def test_choosing_by_what_the_index_says(shelf: Shelf) -> None:
    documents = look(shelf.context).documents
    assert [each.doc_id for each in choose(["path=decks/*-0?"]).of(documents)] == [*DECKS[:10]]
    assert len(choose(["created_at=unknown"]).of(documents)) == 20
