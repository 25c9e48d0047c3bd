"""The bell: one run for a burst, none that is lost, and a thread that outlives every failure."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from include.hooks.bell import Bell


class Runs:
    def __init__(self, broken: bool = False) -> None:
        self.at: list[float] = []
        self.broken = broken
        self._started = threading.Condition()

    def __call__(self) -> None:
        with self._started:
            self.at.append(time.monotonic())
            self._started.notify_all()
        if self.broken:
            raise RuntimeError("database is locked")

    def wait_for(self, count: int, timeout: float = 20) -> bool:
        with self._started:
            return self._started.wait_for(lambda: len(self.at) >= count, timeout)


def nothing() -> None:
    pass


def bell(start: Callable[[], None], tidy: Callable[[], None] = nothing, every: float = 60) -> Bell:
    return Bell(start, tidy, every)


def test_a_burst_is_one_run_after_the_wait_and_one_more_for_those_who_came_later() -> None:
    runs = Runs()
    hall = bell(runs)
    began = time.monotonic()
    for _ in range(200):
        hall.ring(0.4)
        time.sleep(0.001)
    assert runs.wait_for(2)
    time.sleep(0.6)
    assert len(runs.at) == 2
    assert 0.4 <= runs.at[0] - began < 5


def test_a_ring_is_never_answered_before_its_wait_is_over_nor_forgotten() -> None:
    runs = Runs()
    hall = bell(runs)
    hall.ring(0.05)
    late = time.monotonic()
    hall.ring(0.3)
    assert runs.wait_for(2)
    assert runs.at[1] - late >= 0.3


def test_an_earlier_ring_does_not_wait_for_a_later_one() -> None:
    runs = Runs()
    hall = bell(runs)
    hall.ring(60)
    hall.ring(0.05)
    assert runs.wait_for(1)
    assert hall._next is not None, "and the later one is still due"


def test_a_start_that_fails_is_logged_and_the_next_ring_is_answered() -> None:
    runs = Runs(broken=True)
    hall = bell(runs)
    hall.ring(0.01)
    assert runs.wait_for(1)
    hall.ring(0.01)
    assert runs.wait_for(2)


def test_chores_are_done_without_a_ring_and_whatever_fails() -> None:
    tidied = Runs(broken=True)
    hall = bell(Runs(broken=True), tidied, every=0.02)
    hall.awake()
    assert tidied.wait_for(3)
    hall._every = 3_600  # its thread lives as long as this process
