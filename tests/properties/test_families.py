"""What the resolver keeps to, whatever documents say of one another: order is nothing, one head or a conflict."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from include.domain.metadata import MARKS, Patch
from include.families.members import FamilyDecision, Member, Outcome, Relation
from include.families.resolve import patches, resolve
from include.families.standing import Standing, standing_of
from tests.family_members import NOW, links, member, same_topic

NAMES = (
    *(f"{letter}.md" for letter in "abcdef"),
    *(f"deck-v{number}.md" for number in (1, 2, 9, 10)),
    *("deck-v2-draft.md", "deck.md", "policy-2024.md", "policy-2025.md", "policy.md", "Copy of policy.md"),
    *("docs/latest/install.md", "docs/v1.9/install.md", "docs/v1.10/install.md", "docs/main/install.md"),
    *("reports/annual-report-2024.md", "reports/annual-report-2025.md"),
)
STATUSES = st.sampled_from([None, None, None, "Draft", "Final", "Superseded", "Withdrawn", "Deferred", "canonical"])
DAYS = st.sampled_from(["", "2024-01-01", "2025-01-01", "2025-01-01", "2026-01-01", "2027-01-01"])


@st.composite
def members(draw: st.DrawFn, *, decided: bool = True) -> list[Member]:
    """Up to ten documents of a source, with statements about one another, about themselves and about nobody."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=10, unique=True))
    references = st.lists(st.sampled_from([*names, "gone.md"]), max_size=2)
    return [
        member(
            name,
            draw(st.sampled_from(["Page", "One title"])),
            lang=draw(st.sampled_from([None, None, "en", "fr"])),
            content_type=draw(st.sampled_from(["page"] * 9 + ["evergreen"])),
            content_hash=draw(st.sampled_from(["", "", "one text"])),
            family=draw(st.sampled_from([None] * 4 + ["stated"])),
            version=draw(st.sampled_from([None] * 4 + ["1.9", "1.10"])),
            status=draw(STATUSES),
            supersedes=draw(references),
            superseded_by=draw(references),
            created=draw(DAYS),
            effective=draw(st.sampled_from(["", "", ""]) | DAYS),
            decided=draw(_decided(names)) if decided else None,
        )
        for name in names
    ]


def _decided(names: list[str]) -> st.SearchStrategy[Patch]:
    return st.sampled_from(
        [{}] * 8
        + [
            {"pinned": True},
            {"is_canonical": True},
            {"is_current": True},
            {"is_current": False},
            {"status": "superseded", "superseded_by": [names[0]]},
            {"status": "published"},
            {"doc_family": "by hand"},
            {"doc_family": "another"},
            {"family_version": "3"},
        ]
    )


def decide(documents: list[Member]) -> tuple[FamilyDecision, ...]:
    return resolve(documents, same_topic, now=NOW)


@given(members(), st.randoms())
@settings(max_examples=100)
def test_the_order_of_the_documents_changes_nothing(documents: list[Member], chance: random.Random) -> None:
    shuffled = list(documents)
    chance.shuffle(shuffled)
    assert decide(shuffled) == decide(documents)


@given(members())
@settings(max_examples=100)
def test_each_family_has_one_head_or_an_explicit_conflict(documents: list[Member]) -> None:
    for decision in decide(documents):
        if decision.outcome is Outcome.AMBIGUOUS:
            assert (decision.current, decision.canonical, decision.links) == (None, None, ())
            assert decision.options
            assert {option.doc_id for option in decision.options} <= set(decision.members)
            assert patches(decision) == {}
            continue
        assert decision.current in decision.members
        assert decision.canonical in (*decision.members, None)
        assert decision.canonical or decision.relation is Relation.PERIODS
        assert decision.options == ()
        assert decision.current not in {older for _, older in links(decision)}


