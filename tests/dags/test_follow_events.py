"""`follow_events` run in this process: with nothing to do, with work, and with a source that fails."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from include.domain.events import Event
from include.domain.manifest import RunState
from include.wiring.hooks import FOLLOW
from include.wiring.runs import RECONCILE
from tests.dags.live import Repository, use_settings

PAGES = {f"page-{number}.md": f"# Page {number}\n\nThe number is {number * 37}.\n" for number in range(12)}
HOOK = {"scheme": "standard", "conn_id": "hook"}


@pytest.fixture
def repositories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Repository]]:
    from include.wiring.airflow import application

    use_settings(monkeypatch, tmp_path, ("handbook", "guide"), {"handbook": HOOK, "guide": HOOK})
    application.cache_clear()
    repositories = {source: Repository(tmp_path / source) for source in ("handbook", "guide")}
    for repository in repositories.values():
        repository.commit(PAGES)
    yield repositories
    application.cache_clear()


@pytest.fixture(scope="module")
def dags(airflow_database: None) -> dict[str, Any]:
    from airflow.dag_processing.dagbag import DagBag
    from airflow.models.pool import Pool

    Pool.create_or_update_pool("truecopy", 4, "for tests", include_deferred=False)
    return dict(DagBag(dag_folder=os.environ["AIRFLOW__CORE__DAGS_FOLDER"]).dags)


def run(dags: dict[str, Any], dag_id: str = FOLLOW) -> str:
    return str(dags[dag_id].test().state)


def tell(source: str, *doc_ids: str, ago: float = 10) -> None:
    from include.wiring.airflow import application

    received_at = datetime.now(UTC) - timedelta(seconds=ago)
    assert application().inbox.put(Event(source, f"{source}-{ago}-{doc_ids}", received_at, doc_ids), remembered_days=1)


def test_a_run_without_events_leaves_nothing_and_one_with_events_is_green(
    dags: dict[str, Any], repositories: dict[str, Repository]
) -> None:
    from include.wiring.airflow import application

    assert run(dags, RECONCILE) == "success"
    assert {run(dags) for _ in range(3)} == {"success"}
    assert application().manifests.latest("handbook", dag_id=FOLLOW) == []

    repositories["handbook"].commit(
        {"page-1.md": "# Page 1\n\nThe number is another one.\n", "new.md": "# New\n\nOne."}
    )
    tell("handbook", "page-1.md")
    tell("handbook", "new.md", "never-heard-of.md", ago=11)
    tell("handbook", "page-2.md", ago=1)
    assert run(dags) == "success"
    (manifest,) = application().manifests.latest("handbook", dag_id=FOLLOW)
    assert manifest.state is RunState.INGESTED
    assert sorted(outcome.doc_id for outcome in manifest.outcomes) == ["new.md", "page-1.md"]
    assert application().manifests.latest("guide", dag_id=FOLLOW) == []
    waiting = {event.doc_ids: event.looked for event in application().inbox.open("handbook")}
    assert waiting == {("new.md", "never-heard-of.md"): True, ("page-2.md",): False}


def test_a_source_that_is_not_there_turns_the_run_red_keeps_its_events_and_stops_no_other(
    dags: dict[str, Any], repositories: dict[str, Repository], tmp_path: Path
) -> None:
    from include.wiring.airflow import application

    assert run(dags, RECONCILE) == "success"
    (tmp_path / "guide").rename(tmp_path / "unmounted")
    repositories["handbook"].commit({"page-1.md": "# Page 1\n\nThe number is another one.\n"})
    tell("guide", "page-1.md")
    tell("handbook", "page-1.md")
    assert run(dags) == "failed"
    assert application().manifests.latest("guide", dag_id=FOLLOW)[0].state is RunState.UNPROVEN
    assert application().manifests.latest("handbook", dag_id=FOLLOW)[0].state is RunState.INGESTED
    assert len(application().inbox.open("guide")) == 1
    assert application().inbox.open("handbook") == []
    assert run(dags) == "success", "the source is left alone for a minute: not every run is red"


def test_an_event_that_names_no_document_brings_in_all_that_changed(
    dags: dict[str, Any], repositories: dict[str, Repository]
) -> None:
    from include.wiring.airflow import application

    assert run(dags, RECONCILE) == "success"
    repositories["handbook"].commit({"page-1.md": "# Page 1\n\nOther.\n", "new.md": "# New\n\nOne.\n"}, ["page-2.md"])
    tell("handbook")
    assert run(dags) == "success"
    (manifest,) = application().manifests.latest("handbook", dag_id=FOLLOW)
    assert {o.doc_id: o.state.value for o in manifest.outcomes} == {
        "page-1.md": "replaced",
        "new.md": "created",
        "page-2.md": "deleted",
    }


def test_the_api_server_starts_one_run_at_a_time_and_none_while_the_dag_is_paused(
    dags: dict[str, Any], repositories: dict[str, Repository]
) -> None:
    from airflow.models import DagModel, DagRun
    from airflow.utils.session import create_session
    from sqlalchemy import select, update

    from include.wiring.served import start_following

    def started() -> list[str]:
        with create_session() as session:
            found = session.scalars(select(DagRun.run_id).where(DagRun.dag_id == FOLLOW, DagRun.state == "queued"))
            return list(found)

    def pause(paused: bool) -> None:
        with create_session() as session:
            session.execute(update(DagModel).where(DagModel.dag_id == FOLLOW).values(is_paused=paused))

    assert run(dags) == "success"  # now the database knows the DAG
    pause(True)
    start_following()
    assert started() == []
    pause(False)
    for _ in range(3):
        start_following()
    assert len(started()) == 1
    assert started()[0].startswith("webhook__")


def test_the_schedule_comes_from_the_environment(airflow_database: None, monkeypatch: pytest.MonkeyPatch) -> None:
    from airflow.dag_processing.dagbag import DagBag

    def schedule() -> object:
        return DagBag(dag_folder=os.environ["AIRFLOW__CORE__DAGS_FOLDER"]).dags[FOLLOW].schedule

    assert schedule() == "* * * * *"
    for value, expected in (("*/5 * * * *", "*/5 * * * *"), ("", None)):
        monkeypatch.setenv("TRUECOPY_EVENTS_SCHEDULE", value)
        assert schedule() == expected
