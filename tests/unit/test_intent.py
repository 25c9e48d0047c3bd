"""What questions say about versions, and what they only seem to say."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from include.ranking.intent import IntentKind, read_intent
from include.ranking.periods import calendar_period
from include.ranking.vocabulary import ENGLISH, Vocabulary

NOW = datetime(2026, 3, 20, 15, tzinfo=UTC)

LATEST = """
latest deck
what is the most recent sales deck
the newest price list
what is our current refund policy
what's the up-to-date price list
what is the most up to date guide
is the 30 day rule still valid
what holds right now
which terms are in force
what do we charge as of today
which plan do we currently sell
isn't the current policy different?
recent decks
not only the latest but the nicest deck
"""

HISTORY = """
show me all our decks
all decks
all versions of the refund policy
every version of the handbook
what changed since v2
what has changed since the last release
show previous versions
what did the policy used to say
old policy
the former price list? no, the former policy
version history of the handbook
history of the refund policy? history of the policy
not only the latest deck but all decks
latest and older versions
"""

PLAIN = """
how do I get a refund
what did the 2019 budget cover?
not the latest deck
I don't need the newest version
how do I change the current directory
what limits the current limit of the charger
alternating current in transformers
docker pull nginx:latest
what does the `latest` tag mean
what does the latest tag mean
who wrote "The Latest Deck"
who wrote \u201cAll Our Decks\u201d
how old is the building
history of Rome
Windows Server 2019 install
install the Windows Server 2019 guide
may I return it
ServiceNow integration
ISO 27001:2022 certificate
error 2013 lost connection
deck for 2027
Q3 FY26 slides
set current_user=latest
git log --current
"""


@pytest.mark.parametrize(
    ("kind", "query"),
    [
        (kind, query)
        for kind, queries in ((IntentKind.LATEST, LATEST), (IntentKind.HISTORY, HISTORY), (IntentKind.PLAIN, PLAIN))
        for query in queries.strip().splitlines()
    ],
)
def test_a_question_says_what_it_says(kind: IntentKind, query: str) -> None:
    intent = read_intent(query, now=NOW)
    assert intent.kind is kind, intent.reasons
    assert intent.reasons


@pytest.mark.parametrize(
    ("query", "start", "end", "names_edition"),
    [
        ("what was the refund policy in 2024", "2024-01-01", "2025-01-01", False),
        ("refund policy before March", "1971-01-01", "2026-03-01", False),
        ("refund policy until 1 May 2025", "1971-01-01", "2025-05-01", False),
        ("what was it on March 1, 2025", "2025-03-01", "2025-03-02", False),
        ("what was it on 1st March 2025", "2025-03-01", "2025-03-02", False),
        ("as of 2025-12-31 what was the fee", "2025-12-31", "2026-01-01", False),
        ("the fee during Q3 2025", "2025-07-01", "2025-10-01", False),
        ("the fee in Q4", "2025-10-01", "2026-01-01", False),
        ("who approved it in May", "2025-05-01", "2025-06-01", False),
        ("who approved it in March", "2026-03-01", "2026-04-01", False),
        ("since 2020", "2020-01-01", "2026-03-20", False),
        ("what was the fee two years ago", "2024-01-01", "2025-01-01", False),
        ("what was the fee last year", "2025-01-01", "2026-01-01", False),
        ("the fee of last month", "2026-02-01", "2026-03-01", False),
        ("the fee last quarter", "2025-10-01", "2026-01-01", False),
        ("the fee last week", "2026-03-09", "2026-03-16", False),
        ("latest deck as of January", "2026-01-01", "2026-02-01", False),
        ("the March deck", "2026-03-01", "2026-04-01", True),
        ("the April deck", "2025-04-01", "2025-05-01", True),
        ("the 2024 handbook", "2024-01-01", "2025-01-01", True),
        ("open our Q3 2025 slides", "2025-07-01", "2025-10-01", True),
    ],
)
def test_a_placed_period_is_read_to_the_day(query: str, start: str, end: str, names_edition: bool) -> None:
    intent = read_intent(query, now=NOW)
    assert intent.kind is IntentKind.AS_OF, intent.reasons
    assert intent.period is not None
    assert (f"{intent.period.start:%Y-%m-%d}", f"{intent.period.end:%Y-%m-%d}") == (start, end)
    assert intent.names_edition is names_edition


def test_several_versions_of_a_period_are_a_history_with_a_period() -> None:
    intent = read_intent("all decks from 2025", now=NOW)
    assert intent.kind is IntentKind.HISTORY
    assert intent.period is not None
    assert datetime(2025, 6, 1, tzinfo=UTC) in intent.period
    assert NOW not in intent.period


def test_a_reason_names_the_words_it_was_read_from() -> None:
    assert read_intent("the most recent deck", now=NOW).reasons == ("says \u201cmost recent\u201d",)
    (reason,) = read_intent("not the latest deck", now=NOW).reasons
    assert "taken back by \u201cnot\u201d" in reason


@pytest.mark.parametrize("kind", IntentKind)
def test_the_caller_has_the_last_word(kind: IntentKind) -> None:
    for query in ("the latest deck", "all decks", "a deck", "deck of last year"):
        assert read_intent(query, now=NOW, override=kind).kind is kind


def test_another_language_is_a_word_list() -> None:
    german = Vocabulary(
        latest=("neueste", "aktuelle"),
        history=("alle {thing}", "alte {thing}"),
        negations=frozenset({"nicht"}),
        things=frozenset({"pr\u00e4sentation", "pr\u00e4sentationen", "richtlinie"}),
        articles=frozenset({"die", "das"}),
        at=("im", "in"),
        until=("vor",),
        months={"m\u00e4rz": 3},
    )
    both = ENGLISH | german
    kinds = {
        "die neueste Pr\u00e4sentation": IntentKind.LATEST,
        "nicht die neueste Pr\u00e4sentation": IntentKind.PLAIN,
        "alle Pr\u00e4sentationen": IntentKind.HISTORY,
        "die Richtlinie im M\u00e4rz 2025": IntentKind.AS_OF,
        "the latest deck": IntentKind.LATEST,
    }
    for query, kind in kinds.items():
        assert read_intent(query, now=NOW, vocabulary=both).kind is kind, query
    assert read_intent("die neueste Pr\u00e4sentation", now=NOW).kind is IntentKind.PLAIN


@given(st.text(max_size=200))
def test_whatever_is_typed_is_read_without_an_error_and_with_a_reason(query: str) -> None:
    intent = read_intent(query, now=NOW)
    assert intent.reasons
    assert (intent.period is None) or intent.period.start < intent.period.end


def test_the_time_a_caller_asks_about_wins_over_the_one_in_the_question() -> None:
    period = calendar_period("2024-05-01")
    read = read_intent("what held in 2019", now=NOW, period=period)
    assert (read.kind, read.period) == (IntentKind.AS_OF, period)
    history = read_intent("the latest deck", now=NOW, override=IntentKind.HISTORY, period=period)
    assert (history.kind, history.period) == (IntentKind.HISTORY, period)


@pytest.mark.parametrize("text", ["", "May 2024", "2024-13", "2024-02-31", "05/01/2024", "1024", "2024-05-01T00:00"])
def test_only_a_written_day_month_or_year_is_a_period(text: str) -> None:
    with pytest.raises(ValueError, match="is no day"):
        calendar_period(text)
