"""One session for many readers: who shares it, who waits, and what they are told."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from include.domain.documents import DocumentKey, Status
from include.domain.errors import StoreBusy, StoreUnavailable
from include.ports import IndexReader
from include.store.edge import EdgeStore
from include.store.shared import SharedReading
from tests.builders import DIMENSION, EMBEDDER, new_points

ROOT = Path(__file__).parents[2]


class CountedStore(EdgeStore):
    """The embedded index; counts its sessions."""

    sessions = 0
    problem: Exception | None = None

    @contextmanager
    def reading(self) -> Iterator[IndexReader]:
        if self.problem is not None:
            raise self.problem
        with super().reading() as index:
            self.sessions += 1
            yield index


@pytest.fixture
def store(tmp_path: Path) -> CountedStore:
    made = CountedStore(tmp_path / "index", "docs", lock_timeout=2)
    made.prepare(EMBEDDER, DIMENSION)
    with made.writing() as index:
        index.insert(new_points(DocumentKey("decks", "one"), ["text"], status=Status.PUBLISHED))
    return made


def count(shared: SharedReading) -> int:
    with shared.reading() as index:
        time.sleep(0.02)
        return index.count_points()


def test_readers_who_come_together_open_the_index_once(store: CountedStore) -> None:
    shared = SharedReading(store, wait_seconds=5)
    with ThreadPoolExecutor(20) as threads:
        assert set(threads.map(lambda _: count(shared), range(100))) == {1}
    assert store.sessions < 10


def test_a_session_ends_though_readers_never_stop_and_a_writer_gets_in(store: CountedStore) -> None:
    shared = SharedReading(store, wait_seconds=5, share_seconds=0.2)
    done = threading.Event()

    def read_on() -> None:
        while not done.is_set():
            count(shared)

    with ThreadPoolExecutor(4) as threads:
        readers = [threads.submit(read_on) for _ in range(4)]
        time.sleep(0.1)
        with store.writing() as index:
            index.insert(new_points(DocumentKey("decks", "two"), ["more"], status=Status.PUBLISHED))
        assert count(shared) == 2
        done.set()
    assert [each.result() for each in readers] == [None] * 4


def test_a_session_that_nobody_else_wants_stays_open_and_an_idle_one_is_given_up_at_once(store: CountedStore) -> None:
    shared = SharedReading(store, wait_seconds=5)
    for _ in range(5):
        assert count(shared) == 1
        time.sleep(0.1)
    assert store.sessions == 1
    began = time.monotonic()
    with store.writing():
        assert time.monotonic() - began < 1.5
    script = "import sys; from pathlib import Path; from include.store.edge import EdgeStore\n"
    script += (
        "with EdgeStore(Path(sys.argv[1]), 'docs', lock_timeout=3).reading() as index: print(index.count_points())"
    )
    assert count(shared) == 1
    command = [sys.executable, "-c", script, store.location.removeprefix("edge://").partition("#")[0]]
    assert subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout == "1\n"


def test_everybody_who_waits_is_told_why_and_the_next_one_tries_again(store: CountedStore) -> None:
    shared = SharedReading(store, wait_seconds=5)
    store.problem = StoreUnavailable("the folder is gone")
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match="the folder is gone"):
            count(shared)
    store.problem = None
    assert count(shared) == 1


def test_who_is_not_let_in_in_time_is_told_that_the_index_is_busy(store: CountedStore) -> None:
    shared = SharedReading(store, wait_seconds=0.2)
    with store.writing(), ThreadPoolExecutor(1) as threads, pytest.raises(StoreBusy, match="Try again later"):
        threads.submit(count, shared).result()


def test_readers_who_wait_for_another_process_leave_it_the_processor(tmp_path: Path, store: CountedStore) -> None:
    shared = SharedReading(EdgeStore(tmp_path / "index", "docs", lock_timeout=30), wait_seconds=30)
    with ThreadPoolExecutor(50) as threads:
        with store.writing():
            waiting = [threads.submit(count, shared) for _ in range(50)]
            time.sleep(0.3)  # until they all wait
            before = time.process_time()
            time.sleep(1.5)
            spent = time.process_time() - before
        assert {each.result() for each in waiting} == {1}
    assert spent < 0.3  # 0.01 s; each of them woken by all others: 0.7 s and more


def test_a_session_whose_readers_are_quick_and_seldom_stays_open(
    store: CountedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("include.store.shared.IDLE_SECONDS", 0.6)
    shared = SharedReading(store, wait_seconds=5)
    for _ in range(8):
        with shared.reading() as index:
            index.count_points()
        time.sleep(0.25)
    assert store.sessions == 1


def test_an_error_of_one_reader_is_his_own(store: CountedStore) -> None:
    shared = SharedReading(store, wait_seconds=5)
    with pytest.raises(ZeroDivisionError), shared.reading():
        _ = 1 // 0
    assert count(shared) == 1


def test_a_closed_one_leaves_the_index_to_others_and_lets_nobody_in(tmp_path: Path, store: CountedStore) -> None:
    shared = SharedReading(store, wait_seconds=5)
    assert count(shared) == 1
    shared.close()
    with EdgeStore(tmp_path / "index", "docs", lock_timeout=0.1).reading() as index:
        assert index.count_points() == 1
    with pytest.raises(StoreUnavailable, match="about to end"):
        count(shared)


class Forgetful(CountedStore):
    def is_wanted(self) -> bool:
        raise OSError("the folder is gone")


def test_a_session_that_breaks_off_is_not_used_any_more(tmp_path: Path) -> None:
    store = Forgetful(tmp_path / "index", "docs", lock_timeout=2)
    store.prepare(EMBEDDER, DIMENSION)
    shared = SharedReading(store, wait_seconds=5)
    for _ in range(3):
        with shared.reading() as index:
            assert index.count_points() == 0
        time.sleep(0.1)
    assert store.sessions == 3
