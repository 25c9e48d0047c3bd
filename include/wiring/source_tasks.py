"""Tasks that the DAGs over all sources have in common: which sources, the question about what was held, the verdict.

A DAG file is parsed again and again, so that this module, too, imports what the work needs only when a task runs.
"""

from __future__ import annotations

from typing import Any

from airflow.providers.standard.operators.trigger_dagrun import TriggerDagRunOperator
from airflow.sdk import AssetAlias, TriggerRule, task
from airflow.sdk.definitions.mappedoperator import MappedOperator

from include.domain.plan import PlanKind

CHANGED = AssetAlias("truecopy")
"""The outlet of every task that may change what readers find."""


@task
def sources(params: dict[str, Any]) -> list[str]:
    """The names of the sources that the run's parameter `source` asks for."""
    from include.wiring.airflow import application, deciding
    from include.wiring.runs import chosen_sources

    with deciding():
        return chosen_sources(application(), params["source"])


@task(trigger_rule=TriggerRule.ALL_DONE)
def requests(names: list[str], kind: str) -> list[dict[str, Any]]:
    """The questions to ask and to withdraw about held plans of this kind, each as the start of a run."""
    from include.wiring.airflow import application, deciding, request_conf
    from include.wiring.held_plans import requests_to_make

    with deciding():
        return [request_conf(request) for request in requests_to_make(application(), names or [], PlanKind(kind))]


def ask_people(names: Any, kind: PlanKind, *, after: Any) -> MappedOperator:
    """Once `after` is through, however it ended: start `apply_held_plan` for every plan of this kind that waits for a
    person. Returns the task that starts it."""
    questions = requests(names, kind.value)
    ask = TriggerDagRunOperator.partial(
        task_id="ask", trigger_dag_id="apply_held_plan", reset_dag_run=True, retries=3
    ).expand_kwargs(questions)
    after >> questions
    return ask


@task(trigger_rule=TriggerRule.ALL_DONE, retries=0)
def judge(names: list[str], kind: str) -> None:
    """Raise the alarms about plans of this kind that are due, and fail if a source has no true result of this run."""
    from include.telemetry.candidates import CANDIDATE_ALERTS
    from include.telemetry.dispositions import DISPOSITION_ALERTS
    from include.telemetry.families import FAMILY_ALERTS
    from include.wiring.airflow import fail_unless_true, raise_alerts

    alerts = {
        PlanKind.FAMILIES: FAMILY_ALERTS,
        PlanKind.STAGING: CANDIDATE_ALERTS,
        PlanKind.DISPOSITIONS: DISPOSITION_ALERTS,
    }
    raise_alerts(names or [], only=tuple(alerts[PlanKind(kind)]))
    fail_unless_true(names or [])
