"""Entries of a register that bear one title."""

from __future__ import annotations

from include.families.namesakes import namesakes
from tests.family_members import member, options, resolved, the_family


def found(*titles: tuple[str, str]) -> list[tuple[str, ...]]:
    return list(namesakes([member(doc_id, title) for doc_id, title in titles]))


def test_two_entries_of_one_title_are_namesakes_whatever_number_stands_before_it() -> None:
    assert found(("peps/pep-0367.rst", "New Super"), ("peps/pep-3135.rst", "New  super")) == [
        ("peps/pep-0367.rst", "peps/pep-3135.rst")
    ]
    assert found(("adr/021-Multi-cluster.md", "21. Multi-cluster"), ("adr/036-multi.md", "36. Multi-cluster")) == [
        ("adr/021-Multi-cluster.md", "adr/036-multi.md")
    ]
    assert found(("oep-0009-x.rst", "OEP-9: Users"), ("oep-0066-y.rst", "OEP-66: Users")) == [
        ("oep-0009-x.rst", "oep-0066-y.rst")
    ]


def test_other_folders_registers_titles_and_pages_without_a_number_are_none() -> None:
    assert found(("a/pep-0367.rst", "New Super"), ("b/pep-3135.rst", "New Super")) == []
    assert found(("pep-0367.rst", "New Super"), ("xep-3135.xml", "New Super")) == []
    assert found(("pep-0367.rst", "New Super"), ("pep-3135.rst", "Newer Super")) == []
    assert found(("help/refunds.md", "Refunds"), ("help/refunds-and-more.md", "Refunds")) == []


def test_a_title_that_many_entries_bear_is_a_heading() -> None:
    many = [(f"pep-{number:04}.rst", "Release Schedule") for number in range(5)]
    assert found(*many) == []


def test_they_are_asked_about_and_nobody_is_made_head_by_a_title() -> None:
    both = [member("pep-0001.rst", "URI Scheme"), member("pep-0002.rst", "URI Scheme")]
    assert options(the_family(*both)) == {"pep-0001.rst", "pep-0002.rst"}
    assert resolved(member("pep-0001.rst", "URI Scheme", status="Rejected"), member("pep-0002.rst", "URI Scheme")) == ()


def test_a_superseded_entry_that_names_nobody_is_shown_beside_its_namesake() -> None:
    decision = the_family(
        member("pep-0367.rst", "New Super", status="Superseded"), member("pep-3135.rst", "New Super", status="Final")
    )
    assert options(decision) == {"pep-0367.rst", "pep-3135.rst"}


def test_a_family_that_is_decided_is_not_put_in_doubt_by_a_title() -> None:
    decision = the_family(
        member("pep-0161.rst", "Abuse Reporting", status="Deferred", superseded_by=["pep-0268.rst"]),
        member("pep-0268.rst", "Incident Handling"),
        member("pep-0236.rst", "Abuse Reporting"),
    )
    assert decision.current == "pep-0268.rst"
    assert decision.members == ("pep-0161.rst", "pep-0268.rst")
