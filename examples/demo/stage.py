"""What a demo stands on: a folder of its own, a real Airflow in it, and a way to run DAGs and talk about it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console
from rich.table import Table

from examples.demo.naive import NaiveIndex
from include.domain.errors import SourceUnavailable
from include.domain.manifest import Manifest
from include.services.reading import read_documents
from include.services.resolve_canonical import RESOLVE
from include.wiring.application import Application, Secrets
from include.wiring.runs import APPLY_HELD, INGEST, RECONCILE
from scripts.airflow_client import AirflowClient
from scripts.airflow_local import PROJECT, LocalAirflow
from scripts.process_group import ProcessGroup, stop_groups

FOLDER = PROJECT / ".demo"
HELPCENTER = ProcessGroup("helpcenter", FOLDER / "run" / "helpcenter.pid", FOLDER / "run" / "helpcenter.log")
console = Console(width=None if sys.stdout.isatty() else 110)


def tear_down() -> None:
    """Stop whatever an earlier demo left running; its folder stays until the next demo."""
    if FOLDER.exists():
        LocalAirflow(home=FOLDER / "airflow").stop(say=lambda _: None)
        stop_groups([HELPCENTER])


class Stage:
    """One demo installation below `.demo`, made anew: settings, state, index, Airflow."""

    def __init__(
        self, settings: str, secrets: Secrets | None = None, connections: Mapping[str, str] | None = None
    ) -> None:
        config = FOLDER / "truecopy.yaml"
        config.write_text(settings, encoding="utf-8")
        self.environment = {
            "TRUECOPY_CONFIG": str(config),
            "TRUECOPY_STATE": str(FOLDER / "state"),
            "TRUECOPY_LEDGER": str(FOLDER / "state" / "ledger"),
        }
        self.application = Application.from_environment(self.environment, secrets)
        self.airflow = LocalAirflow(
            home=FOLDER / "airflow",
            overrides={
                **self.environment,
                **{f"AIRFLOW_CONN_{name.upper()}": value for name, value in (connections or {}).items()},
                # Nothing runs by itself while the demo tells its story.
                "AIRFLOW__SCHEDULER__USE_JOB_SCHEDULE": "False",
            },
        )
        self._runs = 0

    def open(self) -> None:
        began = time.monotonic()
        with console.status("starting Airflow: scheduler, dag-processor, triggerer, API server") as status:
            self.airflow.start(say=lambda text: status.update(f"starting Airflow: {text}"))
            self.client = AirflowClient(self.airflow.url, "admin", self.airflow.password())
            for dag_id in (INGEST, RECONCILE, RESOLVE, APPLY_HELD):
                self.client.wait_for_dag(dag_id)
        console.print(f"[dim]Airflow is up at {self.airflow.url} after {time.monotonic() - began:.0f} s[/]")

    def run(self, dag_id: str, title: str) -> dict[str, Manifest]:
        """Run a DAG through the scheduler; returns the manifest it left for each source."""
        self._runs += 1
        run_id = f"demo-{self._runs}"
        began = time.monotonic()
        with console.status(f"{title}: {dag_id}") as status:
            self.client.trigger(dag_id, run_id)
            state = self.client.wait(
                dag_id, run_id, timeout=600, watch=lambda states: status.update(f"{title}: {_working(states)}")
            )
            if dag_id == RECONCILE:
                # What the night started goes on beside it; the story continues when both are done.
                self.client.wait(RESOLVE, f"after__{run_id}", timeout=600)
        console.print(f"[dim]{dag_id}: the run ended {state} after {time.monotonic() - began:.0f} s[/]")
        sources = sorted(self.application.settings.sources)
        found = {source: self.application.manifests.latest(source, dag_id=dag_id) for source in sources}
        return {source: manifests[0] for source, manifests in found.items()}

    def naive(self, source: str, index: NaiveIndex) -> None:
        """What the naive pipeline does on the same source: upsert everything that is listed."""
        with self.application.context(source) as context:
            listing = context.connector.list_documents()
            reading = read_documents(
                context.connector, sorted(listing.documents), context.extract, progress=lambda *_: None
            )
            for doc_id in reading.contents:
                index.upsert(reading.spool.get(doc_id))
            reading.spool.close()

    def naive_index(self) -> NaiveIndex:
        return NaiveIndex(self.application.embedder, self.application.chunk_tokens)

    def held(self, source: str) -> str:
        """Where a person answers the question about a held plan; waits until it is asked."""
        plan = self.application.ledger.held(source)
        assert plan is not None, f"{source}: the demo expected a held plan"
        self.client.wait_for_question(APPLY_HELD, f"held__{source}__{plan.checksum}")
        return f"{self.airflow.url}/required_actions"

    def close(self) -> None:
        """Leaves Airflow running, so that there is something to click, and says how to get in and how to stop it."""
        console.rule("Look around")
        console.print(
            f"  UI        {self.airflow.url}    user [bold]admin[/], password [bold]{self.airflow.password()}[/]"
        )
        console.print(f"  runs      {self.airflow.url}/dags/{RECONCILE}")
        console.print(f"  manifests {FOLDER / 'state' / 'manifests'}")
        console.print(f"  terminal  TRUECOPY_CONFIG={self.environment['TRUECOPY_CONFIG']} \\")
        console.print(f"            TRUECOPY_STATE={self.environment['TRUECOPY_STATE']} \\")
        console.print(f"            TRUECOPY_LEDGER={self.environment['TRUECOPY_LEDGER']} .venv/bin/truecopy status")
        console.print("  stop      make down")


def fresh_folder() -> None:
    tear_down()
    shutil.rmtree(FOLDER, ignore_errors=True)
    (FOLDER / "run").mkdir(parents=True)


def commit(folder: Path, message: str) -> None:
    """Commit everything below a folder that is, or becomes, a Git repository."""
    identity = ("-c", "user.name=Demo", "-c", "user.email=demo@example.org", "-c", "commit.gpgsign=false")
    if not (folder / ".git").exists():
        _git(folder, "init", "-q")
    _git(folder, "add", "-A")
    _git(folder, *identity, "commit", "-q", "--no-verify", "-m", message)


def _git(folder: Path, *arguments: str) -> None:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SourceUnavailable(f"git {' '.join(arguments)} in {folder}: {done.stderr.strip()}")


def show(manifests: Mapping[str, Manifest]) -> None:
    """Found and remaining, by source."""
    kinds = ("orphan", "stale", "partial", "missing")
    table = Table("source", "state", *kinds, "documents", "chunks", "embedded", "reused")
    for source, manifest in sorted(manifests.items()):
        found, left = manifest.found, manifest.remaining
        pairs = [f"{getattr(found, name)} → {getattr(left, name)}" if found and left else "-" for name in kinds]
        embedded = sum(outcome.embedded for outcome in manifest.outcomes)
        reused = sum(outcome.reused for outcome in manifest.outcomes)
        table.add_row(
            source,
            manifest.state.value,
            *pairs,
            *map(str, (manifest.documents, manifest.chunks, embedded, reused)),
        )
    console.print(table)


def connection(password: str) -> str:
    return json.dumps({"conn_type": "http", "password": password})


def _working(states: Mapping[str, str]) -> str:
    running = [task for task, state in states.items() if state in ("running", "queued", "scheduled")]
    return ", ".join(running) or "…"
