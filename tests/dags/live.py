"""A whole Airflow with truecopy's own DAGs, a Git repository as source and the embedded index, for tests."""

from __future__ import annotations

import itertools
import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from include.wiring.application import Application
from scripts.airflow_client import AirflowClient
from scripts.airflow_local import LocalAirflow, any_free_port

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Repository:
    """A Git repository of Markdown pages that a test edits."""

    folder: Path

    def commit(self, pages: dict[str, str] | None = None, remove: Sequence[str] = ()) -> None:
        if not (self.folder / ".git").exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            self._git("init", "-q")
        for name, text in (pages or {}).items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for name in remove:
            (self.folder / name).unlink()
        self._git("add", "-A")
        self._git("commit", "-q", "--allow-empty", "-m", "edit")

    def _git(self, *arguments: str) -> None:
        identity = ("-c", "user.name=editor", "-c", "user.email=editor@example.org")
        subprocess.run(["git", *identity, *arguments], cwd=self.folder, check=True, capture_output=True)


@dataclass(frozen=True, slots=True)
class Installation:
    """One running Airflow, its sources, and the same installation seen from this process."""

    airflow: LocalAirflow
    application: Application
    repositories: dict[str, Repository]
    environment: dict[str, str] = field(repr=False)

    def client(self, account: str = "admin") -> AirflowClient:
        return AirflowClient(self.airflow.url, account, self.airflow.password(account))

    def run(self, dag_id: str, conf: dict[str, object] | None = None, *, timeout: float = 300) -> tuple[str, str]:
        """Trigger a DAG and wait for its end; returns (run id, state)."""
        client = self.client()
        run_id = client.trigger(dag_id, f"test-{next(_numbers)}", conf)
        return run_id, client.wait(dag_id, run_id, timeout=timeout)


def settings(
    folder: Path, sources: Sequence[str], webhooks: Mapping[str, Mapping[str, object]] | None = None
) -> tuple[Path, dict[str, str]]:
    """A settings file with Git sources below `folder`, some with a webhook, and the environment that names it."""
    lines = [f'store: {{url: "edge:{folder}/state/index"}}', "sources:"]
    for source in sources:
        webhook = f", webhook: {json.dumps(webhooks[source])}" if source in (webhooks or {}) else ""
        lines.append(f"  {source}: {{kind: git_markdown, options: {{location: {folder / source}}}{webhook}}}")
    path = folder / "truecopy.yaml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path, {
        "TRUECOPY_CONFIG": str(path),
        "TRUECOPY_STATE": str(folder / "state"),
        "TRUECOPY_LEDGER": str(folder / "state" / "ledger"),
    }


def use_settings(
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    sources: Sequence[str] = ("handbook",),
    webhooks: Mapping[str, Mapping[str, object]] | None = None,
) -> dict[str, str]:
    """The same as this process's own environment, which is returned."""
    _, environment = settings(folder, sources, webhooks)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return environment


@contextmanager
def installation(
    folder: Path,
    sources: Sequence[str] = ("handbook",),
    extra: dict[str, str] | None = None,
    webhooks: Mapping[str, Mapping[str, object]] | None = None,
) -> Iterator[Installation]:
    """Start everything below `folder`, stop it at the end."""
    _, environment = settings(folder, sources, webhooks)
    environment |= extra or {}
    airflow = LocalAirflow(home=folder / "airflow", port=any_free_port(), overrides=environment)
    repositories = {source: Repository(folder / source) for source in sources}
    airflow.start(say=lambda _: None)
    try:
        yield Installation(airflow, Application.from_environment(environment), repositories, environment)
    finally:
        airflow.stop(say=lambda _: None)
