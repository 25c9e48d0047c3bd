"""The guards of the resolver's runs: each holds its scenario, and the scenario goes wrong without it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import pytest

from include.domain.errors import ApprovalRefused
from include.domain.manifest import Manifest, RunState
from include.planning import retirement
from include.planning.limits import Past
from include.services import family_plan, judging_families, resolve_canonical, resolving
from include.services.resolve_canonical import RESOLVE
from tests.fakes.records import FakeLedger
from tests.guards import Guard, switch
from tests.unit.test_resolve_canonical import SOURCE, Handbook, Killed, collapse, fork


def five_of_twenty_six_are_superseded_at_once() -> None:
    handbook = collapse()
    handbook.resolve()
    assert handbook.superseded() == []


def retirements_of_four_nights_pass_one_by_one() -> None:
    handbook = Handbook().with_pages(100)
    handbook.limits = replace(handbook.limits, window_percent=18)
    for night in range(4):
        for name in "abcdefgh":
            handbook.with_family(f"memo-{night}{name}", 1, 2)
        handbook.night().resolve()
        handbook.clock.turn(hours=20)
    assert len(handbook.superseded()) <= 24


def a_killed_run_may_have_retired_a_quarter() -> None:
    handbook = Handbook().with_pages(40).with_family("deck", 1, 2, 3).night()
    killed = Manifest("killed", RESOLVE, SOURCE, handbook.clock.now(), RunState.RUNNING, planned_retirements=10)
    handbook.manifests.save(killed)
    handbook.resolve()
    assert handbook.superseded() == []


def the_source_grows_while_a_collapse_waits() -> None:
    handbook = collapse()
    handbook.resolve()
    handbook.with_pages(400).night().resolve()
    assert handbook.superseded() == []


def a_newer_version_comes_after_the_approval() -> None:
    handbook = collapse()
    handbook.resolve()
    handbook.approve(handbook.held)
    handbook.with_family("deck", 7).night()
    with suppress(ApprovalRefused):
        handbook.apply_release()
    assert handbook.superseded() == []


def a_mark_is_left_over_when_its_head_is_deleted() -> None:
    handbook = Handbook().with_pages(30).with_family("deck", 9, 10).night()
    handbook.resolve()
    handbook.source.delete("deck-v10.md")
    handbook.night().resolve()
    assert handbook.superseded() == []


def a_run_is_killed_between_ledger_and_index() -> None:
    handbook = Handbook().with_pages(30).with_family("deck", 8, 9, 10).night()
    handbook.killed_at = "set_payload"
    with pytest.raises(Killed):
        handbook.resolve()
    handbook.killed_at = ""
    handbook.resolve()
    assert handbook.superseded() == ["deck-v8.md", "deck-v9.md"]


def an_ambiguous_family_is_marked_all_the_same() -> None:
    handbook = fork(Handbook().with_pages(30).with_family("deck", 1), "by-ada", "by-bob").night()
    handbook.resolve()
    assert len(handbook.ledger.reviews(SOURCE)) == 1


def documents_that_have_one_name_and_nothing_else_in_common() -> None:
    handbook = Handbook().with_pages(30)
    for version, word in ((1, "apples"), (2, "zebras")):
        text = " ".join(f"{word}{number}" for number in range(30))
        handbook.put(f"notes-v{version}.md", f"---\ntitle: Notes\n---\n{text}\n\nOnly {text}.")
    handbook.night().resolve()
    assert handbook.superseded() == []


def approve_anything(verdict, release, *, run_id, now):  # type: ignore[no-untyped-def]
    return retirement.ApprovedMarks(retirement._SEAL, verdict.source, verdict.held, release)


def any_release(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeLedger, "find_release", lambda self, source, checksum: self.releases[-1])
    monkeypatch.setattr(resolve_canonical, "release_marks", approve_anything)


def keep_what_was_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """New marks are written, old ones stay for ever."""
    wanted_marks = family_plan.wanted_marks

    def only_more(resolved, recorded, *others):  # type: ignore[no-untyped-def]
        wanted = wanted_marks(resolved, recorded, *others)
        return {**recorded, **{doc_id: marks for doc_id, marks in wanted.items() if marks}}

    monkeypatch.setattr(family_plan, "wanted_marks", only_more)


def everything_is_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolving._Alike, "__call__", lambda self, one, other: 1.0)


GUARDS = [
    Guard(
        "retirement limit", five_of_twenty_six_are_superseded_at_once, switch(retirement, "_limits_met", lambda *_: [])
    ),
    Guard(
        "window",
        retirements_of_four_nights_pass_one_by_one,
        switch(Past, "within", classmethod(lambda cls, *_: cls(0, 0))),
    ),
    Guard(
        "window, killed runs",
        a_killed_run_may_have_retired_a_quarter,
        switch(Past, "within", classmethod(lambda cls, *_: cls(0, 0))),
    ),
    Guard(
        "what waits", the_source_grows_while_a_collapse_waits, switch(judging_families, "standing_plan", lambda _: None)
    ),
    Guard("checksum", a_newer_version_comes_after_the_approval, any_release),
    Guard("marks are taken away", a_mark_is_left_over_when_its_head_is_deleted, keep_what_was_recorded),
    Guard(
        "half done is finished",
        a_run_is_killed_between_ledger_and_index,
        switch(resolve_canonical, "_lagging", lambda *_: []),
    ),
    Guard("similarity", documents_that_have_one_name_and_nothing_else_in_common, everything_is_alike),
    Guard(
        "review",
        an_ambiguous_family_is_marked_all_the_same,
        switch(resolve_canonical, "_ask_for_review", lambda *_: None),
    ),
]


@pytest.mark.parametrize("guard", GUARDS, ids=str)
def test_the_guard_holds(guard: Guard) -> None:
    guard.holds()


@pytest.mark.parametrize("guard", GUARDS, ids=str)
def test_without_the_guard_the_damage_is_done(guard: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    guard.bites(monkeypatch)
