"""The visibility oracle: whatever state the index is in, a reader sees what is to be seen, all of it and nothing else.

Random documents in random states, random questions; what may be found is worked out beside the engines, from the points
that were written. Held to it: each leg by itself, both fused, and the answer as a whole, on every store.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from include.domain.documents import SEARCHABLE, DocumentKey, Status
from include.domain.selection import Selector
from include.ports import IndexStore, NewPoint
from include.ranking.intent import IntentKind
from include.services.document import read_document
from include.services.retrieval import Policy, Retrieval, retrieve
from include.store.edge import EdgeStore
from include.store.server import IN_MEMORY, ServerStore
from tests.builders import DIMENSION, EMBEDDER, at, new_points, with_payload
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.index import FakeIndexStore
from tests.fakes.qdrant_http import serving

EMBED = FakeEmbedder(dimension=DIMENSION)
SOURCES = ("decks", "handbook", "wiki")
WORDS = ("refund", "policy", "deadline", "invoice", "travel", "holiday")
NOW = at(60)

slow = pytest.mark.slow
STORES = [
    pytest.param("fake", 60),
    pytest.param("local", 12),
    pytest.param("edge", 5),
    pytest.param("http", 5),
    pytest.param("edge", 60, marks=slow),
    pytest.param("http", 60, marks=slow),
    pytest.param("local", 200, marks=slow),
]


@dataclass(frozen=True)
class Question:
    """`overfetch` is as small as the answer, so that nothing is full by chance."""

    text: str
    limit: int
    sources: tuple[str, ...]
    statuses: tuple[Status, ...]
    intent: IntentKind | None


@st.composite
def documents(draw: st.DrawFn) -> list[list[NewPoint]]:
    """Up to 24 documents of one to four chunks. Most of a drawn index may be hidden, or one document the most of it."""
    states = draw(st.lists(st.sampled_from(Status), min_size=1, max_size=5))
    made = []
    count = draw(st.integers(0, 24))
    for number in range(count):
        words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3))
        # Their words differ, so that no two of these are copies of one text.
        texts = [f"{' '.join(words)} n{number}c{chunk}" for chunk in range(draw(st.integers(1, 4)))]
        others = st.integers(0, count).map(lambda other: f"doc-{other}")
        points = new_points(
            DocumentKey(draw(st.sampled_from(SOURCES)), f"doc-{number}"),
            texts,
            status=draw(st.sampled_from(states)),
            fetched_at=at(draw(st.integers(0, 3))),
            title=f"About {number * 'x'}",
            doc_family=draw(st.sampled_from([None, None, "refunds"])),
            is_canonical=draw(st.booleans()),
            superseded_by=draw(st.lists(others, max_size=2)),
        )
        if draw(st.integers(0, 3)) == 0:  # one chunk stands in another state than its siblings
            odd = draw(st.integers(0, len(points) - 1))
            points[odd] = with_payload(points[odd], status=draw(st.sampled_from(Status)).value)
        made.append(points)
    return made


QUESTIONS = st.builds(
    Question,
    text=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join),
    limit=st.integers(1, 12),
    sources=st.lists(st.sampled_from((*SOURCES, "nobody")), max_size=2, unique=True).map(tuple),
    statuses=st.lists(st.sampled_from(Status), max_size=3, unique=True).map(tuple),
    intent=st.sampled_from([None, *IntentKind]),
)


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Callable[[str], IndexStore]]:
    """An empty index of a kind, each call another."""
    count = 0
    with serving() as (url, _):

        def make(kind: str) -> IndexStore:
            nonlocal count
            count += 1
            made: IndexStore
            match kind:
                case "fake":
                    made = FakeIndexStore()
                case "edge":
                    made = EdgeStore(tmp_path / f"edge-{count}", "docs", lock_timeout=20)
                case "local":
                    made = ServerStore(IN_MEMORY, "docs")
                case _:
                    made = ServerStore(url, f"docs-{count}")
            made.prepare(EMBEDDER, DIMENSION)
            return made

        yield make


@pytest.mark.parametrize(("kind", "examples"), STORES)
def test_nothing_hidden_is_found_and_nothing_visible_is_missed(
    fresh: Callable[[str], IndexStore], kind: str, examples: int
) -> None:
    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(documents(), st.lists(QUESTIONS, min_size=1, max_size=4))
    def holds(made: list[list[NewPoint]], questions: list[Question]) -> None:
        store = fresh(kind)
        points = filled(store, made)
        for question in questions:
            check(store, points, question)

    holds()


@pytest.mark.parametrize(("kind", "examples"), STORES)
def test_so_it_is_after_eight_of_ten_points_are_gone(
    fresh: Callable[[str], IndexStore], kind: str, examples: int
) -> None:
    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(documents().filter(len), st.randoms(use_true_random=False), QUESTIONS)
    def holds(made: list[list[NewPoint]], random: Any, question: Question) -> None:
        store = fresh(kind)
        points = filled(store, made)
        gone = random.sample(sorted(points), len(points) * 8 // 10)
        by_document: dict[DocumentKey, list[str]] = defaultdict(list)
        for point_id in gone:
            by_document[key_of(points[point_id])].append(point_id)
        with store.writing() as index:
            for key, point_ids in by_document.items():
                index.delete(Selector(key, only_ids=tuple(point_ids)))
        left = {point_id: point for point_id, point in points.items() if point_id not in gone}
        check(store, left, question)
        check(store, left, replace(question, limit=1))

    holds()


def filled(store: IndexStore, made: list[list[NewPoint]]) -> dict[str, NewPoint]:
    points = [replace(point, vector=EMBED.embed([point.text])[0]) for document in made for point in document]
    with store.writing() as index:
        index.insert(points)
    return {point.point_id: point for point in points}


def key_of(point: NewPoint) -> DocumentKey:
    return DocumentKey(str(point.payload["source"]), str(point.payload["doc_id"]))


def check(store: IndexStore, points: dict[str, NewPoint], question: Question) -> None:
    asked = {"limit": question.limit, "sources": question.sources, "statuses": question.statuses}
    allowed = question.statuses or tuple(SEARCHABLE)
    eligible = {
        point_id: point
        for point_id, point in points.items()
        if point.payload["status"] in allowed and (not question.sources or point.payload["source"] in question.sources)
    }
    with_a_word = {i for i, point in eligible.items() if set(question.text.split()) & set(point.text.split())}
    vector = EMBED.embed([question.text])[0]
    with store.reading() as index:
        assert_full(ids(index.search(vector, **asked)), set(eligible), question)  # type: ignore[arg-type]
        if hasattr(index, "search_words"):
            assert_full(ids(index.search_words(question.text, **asked)), with_a_word, question)
        hybrid = index.hybrid(vector, question.text, **asked)  # type: ignore[arg-type]
    assert_full(ids(hybrid.legs["dense"]), set(eligible), question)
    assert_full(ids(hybrid.legs["bm25"]), with_a_word, question)
    assert set(ids(hybrid.fused)) == {*ids(hybrid.legs["dense"]), *ids(hybrid.legs["bm25"])}
    assert all(hit.payload["text"] == points[hit.point_id].text for hit in hybrid.fused)
    check_answer(store, points, question)


def ids(hits: Any) -> list[str]:
    return [hit.point_id for hit in hits]


def assert_full(found: list[str], eligible: set[str], question: Question) -> None:
    assert len(found) == len(set(found))
    assert set(found) <= eligible
    assert len(found) == min(question.limit, len(eligible)), question


def check_answer(store: IndexStore, points: dict[str, NewPoint], question: Question) -> None:
    """Of the answer as a whole: documents instead of chunks, and no statuses to choose."""
    visible: dict[DocumentKey, set[str]] = defaultdict(set)
    for point_id, point in points.items():
        if point.payload["status"] in SEARCHABLE:
            visible[key_of(point)].add(point_id)
    eligible = {key for key in visible if not question.sources or key.source in question.sources}
    found = retrieve(
        *(store, EMBED, question.text),
        now=NOW,
        limit=question.limit,
        sources=question.sources,
        intent=question.intent,
        policy=Policy(overfetch=question.limit),
    )
    for each in found.placed:
        candidate = each.scored.candidate
        assert candidate.key in eligible
        assert candidate.chunks
        assert {chunk.point_id for chunk in candidate.chunks} <= visible[candidate.key]
    assert len(found.placed) == len({each.scored.candidate.key for each in found.placed})
    assert len(found.shown) <= question.limit
    if len(found.shown) < question.limit:  # then all there is was looked at, and each has its reason
        assert {each.scored.candidate.key for each in found.placed} == eligible
        assert all(each.suppressed and "below" not in each.suppressed for each in not_shown(found))
    for key in {key_of(point) for point in points.values()}:
        check_document(store, key, points, visible)


def not_shown(found: Retrieval) -> list[Any]:
    return [each for each in found.placed if not each.is_shown]


def check_document(
    store: IndexStore, key: DocumentKey, points: dict[str, NewPoint], visible: dict[DocumentKey, set[str]]
) -> None:
    document = read_document(store, key)
    first = [i for i in visible.get(key, ()) if points[i].payload["chunk_index"] == 0]
    assert (document is not None) == bool(first)
    if document is not None:
        assert {chunk.point_id for chunk in document.chunks} == visible[key]
        named = {*document.described.supersedes, *document.described.superseded_by}
        assert all(DocumentKey(key.source, doc_id) in visible for doc_id in named)
