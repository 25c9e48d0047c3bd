"""Gauges and alarms of the detector and its review queue, derived from the last run over a source. Pure."""

from __future__ import annotations

from datetime import datetime, timedelta

from include.domain.manifest import CandidateCounts, Gauge, Manifest, RunState
from include.telemetry.alerts import Alert, gated_alerts
from include.telemetry.gauges import days_since, held_seconds, told

WAITING_TOO_LONG = timedelta(days=30)

CANDIDATE_GAUGES: dict[str, str] = {
    "rag.candidates_open": "documents that look out of date and wait for a person",
    "rag.candidates_decided": "candidates with a decision that was not carried out yet",
    "rag.candidates_oldest_days": "age of the oldest candidate that nobody decided",
    "rag.review_unreadable": "files of the review queue that cannot be read",
    "rag.staged_docs": "documents that the detector hides from readers until they are reviewed",
    "rag.staging_held": "documents that would be staged, and wait for a person",
    "rag.staging_held_age_seconds": "how long they have waited; 0 when none does",
    "rag.detector_failed": "1 if the last run of the detector failed, else 0",
    "rag.signal_candidates": "candidates that a signal speaks for",
    "rag.signal_judged": "past candidates of a signal that a person has decided about",
    "rag.signal_precision": "share of these that were taken away, archived or linked; 1 is always right",
}
CANDIDATE_ALERTS: dict[str, str] = {
    "staging_held": "more documents would be staged than the limits allow; repeated with its age",
    "candidates_waiting": f"a candidate has waited for {WAITING_TOO_LONG.days} days; no timer decides about it",
    "review_unreadable": "a file of the review queue was spoilt by hand",
    "detector_failed": "the last run of the detector failed",
}
"""Documented like those of the nights, in docs/OPERATIONS.md."""


def candidate_gauges(latest: Manifest, *, now: datetime) -> list[Gauge]:
    """Every gauge that this run can tell. One that broke off only tells what waits."""
    values: dict[str, float | None] = {
        "rag.staging_held": len(latest.held),
        "rag.staging_held_age_seconds": held_seconds(latest, now),
        "rag.detector_failed": latest.state is RunState.FAILED,
    }
    return [*told(latest.source, values, CANDIDATE_GAUGES), *queue_gauges(latest, now=now)]


def queue_gauges(latest: Manifest, *, now: datetime) -> list[Gauge]:
    """The review queue as this run left it, whether it found candidates or carried decisions out."""
    if (counts := latest.candidates) is None:
        return []
    values: dict[str, float | None] = {
        "rag.candidates_open": counts.open,
        "rag.candidates_decided": counts.decided,
        "rag.candidates_oldest_days": days_since(counts.open_since, now),
        "rag.review_unreadable": counts.unreadable,
        "rag.staged_docs": counts.staged,
    }
    return [*told(latest.source, values, CANDIDATE_GAUGES), *_by_signal(latest.source, counts)]


def _by_signal(source: str, counts: CandidateCounts) -> list[Gauge]:
    """The precision of a signal that nobody has judged yet is unknown: left out, never zero."""
    numbers = [("rag.signal_candidates", signal, float(number)) for signal, number in sorted(counts.signals.items())]
    for signal, feedback in sorted(counts.feedback.items()):
        judged = feedback.approved + feedback.kept
        numbers.append(("rag.signal_judged", signal, float(judged)))
        if judged:
            numbers.append(("rag.signal_precision", signal, feedback.approved / judged))
    return [
        Gauge(name, value, source, CANDIDATE_GAUGES[name], (("signal", signal),)) for name, signal, value in numbers
    ]


def candidate_alerts(latest: Manifest | None, *, source: str, now: datetime) -> list[Alert]:
    """What is wrong, from the newest run of the detector that was no dry run. None at all is
    no alarm: a source need not be watched for this."""
    if latest is None:
        return []
    found = gated_alerts(
        latest,
        now=now,
        failed="detector_failed",
        held="staging_held",
        worker="detector",
        waits=f"the staging of {len(latest.held)} documents has",
        shows=f"`truecopy detect {source}` shows them",
    )

    def alarm(name: str, message: str) -> None:
        found.append(Alert(name, source, f"{source}: {message}"))

    counts = latest.candidates
    if counts is not None and counts.open_since is not None and now - counts.open_since > WAITING_TOO_LONG:
        waiting = "1 candidate waits" if counts.open == 1 else f"{counts.open} candidates wait"
        alarm(
            "candidates_waiting",
            f"{waiting} for a person, the oldest for {(now - counts.open_since).days} days: `truecopy review {source}`",
        )
    if counts is not None and counts.unreadable:
        alarm("review_unreadable", f"{counts.unreadable} files of the review queue cannot be read. {latest.next_step}")
    return found
