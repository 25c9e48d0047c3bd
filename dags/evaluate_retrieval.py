"""### Evaluation of the answers

Asks every question of the configured sets (`evaluation.questions`) of the index as it is now, measures the answers,
compares them with the baseline (`evaluation.baseline`), keeps the run on the state root and sends gauges.

**When it is red.** The task `judge` says why, and names the questions.

| reason | what to do |
|---|---|
| a question shows what is outdated | `truecopy baseline "<the question>"`: is the right one there, hidden, moved? |
| a metric went from … to …, more than noise | compare the failures of both runs: content, embedder, weights? |
| at least … is required, at most … is allowed | the same; the set states this bound |

A better run becomes the baseline by hand: `truecopy evaluate --save <file>`, and a commit of that file.
It writes nothing into the index and can run at any time.
"""

from __future__ import annotations

from datetime import timedelta

import pendulum
from airflow.sdk import dag, task


@dag(
    schedule="0 5 * * *",
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    max_active_runs=1,
    doc_md=__doc__,
    tags=["truecopy", "nightly"],
    default_args={"owner": "truecopy", "retries": 2, "retry_delay": timedelta(minutes=5), "pool": "truecopy"},
)
def evaluate_retrieval():
    @task.short_circuit
    def configured() -> bool:
        from include.wiring.airflow import application

        return bool(application().settings.evaluation.questions)

    @task(execution_timeout=timedelta(hours=1))
    def evaluate() -> str:
        from include.wiring.airflow import application, current_run, deciding, emit_evaluation
        from include.wiring.evaluation import evaluate_sets, keep, question_sets

        with deciding():
            judged = evaluate_sets(application(), question_sets(application()))
            emit_evaluation(judged)
            return keep(application(), current_run().manifest_id, judged)

    @task(retries=0)
    def judge(path: str) -> None:
        from include.wiring.airflow import fail_if_worse

        fail_if_worse(path)

    kept = evaluate()
    configured() >> kept
    judge(kept)


evaluate_retrieval()
