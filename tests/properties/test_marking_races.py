"""Metadata is set while runs write the same document: in whatever order they step, the chunks say what the ledger says.

As in test_interleavings: the index behaves like a server, sessions overlap, each operation is atomic alone.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from include.domain.documents import DocumentKey, Status, StoredChunk
from include.domain.errors import AuditFailed, ChangeRefused, ChangeUnderway
from include.domain.manifest import RunState
from include.domain.metadata import Hand, Patch
from include.planning.inspection import inspect, judge_document, with_marks
from include.planning.limits import Limits
from include.services.context import SourceContext
from include.services.ingest import ingest_documents
from include.services.metadata_change import plan_change
from include.services.set_metadata import apply_change
from include.store.points import stored_chunk
from tests.builders import at, context_of, night, no_progress
from tests.fakes.clock import FakeClock
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.index import FakeIndexStore
from tests.fakes.records import FakeLedger, FakeRemovalMarks
from tests.fakes.source import FakeSource
from tests.schedules import Actor, Stepped, SteppedStore, explore, explore_at_random

GUIDE = DocumentKey("handbook", "guide")
EMBEDDER = FakeEmbedder()
OLD = "how to pay\nin shops"
NEW = "how to pay\nonline\nby card"
APRIL: Patch = {"created_at": "2023-04-01"}
HIDDEN: Patch = {"status": "archived", "title": "Old"}


def source_with(text: str, version: str) -> FakeSource:
    source = FakeSource()
    source.put("anchor", "a page that nobody touches")
    source.put(GUIDE.doc_id, text, version=version)
    return source


@cache
def start() -> FakeIndexStore:
    store = FakeIndexStore()
    night(context(source_with(OLD, "v0"), 0, store, FakeLedger()), "start")
    return store


def context(source: FakeSource, minutes: float, store: Any, ledger: Any) -> SourceContext:
    return context_of(
        source,
        store=store,
        clock=FakeClock(at(minutes)),
        removal_marks=FakeRemovalMarks(),
        embedder=EMBEDDER,
        ledger=ledger,
        limits=Limits(deletion_percent=100),
    )


class SteppedLedger(Stepped):
    """Reading marks and recording a change are steps; the lock between processes is none of its own."""

    _adapter: FakeLedger

    def changing(self, source: str, run_id: str) -> AbstractContextManager[None]:
        return self._adapter.changing(source, run_id)

    def decided(self, source: str, hand: Hand) -> Any:
        return self._adapter.decided(source, hand)

    def held(self, *_: object) -> None:
        return None


Work = Callable[["Race", Actor, int], Callable[[], object]]


def ingest(text: str, version: str) -> Work:
    def work(race: Race, actor: Actor, number: int) -> Callable[[], object]:
        ours = race.context(actor, source_with(text, version), number)
        return lambda: ingest_documents(ours, [GUIDE.doc_id], indexed=2, progress=no_progress)

    return work


def setting(patch: Patch) -> Work:
    def work(race: Race, actor: Actor, number: int) -> Callable[[], object]:
        ours = race.context(actor, source_with(OLD, "v0"), number)

        def set_it() -> None:
            change = plan_change(
                ours, {GUIDE.doc_id: patch}, hand=Hand.PERSON, by="Ada", reason="why", selector="it", run_id=actor.name
            )
            apply_change(ours, change, progress=no_progress)

        return set_it

    return work


class Race:
    """One document and an actor for each work. `may_be_refused`: of two changes one may be told to come again.

    `may_turn_red`: an ingest run that takes over points sets their status on the decision that it knows, and then looks
    at the ledger again. An audit that looks between the two cannot tell it from a store that lies. Then the old values
    are back, everywhere. (The embedded engine lets nobody look between the two.)
    """

    def __init__(self, *works: Work, may_be_refused: bool = False, may_turn_red: bool = False) -> None:
        self.store = copy.deepcopy(start())
        self.ledger = FakeLedger()
        self.may_be_refused = may_be_refused
        self.may_turn_red = may_turn_red
        self.actors: Sequence[Actor] = [Actor(f"{number}") for number, _ in enumerate(works, start=1)]
        for number, (actor, work) in enumerate(zip(self.actors, works, strict=True), start=1):
            actor.start(work(self, actor, number))

    def context(self, actor: Actor, source: FakeSource, minutes: int) -> SourceContext:
        ledger = SteppedLedger(actor, self.ledger)
        ours = context(source, minutes, SteppedStore(actor, self.store), ledger)
        return replace(ours, connector=Stepped(actor, ours.connector))

    def chunks(self) -> list[StoredChunk]:
        chunks = (stored_chunk(point_id, point.payload) for point_id, point in self.store.points.items())
        return [chunk for chunk in chunks if chunk.doc_id == GUIDE.doc_id]

    def state(self) -> object:
        points = sorted((point_id, repr(sorted(p.payload.items()))) for point_id, p in self.store.points.items())
        return hash((tuple(points), repr(self.ledger.decisions), repr(self.ledger.under_change)))

    def check(self) -> None:
        """At every instant: one version that is whole, whose chunks say the same."""
        readable = [chunk for chunk in self.chunks() if chunk.status != Status.INCOMING]
        newest = max(chunk.fetched_at for chunk in readable if chunk.fetched_at)
        shown = judge_document(GUIDE.doc_id, [chunk for chunk in readable if chunk.fetched_at == newest])
        assert not shown.flaws, f"readers see {shown.flaws}"

    def check_end(self) -> None:
        for actor in self.actors:
            refused = self.may_be_refused and isinstance(actor.error, ChangeRefused | ChangeUnderway)
            red = self.may_turn_red and isinstance(actor.error, AuditFailed)
            assert actor.error is None or refused or red, f"{actor.name} ended with {actor.error!r}"
        inventory = with_marks(inspect("handbook", self.chunks()), self.ledger.marks("handbook"))
        found = inventory.documents[GUIDE.doc_id]
        assert not found.flaws, f"the newest version is not alone and whole: {found.flaws}"
        assert not found.drift, f"the ledger says {self.ledger.marks('handbook')}, the index differs in {found.drift}"
        assert not self.may_be_refused or any(actor.error is None for actor in self.actors), "both were refused"

    def recover(self) -> None:
        """The next night: the ledger's lock of a killed process is free, what drifted is set right."""
        self.ledger.under_change.clear()
        self.actors = ()
        self.may_be_refused = False
        newest = source_with(NEW, "v9")
        manifest = night(context(newest, 100, self.store, self.ledger), "the night after")
        assert manifest.state is RunState.TRUE, manifest.reason


