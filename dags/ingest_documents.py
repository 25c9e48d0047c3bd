"""### Ingest new and changed documents

Every hour, between nights: compare what each source lists with the index, and bring new and changed documents in,
version by version. Removes nothing; that is the nightly run's business, behind the gate.

**Params.** `source` (all), `doc_ids` (all), `force` (take them whatever their version).

**When it is red.** `judge` names the source. A document that failed keeps its last good version and is tried again next
hour. Many documents changing at once, or turning into one text, are left to the nightly run, which reads all texts
before it writes, and can ask a person.
"""

from __future__ import annotations

from datetime import timedelta

import pendulum
from airflow.sdk import Param, TriggerRule, dag, task

from include.wiring.source_tasks import CHANGED, sources


@dag(
    schedule="15 * * * *",
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    max_active_runs=1,
    doc_md=__doc__,
    tags=["truecopy", "hourly"],
    default_args={"owner": "truecopy", "retries": 2, "retry_delay": timedelta(minutes=2), "pool": "truecopy"},
    params={
        "source": Param("all", type="string", description="one source, or all"),
        "doc_ids": Param([], type="array", items={"type": "string"}, description="only these documents; empty: all"),
        "force": Param(False, type="boolean", description="take documents whose version did not change, too"),
    },
)
def ingest_documents():
    @task(map_index_template="{{ label }}", execution_timeout=timedelta(hours=1))
    def find(source: str, params: dict) -> list[dict]:
        from include.wiring.airflow import application, current_run, deciding, label
        from include.wiring.runs import find_work

        label(source)
        with deciding():
            return find_work(application(), source, current_run(), doc_ids=params["doc_ids"], force=params["force"])

    @task(trigger_rule=TriggerRule.ALL_DONE)
    def batches(work: list[list[dict]]) -> list[dict]:
        return [batch for source in work or [] for batch in source]

    @task(map_index_template="{{ label }}", execution_timeout=timedelta(hours=6), max_active_tis_per_dagrun=2)
    def ingest(batch: dict) -> dict:
        from include.wiring.airflow import application, current_run, deciding, label
        from include.wiring.runs import ingest_batch

        label(f"{batch['source']} from {batch['part']}")
        with deciding():
            return ingest_batch(application(), batch, current_run())

    @task(trigger_rule=TriggerRule.ALL_DONE, outlets=[CHANGED], map_index_template="{{ label }}")
    def conclude(source: str, outlet_events=None) -> dict:
        from include.wiring.airflow import application, current_run, deciding, label, reported, run_started_at
        from include.wiring.runs import conclude_ingest_of

        label(source)
        with deciding():
            manifest = conclude_ingest_of(application(), source, current_run(), started_at=run_started_at())
        return reported(manifest, outlet_events)

    @task(trigger_rule=TriggerRule.ALL_DONE, retries=0)
    def judge(names: list[str]) -> None:
        from include.telemetry.reception import EVENT_ALERTS
        from include.wiring.airflow import emit_events, fail_unless_true, raise_alerts

        emit_events(names or [])
        # A night that never begins raises no alarm itself: the hourly run notices.
        raise_alerts(names or [], only=("no_night", *EVENT_ALERTS))
        fail_unless_true(names or [])

    names = sources()
    ingested = ingest.expand(batch=batches(find.expand(source=names)))
    concluded = conclude.expand(source=names)
    ingested >> concluded >> judge(names)


ingest_documents()
