"""What keeps metadata true that is set in place: each guard holds its scenario, which goes wrong without it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from include.domain.documents import DocumentKey, Marks, Status
from include.domain.errors import TruecopyError
from include.domain.inventory import IndexInventory
from include.domain.metadata import MetadataChange, Patch
from include.domain.selection import Selector
from include.planning.marking_audit import Audit
from include.records import decisions
from include.records.ledger import GitLedger
from include.services import drift, marking, metadata_change, set_metadata
from include.services.ingest import ingest_documents
from tests.builders import at, day, night, no_progress
from tests.fakes.records import FakeLedger
from tests.guards import Guard, Off, switch
from tests.metadata_shelf import APRIL, DECKS, LyingStore, Shelf, changes_another_document, dated, drops_every_third


def _lied_to(lie: object) -> Shelf:
    """A shelf on which dates were set while the store lied. Whatever was raised has been seen."""
    store = LyingStore()
    shelf = Shelf(store)

    def until_taken_back(*asked: object) -> object:
        return None if shelf.context.ledger.recorded("handbook", "set-1.rolled-back") else lie(*asked)  # type: ignore[operator]

    store.lie = until_taken_back
    with suppress(TruecopyError):
        shelf.set(dated(*DECKS[:6]))
    store.lie = None
    return shelf


def dropped_writes_are_noticed() -> None:
    """The ledger must not claim what the index does not say."""
    assert _lied_to(drops_every_third).is_true()


def other_documents_are_watched() -> None:
    shelf = _lied_to(changes_another_document)
    assert shelf.says(DECKS[19], "created_at") is None


def a_new_version_never_gets_the_old_one_s_metadata() -> None:
    """An ingest run publishes another title between our read and our write."""
    shelf = Shelf()
    shelf.source.put(DECKS[0], "# Renamed\n\nwhat we sell", media_type="text/markdown")

    def ingesting(operation: str) -> None:
        if operation == "set_payload":
            shelf.store.on_io = lambda _: None
            shelf.clock.moment = at(60)
            day(shelf.context, "by day")

    change = shelf.plan({DECKS[0]: {"title": "By hand"}})
    shelf.store.on_io = ingesting
    with suppress(TruecopyError):
        set_metadata.apply_change(shelf.context, change, progress=no_progress)
    shelf.store.on_io = lambda _: None
    shelf.revert("set-1")
    assert shelf.says(DECKS[0], "title") == "Renamed"


def a_version_that_is_being_written_gets_marks_set_meanwhile() -> None:
    shelf = Shelf()
    shelf.set_while_it_is_written(DECKS[0])
    # The documents alone: at its end a run brings in once more what the ledger says.
    ingest_documents(shelf.context, [DECKS[0]], indexed=len(DECKS), progress=no_progress)
    assert shelf.says(DECKS[0], "created_at") == APRIL


def a_status_does_not_publish_what_is_still_invisible() -> None:
    """Debris under the fence of a version: half of a repair that was killed."""
    shelf = Shelf()
    lost = next(point_id for point_id, point in shelf.store.points.items() if point.payload["doc_id"] == DECKS[0])
    shelf.store.points[lost].payload["status"] = "incoming"
    with suppress(TruecopyError):
        shelf.set({DECKS[0]: {"status": "superseded", "superseded_by": DECKS[1]}})
    assert shelf.store.points[lost].payload["status"] == "incoming"


def nobody_hides_a_whole_source() -> None:
    shelf = Shelf()
    with suppress(TruecopyError):
        shelf.set({deck: {"status": "archived"} for deck in DECKS})
    assert shelf.says(DECKS[0], "status") == "published"


def nobody_hides_a_whole_source_by_hand() -> None:
    """Somebody edits the ledger, or takes back a commit of it."""
    shelf = Shelf()
    ledger = shelf.context.ledger
    assert isinstance(ledger, FakeLedger)
    ledger.marked["handbook"] = {deck: Marks(status=Status.ARCHIVED) for deck in DECKS}
    shelf.clock.moment = at(60)
    night(shelf.context, "night")
    assert shelf.says(DECKS[0], "status") == "published"


def a_later_word_is_not_overwritten_by_an_older_plan() -> None:
    with TemporaryDirectory() as folder:
        shelf = Shelf()
        shelf.context = replace(shelf.context, ledger=GitLedger(Path(folder)))
        stale = shelf.plan(dated(DECKS[0]))
        shelf.set(dated(DECKS[0], on="2024-01-01"))
        with suppress(TruecopyError):
            set_metadata.apply_change(shelf.context, stale, progress=no_progress)
        assert shelf.says(DECKS[0], "created_at") == "2024-01-01T00:00:00.000000Z"


def taking_back_leaves_what_somebody_set_since() -> None:
    shelf = Shelf()
    shelf.set(dated(DECKS[0]), run_id="the change")
    shelf.set(dated(DECKS[0], on="2024-01-01"))
    with suppress(TruecopyError):
        shelf.revert("the change")
    assert shelf.says(DECKS[0], "created_at") == "2024-01-01T00:00:00.000000Z"


def no_document_supersedes_itself_over_others() -> None:
    shelf = Shelf()
    with suppress(TruecopyError):
        shelf.set(
            {
                one: {"status": "superseded", "superseded_by": other}
                for one, other in ((DECKS[0], DECKS[1]), (DECKS[1], DECKS[0]))
            }
        )
    assert shelf.says(DECKS[0], "status") == "published"


def _audit_nothing(*_: object, **__: object) -> Audit:
    return Audit(0, 0, 0, {}, {})


def _audit_chosen_only(
    before: IndexInventory, after: IndexInventory, marked: Mapping[str, object], **more: object
) -> Audit:
    found = _audit(before, after, marked, **more)  # type: ignore[arg-type]
    return replace(found, others={})


_audit = set_metadata.audit


def _without_fence(key: DocumentKey, _version: object) -> Selector:
    return Selector(key)


def _take_anything(decided: Mapping[str, Patch], change: MetadataChange) -> Mapping[str, Patch]:
    return {**decided, **{patch.doc_id: patch.after for patch in change.patches}}


def _forgetful() -> Off:
    """Whoever writes looks at the ledger once only."""
    return lambda monkeypatch: monkeypatch.setattr(
        "include.services.ingest.write_versions",
        lambda context, documents: context.writer.write(documents, context.ledger.marks(context.source)),
    )


GUARDS = [
    Guard("the audit of what was set", dropped_writes_are_noticed, switch(set_metadata, "audit", _audit_nothing)),
    Guard("the audit of all others", other_documents_are_watched, switch(set_metadata, "audit", _audit_chosen_only)),
    Guard(
        "the fence of a write",
        a_new_version_never_gets_the_old_one_s_metadata,
        switch(marking, "_selector", _without_fence),
    ),
    Guard("the second look at the ledger", a_version_that_is_being_written_gets_marks_set_meanwhile, _forgetful()),
    Guard(
        "the ids of a write",
        a_status_does_not_publish_what_is_still_invisible,
        switch(marking, "_selector", _without_fence),
    ),
    Guard(
        "the limit of hiding",
        nobody_hides_a_whole_source,
        switch(set_metadata, "refuse_hiding_too_many", lambda *_, **__: None),
    ),
    Guard(
        "the limit of hiding at night",
        nobody_hides_a_whole_source_by_hand,
        switch(drift, "why_not_to_hide", lambda *_, **__: ""),
    ),
    Guard(
        "values before a change",
        a_later_word_is_not_overwritten_by_an_older_plan,
        switch(decisions, "_with", _take_anything),
    ),
    Guard(
        "conflicts of taking back",
        taking_back_leaves_what_somebody_set_since,
        switch(
            metadata_change,
            "taken_back",
            lambda patches, decided: (
                tuple(
                    replace(each, before={n: decided[each.doc_id].get(n) for n in each.after}, after=each.before)
                    for each in patches
                ),
                [],
            ),
        ),
    ),
    Guard(
        "what makes no sense",
        no_document_supersedes_itself_over_others,
        switch(metadata_change, "what_is_wrong", lambda *_, **__: []),
    ),
]


@pytest.mark.parametrize("guard", GUARDS, ids=str)
def test_a_guard_prevents_its_damage(guard: Guard) -> None:
    guard.holds()


@pytest.mark.parametrize("guard", GUARDS, ids=str)
def test_without_the_guard_the_damage_is_done(guard: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    guard.bites(monkeypatch)
