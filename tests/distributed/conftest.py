"""The production shape on one machine: Postgres, Redis, CeleryExecutor and two workers, without containers."""

from __future__ import annotations

import os
import pwd
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from scripts.airflow_client import AirflowClient
from scripts.airflow_local import PROJECT, LocalAirflow, any_free_port
from scripts.process_group import ProcessGroup, stop_groups, working_in

WORKERS = ("one", "two")

# A stand-in for work: says which worker did it, and can be held until the worker has been killed.
DAGS = """
    import os
    import time
    from datetime import timedelta
    from pathlib import Path

    from airflow.sdk import dag, get_current_context, task

    WORKER = os.environ.get("TEST_WORKER", "none")


    @dag(schedule=None)
    def spread():
        @task
        def pieces() -> list[int]:
            return list(range(12))

        @task
        def work(piece: int) -> str:
            time.sleep(1)
            return WORKER

        work.expand(piece=pieces())


    @dag(schedule=None, params={"folder": ""})
    def survive():
        @task(retries=2, retry_delay=timedelta(seconds=1))
        def hold() -> str:
            context = get_current_context()
            attempt = context["ti"].try_number
            (Path(context["params"]["folder"]) / f"attempt-{attempt}").write_text(WORKER)
            if attempt == 1:
                time.sleep(600)
            return WORKER

        hold()


    spread()
    survive()
"""


@pytest.fixture(scope="session")
def scratch() -> Iterator[Path]:
    """A folder that the account of Postgres may enter, too; pytest's own is closed to it."""
    folder = Path(tempfile.mkdtemp(prefix="truecopy-distributed-")).resolve()
    folder.chmod(0o755)
    yield folder
    assert working_in(folder) == [], f"processes were left running in {folder}"
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def redis_url(scratch: Path) -> Iterator[str]:
    program = shutil.which("redis-server") or _missing("redis-server (Debian package redis-server)")
    port = any_free_port()
    server = ProcessGroup("redis", scratch / "redis.pid", scratch / "redis.log")
    options = ["--bind", "127.0.0.1", "--port", str(port), "--save", "", "--appendonly", "no"]
    server.spawn([program, *options], os.environ, folder=scratch)
    try:
        _wait(lambda: _answers(port), 30, server)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        stop_groups([server])


