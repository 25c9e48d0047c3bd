"""What follows now from the decisions of the review queue, and what the gate says of it. Nothing here writes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from include.domain.inventory import IndexInventory
from include.domain.plan import HeldPlan, PlanKind
from include.domain.review import Queue
from include.planning.dispositions import Known, follow
from include.planning.purging import DispositionPlan, DispositionVerdict, judge_dispositions
from include.services.context import SourceContext
from include.services.judging import inventory_of
from include.services.protecting import why_protected


@dataclass(frozen=True, slots=True)
class PlannedDispositions:
    """A plan computed now, what it was computed from, and the gate's answer."""

    queue: Queue
    inventory: IndexInventory
    plan: DispositionPlan
    verdict: DispositionVerdict


def plan_dispositions(context: SourceContext) -> PlannedDispositions:
    """Everything before the first write. Raises StoreBusy or StoreUnavailable when the index cannot be read,
    ConfigError for a ledger that was spoilt by hand (single files of the queue aside)."""
    source, ledger, now = context.source, context.ledger, context.clock.now()
    queue = ledger.candidates(source)
    inventory = inventory_of(context)
    absent = [item.doc_id for item in queue.decided if not _is_indexed(item.doc_id, inventory)]
    known = Known(
        documents=inventory.documents,
        marks=ledger.marks(source),
        protected=why_protected(ledger, source, now),
        today=now.date().isoformat(),
        asked={doc_id: context.connector.probe(doc_id) for doc_id in absent},
        carried_out=ledger.carried_out(source) if queue.decided else (),
        committed=_committed(context, queue),
        kept_out=inventory.kept_out,
        is_ours=context.purging is not None,
    )
    plan = DispositionPlan(source, follow(queue.decided, known), len(inventory.documents))
    since = now - timedelta(days=context.limits.window_days)
    history = context.manifests.removals(source, since) if plan.taken_away else ()
    verdict = judge_dispositions(plan, context.limits, history, now=now, standing=standing_dispositions(context))
    return PlannedDispositions(queue, inventory, plan, verdict)


def standing_dispositions(context: SourceContext) -> HeldPlan | None:
    return context.ledger.held(context.source, PlanKind.DISPOSITIONS)


def lagging(context: SourceContext, planned: PlannedDispositions) -> list[str]:
    """Documents that decisions were about, and of which the index does not say what the ledger says: an earlier run
    was killed between the two."""
    drifted = {doc_id for doc_id, document in planned.inventory.documents.items() if document.drift}
    if not drifted:
        return []
    settled = context.ledger.settled(context.source).items
    linked = {item.decision.superseded_by for item in settled if item.decision}
    about = {item.doc_id for item in (*settled, *planned.queue.decided)} | linked
    return sorted(drifted & about)


def _committed(context: SourceContext, queue: Queue) -> frozenset[str]:
    """The words of decided items whose commit is still where it was made."""
    if context.purging is None:
        return frozenset()
    return frozenset(
        item.word
        for item in queue.decided
        if item.applied is not None and context.purging.find(item.applied.branch, item.applied.commit)
    )


def _is_indexed(doc_id: str, inventory: IndexInventory) -> bool:
    return doc_id in inventory.documents and bool(inventory.documents[doc_id].version)
