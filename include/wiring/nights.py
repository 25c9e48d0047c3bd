"""The last whole comparisons of a source and what came through its door, and what follows: gauges and alarms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from urllib.parse import unquote

from include.domain.manifest import Gauge, Manifest, RunHead, RunState
from include.planning.fences import CLOCK_TOLERANCE
from include.records.manifests import RunName
from include.records.past_runs import LostRun
from include.records.receipts import FileReceipts
from include.services.apply_dispositions import APPLY
from include.services.detect_stale import DETECT
from include.services.metadata_run import SET_METADATA
from include.services.resolve_canonical import RESOLVE
from include.telemetry.alerts import Alert, alerts
from include.telemetry.candidates import candidate_alerts, candidate_gauges
from include.telemetry.dispositions import disposition_alerts, disposition_gauges
from include.telemetry.erasures import erasure_alerts
from include.telemetry.families import family_alerts, family_gauges
from include.telemetry.gauges import Past, gauges, history_gauges, last_success, past_of
from include.telemetry.reception import Reception, reception_alerts
from include.telemetry.scraping import scrape_gauge
from include.wiring.application import Application
from include.wiring.hooks import FOLLOW, receptions
from include.wiring.kept_runs import latest_kept
from include.wiring.runs import INGEST, NIGHTS

TELLING = (*NIGHTS, INGEST, FOLLOW, SET_METADATA, RESOLVE, DETECT, APPLY)
"""DAGs whose runs send gauges at their end."""

_NIGHT = "night"

_BETWEEN_NIGHTS = (INGEST, FOLLOW, SET_METADATA)
"""What these said is over with the next night, also where that night broke off and cannot say it better: a number that
is not known is missing, and not an old one."""


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
    """What a run tells at its end, and what the past nights say by then. A dry run tells nothing."""
    now = application.clock.now()
    found = told_by(RunHead.of(manifest), now=now)
    if manifest.dag_id in (RESOLVE, DETECT, APPLY):
        return found
    return [*found, *history_gauges(past_nights(application, manifest.source), manifest.source, now=now)]


def told_by(run: RunHead, *, now: datetime) -> list[Gauge]:
    """What one run established. One that was killed or is at work, or a dry run, established nothing."""
    manifest = run.manifest
    if manifest.state in (RunState.RUNNING, RunState.PLANNED):
        return []
    if manifest.dag_id == RESOLVE:
        return family_gauges(manifest, now=now)
    if manifest.dag_id == DETECT:
        return candidate_gauges(manifest, now=now)
    if manifest.dag_id == APPLY:
        return disposition_gauges(manifest, now=now)
    return gauges(run, now=now, of_part=manifest.dag_id not in (*NIGHTS, INGEST))


def past_nights(application: Application, source: str) -> Past:
    return _past_of(application, source, _names(application, source, NIGHTS))


def current_gauges(application: Application, source: str) -> list[Gauge]:
    """What every gauge of a source says now: what the newest run that can tell it told, and what the past nights say.
    Ages are those of this instant.

    Raises OSError where the state root cannot be read. A record that is damaged is passed over, and counted.
    """
    now = application.clock.now()
    names = _names(application, source, TELLING)
    newest: dict[str, RunHead] = {}
    unreadable = 0
    for name in names:
        if _kind(unquote(name.dag)) in newest:
            continue
        head = application.past_runs.head(source, name)
        if isinstance(head, LostRun):
            unreadable += 1
        elif head.manifest.state not in (RunState.RUNNING, RunState.PLANNED):
            newest[_kind(head.manifest.dag_id)] = head
    in_turn = sorted(newest.values(), key=lambda run: run.manifest.finished_at or run.manifest.started_at)
    night = in_turn.index(newest[_NIGHT]) if _NIGHT in newest else 0
    in_turn = [run for turn, run in enumerate(in_turn) if turn >= night or run.manifest.dag_id not in _BETWEEN_NIGHTS]
    found = {(each.name, each.labels): each for run in in_turn for each in told_by(run, now=now)}
    past = _past_of(application, source, [name for name in names if unquote(name.dag) in NIGHTS])
    history = history_gauges(past, source, now=now)
    return [*found.values(), *history, scrape_gauge("truecopy.manifests_unreadable", unreadable, source)]


def _kind(dag_id: str) -> str:
    return _NIGHT if dag_id in NIGHTS else dag_id


def _names(application: Application, source: str, dag_ids: Sequence[str]) -> list[RunName]:
    """Runs of these DAGs, newest first, without what a wrong clock dated into the future."""
    until = application.clock.now() + CLOCK_TOLERANCE
    return [name for name in application.past_runs.names(source, dag_ids) if name.started <= until]


def _past_of(application: Application, source: str, names: Sequence[RunName]) -> Past:
    heads = (application.past_runs.head(source, name) for name in names)
    return past_of(head.manifest for head in heads if isinstance(head, RunHead))


def alerts_of(application: Application, source: str) -> list[Alert]:
    success, now = last_success_of(application, source), application.clock.now()
    found = alerts(nights(application, source), success, source=source, now=now)
    found += family_alerts(latest_kept(application, source, RESOLVE), source=source, now=now)
    detected, applied = (latest_kept(application, source, dag_id) for dag_id in (DETECT, APPLY))
    found += candidate_alerts(_with_the_queue_of(detected, applied), source=source, now=now)
    found += disposition_alerts(applied, source=source, now=now)
    found += erasure_alerts(FileReceipts(application.state).all(), source=source, now=now)
    return found + (reception_alerts(reception, now) if (reception := reception_at(application, source)) else [])


def _with_the_queue_of(detected: Manifest | None, applied: Manifest | None) -> Manifest | None:
    """The detector's last run, with the review queue as it was left since."""
    if detected is None or applied is None or applied.candidates is None or applied.started_at < detected.started_at:
        return detected
    return replace(detected, candidates=applied.candidates)


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
