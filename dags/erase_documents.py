"""### Erase documents

Removes every trace of chosen documents and writes a receipt: index, manifests, review items, the ledger's history,
query log, deliveries, caches, logs, Airflow's own database. See docs/ERASURE.md. This is not the way to take a page out
of the answers: unpublish it at its source, and the night removes it.

**A dry run first.** `dry_run` is on unless you switch it off. The task `erase_documents` then logs how many documents
and chunks were found, and their `checksum`. Run it again with `dry_run` off, the same params, a `rule` and that
`checksum`: it erases exactly these, or nothing. Confirming by checksum takes the place of the deletion limit.

**Params.** `source` with `doc_ids`, or `urls`, or `requested`; `rule`, the request or law that this follows. It is kept
for ever: no name in it. To search for a phrase, use `truecopy erase --find` in a terminal: Airflow stores its params.

**When it is red.**

| it says | what happened | what to do |
|---|---|---|
| the checksum … confirmed was … | other documents than you looked at, or none | look at the new dry run |
| the erasure is partial | a place failed, or something is still open | the receipt names it; then the same run again |
| Airflow's database … was not searched | tasks may not reach it | `erasure.airflow_database` |

Erased documents stay out of every later run until `truecopy erase --lift` names them. It is safe to run twice, and
after any crash.
"""

from __future__ import annotations

from datetime import timedelta

import pendulum
from airflow.sdk import Param, dag, task


@dag(
    schedule=None,
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    max_active_runs=1,
    doc_md=__doc__,
    tags=["truecopy", "erasure"],
    default_args={"owner": "truecopy", "retries": 2, "retry_delay": timedelta(minutes=5), "pool": "truecopy"},
    params={
        "source": Param("", type="string", description="the source of the documents"),
        "doc_ids": Param([], type="array", items={"type": "string"}, description="documents by id"),
        "urls": Param([], type="array", items={"type": "string"}, description="documents by address"),
        "requested": Param(False, type="boolean", description="documents that say `status: erase` themselves"),
        "rule": Param("", type="string", description="the request or law that this follows; kept, so without a name"),
        "dry_run": Param(True, type="boolean", description="only say what would be erased"),
        "checksum": Param("", type="string", description="of the dry run that you looked at"),
    },
)
def erase_documents():
    @task(task_id="erase_documents", execution_timeout=timedelta(hours=6))
    def erase(params: dict) -> dict:
        from include.wiring.airflow import application, current_run, deciding, triggering_user
        from include.wiring.erasure import erase_as_asked

        with deciding():
            return erase_as_asked(application(), current_run(), params, by=triggering_user())

    @task(retries=0)
    def judge() -> None:
        from include.wiring.airflow import application, current_run, deciding
        from include.wiring.erasure import fail_unless_complete

        with deciding():
            fail_unless_complete(application(), current_run())

    erase() >> judge()


erase_documents()
