"""What keeps the resolver from guessing, rule by rule, and what it would decide without."""

from __future__ import annotations

import pytest

from include.domain.dates import Trust
from include.families import contenders, decisions, links, succession
from include.families.members import Member, Outcome
from include.families.resolve import patches
from include.families.standing import Standing
from tests.family_members import links as links_of
from tests.family_members import member, resolved, the_family
from tests.guards import Guard, switch


def decides(*members: Member) -> bool:
    return any(decision.outcome is Outcome.DECIDED and decision.links for decision in resolved(*members))


# -- scenarios: what must not happen --


def a_pinned_document_is_retired() -> None:
    decision = the_family(member("v1.md", decided={"pinned": True}), member("new.md", supersedes=["v1.md"]))
    assert decision.links == ()


def a_translation_is_folded_into_another_language() -> None:
    assert not decides(member("ja.md", lang="ja", superseded_by=["en.md"]), member("en.md", lang="en"))


def a_draft_retires_what_holds() -> None:
    assert not decides(member("a.md"), member("b.md", status="Draft", supersedes=["a.md"]))


def a_joke_retires_a_standard() -> None:
    assert not decides(member("a.md", status="Final"), member("b.md", status="Humorous", supersedes=["a.md"]))


def a_draft_without_followers_puts_a_succession_in_doubt() -> None:
    assert decides(
        member("a.md", status="Rejected"),
        member("b.md", status="Final", supersedes=["a.md"]),
        member("c.md", status="Draft", supersedes=["a.md"]),
    )


def the_younger_branch_of_a_fork_wins() -> None:
    """One group by title, of which no version tells."""
    assert not decides(
        member("1", "Deck (v1)", created="2020-01-01", superseded_by=["2", "3"]),
        member("2", "Deck (final)", created="2021-01-01"),
        member("3", "Deck (approved)", created="2022-01-01"),
    )


def an_entry_of_a_register_retires_another_by_its_title() -> None:
    assert not decides(
        member("peps/pep-0427.rst", "The Wheel Binary Package Format 1.0"),
        member("peps/pep-0491.rst", "The Wheel Binary Package Format 1.9"),
    )


def a_date_that_is_not_trusted_decides() -> None:
    assert not decides(
        member("1", "Deck (v1)", created="2020-01-01", trust=Trust.UNKNOWN),
        member("2", "Deck (final)", created="2021-01-01", trust=Trust.UNKNOWN),
    )


def one_of_two_ways_to_count_is_believed() -> None:
    assert not decides(member("deck-2026-01-v3.md"), member("deck-2026-02-v2.md"))


def what_only_has_an_ancestor_in_common_is_marked() -> None:
    """File transfer was split from stream initiation, which Jingle replaced; its own successor was put off."""
    decision = the_family(
        member("52.md", status="Retracted", superseded_by=["95.md", "96.md"]),
        member("95.md", status="Deprecated", superseded_by=["166.md"]),
        member("96.md", status="Deprecated", superseded_by=["234.md"]),
        member("166.md", status="Final"),
        member("234.md", status="Deferred"),
    )
    assert decision.current == "166.md"
    assert patches(decision)["234.md"] == {"supersedes": ["96.md"]}


def a_copy_wins_because_it_was_made_later() -> None:
    assert not decides(member("deck.md", created="2026-01-01"), member("Copy of deck.md", created="2026-02-01"))


GUARDS = [
    Guard(
        "what a person pinned is kept", a_pinned_document_is_retired, switch(links, "_kept_by_a_person", lambda _: "")
    ),
    Guard(
        "links stay within a language",
        a_translation_is_folded_into_another_language,
        switch(links, "_one_language", lambda _one, _other: True),
    ),
    Guard(
        "a state that is stated counts",
        a_draft_retires_what_holds,
        switch(contenders, "standing_of", lambda _: Standing.UNKNOWN),
    ),
    Guard(
        "a claim weighs what its author does",
        a_joke_retires_a_standard,
        switch(contenders, "standing_of", lambda _: Standing.UNKNOWN),
    ),
    Guard(
        "a draft is no rival of what is approved",
        a_draft_without_followers_puts_a_succession_in_doubt,
        switch(links, "_without_rivals", lambda found, _: (list(found), [])),
    ),
    Guard(
        "a fork is not settled by dates",
        the_younger_branch_of_a_fork_wins,
        switch(decisions, "_are_a_fork", lambda *_: False),
    ),
    Guard(
        "a register's entries speak for themselves",
        an_entry_of_a_register_retires_another_by_its_title,
        switch(decisions, "are_entries_of_a_register", lambda _: False),
    ),
    Guard(
        "only trusted dates decide",
        a_date_that_is_not_trusted_decides,
        switch(succession, "trusted", lambda date: date),
    ),
    Guard("versions agree", one_of_two_ways_to_count_is_believed, switch(succession, "_check_others", lambda *_: None)),
    Guard(
        "what stands beside is not marked",
        what_only_has_an_ancestor_in_common_is_marked,
        switch(decisions, "_is_beside", lambda *_: False),
    ),
    Guard(
        "copies have no dates", a_copy_wins_because_it_was_made_later, switch(contenders.Contender, "is_copy", False)
    ),
]


@pytest.mark.parametrize("guard", GUARDS, ids=str)
def test_each_guard_holds(guard: Guard) -> None:
    guard.holds()


@pytest.mark.parametrize("guard", GUARDS, ids=str)
def test_without_it_the_resolver_guesses(guard: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    guard.bites(monkeypatch)


def test_the_scenarios_are_families_at_all() -> None:
    assert links_of(the_family(member("a.md"), member("b.md", supersedes=["a.md"]))) == {("b.md", "a.md")}
