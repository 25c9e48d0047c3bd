"""Processes of ours are found and ended whole, and those of others are never touched."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.process_group import ProcessGroup, stop_groups, working_in

SLEEPER = "import time; print('up', flush=True); time.sleep(600)"
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + SLEEPER
# Its child opens a process group of its own, as Airflow's tasks do.
PARENT = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {SLEEPER!r}], process_group=0).wait()"


@pytest.fixture
def group(tmp_path: Path) -> Iterator[ProcessGroup]:
    group = ProcessGroup("sleeper", tmp_path / "run" / "sleeper.pid", tmp_path / "logs" / "sleeper.log")
    yield group
    group.signal(signal.SIGKILL)


def start(group: ProcessGroup, program: str) -> None:
    group.spawn([sys.executable, "-c", program], os.environ, folder=group.log.parents[1])
    deadline = time.monotonic() + 20
    while "up" not in group.last_lines():
        assert time.monotonic() < deadline, "the program did not start"
        time.sleep(0.05)


def test_a_started_program_is_found_by_another_object_and_stopped(group: ProcessGroup) -> None:
    start(group, SLEEPER)
    same = ProcessGroup("sleeper", group.pid_file, group.log)
    assert same.alive
    assert stop_groups([same]) == []
    assert not group.alive
    assert not group.pid_file.exists()


def test_what_the_program_forked_ends_with_it(group: ProcessGroup) -> None:
    start(group, PARENT)
    assert len(group.members()) == 2
    stop_groups([group])
    assert working_in(group.log.parents[1]) == []


def test_children_are_ended_when_their_parent_was_killed_before(group: ProcessGroup) -> None:
    start(group, PARENT)
    pid = group.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + 10
    while group.alive and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not group.alive
    assert group.members(), "the orphan should still run"
    stop_groups([group])
    assert working_in(group.log.parents[1]) == []


def test_a_program_that_ignores_the_request_to_end_is_killed_and_named(group: ProcessGroup) -> None:
    start(group, STUBBORN)
    assert stop_groups([group], patience=0.5) == ["sleeper"]
    assert group.members() == []


def test_a_process_that_got_a_number_of_ours_later_is_left_alone(group: ProcessGroup) -> None:
    stranger = subprocess.Popen([sys.executable, "-c", SLEEPER], stdout=subprocess.DEVNULL, start_new_session=True)
    time.sleep(0.05)  # births are told apart to 10 ms
    try:
        start(group, SLEEPER)
        record = json.loads(group.pid_file.read_text())
        stop_groups([group])
        group.pid_file.write_text(json.dumps({**record, "pid": stranger.pid}))
        assert not group.alive
        assert group.members() == []
        stop_groups([group])
        assert stranger.poll() is None, "a stranger was killed"
    finally:
        stranger.kill()
        stranger.wait()


def test_a_pid_file_of_before_a_restart_of_the_machine_names_nobody(group: ProcessGroup) -> None:
    start(group, SLEEPER)
    record = group.pid_file.read_text()
    group.pid_file.write_text(json.dumps({**json.loads(record), "boot": "the one before"}))
    assert group.members() == []
    group.pid_file.write_text(record)
    assert group.members()


def test_a_torn_pid_file_names_nobody(group: ProcessGroup) -> None:
    group.pid_file.parent.mkdir(parents=True)
    group.pid_file.write_text('{"pid": 1')
    assert not group.alive
    assert stop_groups([group]) == []
