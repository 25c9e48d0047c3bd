"""The script that keeps Prometheus' token of Airflow fresh: a new one, or the old one as it was."""

from __future__ import annotations

import json
import stat
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from scripts.metrics_token import main

ACCOUNT = {"AIRFLOW_METRICS_USER": "prometheus", "AIRFLOW_METRICS_PASSWORD": "of-the-account"}


class Airflow(BaseHTTPRequestHandler):
    """Gives a token to the right account, and an empty answer to one that is called `broken`."""

    def do_POST(self) -> None:
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        right = self.path == "/auth/token" and sent["password"] == ACCOUNT["AIRFLOW_METRICS_PASSWORD"]
        body = b"{}" if sent["username"] == "broken" else b'{"access_token": "eyJ.new"}'
        self.send_response(201 if right else 401)
        self.end_headers()
        self.wfile.write(body if right else b"no")

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def airflow() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Airflow)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()


def test_a_token_is_put_where_prometheus_reads_it_and_keeps_the_mode_of_the_file(airflow: str, tmp_path: Path) -> None:
    target = tmp_path / "token"
    assert main([airflow, str(target)], ACCOUNT) == 0
    assert target.read_text() == "eyJ.new"
    assert stat.S_IMODE(target.stat().st_mode) & 0o007 == 0
    target.chmod(0o644)
    assert main([airflow, str(target)], ACCOUNT) == 0
    assert stat.S_IMODE(target.stat().st_mode) == 0o644
    assert [path.name for path in tmp_path.iterdir()] == ["token"]


@pytest.mark.parametrize(
    ("account", "said"),
    [({"AIRFLOW_METRICS_PASSWORD": "another"}, "401"), ({"AIRFLOW_METRICS_USER": "broken"}, "access_token")],
)
def test_what_is_no_token_leaves_the_old_one_and_is_told_without_the_password(
    airflow: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], account: dict[str, str], said: str
) -> None:
    target = tmp_path / "token"
    target.write_text("eyJ.old")
    assert main([airflow, str(target)], {**ACCOUNT, **account}) == 1
    assert target.read_text() == "eyJ.old"
    told = capsys.readouterr().err
    assert said in told
    assert not [each for each in (*ACCOUNT.values(), "another") if each in told and each != "prometheus"]


def test_an_airflow_that_does_not_answer_and_a_wrong_call_are_told_apart(tmp_path: Path) -> None:
    assert main(["http://127.0.0.1:9/", str(tmp_path / "token")], ACCOUNT) == 1
    assert main(["127.0.0.1", str(tmp_path / "token")], ACCOUNT) == 2
    assert main(["http://127.0.0.1:9/", str(tmp_path / "token")], {}) == 2
    assert list(tmp_path.iterdir()) == []
