"""SUPERSEDE and GUARD-FLAW, from documents to marks to answers: the resolver run over an index, then asked."""

from __future__ import annotations

import itertools

import pytest

from include.domain.documents import DocumentKey, Status
from include.domain.errors import ApprovalRefused
from include.domain.manifest import RunState
from include.domain.plan import PlanKind
from include.services.resolve_canonical import look_at_families
from include.services.retrieval import retrieve
from include.wiring.families import family_scope
from tests.fakes.embedder import FakeEmbedder
from tests.unit.test_resolve_canonical import SOURCE, Handbook, collapse


def answer(handbook: Handbook, question: str, limit: int = 5) -> dict[str, str]:
    """The shown documents, best first, with what a reader is told about each."""
    found = retrieve(handbook.store, FakeEmbedder(), question, now=handbook.clock.now(), limit=limit, sources=[SOURCE])
    return {each.scored.candidate.key.doc_id: each.notice for each in found.shown}


def chain(handbook: Handbook, *links: tuple[str, str]) -> Handbook:
    """Documents about refunds that state what replaces them: (older, newer)."""
    after = dict(links)
    for name in sorted({name for link in links for name in link}):
        stated = f"---\nsuperseded_by: {after[name]}.md\n---\n" if name in after else ""
        handbook.put(f"{name}.md", f"{stated}# Refunds\n\nRefunds are paid as {name} says.")
    return handbook


def test_sp_02_of_a_chain_whose_end_may_not_be_seen_nothing_older_is_served_as_current() -> None:
    handbook = chain(Handbook().with_pages(40), ("a", "b"), ("b", "c")).night()
    handbook.resolve()
    assert next(iter(answer(handbook, "how are refunds paid"))) == "c.md"
    handbook.say({"c.md": {"status": "archived"}})
    shown = answer(handbook, "how are refunds paid")
    assert "a.md" not in shown
    assert "superseded by c.md" in shown["b.md"]


def test_sp_03_circles_and_forks_end_and_go_to_a_person_whatever_the_order_of_arrival() -> None:
    for order in itertools.permutations(("a", "b", "c")):
        handbook = Handbook().with_pages(40)
        after = {"a": "b", "b": "a", "c": "a"}
        for name in order:
            handbook.put(f"{name}.md", f"---\nsuperseded_by: {after[name]}.md\n---\n# Refunds\n\nPaid as {name} says.")
        handbook.night()
        assert handbook.resolve().state is RunState.RESOLVED
        assert handbook.superseded() == []
        (review,) = handbook.ledger.reviews(SOURCE)
        assert [member.doc_id for member in review.members] == ["a.md", "b.md", "c.md"]


def test_sp_03_and_05_a_chain_of_forty_is_followed_to_its_end() -> None:
    names = [f"step-{number:02}" for number in range(40)]
    handbook = chain(Handbook().with_pages(400), *itertools.pairwise(names)).night()
    handbook.resolve()
    assert len(handbook.superseded()) == 39
    assert list(answer(handbook, "how are refunds paid", limit=1)) == ["step-39.md"]


def test_sp_08_a_translation_is_not_folded_away() -> None:
    handbook = Handbook().with_pages(40)
    for doc_id, text in (("x.md", "Refunds are paid"), ("ja/x.md", "返金 されます"), ("de/x.md", "Erstattet wird")):
        lang = doc_id.partition("/")[0] if "/" in doc_id else "en"
        stated = "superseded_by: x.md\n" if lang != "en" else ""
        handbook.put(doc_id, f"---\nlang: {lang}\n{stated}---\n# Refunds {lang}\n\n{text}.")
    handbook.night().resolve()
    assert not {"ja/x.md", "de/x.md"} & set(handbook.superseded())


@pytest.mark.parametrize("order", [(11, 12), (12, 11)])
def test_sp_10_the_declared_version_decides_and_not_the_order_of_arrival(order: tuple[int, int]) -> None:
    handbook = Handbook().with_pages(40)
    for version in order:
        handbook.with_family("rules", version).night()
        handbook.resolve(changed_only=True)
    assert handbook.superseded() == ["rules-v11.md"]


def test_sp_12_of_two_documentation_trees_the_newest_answers_and_a_question_that_names_the_old_gets_the_old() -> None:
    handbook = Handbook().with_pages(60)
    for release in ("v0.30", "v0.55", "v0.9"):
        handbook.put(f"docs/{release}/install.md", f"# Install\n\nInstall it with one command.\n\nThis is {release}.")
    handbook.night().resolve()
    assert handbook.superseded() == ["docs/v0.30/install.md", "docs/v0.9/install.md"]
    assert next(iter(answer(handbook, "how to install it"))) == "docs/v0.55/install.md"
    assert "docs/v0.30/install.md" in answer(handbook, "all versions of install it with one command", limit=20)


def test_a_family_collapse_is_held_at_every_size() -> None:
    """GF-04: no size is too small for the limit."""
    for pages in range(2, 8):
        handbook = Handbook().with_pages(pages).with_family("deck", 1, 2).night()
        assert handbook.resolve().state is RunState.HELD
        assert handbook.superseded() == []


def test_gf_01_a_meant_collapse_is_released_once_without_touching_the_limit() -> None:
    handbook = Handbook().with_pages(1).with_family("deck", *range(1, 50)).night()
    handbook.resolve()
    handbook.approve(handbook.held)
    handbook.apply_release()
    assert len(handbook.superseded()) == 48


def test_gf_10_an_approval_is_for_the_families_that_were_shown() -> None:
    handbook = collapse()
    handbook.resolve()
    handbook.approve(handbook.held)
    handbook.source.delete("deck-v6.md")
    handbook.with_family("deck", 7).night()
    with pytest.raises(ApprovalRefused):
        handbook.apply_release()
    assert handbook.superseded() == []


def test_gf_12_families_that_are_asked_for_one_by_one_fill_one_window() -> None:
    handbook = Handbook().with_pages(60)
    for name in "abcdefghijklmnopqrst":
        handbook.with_family(f"memo-{name}", 1, 2)
    handbook.night()
    _, planned = look_at_families(handbook.context, run_id="dry")
    for decision in planned.resolved.decisions:
        handbook.resolve(scope=family_scope(decision.family))
    assert 0 < len(handbook.superseded()) <= len(handbook.statuses()) // 4


def test_what_is_retired_says_so_on_every_chunk_and_the_head_is_reachable() -> None:
    handbook = Handbook().with_pages(40).with_family("deck", 8, 9, 10).night()
    handbook.resolve()
    with handbook.store.reading() as index:
        stored = index.chunks_of([DocumentKey(SOURCE, "deck-v8.md")])[DocumentKey(SOURCE, "deck-v8.md")]
    assert len(stored) > 1
    assert {chunk.status for chunk in stored} == {Status.SUPERSEDED}
    shown = answer(handbook, "this is number 8 of the deck")
    assert next(iter(shown)) == "deck-v10.md"
    assert not {"deck-v8.md", "deck-v9.md"} & shown.keys()
    assert handbook.ledger.held(SOURCE, PlanKind.FAMILIES) is None
