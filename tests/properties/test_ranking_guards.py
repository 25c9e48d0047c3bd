"""Each rule that keeps an outdated document from being the answer, and what happens without it.

The first three are the causes of the incident with the three decks: similarity knows no versions, a de-duplicator ran
before the ranking and went by the beginnings of texts, and a cut-off of 0.5 ran before everything.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from include.domain.dates import rfc3339
from include.domain.documents import DocumentKey, Status
from include.families.standing import Standing
from include.ports import Vectors
from include.ranking import arrange, blend, intent, series
from include.ranking.candidates import Candidate
from include.ranking.intent import Intent, IntentKind
from include.ranking.recency import DocumentDate, Recency
from include.services import finding, retrieval
from tests.builders import DIMENSION, EMBEDDER, at, new_points
from tests.fakes.index import FakeIndexStore
from tests.guards import Guard, switch

NOW = datetime(2026, 6, 20, tzinfo=UTC)
OPENING = "Acme Cloud keeps your documents in one place. It syncs, it searches, it tells you what changed. " * 6


class _Question:
    """An embedder for one question; documents state how near they are to it."""

    id, dimension, max_tokens = EMBEDDER, DIMENSION, 512

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.stack([_near(1.0) for _ in texts])


def _near(cosine: float) -> Vectors:
    vector = np.zeros(DIMENSION, dtype=np.float32)
    vector[0], vector[1] = cosine, math.sqrt(1 - cosine * cosine)
    return vector


class Shelf:
    """An index in memory whose documents lie at a stated cosine from any question. Texts share no word with it."""

    def __init__(self) -> None:
        self.store = FakeIndexStore()
        self.store.prepare(EMBEDDER, DIMENSION)

    def put(self, doc_id: str, cosine: float, text: str, *, created: str = "", **fields: object) -> None:
        if created:
            moment = rfc3339(datetime.fromisoformat(created).replace(tzinfo=UTC))
            fields |= {"created_at": moment, "created_at_origin": "front matter", "created_at_trust": "high"}
        points = new_points(DocumentKey("decks", doc_id), [text], **{"status": Status.PUBLISHED, **fields})  # type: ignore[arg-type]
        with self.store.writing() as index:
            index.insert([replace(point, vector=_near(cosine)) for point in points])

    def ask(self, query: str) -> list[str]:
        found = retrieval.retrieve(self.store, _Question(), query, now=NOW)
        return [each.scored.candidate.key.doc_id for each in found.shown]


def decks() -> Shelf:
    """Near-identical but for late slides; the newest fits the wording least, and less than 0.5."""
    shelf = Shelf()
    months = (("march", 0.62, "2026-03-02"), ("april", 0.60, ""), ("june", 0.48, "2026-06-01"))
    for number, (month, cosine, created) in enumerate(months):
        text = f"{OPENING} Slide nine: we support {20 + number} connectors."
        shelf.put(month, cosine, text, created=created, title=f"Sales deck, {month.title()} 2026")
    shelf.put("menu", 0.05, "Soup and bread", title="Menu", created="2026-06-19")
    return shelf


# -- scenarios: what must not happen --


def the_latest_deck_is_not_the_newest() -> None:
    assert decks().ask("zzz latest")[0] == "june"


def a_deck_is_missing_among_all() -> None:
    assert {"march", "april", "june"} <= set(decks().ask("all our decks"))


def a_deck_that_fits_less_than_half_is_not_found() -> None:
    assert "june" in decks().ask("zzz latest")


def a_page_of_today_passes_the_answer() -> None:
    shelf = Shelf()
    shelf.put("answer", 0.95, "Thirty days", title="Refunds", created="2024-01-10")
    for number in range(8):
        shelf.put(f"news-{number}", 0.30 - number / 50, f"Story {number}", title=f"News {number}", created="2026-06-19")
    assert shelf.ask("zzz current")[0] == "answer"


def a_retired_document_answers_for_its_head() -> None:
    shelf = Shelf()
    shelf.put("old", 0.9, "Sixty days", title="Refunds", status=Status.SUPERSEDED, superseded_by=["new"])
    for number in range(300):
        shelf.put(f"other-{number}", 0.5, f"Story {number}", title=f"Story {number}")
    shelf.put("new", 0.01, "Money back for a month", title="Returns")
    assert shelf.ask("zzz")[0] == "new"


def a_later_document_answers_for_an_earlier_time() -> None:
    shelf = Shelf()
    shelf.put("old", 0.8, "Sixty days", title="Refunds", created="2023-01-10", superseded_by=["new"])
    shelf.put("new", 0.9, "A month", title="Returns and money", created="2025-01-10")
    assert shelf.ask("zzz in 2024") == ["old"]


def another_page_of_that_year_passes_what_held_then() -> None:
    shelf = Shelf()
    shelf.put("held", 0.90, "Thirty days", title="Refunds", created="2019-01-10")
    shelf.put("menu", 0.70, "Soup and bread", title="Menu", created="2024-03-01")
    shelf.put("far", 0.0, "Nothing", title="Nothing")
    assert shelf.ask("zzz in 2024")[0] == "held"


def an_older_edition_is_shown_beside_the_latest() -> None:
    shelf = Shelf()
    shelf.put("2025", 0.9, "A zip is 26", title="Price list 2025", created="2025-01-06")
    shelf.put("2026", 0.8, "We charge 28 for zips", title="Price list 2026", created="2026-01-05")
    shelf.put("far", 0.0, "Nothing", title="Nothing")
    assert shelf.ask("zzz latest")[:2] == ["2026", "far"]


def another_state_without_a_date_stands_beside_the_latest() -> None:
    shelf = Shelf()
    shelf.put("undated", 0.9, f"{OPENING} A zip is 26.", title="Prices")
    shelf.put("dated", 0.8, f"{OPENING} A zip is 28.", title="Prices", created="2026-01-05")
    shelf.put("far", 0.0, "Nothing", title="Nothing")
    assert shelf.ask("zzz latest") == ["dated", "far"]


def an_earlier_record_stands_beside_the_latest() -> None:
    shelf = Shelf()
    shelf.put("ada", 0.9, "Captain: Ada Byron, 2020", title="Captain", created="2020-01-05")
    shelf.put("grace", 0.8, "Captain: Grace Brewster, 2024", title="Captain", created="2024-01-05")
    shelf.put("far", 0.0, "Nothing", title="Nothing")
    assert shelf.ask("zzz latest") == ["grace", "far"]


def a_record_on_another_matter_takes_the_place_of_the_answer() -> None:
    shelf = Shelf()
    shelf.put("gym", 0.9, "The gym is open from 8 to 20", title="Hours", created="2020-01-05")
    shelf.put("pool", 0.3, "The pool is open from 9 to 21", title="Hours", created="2024-01-05")
    shelf.put("far", 0.0, "Nothing", title="Nothing")
    assert "gym" in shelf.ask("zzz latest gym")


def an_earlier_edition_says_nothing_of_the_newer_one() -> None:
    shelf = Shelf()
    shelf.put("old", 0.9, f"{OPENING} A zip is 26.", title="Prices", created="2025-01-05")
    shelf.put("new", 0.8, f"{OPENING} A zip is 28.", title="Prices", created="2026-01-05")
    found = retrieval.retrieve(shelf.store, _Question(), "zzz", now=NOW)
    assert [bool(each.notice) for each in found.shown] == [True, False]


def the_newest_edition_stands_behind_all_that_is_searched() -> None:
    shelf = Shelf()
    shelf.put("2024", 0.99, f"{OPENING} A zip is 26.", title="Prices", created="2024-01-05")
    for number in range(210):
        shelf.put(f"other-{number}", 0.9, f"Story {number}", title=f"Story {number}", created="2020-01-05")
    shelf.put("2026", 0.5, f"{OPENING} A zip is 28.", title="Prices", created="2026-01-05")
    assert shelf.ask("zzz latest")[0] == "2026"


def a_newer_edition_that_was_withdrawn_is_the_latest() -> None:
    shelf = Shelf()
    shelf.put("approved", 0.8, f"{OPENING} A zip is 26.", title="Prices", created="2025-01-05")
    shelf.put("new", 0.9, f"{OPENING} A zip is 28.", title="Prices", created="2026-01-05", stated_status="Withdrawn")
    shelf.put("far", 0.0, "Nothing", title="Nothing")
    assert shelf.ask("zzz latest")[0] == "approved"


def what_says_of_itself_that_it_is_superseded_is_served_as_current() -> None:
    shelf = Shelf()
    shelf.put("old", 0.9, "Sixty days", title="Refunds", stated_superseded_by=["PEP 101"])
    (found,) = retrieval.retrieve(shelf.store, _Question(), "zzz", now=NOW).shown
    assert found.notice


def an_archived_document_in_the_middle_of_a_chain_keeps_its_end_from_being_reached() -> None:
    shelf = Shelf()
    shelf.put("v1", 0.9, "Sixty days", title="Refunds", status=Status.SUPERSEDED, superseded_by=["v2"])
    shelf.put("v2", 0.8, "Forty days", title="Refunds too", status=Status.ARCHIVED, superseded_by=["v3"])
    shelf.put("v3", 0.01, "A month", title="Money back")
    assert shelf.ask("zzz") == ["v3"]


def a_version_that_was_replaced_answers_because_the_new_one_was_not_found() -> None:
    """A run was killed between publishing and removing."""
    shelf = Shelf()
    shelf.put("page", 0.99, "Sixty days", title="Refunds")
    for number in range(210):
        shelf.put(f"other-{number}", 0.9, f"Story {number}", title=f"Story {number}")
    shelf.put("page", 0.1, "A month", title="Refunds", fetched_at=at(9))
    (first, *_) = retrieval.retrieve(shelf.store, _Question(), "zzz", now=NOW).texts
    assert first != "Sixty days"


def the_authoritative_document_of_a_family_is_taken_for_the_latest() -> None:
    shelf = Shelf()
    shelf.put("lts", 0.9, "Version 3", title="Guide", doc_family="guide", is_canonical=True, is_current=False)
    for number in range(210):
        shelf.put(f"other-{number}", 0.5, f"Story {number}", title=f"Story {number}")
    shelf.put("new", 0.01, "Version 4", title="Manual", doc_family="guide")
    assert shelf.ask("zzz latest")[0] == "new"
    assert shelf.ask("zzz")[0] == "lts"


def a_date_in_the_future_is_the_newest() -> None:
    shelf = Shelf()
    shelf.put("real", 0.80, "Thirty days", title="Refunds", created="2026-06-01")
    shelf.put("typo", 0.79, "Sixty days", title="Returns", created="2062-06-01")
    shelf.put("far", 0.0, "Nothing", title="Nothing")
    assert shelf.ask("zzz latest")[0] == "real"


def a_question_about_an_electric_current_asks_for_the_latest() -> None:
    assert intent.read_intent("alternating current in the workshop", now=NOW).kind is IntentKind.PLAIN


# -- guards off --


def dedup_before_ranking(monkeypatch: pytest.MonkeyPatch) -> None:
    def first_of_each_beginning(candidates: Sequence[Candidate], *arguments: object, **options: object) -> object:
        by_similarity = sorted(candidates, key=lambda each: -each.chunks[0].fused)
        kept: dict[str, Candidate] = {}
        for candidate in by_similarity:
            kept.setdefault(candidate.chunks[0].text[:500], candidate)
        return blend.blend(list(kept.values()), *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(retrieval, "blend", first_of_each_beginning)


def cut_off_at_half(monkeypatch: pytest.MonkeyPatch) -> None:
    candidates_of = retrieval.candidates_of
    monkeypatch.setattr(
        retrieval,
        "candidates_of",
        lambda found, words: [
            each for each in candidates_of(found, words) if each.chunks[0].legs["dense"].score >= 0.5
        ],
    )


def believe_any_date(monkeypatch: pytest.MonkeyPatch) -> None:
    def newest_of_all(candidate: Candidate, *_: object, **__: object) -> Recency:
        created = candidate.created_at
        return Recency(1.0 if created and created > NOW else 0.9, DocumentDate(created, "front matter", "high"))

    monkeypatch.setattr(blend, "recency", newest_of_all)


GUARDS = [
    Guard(
        "similarity only",
        the_latest_deck_is_not_the_newest,
        switch(retrieval, "read_intent", lambda *_, **__: Intent(IntentKind.PLAIN)),
    ),
    Guard("dedup before rank", a_deck_is_missing_among_all, dedup_before_ranking),
    Guard("dedup before rank, latest", the_latest_deck_is_not_the_newest, dedup_before_ranking),
    Guard("cut-off of 0.5 first", a_deck_that_fits_less_than_half_is_not_found, cut_off_at_half),
    Guard(
        "scores, not ranks",
        a_page_of_today_passes_the_answer,
        switch(finding, "scores_of_legs", lambda legs, words: {}),
    ),
    Guard(
        "heads are fetched",
        a_retired_document_answers_for_its_head,
        switch(retrieval, "with_heads", lambda index, found, *_, **__: list(found)),
    ),
    Guard(
        "head in place of member",
        a_retired_document_answers_for_its_head,
        switch(arrange, "_heads_in_place_of_members", lambda ranking, *_: list(ranking)),
    ),
    Guard(
        "what held then",
        a_later_document_answers_for_an_earlier_time,
        switch(arrange, "_what_held_in_place_of_others", lambda ranking, *_: list(ranking)),
    ),
    Guard("older still held", another_page_of_that_year_passes_what_held_then, switch(blend, "HELD", 0.0)),
    Guard(
        "editions by name",
        an_older_edition_is_shown_beside_the_latest,
        switch(series, "bears_a_date", lambda _: False),
    ),
    Guard("states without a date", another_state_without_a_date_stands_beside_the_latest, switch(series, "SAME", 2.0)),
    Guard("records", an_earlier_record_stands_beside_the_latest, switch(series, "is_brief", lambda _: False)),
    Guard(
        "records told apart",
        a_record_on_another_matter_takes_the_place_of_the_answer,
        switch(series, "_asked_of", lambda *_: frozenset()),
    ),
    Guard(
        "plain hears of newer",
        an_earlier_edition_says_nothing_of_the_newer_one,
        switch(arrange, "newest_of_each", lambda *_: {}),
    ),
    Guard(
        "look among newer",
        the_newest_edition_stands_behind_all_that_is_searched,
        switch(retrieval, "NEWER_LOOKS", 0),
    ),
    Guard(
        "by its own words, series",
        a_newer_edition_that_was_withdrawn_is_the_latest,
        switch(Candidate, "standing", Standing.UNKNOWN),
    ),
    Guard(
        "by its own words, notice",
        what_says_of_itself_that_it_is_superseded_is_served_as_current,
        switch(arrange, "_by_its_own_words", lambda _: ""),
    ),
    Guard(
        "past the hidden",
        an_archived_document_in_the_middle_of_a_chain_keeps_its_end_from_being_reached,
        switch(finding, "_links_of_hidden", lambda *_: {}),
    ),
    Guard(
        "newest version",
        a_version_that_was_replaced_answers_because_the_new_one_was_not_found,
        switch(retrieval, "outdated", lambda *_: set()),
    ),
    Guard(
        "current, not canonical",
        the_authoritative_document_of_a_family_is_taken_for_the_latest,
        switch(finding, "_current", lambda _: set()),
    ),
    Guard("no date of the future", a_date_in_the_future_is_the_newest, believe_any_date),
    Guard(
        "topics",
        a_question_about_an_electric_current_asks_for_the_latest,
        switch(intent, "_is_topic", lambda *_: False),
    ),
]


@pytest.mark.parametrize("guard", GUARDS, ids=str)
def test_with_the_guard_what_holds_is_the_answer(guard: Guard) -> None:
    guard.holds()


@pytest.mark.parametrize("guard", GUARDS, ids=str)
def test_without_the_guard_it_is_not(guard: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    guard.bites(monkeypatch)
