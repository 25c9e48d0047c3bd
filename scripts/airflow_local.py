"""Airflow on one machine, without root and without containers: `python scripts/airflow_local.py up|down|status`.

Four processes (api-server, scheduler, dag-processor, triggerer) share one SQLite database below the project. They
listen on 127.0.0.1 only: `airflow standalone` would also open its log servers, ports 8793 and 8794, to the network.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import fcntl
import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
if str(PROJECT) not in sys.path:  # run as a file, Python puts scripts/ there instead
    sys.path.insert(0, str(PROJECT))

from scripts.process_group import ProcessGroup, stop_groups  # noqa: E402

# What the simple auth manager calls roles. One account each, so that every permission can be tried.
ACCOUNTS = {"admin": "admin", "op": "op", "editor": "user", "viewer": "viewer"}

COMPONENTS: Mapping[str, tuple[str, ...]] = {
    "api-server": ("api-server", "--host", "127.0.0.1"),
    "scheduler": ("scheduler", "--skip-serve-logs"),
    "dag-processor": ("dag-processor",),
    "triggerer": ("triggerer", "--skip-serve-logs"),
}

# Levels per namespace: LOGGING_LEVEL=WARNING would also silence what tasks print, in the task logs of the UI.
QUIET = " ".join(
    f"{name}=WARNING"
    for name in (
        *("airflow.jobs", "airflow.executors", "airflow.dag_processing", "airflow.models", "airflow.serialization"),
        *("airflow.api_fastapi", "airflow.sdk", "http.access", "uvicorn", "alembic", "supervisor"),
    )
)

# Settings of the caller that are meant for Airflow. All other AIRFLOW__ variables are dropped: a connection string
# left over in a shell would otherwise have `make up` migrate somebody's production database.
PASSED_ON = ("AIRFLOW__METRICS__", "AIRFLOW__TRACES__", "AIRFLOW__SMTP__", "AIRFLOW__EMAIL__", "AIRFLOW__SECRETS__")


POOL, POOL_SLOTS = "truecopy", "4"


class AirflowStartError(RuntimeError):
    """A process died or did not become healthy in time; the message has the end of its log."""


@dataclass(frozen=True, slots=True)
class LocalAirflow:
    """One installation: its folder, its settings, its processes. Nothing runs until `start`.

    `port`: the wanted port of the UI; None takes the one used before, else 8080, else any free one.
    `folder`: where the processes work; relative paths in truecopy's settings start there.
    `overrides`: further environment of all processes, e.g. another executor.
    """

    home: Path = PROJECT / ".airflow"
    port: int | None = None
    dags: Path = PROJECT / "dags"
    plugins: Path = PROJECT / "plugins"
    folder: Path = PROJECT
    overrides: Mapping[str, str] = field(default_factory=dict)
    inherited: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))

    def start(self, *, patience: float = 180.0, say: Callable[[str], None] = print) -> str:
        """Bring all processes up and wait until each reports a heartbeat; returns the URL of the UI.

        Running already: nothing is done. Running in part: the rest is stopped and all start anew. Raises
        AirflowStartError, and leaves nothing running, when a process dies or `patience` (seconds) is over.
        """
        with self._only_one_command():
            if all(process.alive for process in self.processes):
                return self.url
            self._end(say)
            port = self._choose_port()
            environment = self.environment(port)
            self._write_passwords()
            started_at = datetime.now(UTC)
            say("preparing the database")
            self._migrate(environment)
            try:
                for process in self.processes:
                    arguments = [*COMPONENTS[process.name]]
                    if process.name == "api-server":
                        arguments += ["--port", str(port)]
                    process.log.unlink(missing_ok=True)
                    process.spawn([sys.executable, "-m", "airflow", *arguments], environment, folder=self.folder)
                self._wait_healthy(started_at, patience, say)
            except BaseException:
                stop_groups(self.processes)
                raise
            return self.url

    def stop(self, say: Callable[[str], None] = print) -> None:
        """End all processes and what they forked. Stopping what does not run is fine."""
        if self.home.exists():
            with self._only_one_command():
                self._end(say)

    def status(self) -> dict[str, int | None]:
        """The process number of each component, None where it does not run."""
        return {process.name: process.pid for process in self.processes}

    @property
    def url(self) -> str:
        """Where the UI was last started. Raises FileNotFoundError before the first start."""
        return f"http://127.0.0.1:{int(self._port_file.read_text())}"

    def password(self, account: str = "admin") -> str:
        """The generated password of an account of this installation."""
        return str(json.loads(self.password_file.read_text())[account])

    @property
    def password_file(self) -> Path:
        return self.home / "passwords.json"

    @property
    def processes(self) -> tuple[ProcessGroup, ...]:
        return tuple(self.process(name) for name in COMPONENTS)

    def process(self, name: str) -> ProcessGroup:
        """The process group called `name`; also for what a caller runs beside the four, such as Celery workers."""
        return ProcessGroup(name, self.home / "run" / f"{name}.pid", self.home / "logs-of-processes" / f"{name}.log")

    def environment(self, port: int) -> dict[str, str]:
        """Everything a process of this installation needs in its environment, when the UI is at `port`."""
        url = f"http://127.0.0.1:{port}"
        keys = self._keys()
        kept = {
            name: value
            for name, value in self.inherited.items()
            if name.startswith(PASSED_ON) or not name.startswith(("AIRFLOW__", "AIRFLOW_CONFIG"))
        }
        kept.pop("PYTHONDONTWRITEBYTECODE", None)  # every task starts an interpreter: 2 s with bytecode, 8 s without
        python_path = [str(PROJECT), *filter(None, [kept.get("PYTHONPATH")])]
        return {
            "TRUECOPY_CONFIG": str(PROJECT / "config" / "truecopy.yaml"),
            **kept,
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", os.defpath)]),
            "PYTHONPATH": os.pathsep.join(python_path),  # `include` must be importable in every process
            "AIRFLOW_HOME": str(self.home),
            "AIRFLOW__CORE__DAGS_FOLDER": str(self.dags),
            "AIRFLOW__CORE__PLUGINS_FOLDER": str(self.plugins),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",  # a paused DAG answers no webhook
            "AIRFLOW__CORE__EXECUTOR": "LocalExecutor",
            "AIRFLOW__CORE__PARALLELISM": "6",  # LocalExecutor forks that many workers at once, the default is 32
            "AIRFLOW__CORE__FERNET_KEY": keys["fernet"],
            "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"{url}/execution/",
            "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": ",".join(f"{name}:{role}" for name, role in ACCOUNTS.items()),
            "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(self.password_file),
            "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{self.home / 'airflow.db'}",
            "AIRFLOW__API__BASE_URL": url,
            "AIRFLOW__API__WORKERS": "1",
            "AIRFLOW__API__SECRET_KEY": keys["session"],
            "AIRFLOW__API_AUTH__JWT_SECRET": keys["jwt"],
            "AIRFLOW__DAG_PROCESSOR__REFRESH_INTERVAL": "15",
            "AIRFLOW__DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": "10",
            # How late the end of a task may be noticed (default 5 s). An approval that is answered before that fails.
            "AIRFLOW__WORKERS__MIN_HEARTBEAT_INTERVAL": "2",
            "AIRFLOW__LOGGING__BASE_LOG_FOLDER": str(self.home / "logs"),
            "AIRFLOW__LOGGING__NAMESPACE_LEVELS": QUIET,
            "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
            **self.overrides,
        }

    @property
    def _port_file(self) -> Path:
        return self.home / "run" / "port"

    def _keys(self) -> dict[str, str]:
        """Random keys of this installation, made once. The JWT key is 64 bytes: less is warned about on every call."""
        return _private_json(
            self.home / "keys.json",
            lambda: {
                "jwt": secrets.token_hex(32),
                "session": secrets.token_hex(32),
                "fernet": base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
            },
        )

    def _write_passwords(self) -> None:
        _private_json(self.password_file, lambda: {name: secrets.token_urlsafe(16) for name in ACCOUNTS})

    def _choose_port(self) -> int:
        if self.port is not None:
            if not _is_free(self.port):
                raise AirflowStartError(f"port {self.port} of 127.0.0.1 is taken; choose another or leave out --port")
            chosen = self.port
        else:
            used_before = [int(self._port_file.read_text())] if self._port_file.exists() else []
            chosen = next((port for port in [*used_before, 8080] if _is_free(port)), 0) or any_free_port()
        self._port_file.parent.mkdir(parents=True, exist_ok=True)
        self._port_file.write_text(str(chosen))
        return chosen

    def _migrate(self, environment: Mapping[str, str]) -> None:
        """The database, and the pool without which no task of ours would ever start."""
        _airflow(["db", "migrate"], environment)
        _airflow(["pools", "set", POOL, POOL_SLOTS, "tasks that read sources or write the index"], environment)

    def _wait_healthy(self, started_at: datetime, patience: float, say: Callable[[str], None]) -> None:
        """Every process alive and every heartbeat younger than this start: one in the database may be of the last."""
        deadline = time.monotonic() + patience
        waiting: list[str] = []
        while True:
            for process in self.processes:
                if not process.alive:
                    raise AirflowStartError(
                        f"{process.name} ended while it was starting; the end of {process.log}:\n{process.last_lines()}"
                    )
            now_waiting = self.without_heartbeat(started_at)
            if not now_waiting:
                return
            if now_waiting != waiting:
                waiting = now_waiting
                say(f"waiting for {', '.join(waiting)}")
            if time.monotonic() > deadline:
                process = self.process(waiting[0])
                raise AirflowStartError(
                    f"{', '.join(waiting)}: not healthy after {patience:.0f} s; the end of {process.log}:\n"
                    f"{process.last_lines()}"
                )
            time.sleep(0.5)

    def without_heartbeat(self, started_at: datetime) -> list[str]:
        """Components that have not reported since `started_at`; only `api-server` while that does not answer."""
        try:
            with urllib.request.urlopen(f"{self.url}/api/v2/monitor/health", timeout=5) as answer:
                health = json.load(answer)
        except (urllib.error.URLError, OSError, ValueError):
            return ["api-server"]
        missing = []
        for name in ("scheduler", "dag-processor", "triggerer"):
            key = name.replace("-", "_")
            beat = health[key].get(f"latest_{key}_heartbeat")
            if health[key]["status"] != "healthy" or not beat or datetime.fromisoformat(beat) < started_at:
                missing.append(name)
        return missing

    def _end(self, say: Callable[[str], None]) -> None:
        running = [process for process in self.processes if process.members()]
        if running:
            say(f"stopping {', '.join(process.name for process in running)}")
        for name in stop_groups(self.processes):
            say(f"{name} did not end when asked and was killed")

    @contextlib.contextmanager
    def _only_one_command(self) -> Iterator[None]:
        """Two `up` at once would start eight processes on one database: the second waits."""
        self.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        with (self.home / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def ops_view_problem(url: str) -> str:
    """Why Airflow at `url` does not serve the ops view; empty when it does. Airflow answers 200 to paths that it does
    not know, and says nothing of a plugin that is broken: only a page that asks for the login is one of ours."""
    try:
        with urllib.request.urlopen(f"{url}/truecopy/", timeout=60) as answer:
            return f"{url}/truecopy/ answers {answer.status} to a stranger, the plugin is not loaded"
    except urllib.error.HTTPError as error:
        return "" if error.code == 401 else f"{url}/truecopy/ answers {error.code}"
    except OSError as error:
        return f"{url}/truecopy/ does not answer: {error}"


def _airflow(arguments: Sequence[str], environment: Mapping[str, str]) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "airflow", *arguments],
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode:
        end = "\n".join((result.stdout + result.stderr).splitlines()[-20:])
        raise AirflowStartError(f"`airflow {' '.join(arguments)}` ended with {result.returncode}:\n{end}")


def _private_json(path: Path, make: Callable[[], dict[str, str]]) -> dict[str, str]:
    """Read `path`; made first, whole or not at all and readable by its owner only, if it does not exist."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = path.with_suffix(".new")
        draft.unlink(missing_ok=True)
        draft.touch(mode=0o600, exist_ok=False)
        draft.write_text(json.dumps(make(), indent=2))
        draft.replace(path)
    return dict(json.loads(path.read_text()))


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a connection in TIME_WAIT does not take the port
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def any_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Airflow on this machine, for truecopy")
    parser.add_argument("command", choices=["up", "down", "status"])
    parser.add_argument("--home", type=Path, default=PROJECT / ".airflow", help="folder of its database, keys and logs")
    parser.add_argument("--port", type=int, help="port of the UI on 127.0.0.1 (default: as before, else 8080)")
    chosen = parser.parse_args(arguments)
    airflow = LocalAirflow(home=chosen.home.resolve(), port=chosen.port)

    if chosen.command == "down":
        airflow.stop()
        print("Airflow is down.")
        return 0
    if chosen.command == "status":
        for name, pid in airflow.status().items():
            print(f"{name:15}{f'running, process {pid}' if pid else 'not running'}")
        return 0 if all(airflow.status().values()) else 3
    try:
        url = airflow.start()
    except AirflowStartError as error:
        print(f"Airflow did not start: {error}", file=sys.stderr)
        return 1
    print(f"\nAirflow is up at {url}\n  user      admin\n  password  {airflow.password()}")
    print(f"  others    {', '.join(ACCOUNTS)}: their passwords are in {airflow.password_file}")
    if why := ops_view_problem(url):
        print(f"The ops view is not there: {why}. See {airflow.process('api-server').log}", file=sys.stderr)
    else:
        print(f"The ops view is in its menu under truecopy, and at {url}/truecopy/ by itself.")
    print("Stop it with `make down`.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
