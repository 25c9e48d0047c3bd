"""Gauges of one source, derived from its manifests. Nothing is counted here that a manifest does not already say.

Two kinds: what one run established, and what the past comparisons of the source say together, like the age of the last
success. Airflow's StatsD and OpenTelemetry get both at the end of a run; Prometheus asks for them at any time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from include.domain.date_candidates import DateField
from include.domain.dates import Trust
from include.domain.manifest import DocumentState, Findings, Gauge, Manifest, RunHead, RunState
from include.telemetry.alerts import left_untrue, nights_untrue

SUCCESS = frozenset({RunState.TRUE, RunState.DEGRADED})
"""Runs that made the index true, but for documents that have an alarm of their own."""

BROKEN_OFF = frozenset({RunState.FAILED, RunState.UNPROVEN})
"""Runs that may have ended before they could look at a document, or ask the ledger what waits for a person."""

NO_DATE = "none"

MOST_NIGHTS = 10
"""A row of untrue nights is counted up to here."""

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
    "rag.changes_held": "changes of a plan that waits for a person, deletions and others",
    "rag.deletions_held": "deletions that wait for a person",
    "rag.held_plan_age_seconds": "how long something has been held without a break; 0 when nothing is",
    "rag.embedded_chunks": "chunks that went through the embedder in the run",
    "rag.reused_chunks": "chunks whose vector was taken from the index",
    "rag.embedded_over_minimum": "chunks embedded by chunks that really changed; 1 is right",
    "rag.failed_docs": "documents that failed and keep their last good version",
    "rag.repaired_docs": "documents the night had to put right; above zero with webhooks on means lost events",
    "rag.dated_share": "share of documents whose creation date is trusted enough to be ranked by; 1 is all",
    "rag.date_trust_share": "share of documents whose date of a field has a trust: high, low, unknown, or none at all",
    "rag.foreign_points": "points of no configured source; never touched",
    "rag.listing_proven": "1 if the last listing was proven complete, else 0",
}
"""What one run says, with its meaning. `docs/OPERATIONS.md` says what to do about each."""

HISTORY_GAUGES: dict[str, str] = {
    "rag.last_success_age_seconds": "since the index was last proven true; absent if it never was",
    "rag.last_success_timestamp_seconds": "when that was, in seconds since 1970; absent if it never was",
    "rag.last_proof_age_seconds": "since a reconciliation began that proved its listing complete; absent if none did",
    "rag.last_proof_timestamp_seconds": "when that was, in seconds since 1970; absent if none did",
    "rag.last_night_timestamp_seconds": "when the last reconciliation began, in seconds since 1970; absent if none did",
    "rag.night_failed": "1 if the last reconciliation that ended broke off or failed its audit, else 0",
    "rag.untrue_nights": "consecutive nights, up to the last one, that left orphan or stale documents behind",
}
"""What the past comparisons of a source say together."""


@dataclass(frozen=True, slots=True)
class Past:
    """What the comparisons of a source say, looked at from the newest backwards. `success` is when the index was last
    proven true, `proof` when the newest run began that proved the listing complete, `began` when the newest began."""

    began: datetime | None = None
    success: datetime | None = None
    proof: datetime | None = None
    failed: bool | None = None
    untrue_nights: int = 0


def past_of(nights: Iterable[Manifest]) -> Past:
    """`nights` are the source's comparisons, newest first; no more of them are read than it takes to know."""
    seen: list[Manifest] = []
    success = proof = None
    for night in nights:
        seen.append(night)
        if success is None and night.state in SUCCESS:
            success = night.finished_at
        if proof is None and _listing_proven(night):
            proof = night.started_at
        if success is not None and proof is not None and (len(seen) >= MOST_NIGHTS or not left_untrue(night)):
            break
    ended = [night for night in seen if night.state is not RunState.RUNNING]
    return Past(
        began=seen[0].started_at if seen else None,
        success=success,
        proof=proof,
        failed=ended[0].state is RunState.FAILED if ended else None,
        untrue_nights=nights_untrue(ended[:MOST_NIGHTS]),
    )


