"""### Follow the sources' events

A source that signs its webhooks (`sources.<name>.webhook` of the settings) tells us what changed. The API server puts
each delivery into the inbox, answers, and starts this DAG a few seconds later. Per source: one look at the documents
that the events name, by the same plan and gate as at night; then the events are settled. A look that finds nothing to
do is repeated once a minute later, because many systems send an event before they show the change.

It also runs every minute, in case such a start was lost, and for the second looks. A run that finds nothing open ends
after its first task. `TRUECOPY_EVENTS_SCHEDULE` is another schedule, or empty for none.

**When it is red.** `judge` names the source. An event that could not be followed stays open; the source is left alone
for a while, longer the longer it lasts, and tried again. What the gate holds, and what an event missed, is the night's.

It is safe to run at any time and as often as you like: an event is a hint, the source says what is true.
"""

from __future__ import annotations

import os
from datetime import timedelta

import pendulum
from airflow.sdk import TriggerRule, dag, task

from include.wiring.source_tasks import CHANGED


@dag(
    schedule=os.environ.get("TRUECOPY_EVENTS_SCHEDULE", "* * * * *") or None,
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    max_active_runs=1,
    doc_md=__doc__,
    tags=["truecopy", "events"],
    default_args={
        "owner": "truecopy",
        "retries": 1,
        "retry_delay": timedelta(seconds=20),
        "pool": "truecopy",
        "execution_timeout": timedelta(minutes=5),  # one that hung would hold back every later run
    },
)
def follow_events():
    @task.short_circuit
    def waiting() -> list[str]:
        from include.wiring.connections import hooks

        return hooks().due()

    @task(outlets=[CHANGED], map_index_template="{{ label }}", execution_timeout=timedelta(hours=1))
    def follow(source: str, outlet_events=None) -> dict | None:
        from include.wiring.airflow import application, current_run, deciding, label, reported
        from include.wiring.events import follow_events

        label(source)
        with deciding():
            manifest = follow_events(application(), source, current_run())
        if manifest is None:
            return None
        return reported(manifest, outlet_events)

    @task(trigger_rule=TriggerRule.ALL_DONE, retries=0)
    def judge(names: list[str]) -> None:
        from include.wiring.airflow import emit_events, fail_unless_followed

        emit_events(names or [])
        fail_unless_followed(names or [])

    names = waiting()
    follow.expand(source=names) >> judge(names)


follow_events()
