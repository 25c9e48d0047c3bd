"""The DAG that erases documents, run in this process: a dry run by default, then exactly what was looked at."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from include.domain.documents import DocumentKey
from include.domain.erasure import erasure_checksum
from tests.dags.live import Repository, settings

pytest.importorskip("airflow")
pytestmark = pytest.mark.slow

PAGES = {f"rules/page-{number}.md": f"# Page {number}\n\nThe number is {number * 37}.\n" for number in range(3)}
JANE = DocumentKey("handbook", "people/jane-doe.md")
DEFAULTS: dict[str, Any] = {
    "source": "",
    "doc_ids": [],
    "urls": [],
    "requested": False,
    "rule": "",
    "dry_run": True,
    "checksum": "",
}


def test_it_erases_what_was_looked_at_and_nothing_else(
    airflow_database: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from airflow.dag_processing.dagbag import DagBag
    from airflow.models.pool import Pool

    from include.wiring.airflow import application
    from include.wiring.runs import RECONCILE, Run, reconcile_source

    Pool.create_or_update_pool("truecopy", 4, "for tests", include_deferred=False)
    dag = DagBag(dag_folder=os.environ["AIRFLOW__CORE__DAGS_FOLDER"]).dags["erase_documents"]
    assert {name: dag.params[name] for name in DEFAULTS} == DEFAULTS
    for name, value in settings(tmp_path, ("handbook",))[1].items():
        monkeypatch.setenv(name, value)
    Repository(tmp_path / "handbook").commit({**PAGES, JANE.doc_id: "# Jane\n\nJane lives at Elm Street 14.\n"})
    application.cache_clear()
    reconcile_source(application(), "handbook", Run(RECONCILE, "filled"))

    def run(**conf: object) -> str:
        return str(dag.test(run_conf={**DEFAULTS, "source": "handbook", "doc_ids": [JANE.doc_id], **conf}).state)

    def indexed() -> set[Any]:
        with application().store.reading() as index:
            return {chunk.doc_id for chunk in index.scan("handbook")}

    assert run() == "success"
    assert run(dry_run=False, rule="art. 17", checksum="0123456789abcdef") == "failed"
    assert indexed() == {*PAGES, JANE.doc_id}
    run(dry_run=False, rule="art. 17", checksum=erasure_checksum([JANE]))
    assert indexed() == {*PAGES}
    assert application().ledger.tombstone_of(JANE) is not None
    application.cache_clear()