def gauges(run: RunHead, *, now: datetime, of_part: bool = False) -> list[Gauge]:
    """Every gauge that this run can tell. A number that it did not establish is left out, never zero.

    `of_part`: it was about some documents of the source only, so its failures are not those of the source.
    """
    latest = run.manifest
    came_to_its_end = latest.state not in BROKEN_OFF
    asked_the_ledger = bool(latest.held) or came_to_its_end
    looked_at_all = not of_part and (came_to_its_end or bool(run.counts))
    values: dict[str, float | None] = {
        "rag.docs": latest.documents,
        "rag.chunks": latest.chunks,
        "rag.foreign_points": latest.foreign_points,
        "rag.dated_share": _dated_share(latest),
        "rag.changes_held": len(latest.held) if asked_the_ledger else None,
        "rag.deletions_held": sum(each.action == "delete" for each in latest.held) if asked_the_ledger else None,
        "rag.held_plan_age_seconds": held_seconds(latest, now) if asked_the_ledger else None,
        "rag.embedded_chunks": run.embedded,
        "rag.reused_chunks": run.reused,
        "rag.embedded_over_minimum": _over_minimum(run),
        "rag.failed_docs": run.count(DocumentState.FAILED) if looked_at_all else None,
        # Only a whole comparison can say what the hourly runs and webhooks had left undone.
        "rag.repaired_docs": run.count(*_WRITTEN, DocumentState.DELETED) if latest.remaining else None,
        "rag.listing_proven": _listing_proven(latest),
    }
    for name, count in _FINDINGS.items():
        values[f"{name}.found"] = count(latest.found) if latest.found else None
        values[f"{name}.remaining"] = count(latest.remaining) if latest.remaining else None
    return [*told(latest.source, values, GAUGES), *_trust_shares(latest)]


def history_gauges(past: Past, source: str, *, now: datetime) -> list[Gauge]:
    values = {
        "rag.last_success_age_seconds": _age(past.success, now),
        "rag.last_success_timestamp_seconds": _since_1970(past.success),
        "rag.last_proof_age_seconds": _age(past.proof, now),
        "rag.last_proof_timestamp_seconds": _since_1970(past.proof),
        "rag.last_night_timestamp_seconds": _since_1970(past.began),
        "rag.night_failed": past.failed,
        "rag.untrue_nights": past.untrue_nights if past.began else None,
    }
    return told(source, values, HISTORY_GAUGES)


def told(source: str, values: Mapping[str, float | None], meanings: Mapping[str, str]) -> list[Gauge]:
    """A gauge for each number that is known, by name."""
    return [
        Gauge(name, float(value), source, meanings[name]) for name, value in sorted(values.items()) if value is not None
    ]


def held_seconds(manifest: Manifest, now: datetime) -> float:
    """How long what this run found held has waited; 0 when nothing is."""
    return (_age(manifest.held_since, now) or 0.0) if manifest.held else 0.0


def days_since(moment: datetime | None, now: datetime) -> float:
    """0 for what waits for nobody."""
    return (_age(moment, now) or 0.0) / 86_400


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


def _trust_shares(manifest: Manifest) -> list[Gauge]:
    """For each field of a date its shares by trust; together they are 1."""
    name = "rag.date_trust_share"
    dates = manifest.dates
    if dates is None or not dates.documents:
        return []
    found = []
    for field in DateField:
        counts = Counter({trust.value: 0 for trust in Trust})
        for share in dates.shares:
            if share.field is field and share.trust in counts:
                counts[share.trust] += share.documents
        counts[NO_DATE] = dates.documents - counts.total()
        for trust, documents in counts.items():
            labels = (("field", field.value), ("trust", trust))
            found.append(Gauge(name, documents / dates.documents, manifest.source, GAUGES[name], labels))
    return found


def _age(moment: datetime | None, now: datetime) -> float | None:
    return None if moment is None else max(0.0, (now - moment).total_seconds())


def _since_1970(moment: datetime | None) -> float | None:
    return None if moment is None else moment.timestamp()


def _over_minimum(run: RunHead) -> float | None:
    if run.embedded is None or run.minimum is None:
        return None
    return run.embedded / run.minimum if run.minimum else 1.0 + run.embedded
