"""Make the index equal to the source, every night, behind the gate.

    list -> proof -> validate -+
                               +-> diff -> read what would be written -> gate -> apply -> settle drift -> audit
    scan every stored point ---+                                          `-> held -> ledger -> a person

The index's side is read from the index itself. Everything that will be written is read before the first write, so
that the gate sees the texts. Creations come before deletions: a renamed document finds its vectors under the old name.
Each deletion is asked about at the source, by id, just before it happens.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from include.domain.errors import ListingNotProven, Retriable, SourceUnavailable, TruecopyError
from include.domain.manifest import DocumentOutcome, DocumentState, Manifest, RunState
from include.domain.plan import Action, PlanKind
from include.planning.diff import diff, findings
from include.planning.gate import ApprovedPlan, approve, approve_release
from include.services.applying import apply_plan
from include.services.context import SourceContext
from include.services.drift import settle_drift
from include.services.holding import hold_or_clear, verdict_while_held
from include.services.judging import Judged, inventory_of, prepare
from include.services.provenance import take_stock
from include.services.reading import Progress
from include.services.run_record import begun, broke_off, ended

log = logging.getLogger(__name__)

_UNWRITTEN = frozenset({DocumentState.FAILED, DocumentState.KEPT, DocumentState.HELD, DocumentState.VANISHED})


def reconcile(
    context: SourceContext,
    *,
    dag_id: str,
    run_id: str,
    progress: Progress,
    released: bool = False,
    release_run: str = "",
) -> Manifest:
    """One run over one source; always leaves a manifest, whatever happens, and returns it.

    `released=True` applies the held part instead of the allowed one, if the ledger has a person's unused release of
    exactly the plan that is computed now; raises ApprovalRefused otherwise. `release_run` is the run that uses the
    release, the same for all its attempts (default: `run_id`). Whatever stops a run is raised after its manifest is
    saved, except for an unproven or unavailable source: that is a finding, not an error.
    """
    manifest = begun(context, dag_id, run_id, released=released, pipeline=context.writer.pipeline)
    judged = None
    outcomes: list[DocumentOutcome] = []
    try:
        judged = prepare(context, progress=progress)
        outcomes.extend(judged.reading.outcomes)
        approved = _approve(context, judged, release_run or run_id, released=released)
        manifest = replace(
            manifest,
            proof=judged.plan.proof,
            found=findings(judged.plan, judged.inventory),
            indexed_before=judged.plan.indexed_documents,
            foreign_points=judged.inventory.foreign_points,
            planned_removals=sum(change.action is Action.DELETE for change in approved.changes),
        )
        # Saved before the first write: if this process is killed now, the window counts what it may have removed.
        context.manifests.save(manifest)
        asked = apply_plan(context, approved, judged, outcomes, progress=progress)
        written = {outcome.doc_id for outcome in outcomes if outcome.state not in _UNWRITTEN}
        outcomes.extend(settle_drift(context, judged.inventory, settled=written, run_id=run_id, progress=progress))
        manifest = replace(manifest, removals_asked=asked)
        return _audited(context, replace(manifest, outcomes=tuple(outcomes)), judged, released=released)
    except (SourceUnavailable, ListingNotProven) as error:
        return _unproven(context, manifest, error)
    except BaseException as error:
        broke_off(context, replace(manifest, outcomes=tuple(outcomes)), error)
        raise
    finally:
        if judged is not None:
            judged.reading.spool.close()


def _approve(context: SourceContext, judged: Judged, run_id: str, *, released: bool) -> ApprovedPlan:
    """The part of the plan to carry out now. What waits for a person is recorded, what no longer does is cleared."""
    verdict = judged.verdict
    if released:
        release = context.ledger.find_release(context.source, verdict.checksum)
        approved = approve_release(verdict, release, run_id=run_id, now=context.clock.now())
        assert approved.release is not None
        context.ledger.use_release(approved.release, run_id)
        return approved
    hold_or_clear(
        context,
        PlanKind.CONTENT,
        checksum=verdict.checksum,
        changes=verdict.held,
        holds=verdict.holds,
        indexed_documents=judged.plan.indexed_documents,
        run_id=run_id,
    )
    return approve(verdict)


def _audited(context: SourceContext, manifest: Manifest, judged: Judged, *, released: bool) -> Manifest:
    """Read the index again, if anything was written, and say what remains to be done."""
    if released:
        context.ledger.clear_held(context.source, f"released and applied by run {manifest.run_id}")
    inventory = inventory_of(context) if manifest.outcomes else judged.inventory
    after = diff(judged.listing_as_read, inventory, pipeline=context.writer.pipeline, read_with=context.read_with)
    remaining = findings(after, inventory)
    problems = [*context.index_problems(inventory)]
    manifest = replace(
        ended(context, manifest),
        remaining=remaining,
        documents=len(inventory.documents),
        chunks=inventory.points,
        foreign_points=inventory.foreign_points,
        dates=take_stock(context, inventory),
    )
    state, reason, next_step = _verdict_of_run(manifest, problems)
    manifest = replace(manifest, state=state, reason=reason, next_step=next_step)
    context.manifests.save(manifest)
    return manifest


def _verdict_of_run(manifest: Manifest, problems: Sequence[str]) -> tuple[RunState, str, str]:
    failed = manifest.count(DocumentState.FAILED)
    kept = manifest.count(DocumentState.KEPT)
    if problems:
        return RunState.FAILED, "the audit of the index failed: " + "; ".join(problems), "Run `truecopy doctor`"
    if manifest.held:
        return verdict_while_held(manifest, f"`truecopy plan {manifest.source}` shows the list")
    vanished = manifest.count(DocumentState.VANISHED)
    if failed or kept or vanished:
        return (
            RunState.DEGRADED,
            f"{failed} documents failed, {kept} deletions were not confirmed by the source, {vanished} are listed but "
            "their page says they are gone or not public; they keep their last good version",
            "The documents are named in this manifest; open them at the source",
        )
    if manifest.remaining is not None and not manifest.remaining.clean:
        if manifest.released:
            return RunState.DEGRADED, "the source changed again since the approval", "The next night takes up the rest"
        withdrawn = manifest.count(DocumentState.WITHDRAWN)
        if withdrawn:
            return RunState.DEGRADED, f"{withdrawn} documents changed while the run was at work", "Run it again"
        return (
            RunState.FAILED,
            f"after the run the index still differs from the source: {manifest.remaining}",
            "Run `truecopy reconcile` again; if it repeats, `truecopy doctor`",
        )
    return RunState.TRUE, "", ""


def _unproven(context: SourceContext, started: Manifest, error: TruecopyError) -> Manifest:
    """Nothing was concluded and nothing changed; what the index holds is counted all the same."""
    manifest = replace(
        ended(context, started),
        state=RunState.UNPROVEN,
        reason=str(error),
        next_step="Look at the source and its connection; the next run tries again. Nothing was removed",
    )
    try:
        inventory = inventory_of(context)
    except Retriable as busy:
        log.warning("%s: the index could not be counted either: %s", context.source, busy)
    else:
        manifest = replace(
            manifest,
            documents=len(inventory.documents),
            indexed_before=len(inventory.documents),
            chunks=inventory.points,
            foreign_points=inventory.foreign_points,
        )
    context.manifests.save(manifest)
    log.warning("%s", manifest.reason)
    return manifest
