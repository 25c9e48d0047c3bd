"""Gauges leave the process through Airflow's own metrics: OpenTelemetry with the source as an attribute."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.dags.conftest import PROJECT
from tests.dags.live import Repository, settings

EMIT = """
from include.wiring.airflow import application, emit
from include.wiring.runs import Run, reconcile_source
emit(reconcile_source(application(), "handbook", Run("reconcile_index", "metrics")))
"""


class Collector(BaseHTTPRequestHandler):
    """Keeps what is posted to it."""

    received: list[tuple[str, bytes]]

    def do_POST(self) -> None:
        type(self).received.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def collector() -> Iterator[tuple[int, list[tuple[str, bytes]]]]:
    received: list[tuple[str, bytes]] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Kept", (Collector,), {"received": received}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1], received
    server.shutdown()


def test_gauges_reach_an_opentelemetry_collector_with_their_source(
    tmp_path: Path, collector: tuple[int, list[tuple[str, bytes]]]
) -> None:
    port, received = collector
    _, environment = settings(tmp_path, ("handbook",))
    Repository(tmp_path / "handbook").commit({"a.md": "# A\n\nOne page.\n"})
    environment |= {
        "AIRFLOW__METRICS__OTEL_ON": "True",
        "AIRFLOW__METRICS__OTEL_HOST": "127.0.0.1",
        "AIRFLOW__METRICS__OTEL_PORT": str(port),
        "PYTHONPATH": str(PROJECT),
    }
    done = subprocess.run(
        [sys.executable, "-c", EMIT], env={**os.environ, **environment}, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr[-2000:]
    bodies = b"".join(body for path, body in received if path.endswith("/v1/metrics"))
    for name in (b"rag.docs", b"rag.orphan_docs.remaining", b"rag.embedded_over_minimum", b"rag.listing_proven"):
        assert name in bodies, f"{name!r} did not arrive; {len(received)} posts did"
    assert b"handbook" in bodies
