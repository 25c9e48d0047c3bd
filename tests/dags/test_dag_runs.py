"""Each DAG run in this process, over no, one and many changed documents, and with sources that fail."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from include.domain.documents import DocumentKey
from include.domain.manifest import RunState
from include.domain.selection import Selector
from include.wiring.held_plans import held_plan, release_held
from include.wiring.runs import INGEST, RECONCILE
from tests.dags.live import Repository, use_settings

PAGES = {f"page-{number}.md": f"# Page {number}\n\nThe number is {number * 37}.\n" for number in range(12)}


@pytest.fixture
def repositories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Repository]]:
    """Two Git sources and an empty index, for tasks that run in this process."""
    from include.wiring.airflow import application

    use_settings(monkeypatch, tmp_path, ("handbook", "guide"))
    application.cache_clear()
    yield {source: Repository(tmp_path / source) for source in ("handbook", "guide")}
    application.cache_clear()


@pytest.fixture(scope="module")
def dags(airflow_database: None) -> dict[str, Any]:
    from airflow.dag_processing.dagbag import DagBag
    from airflow.models.pool import Pool

    Pool.create_or_update_pool("truecopy", 4, "for tests", include_deferred=False)
    return dict(DagBag(dag_folder=os.environ["AIRFLOW__CORE__DAGS_FOLDER"]).dags)


def _run(dags: dict[str, Any], dag_id: str, **conf: object) -> tuple[str, str]:
    run = dags[dag_id].test(run_conf=conf)
    return str(run.state), str(run.run_id)


def _manifest(source: str, dag_id: str) -> Any:
    from include.wiring.airflow import application

    return application().manifests.latest(source, dag_id=dag_id)[0]


def test_ingest_runs_with_many_with_one_and_with_no_changed_document(
    dags: dict[str, Any], repositories: dict[str, Repository]
) -> None:
    for repository in repositories.values():
        repository.commit(PAGES)
    assert _run(dags, INGEST)[0] == "success"
    assert _manifest("handbook", INGEST).documents == len(PAGES)

    repositories["handbook"].commit({"page-1.md": "# Page 1\n\nThe number is another one.\n"})
    assert _run(dags, INGEST)[0] == "success"
    assert [outcome.doc_id for outcome in _manifest("handbook", INGEST).outcomes] == ["page-1.md"]
    assert _manifest("guide", INGEST).outcomes == ()

    assert _run(dags, INGEST)[0] == "success"
    assert _manifest("handbook", INGEST).state is RunState.INGESTED
    assert _manifest("handbook", INGEST).outcomes == ()


def test_a_source_that_is_not_there_fails_its_night_and_touches_no_other(
    dags: dict[str, Any], repositories: dict[str, Repository], tmp_path: Path
) -> None:
    for repository in repositories.values():
        repository.commit(PAGES)
    assert _run(dags, RECONCILE)[0] == "success"
    (tmp_path / "guide").rename(tmp_path / "unmounted")
    repositories["handbook"].commit({"new.md": "# New\n\nA new page.\n"})

    assert _run(dags, RECONCILE)[0] == "failed"
    guide, handbook = _manifest("guide", RECONCILE), _manifest("handbook", RECONCILE)
    assert (guide.state, guide.documents) == (RunState.UNPROVEN, len(PAGES))
    assert (handbook.state, handbook.documents) == (RunState.TRUE, len(PAGES) + 1)


def test_an_ingest_run_of_one_source_leaves_the_other_alone(
    dags: dict[str, Any], repositories: dict[str, Repository]
) -> None:
    from include.wiring.airflow import application

    for repository in repositories.values():
        repository.commit(PAGES)
    assert _run(dags, INGEST, source="guide", doc_ids=["page-3.md"])[0] == "success"
    assert _manifest("guide", INGEST).documents == 1
    assert application().manifests.latest("handbook") == []


def test_an_unknown_source_is_refused_by_name(dags: dict[str, Any], repositories: dict[str, Repository]) -> None:
    assert _run(dags, INGEST, source="nope")[0] == "failed"


def test_a_held_plan_turns_the_run_red_and_an_approval_task_marked_as_successful_applies_nothing(
    dags: dict[str, Any], repositories: dict[str, Repository]
) -> None:
    from include.wiring.airflow import application

    repositories["handbook"].commit(PAGES)
    repositories["guide"].commit(PAGES)
    assert _run(dags, RECONCILE)[0] == "success"
    repositories["handbook"].commit(remove=["page-1.md", "page-2.md"])
    assert _run(dags, RECONCILE)[0] == "failed"
    assert _manifest("handbook", RECONCILE).state is RunState.HELD
    plan = held_plan(application(), "handbook")

    conf = {"source": "handbook", "checksum": plan.checksum}
    forged = dags["apply_held_plan"].test(run_conf=conf, mark_success_pattern="approve")
    assert str(forged.state) == "failed"
    with application().store.reading() as index:
        assert index.count(Selector(DocumentKey("handbook", "page-1.md"))) == 1

    release_held(application(), "handbook", plan.checksum, by="Ada", why="they were merged")
    applied = dags["apply_held_plan"].test(run_conf=conf, mark_success_pattern="approve")
    assert str(applied.state) == "success"
    with application().store.reading() as index:
        assert index.count(Selector(DocumentKey("handbook", "page-1.md"))) == 0
    again = dags["apply_held_plan"].test(run_conf=conf, mark_success_pattern="approve")
    assert str(again.state) == "failed", "a release is used once"
