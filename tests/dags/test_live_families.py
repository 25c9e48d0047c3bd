"""Families on a real scheduler: resolved after a night, held, answered by a person, applied."""

from __future__ import annotations

from pathlib import Path

import pytest

from include.domain.manifest import RunState
from include.domain.plan import PlanKind
from include.services.resolve_canonical import RESOLVE
from include.wiring.runs import APPLY_HELD, RECONCILE
from tests.dags.live import Installation, installation

pytestmark = [pytest.mark.airflow, pytest.mark.slow]

PAGES = {f"page-{number:02}.md": f"# Page {number}\n\nThe number is {number * 37}.\n" for number in range(20)}
NO_SCHEDULE = {"AIRFLOW__SCHEDULER__USE_JOB_SCHEDULE": "False"}
DECK = "# Sales deck\n\nWhat we sell, to whom, at which price.\n\nThis is state {}.\n"


def decks(*versions: int) -> dict[str, str]:
    return {f"decks/deck-v{version}.md": DECK.format(version) for version in versions}


def night(living: Installation) -> tuple[str, str]:
    """How the night ended, and the resolver that it started."""
    client = living.client()
    run_id, state = living.run(RECONCILE)
    return state, client.wait(RESOLVE, f"after__{run_id}")


def test_the_night_resolves_families_and_a_person_answers_for_a_collapse(tmp_path: Path) -> None:
    with installation(tmp_path, ("guide",), NO_SCHEDULE) as living:
        client, application, guide = living.client(), living.application, living.repositories["guide"]
        guide.commit({**PAGES, **decks(9, 10)})
        for dag_id in (RECONCILE, RESOLVE, APPLY_HELD):
            client.wait_for_dag(dag_id)
        assert night(living) == ("success", "success")
        marks = application.ledger.marks("guide")
        assert marks["decks/deck-v9.md"].superseded_by == ("decks/deck-v10.md",)

        guide.commit(decks(*range(1, 9)))
        assert night(living) == ("success", "failed"), "the copy is true, whatever becomes of the families"
        plan = application.ledger.held("guide", PlanKind.FAMILIES)
        assert plan is not None
        question = f"held__guide__{plan.checksum}"
        client.wait_for_question(APPLY_HELD, question)
        assert application.ledger.marks("guide") == marks

        client.answer(APPLY_HELD, question, "approve", "Approve", inputs={"reason": "they are our decks"})
        assert client.wait(APPLY_HELD, question) == "success"
        assert application.ledger.marks("guide")["decks/deck-v1.md"].superseded_by == ("decks/deck-v2.md",)
        assert application.ledger.held("guide", PlanKind.FAMILIES) is None
        release = application.ledger.find_release("guide", plan.checksum)
        assert release is not None
        assert (release.approved_by, release.reason) == ("admin", "they are our decks")
        assert night(living) == ("success", "success")
        assert application.manifests.latest("guide", dag_id=RESOLVE)[0].state is RunState.RESOLVED
