"""Families are proposed by structure and confirmed by similarity; what speaks against one is told."""

from __future__ import annotations

import math
import random
import time

import pytest

from include.domain.documents import DocumentKey
from include.domain.lineage import Lineage
from include.families.grouping import NEEDED, Alike, Group, Groups, group
from include.families.members import Member
from include.families.names import Channel


def document(
    doc_id: str, title: str = "", *, url: str = "", lang: str | None = None, family: str | None = None, text: str = ""
) -> Member:
    return Member(DocumentKey("s", doc_id), title, url, lang=lang, content_hash=text, lineage=Lineage(family=family))


def always(cosine: float) -> Alike:
    return lambda _one, _other: cosine


def grouped(*members: Member, alike: Alike | None = None) -> Groups:
    return group(members, alike or always(1.0))


def ids(groups: Groups) -> list[list[str]]:
    return [[member.key.doc_id for member in each.members] for each in groups.found]


def only(groups: Groups) -> Group:
    (found,) = groups.found
    return found


def test_a_group_says_what_proposed_and_what_confirmed_it() -> None:
    found = only(grouped(document("decks/deck-v1.pptx"), document("decks/deck-v2.pptx"), alike=always(0.83)))
    assert found.family == "decks/deck"
    assert [str(name.version) for name in found.names] == ["v1", "v2"]
    assert found.why == (
        "decks/deck: the same name but for its version",
        "their texts are alike: 0.83 or more, 0.60 is needed",
    )


# --- never similarity alone


def test_documents_with_one_text_and_different_names_are_no_family() -> None:
    groups = grouped(document("a/travel.md", text="same"), document("b/expenses.md", text="same"))
    assert groups == Groups((), ())


def test_the_same_name_without_any_version_is_no_family() -> None:
    assert grouped(document("docs/Setup.md"), document("docs/setup.html")) == Groups((), ())


# --- similarity confirms


def test_what_similarity_does_not_confirm_is_told_and_not_grouped() -> None:
    groups = grouped(document("decks/deck-v1.pptx"), document("decks/deck-v2.pptx"), alike=always(0.4))
    assert groups.found == ()
    (rejected,) = groups.rejected
    assert rejected.doc_ids == ("decks/deck-v1.pptx", "decks/deck-v2.pptx")
    assert "the texts are not alike (decks/deck-v1.pptx 0.40, decks/deck-v2.pptx 0.40; 0.60 is needed)" in rejected.why


def test_a_document_without_a_vector_confirms_nothing() -> None:
    groups = grouped(document("decks/deck-v1.pptx"), document("decks/deck-v2.pptx"), alike=always(math.nan))
    assert groups.found == ()
    assert len(groups.rejected) == 1


def test_of_a_proposal_only_the_odd_one_is_left_out() -> None:
    odd = DocumentKey("s", "decks/deck-v2.pptx")
    members = [document(f"decks/deck-v{number}.pptx") for number in (1, 2, 3, 10)]
    groups = grouped(*members, alike=lambda one, other: 0.1 if odd in (one, other) else 0.9)
    assert ids(groups) == [["decks/deck-v1.pptx", "decks/deck-v10.pptx", "decks/deck-v3.pptx"]]
    assert "decks/deck-v2.pptx 0.10" in groups.rejected[0].why


def test_of_two_equal_halves_neither_is_the_family() -> None:
    def same_half(one: DocumentKey, other: DocumentKey) -> float:
        old = {"deck-v1.pptx", "deck-v2.pptx"}
        return 0.9 if (one.doc_id in old) == (other.doc_id in old) else 0.1

    groups = grouped(*(document(f"deck-v{number}.pptx") for number in (1, 2, 3, 4)), alike=same_half)
    assert groups.found == ()
    assert len(groups.rejected) == 1


