"""What the links between documents amount to."""

from __future__ import annotations

import pytest

from include.domain.documents import Status
from include.staleness.evidence import Evidence
from include.staleness.subject import Subject
from include.staleness.supersession import superseded
from tests.staleness_subjects import NOW, day, shelf, subject


def judged(*subjects: Subject) -> Evidence | None:
    """The evidence against the first of them."""
    return superseded(subjects[0], shelf(*subjects), now=NOW)


def test_a_link_to_a_head_that_is_published_is_strong_enough_alone() -> None:
    found = judged(subject("decks/march.md", superseded_by=("decks/june.md",)), subject("decks/june.md", title="June"))
    assert found is not None
    assert (found.anchor, found.strength) == (True, 0.95)
    assert found.replacement is not None
    assert found.replacement.doc_id == "decks/june.md"
    assert found.sentence == "the resolver says that it is superseded by decks/june.md (June)"


def test_a_person_counts_for_more_and_is_named() -> None:
    found = judged(subject("a", superseded_by=("b",), linked_by_person=True), subject("b"))
    assert found is not None
    assert (found.anchor, found.strength) == (True, 0.98)
    assert found.sentence.startswith("a person says")


def test_a_chain_is_followed_to_its_end_however_long() -> None:
    chain = [subject(f"v{number}", superseded_by=(f"v{number + 1}",)) for number in range(3000)]
    found = judged(*chain, subject("v3000"))
    assert found is not None
    assert found.replacement is not None
    assert found.replacement.doc_id == "v3000"


def test_two_ways_to_one_head_are_one() -> None:
    found = judged(
        subject("a", superseded_by=("b", "c")),
        subject("b", superseded_by=("d",)),
        subject("c", superseded_by=("d",)),
        subject("d"),
    )
    assert found is not None
    assert found.anchor


@pytest.mark.parametrize(
    ("others", "says"),
    [
        ([subject("b", superseded_by=("a",))], "in a circle (a → b → a)"),
        ([subject("b", superseded_by=("c",)), subject("c", superseded_by=("b",))], "in a circle (b → c → b)"),
        ([], "by b, which is not in the index"),
        ([subject("b", superseded_by=("gone",))], "by gone, which is not in the index"),
        ([subject("b", superseded_by=("c", "d")), subject("c"), subject("d")], "c and d both take its place"),
        ([subject("b", status=Status.STAGED)], "that is staged_for_review itself"),
        ([subject("b", status=Status.ARCHIVED)], "that is archived itself"),
        ([subject("b", stated_status="Withdrawn")], "that calls itself 'Withdrawn'"),
        ([subject("b", effective_date=day("2026-07-01"))], "that comes into force on 2026-07-01"),
        ([subject("b", expires_at=day("2026-01-01"))], "that expired on 2026-01-01"),
    ],
)
def test_where_no_single_head_can_be_read_a_person_is_asked(others: list[Subject], says: str) -> None:
    found = judged(subject("a", superseded_by=("b",)), *others)
    assert found is not None
    assert says in found.sentence
    assert not found.anchor
    assert 0.5 <= found.strength < 0.9


def test_the_order_of_links_changes_nothing() -> None:
    others = [subject("b"), subject("c", superseded_by=("b",))]
    one = judged(subject("a", superseded_by=("b", "c")), *others)
    other = judged(subject("a", superseded_by=("c", "b")), *reversed(others))
    assert one == other
    assert one is not None
    assert one.fingerprint == (other.fingerprint if other else "")


def test_a_translation_is_no_heir() -> None:
    assert judged(subject("ja/x.md", lang="ja", superseded_by=("x.md",)), subject("x.md", lang="en")) is None


def test_what_is_marked_as_superseded_by_nobody_is_for_a_person() -> None:
    found = judged(subject("a", status=Status.SUPERSEDED))
    assert found is not None
    assert not found.anchor


def test_a_document_that_nothing_replaces_has_no_evidence() -> None:
    assert judged(subject("a"), subject("b", superseded_by=("a",))) is None
    assert judged(subject("a", superseded_by=("a",))) is None


def test_an_edition_in_a_folder_of_its_own_keeps_its_readers() -> None:
    found = judged(
        subject("docs/v1.9/install.md", superseded_by=("docs/v1.10/install.md",)), subject("docs/v1.10/install.md")
    )
    assert found is not None
    assert (found.anchor, found.facts["edition"]) == (False, "v1.9")
    assert found.strength < 0.5


@pytest.mark.parametrize(
    ("titles", "says"),
    [
        (("Prices for partners", "Prices"), "they are for others (partner, everybody)"),
        (
            ("Offer for Acme", "Offer for Globex"),
            "their titles name different things (offer-for-acme, offer-for-globex)",
        ),
    ],
)
def test_a_link_that_names_made_between_two_audiences_or_customers_is_doubted(
    titles: tuple[str, str], says: str
) -> None:
    found = judged(subject("x-v1.md", title=titles[0], superseded_by=("x-v2.md",)), subject("x-v2.md", title=titles[1]))
    assert found is not None
    assert not found.anchor
    assert says in found.sentence


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"linked_by_person": True}, id="a person says so"),
        pytest.param({"states_heirs": True}, id="the document says so"),
    ],
)
def test_what_somebody_has_said_is_not_read_out_of_folders(fields: dict[str, bool]) -> None:
    found = judged(
        subject("docs/v1.9/install.md", superseded_by=("docs/v1.10/install.md",), **fields),
        subject("docs/v1.10/install.md"),
    )
    assert found is not None
    assert found.anchor
