"""RECENCY-RANK: a score or a date that is not what it seems decides the order.

RR-07, one date for filter, rank, staleness and explain: here for rank and explain; staleness is not computed yet.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from include.ranking.arrange import Placed, arrange
from include.ranking.blend import blend
from include.ranking.candidates import Candidate
from include.ranking.explain import explained
from include.ranking.intent import IntentKind, read_intent
from include.ranking.recency import NEUTRAL, HalfLives, document_date, recency
from include.services.retrieval import Policy, Retrieval, retrieve
from tests.builders import DIMENSION, EMBEDDER
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.index import FakeIndexStore
from tests.known_failures.pages import publish_page
from tests.ranking_candidates import NOW, candidate, days_ago

EMBED = FakeEmbedder(dimension=DIMENSION)


@pytest.fixture
def store() -> FakeIndexStore:
    made = FakeIndexStore()
    made.prepare(EMBEDDER, DIMENSION)
    return made


def rank(query: str, found: list[Candidate], *, limit: int = 10) -> list[Placed]:
    intent = read_intent(query, now=NOW)
    return arrange(blend(found, intent, now=NOW), intent, limit=limit)


def shown(placed: list[Placed] | Retrieval) -> list[str]:
    every = placed.placed if isinstance(placed, Retrieval) else placed
    return [each.scored.candidate.key.doc_id for each in every if each.is_shown]


def ask(store: FakeIndexStore, query: str, **options: Any) -> Retrieval:
    return retrieve(store, EMBED, query, now=NOW, **options)


@pytest.mark.parametrize("query", ["refunds", "latest refunds", "refunds in 2026", "all versions of refunds"])
@pytest.mark.parametrize(
    "scores",
    [
        pytest.param([0.9, 0.4, 0.0], id="a real zero"),
        pytest.param([7.3, -0.2, -11.5], id="logits"),
        pytest.param([-0.1, -0.4, -0.9], id="all negative"),
        pytest.param([1e-9, 5e-10, 0.0], id="tiny"),
        pytest.param([980.0, 400.0, 0.0], id="percent and more"),
        pytest.param([0.03252, 0.03226, 0.03125], id="reciprocal ranks"),
        pytest.param([0.9, 0.4, math.nan], id="not a number"),
        pytest.param([0.9, 0.4, -math.inf], id="minus infinity"),
        pytest.param([0.9, 0.4, math.inf], id="infinity says nothing"),
        pytest.param([0.9, 0.4, None], id="found by no leg"),
    ],
)
def test_rr_01_with_equal_dates_the_order_is_that_of_the_scores_whatever_they_are(
    query: str, scores: list[float | None]
) -> None:
    found = [
        candidate(f"page-{place}", *([] if score is None else [score]), created_at=days_ago(30))
        for place, score in enumerate(scores)
    ]
    placed = rank(query, found[::-1])
    assert shown(placed) == ["page-0", "page-1", "page-2"]
    assert all(math.isfinite(each.scored.score) and each.scored.score >= 0 for each in placed)


def test_rr_01_where_every_score_is_zero_none_is_the_best() -> None:
    found = [candidate(f"page-{number}", 0.0, created_at=days_ago(number)) for number in range(3)]
    assert {each.scored.similarity for each in rank("refunds", found)} == {1.0}
    assert shown(rank("latest refunds", found)) == ["page-0", "page-1", "page-2"]


@pytest.mark.parametrize("age", [200, 2_000, 20_000])
def test_rr_04_an_exact_answer_is_not_passed_by_a_loosely_related_page_of_today(age: int) -> None:
    found = [
        candidate("answer", 0.9, created_at=days_ago(age)),
        candidate("related", 0.4, created_at=NOW),
        candidate("weakest", 0.1, created_at=NOW),
    ]
    for query in ("refund deadline", "latest refund deadline", "refund deadline as of today"):
        assert shown(rank(query, found))[0] == "answer"


def test_rr_04_however_old_or_new_a_page_is_its_date_moves_it_by_a_share_that_is_known() -> None:
    intent = read_intent("latest refunds", now=NOW)
    dates = [None, NOW, NOW + timedelta(days=9_000), days_ago(1), days_ago(20_000), datetime(1, 1, 1, tzinfo=UTC)]
    parts = [blend([candidate("x", 0.5, created_at=date)], intent, now=NOW)[0] for date in dates]
    assert all(0 <= part.recency <= 0.2 * part.similarity for part in parts)


@pytest.mark.parametrize("age", [10, 2_500])
def test_rr_06_a_page_without_a_date_is_neutral_and_explain_says_so(age: int) -> None:
    undated, dated = candidate("undated", 0.5), candidate("dated", 0.5, created_at=days_ago(age))
    placed = rank("latest refunds", [undated, dated])
    assert shown(placed)[0] == ("dated" if age == 10 else "undated")
    (said,) = [each for each in explained(placed) if each["doc_id"] == "undated"]
    assert said["date"] == {
        "value": None,
        "origin": "",
        "trust": "",
        "age_days": None,
        "precision": "",
        "note": "date unknown",
    }
    assert {each.scored.candidate.key.doc_id: each.scored.score for each in rank("refunds", [undated, dated])} == {
        "dated": 1.0,
        "undated": 1.0,
    }


@pytest.mark.parametrize(
    ("fields", "origin"),
    [
        ({"created_at": days_ago(5)}, "front matter date"),
        ({"effective_date": days_ago(5)}, "effective_date"),
        ({"effective_date": days_ago(5), "created_at": days_ago(900)}, "effective_date"),
        ({"effective_date": days_ago(5), "created_at": days_ago(-900)}, "effective_date"),
        ({"created_at": days_ago(5), "updated_at": NOW}, "front matter date"),
    ],
)
def test_rr_07_whichever_date_a_page_has_counts_and_explain_names_that_one(fields: dict[str, Any], origin: str) -> None:
    found = [candidate("dated", 0.5, **fields), candidate("old", 0.5, created_at=days_ago(800))]
    placed = rank("latest refunds", found)
    assert shown(placed)[0] == "dated"
    said = explained(placed)[0]["date"]
    assert (said["origin"], said["age_days"]) == (origin, 5.0)


@pytest.mark.parametrize("ahead", [0.5, 30, 365, 2_900_000])
@pytest.mark.parametrize("field", ["created_at", "effective_date"])
def test_a_date_ahead_is_unknown_and_never_the_newest(field: str, ahead: float) -> None:
    dates: dict[str, Any] = {field: days_ago(-ahead)}
    coming = candidate("coming", 0.5, title="Price list 2027", **dates)
    assert recency(coming, HalfLives(), now=NOW).value == NEUTRAL
    in_force = candidate("in force", 0.5, title="Price list 2026", created_at=days_ago(20))
    assert shown(rank("current price list", [coming, in_force]))[0] == "in force"


def test_what_is_written_but_not_yet_in_force_does_not_hide_what_holds_today() -> None:
    """Announced last week, in force from next month: its day of writing would make it the newest edition."""
    text = "parental leave is 16 weeks for every parent"
    announced = candidate(
        *("announced", 0.9), text=text, title="Leave 2027", created_at=days_ago(7), effective_date=days_ago(-30)
    )
    holds = candidate("holds", 0.8, text=text, title="Leave 2026", created_at=days_ago(300))
    placed = rank("what is the current parental leave", [announced, holds])
    assert shown(placed)[0] == "holds"
    assert document_date(announced, now=NOW).note == "comes into force on 2026-07-20"
    assert document_date(announced, now=days_ago(-31)).value == days_ago(-30)


@pytest.mark.parametrize("zero", [datetime(1970, 1, 1, tzinfo=UTC), datetime(1969, 12, 31, 17, tzinfo=UTC)])
def test_a_zero_date_of_another_writer_is_unknown_and_not_ancient(zero: datetime) -> None:
    for field in ("created_at", "effective_date"):
        dates: dict[str, Any] = {field: zero}
        found = recency(candidate("x", 0.5, **dates), HalfLives(), now=NOW)
        assert (found.value, found.date.value) == (NEUTRAL, None)


def test_rr_09_the_newest_of_many_old_release_notes_answers_though_it_fits_least(store: FakeIndexStore) -> None:
    for number in range(100):
        text = "the release note says what is new in the product and what was mended since the one before it"
        if number == 99:
            text += " and here is much more about exports imports filters and charts"
        created = days_ago(2_000 - number)
        publish_page(
            store, EMBED, f"n{number:03}", f"{text} {number}", title=f"Release note v{number}", created=created
        )
    found = ask(store, "What is the latest release note?", limit=1)
    assert shown(found) == ["n099"]
    assert len(found.placed) == 100
    assert all(each.scored.recency_found.value < 0.01 for each in found.placed)
    assert found.shown[0].scored.recency_found.age_days == pytest.approx(1_901)


def test_rr_09_the_newest_edition_is_first_though_all_are_old_and_its_wording_fits_least() -> None:
    found = [
        candidate(
            f"note-{number:02}",
            0.9 - number / 200,
            text="the release note of the product with everything that is new in it",
            title=f"Release note v{number}",
            created_at=days_ago(2_000 - number),
        )
        for number in range(80)
    ]
    placed = rank("What is the latest release note?", found, limit=5)
    assert shown(placed)[0] == "note-79"
    assert explained(placed)[0]["date"]["age_days"] == 1921.0
    assert explained(placed)[0]["parts"]["recency"] < 0.001


@pytest.mark.parametrize(
    "query",
    [
        "What did the 2019 budget cover?",
        "Which projects did the 2019 budget fund?",
        "How does Windows Server 2019 handle time zones?",
        "Who won the 2021 award?",
        "the year 2000 problem",
        "ISO 27001 2013 controls",
    ],
)
def test_rr_11_a_date_that_is_the_topic_is_no_wish_for_pages_of_that_time(query: str) -> None:
    intent = read_intent(query, now=NOW)
    assert (intent.kind, intent.period) == (IntentKind.PLAIN, None)
    found = [
        candidate("written later", 0.9, created_at=datetime(2021, 5, 1, tzinfo=UTC)),
        candidate("of that year", 0.8, created_at=datetime(2019, 5, 1, tzinfo=UTC)),
    ]
    assert shown(rank(query, found)) == ["written later", "of that year"]


def test_rr_13_age_counts_after_the_legs_are_fused_and_changes_none_of_their_ranks(store: FakeIndexStore) -> None:
    for number in range(30):
        text = f"refunds take {number} days {'and more ' * (number % 5)}"
        publish_page(store, EMBED, f"page-{number}", text, title=f"T{number}", created=days_ago(number * 40))
    legs = {
        kind: {
            each.scored.candidate.key.doc_id: [dict(chunk.legs) for chunk in each.scored.candidate.chunks]
            for each in ask(store, "refunds take how long", intent=kind).placed
        }
        for kind in (IntentKind.PLAIN, IntentKind.LATEST, IntentKind.HISTORY)
    }
    assert legs[IntentKind.PLAIN] == legs[IntentKind.LATEST] == legs[IntentKind.HISTORY]
    assert len(legs[IntentKind.PLAIN]) == 30


def test_one_long_document_does_not_crowd_out_the_others(store: FakeIndexStore) -> None:
    """Its chunks fill both legs; the pages behind them are answers too."""
    publish_page(store, EMBED, "long", *(f"refunds take days part {number}" for number in range(60)))
    for number in range(5):
        publish_page(store, EMBED, f"page-{number}", f"something else about {number}", title=f"Other {number * 'x'}")
    found = ask(store, "refunds take days", limit=5, policy=Policy(overfetch=10))
    assert shown(found)[0] == "long"
    assert len(shown(found)) == 5


def test_near_duplicates_do_not_crowd_out_the_others(store: FakeIndexStore) -> None:
    for number in range(60):
        publish_page(store, EMBED, f"copy-{number}", "refunds take thirty days", title="Refunds")
    for number in range(4):
        publish_page(store, EMBED, f"page-{number}", f"something else about {number}", title=f"Other {number * 'x'}")
    found = ask(store, "refunds take thirty days", limit=5, policy=Policy(overfetch=10))
    assert len(shown(found)) == 5
