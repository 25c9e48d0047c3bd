"""A shelf of documents whose metadata is set, and stores that lie about what they took."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from include.domain.documents import DocumentKey
from include.domain.manifest import RunState
from include.domain.metadata import Hand, MetadataChange, Patch
from include.domain.selection import Selector
from include.planning.limits import Limits
from include.services.marking import Marking
from include.services.metadata_change import look, plan_change
from include.services.set_metadata import apply_change, revert
from tests.builders import at, context_of, night, no_progress
from tests.fakes.clock import FakeClock
from tests.fakes.index import FakeIndex, FakeIndexStore
from tests.fakes.source import FakeSource

DECKS = tuple(f"decks/deck-{number:02}" for number in range(20))
APRIL = "2023-04-01T00:00:00.000000Z"

Lie = Callable[[FakeIndex, str, Selector, Mapping[str, object]], object]


@dataclass
class Shelf:
    """Twenty decks of three chunks in the index, and somebody who sets their metadata."""

    store: FakeIndexStore = field(default_factory=FakeIndexStore)
    limits: Limits = field(default_factory=Limits)
    source: FakeSource = field(default_factory=FakeSource)
    clock: FakeClock = field(default_factory=FakeClock)
    decks: Sequence[str] = DECKS
    runs: int = 0

    def __post_init__(self) -> None:
        for deck in self.decks:
            self.source.put(deck, f"{deck}\nwhat we sell\nwhat it costs in {deck}")
        self.context = context_of(
            self.source, store=self.store, clock=self.clock, limits=self.limits, batch_documents=7
        )
        assert night(self.context, "filled").state is RunState.TRUE

    def plan(self, patches: Mapping[str, Patch], hand: Hand = Hand.PERSON, run_id: str = "") -> MetadataChange:
        self.runs += 1
        return plan_change(
            self.context,
            patches,
            hand=hand,
            by="Ada",
            reason="older than they look",
            selector="by hand",
            run_id=run_id or f"set-{self.runs}",
        )

    def set(self, patches: Mapping[str, Patch], hand: Hand = Hand.PERSON, run_id: str = "") -> Marking:
        return apply_change(self.context, self.plan(patches, hand, run_id), progress=no_progress)

    def set_while_it_is_written(self, deck: str) -> None:
        """The deck has a new text. Its date will be set between the look at the ledger of the ingest run that takes it
        in, and the version that it publishes."""
        self.source.put(deck, "a new text\nof two lines")
        self.clock.moment = at(60)

        def setting(operation: str) -> None:
            if operation == "insert":
                self.store.on_io = lambda _: None
                self.set(dated(deck))

        self.store.on_io = setting

    def revert(self, run_id: str) -> Marking:
        self.runs += 1
        return revert(
            self.context, run_id, by="Ada", reason="wrong", new_run_id=f"set-{self.runs}", progress=no_progress
        )

    def payloads(self) -> dict[str, dict[str, Any]]:
        return {point_id: dict(point.payload) for point_id, point in self.store.points.items()}

    def says(self, doc_id: str, name: str) -> Any:
        """What all chunks of a document say."""
        said = [payload.get(name) for payload in self.payloads().values() if payload["doc_id"] == doc_id]
        assert said, f"{doc_id} is not there"
        assert all(each == said[0] for each in said), f"chunks disagree about {name}: {said}"
        return said[0]

    def is_true(self) -> bool:
        inventory = look(self.context)
        return all(not document.drift and not document.flaws for document in inventory.documents.values())


def dated(*decks: str, on: str = "2023-04-01") -> dict[str, Patch]:
    return {deck: {"created_at": on} for deck in decks}


class LyingStore(FakeIndexStore):
    """Once it `lies`, a write or a count is answered by this instead. Reads tell the truth."""

    def __init__(self) -> None:
        super().__init__()
        self.lie: Lie | None = None

    @contextmanager
    def writing(self) -> Iterator[FakeIndex]:
        yield _LyingIndex(self) if self.lie else FakeIndex(self)


class _LyingIndex(FakeIndex):
    _store: LyingStore

    def set_payload(self, selector: Selector, payload: Mapping[str, object]) -> None:
        assert self._store.lie is not None
        if self._store.lie(self, "set_payload", selector, payload) is None:
            super().set_payload(selector, payload)

    def count(self, selector: Selector) -> int:
        assert self._store.lie is not None
        answer = self._store.lie(self, "count", selector, {})
        return answer if isinstance(answer, int) else super().count(selector)


def drops_every_third(index: FakeIndex, operation: str, selector: Selector, payload: Mapping[str, object]) -> object:
    return True if operation == "set_payload" and selector.key.doc_id[-1] in "258" else None


def writes_one_chunk_only(
    index: FakeIndex, operation: str, selector: Selector, payload: Mapping[str, object]
) -> object:
    if operation != "set_payload" or selector.key.doc_id != DECKS[4]:
        return None
    FakeIndex.set_payload(index, replace(selector, only_ids=selector.only_ids[:1]), payload)
    return True


def counts_fewer(index: FakeIndex, operation: str, selector: Selector, payload: Mapping[str, object]) -> object:
    return 2 if operation == "count" and selector.key.doc_id == DECKS[3] else None


def leaves_a_field_out(index: FakeIndex, operation: str, selector: Selector, payload: Mapping[str, object]) -> object:
    if operation != "set_payload":
        return None
    FakeIndex.set_payload(index, selector, {k: v for k, v in payload.items() if k != "overridden"})
    return True


def changes_another_document(
    index: FakeIndex, operation: str, selector: Selector, payload: Mapping[str, object]
) -> object:
    if operation == "set_payload":
        FakeIndex.set_payload(index, Selector(DocumentKey("handbook", DECKS[19])), payload)
    return None


def changes_one_chunk_of_another(
    index: FakeIndex, operation: str, selector: Selector, payload: Mapping[str, object]
) -> object:
    if operation == "set_payload":
        key = DocumentKey("handbook", DECKS[18])
        last = index.chunks_of([key])[key][-1].point_id
        FakeIndex.set_payload(index, Selector(key, only_ids=(last,)), {"title": "another"})
    return None


def loses_another_document(
    index: FakeIndex, operation: str, selector: Selector, payload: Mapping[str, object]
) -> object:
    if operation == "set_payload":
        index.delete(Selector(DocumentKey("handbook", DECKS[17])))
    return None


def loses_a_chunk(index: FakeIndex, operation: str, selector: Selector, payload: Mapping[str, object]) -> object:
    if operation == "set_payload" and selector.key.doc_id == DECKS[0]:
        FakeIndex.set_payload(index, selector, payload)
        index.delete(replace(selector, only_ids=selector.only_ids[:1]))
        return True
    return None
