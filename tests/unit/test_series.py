"""Documents of one title but for its dates, that nobody has linked: which one is shown, and which are left alone."""

from __future__ import annotations

import math
import random
from datetime import UTC, datetime
from typing import Any

import pytest

from include.ranking.arrange import Placed, arrange
from include.ranking.blend import blend
from include.ranking.candidates import Candidate, Leg
from include.ranking.copies import bears_a_date, title_without_dates
from include.ranking.intent import IntentKind, read_intent
from include.ranking.relevance import scores_of_legs
from tests.ranking_candidates import NOW, candidate, days_ago

ZIPS = "The workshop charges for zips, seams and wax, tax included, and makes an estimate before it begins. " * 3


def ask(query: str, found: list[Candidate], *, limit: int = 5) -> list[Placed]:
    intent = read_intent(query, now=NOW)
    return arrange(blend(found, intent, now=NOW), intent, limit=limit)


def shown(placed: list[Placed]) -> list[str]:
    return [each.scored.candidate.key.doc_id for each in placed if each.is_shown]


def year(number: int) -> datetime:
    return datetime(number, 2, 1, tzinfo=UTC)


def price_lists() -> list[Candidate]:
    return [
        candidate("2024", 0.90, text="A zip is 24.", title="Price list 2024", created_at=year(2024)),
        candidate("2025", 0.95, text="For a zip we take 26.", title="Price list 2025", created_at=year(2025)),
        candidate("2026", 0.80, text="Zips are charged with 28.", title="Price list 2026", created_at=year(2026)),
        candidate("other", 0.1, title="Something else"),
    ]


def test_of_editions_that_their_titles_name_only_the_newest_answers_for_today() -> None:
    placed = ask("the latest price of a zip", price_lists())
    assert shown(placed) == ["2026", "other"]
    reasons = {each.scored.candidate.key.doc_id: each.suppressed for each in placed}
    assert reasons["2025"] == "another edition: decks:2026 of 2026-02-01 is the newest"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("what did a zip cost in 2024", "2024"),
        ("the price of a zip before 2026", "2025"),
        ("zips in the 2025 price list", "2025"),
    ],
)
def test_for_another_time_it_is_the_one_that_held_then(query: str, expected: str) -> None:
    assert shown(ask(query, price_lists())) == [expected, "other"]


def test_all_editions_are_shown_to_who_asks_for_all_or_says_nothing_of_time() -> None:
    assert set(shown(ask("all our price lists", price_lists()))) == {"2024", "2025", "2026", "other"}
    assert shown(ask("zip", price_lists())) == ["2025", "2024", "2026", "other"]


def test_a_title_that_is_quoted_with_its_year_is_wanted_as_it_is() -> None:
    assert shown(ask('what is now in "Price list 2025"', price_lists()))[0] == "2025"


def test_a_person_s_mark_decides_and_not_the_date() -> None:
    pinned, newer = (
        candidate("pinned", 0.8, text="A zip is 24.", title="Rules 2024", created_at=year(2024), pinned=True),
        candidate("newer", 0.8, text="Zips are charged with 28.", title="Rules 2026", created_at=year(2026)),
    )
    assert "pinned" in shown(ask("the latest rules", [pinned, newer]))


def rules(undated_text: str) -> list[Candidate]:
    return [
        candidate("undated", 0.9, text=undated_text, title="Rules, draft"),
        candidate("dated", 0.8, text=ZIPS + "two", title="Rules, final", created_at=year(2025)),
        candidate("far", 0.0, title="Far"),
    ]


def test_a_member_without_a_date_is_not_the_newest_and_stays_as_far_as_it_says_something_else() -> None:
    assert shown(ask("the latest rules", rules("Seams are sewn by hand. " * 9))) == ["dated", "undated", "far"]


def test_another_state_of_one_text_without_a_date_is_left_out_of_the_latest_and_named() -> None:
    placed = {each.scored.candidate.key.doc_id: each for each in ask("the latest rules", rules(ZIPS + "one"))}
    assert placed["dated"].notice == "left out, because its date is unknown: decks:undated"
    assert placed["undated"].suppressed == "another edition, of unknown date: decks:dated of 2025-02-01 is the newest"


@pytest.mark.parametrize("query", ["rules in 2025", "all our rules", "rules"])
def test_for_any_other_question_a_state_without_a_date_is_shown(query: str) -> None:
    assert set(shown(ask(query, rules(ZIPS + "one")))) == {"dated", "undated", "far"}


def test_a_question_that_says_nothing_of_time_keeps_its_order_and_hears_of_newer_editions() -> None:
    found = [
        candidate("old", 0.9, text=ZIPS + "A zip is 24.", title="Prices", created_at=year(2024)),
        candidate("undated", 0.8, text=ZIPS + "A zip is 26.", title="Prices"),
        candidate("new", 0.7, text=ZIPS + "A zip is 28.", title="Prices", created_at=year(2026)),
        candidate("else", 0.6, text="Nothing of zips.", title="Prices", created_at=year(2020)),
    ]
    placed = ask("zip", found)
    assert shown(placed) == ["old", "undated", "new", "else"]
    assert [each.notice for each in placed] == [
        "an earlier edition: decks:new of 2026-02-01 is the newest",
        "an edition of unknown date: decks:new of 2026-02-01 is the newest",
        "",
        "",
    ]


