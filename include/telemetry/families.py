"""Gauges and alarms of the resolver, derived from its last run over a source. Pure, like those of the nights."""

from __future__ import annotations

from datetime import datetime, timedelta

from include.domain.manifest import Gauge, Manifest, RunState
from include.domain.plan import Action
from include.telemetry.alerts import Alert, gated_alerts
from include.telemetry.gauges import days_since, held_seconds, told

AMBIGUOUS_TOO_LONG = timedelta(days=14)

FAMILY_GAUGES: dict[str, str] = {
    "rag.families": "families of the source, decided and ambiguous ones",
    "rag.families_ambiguous": "families that a person has to decide",
    "rag.families_ambiguous_days": "how long the oldest of them waits; 0 when none does",
    "rag.superseded_docs": "documents in the index that a later one supersedes",
    "rag.retirements_held": "documents that would be marked as superseded, and wait for a person",
    "rag.retirements_held_age_seconds": "how long they have waited; 0 when none does",
    "rag.resolver_failed": "1 if the last run of the resolver failed, else 0",
}
FAMILY_ALERTS: dict[str, str] = {
    "families_held": "a plan of families waits for a person; repeated every night with its age",
    "families_ambiguous": f"a family has been ambiguous for {AMBIGUOUS_TOO_LONG.days} days",
    "families_failed": "the last run of the resolver failed",
}
"""Documented like those of the nights, in docs/OPERATIONS.md."""


def family_gauges(latest: Manifest, *, now: datetime) -> list[Gauge]:
    """Every gauge that this run can tell. One that broke off only tells what waits."""
    values: dict[str, float | None] = {
        "rag.retirements_held": sum(change.action is Action.RETIRE for change in latest.held),
        "rag.retirements_held_age_seconds": held_seconds(latest, now),
        "rag.resolver_failed": latest.state is RunState.FAILED,
    }
    if (counts := latest.families) is not None:
        values |= {
            "rag.families": counts.decided + counts.ambiguous,
            "rag.families_ambiguous": counts.ambiguous,
            "rag.families_ambiguous_days": days_since(counts.ambiguous_since, now),
            "rag.superseded_docs": counts.superseded,
        }
    return told(latest.source, values, FAMILY_GAUGES)


def family_alerts(latest: Manifest | None, *, source: str, now: datetime) -> list[Alert]:
    """What is wrong, from the newest run of the resolver that was no dry run. None at all is no alarm: a source
    without families needs none."""
    if latest is None:
        return []
    found = gated_alerts(
        latest,
        now=now,
        failed="families_failed",
        held="families_held",
        worker="resolver",
        waits=f"the marks of {len(latest.held)} documents have",
        shows=f"`truecopy resolve {source}` shows the families",
    )

    def alarm(name: str, message: str) -> None:
        found.append(Alert(name, source, f"{source}: {message}"))

    since = latest.families.ambiguous_since if latest.families else None
    if since is not None and now - since > AMBIGUOUS_TOO_LONG:
        alarm(
            "families_ambiguous",
            f"{latest.families.ambiguous if latest.families else 0} families wait for a person, the oldest for "
            f"{(now - since).days} days. `truecopy families {source}` lists them, `truecopy decide` answers",
        )
    return found
