"""A real Wagtail on 127.0.0.1: its own environment, a database of its own, and a way to hurt it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

import requests

from scripts.airflow_local import any_free_port
from scripts.process_group import ProcessGroup, stop_groups
from tests.cms.peers import environment, prepared

SITE = Path(__file__).parent / "wagtail_site"
SENDER = Path(__file__).parents[2] / "examples" / "webhooks" / "wagtail"
SOURCES = sorted(
    path for place in (SITE, SENDER) for path in place.rglob("*") if path.suffix in (".py", ".html", ".txt")
)
EDITOR, PASSWORD = "editor", "correct horse"


class WagtailProcess:
    """gunicorn with one worker. `folder` holds database and logs; they stay when it stops."""

    def __init__(self, folder: Path) -> None:
        """Raises PeerUnavailable."""
        python = prepared("wagtail", [SITE / "requirements.txt"], lambda to: _install(to)) / "bin" / "python"
        self.template = prepared("wagtail-database", SOURCES, lambda to: _migrate(python, to)) / "site.sqlite3"
        self.folder = folder
        self.database = folder / "site.sqlite3"
        port = any_free_port()
        self.url = f"http://127.0.0.1:{port}"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.template, self.database)
        with closing(sqlite3.connect(self.database)) as database, database:
            database.execute("UPDATE wagtailcore_site SET hostname = '127.0.0.1', port = ?", (port,))
        self._group = ProcessGroup("wagtail", folder / "wagtail.pid", folder / "wagtail.log")
        self._command = [str(python), "-m", "gunicorn", "wsgi", "--bind", f"127.0.0.1:{port}", "--threads", "4"]
        self._environment = {**os.environ, **_settings(folder, f"127.0.0.1:{port}")}
        self.start()

    def start(self) -> None:
        """Returns when it answers. Also after it was killed."""
        self._group.spawn(self._command, self._environment, folder=SITE)
        deadline = time.monotonic() + 60
        while not self.answers():
            if not self._group.alive or time.monotonic() > deadline:
                raise RuntimeError(f"Wagtail does not start:\n{self._group.last_lines()}")
            time.sleep(0.1)

    def answers(self) -> bool:
        try:
            return requests.get(f"{self.url}/api/v2/pages/", params={"limit": 1}, timeout=10).status_code == 200
        except requests.RequestException:
            return False

    def kill(self) -> None:
        """SIGKILL to master and worker."""
        self._group.signal(signal.SIGKILL)
        while self._group.members():
            time.sleep(0.02)

    def stop(self) -> None:
        stop_groups([self._group])

    def break_with(self, what: str, *, path: str = "/", after: int = 0, **answer: object) -> None:
        """From the request number `after` to `path` on, counted from now; see wagtail_site/handbook/faults.py."""
        _write(self.folder / "faults.json", {"what": what, "path": path, "after": after, **answer})

    def mend(self) -> None:
        (self.folder / "faults.json").unlink(missing_ok=True)

    @contextmanager
    def without_database(self, in_its_place: Path | None = None) -> Iterator[None]:
        """The file is moved away under the running site, and back at the end."""
        files = [path for path in self.folder.iterdir() if path.name.startswith(self.database.name)]
        aside = self.folder / "aside"
        aside.mkdir()
        for path in files:
            path.rename(aside / path.name)
        if in_its_place:
            shutil.copy(in_its_place, self.database)
        try:
            yield
        finally:
            for path in self.folder.iterdir():
                if path.name.startswith(self.database.name):
                    path.unlink()
            for path in aside.iterdir():
                path.rename(self.folder / path.name)
            aside.rmdir()

    def send_events_to(self, url: str, secret: str) -> None:
        place = self.folder / "events.json"
        if url:
            _write(place, {"url": url, "secret": secret})
        else:
            place.unlink(missing_ok=True)


def _install(folder: Path) -> None:
    environment(folder, SITE / "requirements.txt")


def _migrate(python: Path, folder: Path) -> None:
    """An empty site with one editor. The slow part of a first start: 7 s of migrations."""
    account = {
        "DJANGO_SUPERUSER_USERNAME": EDITOR,
        "DJANGO_SUPERUSER_PASSWORD": PASSWORD,
        "DJANGO_SUPERUSER_EMAIL": "editor@example.org",
    }
    for command in (["migrate", "--verbosity=0"], ["createsuperuser", "--noinput"]):
        subprocess.run(
            [str(python), "-m", "django", *command],
            env={**os.environ, **_settings(folder, "127.0.0.1:80"), **account},
            cwd=SITE,
            check=True,
            capture_output=True,
        )
    with closing(sqlite3.connect(folder / "site.sqlite3")) as database:
        database.execute("PRAGMA journal_mode=DELETE")  # one file to copy


def _settings(folder: Path, address: str) -> Mapping[str, str]:
    return {
        "SITE_FOLDER": str(folder),
        "SITE_ADDRESS": address,
        "DJANGO_SETTINGS_MODULE": "settings",
        "PYTHONPATH": f"{SITE}{os.pathsep}{SENDER}",
    }


def _write(path: Path, content: Mapping[str, object]) -> None:
    """Whole or not at all: the site may read it at this moment."""
    new = path.with_suffix(".new")
    new.write_text(json.dumps(content))
    new.replace(path)
