"""The gate of the detector, for plans and limits of every kind."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from include.domain.manifest import Removal
from include.domain.metadata import DocumentPatch
from include.domain.plan import Action, Change, HeldPlan, PlanKind
from include.planning.limits import Limits, Past
from include.planning.staging import StagingChange, StagingPlan, approve_staging, judge_staging
from tests.builders import at

NOW = at(0)


def change(doc_id: str, *, stages: bool) -> StagingChange:
    action, after = (Action.STAGE, "staged_for_review") if stages else (Action.RESTORE, None)
    return StagingChange(
        Change(doc_id, action, "why"), DocumentPatch(doc_id, {"status": None if stages else "x"}, {"status": after})
    )


plans = st.builds(
    lambda kinds, more: StagingPlan(
        "handbook",
        tuple(change(f"doc-{number:03d}", stages=stages) for number, stages in enumerate(kinds)),
        sum(kinds) + more,
    ),
    st.lists(st.booleans(), max_size=40),
    st.integers(0, 400),
)
percents = st.floats(0, 100)
limits = st.builds(Limits, deletion_percent=percents, window_percent=percents)
histories = st.lists(
    st.builds(
        Removal,
        at=st.integers(0, 20).map(lambda days: NOW - timedelta(days=days)),
        documents=st.integers(0, 20),
        retired=st.integers(0, 20),
    ),
    max_size=5,
)


@given(plans, limits, histories)
def test_every_change_is_allowed_or_held_once_and_nothing_is_kept_from_coming_back(
    plan: StagingPlan, limits: Limits, history: list[Removal]
) -> None:
    verdict = judge_staging(plan, limits, history, now=NOW)
    assert sorted([*verdict.allowed, *verdict.held], key=lambda each: each.change.doc_id) == list(plan.changes)
    assert all(each.hides for each in verdict.held)
    assert bool(verdict.held) == bool(verdict.holds) == bool(verdict.checksum)
    approved = approve_staging(verdict)
    assert approved.changes == verdict.allowed
    assert approved.hidden == {each.change.doc_id for each in verdict.allowed if each.hides}


@given(plans, limits, histories)
def test_what_is_staged_is_never_over_a_limit(plan: StagingPlan, limits: Limits, history: list[Removal]) -> None:
    staged = len(approve_staging(judge_staging(plan, limits, history, now=NOW)).hidden)
    since = NOW - timedelta(days=limits.window_days)
    removed = sum(each.documents for each in history if each.at >= since)
    retired = sum(each.retired for each in history if each.at >= since)
    assert staged * 100 <= limits.deletion_percent * plan.shown_documents or staged == 0
    if staged and removed + retired:
        assert (staged + removed + retired) * 100 <= limits.window_percent * (plan.shown_documents + removed)


doc_ids = st.frozensets(st.integers(0, 12).map("doc-{:03d}".format))
named = st.lists(
    st.builds(
        lambda days, removed, retired: Removal(
            NOW - timedelta(days=days), len(removed), "run", len(retired), removed, retired
        ),
        st.integers(0, 20),
        doc_ids,
        doc_ids,
    ),
    max_size=5,
)


@given(doc_ids, named, histories)
def test_a_document_fills_the_window_once_however_often_it_is_retired(
    leaving: frozenset[str], history: list[Removal], nameless: list[Removal]
) -> None:
    recent = [each for each in history if each.at >= NOW - timedelta(days=7)]
    past = Past.within([*history, *nameless], Limits(), NOW, leaving)
    alone = Past.within(nameless, Limits(), NOW)
    removed = sum(each.documents for each in recent)
    lost = {doc_id for each in recent for doc_id in each.retired_ids | each.removed_ids}
    assert past.removed - alone.removed == removed
    assert past.retired - alone.retired == len(lost - leaving - {one for each in recent for one in each.removed_ids})
    assert len(leaving) + past.sum - alone.sum >= len(leaving | lost), "no loss is counted less than once"


@given(plans, st.data())
def test_what_waits_for_a_person_is_not_let_through_by_a_limit_that_is_not_met_any_more(
    plan: StagingPlan, data: st.DataObject
) -> None:
    waiting = data.draw(st.sets(st.sampled_from([each.change.doc_id for each in plan.changes] or ["doc"])))
    changes = tuple(Change(doc_id, Action.STAGE, "why") for doc_id in sorted(waiting))
    first = judge_staging(plan, Limits(deletion_percent=0), (), now=NOW)
    if not first.holds or not changes:
        return
    standing = HeldPlan("handbook", "f1", changes, first.holds, 1, "2026-01-01", "run", kind=PlanKind.STAGING)
    verdict = judge_staging(plan, Limits(100, 100), (), now=NOW, standing=standing)
    held = {each.change.doc_id for each in verdict.held}
    assert held == waiting & {each.change.doc_id for each in plan.staged}
