"""The gate's promises over every size, number of removals, history and path."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from include.domain.dates import rfc3339
from include.domain.errors import ApprovalRefused
from include.domain.inventory import Proof
from include.domain.manifest import Manifest, Removal, RunState
from include.domain.plan import Action, Change, HoldReason, Plan, Release, Verdict
from include.planning.diff import with_contents
from include.planning.gate import ApprovedPlan, approve, approve_release, judge
from include.planning.limits import Limits
from include.ports import Manifests
from include.records.manifests import FileManifests
from include.records.state import StateRoot
from include.services.context import SourceContext
from tests.builders import at, context_of, day, night
from tests.fakes.clock import FakeClock
from tests.fakes.records import FakeLedger, FakeManifests
from tests.fakes.source import FakeSource

NOW = at(0)
LIMITS = Limits()

sizes = st.integers(1, 500)
percents = st.sampled_from([0.0, 1.0, 5.0, 10.0, 12.5, 25.0, 33.3, 50.0, 99.9, 100.0])


def deletions(count: int) -> tuple[Change, ...]:
    return tuple(
        Change(f"gone-{n:05}", Action.DELETE, "absent", version_before="v1", content_before=f"text-{n}")
        for n in range(count)
    )


def replacements(count: int, text: str = "") -> tuple[Change, ...]:
    return tuple(
        Change(
            f"page-{n:05}",
            Action.REPLACE,
            "another version",
            version_before="v1",
            version_after="v2",
            content_before=f"old-{n}",
            content_after=text or f"new-{n}",
        )
        for n in range(count)
    )


def creations(count: int, text: str = "") -> tuple[Change, ...]:
    return tuple(
        Change(f"new-{n:05}", Action.CREATE, "absent", version_after="v1", content_after=text or f"fresh-{n}")
        for n in range(count)
    )


def plan_of(*groups: tuple[Change, ...], indexed: int) -> Plan:
    changes = tuple(sorted(change for group in groups for change in group))
    proof = Proof(end_reached=True, scope_verified=True, seen=indexed)
    return Plan("handbook", changes, indexed, indexed, proof)


def judged(*groups: tuple[Change, ...], indexed: int, history: tuple[Removal, ...] = ()) -> Verdict:
    return judge(plan_of(*groups, indexed=indexed), LIMITS, history, now=NOW)


def reasons(verdict: Verdict) -> set[HoldReason]:
    return {hold.reason for hold in verdict.holds}


# -- the deletion limit --


@given(indexed=sizes, share=st.fractions(0, 1), percent=percents)
def test_deletions_pass_exactly_when_they_are_not_more_than_the_limit(
    indexed: int, share: Fraction, percent: float
) -> None:
    count = int(share * indexed)
    verdict = judge(plan_of(deletions(count), indexed=indexed), replace(LIMITS, deletion_percent=percent), (), now=NOW)
    over = Fraction(count, indexed) > Fraction(percent) / 100
    assert (HoldReason.DELETION_LIMIT in reasons(verdict)) == over
    assert len(verdict.held) == (count if over else 0)


@pytest.mark.parametrize("indexed", range(1, 10))
def test_a_small_source_is_not_exempt(indexed: int) -> None:
    assert reasons(judged(deletions(1), indexed=indexed)) == {HoldReason.DELETION_LIMIT}


@pytest.mark.parametrize("indexed", [10, 20, 100, 1000])
def test_exactly_the_limit_passes_and_one_more_is_held(indexed: int) -> None:
    at_limit = judged(deletions(indexed // 10), indexed=indexed)
    assert not at_limit.held
    assert len(at_limit.allowed) == indexed // 10
    above = judged(deletions(indexed // 10 + 1), indexed=indexed)
    assert not above.allowed
    assert len(above.held) == indexed // 10 + 1


def test_the_message_states_source_counts_percent_limit_and_what_to_do() -> None:
    (hold,) = judged(deletions(26), indexed=200).holds
    for part in ("handbook", "26 of 200", "13.0 %", "10 %", "approve"):
        assert part in hold.message


# -- the sliding window --


@given(
    indexed=sizes,
    share=st.fractions(0, 1),
    past=st.lists(st.tuples(st.integers(0, 14 * 24), st.integers(0, 200)), max_size=8),
)
def test_deletions_pass_exactly_when_the_window_has_room_for_them(
    indexed: int, share: Fraction, past: list[tuple[int, int]]
) -> None:
    count = int(share * indexed)
    history = tuple(Removal(NOW - timedelta(hours=hours), documents) for hours, documents in past)
    recent = sum(documents for hours, documents in past if hours <= 7 * 24)
    verdict = judge(plan_of(deletions(count), indexed=indexed), replace(LIMITS, deletion_percent=100), history, now=NOW)
    over = bool(count and recent) and Fraction(count + recent, indexed + recent) > Fraction(25, 100)
    assert (reasons(verdict) == {HoldReason.DELETION_WINDOW}) == over
    assert len(verdict.held) == (count if over else 0)


def lose_nine_percent_every_night(manifests: Manifests, nights: int = 9, size: int = 100) -> tuple[int, list[int]]:
    """(documents left in the source's index, removals by night) for a source that bleeds slowly."""
    removed = []
    for number in range(nights):
        now = NOW + timedelta(days=number)
        count = size * 9 // 100
        history = manifests.removals("handbook", now - timedelta(days=7))
        approved = approve(judge(plan_of(deletions(count), indexed=size), LIMITS, history, now=now))
        manifests.save(
            Manifest(
                run_id=f"night-{number}",
                dag_id="reconcile_index",
                source="handbook",
                started_at=now,
                state=RunState.RUNNING,
                planned_removals=len(approved.changes),
            )
        )
        removed.append(len(approved.changes))
        size -= len(approved.changes)
    return size, removed


@pytest.mark.parametrize("kind", ["memory", "files"])
def test_nine_nights_of_nine_percent_are_stopped_by_the_window(kind: str, tmp_path: Path) -> None:
    manifests = FakeManifests() if kind == "memory" else FileManifests(StateRoot(str(tmp_path)))
    left, removed = lose_nine_percent_every_night(manifests)
    assert removed[:8] == [9, 8, 7, 0, 0, 0, 0, 0]
    assert left >= 69


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 3)), min_size=3, max_size=25))
def test_no_week_loses_more_than_a_quarter_whatever_the_nights_bring(nights: list[tuple[int, int]]) -> None:
    """A night is (documents gone at the source, documents new there). A single night has the deletion limit."""
    manifests, size, losses = FakeManifests(), 100, []
    for number, (gone, new) in enumerate(nights):
        now = NOW + timedelta(days=number)
        history = manifests.removals("handbook", now - timedelta(days=7))
        approved = approve(judge(plan_of(deletions(min(gone, size)), indexed=size), LIMITS, history, now=now))
        losses.append(len(approved.changes))
        manifests.save(Manifest(f"n{number}", "night", "handbook", now, RunState.RUNNING, planned_removals=losses[-1]))
        week = sum(losses[-8:])  # the window's two ends both count
        assert week * 100 <= 25 * (size + week - losses[-1])
        size += new - losses[-1]


