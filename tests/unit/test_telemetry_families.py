"""Gauges and alarms of the resolver."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from include.domain.manifest import FamilyCounts, Manifest, RunState
from include.domain.plan import Action, Change, Hold, HoldReason
from include.telemetry.families import AMBIGUOUS_TOO_LONG, FAMILY_GAUGES, family_alerts, family_gauges
from tests.builders import at

NOW = at(0)
RUN = Manifest(
    "run",
    "resolve_canonical",
    "handbook",
    at(-60),
    RunState.RESOLVED,
    finished_at=at(-50),
    families=FamilyCounts(decided=7, ambiguous=2, superseded=12, ambiguous_since=at(-90)),
)
HELD = replace(
    RUN,
    state=RunState.HELD,
    held=(Change("a", Action.RETIRE, "superseded by b"), Change("b", Action.MARK, "current")),
    holds=(Hold(HoldReason.RETIREMENT_LIMIT, "1 of 9"),),
    held_checksum="f1",
    held_since=at(-180),
)


def values(manifest: Manifest) -> dict[str, float]:
    return {gauge.name: gauge.value for gauge in family_gauges(manifest, now=NOW)}


def names(manifest: Manifest | None, minutes: float = 0) -> list[str]:
    return [alert.name for alert in family_alerts(manifest, source="handbook", now=at(minutes))]


def test_a_run_tells_families_superseded_documents_and_what_waits() -> None:
    assert values(RUN) == {
        "rag.families": 9,
        "rag.families_ambiguous": 2,
        "rag.families_ambiguous_days": 1.5 / 24,
        "rag.superseded_docs": 12,
        "rag.retirements_held": 0,
        "rag.retirements_held_age_seconds": 0,
        "rag.resolver_failed": 0,
    }
    assert values(HELD)["rag.retirements_held"] == 1
    assert values(HELD)["rag.retirements_held_age_seconds"] == 3 * 3600
    assert all(gauge.help == FAMILY_GAUGES[gauge.name] for gauge in family_gauges(RUN, now=NOW))


def test_a_run_that_broke_off_tells_no_number_that_it_did_not_establish() -> None:
    assert values(replace(HELD, state=RunState.FAILED, families=None)) == {
        "rag.retirements_held": 1,
        "rag.retirements_held_age_seconds": 3 * 3600,
        "rag.resolver_failed": 1,
    }


def test_a_source_that_was_never_resolved_raises_no_alarm() -> None:
    assert names(None) == []
    assert names(RUN) == []


def test_a_held_plan_is_an_alarm_with_its_age_checksum_and_the_way_out() -> None:
    (alert,) = family_alerts(HELD, source="handbook", now=NOW)
    assert alert.name == "families_held"
    for part in ("handbook: ", "2 documents", "3 hours", "plan f1", "truecopy resolve handbook"):
        assert part in alert.message


def test_a_family_that_waits_for_two_weeks_is_an_alarm() -> None:
    long = AMBIGUOUS_TOO_LONG / timedelta(minutes=1)
    assert names(RUN, long - 91) == []
    assert names(RUN, long + 1) == ["families_ambiguous"]


def test_a_failed_run_is_an_alarm_beside_what_waits() -> None:
    assert names(replace(HELD, state=RunState.FAILED, families=None)) == ["families_failed", "families_held"]
