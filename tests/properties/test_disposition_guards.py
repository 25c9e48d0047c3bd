"""Each rule that keeps a decision from doing what nobody wanted, and what happens without it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from include.connectors.git_purge import GitPurge
from include.domain.documents import Presence, Status
from include.domain.metadata import Hand
from include.domain.review import Disposition
from include.planning import dispositions, purging
from include.planning.limits import Limits
from include.services import ingest, judging, judging_dispositions, marking, protecting, recording
from include.services.protecting import hold
from include.staleness import detection
from tests.connector_sources import GitRepository
from tests.fakes.purging import FakePurging
from tests.fakes.records import FakeLedger
from tests.guards import Guard, switch
from tests.unit.test_apply_dispositions import ARCHIVE, KEEP, ONE, PURGE, SOURCE, THREE, TWO, Review, filled, said
from tests.unit.test_git_purge import propose


def review() -> Review:
    return filled(Review())


def in_git() -> Review:
    made = Review()
    made.purging = FakePurging(made.source, on_io=made._io)
    return filled(made)


def protect(made: Review) -> None:
    hold(made.context, [ONE], until="2030-01-01", by="Bob", reason="an audit")


# -- scenarios: what must not happen --


def what_was_protected_before_the_run_is_archived() -> None:
    made = review()
    made.decide(ONE, ARCHIVE)
    protect(made)
    made.apply()
    assert made.status(ONE) == Status.STAGED


def what_is_protected_while_the_run_is_at_work_is_purged() -> None:
    made = in_git()
    made.decide(ONE, PURGE)
    made.in_git.on_io = lambda operation: protect(made) if operation == "propose" else None
    made.apply()
    assert not made.item(ONE).waits_for_source


def another_text_than_the_one_that_was_decided_about_is_archived() -> None:
    made = review()
    made.decide(ONE, ARCHIVE)
    item = made.item(ONE)
    made.ledger.items[SOURCE, ONE] = replace(item, content_hash="another")
    made.apply()
    assert made.status(ONE) == Status.STAGED


def a_version_that_nobody_has_looked_at_is_purged() -> None:
    made = in_git()
    made.decide(ONE, PURGE)
    made.put(ONE, "# The deck\n\nIt says something else by now.")
    made.apply()
    assert not made.in_git.proposed


def the_last_answer_goes_with_what_it_replaced() -> None:
    made = review()
    made.decide(ONE, ARCHIVE)
    made.say({THREE: {"status": "archived"}})
    made.apply()
    assert made.status(ONE) == Status.STAGED


def what_was_taken_back_is_done_again_the_next_day() -> None:
    made = review()
    made.decide(ONE, ARCHIVE)
    item, before = made.item(ONE), dict(made.ledger.decisions)
    made.apply()
    made.ledger.decisions, made.ledger.done = before, []
    made.ledger.items[SOURCE, ONE] = item
    made.sync()
    made.apply()
    assert made.status(ONE) == Status.STAGED


def an_index_that_was_lost_settles_what_was_decided() -> None:
    made = review()
    made.decide(ONE, PURGE)
    made.store.points.clear()
    made.apply()
    assert made.queued == [ONE, TWO]


def many_single_decisions_empty_a_source() -> None:
    made = review()
    made.limits = Limits(deletion_percent=3)
    made.decide(ONE, ARCHIVE)
    made.decide(TWO, ARCHIVE)
    made.apply()
    assert made.staged == [ONE, TWO]


def days_of_single_decisions_empty_a_source() -> None:
    made = review()
    made.limits = Limits(window_percent=5)
    made.clock.turn(days=8)
    for doc_id in (ONE, TWO):
        made.decide(doc_id, PURGE)
        made.apply()
    assert TWO in made.statuses()


def what_a_person_took_out_comes_back_with_the_next_sync() -> None:
    made = review()
    made.decide(ONE, PURGE)
    made.apply()
    made.sync()
    assert ONE not in made.statuses()


def an_edit_of_a_staged_document_stays_hidden() -> None:
    made = review()
    made.put(ONE, "# The deck\n\nIt says something else by now.")
    made.sync()
    assert ONE not in made.staged


def what_the_ledger_says_since_a_revert_waits_for_the_night() -> None:
    made = review()
    made.ledger.decisions.pop((SOURCE, Hand.DETECTOR))
    made.sync()
    assert made.staged == []


def what_somebody_linked_is_a_candidate_again() -> None:
    made = review()
    made.decide(ONE, said(Disposition.SUPERSEDE_LINK, superseded_by="aaaa0.md"))
    made.apply()
    made.detect()
    assert ONE not in made.queued


def a_kept_document_is_kept_for_one_run_only() -> None:
    made = review()
    made.decide(ONE, KEEP)
    made.apply()
    made.detect()
    assert ONE not in made.queued


def _repository(folder: str) -> GitRepository:
    return GitRepository.create(Path(folder) / "handbook", {"decks/january.md": "January\n", "notes.md": "notes\n"})


def another_file_than_was_read_is_removed() -> None:
    with TemporaryDirectory() as folder:
        repository = _repository(folder)
        repository.commit({"decks/january.md": "January, corrected\n"})
        assert propose(repository).removed == ()


def a_removal_that_was_merged_and_reverted_can_never_be_merged_again() -> None:
    with TemporaryDirectory() as folder:
        repository = _repository(folder)
        first = propose(repository)
        repository.git("pull", "--quiet", "--no-rebase", "--no-edit", first.repository, first.branch)
        repository.git("revert", "--no-edit", first.commit)
        assert propose(repository).branch != first.branch


def _nothing(*_: object, **__: object) -> Any:
    return ""


def _none(*_: object, **__: object) -> Any:
    return {}


def _no_fresh_look(self: recording.Recording) -> Any:
    return {}


def _whatever_is_there(self: GitPurge, tip: str, files: Any) -> dict[str, str]:
    with self._clone.lookup(timeout=60) as oid_at:
        return {doc_id: oid_at(tip, doc_id.encode()) for doc_id in files}


GUARDS = [
    Guard(
        "protection, when it is planned and again",
        what_was_protected_before_the_run_is_archived,
        lambda patch: (
            patch.setattr(judging_dispositions, "why_protected", _none),
            patch.setattr(recording, "why_protected", _none),
        ),
    ),
    Guard(
        "protection, right before",
        what_is_protected_while_the_run_is_at_work_is_purged,
        switch(recording.Recording, "protected", _no_fresh_look),
    ),
    Guard(
        "the text that was decided about",
        another_text_than_the_one_that_was_decided_about_is_archived,
        switch(dispositions, "why_changed", _nothing),
    ),
    Guard(
        "the version at the source",
        a_version_that_nobody_has_looked_at_is_purged,
        switch(
            recording.Recording,
            "read",
            lambda self, each: self._context.connector.fetch(each.doc_id),
        ),
    ),
    Guard(
        "something is left to read",
        the_last_answer_goes_with_what_it_replaced,
        switch(dispositions, "newest_readable", lambda doc_id, *_: doc_id),
    ),
    Guard(
        "taken back",
        what_was_taken_back_is_done_again_the_next_day,
        switch(FakeLedger, "carried_out", lambda *_: frozenset()),
    ),
    Guard(
        "absence is asked for",
        an_index_that_was_lost_settles_what_was_decided,
        switch(Presence, "confirms_absence", property(lambda _: True)),
    ),
    Guard("limit", many_single_decisions_empty_a_source, switch(purging, "_limits_met", lambda *_: [])),
    Guard("window", days_of_single_decisions_empty_a_source, switch(purging, "_limits_met", lambda *_: [])),
    Guard(
        "kept out",
        what_a_person_took_out_comes_back_with_the_next_sync,
        switch(judging, "with_kept_out", lambda inventory, _: inventory),
    ),
    Guard(
        "shown again", an_edit_of_a_staged_document_stays_hidden, switch(marking, "show_what_changed", lambda *_: None)
    ),
    Guard(
        "drift at the hour",
        what_the_ledger_says_since_a_revert_waits_for_the_night,
        switch(ingest, "settle_drift", lambda *_, **__: []),
    ),
    Guard(
        "what was linked is answered",
        what_somebody_linked_is_a_candidate_again,
        switch(protecting, "_of_the_link", lambda _: ("other",)),
    ),
    Guard(
        "what was kept is answered",
        a_kept_document_is_kept_for_one_run_only,
        switch(detection, "without_kept", lambda _, given: (list(given), [])),
    ),
    Guard(
        "the bytes that were read",
        another_file_than_was_read_is_removed,
        switch(GitPurge, "_files", _whatever_is_there),
    ),
    Guard(
        "taken back in the repository",
        a_removal_that_was_merged_and_reverted_can_never_be_merged_again,
        switch(GitPurge, "_is_in", lambda *_: False),
    ),
]


@pytest.mark.parametrize("guard", GUARDS, ids=str)
def test_the_damage_is_not_done(guard: Guard) -> None:
    guard.holds()


@pytest.mark.parametrize("guard", GUARDS, ids=str)
def test_without_the_guard_it_is(guard: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    guard.bites(monkeypatch)
