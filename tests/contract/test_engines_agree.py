"""Edge and the client's local mode answer the same question alike: an embedded test says something of the server."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime
from typing import Any

import pytest

from include.domain.dates import rfc3339
from include.domain.documents import DocumentKey, Status
from include.ports import NewPoint
from include.store.sparse import query_vector
from include.store.where import After, Condition, HasId, Is, OneOf, Where, Within
from tests.builders import DIMENSION, EMBEDDER, at, ids_of, new_points, unit_vector

SOURCES = ["helpcenter", "handbook", "blog"]
WORDS = ["password", "reset", "billing", "invoice", "deploy", "rollback", "webhook", "token", "quota", "backup"]


def corpus() -> list[NewPoint]:
    dice = random.Random(5)
    return [
        point
        for n in range(150)
        for point in new_points(
            DocumentKey(dice.choice(SOURCES), f"doc-{n % 70}"),
            [f"{n} {part} " + " ".join(dice.choices(WORDS, k=12)) for part in range(3)],
            version=f"v{n}",
            fetched_at=at(n / 7),
            status=dice.choice(list(Status)),
            lang=dice.choice(["en", "de", None]),
            created_at=dice.choice([None, rfc3339(at(-n * 1000))]),
            doc_family=dice.choice([None, "decks", "guides"]),
            is_canonical=dice.random() < 0.3,
            pinned=dice.random() < 0.1,
        )
    ]


def random_condition(dice: random.Random, ids: list[str]) -> Condition:
    def moment(spread: float) -> datetime:
        return at(dice.uniform(-spread, spread))

    match dice.randrange(9):
        case 0:
            return Is("source", dice.choice([*SOURCES, "nowhere"]))
        case 1:
            return Is("status", dice.choice(list(Status)).value)
        case 2:
            return Is(dice.choice(["is_canonical", "is_current", "pinned"]), dice.random() < 0.5)
        case 3:
            return Is("chunk_index", dice.randrange(4))
        case 4:
            return OneOf("doc_id", tuple(f"doc-{dice.randrange(90)}" for _ in range(dice.choice([0, 1, 5, 60]))))
        case 5:
            start, end = sorted((moment(25), moment(25)))
            return Within("fetched_at", start, end)
        case 6:
            return After("created_at", moment(150_000))
        case 7:
            return HasId(tuple(dice.sample(ids, dice.choice([0, 1, 50]))))
    return OneOf("doc_family", ("decks",))


@pytest.fixture
def both(make_store: Callable[[str], Any]) -> Any:
    points = corpus()
    with ExitStack() as stack:
        engines = []
        for kind in ("edge", "local-memory"):
            store = make_store(kind)
            store.prepare(EMBEDDER, DIMENSION)
            with store.writing() as index:
                index.insert(points)
            engine = stack.enter_context(store._engine())
            if kind != "edge":
                engine.open()
            engines.append(engine)
        yield points, *engines


def test_two_hundred_random_filtered_searches_give_equal_ids_and_counts(both: Any) -> None:
    points, edge, local = both
    dice = random.Random(23)
    found = 0
    for n in range(200):
        must = tuple(random_condition(dice, ids_of(points)) for _ in range(dice.randrange(3)))
        must_not = tuple(random_condition(dice, ids_of(points)) for _ in range(dice.randrange(2)))
        where = Where(must, must_not)
        query = unit_vector(f"question {n}").tolist()
        ours = edge.nearest(query, "dense", where, 20, with_payload=False)
        theirs = local.nearest(query, "dense", where, 20, with_payload=False)
        assert [hit.point_id for hit in ours] == [hit.point_id for hit in theirs], where
        assert [hit.score for hit in ours] == pytest.approx([hit.score for hit in theirs], abs=1e-5)
        assert edge.count(where) == local.count(where), where
        words = query_vector(f"question {n} about text")
        legs = {"dense": query, "bm25": words}
        # Equal scores may be ranked either way, so their fused scores too: compared is what is found, not the order.
        ours, theirs = (engine.fused(legs, where, 500) for engine in (edge, local))
        assert {hit.point_id for hit in ours} == {hit.point_id for hit in theirs}, where
        found += bool(ours)
    assert found > 100  # most of the questions had an answer, so equality means something


@pytest.mark.parametrize("field", ["is_canonical", "is_current", "pinned"])
@pytest.mark.parametrize("value", [True, False])
def test_a_bool_condition_counts_what_is_stored(both: Any, field: str, value: bool) -> None:
    points, edge, local = both
    expected = sum(point.payload[field] is value for point in points)
    where = Where((Is(field, value),))
    assert edge.count(where) == local.count(where) == expected
    assert edge.count(Where((), where.must)) == local.count(Where((), where.must)) == len(points) - expected


def test_a_question_in_words_finds_the_same_chunks_and_no_hidden_one(make_store: Callable[[str], Any]) -> None:
    texts = ["reset your password by mail", "the invoice is sent monthly", "rollback a deployment"]
    answers = []
    for kind in ("edge", "local-memory", "http"):
        store = make_store(kind)
        store.prepare(EMBEDDER, DIMENSION)
        with store.writing() as index:
            index.insert(new_points(DocumentKey("helpcenter", "1"), texts, status=Status.PUBLISHED))
            index.insert(new_points(DocumentKey("helpcenter", "2"), texts, status=Status.STAGED))
            hits = index.search_words("how are passwords reset?", limit=5)
            answers.append([(hit.payload["doc_id"], hit.payload["text"], round(hit.score, 4)) for hit in hits])
            assert index.search_words("the of ...", limit=5) == []
            assert index.search_words("passwords", limit=5, sources=["handbook"]) == []
    assert [(doc, text) for doc, text, _ in answers[0]] == [("1", texts[0])]
    assert answers[0] == answers[1] == answers[2]