# -- mass re-key --


def rekeyed(count: int, indexed: int) -> Plan:
    plan = plan_of(deletions(count), creations(count), indexed=indexed)
    return with_contents(plan, {f"new-{n:05}": f"text-{n}" for n in range(count)})


def test_a_changed_id_scheme_holds_everything_and_creates_nothing() -> None:
    plan = rekeyed(200, indexed=200)
    verdict = judge(plan, LIMITS, (), now=NOW)
    assert HoldReason.MASS_REKEY in reasons(verdict)
    assert verdict.allowed == ()
    assert verdict.held == plan.changes


def test_a_single_rename_is_no_mass_re_key() -> None:
    verdict = judge(rekeyed(1, indexed=50), LIMITS, (), now=NOW)
    assert verdict.held == ()
    assert [change.moved_to for change in verdict.allowed if change.action is Action.DELETE] == ["new-00000"]


@given(indexed=st.integers(10, 200), moved=st.integers(0, 200), lost=st.integers(0, 200))
def test_new_documents_go_through_beside_held_deletions_unless_they_are_the_moved_ones(
    indexed: int, moved: int, lost: int
) -> None:
    moved = min(moved, indexed)
    lost = min(lost, indexed - moved)
    plan = plan_of(deletions(moved + lost), creations(moved), indexed=indexed)
    plan = with_contents(plan, {f"new-{n:05}": f"text-{n}" for n in range(moved)})
    verdict = judge(plan, LIMITS, (), now=NOW)
    if moved * 100 > 10 * indexed:
        assert verdict.allowed == ()
    else:
        assert {c.doc_id for c in verdict.allowed if c.action is Action.CREATE} == {f"new-{n:05}" for n in range(moved)}


