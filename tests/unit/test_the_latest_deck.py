"""The three decks, and the other ways in which an old document used to be the answer."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from include.domain.documents import Status
from include.ranking.arrange import Placed, arrange
from include.ranking.blend import blend
from include.ranking.candidates import Candidate
from include.ranking.copies import title_without_dates, why_copies
from include.ranking.intent import Intent, IntentKind, read_intent
from include.ranking.recency import NEUTRAL, HalfLives, document_date, recency
from tests.ranking_candidates import NOW, candidate, days_ago

SHARED = "Acme Cloud keeps your documents in one place. It syncs, it searches, and it tells you what changed. " * 4


def ask(query: str, found: list[Candidate], *, limit: int = 3, half_lives: HalfLives = HalfLives()) -> list[Placed]:
    intent = read_intent(query, now=NOW)
    return arrange(blend(found, intent, now=NOW, half_lives=half_lives), intent, limit=limit)


def shown(placed: list[Placed]) -> list[str]:
    return [each.scored.candidate.key.doc_id for each in placed if each.is_shown]


@pytest.fixture
def decks() -> list[Candidate]:
    """Near-identical decks of three months and a page that has little to do with them. The newest scores lowest, the
    oldest was ingested last, and nobody dated the one of April."""
    return [
        candidate(
            "deck-march",
            0.92,
            text=SHARED + "We support 20 connectors.",
            title="Sales deck, March 2026",
            created_at=datetime(2026, 3, 2, tzinfo=UTC),
            fetched_at="2026-06-19T23:00:00.000000Z",
            updated_at=days_ago(1),
        ),
        candidate("deck-april", 0.90, text=SHARED + "We support 25 connectors.", title="Sales deck, April 2026"),
        candidate(
            "deck-june",
            0.86,
            text=SHARED + "We support 40 connectors.",
            title="Sales deck, June 2026",
            created_at=datetime(2026, 6, 1, tzinfo=UTC),
        ),
        candidate("lunch", 0.20, title="Lunch menu", created_at=days_ago(1)),
    ]


@pytest.mark.parametrize("query", ["latest deck", "what is the most recent sales deck", "the current deck"])
def test_the_latest_deck_is_the_newest_though_its_wording_fits_least(query: str, decks: list[Candidate]) -> None:
    assert shown(ask(query, decks))[0] == "deck-june"


def test_all_decks_are_all_three(decks: list[Candidate]) -> None:
    assert {"deck-march", "deck-april", "deck-june"} == set(shown(ask("show all our decks", decks)))


@pytest.mark.parametrize(
    ("query", "expected"),
    [("the March deck", "deck-march"), ("the April deck", "deck-april"), ("the June deck", "deck-june")],
)
def test_a_deck_that_is_asked_for_by_its_month_is_the_one_of_that_month(
    query: str, expected: str, decks: list[Candidate]
) -> None:
    assert shown(ask(query, decks))[0] == expected


def test_a_plain_question_keeps_the_order_of_similarity(decks: list[Candidate]) -> None:
    assert shown(ask("how many connectors are there", decks)) == ["deck-march", "deck-april", "deck-june"]


def test_before_a_month_means_the_newest_from_before_it(decks: list[Candidate]) -> None:
    assert shown(ask("sales deck before May 2026", decks))[0] == "deck-march"


def test_a_good_answer_of_last_winter_beats_a_loosely_related_page_of_today() -> None:
    found = [candidate("answer", 0.95, created_at=days_ago(200)), candidate("noise", 0.30, created_at=days_ago(0))]
    assert shown(ask("the latest answer", found))[0] == "answer"


def test_the_weakest_candidate_is_not_taken_for_the_best() -> None:
    found = [candidate(str(score), score, created_at=days_ago(9)) for score in (0.9, 0.4, 0.0)]
    assert shown(ask("refund", found)) == ["0.9", "0.4", "0.0"]


def test_a_long_document_does_not_win_by_its_length() -> None:
    found = [candidate("short", 0.9), candidate("long", *([0.5] * 40)), candidate("other", 0.1)]
    assert shown(ask("refund", found))[0] == "short"


def test_a_page_without_a_date_is_neither_new_nor_old() -> None:
    undated, old, new = (
        candidate("u", 0.5),
        candidate("o", 0.5, created_at=days_ago(2500)),
        candidate("n", 0.5, created_at=NOW),
    )
    assert recency(undated, HalfLives(), now=NOW).value == NEUTRAL
    assert document_date(undated, now=NOW).note == "date unknown"
    assert shown(ask("latest page", [old, undated, new])) == ["n", "u", "o"]


@pytest.mark.parametrize(
    ("fields", "note"),
    [
        ({"created_at": days_ago(-3)}, "lies in the future"),
        ({"created_at": days_ago(3), "created_at_trust": "unknown"}, "is not trusted"),
        ({"updated_at": days_ago(3)}, "date unknown"),
    ],
)
def test_a_date_that_proves_nothing_is_unknown_and_says_why(fields: dict[str, object], note: str) -> None:
    found = recency(candidate("x", 0.5, **fields), HalfLives(), now=NOW)
    assert found.value == NEUTRAL
    assert note in found.date.note


def test_the_day_a_text_came_into_force_counts_before_the_day_it_was_written() -> None:
    policy = candidate("p", 0.5, created_at=days_ago(400), effective_date=days_ago(10))
    assert document_date(policy, now=NOW).value == days_ago(10)


@pytest.mark.parametrize(
    ("precision", "shown_as"),
    [
        ("year", "2024"),
        ("month", "2024-05"),
        ("day", "2024-05-01"),
        ("instant", "2024-05-01 00:00 UTC"),
        ("", "2024-05-01"),
    ],
)
def test_a_date_is_shown_no_more_exact_than_it_is_known(precision: str, shown_as: str) -> None:
    first = datetime(2024, 5, 1, tzinfo=UTC)
    for name in ("created_at", "effective_date"):
        found = candidate("x", 0.5, **{name: first, f"{name}_precision": precision})
        assert document_date(found, now=NOW).shown == shown_as
    assert document_date(candidate("y", 0.5), now=NOW).shown == "date unknown"


def test_where_all_are_old_none_is_new() -> None:
    found = candidate("newest of the old", 0.5, created_at=days_ago(1800))
    assert recency(found, HalfLives(), now=NOW).value < 0.01


def test_a_content_type_has_its_own_half_life_and_may_never_age() -> None:
    half_lives = HalfLives(by_content_type={"event": 10, "fact": None})
    aged = {
        kind: recency(candidate("x", 0.5, content_type=kind, created_at=days_ago(180)), half_lives, now=NOW).value
        for kind in ("page", "event", "fact")
    }
    assert aged["page"] == pytest.approx(0.5)
    assert aged["event"] < 0.001
    assert aged["fact"] == NEUTRAL


def superseded(doc_id: str, score: float, *by: str) -> Candidate:
    return candidate(doc_id, score, status=Status.SUPERSEDED, superseded_by=by, created_at=days_ago(300))


def test_the_head_stands_in_for_a_retired_member_even_if_its_own_wording_was_not_found() -> None:
    found = [superseded("v1", 0.9, "v2"), superseded("v2", 0.7, "v3"), candidate("v3"), candidate("other", 0.5)]
    placed = ask("refund policy", found)
    assert shown(placed) == ["v3", "other"]
    reasons = {each.scored.candidate.key.doc_id: each.suppressed for each in placed}
    assert "decks:v3" in reasons["v1"]
    assert "decks:v3" in reasons["v2"]


def test_a_retired_document_whose_head_is_not_to_be_had_is_shown_with_a_notice() -> None:
    (only,) = ask("refund policy", [superseded("v1", 0.9, "v2")])
    assert only.is_shown
    assert only.notice == "superseded by v2, which was not found"


def test_documents_that_supersede_each_other_in_a_circle_are_shown_with_a_notice() -> None:
    placed = ask("refund policy", [superseded("v1", 0.9, "v2"), superseded("v2", 0.7, "v1")])
    assert [(each.is_shown, bool(each.notice)) for each in placed] == [(True, True), (True, True)]


def test_a_history_shows_the_retired_one_too_and_the_head_above_it() -> None:
    found = [superseded("v1", 0.9, "v2"), candidate("v2", 0.5, created_at=days_ago(3))]
    assert shown(ask("all versions of the refund policy", found)) == ["v2", "v1"]


def test_at_a_time_the_member_that_held_then_is_the_answer() -> None:
    found = [
        candidate("v1", 0.6, family="refund", created_at=datetime(2024, 2, 1, tzinfo=UTC), superseded_by=("v2",)),
        candidate("v2", 0.9, family="refund", created_at=datetime(2026, 2, 1, tzinfo=UTC), is_canonical=True),
    ]
    assert shown(ask("refund policy in 2024", found)) == ["v1"]
    assert shown(ask("refund policy", found)) == ["v2"]


def test_ten_retired_copies_do_not_crowd_out_the_one_that_holds() -> None:
    old = [superseded(f"old-{number}", 0.9, "new") for number in range(10)]
    placed = ask("refund policy", [*old, candidate("new", 0.1), candidate("other", 0.0)], limit=5)
    assert shown(placed) == ["new", "other"]


def test_the_better_copy_is_shown_though_it_stands_below_the_limit() -> None:
    found = [candidate(f"page-{number}", 0.9 - number / 100) for number in range(4)]
    found += [
        candidate("copy", 0.95, content_hash="h"),
        candidate("canonical", 0.1, content_hash="h", is_canonical=True),
    ]
    placed = ask("refund", found, limit=3)
    assert shown(placed) == ["canonical", "page-0", "page-1"]
    (copy,) = [each for each in placed if each.scored.candidate.key.doc_id == "copy"]
    assert copy.suppressed == "the same text as decks:canonical, which is canonical"


@pytest.mark.parametrize(
    ("one", "other", "copies"),
    [
        ({"content_hash": "h"}, {"content_hash": "h"}, True),
        ({"family": "f"}, {"family": "f"}, True),
        ({"family": "f", "lang": "en"}, {"family": "f", "lang": "de"}, False),
        ({"text": SHARED + "Nice."}, {"text": SHARED + "Good."}, True),
        ({"text": SHARED + "Within 30 days."}, {"text": SHARED + "Within 60 days."}, False),
        ({"text": SHARED + "Alpha " * 80}, {"text": SHARED + "Beta " * 80}, False),
        ({"text": SHARED, "title": "Plan Basic"}, {"text": SHARED, "title": "Plan Premium"}, False),
        ({"text": SHARED, "title": "Deck v1"}, {"text": SHARED, "title": "Deck v2 (final)"}, True),
    ],
)
def test_only_true_copies_are_copies(one: dict[str, str], other: dict[str, str], copies: bool) -> None:
    fields = {"title": "Deck"}
    first, second = (candidate(name, 0.5, **{**fields, **given}) for name, given in (("a", one), ("b", other)))
    assert bool(why_copies(first, second)) is copies
    assert bool(why_copies(second, first)) is copies


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Sales deck, March 2026", "Sales Deck June 2026"),
        ("Handbook v1.2", "Handbook v2.0 (draft)"),
        ("Q3 FY26 plan", "Q4 FY26 plan"),
    ],
)
def test_titles_of_one_series_are_alike_without_their_dates(one: str, other: str) -> None:
    assert title_without_dates(one) == title_without_dates(other)


def test_a_title_that_is_only_a_date_stays_itself() -> None:
    assert title_without_dates("2026-03") != title_without_dates("2026-06")


def test_a_threshold_leaves_out_what_scores_too_low_after_the_blend() -> None:
    intent = Intent(IntentKind.PLAIN)
    found = [candidate("a", 0.9), candidate("b", 0.5), candidate("c", 0.1)]
    placed = arrange(blend(found, intent, now=NOW), intent, limit=3, threshold=0.4)
    assert shown(placed) == ["a", "b"]
    assert placed[-1].suppressed == "score 0.000 is below the threshold 0.4"
