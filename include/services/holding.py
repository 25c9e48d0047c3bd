"""What waits for a person: recorded in the ledger, and said in every manifest, so that the newest one always tells."""

from __future__ import annotations

from dataclasses import replace

from include.domain.dates import from_rfc3339, rfc3339
from include.domain.manifest import Manifest, RunState
from include.domain.plan import Change, HeldPlan, Hold, PlanKind
from include.ports import Ledger
from include.services.context import SourceContext


def with_standing_hold(ledger: Ledger, manifest: Manifest, kind: PlanKind = PlanKind.CONTENT) -> Manifest:
    """The manifest with the source's open held plan of this kind, if there is one."""
    held = ledger.held(manifest.source, kind)
    if held is None:
        return manifest
    return replace(
        manifest,
        held=held.changes,
        holds=held.holds,
        held_checksum=held.checksum,
        held_since=from_rfc3339(held.first_held_at),
    )


def verdict_while_held(manifest: Manifest, shows: str) -> tuple[RunState, str, str]:
    """State, reason and next step of a run with a plan that waits for a person; `shows` says how to look at it."""
    return (
        RunState.HELD,
        ". ".join(hold.message for hold in manifest.holds),
        f"{shows}; approve plan {manifest.held_checksum} in Airflow's required actions or with `truecopy approve`",
    )


def hold_or_clear(
    context: SourceContext,
    kind: PlanKind,
    *,
    checksum: str,
    changes: tuple[Change, ...],
    holds: tuple[Hold, ...],
    indexed_documents: int,
    run_id: str,
) -> None:
    """Record that these changes wait for a person; without changes, that nothing of this kind waits any more."""
    if not changes:
        context.ledger.clear_held(context.source, f"run {run_id} found nothing to hold", kind)
        return
    context.ledger.hold(
        HeldPlan(
            source=context.source,
            checksum=checksum,
            changes=changes,
            holds=holds,
            indexed_documents=indexed_documents,
            first_held_at=rfc3339(context.clock.now()),
            run_id=run_id,
            kind=kind,
        )
    )