def test_a_family_may_drift_as_long_as_neighbours_are_alike() -> None:
    def by_distance(one: DocumentKey, other: DocumentKey) -> float:
        first, second = (int(key.doc_id[len("deck-v") : -len(".pptx")]) for key in (one, other))
        return 1 - 0.1 * abs(first - second)

    groups = grouped(*(document(f"deck-v{number}.pptx") for number in range(1, 13)), alike=by_distance)
    assert len(only(groups).members) == 12


def test_equal_texts_need_no_vectors() -> None:
    members = [document("deck-v1.pptx", text="x"), document("deck-v2.pptx", text="x")]
    assert len(only(grouped(*members, alike=always(math.nan))).members) == 2


@pytest.mark.parametrize(
    ("doc_ids", "needed"),
    [
        (("deck-v1.md", "deck-v2.md"), NEEDED.revisions),
        (("docs/v1/install.md", "docs/v2/install.md"), NEEDED.folders),
        (("minutes-2026-05.md", "minutes-2026-06.md"), NEEDED.periods),
    ],
)
def test_the_more_a_name_says_the_less_the_text_has_to(doc_ids: tuple[str, str], needed: float) -> None:
    members = [document(doc_id) for doc_id in doc_ids]
    assert len(grouped(*members, alike=always(needed)).found) == 1
    assert grouped(*members, alike=always(needed - 0.01)).found == ()


# --- titles


def test_records_of_a_register_with_one_title_but_for_its_version_are_a_family() -> None:
    groups = grouped(
        document("peps/pep-0241.rst", "Metadata for Python Software Packages"),
        document("peps/pep-0314.rst", "Metadata for Python Software Packages v1.1"),
        document("peps/pep-0345.rst", "Metadata for Python Software Packages 1.2"),
        document("peps/pep-0346.rst", "User Defined Statements"),
    )
    assert ids(groups) == [["peps/pep-0241.rst", "peps/pep-0314.rst", "peps/pep-0345.rst"]]
    assert only(groups).family == 'peps/"metadata-for-python-software-packages"'


def test_documents_that_their_system_only_numbers_are_found_by_title() -> None:
    groups = grouped(document("17", "Sales deck v2"), document("2031", "Sales Deck (v3)"), document("9", "Sales"))
    assert ids(groups) == [["17", "2031"]]
    assert not only(groups).names[1].versions[0].version.text.startswith("20")


def test_of_a_numbered_document_the_address_is_asked() -> None:
    groups = grouped(
        document("17", "Preise", url="https://example.com/preise-2025/"),
        document("18", "Preise", url="https://example.com/preise-2026/"),
    )
    assert ids(groups) == [["17", "18"]]


def test_a_title_and_its_file_name_together_make_one_family() -> None:
    groups = grouped(
        document("decks/sales-deck-v1.pptx", "Sales deck v1"),
        document("decks/sales-deck-v2.pptx", "Sales deck v2"),
        document("decks/deck.pptx", "Sales deck v3"),
    )
    assert ids(groups) == [["decks/deck.pptx", "decks/sales-deck-v1.pptx", "decks/sales-deck-v2.pptx"]]


def test_one_title_without_a_version_is_no_family() -> None:
    assert grouped(document("a/1.md", "Overview"), document("a/2.md", "Overview")) == Groups((), ())


def test_one_title_in_the_folders_of_two_customers_goes_to_a_person() -> None:
    groups = grouped(document("acme/offer.docx", "Proposal v1"), document("globex/offer.docx", "Proposal v2"))
    assert groups.found == ()
    assert [rejected.doc_ids for rejected in groups.rejected] == [("acme/offer.docx", "globex/offer.docx")]
    assert "under other names: acme/offer, globex/offer" in groups.rejected[0].why


def test_file_names_with_words_of_their_own_are_other_things_whatever_their_titles() -> None:
    groups = grouped(document("deals/acme.docx", "Proposal v1"), document("deals/globex.docx", "Proposal v2"))
    assert groups.found == ()
    assert len(groups.rejected) == 1


