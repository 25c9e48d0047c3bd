"""A held plan as the pages show it: what it is about, and how far an answer to it has come."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from include.domain.dates import from_rfc3339
from include.domain.manifest import Manifest, RunState
from include.domain.plan import HeldPlan, PlanKind, Release
from include.ops_view.view import path_of
from include.services.apply_dispositions import APPLY
from include.services.detect_stale import DETECT
from include.services.resolve_canonical import RESOLVE
from include.wiring.application import Application
from include.wiring.held_plans import run_of, standing_release
from include.wiring.runs import APPLY_HELD, RECONCILE

WHAT = {
    PlanKind.CONTENT: "changes of documents",
    PlanKind.FAMILIES: "marks of what supersedes what",
    PlanKind.STAGING: "documents to hide until they are reviewed",
    PlanKind.DISPOSITIONS: "documents to purge or archive, as people decided one by one",
}
DAG = {
    PlanKind.CONTENT: APPLY_HELD,
    PlanKind.FAMILIES: RESOLVE,
    PlanKind.STAGING: DETECT,
    PlanKind.DISPOSITIONS: APPLY,
}
"""Under which DAG the run that carries out a plan leaves its manifest."""

AT_WORK_AT_MOST = timedelta(hours=12)
"""A run that was killed leaves no manifest. Its task may take six hours; what it has not done by then it never does."""

FOUND_BY = {**DAG, PlanKind.CONTENT: RECONCILE}


@dataclass(frozen=True, slots=True)
class Open:
    """A plan that waits, and what has been said to it: `release` is an approval that is on its way, `tried` the run
    that used the last one and ended without carrying it out."""

    plan: HeldPlan
    since: datetime
    release: Release | None
    tried: Manifest | None

    @property
    def what(self) -> str:
        return WHAT[self.plan.kind]

    @property
    def found_by(self) -> str:
        """The path of the run that found it."""
        return path_of("runs", FOUND_BY[self.plan.kind], self.plan.run_id, self.plan.source)

    @property
    def run_id(self) -> str:
        return run_of(self.plan.source, self.plan.checksum)

    @property
    def by_action(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for change in self.plan.changes:
            found[change.action.value] = found.get(change.action.value, 0) + 1
        return found


def open_plan(application: Application, plan: HeldPlan) -> Open:
    since = from_rfc3339(plan.first_held_at)
    if release := standing_release(application, plan.source, plan.checksum):
        return Open(plan, since, release, None)
    used = application.ledger.find_release(plan.source, plan.checksum)
    if used is None or not used.used_by_run or used.used_by_run.startswith("nobody"):
        return Open(plan, since, None, None)
    if application.clock.now() - from_rfc3339(used.approved_at) > AT_WORK_AT_MOST:
        return Open(plan, since, None, None)
    try:
        tried = application.past_runs.of(DAG[plan.kind], used.used_by_run, plan.source).manifest
    except (FileNotFoundError, ValueError):  # it leaves its manifest at its end
        return Open(plan, since, used, None)
    return Open(plan, since, used, None) if tried.state is RunState.RUNNING else Open(plan, since, None, tried)