# -- mass updates --


@given(indexed=sizes, share=st.fractions(0, 1))
def test_rewritten_documents_pass_up_to_the_limit_or_the_allowance(indexed: int, share: Fraction) -> None:
    count = int(share * indexed)
    verdict = judged(replacements(count), indexed=indexed)
    many = count > 10 and count * 100 > 25 * indexed
    most = count >= 3 and count * 2 > indexed
    held = many or most
    assert (HoldReason.MASS_UPDATE in reasons(verdict)) == held
    assert len(verdict.held) == (count if held else 0)


def test_new_version_tokens_with_the_old_texts_are_no_mass_update() -> None:
    same = tuple(replace(change, content_after=change.content_before) for change in replacements(200))
    assert judged(same, indexed=200).held == ()


def test_one_text_for_many_is_held_and_the_rest_goes_through() -> None:
    login_page = replacements(30, text="please log in")
    verdict = judged(login_page, creations(5), indexed=200)
    assert reasons(verdict) == {HoldReason.SAME_TEXT}
    assert set(verdict.held) == set(login_page)
    assert len(verdict.allowed) == 5


@given(indexed=st.integers(1, 300), count=st.integers(1, 300))
def test_one_text_for_many_is_held_exactly_over_its_limit(indexed: int, count: int) -> None:
    count = min(count, indexed)
    verdict = judged(replacements(count, text="please log in"), indexed=indexed)
    assert (HoldReason.SAME_TEXT in reasons(verdict)) == (count >= 3 and count * 100 > 10 * indexed)


def test_the_first_fill_with_one_text_for_most_is_held_and_a_few_twins_are_not() -> None:
    assert reasons(judged(creations(60, text="please log in"), indexed=0)) == {HoldReason.SAME_TEXT}
    others = tuple(replace(change, doc_id=f"other-{change.doc_id}") for change in creations(50))
    assert judged(creations(5, text="license"), others, indexed=0).held == ()


# -- whatever the plan --


changes = st.lists(
    st.builds(
        Change,
        doc_id=st.text("abcdefgh", min_size=1, max_size=4),
        action=st.sampled_from(Action),
        reason=st.just(""),
        version_before=st.sampled_from(["", "v1"]),
        version_after=st.sampled_from(["", "v2"]),
        content_before=st.sampled_from(["", "a", "b", "c"]),
        content_after=st.sampled_from(["", "a", "b", "c"]),
        moved_to=st.sampled_from(["", "", "x"]),
    ),
    max_size=40,
    unique_by=lambda change: change.doc_id,
)


@given(changes, st.integers(0, 60))
def test_every_change_is_either_allowed_or_held_and_holds_come_with_a_reason(
    changes: list[Change], indexed: int
) -> None:
    plan = plan_of(tuple(changes), indexed=indexed + sum(change.action is not Action.CREATE for change in changes))
    verdict = judge(plan, LIMITS, (), now=NOW)
    assert sorted([*verdict.allowed, *verdict.held]) == list(plan.changes)
    assert bool(verdict.held) == bool(verdict.holds)
    assert bool(verdict.checksum) == bool(verdict.held)


@given(changes, st.integers(0, 60), st.randoms())
def test_order_and_wording_do_not_change_the_checksum(changes: list[Change], indexed: int, random: Random) -> None:
    indexed += len(changes)
    shuffled = [replace(change, reason="said otherwise") for change in changes]
    random.shuffle(shuffled)
    one = judge(plan_of(tuple(changes), indexed=indexed), LIMITS, (), now=NOW)
    other = judge(plan_of(tuple(shuffled), indexed=indexed), LIMITS, (), now=NOW)
    assert one.checksum == other.checksum


# -- releases --

HELD = judged(deletions(30), indexed=100)


