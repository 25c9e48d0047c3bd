"""Gauges of one source, derived from its manifests. Nothing is counted here that a manifest does not already say."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from include.domain.date_candidates import DateField
from include.domain.manifest import DocumentState, Findings, Gauge, Manifest, RunState

SUCCESS = frozenset({RunState.TRUE, RunState.DEGRADED})
"""Runs that made the index true, but for documents that have an alarm of their own."""

_WRITTEN = (DocumentState.CREATED, DocumentState.REPLACED, DocumentState.REPAIRED, DocumentState.REFRESHED)

GAUGES: dict[str, str] = {
    "rag.orphan_docs.found": "indexed documents that the complete listing no longer had, when the run began",
    "rag.orphan_docs.remaining": "the same after the run; above zero means answers from removed pages",
    "rag.stale_docs.found": "documents whose indexed version differed from the source's, when the run began",
    "rag.stale_docs.remaining": "the same after the run",
    "rag.partial_docs.found": "documents with too few, too many or altered points, when the run began",
    "rag.partial_docs.remaining": "the same after the run",
    "rag.drifted_docs.found": "documents whose marks or status were not as the ledger decides, when the run began",
    "rag.drifted_docs.remaining": "the same after the run",
    "rag.missing_docs.found": "published documents that were absent from the index, when the run began",
    "rag.missing_docs.remaining": "the same after the run",
    "rag.docs": "documents in the index, exact",
    "rag.chunks": "stored points of the source, exact",
    "rag.deletions_held": "deletions that wait for a person",
    "rag.held_plan_age_seconds": "how long something has been held without a break; 0 when nothing is",
    "rag.embedded_chunks": "chunks that went through the embedder in the run",
    "rag.reused_chunks": "chunks whose vector was taken from the index",
    "rag.embedded_over_minimum": "chunks embedded by chunks that really changed; 1 is right",
    "rag.failed_docs": "documents that failed and keep their last good version",
    "rag.repaired_docs": "documents the night had to put right; above zero with webhooks on means lost events",
    "rag.dated_share": "share of documents whose creation date is trusted enough to be ranked by; 1 is all",
    "rag.foreign_points": "points of no configured source; never touched",
    "rag.last_success_age_seconds": "since the index was last proven true; absent if it never was",
    "rag.listing_proven": "1 if the last listing was proven complete, else 0",
}
"""Every gauge with its meaning. `docs/OPERATIONS.md` says what to do about each."""


def gauges(latest: Manifest, last_success: Manifest | None, *, now: datetime) -> list[Gauge]:
    """Every gauge that `latest` can tell. A number that the run did not establish is left out, never zero.

    `last_success` is the newest reconciliation that ended true or degraded; it may be `latest` itself.
    """
    values: dict[str, float | None] = {
        "rag.docs": latest.documents,
        "rag.chunks": latest.chunks,
        "rag.foreign_points": latest.foreign_points,
        "rag.dated_share": _dated_share(latest),
        "rag.deletions_held": sum(change.action == "delete" for change in latest.held),
        "rag.held_plan_age_seconds": _age(latest.held_since, now) if latest.held else 0.0,
        "rag.embedded_chunks": sum(outcome.embedded for outcome in latest.outcomes),
        "rag.reused_chunks": sum(outcome.reused for outcome in latest.outcomes),
        "rag.embedded_over_minimum": _over_minimum(latest),
        "rag.failed_docs": latest.count(DocumentState.FAILED),
        # Only a whole comparison can say what the hourly runs and webhooks had left undone.
        "rag.repaired_docs": latest.count(*_WRITTEN, DocumentState.DELETED) if latest.remaining else None,
        "rag.last_success_age_seconds": _age(last_success.finished_at, now) if last_success else None,
        "rag.listing_proven": _listing_proven(latest),
    }
    for name, count in _FINDINGS.items():
        values[f"{name}.found"] = count(latest.found) if latest.found else None
        values[f"{name}.remaining"] = count(latest.remaining) if latest.remaining else None
    return [
        Gauge(name, float(value), latest.source, GAUGES[name])
        for name, value in sorted(values.items())
        if value is not None
    ]


def last_success(manifests: Iterable[Manifest]) -> Manifest | None:
    """The newest of these runs (newest first) that made the index true."""
    return next((manifest for manifest in manifests if manifest.state in SUCCESS), None)


_FINDINGS: dict[str, Callable[[Findings], int]] = {
    "rag.orphan_docs": lambda findings: findings.orphan,
    "rag.stale_docs": lambda findings: findings.stale,
    "rag.partial_docs": lambda findings: findings.partial,
    "rag.drifted_docs": lambda findings: findings.drifted,
    "rag.missing_docs": lambda findings: findings.missing,
}


def _listing_proven(manifest: Manifest) -> float | None:
    if manifest.state is RunState.UNPROVEN:
        return 0.0
    return None if manifest.proof is None else 1.0


def _dated_share(manifest: Manifest) -> float | None:
    dates = manifest.dates
    return dates.trusted(DateField.CREATED) / dates.documents if dates and dates.documents else None


def _age(moment: datetime | None, now: datetime) -> float | None:
    return None if moment is None else max(0.0, (now - moment).total_seconds())


def _over_minimum(manifest: Manifest) -> float:
    embedded = sum(outcome.embedded for outcome in manifest.outcomes)
    minimum = sum(outcome.minimum for outcome in manifest.outcomes)
    return embedded / minimum if minimum else 1.0 + embedded
