"""Look again at documents that somebody named, now, without waiting for the hour or the night.

An event is a hint: it names documents, and the source says what they are. The source is listed once however many
were named; one that is listed in another version is read, one that is no longer listed is removed, by the same plan,
gate and question to the source as at night, with the whole source as the gate's base.

What the night would hold is left to the night: mass changes, changed id schemes, whatever waits for a person. So is
every removal when the listing proves nothing. Named documents cannot slip past a limit one by one, because the
listing as a whole is judged as well as the part that is named.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from include.domain.errors import ListingNotProven, SourceUnavailable
from include.domain.inventory import IndexInventory, Listing
from include.domain.manifest import DocumentOutcome, DocumentState, Manifest, RunState
from include.domain.plan import Action, Plan
from include.planning.diff import diff, due_by_day, presence_changes, why_unproven
from include.planning.gate import approve
from include.services.applying import apply_plan
from include.services.context import SourceContext
from include.services.deferral import deferred_changes
from include.services.judging import Judged, inventory_of, read_and_judge, unreadable
from include.services.reading import Progress
from include.services.run_record import begun, ended


@dataclass(frozen=True, slots=True)
class _Found:
    """What the listing says of the named documents. `left` is what it says without a change to make: what waits for
    the night, and what cannot be read, each with the reason."""

    listing: Listing
    inventory: IndexInventory
    plan: Plan
    left: tuple[DocumentOutcome, ...]


def look_again(
    context: SourceContext, doc_ids: Collection[str] | None, *, dag_id: str, run_id: str, progress: Progress
) -> Manifest:
    """Bring the named documents up to date, or with None all that changed; always leaves a manifest and returns it.

    Each document is read at most once, and only if its version changed. Whatever stops the run is raised after its
    manifest is saved, except for an unavailable or unproven source: that is a finding.
    """
    manifest = begun(context, dag_id, run_id, pipeline=context.writer.pipeline)
    judged: Judged | None = None
    outcomes: list[DocumentOutcome] = []
    try:
        found = _find(context, doc_ids)
        outcomes.extend(found.left)
        judged = read_and_judge(context, found.plan, found.inventory, found.listing, progress=progress)
        outcomes.extend(judged.reading.outcomes)
        held = judged.verdict.held
        why = ". ".join(hold.message for hold in judged.verdict.holds)
        outcomes.extend(DocumentOutcome(change.doc_id, DocumentState.HELD, why) for change in held)
        approved = approve(judged.verdict)
        manifest = replace(
            manifest,
            proof=found.listing.proof,
            indexed_before=len(found.inventory.documents),
            foreign_points=found.inventory.foreign_points,
            planned_removals=sum(change.action is Action.DELETE for change in approved.changes),
        )
        context.manifests.save(manifest)  # a killed run counts what it may have removed
        asked = apply_plan(context, approved, judged, outcomes, progress=progress)
        return _concluded(context, replace(manifest, removals_asked=asked), judged, outcomes)
    except (SourceUnavailable, ListingNotProven) as error:
        return _saved(context, manifest, outcomes, RunState.UNPROVEN, str(error))
    except BaseException as error:
        _saved(context, manifest, outcomes, RunState.FAILED, f"{type(error).__name__}: {error}")
        raise
    finally:
        if judged is not None:
            judged.reading.spool.close()


def _find(context: SourceContext, doc_ids: Collection[str] | None) -> _Found:
    """Raises ListingNotProven when the credential's scope is unverified: a page may then show half its text."""
    listing = context.connector.list_documents()
    if not listing.proof.scope_verified:
        raise ListingNotProven(
            f"{context.source}: the credential's scope is not verified ({listing.proof.problem or 'no reason given'}); "
            "nothing is read with it. Check the connection",
            source=context.source,
        )
    inventory = inventory_of(context)
    problems = context.listing_problems(listing)
    unproven = "; ".join(problems) or why_unproven(listing)
    if unproven:
        found = presence_changes(listing, inventory, pipeline=context.writer.pipeline, read_with=context.read_with)
        plan = Plan(context.source, tuple(found), len(inventory.documents), len(listing.documents), listing.proof)
    else:
        plan = diff(listing, inventory, pipeline=context.writer.pipeline, read_with=context.read_with)
    plan = replace(plan, changes=tuple(due_by_day(plan.changes)))
    deferred = deferred_changes(context, plan, inventory, listing)
    named = [change for change in plan.changes if doc_ids is None or change.doc_id in doc_ids]
    waiting = [change.doc_id for change in named if change.doc_id in deferred]
    left = [DocumentOutcome(doc_id, DocumentState.HELD, deferred[doc_id]) for doc_id in waiting]
    left.extend(outcome for outcome in unreadable(listing) if doc_ids is None or outcome.doc_id in doc_ids)
    if unproven:
        absent = inventory.documents.keys() - listing.documents.keys()
        waits = f"no longer listed, but the listing is not proven ({unproven}); left to the nightly reconciliation"
        asked_for = sorted(absent if doc_ids is None else absent & set(doc_ids))
        left.extend(DocumentOutcome(doc_id, DocumentState.HELD, waits) for doc_id in asked_for)
    changes = tuple(change for change in named if change.doc_id not in deferred)
    return _Found(listing, inventory, replace(plan, changes=changes), tuple(left))


def _concluded(context: SourceContext, manifest: Manifest, judged: Judged, outcomes: list[DocumentOutcome]) -> Manifest:
    why = []
    if failed := sum(outcome.state is DocumentState.FAILED for outcome in outcomes):
        why.append(f"{failed} documents failed and keep their last good version")
    if kept := sum(outcome.state is DocumentState.KEPT for outcome in outcomes):
        why.append(f"{kept} deletions were not confirmed by the source")
    if held := [outcome for outcome in outcomes if outcome.state is DocumentState.HELD]:
        why.append(f"{len(held)} documents wait for the nightly reconciliation: {held[0].detail}")
    inventory = inventory_of(context) if outcomes else judged.inventory
    manifest = replace(manifest, documents=len(inventory.documents), chunks=inventory.points)
    return _saved(context, manifest, outcomes, RunState.DEGRADED if why else RunState.INGESTED, "; ".join(why))


def _saved(
    context: SourceContext, manifest: Manifest, outcomes: list[DocumentOutcome], state: RunState, reason: str
) -> Manifest:
    manifest = replace(
        ended(context, manifest),
        state=state,
        outcomes=tuple(outcomes),
        reason=reason,
        next_step="The next night compares everything; the documents are named in this manifest" if reason else "",
    )
    context.manifests.save(manifest)
    return manifest
