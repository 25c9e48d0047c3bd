"""Which document of a family holds, and what goes to a person: by statements, versions, dates, and a person's word."""

from __future__ import annotations

import pytest

from include.domain.dates import Trust
from include.families.members import FamilyDecision, Member, Outcome, Relation
from include.families.resolve import patches, resolve
from tests.family_members import NOW, links, member, options, resolved, same_topic, the_family

# What is stated.


@pytest.mark.parametrize(
    "said",
    [
        (member("a.md", superseded_by=["b.md"]), member("b.md")),
        (member("a.md"), member("b.md", supersedes=["a.md"])),
        (member("a.md", superseded_by=["b.md"]), member("b.md", supersedes=["a.md"])),
    ],
)
def test_a_link_may_be_stated_on_either_side(said: tuple[Member, ...]) -> None:
    decision = the_family(*said)
    assert (decision.current, decision.canonical) == ("b.md", "b.md")
    assert links(decision) == {("b.md", "a.md")}
    assert patches(decision) == {
        "a.md": {"doc_family": "a.md", "is_current": False, "status": "superseded", "superseded_by": ["b.md"]},
        "b.md": {"doc_family": "a.md", "is_canonical": True, "supersedes": ["a.md"]},
    }


def test_a_chain_has_one_head_and_every_link_names_the_next_one() -> None:
    chain = [member(f"{number:02}.md", superseded_by=[f"{number + 1:02}.md"]) for number in range(40)]
    decision = the_family(*chain, member("40.md"))
    assert decision.current == "40.md"
    assert links(decision) == {(f"{number + 1:02}.md", f"{number:02}.md") for number in range(40)}
    assert "the longest chain has 40 links" in decision.why


def test_one_may_replace_several_and_several_ways_may_lead_to_one_head() -> None:
    decision = the_family(
        member("a.md", superseded_by=["b.md", "c.md"]),
        member("b.md", superseded_by=["d.md"]),
        member("c.md"),
        member("d.md", supersedes=["c.md"]),
    )
    assert decision.current == "d.md"
    assert len(decision.links) == 4


@pytest.mark.parametrize(
    "fork",
    [
        (member("a.md", superseded_by=["b.md", "c.md"]), member("b.md"), member("c.md")),
        (member("a.md"), member("b.md", supersedes=["a.md"]), member("c.md", supersedes=["a.md"])),
        (
            member("a.md", created="2020-01-01"),
            member("b.md", supersedes=["a.md"], created="2021-01-01"),
            member("c.md", supersedes=["a.md"], created="2022-01-01"),
        ),
    ],
)
def test_two_successors_of_one_are_a_fork_whatever_their_dates(fork: tuple[Member, ...]) -> None:
    decision = the_family(*fork)
    assert options(decision) == {"b.md", "c.md"}
    assert patches(decision) == {}


def test_a_fork_stays_one_however_long_its_branches_are() -> None:
    decision = the_family(
        member("1", "Deck (v1)", created="2020-01-01", superseded_by=["2", "3"]),
        member("2", "Other", superseded_by=["4"]),
        member("3", "Another", superseded_by=["5"]),
        member("4", "Deck (final)", created="2021-01-01"),
        member("5", "Deck (approved)", created="2022-01-01"),
    )
    assert options(decision) == {"4", "5"}


def test_what_is_put_away_and_bears_the_higher_version_is_for_a_person() -> None:
    decision = the_family(member("archive/policy-v3.md"), member("policy-v2.md"))
    assert options(decision) == {"archive/policy-v3.md", "policy-v2.md"}


def test_of_a_fork_with_versions_the_higher_one_holds() -> None:
    decision = the_family(
        member("deck-v1.md", superseded_by=["deck-v2.md", "deck-v3.md"]), member("deck-v2.md"), member("deck-v3.md")
    )
    assert decision.current == "deck-v3.md"
    assert ("deck-v3.md", "deck-v2.md") in links(decision)


def test_a_circle_is_for_a_person_and_what_leads_into_it_is_no_option() -> None:
    decision = the_family(
        member("a.md", superseded_by=["b.md"]),
        member("b.md", superseded_by=["c.md"]),
        member("c.md", superseded_by=["b.md"]),
    )
    assert options(decision) == {"b.md", "c.md"}


