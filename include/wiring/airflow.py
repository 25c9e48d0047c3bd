"""Airflow's side of the wiring: connections, the current run, errors, gauges, alerts."""

from __future__ import annotations

import logging
import os
import pkgutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from typing import Any

from airflow.sdk import Asset, Connection, get_current_context
from airflow.sdk.exceptions import AirflowException, AirflowFailException, AirflowNotFoundException
from airflow.sdk.log import mask_secret

from include.connectors.credentials import Credentials
from include.domain.errors import ConfigError, Fatal, Held, Retriable
from include.domain.manifest import Gauge, Manifest
from include.telemetry.alerts import Alert
from include.wiring.application import Application
from include.wiring.held_plans import Request
from include.wiring.nights import alerts_of, gauges_of, record_alerts
from include.wiring.runs import Run, manifests_of, verdict

log = logging.getLogger(__name__)


@cache
def application() -> Application:
    """The installation of this process, from its environment; credentials come from Airflow Connections."""
    return Application.from_environment(os.environ, ConnectionSecrets())


class ConnectionSecrets:
    """Airflow Connections as the credentials of sources and stores. Implements application.Secrets.

    A connection in the environment (`AIRFLOW_CONN_<ID>`) is read from there; Airflow's secrets backends and its
    database are asked for the others only.
    """

    def credentials(self, conn_id: str) -> Credentials:
        """Login and password are HTTP basic; a password alone is a bearer token. `headers` and `params` of the
        connection's extra are taken as they are, with `{password}` replaced."""
        connection = self._connection(conn_id)
        password = connection.password or ""

        def filled(name: str) -> dict[str, str]:
            values = connection.extra_dejson.get(name) or {}
            return {str(key): str(value).replace("{password}", password) for key, value in values.items()}

        headers, params = filled("headers"), filled("params")
        if connection.login:
            return Credentials(headers=headers, basic=(connection.login, password), params=params)
        if password and not headers and not params:
            headers = {"Authorization": f"Bearer {password}"}
        return Credentials(headers=headers, params=params)

    def password(self, conn_id: str) -> str:
        return self._connection(conn_id).password or ""

    def _connection(self, conn_id: str) -> Connection:
        variable = f"AIRFLOW_CONN_{conn_id.upper()}"
        written = os.environ.get(variable)
        if written:
            try:
                is_json = written.lstrip().startswith("{")
                found = Connection.from_json(written, conn_id) if is_json else Connection.from_uri(written, conn_id)
            except Exception:  # noqa: BLE001 (whatever is wrong with it, its text may hold the password)
                raise ConfigError(
                    f"{variable} is neither a connection's JSON nor its URI; write "
                    '{"conn_type": "http", "login": "…", "password": "…"}',
                    conn_id=conn_id,
                ) from None
            mask_secret(found.password)
            return found
        try:
            stored: Connection = Connection.get(conn_id)
            return stored
        except AirflowNotFoundException:
            raise ConfigError(
                f"connection {conn_id!r} is not known: set {variable} in the environment of this process, or add it in "
                "Airflow (Admin, Connections) or the secrets backend that Airflow is configured with",
                conn_id=conn_id,
            ) from None


def current_run() -> Run:
    context = get_current_context()
    return Run(context["dag"].dag_id, context["run_id"], context["ti"].try_number)


def run_started_at() -> datetime:
    dag_run = get_current_context()["dag_run"]
    return dag_run.start_date or dag_run.run_after


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


def announce(outlet_events: Any, alias: Any, manifest: Manifest) -> None:
    """An asset event `truecopy://<source>` if the run changed something; a nudge, it carries no work."""
    if any(outcome.state not in ("held", "kept", "failed") for outcome in manifest.outcomes):
        outlet_events[alias].add(Asset(f"truecopy://{manifest.source}"), extra={"run_id": manifest.run_id})


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


def emit(manifest: Manifest) -> list[Gauge]:
    """Send the gauges of a manifest through Airflow's own metrics, and log them."""
    from airflow.sdk.configuration import conf
    from airflow.sdk.observability import stats

    # Plain StatsD has no tags: the source has to be in the name there, or sources would overwrite each other.
    tagged = not conf.getboolean("metrics", "statsd_on", fallback=False) or conf.getboolean(
        "metrics", "statsd_influxdb_enabled", fallback=False
    )
    found = gauges_of(application(), manifest)
    for gauge in found:
        slug = gauge.source.replace("-", "_")
        if tagged:
            stats.gauge(gauge.name, gauge.value, tags={"source": gauge.source})
        else:
            stats.gauge(f"{gauge.name}.{slug}", gauge.value)
        log.info("%s{source=%s} %g", gauge.name, gauge.source, gauge.value)
    return found


def raise_alerts(sources: Sequence[str], *, only: str = "") -> list[Alert]:
    """Put every alarm of these sources into the log and the night's manifest, and send it to the configured notifiers;
    `only` one kind of alarm, and no manifest is touched then.

    A notifier that fails is an alarm of its own in the log; it never hides the others.
    """
    app = application()
    look = alerts_of if only else record_alerts
    found = [alert for source in sources for alert in look(app, source) if only in ("", alert.name)]
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
