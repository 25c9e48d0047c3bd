"""The DAG of the resolver, run in this process: dry by default, held, approved, and started by the night."""

from __future__ import annotations

from typing import Any

import pytest

from include.domain.manifest import DocumentState, RunState
from include.domain.plan import PlanKind
from include.services.resolve_canonical import RESOLVE
from include.wiring.held_plans import held_plan, release_held, requests_to_make
from include.wiring.runs import INGEST, RECONCILE
from tests.dags.live import Repository
from tests.dags.test_dag_runs import PAGES, dags, repositories

__all__ = ["dags", "repositories"]

DECKS = {f"deck-v{number}.md": f"# Sales deck\n\nWhat we sell, to whom.\n\nState {number}.\n" for number in (9, 10)}
MANY = {f"deck-v{number}.md": f"# Sales deck\n\nWhat we sell, to whom.\n\nState {number}.\n" for number in range(1, 9)}


def _run(dags: dict[str, Any], dag_id: str, conf: dict[str, object] | None = None, **options: object) -> str:
    return str(dags[dag_id].test(run_conf=conf or {}, **options).state)


def _resolve(dags: dict[str, Any], **conf: object) -> str:
    # Every parameter each time: a DAG that runs in this process remembers what the run before was given.
    given = {"source": "all", "family": "", "dry_run": True, "max_changes": None, "changed_only": False, **conf}
    return _run(dags, RESOLVE, given)


def _latest(source: str) -> Any:
    from include.wiring.airflow import application

    return application().manifests.latest(source, dag_id=RESOLVE)[0]


def _marks(source: str) -> Any:
    from include.wiring.airflow import application

    return application().ledger.marks(source)


@pytest.fixture
def ingested(dags: dict[str, Any], repositories: dict[str, Repository]) -> dict[str, Repository]:
    for repository in repositories.values():
        repository.commit(PAGES)
    repositories["handbook"].commit(DECKS)
    assert _run(dags, INGEST) == "success"
    return repositories


def test_a_run_by_hand_is_a_dry_run_unless_it_says_otherwise(
    dags: dict[str, Any], ingested: dict[str, Repository]
) -> None:
    assert _run(dags, RESOLVE) == "success", "by its own defaults"
    assert (_latest("handbook").state, _latest("guide").state) == (RunState.PLANNED, RunState.PLANNED)
    assert _latest("handbook").count(DocumentState.PLANNED) == len(DECKS)
    assert _marks("handbook") == {}

    assert _resolve(dags, dry_run=False, source="handbook", max_changes=1) == "failed"
    assert "at most 1" in _latest("handbook").reason
    assert _marks("handbook") == {}

    assert _resolve(dags, dry_run=False) == "success"
    assert _latest("handbook").count(DocumentState.RETIRED) == 1
    assert _marks("handbook")["deck-v9.md"].superseded_by == ("deck-v10.md",)
    assert _resolve(dags, dry_run=False, changed_only=True) == "success"
    assert _latest("handbook").outcomes == ()


def test_an_unknown_family_or_source_is_refused_by_name(dags: dict[str, Any], ingested: dict[str, Repository]) -> None:
    assert _resolve(dags, source="nope") == "failed"
    assert _resolve(dags, source="handbook", family="nope") == "failed"
    assert "there is no family 'nope'" in _latest("handbook").reason


def test_a_held_collapse_is_red_and_only_a_persons_release_applies_it(
    dags: dict[str, Any], ingested: dict[str, Repository]
) -> None:
    from include.wiring.airflow import application

    ingested["handbook"].commit(MANY)
    assert _run(dags, INGEST, {"source": "handbook"}) == "success"
    assert _resolve(dags, dry_run=False, source="handbook") == "failed"
    assert _latest("handbook").state is RunState.HELD
    plan = held_plan(application(), "handbook")
    assert plan.kind is PlanKind.FAMILIES
    (request,) = requests_to_make(application(), ["handbook"], PlanKind.FAMILIES)

    conf: dict[str, object] = {"source": request.source, "checksum": request.checksum}
    assert _run(dags, "apply_held_plan", conf, mark_success_pattern="approve") == "failed"
    assert _marks("handbook") == {}
    release_held(application(), "handbook", plan.checksum, by="Ada", why="I know these decks")
    assert _run(dags, "apply_held_plan", conf, mark_success_pattern="approve") == "success"
    assert _marks("handbook")["deck-v1.md"].superseded_by == ("deck-v2.md",)
    assert application().ledger.held("handbook", PlanKind.FAMILIES) is None
    assert _run(dags, "apply_held_plan", conf, mark_success_pattern="approve") == "failed", "used once"


def test_the_night_starts_the_resolver_for_what_changed_and_is_not_judged_by_it(
    dags: dict[str, Any], ingested: dict[str, Repository]
) -> None:
    from airflow.models.dagrun import DagRun
    from airflow.utils.session import create_session
    from sqlalchemy import select

    night = dags[RECONCILE].test(run_conf={"source": "handbook"})
    assert str(night.state) == "success"
    with create_session() as session:
        started = session.scalars(select(DagRun).where(DagRun.run_id == f"after__{night.run_id}")).one()
        assert started.dag_id == RESOLVE
        assert started.conf == {"source": "handbook", "dry_run": False, "changed_only": True}