def test_one_file_name_with_the_titles_of_two_customers_goes_to_a_person() -> None:
    groups = grouped(
        document("deals/proposal-v1.docx", "Acme - proposal"), document("deals/proposal-v2.docx", "Globex - proposal")
    )
    assert groups.found == ()
    assert "their titles name different things" in groups.rejected[0].why


def test_a_subtitle_of_every_edition_is_no_other_thing_and_an_exchanged_name_is() -> None:
    other_subtitle = grouped(
        document("sales-deck-v1.pptx", "Acme Cloud: faster than ever before"),
        document("sales-deck-v2.pptx", "Acme Cloud, now with forty connectors and search"),
    )
    assert len(only(other_subtitle).members) == 2
    other_customer = grouped(
        document("sales-deck-v1.pptx", "Acme Cloud for Initech"), document("sales-deck-v2.pptx", "Acme Cloud for Hooli")
    )
    assert other_customer.found == ()


def test_a_number_in_a_file_name_tells_things_apart_unless_nothing_else_is_said() -> None:
    windows = grouped(document("windows-10.md", "Rollout plan v1"), document("windows-11.md", "Rollout plan v2"))
    assert windows.found == ()
    wordpress = grouped(
        document("https://x.com/sales-deck/", "Sales deck v1"), document("https://x.com/sales-deck-2/", "Sales deck v2")
    )
    assert len(only(wordpress).members) == 2


def test_a_title_that_grew_is_the_same_document() -> None:
    groups = grouped(
        document("policy-v1.md", "Travel policy"),
        document("policy-v2.md", "Travel and expenses policy"),
    )
    assert len(only(groups).members) == 2


def test_a_page_that_was_renamed_in_a_tree_of_versions_stays_in_its_family() -> None:
    groups = grouped(document("docs/v1/setup.md", "Installing"), document("docs/v2/setup.md", "Installation"))
    assert len(only(groups).members) == 2


def test_a_generic_name_in_the_folders_of_two_years_has_to_be_of_one_title() -> None:
    acme, globex = document("2025/proposal.docx", "Acme"), document("2026/proposal.docx", "Globex")
    assert grouped(acme, globex).found == ()
    assert len(grouped(acme, document("2026/proposal.docx", "Acme")).found) == 1


# --- what splits a family


def test_translations_are_families_of_their_own() -> None:
    groups = grouped(
        document("policy-v1.md", lang="en"),
        document("policy-v2.md", lang="en"),
        document("policy-v1.de.md", lang="de"),
        document("policy-v2.de.md", lang="de"),
    )
    assert [(each.family, each.lang, len(each.members)) for each in groups.found] == [
        ("policy@de", "de", 2),
        ("policy@en", "en", 2),
    ]


def test_a_language_that_a_document_leaves_out_is_the_only_one_of_its_family() -> None:
    one_language = grouped(document("policy-v1.md"), document("policy-v2.md", lang="de"))
    assert only(one_language).lang == "de"
    two = grouped(document("p-v1.md"), document("p-v2.md", lang="de"), document("p-v3.md", lang="fr"))
    assert two.found == ()


def test_an_audience_that_only_titles_name_splits_a_family_and_is_told() -> None:
    groups = grouped(
        document("deck-v1.pptx", "Sales deck (internal)"),
        document("deck-v2.pptx", "Sales deck (internal)"),
        document("deck-v3.pptx", "Sales deck"),
    )
    assert [(each.family, len(each.members)) for each in groups.found] == [("deck+internal", 2)]
    assert groups.rejected[0].why == "by their titles they are for others: everybody / internal"


def test_another_stated_family_splits_one_that_names_propose() -> None:
    assert grouped(document("p-v1.md", family="a"), document("p-v2.md", family="b")).found == ()
    two = grouped(*(document(f"p-v{number}.md", family="ab"[number % 2]) for number in range(4)))
    assert [each.family for each in two.found] == ["p=a", "p=b"]
    assert len(grouped(document("p-v1.md", family="a"), document("p-v2.md")).found) == 1


