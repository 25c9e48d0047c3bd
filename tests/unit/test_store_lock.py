"""Who may be inside the folder of an embedded index, held against real processes."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from include.domain.documents import DocumentKey
from include.domain.errors import StoreBusy
from include.store.edge import EdgeStore
from tests.builders import DIMENSION, EMBEDDER, new_points

ROOT = Path(__file__).parents[2]

PRELUDE = """
import os, sys
from pathlib import Path
from include.domain.documents import DocumentKey
from include.store.edge import EdgeStore
from tests.builders import new_points
store = EdgeStore(Path(sys.argv[1]), "docs", lock_timeout=120)
"""
HOLD = PRELUDE + "with store.writing() as index:\n    print('inside', flush=True)\n    sys.stdin.readline()\n"
GREEDY = (
    PRELUDE
    + """
print('inside', flush=True)
for n in range(100_000):
    with store.writing() as index:
        index.insert(new_points(DocumentKey(f"source-{os.getpid()}", str(n)), ["text"]))
"""
)


@contextmanager
def other_process(script: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(folder)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "inside\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def leave(process: subprocess.Popen[str]) -> None:
    """Let it go on, and wait for its end."""
    process.communicate("go\n")


def let_go(process: subprocess.Popen[str]) -> None:
    """Let it go on; for a timer, which must not wait for the process while its owner does."""
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    EdgeStore(tmp_path, "docs").prepare(EMBEDDER, DIMENSION)
    return tmp_path


def count(store: EdgeStore) -> int:
    with store.reading() as index:
        return index.count_points()


def test_a_second_process_waits_says_for_whom_and_gives_up(folder: Path) -> None:
    said: list[str] = []
    with other_process(HOLD, folder) as holder:
        store = EdgeStore(folder, "docs", lock_timeout=1.5, notify=said.append)
        with pytest.raises(StoreBusy) as refusal:
            count(store)
        assert len(said) == 1
        for message in (said[0], str(refusal.value)):
            assert f"process {holder.pid}" in message
            assert str(folder) in message
            assert "since 20" in message
            assert "1.5 s" in message
        assert refusal.value.facts["waited_seconds"] == 1.5
        leave(holder)
        assert count(store) == 0


def test_the_lock_that_arrives_after_giving_up_is_not_kept(folder: Path) -> None:
    with other_process(HOLD, folder) as holder:
        store = EdgeStore(folder, "docs", lock_timeout=0.2)
        for _ in range(3):
            with pytest.raises(StoreBusy):
                count(store)
        waiting = [thread for thread in threading.enumerate() if thread.name == f"lock of {folder}"]
        assert len(waiting) == 1  # the second and third attempt joined the first one's place in the queue
        leave(holder)
        with other_process(HOLD, folder):
            pass


def test_a_waiting_process_gets_in_and_sees_what_the_other_wrote(folder: Path) -> None:
    script = HOLD.replace(
        "sys.stdin", "index.insert(new_points(DocumentKey('handbook', '1'), ['a', 'b']))\n    sys.stdin"
    )
    with other_process(script, folder) as holder:
        threading.Timer(0.5, let_go, [holder]).start()
        assert count(EdgeStore(folder, "docs", lock_timeout=120)) == 2


def test_a_killed_process_leaves_the_lock_behind_at_once(folder: Path) -> None:
    with other_process(HOLD, folder) as holder:
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        assert count(EdgeStore(folder, "docs", lock_timeout=60)) == 0


def test_processes_that_open_session_after_session_starve_nobody(folder: Path) -> None:
    store = EdgeStore(folder, "docs", lock_timeout=120)
    with other_process(GREEDY, folder), other_process(GREEDY, folder):
        counts = [count(store) for _ in range(6)]
    # Each of their sessions adds one point. Ours come after a few of theirs; a polling reader after hundreds.
    overtaken = [after - before for before, after in pairwise(counts)]
    print(f"sessions of others while waiting: {overtaken}")
    assert max(overtaken) < 100


def test_another_thread_waits_and_is_told_which_thread_is_inside(folder: Path) -> None:
    store = EdgeStore(folder, "docs", lock_timeout=0.3)
    refused: list[BaseException] = []

    def try_it() -> None:
        try:
            count(store)
        except StoreBusy as error:
            refused.append(error)

    with store.writing():
        thread = threading.Thread(target=try_it)
        thread.start()
        thread.join(5)
    assert "thread MainThread of this process" in str(refused[0])
    assert count(store) == 0


def test_two_stores_on_one_folder_in_one_thread_share_the_lock(folder: Path) -> None:
    key = DocumentKey("handbook", "1")
    with EdgeStore(folder, "docs").reading() as outside, EdgeStore(folder, "docs").writing() as inside:
        inside.insert(new_points(key, ["a"]))
        assert outside.count_points() == 1


def test_threads_take_turns_and_lose_nothing(folder: Path) -> None:
    store = EdgeStore(folder, "docs", lock_timeout=60)

    def write(name: str) -> None:
        for n in range(5):
            with store.writing() as index:
                index.insert(new_points(DocumentKey(name, str(n)), ["a", "b"]))

    threads = [threading.Thread(target=write, args=(f"source-{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert count(store) == 40


def test_a_fork_that_leaves_the_block_does_not_unlock_its_parent(folder: Path) -> None:
    script = (
        PRELUDE
        + """
try:
    with store.writing() as index:
        if os.fork() == 0:
            raise KeyboardInterrupt
        os.wait()
        print('inside', flush=True)
        sys.stdin.readline()
except KeyboardInterrupt:
    os._exit(0)
"""
    )
    with other_process(script, folder) as holder:
        with pytest.raises(StoreBusy):
            count(EdgeStore(folder, "docs", lock_timeout=0.5))
        leave(holder)
    assert holder.returncode == 0


def test_a_time_out_raised_while_waiting_leaves_no_lock_behind(folder: Path) -> None:
    class TaskTimeout(BaseException):
        pass

    def ring(_signal: int, _frame: object) -> None:
        raise TaskTimeout

    before = signal.signal(signal.SIGALRM, ring)
    try:
        with other_process(HOLD, folder) as holder:
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            with pytest.raises(TaskTimeout):
                count(EdgeStore(folder, "docs", lock_timeout=30))
            leave(holder)
            with other_process(HOLD, folder):
                pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
