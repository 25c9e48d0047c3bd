"""The gate of the resolver: how many documents its marks retire, and whether that needs a person.

A document is retired when it is shown now and would be superseded, or hidden. Per source, with n = indexed documents:

    retirement limit   retirements * 100 > deletion_percent * n                  holds the retirements
    window             (retirements + removed and retired in the last days) * 100
                           > window_percent * (n + removed in the last days)     holds the retirements

The limits are those of deletions, and both fill one window: however documents leave the answers, it is one loss.
Exactly at a limit passes, there is no exemption for small sources. A family is marked as a whole or not at all, so the
families that retire something wait, and the others go through. What brings a document back is never held.

What was held waits for a person, for as long as the resolver asks for the same, as in planning.gate.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from include.domain.manifest import Removal
from include.domain.metadata import DocumentPatch, patches_checksum
from include.domain.plan import Action, Change, HeldPlan, Hold, HoldReason, Release
from include.planning.limits import Limits, Loss, Past
from include.planning.release import check_release


@dataclass(frozen=True, slots=True)
class FamilyChange:
    """Everything that one family's decision changes. `changes` say what becomes of each document and why, `patches`
    how its marks are written, both in the order of documents. A document that belongs to no family any more is a
    change of its own, without a family."""

    family: str
    changes: tuple[Change, ...]
    patches: tuple[DocumentPatch, ...]

    @property
    def retired(self) -> frozenset[str]:
        return frozenset(change.doc_id for change in self.changes if change.action is Action.RETIRE)


@dataclass(frozen=True, slots=True)
class FamilyPlan:
    """What would make the marks of a source what the resolver decided, sorted by document."""

    source: str
    families: tuple[FamilyChange, ...]
    indexed_documents: int

    @property
    def changes(self) -> tuple[Change, ...]:
        return tuple(sorted(change for family in self.families for change in family.changes))

    @property
    def retirements(self) -> int:
        return sum(len(family.retired) for family in self.families)


@dataclass(frozen=True, slots=True)
class FamilyVerdict:
    """The gate's answer: `held` waits for a person, `allowed` may be marked now, `holds` says why."""

    source: str
    allowed: tuple[FamilyChange, ...]
    held: tuple[FamilyChange, ...]
    holds: tuple[Hold, ...] = ()

    @property
    def checksum(self) -> str:
        """Digest of what is held, marks before and after; empty when nothing is."""
        return patches_checksum(self.source, _patches(self.held)) if self.held else ""

    @property
    def held_changes(self) -> tuple[Change, ...]:
        return tuple(sorted(change for family in self.held for change in family.changes))


_SEAL = object()


class ApprovedMarks:
    """Marks of the resolver that may be written. Only this module makes one: from a verdict, or a person's release."""

    __slots__ = ("families", "release", "source")

    def __init__(
        self, seal: object, source: str, families: tuple[FamilyChange, ...], release: Release | None = None
    ) -> None:
        if seal is not _SEAL:
            raise TypeError("ApprovedMarks are made by the gate only: call approve_marks() or release_marks()")
        self.source = source
        self.families = families
        self.release = release

    @property
    def patches(self) -> tuple[DocumentPatch, ...]:
        return _patches(self.families)

    @property
    def retirements(self) -> int:
        return sum(len(family.retired) for family in self.families)


def approve_marks(verdict: FamilyVerdict) -> ApprovedMarks:
    """The part of a judged plan that no limit holds."""
    return ApprovedMarks(_SEAL, verdict.source, verdict.allowed)


def release_marks(verdict: FamilyVerdict, release: Release | None, *, run_id: str, now: datetime) -> ApprovedMarks:
    """The held part of a plan computed *now*, if a person released exactly it; otherwise raises ApprovalRefused, as
    planning.release says. The run that used the release may come back with the same plan."""
    waiting = len(verdict.held_changes)
    release = check_release(verdict.source, verdict.checksum, waiting, release, run_id=run_id, now=now)
    return ApprovedMarks(_SEAL, verdict.source, verdict.held, release)


def judge_families(
    plan: FamilyPlan, limits: Limits, history: Iterable[Removal], *, now: datetime, standing: HeldPlan | None = None
) -> FamilyVerdict:
    """Split a plan into what may be marked and what waits for a person, with the arithmetic in words.

    `standing` is the source's open held plan of families, if there is one.
    """
    leaving = frozenset().union(*(family.retired for family in plan.families))
    holds = _limits_met(plan, limits, Past.within(history, limits, now, leaving))
    waiting = {change.doc_id for change in (standing.changes if standing else ()) if change.action is Action.RETIRE}
    allowed: list[FamilyChange] = []
    held: list[FamilyChange] = []
    for family in plan.families:
        waits = family.retired if holds else family.retired & waiting
        (held if waits else allowed).append(family)
    if held and standing and not holds:
        holds = [_still_waits(held, standing)]
    return FamilyVerdict(plan.source, tuple(allowed), tuple(held), tuple(holds))


def _limits_met(plan: FamilyPlan, limits: Limits, past: Past) -> list[Hold]:
    loss = Loss(plan.retirements, plan.indexed_documents, past, limits)
    families = sum(bool(family.retired) for family in plan.families)
    holds = []
    if loss.is_over:
        holds.append(
            Hold(
                HoldReason.RETIREMENT_LIMIT,
                f"{plan.source}: {loss.count} of {loss.base} documents, in {families} families, would be marked as "
                f"superseded, {loss.share}, the limit is {limits.deletion_percent:g} %. They stay as they are. Look at "
                "the families; approve them if they are right, decide those that are not",
            )
        )
    if loss.is_over_in_window:
        holds.append(
            Hold(
                HoldReason.RETIREMENT_WINDOW,
                f"{plan.source}: {loss.count} documents would be marked as superseded now, and {past.removed} were "
                f"deleted and {past.retired} superseded in the last {limits.window_days} days, together "
                f"{loss.window_share} of {loss.window_base} documents, the limit is {limits.window_percent:g} %. They "
                "stay as they are. Look at the families; approve them if they are right",
            )
        )
    return holds


def _still_waits(held: Sequence[FamilyChange], standing: HeldPlan) -> Hold:
    retired = sum(len(family.retired) for family in held)
    message = (
        f"{standing.source}: {retired} documents have waited for a person since {standing.first_held_at} before they "
        "are marked as superseded. They are below the limits now, but only an answer releases them, or a source that "
        "no longer asks for it"
    )
    return Hold(standing.holds[0].reason, message)


def _patches(families: Iterable[FamilyChange]) -> tuple[DocumentPatch, ...]:
    patches = (patch for family in families for patch in family.patches)
    return tuple(sorted(patches, key=lambda patch: patch.doc_id))
