"""The inbox and the traffic count: one suite for those on disk, on an object store and in memory."""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from include.domain.events import Event, Reason, Waiting
from include.ports import Inbox
from include.records.inbox import FileInbox
from include.records.state import StateRoot
from include.records.traffic import FileTraffic
from tests.fakes.clock import FakeClock
from tests.fakes.inbox import FakeInbox

MakeInbox = Callable[[FakeClock], Inbox]


@pytest.fixture(params=["folder", "object store", "in memory"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> MakeInbox:
    """A new process's view of one and the same inbox, each time it is called."""
    if request.param == "in memory":
        fake = FakeInbox()

        def made(clock: FakeClock) -> Inbox:
            fake.clock = clock
            return fake

        return made
    url = str(tmp_path) if request.param == "folder" else f"memory://{uuid.uuid4().hex}"
    return lambda clock: FileInbox(StateRoot(url), clock)


def event(key: str, *doc_ids: str, source: str = "cms", at: datetime | None = None) -> Event:
    return Event(source, key, at or datetime(2026, 3, 1, 12, tzinfo=UTC), doc_ids, "page.published")


def test_what_is_put_in_is_open_for_every_process_until_it_is_settled(make: MakeInbox) -> None:
    clock = FakeClock()
    inbox = make(clock)
    first, second = event("k1", "a/ä.md", "b"), event("k2")
    assert inbox.put(first, remembered_days=1)
    assert inbox.put(second, remembered_days=1)
    assert inbox.put(event("k1", source="other"), remembered_days=1), "keys belong to their source"
    assert sorted(make(clock).open("cms"), key=lambda each: each.key) == [first, second]
    assert make(clock).waiting("cms") == Waiting(2, first.received_at)
    inbox.settle([first])
    inbox.settle([first])
    assert make(clock).open("cms") == [second]
    assert make(clock).waiting("nothing-ever-came") == Waiting(0, None)


def test_a_key_is_taken_once_however_far_its_event_has_come(make: MakeInbox) -> None:
    clock = FakeClock()
    inbox = make(clock)
    assert inbox.put(event("k1", "a"), remembered_days=1)
    assert not make(clock).put(event("k1", "b"), remembered_days=1)
    inbox.keep_for_second_look(inbox.open("cms"))
    assert not make(clock).put(event("k1"), remembered_days=1)
    (kept,) = inbox.open("cms")
    assert (kept.doc_ids, kept.looked) == (("a",), True)
    inbox.keep_for_second_look([kept])
    inbox.settle([kept])
    assert not make(clock).put(event("k1"), remembered_days=1)
    assert inbox.open("cms") == []


def test_a_settled_delivery_is_remembered_for_as_long_as_its_scheme_needs(make: MakeInbox) -> None:
    clock = FakeClock()
    inbox = make(clock)
    for key in ("short", "long"):
        inbox.put(event(key), remembered_days=7)
    inbox.settle(inbox.open("cms"))
    clock.turn(days=2)
    assert inbox.put(event("short"), remembered_days=1)
    inbox.sweep()
    clock.turn(days=5)
    assert not inbox.put(event("long"), remembered_days=7)
    clock.turn(days=3)
    inbox.sweep()
    assert inbox.put(event("long"), remembered_days=7)


def test_an_event_settled_by_a_clock_ahead_of_ours_is_known_too(make: MakeInbox) -> None:
    clock = FakeClock(datetime(2026, 3, 1, 23, 58, tzinfo=UTC))
    make(clock).put(event("k1"), remembered_days=1)
    ahead = make(FakeClock(datetime(2026, 3, 2, 0, 1, tzinfo=UTC)))
    ahead.settle(ahead.open("cms"))
    assert not make(clock).put(event("k1"), remembered_days=1)


def test_a_source_can_be_left_alone_for_a_while(make: MakeInbox) -> None:
    clock = FakeClock()
    until = clock.now() + timedelta(minutes=4)
    assert make(clock).postponed_until("cms") is None
    make(clock).postpone("cms", until)
    assert make(clock).postponed_until("cms") == until


def test_of_many_processes_with_one_delivery_exactly_one_stores_it(tmp_path: Path) -> None:
    clock = FakeClock()
    ready = threading.Barrier(16)

    def put(_: int) -> bool:
        inbox = FileInbox(StateRoot(str(tmp_path)), clock)
        ready.wait()
        return inbox.put(event("k1", "a"), remembered_days=1)

    with ThreadPoolExecutor(16) as threads:
        assert sum(threads.map(put, range(16))) == 1
    assert [path.name for path in (tmp_path / "inbox").rglob("*") if path.is_file()] == ["k1.json"]


def test_two_runs_that_settle_the_same_events_do_not_disturb_each_other(make: MakeInbox) -> None:
    clock = FakeClock()
    inbox = make(clock)
    for number in range(200):
        inbox.put(event(f"k{number}", str(number)), remembered_days=1)
    seen_by_one, seen_by_other = inbox.open("cms"), make(clock).open("cms")
    inbox.keep_for_second_look(seen_by_one[:100])
    make(clock).settle(seen_by_other[:50])
    inbox.settle(seen_by_one)
    make(clock).settle(make(clock).open("cms"))
    assert make(clock).open("cms") == []


def test_a_file_that_was_damaged_becomes_a_look_at_the_whole_source(tmp_path: Path) -> None:
    clock = FakeClock()
    inbox = FileInbox(StateRoot(str(tmp_path)), clock)
    inbox.put(event("k1", "a"), remembered_days=1)
    (tmp_path / "inbox/cms/fresh/k1.json").write_bytes(b'{"received_at": "2026-')
    (damaged,) = inbox.open("cms")
    assert (damaged.key, damaged.doc_ids) == ("k1", ())
    inbox.settle([damaged])
    assert inbox.open("cms") == []


def test_a_state_root_without_hard_links_still_takes_each_key_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import errno
    import os

    def refused(*_: object) -> None:
        raise OSError(errno.EPERM, "no hard links here")

    monkeypatch.setattr(os, "link", refused)
    inbox = FileInbox(StateRoot(str(tmp_path)), FakeClock())
    assert inbox.put(event("k1", "a"), remembered_days=1)
    assert not inbox.put(event("k1", "b"), remembered_days=1)
    assert [each.doc_ids for each in inbox.open("cms")] == [("a",)]
    assert [path.name for path in (tmp_path / "inbox").rglob("*") if path.is_file()] == ["k1.json"]


def test_a_full_disk_is_an_error_and_not_a_stored_event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import errno
    import os

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(os, "fsync", full)
    state = StateRoot(str(tmp_path))
    with pytest.raises(OSError, match="no space"):
        FileInbox(state, FakeClock()).put(event("k1"), remembered_days=1)
    with pytest.raises(OSError, match="no space"):
        state.write("traffic/now/one.json", b"{}")
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == [], "each new try would leave one more"


def test_putting_one_in_takes_no_longer_when_ten_thousand_are_there(tmp_path: Path) -> None:
    clock = FakeClock()
    inbox = FileInbox(StateRoot(str(tmp_path)), clock)

    def milliseconds(first: int) -> float:
        began = time.perf_counter()
        for number in range(first, first + 100):
            inbox.put(event(f"{number:064}", str(number)), remembered_days=7)
        return (time.perf_counter() - began) * 10

    milliseconds(0)
    empty = min(milliseconds(1_000), milliseconds(2_000))
    folder = tmp_path / "inbox/cms/fresh"
    record = (folder / f"{0:064}.json").read_bytes()
    for number in range(10_000, 20_000):
        (folder / f"{number:064}.json").write_bytes(record)
    full = min(milliseconds(3_000), milliseconds(4_000))
    assert full < 3 * empty + 5, f"{empty:.1f} ms empty, {full:.1f} ms full"
    began = time.perf_counter()
    opened = inbox.open("cms")
    inbox.settle(opened)
    assert len(opened) == 10_500
    assert time.perf_counter() - began < 30


# --- traffic


@pytest.fixture(params=["folder", "object store"])
def state(request: pytest.FixtureRequest, tmp_path: Path) -> StateRoot:
    return StateRoot(str(tmp_path) if request.param == "folder" else f"memory://{uuid.uuid4().hex}")


def test_traffic_of_all_processes_is_summed_up_from_that_hour_on(state: StateRoot) -> None:
    clock = FakeClock()
    one, other = FileTraffic(state, clock), FileTraffic(state, clock)
    one.count("cms", Reason.ACCEPTED)
    one.flush()
    clock.turn(hours=20)
    for _ in range(3):
        one.count("cms", Reason.FORGED)
        other.count("cms", Reason.ACCEPTED)
        other.count("", Reason.UNKNOWN_SOURCE)
    one.flush()
    other.flush()
    day = one.since(clock.now() - timedelta(hours=24))
    assert day == {"cms": {Reason.ACCEPTED: 4, Reason.FORGED: 3}, "": {Reason.UNKNOWN_SOURCE: 3}}
    assert one.since(clock.now()) == {"cms": {Reason.ACCEPTED: 3, Reason.FORGED: 3}, "": {Reason.UNKNOWN_SOURCE: 3}}
    clock.turn(hours=24 * 8)
    one.sweep()
    assert set(one.since(datetime(2026, 1, 1, tzinfo=UTC))) == {"cms", ""}
    clock.turn(hours=24)
    one.sweep()
    assert one.since(datetime(2026, 1, 1, tzinfo=UTC)) == {}


def test_a_flood_of_counts_is_one_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state, writes = StateRoot(str(tmp_path)), []
    write = state.write
    monkeypatch.setattr(state, "write", lambda path, data: (writes.append(path), write(path, data)))
    traffic = FileTraffic(state, FakeClock())
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: traffic.count("cms", Reason.FORGED), range(10_000)))
    traffic.flush()
    traffic.flush()
    assert len(writes) == 1
    (counts,) = json.loads((tmp_path / writes[0]).read_bytes()).values()
    assert counts == {"forged": 10_000}


def test_counts_that_could_not_be_written_are_written_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state, clock = StateRoot(str(tmp_path)), FakeClock()
    traffic = FileTraffic(state, clock)
    traffic.count("cms", Reason.ACCEPTED)

    def refused(*_: object) -> None:
        raise PermissionError("read-only file system")

    with monkeypatch.context() as broken:
        broken.setattr(state, "write", refused)
        traffic.flush()
    traffic.flush()
    assert traffic.since(clock.now()) == {"cms": {Reason.ACCEPTED: 1}}