def stated(doc_id: str, status: str, day: datetime) -> Candidate:
    return candidate(doc_id, 0.9, text=f"{ZIPS} {doc_id}", title="Rules", stated_status=status, created_at=day)


@pytest.mark.parametrize("status", ["Draft", "Deferred", "Withdrawn", "Superseded", "no longer maintained"])
def test_what_says_of_itself_that_it_does_not_hold_is_not_the_latest_however_new(status: str) -> None:
    found = [stated("new", status, year(2026)), stated("approved", "Approved", year(2025)), candidate("far", 0.0)]
    assert shown(ask("the latest rules", found))[0] == "approved"
    assert shown(ask("the rules in 2026", found))[0] == "new"  # of an earlier time its state of today says nothing


def test_a_later_edition_that_is_over_is_left_out_and_one_that_is_on_its_way_is_shown_as_such() -> None:
    approved = stated("approved", "Approved", year(2025))
    (first, second) = ask("latest rules", [stated("new", "Withdrawn", year(2026)), approved])
    assert first.scored.candidate is approved
    assert second.suppressed == "another edition, given up: decks:approved of 2025-02-01 holds"
    (first, second) = ask("latest rules", [stated("new", "Draft", year(2026)), approved])
    assert (first.scored.candidate, first.notice) == (approved, "")
    assert second.notice == "not approved yet, by its own words: decks:approved of 2025-02-01 holds"


@pytest.mark.parametrize(
    ("fields", "notice"),
    [
        ({"stated_status": "Superseded"}, "superseded, by its own words"),
        ({"stated_superseded_by": ("PEP 101",)}, "superseded by PEP 101, by its own words"),
        ({"stated_status": "Withdrawn"}, "given up, by its own words"),
        ({"stated_status": "Draft"}, ""),
        ({"stated_status": "Withdrawn", "family": "rules"}, ""),  # somebody has decided about it
    ],
)
def test_what_says_of_itself_that_it_is_over_is_served_with_a_notice(fields: dict[str, Any], notice: str) -> None:
    for query in ("rules", "latest rules"):
        assert [each.notice for each in ask(query, [candidate("rules", 0.9, **fields)])] == [notice]


def test_of_two_copies_the_one_that_does_not_say_that_it_is_over_is_kept() -> None:
    found = [
        candidate("over", 0.9, content_hash="h", stated_status="Superseded"),
        candidate("kept", 0.5, content_hash="h"),
    ]
    assert shown(ask("rules", found)) == ["kept"]


@pytest.mark.parametrize(
    ("precision", "day", "left_out"),
    [
        ("year", datetime(2025, 1, 1, tzinfo=UTC), False),  # some day of 2025
        ("year", datetime(2024, 1, 1, tzinfo=UTC), True),
        ("month", datetime(2025, 6, 1, tzinfo=UTC), False),
        ("month", datetime(2025, 5, 1, tzinfo=UTC), True),
        ("day", datetime(2025, 6, 10, tzinfo=UTC), False),  # the other one is of an hour of that day
        ("day", datetime(2025, 6, 9, tzinfo=UTC), True),
        ("instant", datetime(2025, 6, 10, 8, tzinfo=UTC), True),
    ],
)
def test_a_date_decides_no_more_than_it_is_exact(precision: str, day: datetime, left_out: bool) -> None:
    moment = datetime(2025, 6, 10, 9, tzinfo=UTC)
    newer = candidate("newer", 0.8, text=ZIPS + "two", title="Rules", created_at=moment, created_at_precision="instant")
    other = candidate("other", 0.9, text=ZIPS + "one", title="Rules", created_at=day, created_at_precision=precision)
    found = ask("the latest rules", [newer, other, candidate("far", 0.0)])
    assert ("other" not in shown(found)) is left_out
    assert shown(found)[0] == "newer"


def test_an_unrelated_newer_page_of_the_same_title_is_not_told_that_an_older_one_is_the_newest() -> None:
    found = [
        candidate("pump", 0.9, text="Pumps are bolted down. " * 9, title="Installation", created_at=days_ago(900)),
        candidate("valve", 0.3, text="Valves are screwed in. " * 9, title="Installation", created_at=days_ago(3)),
        candidate("far", 0.0, title="Far"),
    ]
    assert [each.notice for each in ask("how is a pump installed currently", found)] == ["", "", ""]


def records(title: str, *texts: str) -> list[Candidate]:
    """In a line each, of one year after another; each fits a little less than the one before."""
    made = [
        candidate(str(2020 + n), 0.9 - n / 10, text=text, title=title, created_at=year(2020 + n))
        for n, text in enumerate(texts)
    ]
    return [*made, candidate("far", 0.0, title="Far")]