def test_each_of_two_that_says_the_other_replaced_it_is_an_option() -> None:
    decision = the_family(member("a.md", superseded_by=["b.md"]), member("b.md", superseded_by=["a.md"]))
    assert options(decision) == {"a.md", "b.md"}


def test_a_document_that_names_itself_says_nothing() -> None:
    assert resolved(member("a.md", superseded_by=["a.md"], supersedes=["a.md"])) == ()


def test_a_successor_that_is_not_here_is_for_a_person() -> None:
    decision = the_family(member("a.md", superseded_by=["XMPP Core"]))
    assert options(decision) == {"a.md"}
    assert any("'XMPP Core', which is not here" in why for why in decision.why)


def test_a_predecessor_that_is_not_here_is_only_told() -> None:
    assert resolved(member("a.md", supersedes=["RFC 2616"])) == ()
    decision = the_family(member("a.md", supersedes=["RFC 2616", "b.md"]), member("b.md"))
    assert decision.current == "a.md"
    assert any("RFC 2616" in why for why in decision.why)


def test_one_that_is_here_is_enough() -> None:
    decision = the_family(member("a.md", status="Obsolete", superseded_by=["Unicode", "b.md"]), member("b.md"))
    assert decision.current == "b.md"


@pytest.mark.parametrize("status", ["Superseded", "Replaced", "Obsolete", "superseded"])
def test_superseded_and_nobody_named_is_for_a_person(status: str) -> None:
    decision = the_family(
        member("a.md", status=status),
    )
    assert options(decision) == {"a.md"}


@pytest.mark.parametrize("status", [None, "Final", "Rejected", "Deprecated", "anything at all"])
def test_other_states_ask_for_nobody(status: str | None) -> None:
    assert resolved(member("a.md", status=status)) == ()


# How they stand.


@pytest.mark.parametrize("newer", ["Withdrawn", "Rejected", "Retracted", "Humorous", "Closed", "April Fool!"])
@pytest.mark.parametrize("older", ["Deployed", "Final", "Active", "Draft", None])
def test_the_claim_of_one_that_was_given_up_has_no_force(newer: str, older: str | None) -> None:
    decision = the_family(member("a.md", status=older), member("b.md", status=newer, supersedes=["a.md"]))
    assert decision.current == "a.md"
    assert decision.links == ()
    assert any("has no force" in why for why in decision.why)


@pytest.mark.parametrize("newer", ["Draft", "Proposed", "Experimental", "Deferred"])
@pytest.mark.parametrize("older", ["Final", "Active", None, "Draft"])
def test_a_draft_never_beats_what_holds(newer: str, older: str | None) -> None:
    decision = the_family(member("a.md", status=older), member("b.md", status=newer, supersedes=["a.md"]))
    assert decision.current == "a.md"
    assert decision.links == ()
    assert "b.md" not in patches(decision)


@pytest.mark.parametrize("older", ["Deprecated", "Withdrawn", "Deferred", "Superseded"])
def test_a_draft_follows_what_was_given_up(older: str) -> None:
    decision = the_family(member("a.md", status=older), member("b.md", status="Draft", supersedes=["a.md"]))
    assert decision.current == "b.md"


@pytest.mark.parametrize("newer", ["Draft", "Withdrawn", "Deferred"])
def test_what_holds_and_names_a_draft_as_its_successor_contradicts_itself(newer: str) -> None:
    decision = the_family(member("a.md", status="Final", superseded_by=["b.md"]), member("b.md", status=newer))
    assert options(decision) == {"a.md", "b.md"}
    assert any("not approved yet" in line or "given up" in line or "put off" in line for line in decision.why)


def test_a_successor_that_is_superseded_in_turn_passes_it_on() -> None:
    decision = the_family(
        member("a.md", status="Final", superseded_by=["b.md"]),
        member("b.md", status="Superseded", superseded_by=["c.md"]),
        member("c.md", status="Final"),
    )
    assert decision.current == "c.md"


def test_a_withdrawn_claim_leaves_the_real_succession_alone() -> None:
    """PEP 426 was withdrawn and says that it replaces PEP 345, which PEP 566 replaced."""
    decision = the_family(
        member("345.md", status="Superseded", superseded_by=["566.md"]),
        member("426.md", status="Withdrawn", supersedes=["345.md"], superseded_by=["566.md"]),
        member("566.md", status="Final", supersedes=["345.md"]),
    )
    assert decision.current == "566.md"
    assert links(decision) == {("566.md", "345.md"), ("566.md", "426.md")}


