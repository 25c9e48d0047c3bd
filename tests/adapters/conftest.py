"""`truecopy serve` on an index of its own, started by the interpreter that has truecopy's dependencies.

These tests run in an environment that has none of them but `requests` (`make test-adapters`), as a program would that
uses the retrievers. Elsewhere they are skipped.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

KEY = "a-key-of-the-assistant-000"
INTERPRETER = os.environ.get("TRUECOPY_PYTHON", sys.executable)
ROOT = Path(__file__).parents[2]

CONNECTORS = {2023: 20, 2024: 25, 2025: 40}
PAGES = {
    **{f"page-{number:02}.md": f"# Page {number}\n\nThe number is {number * 37}.\n" for number in range(12)},
    **{
        f"decks/{year}.md": f"---\ntitle: Sales deck {year}\ndate: {year}-01-15\n---\n\nWe sell {count} connectors.\n"
        for year, count in CONNECTORS.items()
    },
}


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Its address."""
    folder = tmp_path_factory.mktemp("served")
    environment = _installation(folder)
    log = folder / "server.log"
    with log.open("w") as output:
        process = _truecopy(environment, output, "serve", "--port", "0")
        try:
            yield _address(process, log)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)
    assert KEY not in log.read_text()


def _installation(folder: Path) -> dict[str, str]:
    """A Git source, synced once; returns the environment that names it."""
    pages = folder / "handbook"
    for name, text in PAGES.items():
        (pages / name).parent.mkdir(parents=True, exist_ok=True)
        (pages / name).write_text(text, encoding="utf-8")
    identity = ("-c", "user.name=editor", "-c", "user.email=editor@example.org")
    for command in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "as it is")):
        subprocess.run(["git", *identity, *command], cwd=pages, check=True, capture_output=True)
    settings = folder / "truecopy.yaml"
    settings.write_text(
        f'store: {{url: "edge:{folder}/state/index"}}\n'
        f'sources: {{handbook: {{kind: git_markdown, options: {{location: "{pages}"}}}}}}\n',
        encoding="utf-8",
    )
    environment = {
        **os.environ,
        "TRUECOPY_CONFIG": str(settings),
        "TRUECOPY_STATE": str(folder / "state"),
        "TRUECOPY_LEDGER": str(folder / "state" / "ledger"),
        "TRUECOPY_API_KEYS": f"assistant:{KEY}",
    }
    log = folder / "night.log"
    with log.open("w") as output:
        code = _truecopy(environment, output, "reconcile", "--json").wait(120)
    assert code == 0, log.read_text()
    return environment


def _truecopy(environment: dict[str, str], output: object, *arguments: str) -> subprocess.Popen[bytes]:
    command = [INTERPRETER, "-m", "include.cli", *arguments]
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=output)  # type: ignore[call-overload]


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + 60
    while not (found := re.search(r"running on (http://[0-9.]+:\d+)", log.read_text())):
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.1)
    return found[1]
