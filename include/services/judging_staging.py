"""What the detector would stage now, and what the gate says of it. Nothing here writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from include.domain.documents import SEARCHABLE, Status
from include.domain.metadata import Hand, MetadataChange, Patch
from include.domain.plan import Action, Change, HeldPlan, PlanKind
from include.planning.review_life import why_changed
from include.planning.staging import StagingChange, StagingPlan, StagingVerdict, judge_staging
from include.services.context import SourceContext
from include.services.detecting import Found, Policy, find_stale
from include.services.metadata_change import plan_change
from include.services.protecting import why_protected
from include.staleness.evidence import Proposal
from include.staleness.usage import Usage

DETECTOR = "detector"
_STAGED: Patch = {"status": Status.STAGED.value}
_NOT_STAGED: Patch = {"status": None}


@dataclass(frozen=True, slots=True)
class PlannedStaging:
    """A plan computed now, the change of metadata that it is about, and the gate's answer."""

    found: Found
    plan: StagingPlan
    change: MetadataChange
    verdict: StagingVerdict


def plan_staging(
    context: SourceContext, policy: Policy, usage: Usage | None = None, *, run_id: str, found: Found | None = None
) -> PlannedStaging:
    """Everything before the first write. `found` spares the reading where it was done already."""
    found = found or find_stale(context, policy, usage)
    wanted, reasons = _wanted(context, found)
    change = plan_change(
        context,
        wanted,
        hand=Hand.DETECTOR,
        by=DETECTOR,
        reason="what speaks against the documents; the review queue has the evidence",
        selector="candidates that are to be staged",
        run_id=run_id,
    )
    changes = tuple(
        StagingChange(
            Change(each.doc_id, Action.STAGE if each.after["status"] else Action.RESTORE, reasons[each.doc_id]), each
        )
        for each in change.patches
    )
    shown = sum(each.status in SEARCHABLE for each in found.documents.values())
    plan = StagingPlan(context.source, changes, shown)
    now = context.clock.now()
    since = now - timedelta(days=context.limits.window_days)
    history = context.manifests.removals(context.source, since) if plan.staged else ()
    verdict = judge_staging(plan, context.limits, history, now=now, standing=standing_staging(context))
    return PlannedStaging(found, plan, change, verdict)


def standing_staging(context: SourceContext) -> HeldPlan | None:
    return context.ledger.held(context.source, PlanKind.STAGING)


def _wanted(context: SourceContext, found: Found) -> tuple[dict[str, Patch], Mapping[str, str]]:
    """What the detector's record should say of each document, and why. The words of people are read last of all: what
    they protected while the source was read is not staged."""
    protected = why_protected(context.ledger, context.source, context.clock.now())
    # Nothing is concluded about a document whose file in the queue nobody can read.
    unread = {each.doc_id for each in found.queue.unreadable}
    staged = {
        each.key.doc_id: f"{each.evidence[0].sentence}. {each.arithmetic}"
        for each in found.detection.of(Proposal.STAGE)
        if each.key.doc_id not in protected
    }
    staged |= {
        item.doc_id: "its source has yet to take up its removal"
        for item in found.queue.items
        if item.waits_for_source
        and item.doc_id not in {*protected, *staged}
        and not why_changed(item, found.content_hashes.get(item.doc_id, ""))
    }
    gone = "it is not in the index any more"
    reasons = {
        doc_id: protected.get(doc_id)
        or (found.spared.get(doc_id, "too little speaks against it now") if doc_id in found.documents else gone)
        for doc_id in found.staged
    }
    wanted = dict.fromkeys(sorted(found.staged - unread | found.staged & protected.keys()), _NOT_STAGED)
    wanted |= {doc_id: _STAGED for doc_id in staged if doc_id not in unread}
    return wanted, {**reasons, **staged}
