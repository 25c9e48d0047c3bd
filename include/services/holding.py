"""What waits for a person is in every manifest, so that the newest one always tells."""

from __future__ import annotations

from dataclasses import replace

from include.domain.dates import from_rfc3339
from include.domain.manifest import Manifest
from include.domain.plan import PlanKind
from include.ports import Ledger


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
