"""What prose says of replacement is a reason to ask a person, and nothing more."""

from __future__ import annotations

import time

import pytest

from include.domain.lineage import Hint
from include.families.members import Outcome
from include.families.resolve import patches
from include.text.hints import read_hints
from include.text.lineage import read_lineage
from tests.family_members import links, member, options, resolved, the_family

ABOVE = "# A page\n\nWhat it is about.\n\n## Abstract\n\n"


def by(text: str) -> tuple[str, ...]:
    return tuple(hint.reference for hint in read_hints(text).superseded_by)


def of(text: str) -> tuple[str, ...]:
    return tuple(hint.reference for hint in read_hints(text).supersedes)


@pytest.mark.parametrize(
    ("sentence", "references"),
    [
        ("This PEP has been withdrawn in favour of :pep:`487`.", ("PEP 487",)),
        ("As of 05-Jan-2016, this PEP is officially deprecated and replaced by :pep:`12`.", ("PEP 12",)),
        ("Note: this document has been superseded by XEP-0030: Service Discovery.", ("XEP-0030",)),
        ("This protocol has been deprecated in favor of [Avatars](xep-0084.xml).", ("xep-0084.xml",)),
        ("Retracted in favor of Jingle (XEP-0166).", ("XEP-0166",)),
        ("Retracted; see XEP-0153.", ("XEP-0153",)),
        ("This proposal was superseded by XEP-0095 and XEP-0096.", ("XEP-0095", "XEP-0096")),
        ("*Note: this PEP was superseded by* :pep:`435`, *which has been accepted.*", ("PEP 435",)),
        ("For an updated version of this spec for Python 3.x, please see :pep:`3333` instead.", ("PEP 3333",)),
    ],
)
def test_a_successor_that_prose_names(sentence: str, references: tuple[str, ...]) -> None:
    assert by(ABOVE + sentence + "\n") == references
    assert of(ABOVE + sentence + "\n") == ()


@pytest.mark.parametrize(
    ("sentence", "reference"),
    [
        ("This PEP replaces PEP 345.", "PEP 345"),
        ("This document obsoletes XEP-0011 and is in use.", "XEP-0011"),
        ("This BIP supersedes BIP 20.", "BIP 20"),
        ("This document defines a replacement for XEP-0090 which carries the zone.", "XEP-0090"),
        ("The predecessor to this document is XEP-0270.", "XEP-0270"),
    ],
)
def test_a_predecessor_that_prose_names(sentence: str, reference: str) -> None:
    assert of(ABOVE + sentence + "\n") == (reference,)
    assert by(ABOVE + sentence + "\n") == ()


@pytest.mark.parametrize(
    "text",
    [
        "This PEP does not replace PEP 345.",
        "This PEP would replace PEP 345.",
        "This PEP is intended to replace PEP 345.",
        "If accepted, this PEP replaces PEP 345 once it is final.",
        "This PEP partially replaces PEP 345.",
        "This PEP replaces parts of PEP 345.",
        "This PEP replaces the versioning of PEP 345.",
        "This PEP updates PEP 345.",
        "PEP 566 replaces PEP 345.",
        "It would be wrong to say that this document has been superseded by PEP 566.",
        "This function replaces the one in PEP 345.",
        "This document has been replaced by something better.",
        "This document has not been superseded by PEP 566.",
        "This document may be superseded by PEP 566.",
        "This document is superseded by PEP 1, PEP 2, PEP 3 and PEP 4.",
        'The page said "This document has been superseded by PEP 566."',
        "> This document has been superseded by PEP 566.",
        "| This document has been superseded by PEP 566. |",
        "    This document has been superseded by PEP 566.",
        "```\nThis document has been superseded by PEP 566.\n```",
        ".. code-block:: text\n\n   This document has been superseded by PEP 566.",
        ".. list-table::\n\n   * - Status\n     - Replaced by :pep:`566`",
        "The flag ``--old`` is deprecated in favor of ``--new`` in PEP 566.",
    ],
)
def test_what_is_no_fact_or_not_said_of_the_document_itself_is_no_hint(text: str) -> None:
    assert read_hints(f"{ABOVE}{text}\n") == read_hints("")


