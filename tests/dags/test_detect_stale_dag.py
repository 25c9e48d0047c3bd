"""The DAG of the detector, run in this process: dry, staged, held, approved."""

from __future__ import annotations

from typing import Any

import pytest

from include.domain.documents import Status
from include.domain.manifest import DocumentState, RunState
from include.domain.plan import PlanKind
from include.services.detect_stale import DETECT
from include.wiring.held_plans import held_plan, release_held, requests_to_make
from include.wiring.runs import INGEST
from tests.dags.live import Repository
from tests.dags.test_dag_runs import PAGES, dags, repositories
from tests.dags.test_resolver_dag import DECKS, MANY, _resolve, _run

__all__ = ["dags", "repositories"]

DECKS = {**DECKS, "deck-v8.md": "# Sales deck\n\nWhat we sell, to whom.\n\nState 8.\n"}
OTHERS = {
    f"about/{name}.md": f"# About {name}\n\nNothing else is about {name}.\n"
    for name in map("subject{}".format, range(40))
}


def _detect(dags: dict[str, Any], **conf: object) -> str:
    return _run(dags, DETECT, {"source": "handbook", "dry_run": False, **conf})


def _latest() -> Any:
    from include.wiring.airflow import application

    return application().manifests.latest("handbook", dag_id=DETECT)[0]


def _staged() -> list[str]:
    from include.wiring.airflow import application

    marks = application().ledger.marks("handbook")
    return [doc_id for doc_id, each in sorted(marks.items()) if each.status is Status.STAGED]


@pytest.fixture
def resolved(dags: dict[str, Any], repositories: dict[str, Repository]) -> dict[str, Repository]:
    for repository in repositories.values():
        repository.commit(PAGES)
    repositories["handbook"].commit({**DECKS, **OTHERS})
    assert _run(dags, INGEST) == "success"
    assert _resolve(dags, dry_run=False, source="handbook") == "success"
    return repositories


def test_a_run_looks_at_every_source_and_stages_what_is_superseded(
    dags: dict[str, Any], resolved: dict[str, Repository]
) -> None:
    from include.wiring.airflow import application

    assert _detect(dags, dry_run=True) == "success"
    assert (_latest().state, _latest().count(DocumentState.PLANNED), _staged()) == (RunState.PLANNED, 2, [])

    assert _run(dags, DETECT, {"source": "all", "dry_run": False}) == "success"
    assert (_latest().state, _staged()) == (RunState.DETECTED, ["deck-v8.md", "deck-v9.md"])
    assert application().manifests.latest("guide", dag_id=DETECT)[0].state is RunState.DETECTED
    items = application().ledger.candidates("handbook").items
    assert [(item.doc_id, item.replacement) for item in items] == [
        ("deck-v8.md", "deck-v10.md"),
        ("deck-v9.md", "deck-v10.md"),
    ]
    assert _detect(dags) == "success"
    assert _latest().outcomes == ()
    assert _detect(dags, source="nope") == "failed"


def test_a_spoilt_file_makes_the_run_red_and_names_itself(
    dags: dict[str, Any], resolved: dict[str, Repository]
) -> None:
    from include.records.review_queue import candidate_path
    from include.wiring.airflow import application

    assert _detect(dags) == "success"
    file = application().settings.ledger / candidate_path("handbook", "deck-v8.md")
    file.write_text(file.read_text().replace("decision: null", "decision: keep"))
    assert _detect(dags) == "failed"
    assert (_latest().state, _staged()) == (RunState.DEGRADED, ["deck-v8.md", "deck-v9.md"])
    assert f"{candidate_path('handbook', 'deck-v8.md')}: decision is 'keep'" in _latest().reason


def test_a_held_staging_is_red_and_only_a_persons_release_applies_it(
    dags: dict[str, Any], resolved: dict[str, Repository]
) -> None:
    from include.wiring.airflow import application

    resolved["handbook"].commit(MANY)
    assert _run(dags, INGEST, {"source": "handbook"}) == "success"
    assert _resolve(dags, dry_run=False, source="handbook") == "failed"  # held: many at once
    plan = held_plan(application(), "handbook")
    release_held(application(), "handbook", plan.checksum, by="Ada", why="I know these decks")
    conf: dict[str, object] = {"source": "handbook", "checksum": plan.checksum}
    assert _run(dags, "apply_held_plan", conf, mark_success_pattern="approve") == "success"

    assert _detect(dags) == "failed"
    assert (_latest().state, _staged()) == (RunState.HELD, [])
    plan = held_plan(application(), "handbook")
    assert plan.kind is PlanKind.STAGING
    (request,) = requests_to_make(application(), ["handbook"], PlanKind.STAGING)
    conf = {"source": request.source, "checksum": request.checksum}
    assert _run(dags, "apply_held_plan", conf, mark_success_pattern="approve") == "failed"
    assert _staged() == []
    release_held(application(), "handbook", plan.checksum, by="Ada", why="I looked at the evidence")
    assert _run(dags, "apply_held_plan", conf, mark_success_pattern="approve") == "success"
    assert len(_staged()) == len(plan.changes)
    assert application().ledger.held("handbook", PlanKind.STAGING) is None