def test_of_records_in_a_line_the_newest_answers_for_today() -> None:
    found = records("Captain", "The captain is Ada Byron since 2020.", "The captain is Grace Brewster since 2021.")
    assert shown(ask("who is the captain now", found)) == ["2021", "far"]
    assert shown(ask("who was the captain in 2020", found)) == ["2020", "far"]


def test_records_that_a_word_of_the_question_tells_apart_are_on_two_matters() -> None:
    found = records("Hours", "The gym is open from 8 to 20.", "The pool is open from 9 to 21.")
    assert shown(ask("is the gym open now", found)) == ["2020", "2021", "far"]
    assert shown(ask("what is open now", found)) == ["2021", "far"]


def test_pages_of_one_title_about_different_things_keep_their_places() -> None:
    found = [
        candidate("pump", 0.9, text="Pumps are bolted down.", title="Installation", created_at=days_ago(900)),
        candidate("valve", 0.3, text="Valves are screwed in.", title="Installation", created_at=days_ago(3)),
        candidate("far", 0.0, title="Far"),
    ]
    assert shown(ask("how is the pump installed currently", found))[0] == "pump"


def test_a_page_of_the_same_title_that_is_shown_all_the_same_carries_a_notice() -> None:
    found = [
        candidate("pump", 0.9, text="Pumps are bolted down.", title="Installation", created_at=days_ago(900)),
        candidate("valve", 0.8, text="Valves are screwed in.", title="Installation", created_at=days_ago(3)),
        candidate("far", 0.0, title="Far"),
    ]
    notices = {each.scored.candidate.key.doc_id: each.notice for each in ask("current installation", found)}
    assert notices["pump"].startswith("same title: decks:valve")


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("Season plan spring 2025", "Season plan autumn 2026", True),
        ("Rules, 1 March 2026", "Rules, June 2026", True),
        ("Rules version 3", "Rules v4.1", True),
        ("Lesson 1", "Lesson 2", False),
        ("PEP 101: Releases", "PEP 102: Releases", False),
        ("Fall protection 2025", "Protection 2026", False),
    ],
)
def test_dates_and_versions_make_editions_and_bare_numbers_do_not(one: str, other: str, alike: bool) -> None:
    assert (title_without_dates(one) == title_without_dates(other)) is alike
    assert bears_a_date(one) is (one not in ("Lesson 1", "PEP 101: Releases"))


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("show all our sales decks", IntentKind.HISTORY),
        ("all our wholesale price lists", IntentKind.HISTORY),
        ("the old refund policy", IntentKind.HISTORY),
        ("every time a page is changed", IntentKind.PLAIN),
        ("all the people who read the policy", IntentKind.PLAIN),
        ("what do the June sales slides say", IntentKind.AS_OF),
        ("may customers return a policy", IntentKind.PLAIN),
        ("which policy is current on leave", IntentKind.LATEST),
        ("the current on the wire", IntentKind.PLAIN),
        ("who is the president", IntentKind.LATEST),
        ("who is Alan Turing", IntentKind.PLAIN),
        ("who was the president", IntentKind.PLAIN),
    ],
)
def test_what_stands_between_a_phrase_and_its_document_is_read(query: str, kind: IntentKind) -> None:
    assert read_intent(query, now=NOW).kind is kind


def legs(**scores: float) -> dict[str, Leg]:
    return {name: Leg(score, 1) for name, score in scores.items()}


def test_a_chunk_counts_by_how_well_it_fits_and_not_by_its_rank() -> None:
    found = scores_of_legs({"a": legs(dense=0.9, bm25=20), "b": legs(dense=0.88, bm25=19), "c": legs(dense=0.1)})
    assert found == pytest.approx({"a": 1.0, "b": 0.4 * 0.975 + 0.6 * 0.95, "c": 0.0})


def test_a_leg_that_found_nothing_leaves_its_share_to_the_other() -> None:
    assert scores_of_legs({"a": legs(dense=0.9), "b": legs(dense=0.1)}) == {"a": 1.0, "b": 0.0}
    assert scores_of_legs({"a": legs(bm25=3)}) == {"a": 1.0}
    assert scores_of_legs({"a": {}, "b": {}}) == {}


@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf])
def test_a_score_that_is_no_number_says_nothing_and_spoils_no_other(odd: float) -> None:
    found = scores_of_legs({"a": legs(dense=0.9, bm25=9), "b": legs(dense=odd, bm25=8), "c": legs(dense=0.1)})
    assert found == pytest.approx({"a": 1.0, "b": 0.6 * 8 / 9, "c": 0.0})


def test_the_scale_of_each_leg_and_the_order_of_the_input_change_nothing() -> None:
    rng = random.Random(7)
    drawn = [(f"d{number}", rng.random(), 30 * rng.random()) for number in range(40)]
    plain = scores_of_legs({name: legs(dense=dense, bm25=words) for name, dense, words in drawn})
    scaled = scores_of_legs({name: legs(dense=5 * dense - 3, bm25=words / 9) for name, dense, words in drawn[::-1]})
    assert plain == pytest.approx(scaled)