def test_a_joke_about_two_families_joins_neither() -> None:
    first, second = resolved(
        member("71.md", status="Deprecated"),
        member("393.md", status="Draft", supersedes=["71.md"]),
        member("394.md", status="Obsolete", superseded_by=["400.md"]),
        member("400.md"),
        member("457.md", status="Humorous", supersedes=["71.md", "393.md", "394.md"]),
    )
    assert {first.current, second.current} == {"393.md", "400.md"}
    assert "457.md" not in (*first.members, *second.members)


def test_a_family_in_which_nobody_holds_is_for_a_person() -> None:
    decision = the_family(
        member("a.md", status="Superseded", superseded_by=["b.md"]), member("b.md", status="Withdrawn")
    )
    assert options(decision) == {"b.md"}


# Versions.


def test_versions_order_what_nobody_linked() -> None:
    decision = the_family(*(member(f"deck-v{number}.md") for number in (1, 9, 10, 2)))
    assert decision.current == "deck-v10.md"
    assert links(decision) == {
        ("deck-v2.md", "deck-v1.md"),
        ("deck-v9.md", "deck-v2.md"),
        ("deck-v10.md", "deck-v9.md"),
    }
    assert decision.versions["deck-v10.md"] == "v10"


def test_the_order_in_which_they_arrived_is_no_signal() -> None:
    """Version 1.1 came in after 1.2."""
    decision = the_family(member("rules-1.2.md", created="2026-01-01"), member("rules-1.1.md", created="2026-02-01"))
    assert decision.current == "rules-1.2.md"


def test_a_stated_version_counts_before_a_name() -> None:
    decision = the_family(member("a.md", family="rules", version="1.10"), member("b.md", family="rules", version="1.9"))
    assert decision.current == "a.md"
    assert decision.family == "rules"


def test_a_release_candidate_precedes_its_release_and_never_beats_an_older_one() -> None:
    assert the_family(member("tool-1.9.md"), member("tool-2.0-rc1.md")).current == "tool-1.9.md"
    decision = the_family(member("tool-1.9.md"), member("tool-2.0-rc1.md"), member("tool-2.0.md"))
    assert decision.current == "tool-2.0.md"
    assert links(decision) == {("tool-2.0.md", "tool-1.9.md"), ("tool-2.0.md", "tool-2.0-rc1.md")}


def test_drafts_alone_have_a_newest_one() -> None:
    decision = the_family(*(member(f"draft-acme-protocol-{number:02}.txt") for number in range(12)))
    assert decision.current == "draft-acme-protocol-11.txt"
    assert len(decision.links) == 11


def test_a_link_against_the_order_of_versions_is_for_a_person() -> None:
    decision = the_family(member("deck-v1.md", supersedes=["deck-v2.md"]), member("deck-v2.md"), member("deck-v3.md"))
    assert {"deck-v1.md", "deck-v2.md"} <= options(decision)


def test_a_link_around_the_order_of_versions_is_for_a_person_too() -> None:
    decision = the_family(
        member("deck-v1.md"),
        member("deck-v2.md"),
        member("deck-v3.md", superseded_by=["other.md"]),
        member("other.md", superseded_by=["deck-v1.md"]),
    )
    assert options(decision) == {"deck-v1.md", "deck-v2.md", "deck-v3.md", "other.md"}


def test_two_ways_of_counting_that_disagree_are_for_a_person() -> None:
    decision = the_family(member("deck-2026-01-v3.md"), member("deck-2026-02-v2.md"))
    assert options(decision) == {"deck-2026-01-v3.md", "deck-2026-02-v2.md"}
    assert any("above" in line for option in decision.options for line in option.evidence)


def test_one_version_twice_is_for_a_person_and_identical_copies_are_not() -> None:
    tie = the_family(member("deck-v1.md"), member("deck-v2.md", content_hash="x"), member("Copy of deck-v2.md"))
    assert options(tie) == {"deck-v2.md", "Copy of deck-v2.md"}
    same = the_family(
        member("deck-v1.md"), member("deck-v2.md", content_hash="x"), member("Copy of deck-v2.md", content_hash="x")
    )
    assert same.current == "deck-v2.md"
    assert patches(same)["Copy of deck-v2.md"]["is_current"] is False
    assert "status" not in patches(same)["Copy of deck-v2.md"]