TWO = {
    "a new text and a date": lambda: Race(ingest(NEW, "v1"), setting(APRIL)),
    "a new text and a status": lambda: Race(ingest(NEW, "v1"), setting(HIDDEN)),
    "an edit beside the text and a status": lambda: Race(ingest(OLD, "v1"), setting(HIDDEN), may_turn_red=True),
    "two changes": lambda: Race(setting(APRIL), setting(HIDDEN), may_be_refused=True),
}
THREE = {
    "two new texts and a date": lambda: Race(ingest(OLD, "v1"), ingest(NEW, "v2"), setting(APRIL)),
    "a new text and two changes": lambda: Race(ingest(NEW, "v1"), setting(APRIL), setting(HIDDEN), may_be_refused=True),
}


@pytest.fixture(autouse=True)
def nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time does not pass for others while an actor sleeps."""
    monkeypatch.setattr("include.services.set_metadata._PATIENCE_SECONDS", (0.0,))


@pytest.mark.slow
@pytest.mark.sample
@pytest.mark.parametrize("name", TWO)
def test_two_actors_in_every_order_leave_what_the_ledger_says(name: str) -> None:
    explored = explore(TWO[name])
    print(f"{name}: {explored}")
    assert explored.ends > 5, "the actors hardly met"


@pytest.mark.parametrize("name", [*TWO, *THREE])
def test_actors_in_orders_drawn_at_random_leave_what_the_ledger_says(name: str) -> None:
    explore_at_random({**TWO, **THREE}[name], schedules=150, seed=1)


@pytest.mark.parametrize("name", [*TWO, *THREE])
def test_one_night_after_an_actor_was_killed_anywhere_the_index_says_what_the_ledger_says(name: str) -> None:
    explore_at_random({**TWO, **THREE}[name], schedules=60, seed=2, deadly=True)
