"""The question about a held plan, where somebody has answered elsewhere: only what stands in the ledger counts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from include.domain.dates import rfc3339
from include.domain.plan import HeldPlan, Release
from include.wiring.application import Application
from include.wiring.held_plans import reject_held, release_held
from tests.ops_pages import a_held_plan, application_in


@pytest.fixture
def application(airflow_database: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Application:
    made = application_in(tmp_path, "guide")
    monkeypatch.setattr("include.wiring.airflow.application", lambda: made)
    return made


@pytest.fixture
def plan(application: Application) -> HeldPlan:
    return application.ledger.hold(a_held_plan("guide"))


@pytest.fixture
def ask(plan: HeldPlan) -> Callable[[], object]:
    """Runs the task up to where it would be parked: that needs an Airflow, and is a KeyError here."""
    from include.wiring.approval import HeldPlanApproval

    operator = HeldPlanApproval(task_id="approve", source="guide", checksum=plan.checksum)
    return lambda: operator.execute({})  # type: ignore[typeddict-item]


def test_an_approval_in_the_ledger_is_not_asked_for_again(
    application: Application, plan: HeldPlan, ask: Callable[[], object]
) -> None:
    release_held(application, "guide", plan.checksum, by="editor", why="merged")
    assert ask() == {"chosen_options": ["Approve"]}
    assert application.ledger.open_requests("guide") == {}


def test_a_plan_that_was_declined_is_not_asked_about_again_and_a_later_approval_counts(
    application: Application, plan: HeldPlan, ask: Callable[[], object]
) -> None:
    from airflow.sdk.exceptions import AirflowSkipException

    reject_held(application, "guide", plan.checksum, by="editor", why="a mistake")
    with pytest.raises(AirflowSkipException, match=r"editor declined plan .*: a mistake"):
        ask()
    release_held(application, "guide", plan.checksum, by="admin", why="no mistake after all")
    assert ask() == {"chosen_options": ["Approve"]}


@pytest.mark.parametrize("spoilt", ["another plan's", "used", "expired", "none"])
def test_without_an_approval_that_can_be_used_a_person_is_asked(
    application: Application, plan: HeldPlan, ask: Callable[[], object], spoilt: str
) -> None:
    now = datetime.now(UTC)
    release = Release(
        source="guide",
        checksum="0" * 16 if spoilt == "another plan's" else plan.checksum,
        approved_by="editor",
        reason="merged",
        approved_at=rfc3339(now - timedelta(hours=80)),
        expires_at=rfc3339(now + timedelta(hours=-8 if spoilt == "expired" else 8)),
    )
    if spoilt != "none":
        application.ledger.release(release)
    if spoilt == "used":
        application.ledger.use_release(release, "held__guide__before")
    with pytest.raises(KeyError, match="task_instance"):
        ask()
    assert plan.checksum in application.ledger.open_requests("guide"), "the question was put"
