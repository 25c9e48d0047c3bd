"""### Carry out what people decided about candidates

Takes what was decided in the review queue and is not done yet, and does it: a purge is one commit on a branch of a
clone of the source's repository, or where the source is not ours to write, the document leaves the index and is kept
out until its source changes it; others are archived, linked, kept, or left alone until a day. Nothing is decided here:
a decision without a person's name does not exist, and what nobody decided only gets older.

Runs every day and by hand. By schedule it only says what waits, unless `review.apply_daily` is set.

**Params.** `source` (all), `dry_run` (true: the manifest says what would be done and why, nothing is changed).

**When it is red.** The task `judge` says which source and why; `truecopy show-run` prints the manifest, with a sentence
for each document.

| state | what happened | what to do |
|---|---|---|
| held | more would be purged or archived than the limits allow | `truecopy apply-dispositions`; answer the request |
| degraded | a spoilt file of the queue, or a source that does not answer | mend it; the next run tries again |
| failed | the run broke off, or the audit of the marks failed | run it again; then `truecopy doctor` |

A decision that does not hold any more (the document was changed, protected, replaced by something that is gone) is no
error: it goes back to open with a note, and the manifest lists it as reopened.

It is safe to run twice, and after any crash. `git revert` of a decision's commit in the ledger takes back what followed
from it with the next sync; of the commit in the source's repository, a purge.
"""

from __future__ import annotations

from datetime import timedelta

import pendulum
from airflow.sdk import Param, dag, task

from include.domain.plan import PlanKind
from include.wiring.source_tasks import CHANGED, ask_people, judge, sources


@dag(
    schedule="0 5 * * *",
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    max_active_runs=1,
    doc_md=__doc__,
    tags=["truecopy", "review"],
    default_args={"owner": "truecopy", "retries": 2, "retry_delay": timedelta(minutes=5), "pool": "truecopy"},
    params={
        "source": Param("all", type="string", description="one source, or all"),
        "dry_run": Param(True, type="boolean", description="only say what would be done"),
    },
)
def apply_dispositions():
    @task(outlets=[CHANGED], map_index_template="{{ label }}", execution_timeout=timedelta(hours=6))
    def apply(source: str, params: dict, dag_run=None, outlet_events=None) -> dict:
        from include.wiring.airflow import application, current_run, deciding, label, reported
        from include.wiring.dispositions import apply_as_asked

        label(source)
        with deciding():
            manifest = apply_as_asked(
                application(), source, current_run(), params, by_schedule=dag_run.run_type == "scheduled"
            )
        return reported(manifest, outlet_events)

    names = sources()
    done = apply.expand(source=names)
    ask = ask_people(names, PlanKind.DISPOSITIONS, after=done)
    [done, ask] >> judge(names, PlanKind.DISPOSITIONS.value)


apply_dispositions()