def test_a_copy_is_always_made_later_so_dates_say_nothing() -> None:
    decision = the_family(member("deck.md", created="2026-01-01"), member("Copy of deck.md", created="2026-02-01"))
    assert options(decision) == {"deck.md", "Copy of deck.md"}


def test_entries_of_a_register_replace_one_another_by_saying_so() -> None:
    """PEP 427 and PEP 491 have one title but for its version, and the higher one was never approved."""
    decision = the_family(
        member("peps/pep-0427.rst", "The Wheel Binary Package Format 1.0", created="2012-01-01"),
        member("peps/pep-0491.rst", "The Wheel Binary Package Format 1.9", created="2015-01-01"),
    )
    assert options(decision) == {"peps/pep-0427.rst", "peps/pep-0491.rst"}


def test_old_and_archived_names_give_way_to_the_document_they_are_old_for() -> None:
    decision = the_family(member("policy.md"), member("policy-old.md"))
    assert decision.current == "policy.md"
    assert links(decision) == {("policy.md", "policy-old.md")}


# Trees of versions, moving names.


def tree(*versions: str) -> list[Member]:
    return [member(f"docs/{version}/install.md", "Install") for version in versions]


def test_folders_of_versions_are_an_axis_and_what_is_not_released_is_no_head() -> None:
    decision = the_family(*tree("v0.30", "v0.55", "v0.9", "main"))
    assert decision.current == "docs/v0.55/install.md"
    assert links(decision) == {
        ("docs/v0.30/install.md", "docs/v0.9/install.md"),
        ("docs/v0.55/install.md", "docs/v0.30/install.md"),
    }
    assert patches(decision)["docs/v0.30/install.md"]["family_version"] == "v0.30"


def test_what_readers_are_sent_to_is_the_head_beside_its_fixed_versions() -> None:
    decision = the_family(*tree("v1", "v2", "latest"))
    assert decision.current == "docs/latest/install.md"
    assert ("docs/latest/install.md", "docs/v2/install.md") in links(decision)


def test_a_living_document_beside_dated_drafts_is_the_current_one() -> None:
    decision = the_family(
        member("fetch.bs", "Fetch Standard"),
        *(member(f"review-drafts/{month}.bs", f"Fetch Standard, {month}") for month in ("2025-06", "2025-12")),
    )
    assert decision.current == "fetch.bs"


# Dates.

DATED = ("Sales deck (v1)", "Sales deck (final)")
"""One family, of which versions say nothing: one bears a number, the other a stage."""


def test_an_effective_date_counts_before_the_created_one() -> None:
    decision = the_family(
        member("1", DATED[0], effective="2026-01-01", created="2020-01-01"),
        member("2", DATED[1], effective="2025-01-01", created="2021-01-01"),
    )
    assert decision.current == "1"


@pytest.mark.parametrize("trust", [Trust.HIGH, Trust.LOW])
def test_what_is_not_in_force_yet_is_not_current_yet(trust: Trust) -> None:
    documents = (
        member("policy-v1.md", effective="2025-01-01"),
        member("policy-v2.md", effective="2026-07-01", trust=trust),
    )
    assert the_family(*documents).current == "policy-v1.md"
    (later,) = resolve(documents, same_topic, now=NOW.replace(month=7, day=2))
    assert later.current == "policy-v2.md"
    (without,) = resolve(documents, same_topic)
    assert without.current == "policy-v2.md"


@pytest.mark.parametrize(
    ("first", "second", "current"),
    [
        ("2026-01-01", "2026-02-01", "2"),
        ("2026-02-01", "2026-01-01", "1"),
        ("2026-01-01", "2026-01-01", None),
        ("2026-01-01", "", None),
        ("", "2026-01-01", None),
        ("", "", None),
    ],
)
def test_dates_decide_where_nothing_else_does_and_an_unknown_one_never_wins(
    first: str, second: str, current: str | None
) -> None:
    decision = the_family(member("1", DATED[0], created=first), member("2", DATED[1], created=second))
    assert decision.current == current


