"""Settings, heartbeats and retries, against a small server that answers as Airflow does."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from scripts.airflow_client import AirflowClient, AirflowRequestError
from scripts.airflow_local import PROJECT, LocalAirflow

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


class Script(BaseHTTPRequestHandler):
    """Answers what was put into `answers`, in order, the last one for ever; logins always succeed."""

    answers: ClassVar[list[tuple[int, object]]] = []
    seen: ClassVar[list[str]] = []

    def _answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        Script.seen.append(f"{self.command} {self.path}")
        status, body = (201, {"access_token": "token"}) if self.path == "/auth/token" else Script.answers[0]
        if self.path != "/auth/token" and len(Script.answers) > 1:
            Script.answers.pop(0)
        payload = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    do_GET = do_POST = do_PATCH = _answer  # noqa: N815  the names are http.server's

    def log_message(self, format: str, *args: object) -> None:
        """Nothing on the terminal."""


@pytest.fixture
def server() -> Iterator[str]:
    Script.answers, Script.seen = [], []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Script)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def client(server: str) -> AirflowClient:
    return AirflowClient(server, "admin", "secret", attempts=3)


def installation(home: Path, **environment: str) -> LocalAirflow:
    return LocalAirflow(home=home, inherited=environment)


def test_a_database_left_over_in_the_shell_is_not_migrated(tmp_path: Path) -> None:
    stray = "postgresql://production/airflow"
    airflow = installation(
        tmp_path, AIRFLOW__DATABASE__SQL_ALCHEMY_CONN=stray, AIRFLOW__DATABASE__SQL_ALCHEMY_SCHEMA="x"
    )
    environment = airflow.environment(8080)
    assert environment["AIRFLOW__DATABASE__SQL_ALCHEMY_CONN"] == f"sqlite:///{tmp_path / 'airflow.db'}"
    assert "AIRFLOW__DATABASE__SQL_ALCHEMY_SCHEMA" not in environment


def test_metrics_connections_and_our_own_settings_of_the_shell_are_passed_on(tmp_path: Path) -> None:
    given = {
        "AIRFLOW__METRICS__STATSD_ON": "True",
        "AIRFLOW_CONN_CMS": "http://cms",
        "TRUECOPY_STATE": "/elsewhere",
        "HELPCENTER_URL": "http://help",
    }
    environment = installation(tmp_path, **given).environment(8080)
    assert given.items() <= environment.items()
    assert environment["TRUECOPY_CONFIG"] == str(PROJECT / "config" / "truecopy.yaml")
    assert "TRUECOPY_LEDGER" not in environment, "what the settings file says counts, here as for the command line"


def test_bytecode_is_written_whatever_the_shell_says(tmp_path: Path) -> None:
    assert "PYTHONDONTWRITEBYTECODE" not in installation(tmp_path, PYTHONDONTWRITEBYTECODE="1").environment(8080)


def test_the_library_comes_first_on_the_path_and_keys_stay_the_same(tmp_path: Path) -> None:
    first = installation(tmp_path, PYTHONPATH="/other").environment(8080)
    assert first["PYTHONPATH"] == f"{PROJECT}:/other"
    again = installation(tmp_path).environment(8080)
    assert first["AIRFLOW__API_AUTH__JWT_SECRET"] == again["AIRFLOW__API_AUTH__JWT_SECRET"]
    other = installation(tmp_path / "other").environment(8080)
    assert first["AIRFLOW__API_AUTH__JWT_SECRET"] != other["AIRFLOW__API_AUTH__JWT_SECRET"]


def test_a_heartbeat_from_before_the_start_is_not_believed(tmp_path: Path, server: str) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "port").write_text(server.rpartition(":")[2])

    def component(name: str, beat: datetime, status: str = "healthy") -> dict[str, str]:
        return {"status": status, f"latest_{name}_heartbeat": beat.isoformat()}

    old, new = NOW - timedelta(seconds=5), NOW + timedelta(seconds=5)
    health = {
        "scheduler": component("scheduler", old),
        "triggerer": component("triggerer", new),
        "dag_processor": component("dag_processor", new, "unhealthy"),
    }
    Script.answers = [(200, health)]
    assert installation(tmp_path).without_heartbeat(NOW) == ["scheduler", "dag-processor"]


def test_an_error_of_the_server_is_tried_again(client: AirflowClient) -> None:
    Script.answers = [(500, {}), (200, {"dag_run_id": "r"})]
    assert client.trigger("a", "r") == "r"
    assert Script.seen.count("POST /api/v2/dags/a/dagRuns") == 2


def test_a_run_that_was_stored_although_the_server_failed_is_a_success(client: AirflowClient) -> None:
    Script.answers = [(500, {}), (409, {})]
    assert client.trigger("a", "r") == "r"


def test_a_run_id_that_was_used_before_is_an_error(client: AirflowClient) -> None:
    Script.answers = [(409, {"detail": "used"})]
    with pytest.raises(AirflowRequestError) as error:
        client.trigger("a", "r")
    assert error.value.status == 409


def test_a_server_that_keeps_failing_is_reported_with_its_answer(client: AirflowClient) -> None:
    Script.answers = [(500, {"detail": "database is locked"})]
    with pytest.raises(AirflowRequestError, match=r"GET dags/a/dagRuns/r as admin: HTTP 500.*database is locked"):
        client.run("a", "r")


def test_an_expired_token_is_renewed(client: AirflowClient) -> None:
    Script.answers = [(401, {}), (200, {"state": "success"})]
    assert client.run("a", "r") == {"state": "success"}
    assert Script.seen.count("POST /auth/token") == 2
