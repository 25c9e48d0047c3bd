"""Find what looks out of date, put it before a person, and hide the clearest of it from readers until that person has
looked.

    look -> candidates -> review queue -> plan -> gate -> set metadata, audited -> manifest
                                                    `-> held -> ledger -> a person

A stage is a soft delete: a status on every chunk. The source is not touched, and one command brings a document back.
The queue is written before anything is hidden, so that nothing is ever hidden without its evidence; a run that is
killed is finished by the next one. Nothing here approves or deletes anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from include.domain.dates import from_rfc3339
from include.domain.documents import Marks, Status
from include.domain.manifest import CandidateCounts, DocumentOutcome, DocumentState, Manifest, RunState
from include.domain.plan import PlanKind
from include.domain.review import Queue, ReviewItem
from include.planning.feedback import feedback_on
from include.planning.review_life import renewed
from include.planning.staging import ApprovedStaging, StagingChange, approve_staging, release_staging
from include.services.context import SourceContext
from include.services.detecting import Found, Policy, items_of
from include.services.gated_run import GatedRun, gated_run
from include.services.holding import verdict_while_held
from include.services.judging_staging import PlannedStaging, plan_staging, standing_staging
from include.services.reading import Progress
from include.services.run_record import by_document
from include.staleness.usage import Usage

DETECT = "detect_stale"
"""The DAG under whose name every manifest of the detector is kept, whatever started the run."""

_NO_MARKS = Marks()


def look_for_stale(
    context: SourceContext, policy: Policy, usage: Usage | None = None, *, run_id: str
) -> tuple[Manifest, PlannedStaging]:
    """A dry run: its manifest says what would be staged and put up for review, and why. Nothing else is written."""
    with gated_run(context, DETECT, run_id, PlanKind.STAGING) as run:
        planned = plan_staging(context, policy, usage, run_id=run_id)
        verdict, candidates = planned.verdict, planned.found.detection.candidates
        new = [each for each in candidates if planned.found.queue.find(each.key.doc_id) is None]
        manifest = replace(
            run.ended(),
            state=RunState.PLANNED,
            indexed_before=planned.plan.shown_documents,
            candidates=count_candidates(context, planned.found, planned.found.queue),
            outcomes=by_document(
                *_outcomes(verdict.allowed, DocumentState.PLANNED), *_outcomes(verdict.held, DocumentState.HELD)
            ),
            reason=f"dry run: {len(candidates)} candidates, {len(new)} of them new; {len(planned.plan.staged)} "
            f"documents would be staged, {len(verdict.held)} of them only after a person's word",
            next_step=f"`truecopy detect {context.source} --apply`" if planned.plan.changes or new else "",
        )
        return run.conclude(manifest), planned


def stage_stale(
    context: SourceContext, policy: Policy, usage: Usage | None = None, *, run_id: str, progress: Progress
) -> Manifest:
    """Renew the review queue and stage what no limit holds; always leaves a manifest, and returns it. What stops a run
    is raised after its manifest is saved."""
    with gated_run(context, DETECT, run_id, PlanKind.STAGING) as run:
        planned = plan_staging(context, policy, usage, run_id=run_id)
        queue = _put_before_people(context, planned.found, run_id)
        run.hold(planned.verdict, indexed_documents=planned.plan.shown_documents)
        outcomes = _stage(run, planned, approve_staging(planned.verdict), progress)
        return _concluded(run, planned, queue, (*outcomes, *_proposed(planned, queue)))


def stage_released(
    context: SourceContext,
    policy: Policy,
    usage: Usage | None = None,
    *,
    run_id: str,
    release_run: str = "",
    progress: Progress,
) -> Manifest:
    """Stage what is held, if a person released exactly what the detector asks for now; raises ApprovalRefused
    otherwise. `release_run` is the run that uses the release, the same for all its attempts (default: `run_id`): one
    that comes back after a crash brings in what is in the ledger already."""
    with gated_run(context, DETECT, run_id, PlanKind.STAGING, released=True) as run:
        standing = standing_staging(context)
        planned = plan_staging(context, policy, usage, run_id=run_id)
        approved = run.use_release(
            planned.verdict,
            standing,
            approve=approve_staging,
            release=release_staging,
            release_run=release_run or run_id,
        )
        queue = _put_before_people(context, planned.found, run_id)
        outcomes = _stage(run, planned, approved, progress)
        run.clear_released()
        return _concluded(run, planned, queue, outcomes)


def count_candidates(context: SourceContext, found: Found, queue: Queue) -> CandidateCounts:
    """As the queue stands, and as the detector saw the source."""
    signals = Counter(each.signal.value for one in found.detection.candidates for each in one.evidence)
    since = [from_rfc3339(item.since) for item in queue.open]
    return CandidateCounts(
        examined=found.detection.examined,
        staged=sum(each.status is Status.STAGED for each in context.ledger.marks(context.source).values()),
        open=len(queue.open),
        decided=len(queue.decided),
        unreadable=len(queue.unreadable),
        spared=len(found.detection.spared),
        open_since=min(since, default=None),
        signals=dict(sorted(signals.items())),
        not_judged={signal.value: why for signal, why in found.detection.not_judged.items()},
        feedback=feedback_on(context.ledger.settled(context.source).items),
    )


def _put_before_people(context: SourceContext, found: Found, run_id: str) -> Queue:
    """The queue, renewed: what was found, what people have decided meanwhile, and what has to be decided again."""
    made, hashes, spared = items_of(context, found), found.content_hashes, found.spared

    def all_renewed(queue: Queue) -> Iterable[ReviewItem]:
        standing = {item.doc_id: item for item in queue.items}
        for doc_id in sorted(standing.keys() | made.keys()):
            item = renewed(
                standing.get(doc_id),
                made.get(doc_id),
                content_hash=hashes.get(doc_id),
                why_not=spared.get(doc_id, ""),
            )
            if item is not None:
                yield item

    message = f"Candidates of {context.source}, as run {run_id} found them: {len(made)}"
    return context.ledger.renew(context.source, all_renewed, message=message)


def _stage(
    run: GatedRun, planned: PlannedStaging, approved: ApprovedStaging, progress: Progress
) -> tuple[DocumentOutcome, ...]:
    """Into the ledger and every chunk; and what an earlier run left half done."""
    run.allow(documents=planned.plan.shown_documents, retirements=len(approved.hidden))
    lagging = _lagging(run.context, planned, {patch.doc_id for patch in approved.patches})
    repaired = run.mark(planned.change, approved.patches, lagging=lagging, approved=approved, progress=progress)
    return (*_outcomes(approved.changes), *repaired)


def _lagging(context: SourceContext, planned: PlannedStaging, marked_now: set[str]) -> list[str]:
    """Documents that are staged in the ledger and not in the index, or the other way round."""
    marks = context.ledger.marks(context.source)
    return [
        doc_id
        for doc_id, looked in sorted(planned.found.documents.items())
        if doc_id not in marked_now
        and looked.status != (decided := marks.get(doc_id, _NO_MARKS).status)
        and Status.STAGED in (looked.status, decided)
    ]


def _proposed(planned: PlannedStaging, queue: Queue) -> tuple[DocumentOutcome, ...]:
    """Candidates that are new in the queue and stay where they are, and files of it that cannot be read."""
    staged = {each.change.doc_id for each in planned.plan.staged}
    return (
        *(
            DocumentOutcome(item.doc_id, DocumentState.PROPOSED, item.arithmetic)
            for item in queue.items
            if planned.found.queue.find(item.doc_id) is None and item.doc_id not in staged
        ),
        *(DocumentOutcome(each.doc_id or each.path, DocumentState.FAILED, str(each)) for each in queue.unreadable),
    )


def _concluded(run: GatedRun, planned: PlannedStaging, queue: Queue, outcomes: tuple[DocumentOutcome, ...]) -> Manifest:
    held = () if run.manifest.released else _outcomes(planned.verdict.held, DocumentState.HELD)
    manifest = replace(
        run.ended(),
        candidates=count_candidates(run.context, planned.found, queue),
        outcomes=by_document(*outcomes, *held),
    )
    state, reason, next_step = _verdict_of_run(run.context.source, manifest, queue)
    return run.conclude(replace(manifest, state=state, reason=reason, next_step=next_step))


def _verdict_of_run(source: str, manifest: Manifest, queue: Queue) -> tuple[RunState, str, str]:
    if manifest.held:
        return verdict_while_held(manifest, f"`truecopy detect {source}` shows the documents")
    if queue.unreadable:
        named = "; ".join(map(str, queue.unreadable))
        return (
            RunState.DEGRADED,
            f"{source}: {len(queue.unreadable)} files of the review queue cannot be read and were left as they are: "
            f"{named}",
            "They were edited by hand; mend them in the ledger, or `git revert` the change",
        )
    which = "1 candidate waits" if len(queue.open) == 1 else f"{len(queue.open)} candidates wait"
    waiting = f"{which} for a person: `truecopy review {source}`" if queue.open else ""
    return RunState.DETECTED, "", waiting


def _outcomes(changes: Iterable[StagingChange], state: DocumentState | None = None) -> tuple[DocumentOutcome, ...]:
    return tuple(
        DocumentOutcome(
            each.change.doc_id,
            state or (DocumentState.STAGED if each.hides else DocumentState.RESTORED),
            each.change.reason,
        )
        for each in changes
    )