def test_a_date_that_is_not_trusted_is_unknown() -> None:
    decision = the_family(
        member("1", DATED[0], created="2026-01-01", trust=Trust.LOW),
        member("2", DATED[1], created="2026-02-01", trust=Trust.LOW),
    )
    assert options(decision) == {"1", "2"}
    assert any("of low trust" in line for option in decision.options for line in option.evidence)


# Periods.


def test_periods_stay_published_and_the_newest_is_current() -> None:
    decision = the_family(*(member(f"sig/annual-report-{year}.md") for year in (2023, 2025, 2024)))
    assert decision.relation is Relation.PERIODS
    assert decision.current == "sig/annual-report-2025.md"
    assert (decision.canonical, decision.links) == (None, ())
    assert patches(decision) == {
        "sig/annual-report-2023.md": {"family_version": "2023", "is_current": False},
        "sig/annual-report-2024.md": {"family_version": "2024", "is_current": False},
        "sig/annual-report-2025.md": {"family_version": "2025"},
    }


def test_a_period_that_was_issued_again_is_replaced_like_anything_else() -> None:
    decision = the_family(
        member("sig/annual-report-2024.md"),
        member("sig/annual-report-2025.md", superseded_by=["corrected.md"]),
        member("corrected.md", "Annual report 2025, corrected"),
    )
    assert links(decision) == {("corrected.md", "sig/annual-report-2025.md")}


# Languages, families by name.


def test_a_translation_is_never_folded_into_another_language() -> None:
    (decision,) = resolved(
        member("ja/old.md", lang="ja", superseded_by=["../en/new.md"]), member("en/new.md", lang="en")
    )
    assert options(decision) == {"ja/old.md"}
    assert any("in another language" in why for why in decision.why)


def test_one_name_in_two_languages_is_two_families() -> None:
    decisions = resolved(
        *(
            member(f"{lang}/{number}.md", lang=lang, family="travel", version=str(number))
            for lang in ("en", "fr")
            for number in (1, 2)
        )
    )
    assert [(each.family, each.current) for each in decisions] == [
        ("travel (en)", "en/2.md"),
        ("travel (fr)", "fr/2.md"),
    ]


def test_a_named_family_without_any_order_is_for_a_person_whatever_its_dates() -> None:
    decision = the_family(
        member("a.md", family="routers", created="2024-01-01"), member("b.md", family="routers", created="2025-01-01")
    )
    assert options(decision) == {"a.md", "b.md"}


# A person's word.


def test_what_a_person_decided_wins_over_everything() -> None:
    documents = [
        member("deck-v1.md", decided={"is_current": True, "is_canonical": True}),
        member("deck-v2.md"),
        member("deck-v3.md", supersedes=["deck-v1.md"]),
    ]
    decision = the_family(*documents)
    assert (decision.current, decision.canonical) == ("deck-v1.md", "deck-v1.md")
    assert not any(older == "deck-v1.md" for _, older in links(decision))
    assert "is_current" not in patches(decision).get("deck-v1.md", {})


def test_a_person_settles_a_fork() -> None:
    fork = [member("a.md", superseded_by=["b.md", "c.md"]), member("b.md"), member("c.md")]
    answer: list[dict[str, object]] = [
        {"status": "superseded", "superseded_by": ["b.md"], "is_current": False},
        {"status": "published", "is_current": True, "is_canonical": True, "supersedes": ["a.md"]},
        {},
    ]
    decided = [
        member(each.key.doc_id, superseded_by=each.lineage.superseded_by, decided=marks)
        for each, marks in zip(fork, answer, strict=True)
    ]
    decision = the_family(*decided)
    assert decision.current == "b.md"
    assert links(decision) == {("b.md", "a.md")}
    assert "c.md" not in patches(decision)


def test_documents_that_a_person_put_into_families_of_their_own_stay_apart() -> None:
    documents = [member(f"deck-v{number}.md", decided={"doc_family": f"deck-v{number}.md"}) for number in (1, 2)]
    assert resolved(*documents) == ()
    fork = [
        member("a.md", superseded_by=["b.md", "c.md"], decided={"doc_family": "a.md"}),
        member("b.md", decided={"doc_family": "b.md"}),
        member("c.md", decided={"doc_family": "c.md"}),
    ]
    assert resolved(*fork) == ()


