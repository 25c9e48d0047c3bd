"""The query log: what it keeps of a question, and what never happens to the question because of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from include.records.query_log import AskedQuestion, QueryLog, Shown
from include.records.state import StateRoot
from tests.fakes.clock import FakeClock

SECRET_QUESTION = "can Jane Roe be fired for this"


def asked(number: int = 0, clock: FakeClock | None = None, query: str = SECRET_QUESTION) -> AskedQuestion:
    shown = (Shown("handbook", "page", "v1", 0.5),)
    at = (clock or FakeClock()).now()
    return AskedQuestion(f"id-{number}", at, "assistant", query, "plain", ("handbook",), 5, shown, 7, 12.5)


class StuckState(StateRoot):
    """A state root whose disk is slow or full, until it is mended."""

    def __init__(self, url: str, problem: Callable[[], None]) -> None:
        super().__init__(url)
        self.problem = problem

    def append(self, path: str, data: bytes) -> None:
        self.problem()
        super().append(path, data)


def full_disk() -> None:
    raise OSError(28, "No space left on device")


def test_a_record_says_what_was_shown_and_nothing_of_the_question(tmp_path: Path) -> None:
    clock = FakeClock()
    log = QueryLog(StateRoot(str(tmp_path)), clock)
    log.record(asked(clock=clock))
    log.close()
    (line,) = log.since(clock.now())
    assert line["retrieval_id"] == "id-0"
    assert line["shown"] == [{"source": "handbook", "doc_id": "page", "doc_version": "v1", "score": 0.5}]
    assert len(line["query_hash"]) == 64
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or b"Jane" not in file.read_bytes()


def test_equal_questions_have_equal_digests_and_another_key_has_others(tmp_path: Path) -> None:
    clock, digests = FakeClock(), []
    for key in ("one key", "one key", "another key", "", ""):
        log = QueryLog(StateRoot(str(tmp_path / str(len(digests)))), clock, key=key)
        log.record(asked(clock=clock))
        log.close()
        digests += [line["query_hash"] for line in log.since(clock.now())]
    assert digests[0] == digests[1]
    assert len(set(digests)) == 4


@pytest.mark.parametrize(("form", "kept"), [("none", set()), ("plain", {"query"}), ("hash", {"query_hash"})])
def test_the_form_of_the_text_is_a_choice(tmp_path: Path, form: str, kept: set[str]) -> None:
    clock = FakeClock()
    log = QueryLog(StateRoot(str(tmp_path)), clock, form=form)  # type: ignore[arg-type]
    log.record(asked(clock=clock))
    log.close()
    (line,) = log.since(clock.now())
    assert {"query", "query_hash"} & line.keys() == kept


def test_a_full_disk_costs_the_record_and_not_the_request_and_is_counted(tmp_path: Path) -> None:
    clock = FakeClock()
    state = StuckState(str(tmp_path), full_disk)
    log = QueryLog(state, clock, every=0.01)
    for number in range(3):
        log.record(asked(number, clock))
    deadline = time.monotonic() + 5
    while log.dropped < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert log.dropped == 3
    state.problem = lambda: None
    log.record(asked(3, clock))
    log.close()
    lines = list(log.since(clock.now()))
    assert [line["retrieval_id"] for line in lines if "retrieval_id" in line] == ["id-3"]
    assert [line["dropped"] for line in lines if "dropped" in line] == [3]


def test_a_slow_disk_slows_no_request(tmp_path: Path) -> None:
    mended = threading.Event()
    log = QueryLog(StuckState(str(tmp_path), lambda: mended.wait(10) or None), FakeClock(), most_waiting=5, every=0.01)
    log.record(asked(0))
    time.sleep(0.1)  # the thread is at the disk now
    began = time.perf_counter()
    for number in range(1, 101):
        log.record(asked(number))
    assert time.perf_counter() - began < 0.5
    assert log.dropped == 95
    mended.set()
    log.close()


def test_lines_go_to_the_hour_in_which_they_were_asked_and_old_hours_are_forgotten(tmp_path: Path) -> None:
    clock = FakeClock()
    state = StateRoot(str(tmp_path))
    old = QueryLog(state, clock)
    old.record(asked(1, clock))
    old.close()
    clock.turn(days=31)
    new = QueryLog(state, clock, keep_days=30)
    new.record(asked(2, clock))
    new.record(replace(asked(3, clock), at=clock.now() + timedelta(hours=1)))
    new.close()
    assert len(state.names("queries")) == 2
    assert [line["retrieval_id"] for line in new.since(clock.now() - timedelta(days=90))] == ["id-2", "id-3"]


def test_a_line_that_a_kill_has_torn_hides_no_other(tmp_path: Path) -> None:
    clock = FakeClock()
    log = QueryLog(StateRoot(str(tmp_path)), clock)
    log.record(asked(1, clock))
    log.close()
    (file,) = tmp_path.rglob("*.jsonl")
    file.write_bytes(file.read_bytes() + b'{"retrieval_id": "to')
    assert [line["retrieval_id"] for line in log.since(clock.now())] == ["id-1"]


def test_where_files_cannot_grow_each_batch_is_a_file_of_its_own() -> None:
    clock = FakeClock()
    log = QueryLog(StateRoot("memory://query-log"), clock, every=0.01)
    for number in range(2):
        log.record(asked(number, clock))
        time.sleep(0.2)
    log.close()
    assert sorted(line["retrieval_id"] for line in log.since(clock.now())) == ["id-0", "id-1"]