def test_two_sources_have_no_family_in_common() -> None:
    one, other = document("deck-v1.md"), Member(DocumentKey("t", "deck-v2.md"), "", "")
    assert grouped(one, other).found == ()


# --- what moves on


def test_what_has_a_moving_name_is_said_to_live_on() -> None:
    found = only(grouped(document("docs/v1/a.md"), document("docs/v2/a.md"), document("docs/latest/a.md")))
    assert found.living == ("docs/latest/a.md",)


def test_a_moving_name_beside_no_version_is_a_name_like_any_other() -> None:
    assert grouped(document("docs/main/a.md"), document("docs/a.md")) == Groups((), ())
    assert grouped(document("docs/main/a.md"), document("docs/main/b.md")) == Groups((), ())


def test_a_file_that_calls_itself_the_newest_does_not_live_on() -> None:
    assert only(grouped(document("deck-new.pptx"), document("deck-v3.pptx"))).living == ()


@pytest.mark.parametrize(
    ("living", "snapshots"),
    [
        ("CHANGELOG.md", ("changelogs/0.9.x.md", "changelogs/0.10.x.md")),
        ("fetch.bs", ("review-drafts/2018-06.bs", "review-drafts/2018-12.bs")),
        ("spec/api.md", ("spec/versions/3.0.md", "spec/versions/3.1.md")),
    ],
)
def test_the_document_beside_its_snapshots_lives_on(living: str, snapshots: tuple[str, ...]) -> None:
    found = only(grouped(document(living), *(document(doc_id) for doc_id in snapshots)))
    assert found.living == (living,)
    assert len(found.members) == 1 + len(snapshots)


def test_the_one_of_the_folders_name_lives_on_whatever_else_is_beside_it() -> None:
    snapshots = (document("releases/1.9.md"), document("releases/1.10.md"))
    found = only(grouped(document("README.md"), document("RELEASES.md"), *snapshots))
    assert found.living == ("RELEASES.md",)


def test_of_two_documents_beside_snapshots_neither_is_taken() -> None:
    found = only(
        grouped(document("a.bs"), document("b.bs"), document("drafts-2/2018-06.bs"), document("drafts-2/2018-12.bs"))
    )
    assert found.living == ()
    assert len(found.members) == 2


def test_what_docusaurus_is_writing_is_not_released() -> None:
    found = only(
        grouped(
            document("docs/a.md"),
            document("versioned_docs/version-1.0/a.md"),
            document("versioned_docs/version-2.0/a.md"),
        )
    )
    assert found.living == ("docs/a.md",)
    assert found.names[0].channel is Channel.UNRELEASED


# --- order and effort


def test_the_order_of_input_changes_nothing() -> None:
    members = [
        *(document(f"docs/v1.{number}/{page}.md", page) for number in range(12) for page in ("setup", "usage")),
        *(document(f"deck-{part}.pptx", "Sales deck") for part in ("v1", "v2", "final", "final (1)", "old", "new")),
        *(document(str(number), f"Price list {number}") for number in range(2020, 2026)),
        *(document(f"{team}/annual-report-{year}.md") for team in "ab" for year in (2024, 2025)),
    ]
    expected = grouped(*members)
    for seed in range(20):
        random.Random(seed).shuffle(members)
        assert grouped(*members) == expected


def test_texts_are_compared_in_proportion_to_the_documents() -> None:
    asked = 0

    def counting(_one: DocumentKey, _other: DocumentKey) -> float:
        nonlocal asked
        asked += 1
        return 0.9

    grouped(
        *(document(f"minutes/{2000 + n // 336}-{n // 28 % 12 + 1:02}-{n % 28 + 1:02}.md") for n in range(3000)),
        alike=counting,
    )
    assert asked < 2 * 3000


def test_many_documents_take_seconds() -> None:
    members = [document(f"docs/v1.{n % 20}/guide-{n // 20}.md", f"Guide {n // 20}") for n in range(10_000)]
    began = time.process_time()
    found = grouped(*members).found
    assert len(found) == 500
    assert time.process_time() - began < 10
