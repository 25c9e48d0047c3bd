"""What a sync makes of documents that were staged, or that a person had taken out of the index."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from include.domain.consequence import Consequence
from include.domain.documents import Status
from include.domain.manifest import DocumentState, Manifest, RunState
from include.domain.metadata import Hand
from include.domain.review import Applied, KeptOut
from tests.builders import day, night
from tests.unit.test_detect_stale import PURGE, SOURCE, Shelf, shelf
from tests.unit.test_resolve_canonical import outcomes

__all__ = ["shelf"]

ONE, TWO = "deck-v1.md", "deck-v2.md"
Sync = Callable[[Shelf], Manifest]
OUT = KeptOut("v1", "c1", "nobody needs it", "Bob", "2026-01-02T00:00:00.000000Z")


def hour(shelf: Shelf, **options: object) -> Manifest:
    shelf.clock.turn(hours=1)
    shelf.runs += 1
    return day(shelf.context, f"hour-{shelf.runs}", **options)  # type: ignore[arg-type]


def at_night(shelf: Shelf) -> Manifest:
    shelf.clock.turn(hours=1)
    shelf.runs += 1
    return night(shelf.context, f"night-{shelf.runs}")


def take_out(shelf: Shelf, doc_id: str = ONE) -> None:
    """As if a person had: out of the index, and kept out."""
    shelf.detect()
    shelf.decide(doc_id, PURGE)
    item = replace(shelf.ledger.candidate(SOURCE, doc_id), applied=Applied("2026-01-02", "run", "taken out"))
    shelf.ledger.carry_out(Consequence(item, kept_out=replace(OUT, doc_version=item.doc_version)))
    for point_id in [point_id for point_id, each in shelf.store.points.items() if each.payload["doc_id"] == doc_id]:
        del shelf.store.points[point_id]


@pytest.mark.parametrize("sync", [hour, at_night])
def test_an_edit_of_a_staged_document_shows_it_again_at_the_sync_that_brings_it_in(shelf: Shelf, sync: Sync) -> None:
    shelf.detect()
    shelf.put(ONE, "# The deck\n\nIt says something else by now.")
    sync(shelf)
    assert (shelf.staged, shelf.statuses()[ONE]) == ([TWO], Status.SUPERSEDED)
    assert ONE not in shelf.ledger.decided(SOURCE, Hand.DETECTOR)


def test_another_version_with_the_same_text_stays_staged(shelf: Shelf) -> None:
    shelf.detect()
    shelf.source.touch(ONE)
    hour(shelf)
    assert shelf.staged == [ONE, TWO]


def test_a_decision_about_another_text_goes_back_to_open_at_that_sync(shelf: Shelf) -> None:
    shelf.detect()
    shelf.decide(ONE, PURGE)
    shelf.decide(TWO, PURGE)
    shelf.put(ONE, "# The deck\n\nIt says something else by now.")
    hour(shelf)
    assert [item.doc_id for item in shelf.ledger.candidates(SOURCE).decided] == [TWO]
    assert "but the document was changed since. Decide again" in shelf.ledger.candidate(SOURCE, ONE).notes[-1]


def test_a_staged_document_that_left_its_source_and_came_back_is_found_again(shelf: Shelf) -> None:
    shelf.detect()
    shelf.decide(ONE, PURGE)
    text = shelf.source.pages[ONE].body
    shelf.source.delete(ONE)
    shelf.night()
    shelf.put(ONE, text.decode())
    hour(shelf)
    assert (shelf.staged, shelf.statuses()[ONE]) == ([TWO], Status.SUPERSEDED)
    assert "it had left the index and came back" in shelf.ledger.candidate(SOURCE, ONE).notes[-1]


def test_a_document_whose_file_in_the_queue_is_spoilt_is_shown_again_all_the_same(shelf: Shelf) -> None:
    shelf.detect()
    shelf.ledger.spoilt[SOURCE, ONE] = "decision is 'keep'"
    shelf.put(ONE, "# The deck\n\nIt says something else by now.")
    hour(shelf)
    assert shelf.staged == [TWO]


@pytest.mark.parametrize("sync", [hour, at_night])
def test_what_a_person_took_out_stays_out_whatever_the_source_lists(shelf: Shelf, sync: Sync) -> None:
    take_out(shelf)
    manifest = sync(shelf)
    assert (ONE in shelf.statuses(), manifest.outcomes) == (False, ())
    assert manifest.state in (RunState.INGESTED, RunState.TRUE)
    assert hour(shelf, force=True).count(DocumentState.CREATED) == 0
    assert ONE not in shelf.statuses()


@pytest.mark.parametrize("sync", [hour, at_night])
def test_it_comes_back_as_new_when_its_source_changes_it_and_the_run_says_so(shelf: Shelf, sync: Sync) -> None:
    take_out(shelf)
    shelf.put(ONE, "# The deck\n\nIt says something else by now.")
    manifest = sync(shelf)
    assert shelf.statuses()[ONE] in (Status.PUBLISHED, Status.SUPERSEDED)
    (told,) = [each for each in manifest.outcomes if each.state is DocumentState.CREATED]
    assert told.detail == (
        "Bob took it out of the index on 2026-01-02 (nobody needs it), and its source has changed it since"
    )
    assert shelf.ledger.kept_out(SOURCE) == {}
    assert sync(shelf).outcomes == ()


@pytest.mark.parametrize("sync", [hour, at_night])
def test_what_the_ledger_says_otherwise_by_now_is_brought_in_by_any_sync(shelf: Shelf, sync: Sync) -> None:
    shelf.detect()
    shelf.ledger.decisions[SOURCE, Hand.DETECTOR] = {}  # a revert in the ledger
    manifest = sync(shelf)
    assert shelf.staged == []
    assert sorted(outcomes(manifest, DocumentState.REFRESHED)) == [ONE, TWO]
    assert sync(shelf).outcomes == ()
