"""The last whole comparisons of a source, and what follows from them: gauges and alarms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from include.domain.manifest import Gauge, Manifest, RunState
from include.planning.fences import CLOCK_TOLERANCE
from include.telemetry.alerts import Alert, alerts
from include.telemetry.gauges import gauges, last_success
from include.wiring.application import Application
from include.wiring.runs import NIGHTS


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
    success = last_success_of(application, manifest.source)
    return gauges(manifest, success, now=application.clock.now())


def alerts_of(application: Application, source: str) -> list[Alert]:
    success = last_success_of(application, source)
    return alerts(nights(application, source), success, source=source, now=application.clock.now())


def record_alerts(application: Application, source: str) -> list[Alert]:
    """The alarms of a source, written into the manifest of its last night as well."""
    found = alerts_of(application, source)
    for latest in nights(application, source, limit=1):
        if latest.state is not RunState.RUNNING:
            application.manifests.save(replace(latest, alerts=tuple(f"{each.name}: {each.message}" for each in found)))
    return found
