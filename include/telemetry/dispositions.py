"""Gauges and alarms of what people decided in review and what became of it, from the last run over a source. Pure."""

from __future__ import annotations

from datetime import datetime

from include.domain.manifest import DocumentState, Gauge, Manifest, RunState
from include.telemetry.alerts import Alert, gated_alerts
from include.telemetry.candidates import queue_gauges
from include.telemetry.gauges import held_seconds, told

DISPOSITION_GAUGES: dict[str, str] = {
    "rag.dispositions_held": "documents that would be purged or archived, and wait for a person",
    "rag.dispositions_held_age_seconds": "how long they have waited; 0 when none does",
    "rag.dispositions_failed": "1 if the last run that carried out decisions failed, else 0",
}
DISPOSITION_ALERTS: dict[str, str] = {
    "dispositions_held": "more would be purged or archived than the limits allow; repeated with its age",
    "dispositions_failed": "the last run that carried out decisions failed",
    "decisions_not_carried_out": "a decision could not be carried out, and stands as it is",
}
"""Documented like those of the nights, in docs/OPERATIONS.md."""


def disposition_gauges(latest: Manifest, *, now: datetime) -> list[Gauge]:
    """Every gauge that this run can tell; the queue as it left it, too."""
    values: dict[str, float | None] = {
        "rag.dispositions_held": len(latest.held),
        "rag.dispositions_held_age_seconds": held_seconds(latest, now),
        "rag.dispositions_failed": latest.state is RunState.FAILED,
    }
    return [*told(latest.source, values, DISPOSITION_GAUGES), *queue_gauges(latest, now=now)]


def disposition_alerts(latest: Manifest | None, *, source: str, now: datetime) -> list[Alert]:
    """What is wrong, from the newest run that was no dry run. None at all is no alarm: perhaps nobody decides."""
    if latest is None:
        return []
    found = gated_alerts(
        latest,
        now=now,
        failed="dispositions_failed",
        held="dispositions_held",
        worker="dispositions",
        waits=f"{len(latest.held)} documents to be purged or archived have",
        shows=f"`truecopy apply-dispositions {source}` shows them",
    )
    if latest.state is RunState.DEGRADED:
        failed = latest.count(DocumentState.FAILED)
        found.append(Alert("decisions_not_carried_out", source, f"{source}: {failed} decisions: {latest.reason}"))
    return found
