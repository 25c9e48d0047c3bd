"""Gauges leave through Airflow's own metrics, and a scrape says the same: one number, one name, three ways."""

from __future__ import annotations

import gzip
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

from include.telemetry.scraping import SCRAPE_GAUGES
from tests.dags.conftest import PROJECT
from tests.dags.live import Repository, settings
from tests.monitored import Series, read

WORK = """
import sys
from include.telemetry.exposition import exposition
from include.wiring.airflow import application, emit, emit_events
from include.wiring.clock import SystemClock
from include.wiring.metrics import every_gauge
from include.wiring.runs import Run, reconcile_source
from include.wiring.staleness import detect_source
from tests.fakes.clock import FakeClock

app = application()
app.__dict__["clock"] = FakeClock(SystemClock().now())  # all three ways are asked within the same moment
run = Run("reconcile_index", sys.argv[1])
night, found = reconcile_source(app, "hand-book", run), detect_source(app, "hand-book", run)
for manifest in (night, found):
    emit(manifest)
emit_events(["hand-book"])
sys.stdout.write("scraped:" + exposition(every_gauge(app)).decode())
"""
WEBHOOK = {"hand-book": {"scheme": "github", "conn_id": "hook"}}


class Collector(BaseHTTPRequestHandler):
    """Keeps what is posted to it."""

    received: list[bytes]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        body = gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body
        if self.path.endswith("/v1/metrics"):
            type(self).received.append(body)
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def collector() -> Iterator[tuple[int, list[bytes]]]:
    received: list[bytes] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Kept", (Collector,), {"received": received}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1], received
    server.shutdown()
    server.server_close()


@dataclass
class StatsdServer:
    """Keeps every packet, in order."""

    socket: socket.socket
    packets: list[str] = field(default_factory=list)

    @property
    def port(self) -> int:
        return int(self.socket.getsockname()[1])

    def drained(self) -> list[str]:
        self.socket.setblocking(False)
        while True:
            try:
                self.packets += self.socket.recv(65_536).decode().splitlines()
            except BlockingIOError:
                return self.packets


@pytest.fixture
def statsd() -> Iterator[StatsdServer]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_000_000)
        listening.bind(("127.0.0.1", 0))
        yield StatsdServer(listening)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A repository, and the environment of an installation that has it as its source."""
    folder = tmp_path_factory.mktemp("metrics")
    _, environment = settings(folder, ("hand-book",), WEBHOOK)
    Repository(folder / "hand-book").commit(
        {"a.md": "# A\n\nOne page.\n", "b.md": "---\ndate: 2024-02-01\n---\n# B\n\nTwo.\n"}
    )
    return environment


def scraped_after(source: Mapping[str, str], run_id: str, **metrics: str) -> Series:
    """Two runs that send their gauges, and what a scrape in the same moment says."""
    airflow = {f"AIRFLOW__METRICS__{name}": value for name, value in metrics.items()}
    environment = {**os.environ, **source, **airflow, "PYTHONPATH": str(PROJECT)}
    command = [sys.executable, "-c", WORK, run_id]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stderr[-2000:]
    return read(done.stdout.rpartition("scraped:")[2].encode())


def as_prometheus(name: str, tags: Mapping[str, str]) -> tuple[str, frozenset[tuple[str, str]]]:
    return name.removeprefix("airflow.").replace(".", "_"), frozenset(tags.items())


def assert_same(sent: Mapping[tuple[str, frozenset[tuple[str, str]]], float], scraped: Series) -> None:
    told_here_only = {name.replace(".", "_") for name in SCRAPE_GAUGES}
    comparable = {key: number for key, number in scraped.items() if key[0] not in told_here_only}
    assert len(comparable) > 50
    assert sent.keys() == comparable.keys()
    wrong = {
        key: (sent[key], number) for key, number in comparable.items() if sent[key] != pytest.approx(number, abs=0.01)
    }
    assert wrong == {}


def test_opentelemetry_gets_what_a_scrape_says(source: dict[str, str], collector: tuple[int, list[bytes]]) -> None:
    port, received = collector
    scraped = scraped_after(source, "otel", OTEL_ON="True", OTEL_HOST="127.0.0.1", OTEL_PORT=str(port))
    sent = {}
    for metric in (metric for body in received for metric in metrics_of(body)):
        if metric.name.startswith(("airflow.rag.", "airflow.truecopy.")):
            for point in metric.gauge.data_points:
                tags = {each.key: each.value.string_value for each in point.attributes}
                sent[as_prometheus(metric.name, tags)] = point.as_double or float(point.as_int)
    assert_same(sent, scraped)


def metrics_of(body: bytes) -> Iterator[Any]:
    for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics:
        for scope in resource.scope_metrics:
            yield from scope.metrics


def test_statsd_with_tags_gets_what_a_scrape_says(source: dict[str, str], statsd: StatsdServer) -> None:
    scraped = scraped_after(
        source,
        "statsd",
        STATSD_ON="True",
        STATSD_HOST="127.0.0.1",
        STATSD_PORT=str(statsd.port),
        STATSD_INFLUXDB_ENABLED="True",
    )
    sent = {}
    for packet in statsd.drained():
        name, _, number = packet.partition(":")
        name, *tags = name.split(",")
        if name.startswith(("airflow.rag.", "airflow.truecopy.")):
            sent[as_prometheus(name, dict(tag.split("=") for tag in tags))] = float(number.partition("|")[0])
    assert_same(sent, scraped)
