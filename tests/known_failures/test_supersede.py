"""SUPERSEDE: a retired document is served as current, or the result depends on luck.

The first part marks documents as a person would and asks; the last part lets the resolver find the marks and asks then.
"""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from include.domain.documents import Status
from include.families.members import Member, Outcome
from include.families.resolve import patches
from include.ports import IndexStore
from include.services.retrieval import Policy, Retrieval, retrieve
from include.store.edge import EdgeStore
from tests.builders import DIMENSION, EMBEDDER, at
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.index import FakeIndexStore
from tests.family_members import links, member, options, resolved, the_family
from tests.known_failures.pages import publish_page
from tests.ranking_candidates import NOW, days_ago

EMBED = FakeEmbedder(dimension=DIMENSION)
HIDDEN = [Status.INCOMING, Status.STAGED, Status.ARCHIVED]
QUESTION = "refund within days"


@pytest.fixture(params=["fake", "edge"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> IndexStore:
    made: IndexStore = FakeIndexStore() if request.param == "fake" else EdgeStore(tmp_path / "index", "docs")
    made.prepare(EMBEDDER, DIMENSION)
    return made


def empty() -> FakeIndexStore:
    made = FakeIndexStore()
    made.prepare(EMBEDDER, DIMENSION)
    return made


def put(store: IndexStore, doc_id: str, text: str, *by: str, **fields: Any) -> None:
    if by:
        fields = {"status": Status.SUPERSEDED, "superseded_by": list(by), **fields}
    publish_page(store, EMBED, doc_id, text, **{"title": f"Title of {doc_id}", **fields})


def ask(store: IndexStore, query: str = QUESTION, **options: Any) -> Retrieval:
    return retrieve(store, EMBED, query, now=NOW, **options)


def shown(found: Retrieval) -> list[str]:
    return [each.scored.candidate.key.doc_id for each in found.shown]


def notices(found: Retrieval) -> dict[str, str]:
    return {each.scored.candidate.key.doc_id: each.notice for each in found.shown}


@pytest.mark.parametrize("status", [*HIDDEN, None])
@pytest.mark.parametrize("query", [QUESTION, f"latest {QUESTION}"])
def test_sp_02_where_the_end_of_a_chain_is_hidden_none_before_it_is_served_as_current(
    store: IndexStore, status: Status | None, query: str
) -> None:
    put(store, "a", "refund within 60 days", "b")
    put(store, "b", "refund inside of 45 days", "c")
    if status is not None:
        put(store, "c", "the secret refund within 30 days", status=status)
    found = ask(store, query)
    assert shown(found) == ["b"]  # the newest that may be seen, never the oldest
    assert notices(found)["b"] == "superseded by c, which was not found"
    assert "secret" not in repr(found)


def test_sp_02_the_oldest_matches_alone_and_the_end_of_its_chain_is_hidden(store: IndexStore) -> None:
    put(store, "a", "refund within 60 days", "b")
    put(store, "b", "money back", "c")
    put(store, "c", "money back sooner", "d")
    put(store, "d", "hidden", status=Status.STAGED)
    found = ask(store, limit=1)
    assert shown(found) == ["c"]
    assert notices(found)["c"]


@pytest.mark.parametrize("status", HIDDEN[1:])
@pytest.mark.parametrize("query", [QUESTION, f"latest {QUESTION}"])
def test_sp_02_what_is_hidden_in_the_middle_of_a_chain_does_not_hide_its_end(
    store: IndexStore, status: Status, query: str
) -> None:
    """Who archives the second edition does not mean that the first one is the answer again."""
    put(store, "a", "refund within 60 days", "b")
    put(store, "b", "the secret refund within 45 days", "c", status=status)
    put(store, "c", "still the secret refund", "d", status=status)
    put(store, "d", "money back for a month")
    found = ask(store, query)
    assert shown(found) == ["d"]
    assert not notices(found)["d"]
    assert "secret" not in repr(found)


def test_sp_02_a_circle_of_hidden_documents_ends(store: IndexStore) -> None:
    put(store, "a", "refund within 60 days", "b")
    put(store, "b", "hidden", "c", status=Status.ARCHIVED)
    put(store, "c", "hidden too", "b", status=Status.ARCHIVED)
    found = ask(store)
    assert shown(found) == ["a"]
    assert notices(found)["a"].startswith("superseded by ")


def test_the_current_member_is_the_latest_and_the_authoritative_one_the_answer(store: IndexStore) -> None:
    put(store, "lts", "refund within 60 days", doc_family="guide", is_canonical=True, is_current=False)
    put(store, "new", "money back", doc_family="guide")
    for number in range(9):
        put(store, f"other-{number}", f"refund story {number}")
    narrow = Policy(overfetch=1)
    assert shown(ask(store, limit=1, policy=narrow)) == ["lts"]
    assert shown(ask(store, f"latest {QUESTION}", limit=1, policy=narrow)) == ["new"]


@pytest.mark.parametrize("length", [2, 9, 40])
def test_sp_03_sp_05_a_long_chain_is_followed_to_its_end(store: IndexStore, length: int) -> None:
    put(store, "v00", "refund within 60 days", "v01")
    for number in range(1, length):
        put(store, f"v{number:02}", f"nothing alike {number}", f"v{number + 1:02}")
    put(store, f"v{length:02}", "money back for a month")
    for number in range(5):
        put(store, f"other-{number}", f"refund story {number}")
    found = ask(store, limit=1, policy=Policy(overfetch=1))  # nothing of the chain but its beginning is found by itself
    assert shown(found) == [f"v{length:02}"]
    assert found.texts == ["money back for a month"]
    assert not notices(found)[f"v{length:02}"]


@pytest.mark.parametrize(
    "links",
    [
        {"a": ["a"]},
        {"a": ["b"], "b": ["a"]},
        {"a": ["b"], "b": ["c"], "c": ["a"]},
        {"a": ["b"], "b": ["c"], "c": ["b"]},
    ],
    ids=["itself", "two", "three", "into a circle"],
)
def test_sp_03_a_circle_ends_and_none_of_it_is_served_as_current(
    store: IndexStore, links: dict[str, list[str]]
) -> None:
    for number, (doc_id, by) in enumerate(links.items()):
        put(store, doc_id, f"refund within {number} days", *by)
    found = ask(store)
    assert set(shown(found)) == set(links)
    assert all("circle" in notice for notice in notices(found).values())


def test_sp_03_a_way_out_of_a_circle_is_taken(store: IndexStore) -> None:
    put(store, "a", "refund within 60 days", "b")
    put(store, "b", "refund within 45 days", "a", "c")
    put(store, "c", "money back")
    assert shown(ask(store)) == ["c"]


@pytest.mark.parametrize("dead_end", ["missing", "hidden", "circle"])
def test_sp_03_of_a_fork_the_branch_that_leads_to_a_document_in_force_counts(store: IndexStore, dead_end: str) -> None:
    put(store, "x", "refund within 60 days", "left", "right")
    put(store, "left", "refund within 45 days", "x" if dead_end == "circle" else "end")
    if dead_end == "hidden":
        put(store, "end", "refund within 1 days", status=Status.ARCHIVED)
    put(store, "right", "money back")
    found = ask(store)
    (left_out,) = [each.suppressed for each in found.placed if each.scored.candidate.key.doc_id == "x"]
    assert left_out == "superseded by handbook:right, which stands in its place"
    assert not notices(found)["right"]
    assert all(notice for doc_id, notice in notices(found).items() if doc_id != "right")


def test_sp_03_both_heads_of_a_fork_are_shown_and_nobody_chooses_for_the_reader(store: IndexStore) -> None:
    put(store, "x", "refund within 60 days", "left", "right")
    put(store, "left", "money back for a month")
    put(store, "right", "no money back at all")
    assert set(shown(ask(store, limit=2))) == {"left", "right"}


@pytest.mark.parametrize("seed", range(10))
def test_sp_03_sp_10_the_order_of_arrival_decides_nothing(seed: int) -> None:
    """Neither does the time of reading: v1.1 was fetched last."""
    pages: list[tuple[str, str, list[str]]] = [
        ("v1.0", "refund within 60 days", ["v1.1"]),
        ("v1.1", "refund within 45 days", ["v1.2", "v1.2-draft"]),
        ("v1.2", "money back for a month", []),
        ("v1.2-draft", "money back for a month or so", ["v1.2"]),
        ("loop-a", "refund within 5 days", ["loop-b"]),
        ("loop-b", "refund within 6 days", ["loop-a"]),
    ]
    expected = ask(_filled(pages))
    random.Random(seed).shuffle(pages)
    found = ask(_filled(pages))
    assert "v1.2" in shown(found)
    assert not {"v1.0", "v1.1", "v1.2-draft"} & set(shown(found))
    assert (shown(found), notices(found)) == (shown(expected), notices(expected))


def _filled(pages: list[tuple[str, str, list[str]]]) -> FakeIndexStore:
    store = empty()
    for minute, (doc_id, text, by) in enumerate(pages):
        put(store, doc_id, text, *by, fetched_at=at(minute), created=days_ago(50))
    return store


def test_sp_08_a_translation_is_not_folded_into_the_page_it_was_made_from(store: IndexStore) -> None:
    put(store, "x", "refund within 30 days", lang="en", doc_family="x", is_canonical=True)
    put(store, "ja/x", "refund within 30 days nihongo", lang="ja", doc_family="x")
    put(store, "de/x", "refund within 30 days deutsch", lang="de", doc_family="x")
    for query in (QUESTION, f"latest {QUESTION}", f"{QUESTION} in 2026"):
        assert set(shown(ask(store, query))) == {"x", "ja/x", "de/x"}


def test_sp_10_a_page_that_is_fetched_again_later_is_not_newer(store: IndexStore) -> None:
    put(store, "old", "refund within 60 days", created=days_ago(700), fetched_at=at(900), title="Refunds v1.1")
    put(store, "new", "refund within 30 days", created=days_ago(30), fetched_at=at(1), title="Refunds v1.2")
    assert shown(ask(store, f"latest {QUESTION}"))[0] == "new"


def test_sp_12_an_edition_that_the_question_names_is_the_answer(store: IndexStore) -> None:
    put(store, "v0.30/install", "refund within 60 days", created=days_ago(700), title="Install, March 2024")
    put(store, "v0.55/install", "refund within 60 days sooner", created=days_ago(30), title="Install, May 2026")
    assert shown(ask(store, f"latest {QUESTION}"))[0] == "v0.55/install"
    assert shown(ask(store, f"{QUESTION} in March 2024"))[0] == "v0.30/install"


@pytest.mark.parametrize("count", [10, 250])
def test_any_number_of_retired_members_leads_to_the_one_head(count: int) -> None:
    store = empty()
    for number in range(count):
        put(store, f"old-{number:03}", f"refund within {number} days", "new")
    put(store, "new", "money back")
    found = ask(store, limit=5)
    assert shown(found) == ["new"]
    assert not notices(found)["new"]


def test_a_link_names_a_document_of_its_own_source_only(store: IndexStore) -> None:
    put(store, "old", "refund within 60 days", "new")
    put(store, "new", "money back", source="elsewhere")
    found = ask(store)
    assert notices(found)["old"] == "superseded by new, which was not found"


def test_one_damaged_point_of_a_family_does_not_fail_the_question() -> None:
    store = empty()
    put(store, "member", "refund within 60 days", doc_family="refund")
    put(store, "head", "money back", doc_family="refund", is_canonical=True)
    put(store, "broken", "money is back", doc_family="refund", is_canonical=True)
    for point in store.points.values():
        if point.payload["doc_id"] == "broken":
            point.payload["doc_id"] = ""
    assert shown(ask(store, limit=1)) == ["head"]


# Found by the resolver, then asked.


Pages = list[tuple[Member, str]]


def put_resolved(store: IndexStore, pages: Pages) -> None:
    """Publish pages under the marks that the resolver gives them."""
    decisions = resolved(*(page for page, _ in pages))
    marks = {doc_id: patch for decision in decisions for doc_id, patch in patches(decision).items()}
    for page, text in pages:
        fields: dict[str, Any] = dict(marks.get(page.key.doc_id, {}))
        fields["status"] = Status(str(fields.get("status", "published")))
        publish_page(store, EMBED, page.key.doc_id, text, title=page.title, lang=page.lang, **fields)


def page(doc_id: str, **said: Any) -> Member:
    return member(doc_id, source="handbook", **said)


def test_sp_02_a_successor_that_nobody_sees_leaves_the_chain_to_a_person() -> None:
    """C is archived and no member: what names it has an open end."""
    decision = the_family(page("a.md", superseded_by=["b.md"]), page("b.md", superseded_by=["c.md"]))
    assert decision.outcome is Outcome.AMBIGUOUS
    assert patches(decision) == {}


@pytest.mark.parametrize("seed", range(5))
def test_sp_03_forks_and_circles_are_for_a_person_in_whatever_order_they_come(seed: int) -> None:
    pages = [
        page("x.md"),
        page("left.md", supersedes=["x.md"]),
        page("right.md", supersedes=["x.md"]),
        page("loop-a.md", superseded_by=["loop-b.md"]),
        page("loop-b.md", superseded_by=["loop-a.md"]),
    ]
    random.Random(seed).shuffle(pages)
    fork, circle = resolved(*pages)
    assert options(circle) == {"loop-a.md", "loop-b.md"}
    assert options(fork) == {"left.md", "right.md"}


def test_sp_05_a_chain_of_releases_has_one_head_that_every_release_leads_to(store: IndexStore) -> None:
    releases = [f"docs/{major}.{minor}/ddl.md" for major in (5, 6, 7) for minor in range(4)]
    chain = [page(older, superseded_by=[f"/{newer}"]) for older, newer in pairwise(releases)]
    decision = the_family(*chain, page(releases[-1]))
    assert (decision.current, decision.canonical) == (releases[-1], releases[-1])
    assert "the longest chain has 11 links" in decision.why
    texts = ["refund within days, as it was", *(f"nothing alike {each}" for each in releases[1:-1])]
    put_resolved(store, [*zip(chain, texts, strict=True), (page(releases[-1]), "money back for a month")])
    found = ask(store, limit=1, policy=Policy(overfetch=1))
    assert shown(found) == [releases[-1]]


def test_sp_08_a_translation_that_names_the_original_as_its_successor_is_not_folded_away(store: IndexStore) -> None:
    pages = [
        (page("ja/x.md", lang="ja", superseded_by=["../x.md"]), "refund within days nihongo"),
        (page("x.md", lang="en"), "refund within days"),
    ]
    put_resolved(store, pages)
    assert set(shown(ask(store))) == {"ja/x.md", "x.md"}


def test_sp_10_the_version_that_is_declared_decides_and_not_the_one_that_came_last(store: IndexStore) -> None:
    pages = [
        (page("rules-1.2.md", created="2026-01-01"), "refund within 30 days, by hand"),
        (page("rules-1.1.md", created="2026-02-01"), "refund within days"),
    ]
    put_resolved(store, pages)
    for query in (QUESTION, f"latest {QUESTION}"):
        assert shown(ask(store, query)) == ["rules-1.2.md"]


def test_sp_12_folders_of_releases_are_versions_and_the_newest_is_the_answer(store: IndexStore) -> None:
    pages = [
        (page("docs/v0.9/install.md"), "refund within days, first of all"),
        (page("docs/v0.30/install.md"), "refund within days"),
        (page("docs/v0.55/install.md"), "refund within days, in other words"),
        (page("docs/main/install.md"), "refund within days, not released"),
    ]
    put_resolved(store, pages)
    assert links(the_family(*(each for each, _ in pages))) == {
        ("docs/v0.30/install.md", "docs/v0.9/install.md"),
        ("docs/v0.55/install.md", "docs/v0.30/install.md"),
    }
    for query in (QUESTION, f"latest {QUESTION}"):
        assert shown(ask(store, query)) == ["docs/v0.55/install.md"]
