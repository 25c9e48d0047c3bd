"""The DAG that carries decisions out, run in this process: dry, applied, by schedule, held and approved."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from include.domain.manifest import DocumentState, RunState
from include.domain.plan import PlanKind
from include.domain.review import Decision, Disposition
from include.services.apply_dispositions import APPLY
from include.wiring.dispositions import apply_as_asked
from include.wiring.held_plans import held_plan, release_held, requests_to_make
from include.wiring.runs import Run
from tests.dags.live import Repository
from tests.dags.test_dag_runs import dags, repositories
from tests.dags.test_detect_stale_dag import _detect, _staged, resolved
from tests.dags.test_resolver_dag import _run

__all__ = ["dags", "repositories", "resolved"]

OLD = ("deck-v8.md", "deck-v9.md")


def _latest() -> Any:
    from include.wiring.airflow import application

    return application().manifests.latest("handbook", dag_id=APPLY)[0]


def _decide(disposition: Disposition) -> None:
    from include.wiring.airflow import application

    ledger = application().ledger
    for item in ledger.candidates("handbook").open:
        word = Decision(disposition, "Ada", "old", at="2026-01-02T00:00:00.000000Z")
        ledger.decide("handbook", item.doc_id, word, fingerprint=item.fingerprint)


def _settings(line: str) -> None:
    """One more line in the settings, and an installation that has read it."""
    from include.wiring.airflow import application

    file = Path(os.environ["TRUECOPY_CONFIG"])
    file.write_text(f"{file.read_text(encoding='utf-8')}{line}\n", encoding="utf-8")
    application.cache_clear()


def test_a_run_says_what_it_would_do_until_it_is_told_to_do_it(
    dags: dict[str, Any], resolved: dict[str, Repository]
) -> None:
    from include.wiring.airflow import application

    assert _detect(dags) == "success"
    _decide(Disposition.APPROVE_PURGE)
    assert _run(dags, APPLY) == "success"
    assert (_latest().state, _latest().count(DocumentState.PLANNED)) == (RunState.PLANNED, 2)
    assert _run(dags, APPLY, {"source": "all", "dry_run": False}) == "success"
    assert (_latest().state, _latest().count(DocumentState.PURGED)) == (RunState.APPLIED, 2)
    assert _latest().candidates.decided == 2
    assert _staged() == list(OLD)
    assert _run(dags, APPLY, {"source": "handbook", "dry_run": False}) == "success"
    assert _latest().outcomes == ()
    # By schedule the settings say it, not the parameter.
    params = {"source": "all", "dry_run": True}
    told = apply_as_asked(application(), "handbook", Run(APPLY, "one"), params, by_schedule=True)
    assert told.state is RunState.PLANNED
    _settings("review: {apply_daily: true}")
    assert (
        apply_as_asked(application(), "handbook", Run(APPLY, "2"), params, by_schedule=False).state is RunState.PLANNED
    )
    assert (
        apply_as_asked(application(), "handbook", Run(APPLY, "3"), params, by_schedule=True).state is RunState.APPLIED
    )
    assert _run(dags, APPLY, {"source": "nope", "dry_run": False}) == "failed"


def test_what_is_held_is_red_and_only_a_persons_release_applies_it(
    dags: dict[str, Any], resolved: dict[str, Repository]
) -> None:
    from include.wiring.airflow import application

    assert _detect(dags) == "success"
    _decide(Disposition.ARCHIVE)
    _settings("limits: {deletion_percent: 1}")
    assert _run(dags, APPLY, {"source": "handbook", "dry_run": False}) == "failed"
    plan = held_plan(application(), "handbook")
    assert (_latest().state, plan.kind, _staged()) == (RunState.HELD, PlanKind.DISPOSITIONS, list(OLD))
    (request,) = requests_to_make(application(), ["handbook"], PlanKind.DISPOSITIONS)
    conf: dict[str, object] = {"source": request.source, "checksum": request.checksum}
    assert _run(dags, "apply_held_plan", conf, mark_success_pattern="approve") == "failed"
    release_held(application(), "handbook", plan.checksum, by="Ada", why="I looked at each")
    assert _run(dags, "apply_held_plan", conf, mark_success_pattern="approve") == "success"
    assert (_staged(), application().ledger.held("handbook", PlanKind.DISPOSITIONS)) == ([], None)
