"""The gate of the detector: how many documents it may hide until a person has looked.

Per source, with n = documents that readers find:

    staging limit   staged now * 100 > deletion_percent * n                             holds what would be staged
    window          (staged now + removed, retired and staged in the last days) * 100
                        > window_percent * (n + removed in the last days)               holds what would be staged

The limits are those of deletions, and all fill one window: however documents leave the answers, it is one loss. Exactly
at a limit passes, there is no exemption for small sources. What brings a document back is never held.

What was held waits for a person, for as long as the detector asks for the same, as in planning.gate.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from include.domain.manifest import Removal
from include.domain.metadata import DocumentPatch, patches_checksum
from include.domain.plan import Action, Change, HeldPlan, Hold, HoldReason, Release
from include.planning.limits import Limits, Loss, Past
from include.planning.release import check_release


@dataclass(frozen=True, slots=True)
class StagingChange:
    """One document to be staged, or brought back: why, and how its marks are written."""

    change: Change
    patch: DocumentPatch

    @property
    def hides(self) -> bool:
        return self.change.action is Action.STAGE


@dataclass(frozen=True, slots=True)
class StagingPlan:
    """What would make the staged documents of a source those that the detector proposes, sorted by document.
    `shown_documents` are found by readers now: the gate's denominator."""

    source: str
    changes: tuple[StagingChange, ...]
    shown_documents: int

    @property
    def staged(self) -> tuple[StagingChange, ...]:
        return tuple(each for each in self.changes if each.hides)


@dataclass(frozen=True, slots=True)
class StagingVerdict:
    """The gate's answer: `held` waits for a person, `allowed` may be marked now, `holds` says why."""

    source: str
    allowed: tuple[StagingChange, ...]
    held: tuple[StagingChange, ...]
    holds: tuple[Hold, ...] = ()

    @property
    def checksum(self) -> str:
        """Digest of what is held, marks before and after; empty when nothing is."""
        return patches_checksum(self.source, [each.patch for each in self.held]) if self.held else ""

    @property
    def held_changes(self) -> tuple[Change, ...]:
        return tuple(each.change for each in self.held)


_SEAL = object()


class ApprovedStaging:
    """Documents that may be staged or brought back. Only this module makes one: from a verdict, or a person's
    release."""

    __slots__ = ("changes", "release", "source")

    def __init__(
        self, seal: object, source: str, changes: tuple[StagingChange, ...], release: Release | None = None
    ) -> None:
        if seal is not _SEAL:
            raise TypeError("ApprovedStaging is made by the gate only: call approve_staging() or release_staging()")
        self.source = source
        self.changes = changes
        self.release = release

    @property
    def patches(self) -> tuple[DocumentPatch, ...]:
        return tuple(each.patch for each in self.changes)

    @property
    def hidden(self) -> frozenset[str]:
        """Documents that readers will not find any more."""
        return frozenset(each.change.doc_id for each in self.changes if each.hides)


def approve_staging(verdict: StagingVerdict) -> ApprovedStaging:
    """The part of a judged plan that no limit holds."""
    return ApprovedStaging(_SEAL, verdict.source, verdict.allowed)


def release_staging(verdict: StagingVerdict, release: Release | None, *, run_id: str, now: datetime) -> ApprovedStaging:
    """The held part of a plan computed *now*, if a person released exactly it; otherwise raises ApprovalRefused, as
    planning.release says. The run that used the release may come back with the same plan."""
    release = check_release(verdict.source, verdict.checksum, len(verdict.held), release, run_id=run_id, now=now)
    return ApprovedStaging(_SEAL, verdict.source, verdict.held, release)


def judge_staging(
    plan: StagingPlan, limits: Limits, history: Iterable[Removal], *, now: datetime, standing: HeldPlan | None = None
) -> StagingVerdict:
    """Split a plan into what may be marked and what waits for a person, with the arithmetic in words.

    `standing` is the source's open held plan of staging, if there is one.
    """
    leaving = [each.change.doc_id for each in plan.staged]
    holds = _limits_met(plan, limits, Past.within(history, limits, now, leaving))
    waiting = {change.doc_id for change in (standing.changes if standing else ()) if change.action is Action.STAGE}
    allowed: list[StagingChange] = []
    held: list[StagingChange] = []
    for each in plan.changes:
        waits = each.hides and (bool(holds) or each.change.doc_id in waiting)
        (held if waits else allowed).append(each)
    if held and standing and not holds:
        message = (
            f"{plan.source}: {len(held)} documents have waited for a person since {standing.first_held_at} before they "
            "are staged. They are below the limits now, but only an answer releases them, or a detector that no longer "
            "asks for it"
        )
        holds = [Hold(standing.holds[0].reason, message)]
    return StagingVerdict(plan.source, tuple(allowed), tuple(held), tuple(holds))


def _limits_met(plan: StagingPlan, limits: Limits, past: Past) -> list[Hold]:
    loss = Loss(len(plan.staged), plan.shown_documents, past, limits)
    holds = []
    if loss.is_over:
        holds.append(
            Hold(
                HoldReason.STAGING_LIMIT,
                f"{plan.source}: {loss.count} of {loss.base} documents would be staged for review, {loss.share}, the "
                f"limit is {limits.deletion_percent:g} %. Readers find them as before. Look at the evidence; approve "
                "them if it is right",
            )
        )
    if loss.is_over_in_window:
        holds.append(
            Hold(
                HoldReason.STAGING_WINDOW,
                f"{plan.source}: {loss.count} documents would be staged for review now, and {past.removed} were "
                f"deleted and {past.retired} superseded or staged in the last {limits.window_days} days, together "
                f"{loss.window_share} of {loss.window_base} documents, the limit is {limits.window_percent:g} %. "
                "Readers find them as before. Look at the evidence; approve them if it is right",
            )
        )
    return holds