def test_headers_and_a_section_of_the_status_are_left_to_those_who_read_headers() -> None:
    assert by("PEP: 1\nTitle: A\nStatus: Superseded\nSuperseded-By: 2\n\nAbstract\n========\n\nText.\n") == ()
    assert by("# A\n\n## Status\n\nSuperseded by [B](b.md)\n\n## Context\n\nText.\n") == ()


def test_far_down_only_sections_on_the_document_itself_are_read() -> None:
    said = "This document has been superseded by PEP 2.\n\n"
    filler = "Some words of no weight.\n\n" * 400
    assert by(f"# A\n\n{filler}## Examples\n\n{said}") == ()
    assert by(f"# A\n\n{filler}## History\n\n{said}") == ("PEP 2",)


def test_the_abstract_the_history_and_the_paragraphs_of_an_xml_document() -> None:
    text = (
        "<xep><header><abstract>It was. This document has been superseded by XEP-0002.</abstract>"
        "<supersededby><spec>XEP-0009</spec></supersededby>"
        "<revision><remark><p>Retracted in favor of XEP-0003.</p></remark></revision></header>"
        "<p>This document defines a replacement for &xep0090;.</p></xep>"
    )
    assert by(text) == ("XEP-0002", "XEP-0003")
    assert of(text) == ("xep-0090",)


def test_a_hint_is_no_statement_and_is_stored_with_its_sentence() -> None:
    said = read_lineage({}, ABOVE + "This PEP replaces PEP 345.\n")
    assert (said.supersedes, said.superseded_by) == ((), ())
    assert said.hints_supersedes == (Hint("PEP 345", "This PEP replaces PEP 345."),)
    assert Hint.of(said.hints_supersedes[0].stored()) == said.hints_supersedes[0]


@pytest.mark.parametrize("text", ["<xep>" + "<p" * 50_000, "<xep>" + "<p>" * 50_000, "this " * 50_000, "`" * 50_000])
def test_no_text_takes_long(text: str) -> None:
    begun = time.process_time()
    read_hints(text)
    assert time.process_time() - begun < 2


def test_two_documents_that_only_prose_ties_are_asked_about() -> None:
    decision = the_family(member("a.md", hints=["b.md"]), member("b.md"))
    assert options(decision) == {"a.md", "b.md"}
    assert "the text of a.md says: This document has been replaced by b.md." in decision.why
    assert patches(decision) == {}


def test_a_chain_that_only_prose_knows_is_one_question() -> None:
    chain = [member("a.md", hints=["b.md"]), member("b.md", hints=["c.md"]), member("c.md")]
    assert options(the_family(*chain)) == {"a.md", "b.md", "c.md"}


def test_prose_never_stands_against_what_is_stated() -> None:
    decision = the_family(member("a.md", superseded_by=["b.md"]), member("b.md", hints=["c.md"]), member("c.md"))
    assert decision.outcome is Outcome.DECIDED
    assert (decision.members, links(decision)) == (("a.md", "b.md"), {("b.md", "a.md")})


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (member("a.md", hints=["b.md"], status="Rejected"), member("b.md")),
        (member("a.md", hints=["b.md"], status="Draft"), member("b.md")),
        (member("a.md", hints=["b.md"]), member("b.md", status="Withdrawn")),
        (member("a.md", hints=["b.md"]), member("b.md", status="Draft")),
        (member("a.md", hints=["b.md"], lang="en"), member("b.md", lang="de")),
        (member("a.md", hints=["nowhere.md"]), member("b.md")),
        (member("a.md", hints=["b.md"], decided={"pinned": True}), member("b.md")),
        (
            member("a.md", hints=["b.md"], decided={"doc_family": "a.md"}),
            member("b.md", decided={"doc_family": "b.md"}),
        ),
        (member("a.md", hints=["b.md"], decided={"is_current": True}), member("b.md")),
        (member("a.md", hints=["b.md"]), member("b.md", decided={"status": "published"})),
    ],
)
def test_what_is_answered_or_of_no_weight_is_not_asked(older, newer) -> None:  # type: ignore[no-untyped-def]
    assert all(decision.outcome is Outcome.DECIDED for decision in resolved(older, newer))


def test_one_that_is_superseded_by_nobody_known_is_asked_about_with_whom_its_text_names() -> None:
    decision = the_family(member("a.md", hints=["b.md"], status="Superseded"), member("b.md"))
    assert options(decision) == {"a.md", "b.md"}
