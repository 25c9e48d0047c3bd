"""The gate of what people decide in review: how many documents go at once, though each was decided by itself. Pure.

What takes documents away counts like a deletion: per source, with n = indexed documents,

    limit     taken away now * 100 > deletion_percent * n                              holds what is taken away
    window    (taken away now + removed, retired and staged in the last days) * 100
                  > window_percent * (n + removed in the last days)                    holds what is taken away

Exactly at a limit passes. What was held waits for a person, for as long as it is decided.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from include.domain.manifest import Removal
from include.domain.plan import Change, HeldPlan, Hold, HoldReason, Release, checksum
from include.planning.dispositions import Following, Step
from include.planning.limits import Limits, Loss, Past
from include.planning.release import check_release


@dataclass(frozen=True, slots=True)
class DispositionPlan:
    """Everything that follows from what is decided in a source. `indexed_documents` is the gate's denominator."""

    source: str
    steps: tuple[Following, ...]
    indexed_documents: int

    @property
    def taken_away(self) -> tuple[Following, ...]:
        return tuple(each for each in self.steps if each.takes_away)


@dataclass(frozen=True, slots=True)
class DispositionVerdict:
    """The gate's answer: `held` waits for a person, `allowed` may be carried out now, `holds` says why."""

    source: str
    allowed: tuple[Following, ...]
    held: tuple[Following, ...]
    holds: tuple[Hold, ...] = ()

    @property
    def checksum(self) -> str:
        """Digest of what is held: documents, versions, whether purged or archived; empty when nothing is."""
        return checksum(self.source, self.held_changes) if self.held else ""

    @property
    def held_changes(self) -> tuple[Change, ...]:
        return tuple(each.change for each in self.held)


_SEAL = object()


class ApprovedDispositions:
    """What may be carried out. Only this module makes one: from a verdict, or a person's release."""

    __slots__ = ("release", "source", "steps")

    def __init__(self, seal: object, source: str, steps: tuple[Following, ...], release: Release | None = None) -> None:
        if seal is not _SEAL:
            raise TypeError(
                "ApprovedDispositions are made by the gate only: call approve_dispositions() or release_dispositions()"
            )
        self.source = source
        self.steps = steps
        self.release = release

    def of(self, *steps: Step) -> tuple[Following, ...]:
        return tuple(each for each in self.steps if each.step in steps)

    @property
    def hidden(self) -> frozenset[str]:
        """Documents that readers will not find any more."""
        return frozenset(each.doc_id for each in self.steps if each.takes_away)


def approve_dispositions(verdict: DispositionVerdict) -> ApprovedDispositions:
    """The part of a judged plan that no limit holds."""
    return ApprovedDispositions(_SEAL, verdict.source, verdict.allowed)


def release_dispositions(
    verdict: DispositionVerdict, release: Release | None, *, run_id: str, now: datetime
) -> ApprovedDispositions:
    """The held part of a plan computed *now*, if a person released exactly it; otherwise raises ApprovalRefused, as
    planning.release says. The run that used the release may come back with the same plan."""
    release = check_release(verdict.source, verdict.checksum, len(verdict.held), release, run_id=run_id, now=now)
    return ApprovedDispositions(_SEAL, verdict.source, verdict.held, release)


def judge_dispositions(
    plan: DispositionPlan,
    limits: Limits,
    history: Iterable[Removal],
    *,
    now: datetime,
    standing: HeldPlan | None = None,
) -> DispositionVerdict:
    """Split a plan into what may be carried out and what waits for a person, with the arithmetic in words.

    `standing` is the source's open held plan of this kind, if there is one.
    """
    taken = plan.taken_away
    past = Past.within(history, limits, now, leaving=[each.doc_id for each in taken])
    holds = _limits_met(plan, limits, past)
    waiting = {change.doc_id for change in (standing.changes if standing else ())}
    held = tuple(each for each in taken if holds or each.doc_id in waiting)
    if held and standing and not holds:
        message = (
            f"{plan.source}: {len(held)} documents have waited for a person since {standing.first_held_at} before they "
            "are taken away. They are below the limits now, but only an answer releases them, or another decision"
        )
        holds = [Hold(standing.holds[0].reason, message)]
    allowed = tuple(each for each in plan.steps if each not in held)
    return DispositionVerdict(plan.source, allowed, held, tuple(holds))


def _limits_met(plan: DispositionPlan, limits: Limits, past: Past) -> list[Hold]:
    loss = Loss(len(plan.taken_away), plan.indexed_documents, past, limits)
    stays = "They stay as they are. Look at the list; approve it if so much is meant to go at once"
    holds = []
    if loss.is_over:
        holds.append(
            Hold(
                HoldReason.DISPOSITION_LIMIT,
                f"{plan.source}: {loss.count} of {loss.base} documents would be purged or archived, as people decided "
                f"one by one, {loss.share}, the limit is {limits.deletion_percent:g} %. {stays}",
            )
        )
    if loss.is_over_in_window:
        holds.append(
            Hold(
                HoldReason.DISPOSITION_WINDOW,
                f"{plan.source}: {loss.count} documents would be purged or archived now, and {loss.past} in the last "
                f"{limits.window_days} days, together {loss.window_share} of {loss.window_base} documents, the limit "
                f"is {limits.window_percent:g} %. {stays}",
            )
        )
    return holds
