"""`make up`, `make down` and the client against a real Airflow, started here with a DAG folder of its own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import stat
import textwrap
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from scripts.airflow_client import AirflowClient, AirflowRequestError
from scripts.airflow_local import ACCOUNTS, AirflowStartError, LocalAirflow
from scripts.process_group import working_in

pytestmark = pytest.mark.airflow

DAG = """
    from airflow.providers.standard.operators.hitl import ApprovalOperator
    from airflow.sdk import dag, task


    @dag(schedule=None)
    def greeting():
        @task
        def names() -> list[str]:
            return ["Ada", "Grace"]

        @task
        def greet(name: str) -> str:
            import include  # the library must be importable in a task

            return f"Hello {name}, {bool(include)}"

        @task
        def count(greetings: list[str]) -> int:
            return len(list(greetings))

        count(greet.expand(name=names()))


    @dag(schedule=None)
    def question():
        @task
        def after() -> str:
            return "answered"

        ApprovalOperator(task_id="ask", subject="Is this a question?") >> after()


    greeting()
    question()
"""


@pytest.fixture(scope="module")
def airflow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalAirflow]:
    folder = tmp_path_factory.mktemp("a folder with spaces")
    (folder / "dags").mkdir()
    (folder / "plugins").mkdir()
    (folder / "dags" / "trial.py").write_text(textwrap.dedent(DAG))
    airflow = LocalAirflow(home=folder / "home", dags=folder / "dags", plugins=folder / "plugins", folder=folder)
    with socket.socket() as occupant:  # the usual port is taken, by us or by somebody else
        occupant.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with contextlib.suppress(OSError):
            occupant.bind(("127.0.0.1", 8080))
            occupant.listen()
        airflow.start()
    try:
        yield airflow
    finally:
        airflow.stop()
    assert working_in(airflow.folder) == []


@pytest.fixture(scope="module")
def client(airflow: LocalAirflow) -> AirflowClient:
    return AirflowClient(airflow.url, "admin", airflow.password())


def test_all_four_components_report_a_heartbeat(airflow: LocalAirflow, client: AirflowClient) -> None:
    health = client.health()
    assert {part["status"] for part in health.values()} == {"healthy"}
    assert all(airflow.status().values())


def test_a_taken_port_is_avoided_and_the_choice_remembered(airflow: LocalAirflow) -> None:
    assert not airflow.url.endswith(":8080")
    assert airflow.url == LocalAirflow(home=airflow.home).url


def test_starting_twice_changes_nothing(airflow: LocalAirflow) -> None:
    before = airflow.status()
    assert airflow.start() == airflow.url
    assert airflow.status() == before


def test_nothing_listens_beyond_this_machine(airflow: LocalAirflow) -> None:
    ours = set(working_in(airflow.folder))
    assert ours, "no process found; is this Linux?"
    inodes = {
        target.removeprefix("socket:[").removesuffix("]")
        for pid in ours
        for link in Path(f"/proc/{pid}/fd").iterdir()
        if (target := str(link.readlink())).startswith("socket:")
    }
    listening = []
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                listening.append(fields[1].split(":")[0])
    assert listening == ["0100007F"], "only the UI, only on 127.0.0.1"


def test_passwords_and_keys_are_random_and_private(airflow: LocalAirflow) -> None:
    passwords = json.loads(airflow.password_file.read_text())
    assert set(passwords) == set(ACCOUNTS)
    assert len(set(passwords.values())) == len(ACCOUNTS)
    for name in ("passwords.json", "keys.json"):
        assert stat.S_IMODE((airflow.home / name).stat().st_mode) == 0o600
    assert len(json.loads((airflow.home / "keys.json").read_text())["jwt"]) >= 64


def test_a_wrong_password_is_refused(airflow: LocalAirflow) -> None:
    with pytest.raises(AirflowRequestError, match="does not know 'admin'"):
        AirflowClient(airflow.url, "admin", "guess").run("greeting", "any")


def test_a_run_is_triggered_watched_and_read(client: AirflowClient) -> None:
    client.wait_for_dag("greeting")
    client.unpause("greeting")
    changes: list[dict[str, str]] = []
    run_id = client.trigger("greeting", "test:1")
    assert client.wait("greeting", run_id, watch=changes.append) == "success"
    assert changes[-1] == {"names": "success", "greet[0]": "success", "greet[1]": "success", "count": "success"}
    assert client.xcom("greeting", run_id, "greet", map_index=1) == "Hello Grace, True"
    assert client.xcom("greeting", run_id, "count") == 2
    with pytest.raises(AirflowRequestError) as error:
        client.trigger("greeting", run_id)
    assert error.value.status == 409


def test_a_viewer_may_look_and_not_trigger(airflow: LocalAirflow, client: AirflowClient) -> None:
    client.wait_for_dag("greeting")
    viewer = AirflowClient(airflow.url, "viewer", airflow.password("viewer"))
    viewer.wait_for_dag("greeting")
    with pytest.raises(AirflowRequestError) as error:
        viewer.trigger("greeting", "by-viewer")
    assert error.value.status == 403


def test_a_question_is_answered_and_the_run_goes_on(client: AirflowClient) -> None:
    client.wait_for_dag("question")
    run_id = client.trigger("question", "asked")
    with pytest.raises(TimeoutError, match="has not ended after 0 s"):
        client.wait("question", run_id, timeout=0)
    assert client.wait_for_question("question", run_id)["task_instance"]["task_id"] == "ask"
    client.answer("question", run_id, "ask", "Approve")
    assert client.wait("question", run_id) == "success"
    assert client.xcom("question", run_id, "after") == "answered"
    assert client.questions("question", run_id) == []


def test_a_task_state_can_be_overwritten_like_in_the_ui(client: AirflowClient) -> None:
    client.wait_for_dag("question")
    run_id = client.trigger("question", "overruled")
    client.wait_for_question("question", run_id)
    client.set_task_state("question", run_id, "ask", "success")
    assert client.wait("question", run_id) == "success"


def test_a_process_that_died_is_named_with_its_log_and_nothing_stays_behind(tmp_path: Path) -> None:
    (tmp_path / "plugins").mkdir()
    airflow = LocalAirflow(
        home=tmp_path / "home",
        dags=tmp_path,
        plugins=tmp_path / "plugins",
        folder=tmp_path,
        overrides={"AIRFLOW__API__SSL_CERT": "none"},
    )
    with pytest.raises(AirflowStartError, match=r"(?s)api-server ended while it was starting.*SSL"):
        airflow.start()
    assert working_in(airflow.folder) == []


def test_after_a_kill_of_one_process_the_next_start_waits_until_all_are_back(
    airflow: LocalAirflow, client: AirflowClient
) -> None:
    url, before = airflow.url, airflow.status()
    scheduler = airflow.process("scheduler")
    assert scheduler.pid
    os.kill(scheduler.pid, signal.SIGKILL)
    while scheduler.alive:
        time.sleep(0.1)
    said: list[str] = []
    started_at = datetime.now(UTC)
    assert airflow.start(say=said.append) == url
    heartbeat = client.health()["scheduler"]["latest_scheduler_heartbeat"]
    assert datetime.fromisoformat(heartbeat) > started_at, "the heartbeat of the killed one was believed"
    assert said[0] == "stopping api-server, scheduler, dag-processor, triggerer"
    assert all(airflow.status().values())
    assert set(airflow.status().values()).isdisjoint(before.values())
