"""The DAG that sets metadata, run in this process: a dry run by default, then exactly what was looked at."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from include.domain.manifest import DocumentState, Manifest, RunState
from tests.dags.live import Repository, use_settings

pytest.importorskip("airflow")

PAGES = {f"policies/page-{number}.md": f"# Page {number}\n\nThe number is {number * 37}.\n" for number in range(12)}
DEFAULTS = {"where": [], "everything": False, "set": {}, "revert": "", "reason": "", "dry_run": True, "checksum": ""}
PINNED = {"source": "handbook", "where": ["path=policies/page-1*"], "set": {"pinned": True, "title": "One"}}


@pytest.fixture(scope="module")
def dags(airflow_database: None) -> dict[str, Any]:
    from airflow.dag_processing.dagbag import DagBag
    from airflow.models.pool import Pool

    Pool.create_or_update_pool("truecopy", 4, "for tests", include_deferred=False)
    return dict(DagBag(dag_folder=os.environ["AIRFLOW__CORE__DAGS_FOLDER"]).dags)


def test_the_parameters_change_nothing_unless_somebody_says_so(airflow_database: None) -> None:
    from airflow.dag_processing.dagbag import DagBag

    params = DagBag(dag_folder=os.environ["AIRFLOW__CORE__DAGS_FOLDER"]).dags["set_metadata"].params
    assert {name: params[name] for name in DEFAULTS} == DEFAULTS


@pytest.fixture
def application(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    from include.wiring.airflow import application
    from include.wiring.runs import RECONCILE, Run, reconcile_source

    use_settings(monkeypatch, tmp_path)
    Repository(tmp_path / "handbook").commit(PAGES)
    application.cache_clear()
    assert reconcile_source(application(), "handbook", Run(RECONCILE, "filled")).state is RunState.TRUE
    yield application()
    application.cache_clear()


def run(dags: dict[str, Any], application: Any, **conf: object) -> tuple[str, Manifest | None]:
    """How the run ended, and the manifest that it left. What an earlier test run was given stays with the DAG here."""
    dag = dags["set_metadata"]
    done = dag.test(run_conf={**DEFAULTS, **conf})
    left = application.manifests.latest("handbook", dag_id="set_metadata", limit=1)
    return str(done.state), left[0] if left and left[0].run_id.startswith(str(done.run_id)) else None


def test_a_dry_run_is_the_default_and_its_checksum_is_what_applies_it(dags: dict[str, Any], application: Any) -> None:
    state, planned = run(dags, application, **PINNED)
    assert (state, planned is not None) == ("success", True)
    assert planned is not None
    assert (planned.state, planned.count(DocumentState.PLANNED)) == (RunState.PLANNED, 3)
    assert application.ledger.marks("handbook") == {}
    checksum = planned.reason.rpartition(" ")[2]

    state, _ = run(dags, application, **PINNED, dry_run=False, reason="spring")
    assert state == "failed", "without a checksum nobody has looked"
    state, refused = run(dags, application, **PINNED, dry_run=False, reason="spring", checksum="0" * 16)
    assert (state, refused is not None and checksum in refused.reason) == ("failed", True)
    assert application.ledger.marks("handbook") == {}

    state, done = run(dags, application, **PINNED, dry_run=False, reason="spring", checksum=checksum)
    assert state == "success"
    assert done is not None
    assert (done.state, done.count(DocumentState.MARKED), done.documents) == (RunState.TRUE, 3, 12)
    assert all(marks.pinned for marks in application.ledger.marks("handbook").values())
    change = application.ledger.recorded("handbook", done.run_id)
    assert (change.by, change.reason) == ("dag_test", "spring")

    back = {"source": "handbook", "revert": done.run_id}
    _, planned = run(dags, application, **back)
    assert planned is not None
    state, _ = run(
        dags, application, **back, dry_run=False, reason="autumn", checksum=planned.reason.rpartition(" ")[2]
    )
    assert state == "success"
    assert application.ledger.marks("handbook") == {}


def test_what_cannot_be_done_turns_the_run_red_and_changes_nothing(dags: dict[str, Any], application: Any) -> None:
    wrong: dict[str, dict[str, object]] = {
        "which documents": {"source": "handbook", "set": {"pinned": True}},
        "no source": {**PINNED, "source": "all"},
        "a value that is none": {**PINNED, "set": {"created_at": "1.4.2023"}},
        "hides all": {"source": "handbook", "everything": True, "set": {"status": "archived"}},
    }
    for name, conf in wrong.items():
        assert run(dags, application, **conf)[0] == "failed", name
    assert application.ledger.marks("handbook") == {}