def release_of(verdict: Verdict, **changed: str) -> Release:
    release = Release(
        source=verdict.source,
        checksum=verdict.checksum,
        approved_by="ada",
        reason="the spring clean-up",
        approved_at="2026-03-01T12:00:00.000000Z",
        expires_at="2026-03-04T12:00:00.000000Z",
    )
    return replace(release, **changed)


def refused(verdict: Verdict, release: Release | None, *, hours: float = 1) -> str:
    with pytest.raises(ApprovalRefused) as refusal:
        approve_release(verdict, release, run_id="run-2", now=NOW + timedelta(hours=hours))
    return str(refusal.value)


def test_a_release_applies_exactly_the_held_changes() -> None:
    verdict = judged(deletions(30), creations(3), indexed=100)
    approved = approve_release(verdict, release_of(verdict), run_id="run-2", now=NOW + timedelta(hours=1))
    assert approved.changes == verdict.held
    assert len(approved.changes) == 30


def test_without_a_release_nothing_held_is_approved() -> None:
    assert "no recorded release" in refused(HELD, None)


def test_a_release_of_another_plan_is_refused() -> None:
    changed = judged(deletions(31), indexed=100)
    message = refused(changed, release_of(HELD))
    assert HELD.checksum in message
    assert changed.checksum in message


def test_a_release_of_another_sources_plan_is_refused_even_with_the_same_checksum() -> None:
    assert "names plan" in refused(HELD, release_of(HELD, source="helpcenter"))


def test_the_same_changes_of_two_sources_have_different_checksums() -> None:
    assert replace(HELD, source="helpcenter").checksum != HELD.checksum


def test_an_expired_release_is_refused_from_its_last_instant_on() -> None:
    release = release_of(HELD)
    assert approve_release(HELD, release, run_id="run-2", now=NOW + timedelta(hours=72, microseconds=-1)).changes
    assert "expired" in refused(HELD, release, hours=72)


def test_a_release_is_used_once_but_survives_a_retry_of_the_run_that_used_it() -> None:
    assert "used by run run-1" in refused(HELD, release_of(HELD, used_by_run="run-1"))
    assert approve_release(HELD, release_of(HELD, used_by_run="run-2"), run_id="run-2", now=NOW).changes == HELD.held


def test_a_release_has_no_effect_when_nothing_is_held() -> None:
    assert "nothing is held" in refused(judged(deletions(1), indexed=100), release_of(HELD))


@given(changes, st.sampled_from(["doc_id", "version_before", "version_after", "content_after"]), st.data())
def test_a_release_is_refused_after_any_change_to_what_was_looked_at(
    changes: list[Change], name: str, data: st.DataObject
) -> None:
    held = [*deletions(30), *[replace(change, doc_id=f"other-{change.doc_id}") for change in changes]]
    before = Verdict("handbook", (), tuple(held))
    place = data.draw(st.integers(0, len(held) - 1))
    held[place] = replace(held[place], **{name: getattr(held[place], name) + "!"})
    refused(Verdict("handbook", (), tuple(held)), release_of(before))


def test_only_the_gate_can_make_an_approved_plan() -> None:
    with pytest.raises(TypeError, match="made by the gate only"):
        ApprovedPlan(object(), "handbook", deletions(1), None)
    with pytest.raises((TypeError, AttributeError)):
        ApprovedPlan("handbook", deletions(1))


# -- whole nights --


def filled(pages: int, **options: Any) -> tuple[FakeSource, SourceContext]:
    source = FakeSource()
    for number in range(pages):
        source.put(f"page-{number:03}", f"page {number}\nabout thing {number}")
    context = context_of(source, **options)
    assert night(context, "fill").state is RunState.TRUE
    return source, context


def ids(context: SourceContext) -> set[str]:
    with context.store.reading() as index:
        return {str(chunk.doc_id) for chunk in index.scan(context.source)}


def approve_in_ledger(context: SourceContext, checksum: str, *, hours: float = 72) -> None:
    now = context.clock.now()
    context.ledger.release(
        Release("handbook", checksum, "ada", "looked at it", rfc3339(now), rfc3339(now + timedelta(hours=hours)))
    )


