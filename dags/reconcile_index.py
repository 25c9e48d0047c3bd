"""### Nightly reconciliation

Makes the index equal to each source, and proves it. Per source: list with proof, read every stored point, plan, gate,
apply, audit by exact counts, manifest, gauges, alerts. One source's failure touches no other.

**When it is red.** The task `judge` says which source and why; `truecopy show-run` prints the manifest.

| state | what happened | what to do |
|---|---|---|
| held | deletions or updates are over a limit; none of them was applied | answer the request of `apply_held_plan` |
| unproven | the source did not answer, or its listing proves nothing; nothing was changed | look at the source |
| degraded | single documents failed and keep their last good version | open the documents named in the manifest |
| failed | the run broke off, or the audit found a difference | run it again; then `truecopy doctor` |

It is safe to run twice, at the same time as `ingest_documents`, and after any crash.

At its end it starts `resolve_canonical` for the families of what changed: a run of its own, with a manifest and a
verdict of its own, because marks that could not be written say nothing against the copy.
"""

from __future__ import annotations

from datetime import timedelta

import pendulum
from airflow.providers.standard.operators.trigger_dagrun import TriggerDagRunOperator
from airflow.sdk import Param, TriggerRule, dag, task

from include.domain.plan import PlanKind
from include.wiring.source_tasks import CHANGED, ask_people, sources


@dag(
    schedule="0 2 * * *",
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    max_active_runs=1,
    doc_md=__doc__,
    tags=["truecopy", "nightly"],
    default_args={"owner": "truecopy", "retries": 2, "retry_delay": timedelta(minutes=5), "pool": "truecopy"},
    params={"source": Param("all", type="string", description="one source, or all")},
)
def reconcile_index():
    @task(outlets=[CHANGED], map_index_template="{{ label }}", execution_timeout=timedelta(hours=6))
    def reconcile(source: str, outlet_events=None) -> dict:
        from include.wiring.airflow import application, current_run, deciding, label, reported
        from include.wiring.runs import reconcile_source

        label(source)
        with deciding():
            manifest = reconcile_source(application(), source, current_run())
        return reported(manifest, outlet_events)

    @task(trigger_rule=TriggerRule.ALL_DONE, retries=0)
    def judge(names: list[str]) -> None:
        from include.wiring.airflow import emit_events, fail_unless_true, raise_alerts

        emit_events(names or [])
        raise_alerts(names or [])
        fail_unless_true(names or [])

    names = sources()
    done = reconcile.expand(source=names)
    ask = ask_people(names, PlanKind.CONTENT, after=done)
    resolve = TriggerDagRunOperator(
        task_id="resolve",
        trigger_dag_id="resolve_canonical",
        trigger_run_id="after__{{ run_id }}",
        conf={"source": "{{ params.source }}", "dry_run": False, "changed_only": True},
        trigger_rule=TriggerRule.ALL_DONE,
        reset_dag_run=True,
        retries=3,
    )
    done >> resolve
    [done, ask] >> judge(names)


reconcile_index()
