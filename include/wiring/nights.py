"""The last whole comparisons of a source and what came through its door, and what follows: gauges and alarms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from include.domain.manifest import Gauge, Manifest, RunState
from include.planning.fences import CLOCK_TOLERANCE
from include.services.detect_stale import DETECT
from include.services.resolve_canonical import RESOLVE
from include.telemetry.alerts import Alert, alerts
from include.telemetry.candidates import candidate_alerts, candidate_gauges
from include.telemetry.families import family_alerts, family_gauges
from include.telemetry.gauges import gauges, last_success
from include.telemetry.reception import Reception, reception_alerts
from include.wiring.application import Application
from include.wiring.families import latest_resolved
from include.wiring.hooks import receptions
from include.wiring.runs import NIGHTS
from include.wiring.staleness import latest_detected


def nights(application: Application, source: str, limit: int = 10) -> list[Manifest]:
    """The source's last whole comparisons, newest first."""
    return list(islice(_past(application, source), limit))


def last_success_of(application: Application, source: str) -> Manifest | None:
    """The newest whole comparison that made the index true, however long ago."""
    return last_success(_past(application, source))


def _past(application: Application, source: str) -> Iterator[Manifest]:
    """Without what a wrong clock dated into the future: it would be the newest for years."""
    until = application.clock.now() + CLOCK_TOLERANCE
    return application.manifests.newest_first(source, NIGHTS, until=until)


def gauges_of(application: Application, manifest: Manifest) -> list[Gauge]:
    if manifest.dag_id == RESOLVE:
        return family_gauges(manifest)
    if manifest.dag_id == DETECT:
        return candidate_gauges(manifest, now=application.clock.now())
    success = last_success_of(application, manifest.source)
    return gauges(manifest, success, now=application.clock.now())


def alerts_of(application: Application, source: str) -> list[Alert]:
    success, now = last_success_of(application, source), application.clock.now()
    found = alerts(nights(application, source), success, source=source, now=now)
    found += family_alerts(latest_resolved(application, source), source=source, now=now)
    found += candidate_alerts(latest_detected(application, source), source=source, now=now)
    return found + (reception_alerts(reception, now) if (reception := reception_at(application, source)) else [])


def reception_at(application: Application, source: str) -> Reception | None:
    """None for a source without a webhook."""
    if application.settings.sources[source].webhook is None:
        return None
    (reception,) = receptions(application.inbox, application.traffic, [source], application.clock.now())
    return reception


def record_alerts(application: Application, source: str) -> list[Alert]:
    """The alarms of a source, written into the manifest of its last night as well."""
    found = alerts_of(application, source)
    for latest in nights(application, source, limit=1):
        if latest.state is not RunState.RUNNING:
            application.manifests.save(replace(latest, alerts=tuple(f"{each.name}: {each.message}" for each in found)))
    return found