@given(members())
@settings(max_examples=100)
def test_links_stay_within_a_family_and_lead_to_a_document_that_nothing_replaces(documents: list[Member]) -> None:
    for decision in decide(documents):
        after: dict[str, set[str]] = {}
        for newer, older in links(decision):
            assert {newer, older} <= set(decision.members)
            after.setdefault(older, set()).add(newer)
        for start in after:
            seen, waiting = set(), [start]
            while waiting:
                at = waiting.pop()
                for following in after.get(at, ()):
                    assert following != start, f"{start} follows itself"
                    if following not in seen:
                        seen.add(following)
                        waiting.append(following)


@given(members())
@settings(max_examples=100)
def test_no_document_is_in_two_families_and_no_two_families_have_one_name(documents: list[Member]) -> None:
    decisions = decide(documents)
    counted = Counter(doc_id for decision in decisions for doc_id in decision.members)
    assert all(number == 1 for number in counted.values())
    assert len({decision.family for decision in decisions}) == len(decisions)
    assert list(decisions) == sorted(decisions, key=lambda decision: (decision.source, decision.family))


@given(members())
@settings(max_examples=100)
def test_what_a_person_decided_or_pinned_is_never_patched_or_superseded(documents: list[Member]) -> None:
    by_id = {document.key.doc_id: document for document in documents}
    for decision in decide(documents):
        for doc_id, patch in patches(decision).items():
            document = by_id[doc_id]
            assert not document.pinned
            assert document.content_type != "evergreen"
            assert patch.keys().isdisjoint(document.decided)
            assert patch.keys() <= MARKS.keys()
        for newer, older in links(decision):
            assert not by_id[older].pinned or newer in by_id[older].decided.get("superseded_by", ())  # type: ignore[operator]
            assert by_id[older].decided.get("is_current") is not True


@given(members())
@settings(max_examples=100)
def test_a_draft_replaces_nothing_that_holds_unless_a_person_says_so(documents: list[Member]) -> None:
    by_id = {document.key.doc_id: document for document in documents}
    for decision in decide(documents):
        for newer, older in links(decision):
            first, last = by_id[older], by_id[newer]
            if standing_of(last.lineage.status) is Standing.PENDING and "status" not in {
                **last.decided,
                **first.decided,
            }:
                is_put_away = not standing_of(first.lineage.status).holds or first.decided or last.decided
                names_successor = bool(last.lineage.superseded_by)
                assert is_put_away or names_successor or _unfinished(older), (newer, older)


def _unfinished(doc_id: str) -> bool:
    return "draft" in doc_id or "main/" in doc_id


@given(members(decided=False))
@settings(max_examples=100)
def test_a_person_who_confirms_a_decision_gets_the_same_one(documents: list[Member]) -> None:
    """Marks that a person takes over from the resolver say what it said: it takes nothing back and has nothing
    to add. Not asked where documents stand beside or are left alone: the person's marks leave those out."""
    documents = [replace(document, content_type="page") for document in documents]
    decisions = decide(documents)
    marks = {doc_id: patch for decision in decisions for doc_id, patch in patches(decision).items()}
    taken_over = [replace(document, decided=marks.get(document.key.doc_id, {})) for document in documents]
    before = {decision.members: decision for decision in decisions if decision.outcome is Outcome.DECIDED}
    for decision in decide(taken_over):
        earlier = before.get(decision.members)
        if earlier is None or earlier.beside or earlier.relation is Relation.PERIODS:
            continue
        assert (decision.current, decision.canonical) == (earlier.current, earlier.canonical)
        assert links(decision) == links(earlier)
        assert patches(decision).keys() <= patches(earlier).keys()


@given(members(decided=False))
@settings(max_examples=100)
def test_every_patch_and_its_links_say_the_same_on_both_sides(documents: list[Member]) -> None:
    for decision in decide(documents):
        marks = patches(decision)
        for newer, older in links(decision):
            assert marks.get(older, {}).get("status", "superseded") == "superseded"
            if older in marks and newer in marks:
                assert newer in marks[older]["superseded_by"]  # type: ignore[operator]
                assert older in marks[newer]["supersedes"]  # type: ignore[operator]
