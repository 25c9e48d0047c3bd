"""Held plans and people: who is asked about which plan, and what an answer records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from include.domain.dates import from_rfc3339, rfc3339
from include.domain.errors import ConfigError
from include.domain.manifest import Manifest
from include.domain.plan import HeldPlan, PlanKind, Release
from include.services.reading import Progress
from include.wiring.application import Application
from include.wiring.dispositions import apply_what_was_released
from include.wiring.families import mark_released_families
from include.wiring.runs import Run, log_progress, reconcile_source
from include.wiring.staleness import stage_what_was_released

_RELEASED = {
    PlanKind.FAMILIES: mark_released_families,
    PlanKind.STAGING: stage_what_was_released,
    PlanKind.DISPOSITIONS: apply_what_was_released,
}
"""Who carries out a released plan that is not about documents."""

ASK_AGAIN_AFTER = timedelta(days=3)


def release_held(application: Application, source: str, checksum: str, *, by: str, why: str) -> Release:
    """Record a person's approval of a plan that is held now, of whichever kind. Raises ConfigError when none is."""
    held_plan(application, source, checksum)
    if not by.strip() or not why.strip():
        raise ConfigError(f"{source}: an approval needs a person and a reason")
    now = application.clock.now()
    release = Release(
        source=source,
        checksum=checksum,
        approved_by=by.strip(),
        reason=why.strip(),
        approved_at=rfc3339(now),
        expires_at=rfc3339(now + timedelta(hours=application.settings.release_hours)),
    )
    application.ledger.release(release)
    return release


def reject_held(application: Application, source: str, checksum: str, *, by: str, why: str) -> None:
    """Record a person's no to a plan that is held now, of whichever kind. Raises ConfigError when none is."""
    held_plan(application, source, checksum)
    if not by.strip() or not why.strip():
        raise ConfigError(f"{source}: a rejection needs a person and a reason")
    application.ledger.reject(source, checksum, by=by.strip(), why=why.strip())


def standing_release(application: Application, source: str, checksum: str) -> Release | None:
    """A person's approval of this plan that can still be used."""
    release = application.ledger.find_release(source, checksum)
    if release is None or release.used_by_run or application.clock.now() >= from_rfc3339(release.expires_at):
        return None
    return release


def open_plans(application: Application, source: str) -> list[HeldPlan]:
    """What waits for a person: one plan of each kind at most."""
    return [plan for kind in PlanKind if (plan := application.ledger.held(source, kind))]


def held_plan(application: Application, source: str, checksum: str = "") -> HeldPlan:
    """The source's open held plan with this checksum, or the only one. Raises ConfigError when it is not held."""
    held = open_plans(application, source)
    if not held:
        raise ConfigError(f"{source}: nothing is held; there is nothing to approve")
    wanted = [plan for plan in held if plan.checksum == checksum] if checksum else held
    if len(wanted) != 1:
        open_now = ", ".join(f"{plan.checksum} ({plan.kind}, {len(plan.changes)} changes)" for plan in held)
        problem = f"plan {checksum} is not held" if checksum else "more than one plan is held, say which"
        raise ConfigError(
            f"{source}: {problem}; open: {open_now}. Look at it first: `truecopy plan {source}`, for families "
            f"`truecopy resolve {source}`, for staging `truecopy detect {source}`, for decisions "
            f"`truecopy apply-dispositions {source}`"
        )
    return wanted[0]


def apply_held(
    application: Application, source: str, checksum: str, run: Run, *, progress: Progress = log_progress
) -> Manifest:
    """Carry out the held plan with this checksum, if a person released it and it is what is computed now; raises
    ApprovalRefused otherwise. A plan that is not held any more is refused by the run over the documents."""
    kinds = [plan.kind for plan in open_plans(application, source) if plan.checksum == checksum]
    for kind in kinds:
        if kind in _RELEASED:
            return _RELEASED[kind](application, source, run, progress=progress)
    return reconcile_source(application, source, run, progress=progress, released=True)


def run_of(source: str, checksum: str) -> str:
    """The run of `apply_held_plan` in which a person is asked about this plan, and in which it is carried out."""
    return f"held__{source}__{checksum}"


@dataclass(frozen=True, slots=True)
class Request:
    """A question to a person about one held plan, or (`moot`) one that has to be withdrawn."""

    source: str
    checksum: str
    moot: bool

    @property
    def run_id(self) -> str:
        return run_of(self.source, self.checksum)


def requests_to_make(
    application: Application, sources: Sequence[str], kind: PlanKind = PlanKind.CONTENT
) -> list[Request]:
    """Questions to ask and to withdraw about plans of this kind, so that exactly one is open per held plan: a refreshed
    plan replaces the question about the old one, an unchanged or rejected plan is not asked about again. A question
    that has been open for days is asked anew, under the same run: it may have been lost with its run."""
    requests = []
    lost_before = application.clock.now() - ASK_AGAIN_AFTER
    for source in sources:
        asked = application.ledger.open_requests(source, kind)
        held = application.ledger.held(source, kind)
        current = held.checksum if held else ""
        requests += [Request(source, checksum, moot=True) for checksum in asked if checksum != current]
        waiting = current in asked and from_rfc3339(asked[current]) > lost_before
        if held and not held.rejected_by and not waiting:
            requests.append(Request(source, current, moot=False))
    return requests
