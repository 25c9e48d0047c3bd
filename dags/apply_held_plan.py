"""### Apply a held plan, if a person says so

Started by `reconcile_index` for each plan of documents that the gate held, by `resolve_canonical` for each plan of
families, by `detect_stale` for each plan of staging, and by `apply_dispositions` for what people decided. Shows the
plan and asks for approval with a reason, under *Required Actions*. There is no default answer and no timer: as long
as nobody answers, nothing happens, and the nights go on without the held changes. An answer in the ops view is
recorded there and starts this run over, which then asks nobody.

On approval the plan is computed anew. Only if it is exactly the one that was approved (same checksum) is it applied; if
the sources changed in the meantime, the run fails, nothing is removed or marked, and the next night asks about the new
plan.

**Conf.** `{"source": "helpcenter", "checksum": "133b07bc1d9aa11e"}`, as the alert and `truecopy status` name them.

The answer is recorded in the ledger by the approval itself. Marking a task successful or writing an XCom by hand
applies nothing.
"""

from __future__ import annotations

from datetime import timedelta

import pendulum
from airflow.sdk import TriggerRule, dag, task

from include.wiring.approval import HeldPlanApproval
from include.wiring.source_tasks import CHANGED


@dag(
    schedule=None,
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    max_active_runs=32,
    doc_md=__doc__,
    tags=["truecopy", "approval"],
    default_args={"owner": "truecopy", "pool": "truecopy"},
)
def apply_held_plan():
    approval = HeldPlanApproval(
        task_id="approve", source="{{ dag_run.conf.source }}", checksum="{{ dag_run.conf.checksum }}"
    )

    @task(outlets=[CHANGED], retries=0, execution_timeout=timedelta(hours=6))
    def apply(dag_run=None, outlet_events=None) -> dict:
        from include.wiring.airflow import application, current_run, deciding, reported
        from include.wiring.held_plans import apply_held

        with deciding():
            manifest = apply_held(application(), dag_run.conf["source"], dag_run.conf["checksum"], current_run())
        return reported(manifest, outlet_events)

    @task(retries=0)
    def judge(dag_run=None) -> None:
        from include.wiring.airflow import fail_unless_applied

        fail_unless_applied(dag_run.conf["source"])

    @task(trigger_rule=TriggerRule.ALL_DONE)
    def close_request(dag_run=None) -> None:
        # However the question ended: a plan that is still held and was not rejected is asked about again next night.
        from include.wiring.airflow import application, deciding

        with deciding():
            application().ledger.close_request(dag_run.conf["source"], dag_run.conf["checksum"])

    applied = apply()
    approval >> applied
    applied >> [judge(), close_request()]


apply_held_plan()
