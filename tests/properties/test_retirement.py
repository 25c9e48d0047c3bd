"""The gate of the resolver, over every size, number of retirements, history and open plan."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from include.domain.dates import rfc3339
from include.domain.errors import ApprovalRefused
from include.domain.manifest import Removal
from include.domain.metadata import DocumentPatch
from include.domain.plan import Action, Change, HeldPlan, HoldReason, Plan, PlanKind, Release
from include.planning.gate import judge
from include.planning.limits import Limits
from include.planning.retirement import (
    ApprovedMarks,
    FamilyChange,
    FamilyPlan,
    FamilyVerdict,
    approve_marks,
    judge_families,
    release_marks,
)
from tests.builders import at
from tests.properties.test_gate import deletions, plan_of

NOW = at(0)
LIMITS = Limits()

sizes = st.integers(1, 500)
percents = st.sampled_from([0.0, 1.0, 5.0, 10.0, 12.5, 25.0, 33.3, 50.0, 99.9, 100.0])


def family(name: str, *, retired: int = 0, restored: int = 0, marked: int = 1) -> FamilyChange:
    """One family: so many documents that a newer one supersedes, that come back, that only get other marks."""
    actions = [Action.RETIRE] * retired + [Action.RESTORE] * restored + [Action.MARK] * marked
    documents = [f"{name}-{number:03}" for number in range(len(actions))]
    return FamilyChange(
        name,
        tuple(Change(doc_id, action, "because") for doc_id, action in zip(documents, actions, strict=True)),
        tuple(DocumentPatch(doc_id, {"doc_family": None}, {"doc_family": name}) for doc_id in documents),
    )


def families(retirements: int, *, of: int = 3) -> tuple[FamilyChange, ...]:
    """Families that retire so many documents together, a few each."""
    whole, rest = divmod(retirements, of)
    sizes = [of] * whole + [rest] * bool(rest)
    return tuple(family(f"family-{number:03}", retired=size) for number, size in enumerate(sizes))


def judged(
    *changes: FamilyChange,
    indexed: int,
    history: tuple[Removal, ...] = (),
    limits: Limits = LIMITS,
    standing: HeldPlan | None = None,
) -> FamilyVerdict:
    return judge_families(FamilyPlan("decks", changes, indexed), limits, history, now=NOW, standing=standing)


def held_plan_of(verdict: FamilyVerdict) -> HeldPlan:
    return HeldPlan(
        "decks",
        verdict.checksum,
        verdict.held_changes,
        verdict.holds,
        100,
        rfc3339(at(-60)),
        "night",
        kind=PlanKind.FAMILIES,
    )


def reasons(verdict: FamilyVerdict) -> set[HoldReason]:
    return {hold.reason for hold in verdict.holds}


# -- the limit and the window --


@given(indexed=sizes, share=st.fractions(0, 1), percent=percents)
def test_retirements_pass_exactly_when_they_are_not_more_than_the_limit(
    indexed: int, share: Fraction, percent: float
) -> None:
    count = int(share * indexed)
    verdict = judged(*families(count), indexed=indexed, limits=replace(LIMITS, deletion_percent=percent))
    over = Fraction(count, indexed) > Fraction(percent) / 100
    assert (HoldReason.RETIREMENT_LIMIT in reasons(verdict)) == over
    retired = [change for change in verdict.held_changes if change.action is Action.RETIRE]
    assert len(retired) == (count if over else 0)


@given(
    indexed=sizes,
    share=st.fractions(0, 1),
    past=st.lists(st.tuples(st.integers(0, 14 * 24), st.integers(0, 200), st.integers(0, 200)), max_size=8),
)
def test_retirements_pass_exactly_when_the_window_has_room_for_them(
    indexed: int, share: Fraction, past: list[tuple[int, int, int]]
) -> None:
    count = int(share * indexed)
    history = tuple(Removal(NOW - timedelta(hours=h), removed, retired=retired) for h, removed, retired in past)
    removed = sum(removed for hours, removed, _ in past if hours <= 7 * 24)
    retired = sum(retired for hours, _, retired in past if hours <= 7 * 24)
    verdict = judged(*families(count), indexed=indexed, history=history, limits=replace(LIMITS, deletion_percent=100))
    earlier = removed + retired
    over = bool(count and earlier) and Fraction(count + earlier, indexed + removed) > Fraction(25, 100)
    assert (reasons(verdict) == {HoldReason.RETIREMENT_WINDOW}) == over
    assert bool(verdict.held) == over


@pytest.mark.parametrize("indexed", range(1, 10))
def test_a_small_source_is_not_exempt(indexed: int) -> None:
    assert reasons(judged(family("deck", retired=1), indexed=indexed)) == {HoldReason.RETIREMENT_LIMIT}


def test_retirements_of_the_week_leave_no_room_for_deletions_either() -> None:
    """However documents leave the answers, it is one loss: each alone would pass."""
    earlier = (Removal(NOW - timedelta(days=2), 0, retired=10), Removal(NOW - timedelta(days=1), 0, retired=10))
    plan: Plan = plan_of(deletions(9), indexed=100)
    assert not judge(plan, LIMITS, (), now=NOW).held
    (hold,) = judge(plan, LIMITS, earlier, now=NOW).holds
    assert hold.reason is HoldReason.DELETION_WINDOW
    assert "9 deletions now and 0 deleted and 20 retired in the last 7 days are 29.0 % of 100" in hold.message


def test_a_retired_document_is_still_part_of_what_the_source_holds() -> None:
    """Three nights of 9 of 100 are 27 %: the base does not grow by what was only retired."""
    earlier = tuple(Removal(NOW - timedelta(days=days), 0, retired=9) for days in (1, 2))
    assert reasons(judged(*families(9), indexed=100, history=earlier)) == {HoldReason.RETIREMENT_WINDOW}


def test_the_message_states_source_counts_percent_limit_and_what_to_do() -> None:
    (hold,) = judged(*families(26), indexed=200).holds
    for part in ("decks", "26 of 200", "9 families", "13.0 %", "10 %", "approve"):
        assert part in hold.message


# -- what is held with it, and what is not --


@given(restored=st.integers(0, 300), marked=st.integers(0, 300), retired=st.integers(0, 300))
def test_what_brings_documents_back_or_only_links_them_is_never_held(restored: int, marked: int, retired: int) -> None:
    harmless = family("harmless", restored=restored, marked=marked)
    verdict = judged(harmless, *families(retired), indexed=100)
    assert harmless in verdict.allowed
    assert all(each.retired for each in verdict.held)


def test_a_family_is_marked_as_a_whole_or_not_at_all() -> None:
    small, collapse = family("small", retired=1, marked=2), family("collapse", retired=30, restored=1, marked=2)
    verdict = judged(small, collapse, indexed=100)
    assert verdict.held == (small, collapse)
    assert len(verdict.held_changes) == 3 + 33


@given(retired=st.lists(st.integers(0, 12), max_size=12), indexed=sizes, waiting=st.integers(0, 12))
def test_every_family_is_in_exactly_one_part(retired: list[int], indexed: int, waiting: int) -> None:
    changes = tuple(family(f"family-{number:03}", retired=count) for number, count in enumerate(retired))
    before = judged(*changes[:waiting], indexed=1)
    verdict = judged(*changes, indexed=indexed, standing=held_plan_of(before) if before.held else None)
    assert sorted((*verdict.allowed, *verdict.held), key=lambda each: each.family) == list(changes)
    assert bool(verdict.held) == bool(verdict.holds) == bool(verdict.checksum)


# -- what waits --


def test_what_waits_is_not_let_go_because_the_source_has_grown() -> None:
    collapse = families(20)
    standing = held_plan_of(judged(*collapse, indexed=100))
    assert judged(*collapse, indexed=1000).held == ()
    again = judged(*collapse, family("other", retired=1), indexed=1000, standing=standing)
    assert again.held == collapse
    assert [each.family for each in again.allowed] == ["other"]
    (hold,) = again.holds
    assert (hold.reason, "have waited for a person since" in hold.message) == (HoldReason.RETIREMENT_LIMIT, True)
    assert again.checksum == standing.checksum


def test_what_the_resolver_no_longer_asks_for_does_not_wait() -> None:
    standing = held_plan_of(judged(*families(20), indexed=100))
    assert judged(family("other", retired=1), indexed=100, standing=standing).held == ()


# -- approval --


def release_of(verdict: FamilyVerdict, **fields: str) -> Release:
    given = {"checksum": verdict.checksum, "expires_at": rfc3339(at(60)), **fields}
    return Release("decks", approved_by="Ada", reason="read them", approved_at=rfc3339(at(-5)), **given)


def test_a_release_of_exactly_this_plan_approves_what_is_held() -> None:
    verdict = judged(family("small"), *families(20), indexed=100)
    approved = release_marks(verdict, release_of(verdict), run_id="run", now=NOW)
    assert approved.families == verdict.held
    assert approved.retirements == 20
    assert approve_marks(verdict).families == verdict.allowed


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"checksum": "another"}, "the plan computed now is"),
        ({"expires_at": rfc3339(at(-1))}, "expired"),
        ({"used_by_run": "yesterday"}, "a release is used once"),
    ],
)
def test_a_release_of_something_else_is_refused(fields: dict[str, str], why: str) -> None:
    verdict = judged(*families(20), indexed=100)
    with pytest.raises(ApprovalRefused, match=why):
        release_marks(verdict, release_of(verdict, **fields), run_id="run", now=NOW)
    with pytest.raises(ApprovalRefused, match="no recorded release"):
        release_marks(verdict, None, run_id="run", now=NOW)


def test_a_release_is_refused_when_the_marks_would_be_others_than_were_shown() -> None:
    """The same documents, retired for another head: another plan."""
    shown = judged(*families(20), indexed=100)
    first, *rest = families(20)
    other = replace(first, patches=tuple(replace(patch, after={"doc_family": "x"}) for patch in first.patches))
    with pytest.raises(ApprovalRefused, match="the plan computed now is"):
        release_marks(judged(other, *rest, indexed=100), release_of(shown), run_id="run", now=NOW)


def test_nobody_else_makes_approved_marks() -> None:
    with pytest.raises(TypeError, match="made by the gate only"):
        ApprovedMarks(object(), "decks", families(20))


@given(st.permutations(range(7)))
def test_the_checksum_does_not_depend_on_the_order_of_families(order: list[int]) -> None:
    collapse = families(20)
    shuffled = tuple(collapse[place] for place in order)
    assert judged(*shuffled, indexed=100).checksum == judged(*collapse, indexed=100).checksum
