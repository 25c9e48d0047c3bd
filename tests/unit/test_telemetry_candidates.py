"""Gauges and alarms of the detector and its review queue."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from include.domain.manifest import CandidateCounts, Feedback, Manifest, RunState
from include.domain.plan import Action, Change, Hold, HoldReason
from include.telemetry.candidates import CANDIDATE_GAUGES, WAITING_TOO_LONG, candidate_alerts, candidate_gauges
from tests.builders import at

COUNTS = CandidateCounts(examined=40, staged=3, open=5, decided=2, unreadable=0, spared=1, open_since=at(0))
RUN = Manifest("run", "detect_stale", "handbook", at(-60), RunState.DETECTED, finished_at=at(-50), candidates=COUNTS)
HELD = replace(
    RUN,
    state=RunState.HELD,
    held=(Change("a", Action.STAGE, "superseded by b"),),
    holds=(Hold(HoldReason.STAGING_LIMIT, "1 of 9"),),
    held_checksum="f1",
    held_since=at(-180),
)
TWO_DAYS = 2 * 24 * 60


def values(manifest: Manifest) -> dict[str, float]:
    return {gauge.name: gauge.value for gauge in candidate_gauges(manifest, now=at(TWO_DAYS))}


def names(manifest: Manifest | None, minutes: float = 0) -> list[str]:
    return [alert.name for alert in candidate_alerts(manifest, source="handbook", now=at(minutes))]


def test_a_run_tells_what_waits_and_how_long_the_oldest_does() -> None:
    assert values(RUN) == {
        "rag.candidates_open": 5,
        "rag.candidates_decided": 2,
        "rag.candidates_oldest_days": 2,
        "rag.review_unreadable": 0,
        "rag.staged_docs": 3,
        "rag.staging_held": 0,
        "rag.staging_held_age_seconds": 0,
        "rag.detector_failed": 0,
    }
    assert values(HELD)["rag.staging_held"] == 1
    assert values(HELD)["rag.staging_held_age_seconds"] == (TWO_DAYS + 180) * 60
    assert values(replace(RUN, candidates=replace(COUNTS, open=0, open_since=None)))["rag.candidates_oldest_days"] == 0
    assert all(each.help == CANDIDATE_GAUGES[each.name] for each in candidate_gauges(RUN, now=at(0)))


def test_a_run_that_broke_off_tells_no_number_that_it_did_not_establish() -> None:
    assert values(replace(HELD, state=RunState.FAILED, candidates=None)) == {
        "rag.staging_held": 1,
        "rag.staging_held_age_seconds": (TWO_DAYS + 180) * 60,
        "rag.detector_failed": 1,
    }


def test_a_signal_s_precision_is_what_people_made_of_its_candidates_and_unknown_before_they_did() -> None:
    judged = {"expired": Feedback(approved=3, kept=1), "links": Feedback()}
    run = replace(RUN, candidates=replace(COUNTS, signals={"expired": 4, "orphaned": 1}, feedback=judged))
    told = {(each.name, *each.labels): each.value for each in candidate_gauges(run, now=at(0)) if each.labels}
    assert told == {
        ("rag.signal_candidates", ("signal", "expired")): 4,
        ("rag.signal_candidates", ("signal", "orphaned")): 1,
        ("rag.signal_judged", ("signal", "expired")): 4,
        ("rag.signal_judged", ("signal", "links")): 0,
        ("rag.signal_precision", ("signal", "expired")): 0.75,
    }


def test_a_source_that_was_never_looked_at_raises_no_alarm() -> None:
    assert names(None) == []
    assert names(RUN) == []


def test_what_is_held_and_what_nobody_decides_ages_in_an_alarm() -> None:
    late = WAITING_TOO_LONG / timedelta(minutes=1) + 1
    assert names(HELD) == ["staging_held"]
    assert "held for 3 hours" in candidate_alerts(HELD, source="handbook", now=at(0))[0].message
    assert names(RUN, late - 2) == []
    assert names(RUN, late) == ["candidates_waiting"]
    assert "the oldest for 30 days" in candidate_alerts(RUN, source="handbook", now=at(late))[0].message
    assert names(replace(RUN, candidates=replace(COUNTS, open=0, open_since=None)), late) == []


def test_a_spoilt_file_and_a_failed_run_are_alarms() -> None:
    assert names(replace(RUN, state=RunState.DEGRADED, candidates=replace(COUNTS, unreadable=1))) == [
        "review_unreadable"
    ]
    assert names(replace(RUN, state=RunState.FAILED, candidates=None, reason="x")) == ["detector_failed"]
