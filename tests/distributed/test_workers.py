"""Several workers on a real broker and a real database: work is shared, and a dead worker's task is done again."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from scripts.airflow_client import AirflowClient
from scripts.process_group import ProcessGroup

pytestmark = [pytest.mark.distributed, pytest.mark.slow]


def test_mapped_tasks_are_shared_by_both_workers(client: AirflowClient, workers: dict[str, ProcessGroup]) -> None:
    client.wait_for_dag("spread")
    run_id = client.trigger("spread", "shared")
    assert client.wait("spread", run_id) == "success"
    done_by = [client.xcom("spread", run_id, "work", map_index=index) for index in range(12)]
    assert set(done_by) == set(workers), done_by


def test_a_task_whose_worker_was_killed_is_done_again_by_the_other(
    client: AirflowClient,
    workers: dict[str, ProcessGroup],
    start_worker: Callable[[str], ProcessGroup],
    tmp_path: Path,
) -> None:
    client.wait_for_dag("survive")
    run_id = client.trigger("survive", "killed", {"folder": str(tmp_path)})
    begun = tmp_path / "attempt-1"
    deadline = time.monotonic() + 60
    while not begun.exists() or not begun.read_text():
        assert time.monotonic() < deadline, client.task_states("survive", run_id)
        time.sleep(0.2)

    first = begun.read_text()
    (second,) = set(workers) - {first}
    workers[first].signal(signal.SIGKILL)
    killed_at = time.monotonic()
    try:
        assert client.wait("survive", run_id, timeout=150) == "success"
        print(f"done by worker {second} {time.monotonic() - killed_at:.0f} s after worker {first} was killed")
        assert client.xcom("survive", run_id, "hold") == second
        assert (tmp_path / "attempt-2").read_text() == second
    finally:
        workers[first] = start_worker(first)