def test_two_documents_that_a_person_made_canonical_are_for_that_person() -> None:
    decision = the_family(
        member("deck-v1.md", decided={"is_canonical": True}), member("deck-v2.md", decided={"is_canonical": True})
    )
    assert options(decision) == {"deck-v1.md", "deck-v2.md"}


@pytest.mark.parametrize(
    "alone", [{"decided": {"pinned": True}}, {"content_type": "evergreen"}, {"status": "Evergreen"}]
)
def test_a_pinned_or_evergreen_document_is_left_alone_and_may_be_canonical_while_another_is_current(
    alone: dict[str, object],
) -> None:
    kept = member("policy-v1.md", **alone)  # type: ignore[arg-type]
    decision = the_family(kept, member("policy-v2.md", supersedes=["policy-v1.md"]), member("policy-v3.md"))
    assert (decision.current, decision.canonical) == ("policy-v3.md", "policy-v1.md")
    assert links(decision) == {("policy-v3.md", "policy-v2.md")}
    assert "policy-v1.md" not in patches(decision)


def test_a_stated_canonical_document_may_be_another_than_the_newest() -> None:
    decision = the_family(member("policy-v1.md", status="canonical"), member("policy-v2.md"))
    assert (decision.current, decision.canonical) == ("policy-v2.md", "policy-v1.md")


def test_a_version_that_a_person_set_counts_before_the_one_in_the_name() -> None:
    decision = the_family(member("deck-v1.md", decided={"family_version": "3"}), member("deck-v2.md"))
    assert decision.current == "deck-v1.md"
    assert decision.versions == {"deck-v1.md": "3", "deck-v2.md": "v2"}


# What was asked for.


def test_a_document_that_is_named_twice_is_refused() -> None:
    with pytest.raises(ValueError, match=r"docs:a\.md is named twice"):
        resolved(member("a.md"), member("a.md", "Another title"))


def test_sources_are_kept_apart() -> None:
    decisions = resolved(
        member("a.md", source="one", superseded_by=["b.md"]), member("b.md", source="one"), member("b.md", source="two")
    )
    assert [(each.source, each.members) for each in decisions] == [("one", ("a.md", "b.md"))]


def test_every_option_says_what_speaks_for_it() -> None:
    decision = the_family(
        member("a.md", superseded_by=["b.md", "c.md"]),
        member("b.md", status="Final", created="2020-01-01", version="2"),
        member("c.md"),
    )
    (first, second) = decision.options
    assert first.evidence == (
        "says that it is 'Final'",
        "version 2",
        "created 2020-01-01 (front matter)",
        "a.md says that it is superseded by 'b.md'",
    )
    assert second.evidence == ("a.md says that it is superseded by 'c.md'",)


def evidence(decision: FamilyDecision) -> dict[tuple[str, str], tuple[str, ...]]:
    return {(link.newer, link.older): link.evidence for link in decision.links}


def test_every_link_says_why() -> None:
    decision = the_family(member("deck-v1.md"), member("deck-v2.md"), member("deck-v3.md", supersedes=["deck-v2.md"]))
    assert evidence(decision) == {
        ("deck-v2.md", "deck-v1.md"): ("number v1 comes before v2",),
        ("deck-v3.md", "deck-v2.md"): ("deck-v3.md says that it supersedes 'deck-v2.md'",),
    }
    assert decision.outcome is Outcome.DECIDED


def test_a_successor_in_another_language_replaces_nothing_though_only_paths_name_the_languages() -> None:
    decision = the_family(member("de/a.md", superseded_by=["../en/b.md"]), member("en/b.md"))
    assert options(decision) == {"de/a.md"}


def test_a_language_and_its_region_are_one() -> None:
    decision = the_family(member("a.md", lang="en", superseded_by=["b.md"]), member("b.md", lang="en-US"))
    assert decision.current == "b.md"
    assert not the_family(member("a.md", lang="pt-BR", superseded_by=["b.md"]), member("b.md", lang="pt-PT")).links


def test_of_the_moving_names_of_one_tree_stable_is_what_was_released() -> None:
    decision = the_family(*(member(f"{name}/install.md") for name in ("1.0", "1.1", "latest", "stable", "dev")))
    assert decision.current == "stable/install.md"
    assert ("1.1/install.md", "1.0/install.md") in links(decision)
