"""Compare a source with its index and let the gate judge the difference. Nothing here writes.

    list -> proof -> validate -+
                               +-> diff -> read what would be written -> gate
    scan every stored point ---+

Everything that would be written is read before the first write, so that the gate sees the texts.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import islice

from include.domain.errors import ListingNotProven
from include.domain.inventory import IndexInventory, ListedDocument, Listing
from include.domain.manifest import DocumentOutcome, DocumentState, Manifest, RunState
from include.domain.plan import Action, HoldReason, Plan, Verdict
from include.planning.diff import diff, with_contents
from include.planning.fences import CLOCK_TOLERANCE
from include.planning.gate import judge
from include.planning.inspection import inspect, with_kept_out, with_marks
from include.services.context import SourceContext
from include.services.provenance import doubt_what_was_read
from include.services.reading import Progress, Reading, read_documents

_RECENT_COMPARISONS = 50
"""How far back the last undoubted one is looked for; older ones say little of today's credential."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A plan computed now, with the texts it would write and the gate's answer."""

    plan: Plan
    verdict: Verdict
    inventory: IndexInventory
    reading: Reading
    listing: Listing

    @property
    def listing_as_read(self) -> Listing:
        """The listing with what reading found since: newer versions, documents that vanished."""
        documents = dict(self.listing.documents)
        for doc_id, version in self.reading.versions.items():
            if doc_id in documents:
                documents[doc_id] = ListedDocument(doc_id, version)
        for outcome in self.reading.outcomes:
            if outcome.state is DocumentState.VANISHED and outcome.doc_id in documents:
                documents[outcome.doc_id] = replace(documents[outcome.doc_id], unreadable=outcome.detail)
        return replace(self.listing, documents=documents)


def prepare(context: SourceContext, *, progress: Progress) -> Judged:
    """Everything before the first write. Raises SourceUnavailable, ListingNotProven or StoreBusy; changes nothing."""
    listing = context.connector.list_documents()
    problems = context.listing_problems(listing)
    if problems:
        raise ListingNotProven(
            f"{context.source}: listing not proven, nothing is planned: {'; '.join(problems)}",
            source=context.source,
            problems=list(problems),
        )
    inventory = inventory_of(context)
    plan = diff(listing, inventory, pipeline=context.writer.pipeline, read_with=context.read_with)
    judged = read_and_judge(context, plan, inventory, listing, progress=progress)
    judged.reading.outcomes.extend(unreadable(listing))
    return judged


def read_and_judge(
    context: SourceContext, plan: Plan, inventory: IndexInventory, listing: Listing, *, progress: Progress
) -> Judged:
    """Read the texts that a plan would write, then ask the gate. Raises SourceUnavailable when the source stops
    answering."""
    reading = _read(context, plan, listing, progress)
    try:
        doubt_what_was_read(context, reading, inventory)
        plan = _with_reading(plan, reading)
        verdict = judged_by_the_gate(context, plan, inventory)
    except BaseException:
        reading.spool.close()
        raise
    return Judged(plan, verdict, inventory, reading, listing)


def unreadable(listing: Listing) -> list[DocumentOutcome]:
    """The documents that the source names and whose state it does not tell: they fail, and keep what is indexed."""
    return [
        DocumentOutcome(listed.doc_id, DocumentState.FAILED, listed.unreadable, listed.version)
        for listed in listing.documents.values()
        if listed.unreadable
    ]


def inventory_of(context: SourceContext) -> IndexInventory:
    """The index's side, read point by point."""
    with context.store.reading() as index:
        foreign = index.count_foreign(context.configured_sources)
        inventory = inspect(context.source, index.scan(context.source), foreign_points=foreign)
    return as_decided(context, inventory)


def as_decided(context: SourceContext, inventory: IndexInventory) -> IndexInventory:
    """The same, compared with what people have decided in the ledger."""
    inventory = with_marks(inventory, context.ledger.marks(context.source))
    return with_kept_out(inventory, context.ledger.kept_out(context.source))


def _read(context: SourceContext, plan: Plan, listing: Listing, progress: Progress) -> Reading:
    to_read = [change.doc_id for change in plan.changes if change.action is not Action.DELETE]
    changing = frozenset(to_read)
    settled = [doc_id for doc_id in listing.documents if doc_id not in changing]
    return read_documents(context.connector, to_read, context.read, progress=progress, living=settled)


def _with_reading(plan: Plan, reading: Reading) -> Plan:
    """Drop changes whose document could not be read (they are outcomes), put versions and texts into the others."""
    unread = {outcome.doc_id for outcome in reading.outcomes}
    changes = tuple(
        replace(
            change,
            version_after=reading.versions.get(change.doc_id, change.version_after),
            empties=change.action is not Action.DELETE and change.doc_id in reading.empty,
        )
        for change in plan.changes
        if change.action is Action.DELETE or change.doc_id not in unread
    )
    return with_contents(replace(plan, changes=changes), reading.contents)


def judged_by_the_gate(context: SourceContext, plan: Plan, inventory: IndexInventory) -> Verdict:
    """The gate's answer to a plan, with everything it needs to know of the past and of the rest of the source."""
    now = context.clock.now()
    changing = {change.doc_id for change in plan.changes}
    sharing = Counter(indexed.content_hash for doc_id, indexed in inventory.documents.items() if doc_id not in changing)
    since = now - timedelta(days=context.limits.window_days)
    return judge(
        plan,
        context.limits,
        context.manifests.removals(context.source, since) if plan.removals else (),
        now=now,
        standing=context.ledger.held(context.source),
        sharing=sharing,
        scope_before=_scope_before(context) if plan.removals else "",
    )


def _scope_before(context: SourceContext) -> str:
    """What the newest comparison that could remove anything was read with; empty when there was none. A look at named
    documents is none, or the removals that it leaves to the night because of its scope would pass there."""
    past = context.manifests.comparisons(context.source, until=context.clock.now() + CLOCK_TOLERANCE)
    for manifest in islice(past, _RECENT_COMPARISONS):
        if manifest.proof is not None and _is_undoubted(manifest):
            return manifest.proof.scope
    return ""


def _is_undoubted(comparison: Manifest) -> bool:
    """Whether it came to its end under a scope that nobody doubts."""
    ended = comparison.state in (RunState.TRUE, RunState.DEGRADED, RunState.HELD)
    return ended and all(hold.reason is not HoldReason.SCOPE_CHANGED for hold in comparison.holds)
