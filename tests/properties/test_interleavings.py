"""Several runs write and remove one document at the same time: in whatever order they step, the newest state wins.

The index behaves like a server: sessions overlap, and each operation is atomic alone. An actor read the source at its
own moment, which is the order of fences; when its answers arrive and when its writes happen is up to the schedule.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any

import pytest

from include.domain.dates import rfc3339
from include.domain.documents import DocumentKey, Status, StoredChunk
from include.domain.manifest import RunState
from include.domain.selection import Selector
from include.planning.inspection import judge_document
from include.planning.limits import Limits
from include.services.context import SourceContext
from include.services.ingest import ingest_documents
from include.services.reconcile import reconcile
from include.store.points import stored_chunk
from tests.builders import at, context_of, night, no_progress
from tests.fakes.clock import FakeClock
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.index import FakeIndexStore
from tests.fakes.records import FakeRemovalMarks
from tests.fakes.source import FakeSource
from tests.schedules import Actor, Stepped, SteppedStore, explore, explore_at_random

GUIDE = DocumentKey("handbook", "guide")
EMBEDDER = FakeEmbedder()
ALL_MAY_GO = Limits(deletion_percent=100, window_percent=100)

OLD = "how to pay\nin shops"
NEW = "how to pay\nonline\nby card"
OTHER = "how to pay\nlater"
LONG_AGO = "how to pay\nby cheque"
BY_A_WRONG_CLOCK = datetime.fromisoformat("2035-01-01T00:00:00+00:00")


@dataclass(frozen=True)
class Moment:
    """What the source says of the guide when an actor looks; `text` None: it is gone. `whole`: a nightly run."""

    text: str | None
    version: str
    whole: bool = False


def ingest(text: str, version: str) -> Moment:
    return Moment(text, version)


def nightly(text: str | None = None, version: str = "") -> Moment:
    return Moment(text, version, whole=True)


@cache
def _index_at_start(text: str | None) -> FakeIndexStore:
    """The guide as an untroubled night left it, and a page beside it."""
    store = FakeIndexStore()
    night(_context(_source_at(Moment(text, "v0")), at(0), store, FakeRemovalMarks()), "start")
    return store


def _context(source: FakeSource, moment: datetime, store: Any, marks: Any) -> SourceContext:
    return context_of(
        source, store=store, clock=FakeClock(moment), removal_marks=marks, embedder=EMBEDDER, limits=ALL_MAY_GO
    )


class Race:
    """One document, one actor for each moment; the last moment is the newest."""

    def __init__(self, *moments: Moment, start: str | None = LONG_AGO, start_fence: datetime | None = None) -> None:
        self.moments = moments
        self.start = start
        self.store = copy.deepcopy(_index_at_start(start))
        self.marks = FakeRemovalMarks()
        self.lives = start is not None and all(moment.text is not None for moment in moments)
        self.was_gone = False
        self.newest_seen = -1
        if start_fence is not None:
            with self.store.writing() as index:
                index.set_payload(Selector(GUIDE), {"fetched_at": rfc3339(start_fence)})
        self.actors: Sequence[Actor] = [Actor(f"{n} ({m.version or 'gone'})") for n, m in enumerate(moments, start=1)]
        for number, (actor, moment) in enumerate(zip(self.actors, moments, strict=True), start=1):
            self._start(actor, moment, at(number))

    def _start(self, actor: Actor, moment: Moment, clock: datetime) -> None:
        context = _context(_source_at(moment), clock, SteppedStore(actor, self.store), Stepped(actor, self.marks))
        context = replace(context, connector=Stepped(actor, context.connector))
        if moment.whole:
            actor.start(lambda: reconcile(context, dag_id="night", run_id=actor.name, progress=no_progress))
        else:
            actor.start(lambda: ingest_documents(context, [GUIDE.doc_id], indexed=2, progress=no_progress))

    def chunks(self) -> list[StoredChunk]:
        chunks = (stored_chunk(point_id, point.payload) for point_id, point in self.store.points.items())
        return [chunk for chunk in chunks if chunk.doc_id == GUIDE.doc_id]

    def state(self) -> object:
        points = sorted((point_id, repr(sorted(p.payload.items()))) for point_id, p in self.store.points.items())
        return hash((tuple(points), tuple(self.marks.fences.items()), self.was_gone, self.newest_seen))

    def check(self) -> None:
        readable = [chunk for chunk in self.chunks() if chunk.status != Status.INCOMING]
        if not readable:
            assert not self.lives, "a living document has no readable chunk"
            self.was_gone = self.was_gone or not self._recreated()
            return
        assert not self.was_gone, "a deleted document is readable again"
        shown = judge_document(GUIDE.doc_id, _newest(readable))
        assert not shown.flaws, f"readers see a broken version: {shown}"
        text = "\n".join(str(c.text) for c in sorted(_newest(readable), key=lambda c: c.chunk_index or 0))
        assert (shown.version, text) in self._states(), f"readers see a state that never was: {shown.version}, {text!r}"
        number = self._states()[shown.version, text]
        assert number >= self.newest_seen, f"readers fall back from state {self.newest_seen} to {number}"
        self.newest_seen = number

    def check_end(self) -> None:
        for actor in self.actors:
            assert actor.error is None, f"{actor.name} ended with {actor.error!r}"
        chunks, newest = self.chunks(), self.moments[-1]
        if newest.text is None:
            assert not chunks, f"{len(chunks)} points of a deleted document are left"
            return
        found = judge_document(GUIDE.doc_id, chunks)
        assert found.version == newest.version, f"the index ends with {found.version or 'nothing'}"
        assert not found.flaws, f"the newest version is not alone and whole: {found.flaws}"
        assert {str(chunk.text) for chunk in chunks} == set(newest.text.splitlines())

    def recover(self) -> None:
        newest = _source_at(self.moments[-1])
        self.actors = ()
        manifest = night(_context(newest, at(100), self.store, self.marks), "the night after")
        assert manifest.state is RunState.TRUE, manifest.reason

    def _states(self) -> dict[tuple[str, str], int]:
        states = {(m.version, m.text): n for n, m in enumerate(self.moments, start=1) if m.text is not None}
        return states | ({("v0", self.start): 0} if self.start is not None else {})

    def _recreated(self) -> bool:
        return self.moments[-1].text is not None


def _source_at(moment: Moment) -> FakeSource:
    source = FakeSource()
    source.put("anchor", "a page that nobody touches")
    if moment.text is not None:
        source.put(GUIDE.doc_id, moment.text, version=moment.version)
    return source


def _newest(readable: Sequence[StoredChunk]) -> list[StoredChunk]:
    """What a reader keeps of two versions: the one with the newer fence."""
    newest = max(chunk.fetched_at for chunk in readable if chunk.fetched_at)
    return [chunk for chunk in readable if chunk.fetched_at == newest]


TWO = {
    "two edits": lambda: Race(ingest(OLD, "v1"), ingest(NEW, "v2")),
    "two first versions": lambda: Race(ingest(OLD, "v1"), ingest(NEW, "v2"), start=None),
    "an edit beside the text": lambda: Race(ingest(OLD, "v1"), ingest(OLD, "v2")),
    "an edit beside the text, first": lambda: Race(ingest(OLD, "v1"), ingest(OLD, "v2"), start=None),
    "an edit and its revert": lambda: Race(ingest(NEW, "v1"), ingest(LONG_AGO, "v2")),
    "an old read of the first text": lambda: Race(ingest(LONG_AGO, "v1"), ingest(NEW, "v2")),
    "an edit and a delete": lambda: Race(ingest(NEW, "v1"), nightly()),
    "an edit beside the text and a delete": lambda: Race(ingest(LONG_AGO, "v1"), nightly()),
    "a delete and a new beginning": lambda: Race(nightly(), ingest(NEW, "v2")),
    "a delete and a new beginning with the same text": lambda: Race(nightly(), ingest(LONG_AGO, "v2")),
    "an event and the night": lambda: Race(ingest(OLD, "v1"), nightly(NEW, "v2")),
    "the night and an event": lambda: Race(nightly(OLD, "v1"), ingest(NEW, "v2")),
    "two edits after a wrong clock": lambda: Race(ingest(OLD, "v1"), ingest(NEW, "v2"), start_fence=BY_A_WRONG_CLOCK),
    "an edit and a delete after a wrong clock": lambda: Race(
        ingest(NEW, "v1"), nightly(), start_fence=BY_A_WRONG_CLOCK
    ),
}
THREE = {
    "two edits and a delete": lambda: Race(ingest(OLD, "v1"), ingest(NEW, "v2"), nightly()),
    "an edit, a delete, a new beginning": lambda: Race(ingest(OLD, "v1"), nightly(), ingest(NEW, "v2")),
    "an edit, its revert and the edit again": lambda: Race(
        ingest(NEW, "v1"), ingest(LONG_AGO, "v2"), ingest(NEW, "v3")
    ),
    "three edits": lambda: Race(ingest(OLD, "v1"), ingest(NEW, "v2"), ingest(OTHER, "v3")),
    "an edit, one beside the text, a delete": lambda: Race(ingest(OLD, "v1"), ingest(OLD, "v2"), nightly()),
}


SAMPLE = {"an edit and its revert", "an edit and a delete", "a delete and a new beginning with the same text"}


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.sample] if n in SAMPLE else []) for n in TWO])
def test_two_actors_in_every_order_leave_the_newest_state_and_never_show_another(name: str) -> None:
    explored = explore(TWO[name])
    print(f"{name}: {explored}")
    assert explored.ends > 10, "the actors hardly met"


@pytest.mark.parametrize("name", [*TWO, *THREE])
def test_actors_in_orders_drawn_at_random_leave_the_newest_state(name: str) -> None:
    explore_at_random({**TWO, **THREE}[name], schedules=60, seed=1)


@pytest.mark.parametrize("name", [*TWO, *THREE])
def test_one_night_after_an_actor_was_killed_anywhere_the_index_is_true(name: str) -> None:
    explore_at_random({**TWO, **THREE}[name], schedules=40, seed=2, deadly=True)


@pytest.mark.slow
@pytest.mark.parametrize("deadly", [False, True], ids=["all live", "one dies"])
@pytest.mark.parametrize("name", THREE)
def test_three_actors_in_thousands_of_orders_leave_the_newest_state(name: str, deadly: bool) -> None:
    explore_at_random(THREE[name], schedules=3000, seed=3, deadly=deadly)
