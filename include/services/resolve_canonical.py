"""Mark what supersedes what in a source, behind the gate, and put before a person what the resolver cannot decide.

    members -> decisions -> plan -> gate -> set metadata, audited -> manifest
                     |                `-> held -> ledger -> a person
                     `-> ambiguous -> review queue

A run that finds everything marked already writes nothing. The ledger is written before the index, so that a run that
is killed is finished by the next one, which finds the documents that do not say what the ledger says.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from itertools import islice

from include.domain.dates import from_rfc3339, rfc3339
from include.domain.documents import Marks, Status
from include.domain.manifest import DocumentOutcome, DocumentState, FamilyCounts, Manifest, RunState
from include.domain.plan import Action, PlanKind
from include.families.members import Outcome
from include.families.review import review_of
from include.planning.fences import CLOCK_TOLERANCE
from include.planning.retirement import ApprovedMarks, FamilyChange, approve_marks, release_marks
from include.services.context import SourceContext
from include.services.family_plan import ALL_FAMILIES, Scope
from include.services.gated_run import GatedRun, gated_run
from include.services.holding import verdict_while_held
from include.services.judging_families import Planned, changed_since, plan_marks, standing_plan, waiting_families
from include.services.reading import Progress
from include.services.resolving import Resolved, resolve_families
from include.services.run_record import by_document

RESOLVE = "resolve_canonical"
"""The DAG under whose name every manifest of the resolver is kept, whatever started the run."""

_RECENT_RUNS = 100
"""How far back the last run is looked for that saw every change."""

_NO_MARKS = Marks()
_DONE = {
    Action.RETIRE: DocumentState.RETIRED,
    Action.RESTORE: DocumentState.RESTORED,
    Action.MARK: DocumentState.MARKED,
}


def look_at_families(context: SourceContext, scope: Scope = ALL_FAMILIES, *, run_id: str) -> tuple[Manifest, Planned]:
    """A dry run: its manifest says what would be marked and why. Nothing else is written."""
    with gated_run(context, RESOLVE, run_id, PlanKind.FAMILIES) as run:
        planned = plan_marks(context, scope, run_id=run_id)
        plan, verdict = planned.plan, planned.verdict
        manifest = replace(
            run.manifest,
            state=RunState.PLANNED,
            finished_at=context.clock.now(),
            indexed_before=plan.indexed_documents,
            families=_counts(context, planned.resolved),
            holds=verdict.holds,
            outcomes=by_document(
                *_outcomes(verdict.allowed, DocumentState.PLANNED), *_outcomes(verdict.held, DocumentState.HELD)
            ),
            reason=f"dry run of {scope.words}: {len(plan.changes)} documents would be marked, {plan.retirements} of "
            f"them as superseded; {len(verdict.held_changes)} would wait for a person",
            next_step=f"`truecopy resolve {context.source} --apply`" if plan.changes else "",
        )
        return run.conclude(manifest), planned


def mark_families(
    context: SourceContext,
    scope: Scope = ALL_FAMILIES,
    *,
    run_id: str,
    progress: Progress,
    changed_only: bool = False,
    max_changes: int | None = None,
) -> Manifest:
    """Write the marks that no limit holds; always leaves a manifest, and returns it.

    `changed_only` narrows the scope to what changed since the last run that saw every change; the first one sees all.
    With more than `max_changes` documents to mark, none is. What stops a run is raised after its manifest is saved.
    """
    with gated_run(context, RESOLVE, run_id, PlanKind.FAMILIES) as run:
        resolved = resolve_families(context)
        if changed_only:
            scope = changed_since(context, resolved, _last_seen(context))
        planned = plan_marks(context, scope, run_id=run_id, resolved=resolved)
        _ask_for_review(context, resolved)
        if max_changes is not None and len(planned.plan.changes) > max_changes:
            return _too_many(run, planned, max_changes)
        if not scope.is_part:
            run.hold(planned.verdict, indexed_documents=planned.plan.indexed_documents)
        outcomes = _write_marks(run, planned, approve_marks(planned.verdict), progress)
        seen_until = None if scope.is_part else run.manifest.started_at
        return _concluded(run, planned, outcomes, seen_until=seen_until)


def mark_released(context: SourceContext, *, run_id: str, release_run: str = "", progress: Progress) -> Manifest:
    """Write the marks of the held plan, if a person released exactly what its families ask for now; raises
    ApprovalRefused otherwise. `release_run` is the run that uses the release, the same for all its attempts (default:
    `run_id`): one that comes back after a crash brings in what is in the ledger already."""
    with gated_run(context, RESOLVE, run_id, PlanKind.FAMILIES, released=True) as run:
        standing = standing_plan(context)
        planned = plan_marks(context, waiting_families(context), run_id=run_id)
        approved = run.use_release(
            planned.verdict,
            standing,
            approve=approve_marks,
            release=release_marks,
            release_run=release_run or run_id,
        )
        outcomes = _write_marks(run, planned, approved, progress)
        run.clear_released()
        return _concluded(run, planned, outcomes, seen_until=None)


def _last_seen(context: SourceContext) -> datetime | None:
    """Up to when every change was looked at."""
    past = context.manifests.newest_first(context.source, (RESOLVE,), until=context.clock.now() + CLOCK_TOLERANCE)
    seen = (each.families.seen_until for each in islice(past, _RECENT_RUNS) if each.families)
    return next((moment for moment in seen if moment), None)


def _ask_for_review(context: SourceContext, resolved: Resolved) -> None:
    """Whatever the scope: the queue holds every family that is ambiguous now."""
    now, members = rfc3339(context.clock.now()), resolved.members
    ambiguous = [each for each in resolved.decisions if each.outcome is Outcome.AMBIGUOUS]
    if ambiguous or context.ledger.reviews(context.source):
        context.ledger.review(context.source, [review_of(each, members, since=now) for each in ambiguous])


def _write_marks(
    run: GatedRun, planned: Planned, approved: ApprovedMarks, progress: Progress
) -> tuple[DocumentOutcome, ...]:
    """Into the ledger and every chunk; and what an earlier run left half done."""
    run.allow(documents=planned.plan.indexed_documents, retirements=approved.retirements)
    lagging = _lagging(run.context, planned, {patch.doc_id for patch in approved.patches})
    repaired = run.mark(planned.change, approved.patches, lagging=lagging, progress=progress)
    return (*_outcomes(approved.families), *repaired)


def _lagging(context: SourceContext, planned: Planned, marked_now: set[str]) -> list[str]:
    """Documents whose chunks do not say what the ledger says: an earlier run was killed between the two."""
    marks = context.ledger.marks(context.source)
    documents, family = planned.resolved.documents, planned.scope.family
    return [
        doc_id
        for doc_id in sorted(documents.keys() - marked_now)
        if not documents[doc_id].agrees_with(decided := marks.get(doc_id, _NO_MARKS))
        and (not family or family in (decided.doc_family, documents[doc_id].said.get("doc_family")))
    ]


def _concluded(
    run: GatedRun, planned: Planned, outcomes: tuple[DocumentOutcome, ...], *, seen_until: datetime | None
) -> Manifest:
    held = () if run.manifest.released else _outcomes(planned.verdict.held, DocumentState.HELD)
    manifest = replace(
        run.ended(),
        families=_counts(run.context, planned.resolved, seen_until),
        outcomes=by_document(*outcomes, *held),
    )
    state, reason, next_step = _verdict_of_run(run.context.source, manifest, planned)
    return run.conclude(replace(manifest, state=state, reason=reason, next_step=next_step))


def _verdict_of_run(source: str, manifest: Manifest, planned: Planned) -> tuple[RunState, str, str]:
    if manifest.held:
        return verdict_while_held(manifest, f"`truecopy resolve {source}` shows the families")
    if planned.verdict.held and not manifest.released:
        return (
            RunState.HELD,
            ". ".join(hold.message for hold in planned.verdict.holds),
            f"`truecopy resolve {source} --apply`, without a family, puts the plan before a person",
        )
    ambiguous = manifest.families.ambiguous if manifest.families else 0
    which = "1 family is ambiguous and waits" if ambiguous == 1 else f"{ambiguous} families are ambiguous and wait"
    waiting = f"{which} for a person: `truecopy families {source}`"
    return RunState.RESOLVED, "", waiting if ambiguous else ""


def _too_many(run: GatedRun, planned: Planned, most: int) -> Manifest:
    source, changes = run.context.source, len(planned.plan.changes)
    return run.conclude(
        replace(
            run.ended(),
            state=RunState.HELD,
            indexed_before=planned.plan.indexed_documents,
            families=_counts(run.context, planned.resolved),
            reason=f"{source}: {changes} documents would be marked ({planned.scope.words}), at most {most} were "
            "allowed by max_changes. Nothing was marked",
            next_step=f"`truecopy resolve {source}` shows them; allow more if they are right",
        )
    )


def _counts(context: SourceContext, resolved: Resolved, seen_until: datetime | None = None) -> FamilyCounts:
    marks = context.ledger.marks(context.source)
    superseded = sum(
        doc_id in resolved.documents and each.status is Status.SUPERSEDED for doc_id, each in marks.items()
    )
    ambiguous = sum(decision.outcome is Outcome.AMBIGUOUS for decision in resolved.decisions)
    since = [from_rfc3339(review.since) for review in context.ledger.reviews(context.source)]
    return FamilyCounts(
        decided=len(resolved.decisions) - ambiguous,
        ambiguous=ambiguous,
        superseded=superseded,
        ambiguous_since=min(since, default=None),
        seen_until=seen_until,
    )


def _outcomes(families: Iterable[FamilyChange], state: DocumentState | None = None) -> tuple[DocumentOutcome, ...]:
    return tuple(
        DocumentOutcome(change.doc_id, state or _DONE[change.action], change.reason)
        for family in families
        for change in family.changes
    )
