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
them and records decisions; `apply_dispositions` carries out what was decided.

It is safe to run twice, and after any crash. `truecopy restore` brings a staged document back, `truecopy set-meta
--revert` all that a run has staged.
"""

from __future__ import annotations

from datetime import timedelta

import pendulum
from airflow.sdk import Param, dag, task

from include.domain.plan import PlanKind
from include.wiring.source_tasks import CHANGED, ask_people, judge, sources


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
    @task(outlets=[CHANGED], map_index_template="{{ label }}", execution_timeout=timedelta(hours=6))
    def detect(source: str, params: dict, outlet_events=None) -> dict:
        from include.wiring.airflow import application, current_run, deciding, label, reported
        from include.wiring.staleness import detect_as_asked

        label(source)
        with deciding():
            manifest = detect_as_asked(application(), source, current_run(), params)
        return reported(manifest, outlet_events)

    names = sources()
    done = detect.expand(source=names)
    ask = ask_people(names, PlanKind.STAGING, after=done)
    [done, ask] >> judge(names, PlanKind.STAGING.value)


detect_stale()
