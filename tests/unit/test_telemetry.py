"""Gauges and alarms are derived from manifests; a number that a run did not establish is absent, never zero."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from include.domain.date_candidates import DateField
from include.domain.inventory import Proof
from include.domain.manifest import DocumentOutcome, DocumentState, Findings, Manifest, RunHead, RunState
from include.domain.plan import Action, Change
from include.domain.provenance import DateReport, DateShare
from include.telemetry.alerts import ALERTS, STALE_AFTER, alerts
from include.telemetry.gauges import GAUGES, HISTORY_GAUGES, MOST_NIGHTS, gauges, history_gauges, last_success, past_of
from tests.builders import at, context_of, night
from tests.fakes.source import FakeSource

NOW = at(60)

TRUE = Manifest(
    run_id="night-2",
    dag_id="reconcile_index",
    source="handbook",
    started_at=at(0),
    finished_at=at(10),
    state=RunState.TRUE,
    proof=Proof(end_reached=True, scope_verified=True, seen=9),
    found=Findings(orphan=4, stale=3, partial=2, missing=1, drifted=5),
    remaining=Findings(),
    documents=9,
    chunks=27,
    foreign_points=2,
    dates=DateReport(
        9,
        (
            DateShare(DateField.CREATED, "field date", "high", 3),
            DateShare(DateField.CREATED, "git first commit", "low", 3),
            DateShare(DateField.CREATED, "field date", "unknown", 2),
            DateShare(DateField.CREATED, "", "", 1),
            DateShare(DateField.UPDATED, "field changed", "high", 9),
        ),
    ),
    outcomes=(
        DocumentOutcome("a", DocumentState.CREATED, chunks=3, embedded=3, minimum=2),
        DocumentOutcome("b", DocumentState.REPLACED, chunks=4, embedded=1, reused=3, minimum=1),
        DocumentOutcome("c", DocumentState.DELETED),
        DocumentOutcome("d", DocumentState.FAILED, "no text"),
        DocumentOutcome("e", DocumentState.VANISHED),
    ),
)
HELD = replace(
    TRUE,
    state=RunState.HELD,
    remaining=Findings(orphan=4),
    held=(Change("x", Action.DELETE, "absent"), Change("y", Action.REPLACE, "another text")),
    held_since=at(-120),
    reason="4 of 9 documents would be deleted",
    next_step="approve it",
)


def values(manifest: Manifest, *, of_part: bool = False) -> dict[str, float]:
    """Of one run, but those with labels."""
    found = gauges(RunHead.of(manifest), now=NOW, of_part=of_part)
    assert all(gauge.source == "handbook" and gauge.help for gauge in found)
    return {gauge.name: gauge.value for gauge in found if not gauge.labels}


def past(*nights: Manifest) -> dict[str, float]:
    return {gauge.name: gauge.value for gauge in history_gauges(past_of(nights), "handbook", now=NOW)}


def names(nights: list[Manifest]) -> set[str]:
    found = alerts(nights, last_success(nights), source="handbook", now=NOW)
    assert all(alert.message.startswith("handbook: ") for alert in found)
    return {alert.name for alert in found}


def test_every_gauge_of_a_full_manifest_has_its_number() -> None:
    assert values(TRUE) == {
        "rag.orphan_docs.found": 4,
        "rag.orphan_docs.remaining": 0,
        "rag.stale_docs.found": 3,
        "rag.stale_docs.remaining": 0,
        "rag.partial_docs.found": 2,
        "rag.partial_docs.remaining": 0,
        "rag.drifted_docs.found": 5,
        "rag.drifted_docs.remaining": 0,
        "rag.missing_docs.found": 1,
        "rag.missing_docs.remaining": 0,
        "rag.docs": 9,
        "rag.chunks": 27,
        "rag.changes_held": 0,
        "rag.deletions_held": 0,
        "rag.held_plan_age_seconds": 0,
        "rag.embedded_chunks": 4,
        "rag.reused_chunks": 3,
        "rag.embedded_over_minimum": 4 / 3,
        "rag.failed_docs": 1,
        "rag.repaired_docs": 3,
        "rag.foreign_points": 2,
        "rag.dated_share": 6 / 9,
        "rag.listing_proven": 1,
    }
    assert set(values(TRUE)) == set(GAUGES) - {"rag.date_trust_share"}


def test_the_shares_of_a_date_by_trust_are_of_all_documents_and_add_up_to_one() -> None:
    found = {each.labels: each.value for each in gauges(RunHead.of(TRUE), now=NOW) if each.labels}
    created = {dict(labels)["trust"]: value for labels, value in found.items() if ("field", "created_at") in labels}
    assert created == pytest.approx({"high": 3 / 9, "low": 3 / 9, "unknown": 2 / 9, "none": 1 / 9})
    for field in DateField:
        assert sum(share for labels, share in found.items() if ("field", field.value) in labels) == pytest.approx(1)
    assert len(found) == len(DateField) * 4


def test_the_past_of_a_source_tells_when_it_was_last_true_and_last_proven() -> None:
    unproven = replace(TRUE, state=RunState.UNPROVEN, proof=None, started_at=at(30), finished_at=at(31))
    assert past(unproven, TRUE) == {
        "rag.last_success_age_seconds": 50 * 60,
        "rag.last_success_timestamp_seconds": at(10).timestamp(),
        "rag.last_proof_age_seconds": 60 * 60,
        "rag.last_proof_timestamp_seconds": at(0).timestamp(),
        "rag.last_night_timestamp_seconds": at(30).timestamp(),
        "rag.night_failed": 0,
        "rag.untrue_nights": 0,
    }
    assert set(past(TRUE)) == set(HISTORY_GAUGES)


def test_a_source_without_a_night_tells_nothing_of_its_past_and_no_zero() -> None:
    assert past() == {}
    assert set(past(replace(TRUE, state=RunState.RUNNING, finished_at=None, proof=None))) == {
        "rag.last_night_timestamp_seconds",
        "rag.untrue_nights",
    }


def test_a_night_at_work_takes_nothing_back_that_the_nights_before_it_say() -> None:
    """Or an alarm would end each night at two, and begin again when the night has ended."""
    working = replace(TRUE, state=RunState.RUNNING, finished_at=None, remaining=None)
    assert past(working, replace(TRUE, state=RunState.FAILED))["rag.night_failed"] == 1
    the_night_before = replace(HELD, started_at=HELD.started_at - timedelta(days=1))
    assert past(working, HELD, the_night_before, TRUE)["rag.untrue_nights"] == 2


def test_no_more_nights_are_read_than_it_takes_to_know() -> None:
    def nights() -> Iterator[Manifest]:
        yield replace(TRUE, state=RunState.HELD)
        yield TRUE
        raise AssertionError("one too many")

    assert past_of(nights()).success == at(10)


def test_a_row_of_untrue_nights_is_counted_over_nights_and_not_over_retries() -> None:
    def untrue(hours: float) -> Manifest:
        return replace(HELD, started_at=at(-60 * hours))

    assert past(untrue(0), TRUE)["rag.untrue_nights"] == 1
    assert past(untrue(0), untrue(1), untrue(24), TRUE)["rag.untrue_nights"] == 2
    assert past(untrue(0), replace(HELD, remaining=None), untrue(24))["rag.untrue_nights"] == 1
    assert past(*(untrue(24 * day) for day in range(30)))["rag.untrue_nights"] == MOST_NIGHTS
    degraded = replace(untrue(0), state=RunState.DEGRADED)
    assert past(degraded, replace(untrue(24), state=RunState.DEGRADED), TRUE)["rag.untrue_nights"] == 2


def test_a_run_that_broke_off_does_not_say_that_nothing_waits() -> None:
    for state in (RunState.FAILED, RunState.UNPROVEN):
        assert "rag.changes_held" not in values(replace(TRUE, state=state))
        assert values(replace(HELD, state=state))["rag.changes_held"] == 2


def test_a_run_about_some_documents_does_not_say_how_many_of_the_source_fail() -> None:
    assert "rag.failed_docs" not in values(TRUE, of_part=True)


def test_what_a_run_did_not_establish_is_absent() -> None:
    broken = replace(
        TRUE,
        state=RunState.FAILED,
        proof=None,
        found=None,
        remaining=None,
        documents=None,
        chunks=None,
        foreign_points=None,
        dates=None,
        outcomes=(),
    )
    absent = set(GAUGES) - set(values(broken))
    assert absent == {
        *(name for name in GAUGES if name.endswith((".found", ".remaining"))),
        "rag.docs",
        "rag.chunks",
        "rag.foreign_points",
        "rag.dated_share",
        "rag.date_trust_share",
        "rag.changes_held",
        "rag.deletions_held",
        "rag.held_plan_age_seconds",
        "rag.failed_docs",
        "rag.listing_proven",
        "rag.repaired_docs",
    }


def test_a_proven_zero_is_zero_and_not_absent() -> None:
    clean = replace(TRUE, found=Findings(), documents=0, chunks=0, foreign_points=0, outcomes=())
    found = values(clean)
    assert (found["rag.docs"], found["rag.orphan_docs.found"], found["rag.foreign_points"]) == (0, 0, 0)


def test_held_deletions_are_counted_and_age() -> None:
    found = values(HELD)
    assert found["rag.deletions_held"] == 1
    assert found["rag.held_plan_age_seconds"] == 3 * 3600


def test_an_unproven_listing_is_a_zero_that_can_be_alarmed_on() -> None:
    assert values(replace(TRUE, state=RunState.UNPROVEN))["rag.listing_proven"] == 0


@pytest.mark.parametrize(("embedded", "minimum", "ratio"), [(0, 0, 1), (5, 5, 1), (10, 5, 2), (3, 0, 4)], ids=str)
def test_embedding_more_than_changed_shows(embedded: int, minimum: int, ratio: float) -> None:
    outcome = DocumentOutcome("a", DocumentState.REPLACED, embedded=embedded, minimum=minimum)
    assert values(replace(TRUE, outcomes=(outcome,)))["rag.embedded_over_minimum"] == ratio


def test_the_gauges_of_a_real_night_agree_with_the_index() -> None:
    source = FakeSource().put_pages(20)
    context = context_of(source)
    night(context, "fill")
    source.delete("page-03")
    source.put("page-04", "page 4\nedited\nlonger")
    manifest = night(context, "night")
    found = {gauge.name: gauge.value for gauge in gauges(RunHead.of(manifest), now=context.clock.now())}
    with context.store.reading() as index:
        assert found["rag.chunks"] == index.count_points("handbook") == 39
    assert (found["rag.docs"], found["rag.orphan_docs.found"], found["rag.orphan_docs.remaining"]) == (19, 1, 0)
    assert (found["rag.embedded_chunks"], found["rag.embedded_over_minimum"]) == (2, 1)


def test_a_true_night_raises_no_alarm() -> None:
    assert names([replace(TRUE, outcomes=())]) == set()


def test_no_run_at_all_is_an_alarm() -> None:
    assert names([]) == {"no_success", "no_night"}


@pytest.mark.parametrize(("hours", "late"), [(25.9, False), (26.1, True)])
def test_a_success_that_is_too_old_is_an_alarm(hours: float, late: bool) -> None:
    old = replace(TRUE, outcomes=(), finished_at=NOW - timedelta(hours=hours))
    assert timedelta(hours=26) == STALE_AFTER
    assert ("no_success" in names([old])) == late


@pytest.mark.parametrize("state", [RunState.FAILED, RunState.UNPROVEN, RunState.HELD, RunState.RUNNING])
def test_only_true_and_degraded_nights_are_successes(state: RunState) -> None:
    assert last_success([replace(TRUE, state=state), TRUE]) == TRUE
    assert last_success([replace(TRUE, state=state)]) is None
    degraded = replace(TRUE, state=RunState.DEGRADED)
    assert last_success([degraded, TRUE]) == degraded


def test_each_state_has_its_alarm_with_the_next_step() -> None:
    assert "run_failed" in names([replace(TRUE, state=RunState.FAILED, reason="x")])
    assert "listing_not_proven" in names([replace(TRUE, state=RunState.UNPROVEN, reason="x")])
    assert "failed_documents" in names([TRUE])
    found = alerts([HELD], None, source="handbook", now=NOW)
    held = [alert for alert in found if alert.name == "deletions_held"]
    assert "2 changes have been held for 3 hours" in held[0].message
    assert "approve it" in held[0].message


def test_an_untrue_index_is_an_alarm_after_two_nights_and_not_after_one() -> None:
    assert "not_true_two_nights" not in names([HELD])
    assert "not_true_two_nights" not in names([HELD, TRUE])
    the_night_before = replace(HELD, started_at=HELD.started_at - timedelta(days=1))
    assert "not_true_two_nights" in names([HELD, the_night_before])


def test_a_retry_in_the_same_night_is_no_second_night() -> None:
    retried = replace(HELD, started_at=HELD.started_at - timedelta(hours=1))
    assert "not_true_two_nights" not in names([HELD, retried])


def test_a_night_that_never_begins_is_an_alarm() -> None:
    assert "no_night" not in names([TRUE])
    assert "no_night" in names([replace(TRUE, started_at=NOW - STALE_AFTER - timedelta(minutes=1))])


def test_a_held_plan_is_alarmed_on_even_when_the_night_after_proved_nothing() -> None:
    assert names([replace(HELD, state=RunState.UNPROVEN, remaining=None), TRUE]) >= {
        "deletions_held",
        "listing_not_proven",
    }


def test_every_alarm_that_can_be_raised_is_documented() -> None:
    raised = set()
    for state in RunState:
        for manifest in (TRUE, HELD):
            tonight = replace(manifest, state=state)
            raised |= names([tonight, replace(tonight, started_at=tonight.started_at - timedelta(days=1))])
    raised |= names([])
    assert raised == set(ALERTS)
