"""Carry out what people decided about candidates of the review queue.

    queue, index, words of people -> plan -> gate -> ledger, source, index -> audited -> manifest
                                               `-> held -> ledger -> a person

Nothing is decided here, and no timer ever decides: a decision without a person's name does not exist. What is not true
any more when it is to be carried out goes back to open, with a note. A second run changes nothing; a run that is killed
is finished by the next one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from include.domain.dates import from_rfc3339
from include.domain.documents import Status
from include.domain.manifest import CandidateCounts, DocumentOutcome, DocumentState, Manifest, RunState
from include.domain.plan import PlanKind
from include.domain.review import Queue
from include.planning.dispositions import Following, Step
from include.planning.feedback import feedback_on
from include.planning.purging import ApprovedDispositions, approve_dispositions, release_dispositions
from include.services.carrying_out import CarryingOut
from include.services.context import SourceContext
from include.services.gated_run import GatedRun, gated_run
from include.services.holding import verdict_while_held
from include.services.judging_dispositions import (
    PlannedDispositions,
    lagging,
    plan_dispositions,
    standing_dispositions,
)
from include.services.reading import Progress
from include.services.recording import Recording
from include.services.run_record import by_document

APPLY = "apply_dispositions"
"""The DAG under whose name every manifest of these runs is kept, whatever started the run."""

_WORDS = {
    Step.COMMIT: "would be removed from its source by a commit on a branch",
    Step.TAKE_OUT: "would leave the index, and be kept out until its source changes it",
    Step.ARCHIVE: "would be archived",
    Step.LINK: "would be found behind the other only",
    Step.KEEP: "would be kept",
    Step.EXTEND: "would be left alone until that day",
    Step.SETTLE: "would be settled",
    Step.REOPEN: "would go back to open",
}


def look_at_dispositions(context: SourceContext, *, run_id: str) -> tuple[Manifest, PlannedDispositions]:
    """A dry run: its manifest says what would be done and why. Nothing else is written."""
    with gated_run(context, APPLY, run_id, PlanKind.DISPOSITIONS) as run:
        planned = plan_dispositions(context)
        plan, verdict = planned.plan, planned.verdict
        due = [each for each in plan.steps if each.step is not Step.WAIT]
        manifest = replace(
            run.ended(),
            state=RunState.PLANNED,
            indexed_before=plan.indexed_documents,
            holds=verdict.holds,
            candidates=count_queue(context, planned.queue, examined=plan.indexed_documents),
            outcomes=by_document(
                *_planned(verdict.allowed, DocumentState.PLANNED), *_planned(verdict.held, DocumentState.HELD)
            ),
            reason=f"dry run: {len(due)} decisions would be carried out, {len(plan.taken_away)} of them take a "
            f"document away; {len(verdict.held)} would wait for a person",
            next_step=f"`truecopy apply-dispositions {context.source} --apply`" if due else "",
        )
        return run.conclude(manifest), planned


def apply_dispositions(context: SourceContext, *, run_id: str, progress: Progress) -> Manifest:
    """Carry out what no limit holds; always leaves a manifest, and returns it. What stops a run is raised after its
    manifest is saved."""
    with gated_run(context, APPLY, run_id, PlanKind.DISPOSITIONS) as run:
        _as_read(context)
        planned = plan_dispositions(context)
        run.hold(planned.verdict, indexed_documents=planned.plan.indexed_documents)
        return _carried_out(run, planned, approve_dispositions(planned.verdict), progress)


def apply_released(context: SourceContext, *, run_id: str, release_run: str = "", progress: Progress) -> Manifest:
    """Carry out what is held, if a person released exactly what is decided now; raises ApprovalRefused otherwise.
    `release_run` is the run that uses the release, the same for all its attempts (default: `run_id`): one that comes
    back after a crash brings in what is in the ledger already."""
    with gated_run(context, APPLY, run_id, PlanKind.DISPOSITIONS, released=True) as run:
        _as_read(context)
        standing = standing_dispositions(context)
        planned = plan_dispositions(context)
        approved = run.use_release(
            planned.verdict,
            standing,
            approve=approve_dispositions,
            release=release_dispositions,
            release_run=release_run or run_id,
        )
        return _carried_out(run, planned, approved, progress)


def count_queue(context: SourceContext, queue: Queue, *, examined: int) -> CandidateCounts:
    """As the queue stands. `examined` documents are in the index."""
    since = [from_rfc3339(item.since) for item in queue.open]
    signals = Counter(each.signal for item in queue.items for each in item.evidence)
    return CandidateCounts(
        examined=examined,
        staged=sum(each.status is Status.STAGED for each in context.ledger.marks(context.source).values()),
        open=len(queue.open),
        decided=len(queue.decided),
        unreadable=len(queue.unreadable),
        spared=0,
        open_since=min(since, default=None),
        signals=dict(sorted(signals.items())),
        feedback=feedback_on(context.ledger.settled(context.source).items),
    )


def _as_read(context: SourceContext) -> None:
    """Words that were written by hand get the instant at which they were: from now on it stands in the file."""
    context.ledger.renew(context.source, lambda queue: queue.items, message="Words by hand, as they were read")


def _carried_out(
    run: GatedRun, planned: PlannedDispositions, approved: ApprovedDispositions, progress: Progress
) -> Manifest:
    run.allow(documents=planned.plan.indexed_documents, removals=len(approved.hidden))
    into = Recording(run.context, planned.inventory, run_id=run.manifest.run_id)
    try:
        CarryingOut(run.context, approved, into).carry_out(lagging(run.context, planned), progress)
    finally:
        run.manifest = replace(run.manifest, outcomes=by_document(*into.outcomes))
    if run.manifest.released:
        run.clear_released()
    return _concluded(run, planned)


def _concluded(run: GatedRun, planned: PlannedDispositions) -> Manifest:
    context, held = run.context, () if run.manifest.released else planned.verdict.held
    queue = context.ledger.candidates(context.source)
    spoilt = (DocumentOutcome(each.doc_id or each.path, DocumentState.FAILED, str(each)) for each in queue.unreadable)
    manifest = replace(
        run.ended(),
        candidates=count_queue(context, queue, examined=planned.plan.indexed_documents),
        outcomes=by_document(*run.manifest.outcomes, *_planned(held, DocumentState.HELD), *spoilt),
    )
    state, reason, next_step = _verdict_of_run(context.source, manifest, queue)
    return run.conclude(replace(manifest, state=state, reason=reason, next_step=next_step))


def _verdict_of_run(source: str, manifest: Manifest, queue: Queue) -> tuple[RunState, str, str]:
    if manifest.held:
        return verdict_while_held(manifest, f"`truecopy apply-dispositions {source}` shows the documents")
    if failed := [each for each in manifest.outcomes if each.state is DocumentState.FAILED]:
        return (
            RunState.DEGRADED,
            f"{source}: {len(failed)} decisions could not be carried out and stand as they are: "
            + "; ".join(dict.fromkeys(each.detail for each in failed)),
            "Files that were edited by hand: mend them in the ledger, or `git revert` the change. The next run tries "
            "again",
        )
    steps = []
    if waiting := [item for item in queue.decided if item.waits_for_source and item.applied]:
        branches = ", ".join(sorted({item.applied.branch for item in waiting if item.applied}))
        steps.append(f"{_count(waiting, 'document')} to be removed by its source: {branches}")
    if queue.open:
        steps.append(f"{_count(queue.open, 'candidate')} to be decided: `truecopy review {source}`")
    return RunState.APPLIED, "", "; ".join(steps)


def _planned(steps: Iterable[Following], state: DocumentState) -> tuple[DocumentOutcome, ...]:
    return tuple(
        DocumentOutcome(each.doc_id, state, f"{_WORDS[each.step]}. {each.words}")
        for each in steps
        if each.step in _WORDS
    )


def _count(found: Sequence[object], noun: str) -> str:
    return f"{len(found)} {noun}{'' if len(found) == 1 else 's'}"