@pytest.fixture(scope="session")
def postgres(scratch: Path) -> Iterator[str]:
    """`host:port` of a fresh cluster with a superuser `postgres` and no password; only this machine reaches it."""
    binaries = _postgres_binaries()
    port = any_free_port()
    data = scratch / "postgres"
    data.mkdir(mode=0o700)
    account: list[str] = []
    if os.geteuid() == 0:  # Postgres refuses to run as root
        name = "postgres" if any(user.pw_name == "postgres" for user in pwd.getpwall()) else "nobody"
        shutil.chown(data, name)
        account = ["runuser", "-u", name, "--"]
    initdb = [*account, str(binaries / "initdb"), "-D", str(data), "-U", "postgres", "--auth=trust", "--no-sync"]
    subprocess.run(initdb, check=True, capture_output=True, cwd="/")
    server = ProcessGroup("postgres", scratch / "postgres.pid", scratch / "postgres.log")
    listen = ["-p", str(port), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off"]
    server.spawn([*account, str(binaries / "postgres"), "-D", str(data), *listen], os.environ, folder=scratch)
    try:
        _wait(lambda: "ready to accept connections" in server.last_lines(), 30, server)
        yield f"127.0.0.1:{port}"
    finally:
        stop_groups([server])


@pytest.fixture(scope="session")
def airflow(scratch: Path, redis_url: str, postgres: str) -> Iterator[LocalAirflow]:
    """Airflow with the settings of docker-compose.yaml, but for addresses and folders.

    So what is proven here holds for the containers as well: the executor, the accounts, keys that all services share.
    A dead worker is noticed after 20 s instead of five minutes.
    """
    (scratch / "dags").mkdir()
    (scratch / "plugins").mkdir()
    (scratch / "dags" / "trial.py").write_text(textwrap.dedent(DAGS))
    database = f"postgresql+psycopg2://postgres@{postgres}/postgres"
    ours = {
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": database,
        "AIRFLOW__CELERY__BROKER_URL": redis_url,
        "AIRFLOW__CELERY__RESULT_BACKEND": f"db+postgresql://postgres@{postgres}/postgres",
        "AIRFLOW__CELERY__WORKER_CONCURRENCY": "2",
        "AIRFLOW__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
        "AIRFLOW__SCHEDULER__ENABLE_HEALTH_CHECK": "False",  # its port is fixed
        "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": "20",
        "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT_DETECTION_INTERVAL": "3",
    }
    airflow = LocalAirflow(
        home=scratch / "airflow",
        dags=scratch / "dags",
        plugins=scratch / "plugins",
        folder=scratch,
        overrides=_compose_settings() | ours,
    )
    airflow.start()
    try:
        first_account = ["--username", "admin", "--password", airflow.password(), "--role", "Admin"]
        name = ["--firstname", "First", "--lastname", "Admin", "--email", "admin@example.com"]
        subprocess.run(
            [sys.executable, "-m", "airflow", "users", "create", *first_account, *name],
            env=airflow.environment(int(airflow.url.rpartition(":")[2])),
            cwd=scratch,
            check=True,
            capture_output=True,
        )
        yield airflow
    finally:
        airflow.stop()


@pytest.fixture(scope="session")
def start_worker(airflow: LocalAirflow) -> Iterator[Callable[[str], ProcessGroup]]:
    """Starts a Celery worker by name and returns it when it takes work."""
    started: dict[str, ProcessGroup] = {}

    def start(name: str) -> ProcessGroup:
        worker = airflow.process(f"worker-{name}")
        worker.log.unlink(missing_ok=True)
        environment = airflow.environment(int(airflow.url.rpartition(":")[2])) | {"TEST_WORKER": name}
        command = [shutil.which("airflow", path=environment["PATH"]) or "airflow", "celery", "worker"]
        options = ["--skip-serve-logs", "--without-gossip", "--without-mingle", "--celery-hostname", f"{name}@test"]
        pid_file = ["--pid", str(airflow.home / "run" / f"celery-{name}.pid")]  # the default is one for the machine
        worker.spawn([*command, *options, *pid_file], environment, folder=airflow.folder)
        _wait(lambda: "ready." in worker.last_lines(200), 60, worker)
        started[name] = worker
        return worker

    yield start
    stop_groups(started.values())


@pytest.fixture(scope="session")
def workers(start_worker: Callable[[str], ProcessGroup]) -> dict[str, ProcessGroup]:
    return {name: start_worker(name) for name in WORKERS}


@pytest.fixture(scope="session")
def client(airflow: LocalAirflow) -> AirflowClient:
    return AirflowClient(airflow.url, "admin", airflow.password())


def _compose_settings() -> dict[str, str]:
    """Airflow's settings in docker-compose.yaml that name no other container, folder of the image or secret."""
    compose = yaml.safe_load((PROJECT / "docker-compose.yaml").read_text())
    elsewhere = re.compile(r"/opt/airflow|://|\$\{|^statsd-exporter$")
    return {
        name: value
        for name, value in compose["services"]["worker"]["environment"].items()
        if name.startswith("AIRFLOW__") and not elsewhere.search(value)
    }


def _postgres_binaries() -> Path:
    """Where `postgres` and `initdb` are; Debian keeps them off the PATH."""
    found = [Path(program).resolve().parent for name in ("postgres",) if (program := shutil.which(name))]
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    whole = [folder for folder in found if (folder / "postgres").exists() and (folder / "initdb").exists()]
    return whole[0] if whole else Path(_missing("postgres and initdb (Debian package postgresql)"))


def _missing(what: str) -> str:
    pytest.skip(f"{what} is not installed")


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _wait(done: Callable[[], bool], timeout: float, process: ProcessGroup) -> None:
    deadline = time.monotonic() + timeout
    while not done():
        if not process.alive or time.monotonic() > deadline:
            raise RuntimeError(f"{process.name} is not ready:\n{process.last_lines()}")
        time.sleep(0.2)
