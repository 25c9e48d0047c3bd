"""### What looks out of date: put it before people, hide the clearest of it

Looks at every document of a source for what speaks against it: superseded, expired, called obsolete by its source,
older than its type should be, shown to nobody, linked to by none, said again elsewhere. What is found goes into the
review queue of the ledger, with evidence and arithmetic. What somebody has said in so many words (superseded, expired)
is staged as well: readers do not find it until a person has looked. Nothing is deleted, the source is not touched.

Runs every week, and by hand.

**Params.** `source` (all), `dry_run` (false; true: the manifest says what would be staged and why, nothing is changed).

**When it is red.** The task `judge` says which source and why; `truecopy show-run` prints the manifest, with the
evidence for each document.

| state | what happened | what to do |
|---|---|---|
| held | more would be staged than the limits allow; nothing new is | `truecopy detect`, then answer the request |
| degraded | a file of the review queue was spoilt by hand, and left as it is | mend it, or `git revert` in the ledger |
| failed | the run broke off, or the audit of the marks failed | run it again; then `truecopy doctor` |

Candidates that wait for a person do not make the run red, however long they wait: they age, in the gauge
`rag.candidates_oldest_days`, and no timer decides about them. `truecopy review` lists
them and records decisions; what was decided is carried out by hand, with the command that it prints.

It is safe to run twice, and after any crash. `truecopy restore` brings a staged document back, `truecopy set-meta
--revert` all that a run has staged.
"""

from __future__ import annotations

from datetime import timedelta

import pendulum
from airflow.providers.standard.operators.trigger_dagrun import TriggerDagRunOperator
from airflow.sdk import AssetAlias, Param, TriggerRule, dag, task

CHANGED = AssetAlias("truecopy")


@dag(
    schedule="0 4 * * 1",
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    max_active_runs=1,
    doc_md=__doc__,
    tags=["truecopy", "review"],
    default_args={"owner": "truecopy", "retries": 2, "retry_delay": timedelta(minutes=5), "pool": "truecopy"},
    params={
        "source": Param("all", type="string", description="one source, or all"),
        "dry_run": Param(False, type="boolean", description="only say what would be staged"),
    },
)
def detect_stale():
    @task
    def sources(params: dict) -> list[str]:
        from include.wiring.airflow import application, deciding
        from include.wiring.runs import chosen_sources

        with deciding():
            return chosen_sources(application(), params["source"])

    @task(outlets=[CHANGED], map_index_template="{{ label }}", execution_timeout=timedelta(hours=6))
    def detect(source: str, params: dict, outlet_events=None) -> dict:
        from include.wiring.airflow import announce, application, current_run, deciding, emit, label
        from include.wiring.runs import summary
        from include.wiring.staleness import detect_as_asked

        label(source)
        with deciding():
            manifest = detect_as_asked(application(), source, current_run(), params)
        emit(manifest)
        announce(outlet_events, CHANGED, manifest)
        return summary(manifest)

    @task(trigger_rule=TriggerRule.ALL_DONE)
    def requests(names: list[str]) -> list[dict]:
        from include.wiring.airflow import application, deciding, request_conf
        from include.wiring.held_plans import staging_requests

        with deciding():
            return [request_conf(request) for request in staging_requests(application(), names or [])]

    @task(trigger_rule=TriggerRule.ALL_DONE, retries=0)
    def judge(names: list[str]) -> None:
        from include.telemetry.candidates import CANDIDATE_ALERTS
        from include.wiring.airflow import fail_unless_true, raise_alerts

        raise_alerts(names or [], only=tuple(CANDIDATE_ALERTS))
        fail_unless_true(names or [])

    names = sources()
    done = detect.expand(source=names)
    questions = requests(names)
    ask = TriggerDagRunOperator.partial(
        task_id="ask", trigger_dag_id="apply_held_plan", reset_dag_run=True, retries=3
    ).expand_kwargs(questions)
    done >> questions
    [done, ask] >> judge(names)


detect_stale()
