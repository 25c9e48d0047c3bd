"""Airflow's side of the wiring: the current run, errors, gauges, alerts."""

from __future__ import annotations

import logging
import os
import pkgutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from typing import Any

from airflow.sdk import Asset, get_current_context
from airflow.sdk.exceptions import AirflowException, AirflowFailException

from include.domain.errors import ConfigError, Fatal, Held, Retriable
from include.domain.manifest import Gauge, Manifest
from include.services.apply_dispositions import APPLY
from include.services.detect_stale import DETECT
from include.services.resolve_canonical import RESOLVE
from include.telemetry.alerts import Alert
from include.telemetry.exposition import plain_name, tags_of
from include.telemetry.reception import reception_gauges
from include.wiring.application import Application
from include.wiring.connections import ConnectionSecrets
from include.wiring.evaluation import Judged, gauges_of_evaluation, why_red
from include.wiring.events import not_followed
from include.wiring.held_plans import Request
from include.wiring.kept_runs import under
from include.wiring.nights import alerts_of, gauges_of, reception_at, record_alerts
from include.wiring.runs import Run, Summary, manifests_of, summary, verdict
from include.wiring.source_tasks import CHANGED

log = logging.getLogger(__name__)


@cache
def application() -> Application:
    """The installation of this process, from its environment; credentials come from Airflow Connections."""
    return Application.from_environment(os.environ, ConnectionSecrets())


def current_run() -> Run:
    context = get_current_context()
    return Run(context["dag"].dag_id, context["run_id"], context["ti"].try_number)


def run_started_at() -> datetime:
    dag_run = get_current_context()["dag_run"]
    return dag_run.start_date or dag_run.run_after


def triggering_user() -> str:
    """Who started this run: with a login of Airflow, or at a shell with `airflow dags trigger`. Raises ConfigError when
    nobody did: a change of metadata has an author."""
    dag_run = get_current_context()["dag_run"]
    name = getattr(dag_run, "triggering_user_name", None)
    if not name:
        raise ConfigError(f"run {dag_run.run_id}: nobody is named as having started it; start it from Airflow's pages")
    return str(name)


@contextmanager
def deciding() -> Iterator[None]:
    """Our errors as Airflow's: what may succeed later is retried, what cannot is failed at once."""
    try:
        yield
    except Retriable as error:
        raise AirflowException(str(error)) from error
    except (Fatal, Held) as error:
        raise AirflowFailException(str(error)) from error


def label(text: str) -> None:
    """The name of this mapped task in the UI."""
    get_current_context()["label"] = text  # type: ignore[typeddict-unknown-key]


def reported(manifest: Manifest, outlet_events: Any) -> Summary:
    """The gauges of this run, and an asset event `truecopy://<source>` if it changed something; a nudge, it carries no
    work. Returns what the task returns."""
    emit(manifest)
    if any(outcome.state not in ("held", "kept", "failed", "planned") for outcome in manifest.outcomes):
        outlet_events[CHANGED].add(Asset(f"truecopy://{manifest.source}"), extra={"run_id": manifest.run_id})
    return summary(manifest)


def request_conf(request: Request) -> dict[str, Any]:
    """What triggers the question about a held plan; a moot one is triggered again so that it withdraws itself."""
    return {"trigger_run_id": request.run_id, "conf": {"source": request.source, "checksum": request.checksum}}


def fail_unless_true(sources: Sequence[str]) -> None:
    """The run is as red as its manifests say. They are read here: a task's state or XCom can be set by hand."""
    found = manifests_of(application(), sources, current_run())
    why = verdict(found)
    if not sources:
        why = ["no source was looked at: the task `sources` failed"]
    if why:
        raise AirflowFailException("\n".join(why))


def fail_unless_applied(source: str) -> None:
    """The same for the run that carried out a held plan, of whichever kind."""
    run = current_run()
    found: dict[str, Manifest | None] = {source: None}
    for dag_id in (run.dag_id, RESOLVE, DETECT, APPLY):
        if found[source] is None:
            found = manifests_of(application(), [source], under(run, dag_id))
    if why := verdict(found):
        raise AirflowFailException("\n".join(why))


def fail_unless_followed(sources: Sequence[str]) -> None:
    """The same for a run that followed the events of these sources."""
    why = not_followed(application(), sources, current_run())
    if why:
        raise AirflowFailException("\n".join(why))


def emit(manifest: Manifest) -> list[Gauge]:
    """Send the gauges of a manifest through Airflow's own metrics, and log them."""
    return _send(gauges_of(application(), manifest))


def emit_events(sources: Sequence[str]) -> list[Gauge]:
    """The same for what came through the doors of these sources; those without a webhook have no such gauges."""
    app = application()
    receptions = [reception for source in sources if (reception := reception_at(app, source))]
    return _send([gauge for each in receptions for gauge in reception_gauges(each, app.clock.now())])


def emit_evaluation(judged: Sequence[Judged]) -> list[Gauge]:
    """The gauges of an evaluation; the set stands where others have a source."""
    return _send(gauges_of_evaluation(judged))


def fail_if_worse(path: str) -> None:
    """The run is as red as the evaluation that it kept: it is read from there and compared again."""
    if why := why_red(application(), path):
        raise AirflowFailException("\n".join(why))


def _send(found: list[Gauge]) -> list[Gauge]:
    from airflow.sdk.configuration import conf
    from airflow.sdk.observability import stats

    # Plain StatsD has no tags: the source has to be in the name there, or sources would overwrite each other.
    tagged = not conf.getboolean("metrics", "statsd_on", fallback=False) or conf.getboolean(
        "metrics", "statsd_influxdb_enabled", fallback=False
    )
    for gauge in found:
        tags = tags_of(gauge)
        if tagged:
            stats.gauge(gauge.name, gauge.value, tags=tags)
        else:
            stats.gauge(plain_name(gauge), gauge.value)
        log.info("%s{%s} %g", gauge.name, ",".join(f"{name}={value}" for name, value in tags.items()), gauge.value)
    return found


def raise_alerts(sources: Sequence[str], *, only: Sequence[str] = ()) -> list[Alert]:
    """Put every alarm of these sources into the log and the night's manifest, and send it to the configured notifiers;
    `only` some kinds of alarm, and no manifest is touched then.

    A notifier that fails is an alarm of its own in the log; it never hides the others.
    """
    app = application()
    look = alerts_of if only else record_alerts
    found = [alert for source in sources for alert in look(app, source) if not only or alert.name in only]
    for alert in found:
        log.error("ALERT %s: %s", alert.name, alert.message)
        for chosen in app.settings.alerts:
            text = f"[truecopy] {alert.name}: {alert.message}"
            try:
                notifier = pkgutil.resolve_name(chosen.notifier)(**{**chosen.options, chosen.message_key: text})
                notifier.notify(get_current_context())
            except Exception:
                log.exception("alert %s of %s could not be sent by %s", alert.name, alert.source, chosen.notifier)
    return found