def test_a_source_that_lost_half_its_pages_removes_none_until_a_person_approves_exactly_that() -> None:
    source, context = filled(40)
    for number in range(20):
        source.delete(f"page-{number:03}")
    source.put("page-900", "brand new\nall the same")
    held = night(context, "night-1")
    assert held.state is RunState.HELD
    assert len(ids(context)) == 41, "the new page goes through, no page is removed"

    approve_in_ledger(context, held.held_checksum)
    applied = night(context, "apply-1", released=True)
    assert applied.state is RunState.TRUE
    assert ids(context) == set(source.published())
    assert context.ledger.held("handbook") is None

    with pytest.raises(ApprovalRefused):
        night(context, "apply-2", released=True)


def test_an_approval_is_refused_when_another_page_vanished_meanwhile() -> None:
    source, context = filled(40)
    for number in range(20):
        source.delete(f"page-{number:03}")
    held = night(context, "night-1")
    approve_in_ledger(context, held.held_checksum)
    source.delete("page-030")
    with pytest.raises(ApprovalRefused):
        night(context, "apply-1", released=True)
    assert len(ids(context)) == 40


def test_a_mass_re_key_waits_whole_and_is_exact_after_approval() -> None:
    source, context = filled(30)
    source.pages = {f"docs/{doc_id}": page for doc_id, page in source.pages.items()}
    held = night(context, "night-1")
    assert {hold.reason for hold in held.holds} >= {HoldReason.MASS_REKEY}
    assert len(ids(context)) == 30
    assert not any(doc_id.startswith("docs/") for doc_id in ids(context))
    approve_in_ledger(context, held.held_checksum)
    applied = night(context, "apply-1", released=True)
    assert applied.state is RunState.TRUE
    assert ids(context) == set(source.published())
    assert sum(outcome.embedded for outcome in applied.outcomes) == 0, "moved texts keep their vectors"


def test_released_deletions_do_not_fill_the_window() -> None:
    source, context = filled(40)
    for number in range(20):
        source.delete(f"page-{number:03}")
    approve_in_ledger(context, night(context, "night-1").held_checksum)
    night(context, "apply-1", released=True)
    source.delete("page-020")
    source.delete("page-021")
    assert night(context, "night-2").state is RunState.TRUE
    assert len(ids(context)) == 18


def test_the_planned_removals_of_a_killed_run_fill_the_window() -> None:
    source, context = filled(40)
    killed = Manifest(
        run_id="killed",
        dag_id="reconcile_index",
        source="handbook",
        started_at=context.clock.now(),
        state=RunState.RUNNING,
        planned_removals=9,
    )
    context.manifests.save(killed)
    for number in range(4):
        source.delete(f"page-{number:03}")
    held = night(context, "night-1")
    assert {hold.reason for hold in held.holds} == {HoldReason.DELETION_WINDOW}
    assert len(ids(context)) == 40
    context.clock.turn(days=8)
    assert night(context, "night-2").state is RunState.HELD, "the window has moved on, and nobody has answered"
    assert len(ids(context)) == 40


edits = st.lists(
    st.tuples(st.sampled_from(["put", "touch", "delete", "hide", "day", "night"]), st.integers(0, 25)), max_size=40
)


@settings(max_examples=60, deadline=None)
@given(edits)
def test_whatever_happens_a_day_removes_nothing_and_a_night_never_more_than_the_limit(
    edits: list[tuple[str, int]],
) -> None:
    source, context = filled(20, ledger=FakeLedger(), clock=FakeClock())
    for number, (act, page) in enumerate(edits):
        doc_id = f"page-{page:03}"
        if act == "put":
            source.put(doc_id, f"page {page}\nedit {number}")
        elif act in ("touch", "delete", "hide") and doc_id in source.pages:
            getattr(source, act)(doc_id)
        elif act == "day" and source.published():
            before = ids(context)
            day(context, f"day-{number}")
            assert before <= ids(context)
        elif act == "night":
            before = ids(context)
            manifest = night(context, f"night-{number}")
            gone = before - ids(context)
            assert len(gone) * 100 <= 10 * len(before)
            assert not gone & set(source.published())
            if manifest.state is RunState.TRUE:
                assert ids(context) == set(source.published())
                assert night(context, f"again-{number}").outcomes == ()
