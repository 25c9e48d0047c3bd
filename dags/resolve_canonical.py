"""### Which one holds: mark what supersedes what

Reads every family of a source (versions, editions, copies of one thing), decides which member is current and which is
canonical, and marks the others as superseded, with links both ways. The marks go into the ledger and into every chunk.

Started by `reconcile_index` after each night, for families of documents that changed since the last run that saw every
change; the very first run sees all. By hand it is a backfill, and a dry run unless you say otherwise.

**Params.** `source` (all), `family` (all), `dry_run` (true: the manifest says what would be marked and why, nothing is
changed), `max_changes` (with more documents than that to mark, none is), `changed_only`.

**When it is red.** The task `judge` says which source and why; `truecopy show-run` prints the manifest, with the reason
for each document.

| state | what happened | what to do |
|---|---|---|
| held | too many documents would be superseded at once, and are not | `truecopy resolve`, then answer the request |
| held | more changes than `max_changes`; nothing was marked | look at the dry run, allow more |
| failed | the run broke off, or the audit of the marks failed | run it again; then `truecopy doctor` |

A family that the resolver cannot decide is not marked and does not make the run red: it waits in the review queue of
the ledger, `truecopy families` lists it, `truecopy decide` answers.

It is safe to run twice, and after any crash. `truecopy set-meta --revert` takes a run's marks back.
"""

from __future__ import annotations

from datetime import timedelta

import pendulum
from airflow.sdk import Param, dag, task

from include.domain.plan import PlanKind
from include.wiring.source_tasks import CHANGED, ask_people, judge, sources


@dag(
    schedule=None,
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    max_active_runs=1,
    doc_md=__doc__,
    tags=["truecopy", "families"],
    default_args={"owner": "truecopy", "retries": 2, "retry_delay": timedelta(minutes=5), "pool": "truecopy"},
    params={
        "source": Param("all", type="string", description="one source, or all"),
        "family": Param("", type="string", description="one family by its name; empty: all"),
        "dry_run": Param(True, type="boolean", description="only say what would be marked"),
        "max_changes": Param(
            None, type=["null", "integer"], minimum=0, description="mark nothing when more would change; null: no limit"
        ),
        "changed_only": Param(False, type="boolean", description="only families that changed since the last run"),
    },
)
def resolve_canonical():
    @task(outlets=[CHANGED], map_index_template="{{ label }}", execution_timeout=timedelta(hours=6))
    def resolve(source: str, params: dict, outlet_events=None) -> dict:
        from include.wiring.airflow import application, current_run, deciding, label, reported
        from include.wiring.families import resolve_as_asked

        label(source)
        with deciding():
            manifest = resolve_as_asked(application(), source, current_run(), params)
        return reported(manifest, outlet_events)

    names = sources()
    done = resolve.expand(source=names)
    ask = ask_people(names, PlanKind.FAMILIES, after=done)
    [done, ask] >> judge(names, PlanKind.FAMILIES.value)


resolve_canonical()
