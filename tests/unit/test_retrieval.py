"""The retrieval service over an index: which document is the answer, and what happened to the others."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from include.domain.dates import rfc3339
from include.domain.documents import DocumentKey, Status
from include.ports import IndexStore
from include.ranking.intent import IntentKind
from include.services.retrieval import Policy, Retrieval, retrieve
from include.store.edge import EdgeStore
from tests.builders import DIMENSION, EMBEDDER, new_points
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.index import FakeIndexStore

EMBED = FakeEmbedder(dimension=DIMENSION)
NOW = datetime(2026, 6, 20, tzinfo=UTC)
FILLER = "Acme Cloud keeps documents in one place and tells you what changed."


@pytest.fixture(params=["fake", "edge"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> IndexStore:
    made: Any = FakeIndexStore() if request.param == "fake" else EdgeStore(tmp_path / "index", "docs")
    made.prepare(EMBEDDER, DIMENSION)
    return made


def put(store: IndexStore, doc_id: str, *texts: str, source: str = "decks", meaning: str = "", **fields: Any) -> None:
    """A document with one chunk per text, which means what it says. A `created` day is trusted front matter."""
    if created := fields.pop("created", None):
        moment = datetime.fromisoformat(created).replace(tzinfo=UTC)
        fields |= {"created_at": rfc3339(moment), "created_at_origin": "front matter", "created_at_trust": "high"}
    fields.setdefault("title", f"Sales deck {doc_id}")
    points = new_points(DocumentKey(source, doc_id), texts, **{"status": Status.PUBLISHED, **fields})  # type: ignore[arg-type]
    with store.writing() as index:
        index.insert([replace(point, vector=EMBED.embed([meaning or point.text])[0]) for point in points])


def ask(store: IndexStore, query: str, **options: Any) -> Retrieval:
    return retrieve(store, EMBED, query, now=NOW, **options)


def shown(retrieval: Retrieval) -> list[str]:
    return [each.scored.candidate.key.doc_id for each in retrieval.shown]


def test_each_leg_brings_in_what_the_other_misses_and_says_so(store: IndexStore) -> None:
    put(store, "words", "the refund deadline is a month")
    put(store, "meaning", "money back until when", meaning="refund deadline?")
    put(store, "noise", "shipping abroad takes a week")
    found = ask(store, "refund deadline?")
    assert set(shown(found)[:2]) == {"words", "meaning"}
    legs = {each.scored.candidate.key.doc_id: each.scored.candidate.chunks[0].legs for each in found.placed}
    assert legs["meaning"]["dense"].rank == 1
    assert "bm25" in legs["words"]
    assert "bm25" not in legs["noise"]


def test_of_two_versions_under_way_only_the_newer_answers(store: IndexStore) -> None:
    put(store, "policy", "refund within 60 days", fetched_at=datetime(2026, 1, 1, tzinfo=UTC), version="v1")
    put(store, "policy", "refund within 30 days", fetched_at=datetime(2026, 2, 1, tzinfo=UTC), version="v2")
    found = ask(store, "refund within 60 days")
    assert found.texts == ["refund within 30 days"]


@pytest.mark.parametrize("status", [Status.INCOMING, Status.STAGED, Status.ARCHIVED])
def test_hidden_documents_are_no_candidates_and_no_heads(store: IndexStore, status: Status) -> None:
    put(store, "hidden", "refund within 30 days", status=status)
    put(store, "old", "refund within 60 days", status=Status.SUPERSEDED, superseded_by=["hidden"])
    found = ask(store, "refund within 30 days")
    assert shown(found) == ["old"]
    assert "hidden" in found.shown[0].notice
    assert len(found.placed) == 1


def test_a_head_is_fetched_through_a_chain_of_links_and_shows_its_own_text(store: IndexStore) -> None:
    put(store, "v1", "refund within 60 days", status=Status.SUPERSEDED, superseded_by=["v2"])
    put(store, "v2", "reimbursements are possible for 45 days", status=Status.SUPERSEDED, superseded_by=["v3"])
    put(store, "v3", "money back for a month", FILLER)
    for number in range(5):
        put(store, f"other-{number}", f"refund story number {number}")
    found = ask(store, "refund within 60 days", limit=2, policy=Policy(overfetch=3))
    assert shown(found)[0] == "v3"
    assert "money back for a month" in found.texts[:2]


def test_the_canonical_member_of_a_family_is_reachable_through_any_other(store: IndexStore) -> None:
    put(store, "draft", "refund within 60 days", doc_family="refund")
    put(store, "final", "money back for a month", doc_family="refund", is_canonical=True)
    put(store, "elsewhere", "money back for a year", source="handbook", doc_family="refund", is_canonical=True)
    found = ask(store, "refund within 60 days", limit=1, policy=Policy(overfetch=1))
    assert [each.scored.candidate.key.doc_id for each in found.placed] == ["final", "draft"]
    assert found.texts == ["money back for a month"]


def test_a_search_in_one_source_fetches_no_head_from_another(store: IndexStore) -> None:
    put(store, "old", "refund within 60 days", status=Status.SUPERSEDED, superseded_by=["new"])
    put(store, "new", "refund within 30 days", source="handbook")
    found = ask(store, "refund within 60 days", sources=["decks"])
    assert shown(found) == ["old"]


def test_the_newest_deck_answers_though_its_late_slides_are_the_only_difference(store: IndexStore) -> None:
    opening = [f"{FILLER} Part {part}." for part in range(3)]
    put(store, "march", "latest deck", *opening, "20 connectors", created="2026-03-02", title="Deck, March 2026")
    put(store, "april", *opening, "25 connectors", title="Deck, April 2026")
    put(store, "june", *opening, "40 connectors", created="2026-06-01", title="Deck, June 2026")
    assert shown(ask(store, "latest deck"))[0] == "june"
    assert set(shown(ask(store, "all our decks"))) == {"march", "april", "june"}
    assert shown(ask(store, "the March deck"))[0] == "march"


QUESTION = "the latest sales deck of the product"
CROWDED = Policy(overfetch=12)
SLIDES = f"{FILLER} It syncs, it searches, it answers whoever asks, in every language that is spoken there. Page"


def crowded_decks(store: IndexStore, **newest: Any) -> None:
    """A deck, then more chunks than a search brings in, then two later editions of the deck that fit less."""
    crowd = [f"sales {number} deck" for number in range(40)]
    put(store, "crowd", *crowd, title="Making decks", meaning=QUESTION, created="2020-01-10")
    slides = {"2024": f"The sales deck of the product. {SLIDES} one.", "2025": f"It sells. {SLIDES} two."}
    put(store, "2024", slides["2024"], title="Deck", meaning=QUESTION, created="2024-01-10")
    put(store, "2025", slides["2025"], title="Deck", created="2025-01-10")
    put(store, "2026", f"It sells. {SLIDES} three.", title="Deck", **{"created": "2026-01-10", **newest})


def placed(found: Retrieval) -> set[str]:
    return {each.scored.candidate.key.doc_id for each in found.placed}


def test_the_newest_edition_is_the_latest_though_more_chunks_than_are_searched_fit_better(store: IndexStore) -> None:
    crowded_decks(store)
    found = ask(store, QUESTION, limit=1, policy=CROWDED)
    assert shown(found) == ["2026"]
    assert {leg.rank for leg in found.shown[0].scored.candidate.chunks[0].legs.values()} == {None}


def test_an_edition_behind_them_that_has_no_date_is_not_looked_for(store: IndexStore) -> None:
    """Nobody knows that it is newer. It is a candidate as soon as the search brings it in."""
    crowded_decks(store, created=None)
    narrow, wide = (ask(store, QUESTION, limit=1, policy=Policy(overfetch=chunks)) for chunks in (12, 200))
    assert shown(narrow) == shown(wide) == ["2025"]
    assert "2026" not in placed(narrow)
    assert "2026" in placed(wide)


@pytest.mark.parametrize("intent", IntentKind)
def test_only_who_asks_for_the_latest_waits_for_a_look_among_newer_ones(store: IndexStore, intent: IntentKind) -> None:
    crowded_decks(store)
    found = placed(ask(store, QUESTION, limit=1, policy=CROWDED, intent=intent))
    assert ({"2025", "2026"} <= found) is (intent is IntentKind.LATEST)


def test_the_caller_may_say_what_is_wanted(store: IndexStore) -> None:
    put(store, "old", "refund within 60 days", created="2024-01-01", doc_family="refund")
    put(store, "new", "refund within 30 days", created="2026-01-01", doc_family="refund", is_canonical=True)
    assert shown(ask(store, "refund within 60 days")) == ["new"]
    assert set(shown(ask(store, "refund within 60 days", intent=IntentKind.HISTORY))) == {"old", "new"}


def test_a_question_without_a_word_and_an_empty_index_have_no_answer(store: IndexStore) -> None:
    assert ask(store, "???").placed == ()
    put(store, "page", "refund within 30 days")
    assert shown(ask(store, "???")) == ["page"]


def test_what_is_asked_for_is_found_though_most_of_the_index_is_hidden(store: IndexStore) -> None:
    for number in range(9):
        put(store, f"hidden-{number}", f"refund within 30 days {number}", status=Status.STAGED)
    for number in range(6):
        put(store, f"page-{number}", f"refund story {number}", title=f"Story of {number * 'x'}")
    assert len(shown(ask(store, "refund within 30 days", limit=6, policy=Policy(overfetch=6)))) == 6


def test_the_question_is_embedded_once(store: IndexStore) -> None:
    put(store, "v1", "refund", status=Status.SUPERSEDED, superseded_by=["v2"])
    put(store, "v2", "money back")
    embedder = FakeEmbedder(dimension=DIMENSION)
    retrieve(store, embedder, "refund", now=NOW)
    assert embedder.embedded == ["refund"]
