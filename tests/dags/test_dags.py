"""The DAG files: they parse quickly and without network, and say what a person needs who finds them red."""

from __future__ import annotations

import socket
import time

import pytest

pytest.importorskip("airflow")

DAGS = (
    "apply_dispositions",
    "apply_held_plan",
    "erase_documents",
    "evaluate_retrieval",
    "follow_events",
    "ingest_documents",
    "reconcile_index",
    "detect_stale",
    "resolve_canonical",
    "set_metadata",
)


@pytest.fixture(scope="module")
def dagbag(airflow_database: None):  # type: ignore[no-untyped-def]
    from airflow.dag_processing.dagbag import DagBag

    from tests.dags.conftest import PROJECT

    return DagBag(dag_folder=PROJECT / "dags")


def test_every_dag_parses_without_network(airflow_database: None, monkeypatch: pytest.MonkeyPatch) -> None:
    from airflow.dag_processing.dagbag import DagBag

    from tests.dags.conftest import PROJECT

    def refused(*_: object, **__: object) -> None:
        raise AssertionError("a DAG file opened a connection while it was parsed")

    monkeypatch.setattr(socket.socket, "connect", refused)
    bag = DagBag(dag_folder=PROJECT / "dags")
    assert bag.import_errors == {}
    assert sorted(bag.dags) == sorted(DAGS)


def test_a_dag_file_imports_nothing_heavy_when_it_is_parsed() -> None:
    import subprocess
    import sys

    from tests.dags.conftest import PROJECT

    heavy = ("qdrant_client", "qdrant_edge", "great_expectations", "pandas", "pyarrow", "include.wiring.application")
    code = (
        "import sys, runpy, airflow.sdk, airflow.providers.standard.operators.hitl\n"
        "before = set(sys.modules)\n"
        f"[runpy.run_path(f'dags/{{name}}.py') for name in {DAGS!r}]\n"
        f"print(sorted(set({heavy!r}) & (set(sys.modules) - before)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert done.stdout.strip().splitlines()[-1] == "[]"


def test_every_dag_is_a_runbook_with_an_owner(dagbag) -> None:  # type: ignore[no-untyped-def]
    for dag in dagbag.dags.values():
        assert "truecopy" in dag.tags, dag.dag_id
        assert dag.doc_md, dag.dag_id
        assert len(dag.doc_md) > 400, dag.dag_id
        assert not dag.catchup, dag.dag_id
        for task in dag.tasks:
            assert task.owner == "truecopy", task.task_id
            assert task.pool == "truecopy", task.task_id


def test_no_task_that_follows_events_can_hang_for_ever_and_hold_back_all_later_runs(dagbag) -> None:  # type: ignore[no-untyped-def]
    dag = dagbag.dags["follow_events"]
    assert dag.max_active_runs == 1
    for task in dag.tasks:
        assert task.execution_timeout, task.task_id


def test_no_timer_can_answer_for_a_person(dagbag) -> None:  # type: ignore[no-untyped-def]
    approve = dagbag.dags["apply_held_plan"].get_task("approve")
    assert approve.defaults is None
    assert approve.response_timeout is None
    assert approve.execution_timeout is None
    assert approve.retries == 0


def test_an_approval_with_a_default_or_a_timeout_cannot_be_written() -> None:
    from datetime import timedelta

    from include.wiring.approval import HeldPlanApproval

    for timer in ({"defaults": ["Approve"]}, {"response_timeout": timedelta(hours=1)}):
        with pytest.raises(ValueError, match="no timer may decide"):
            HeldPlanApproval(task_id="approve", source="s", checksum="c", **timer)


def test_parsing_all_dags_takes_less_than_two_seconds_of_processor_time(airflow_database: None) -> None:
    from airflow.dag_processing.dagbag import DagBag

    from tests.dags.conftest import PROJECT

    began = time.process_time()
    DagBag(dag_folder=PROJECT / "dags")
    assert time.process_time() - began < 2.0
