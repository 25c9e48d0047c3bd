"""### Set metadata of documents in place

For what a source does not say, or says wrongly: dates of decks whose only timestamp is that of an import, a family,
a pin, a status. One source, documents chosen by conditions, or a run to be taken back. Nothing is read from the source
and nothing is embedded; all chunks of a document change in one operation.

**A dry run first.** `dry_run` is on unless you switch it off. The manifest (`truecopy show-run`) then lists every
document with what its readers see before and after, the number of chunks, and a checksum. Run it again with `dry_run`
off, the same params and that `checksum`: it does exactly that, or nothing.

**Params.** `source`; `where`, conditions such as `path=policies/2023/*`, `lang=de`, `created_at=unknown`,
`created_at<2024-01-01` (docs/METADATA.md has all), or `everything`; `set`, fields with their values, where `null` takes
a mark or an override away; `reason`, for the record; `revert`, a run to take back, instead of `where` and `set`.

**When it is red.** The task `set_metadata` says why.

| it says | what happened | what to do |
|---|---|---|
| the plan computed now is another | index or ledger changed since you looked | look at the new dry run |
| documents would be hidden | archiving counts as deleting, and has its limits | choose fewer |
| values were set anew since | somebody set later what you take back | take the later run back first |
| run … is changing metadata | one at a time for each source; it is tried again | nothing |
| … chunks the store took, and … say | the audit failed; the old values are back | `truecopy doctor`, then the store |

But for the last one nothing was changed. It is safe to run twice, and after any crash: the ledger is written first, and
whoever comes next brings the index to it. The author of the change is who triggered the run.
"""

from __future__ import annotations

from datetime import timedelta

import pendulum
from airflow.sdk import Param, dag, task

from include.wiring.source_tasks import CHANGED


@dag(
    schedule=None,
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    max_active_runs=4,
    doc_md=__doc__,
    tags=["truecopy", "metadata"],
    default_args={"owner": "truecopy", "retries": 2, "retry_delay": timedelta(minutes=5), "pool": "truecopy"},
    params={
        "source": Param("", type="string", description="one source"),
        "where": Param([], type="array", items={"type": "string"}, description="conditions; see docs/METADATA.md"),
        "everything": Param(False, type="boolean", description="all documents of the source, instead of conditions"),
        "set": Param({}, type="object", description='{"created_at": "2023-04-01"}; null takes a value away'),
        "revert": Param("", type="string", description="take back what this run changed, instead of where and set"),
        "reason": Param("", type="string", description="why; it becomes part of the record"),
        "dry_run": Param(True, type="boolean", description="only say what would be changed"),
        "checksum": Param("", type="string", description="of the dry run that you looked at"),
    },
)
def set_metadata():
    @task(task_id="set_metadata", outlets=[CHANGED], execution_timeout=timedelta(hours=6))
    def change(params: dict, outlet_events=None) -> dict:
        from include.wiring.airflow import application, current_run, deciding, reported, triggering_user
        from include.wiring.metadata import set_metadata_as_asked

        with deciding():
            manifest = set_metadata_as_asked(application(), current_run(), params, by=triggering_user())
        return reported(manifest, outlet_events)

    @task(retries=0)
    def judge(params: dict) -> None:
        from include.wiring.airflow import fail_unless_true

        fail_unless_true([params["source"]])

    change() >> judge()


set_metadata()
