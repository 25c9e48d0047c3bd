"""What reads like a statement of succession and is none, and statements in other registers and languages."""

from __future__ import annotations

import pytest

from include.domain.lineage import Lineage
from include.families.standing import Standing, standing_of
from include.text.lineage import read_lineage


def lineage(head: str, **fields: object) -> Lineage:
    return read_lineage(fields, f"# Expenses\n\n{head}\n\n## Purpose\n\nText.\n")


@pytest.mark.parametrize(
    "head",
    [
        "Status: Accepted (not superseded by [ADR 5](0005.md))",
        "Status: Accepted, will be superseded by [ADR 5](0005.md)",
        "Status: Accepted, superseded by [ADR 5](0005.md) once that is approved",
        "Status: Accepted. Proposed to be replaced by ADR 9",
        "Status: Proposed, would supersede [ADR 5](0005.md)",
        "Status: Accepted, may be replaced by ADR 9",
        "* Status: {proposed | rejected | accepted | deprecated | … | superseded by [ADR-5](0005-example.md)}",
        "Status: [proposed | rejected | accepted | superseded by [ADR-5](0005-example.md)] <!-- optional -->",
        "Superseded by: TBD\nReplaces: -",
        "Superseded by: (none yet)\nReplaces: no previous version",
        "Superseded by: Not yet superseded",
        "Superseded by: not applicable (first version)",
        "Superseded by: {ADR-NNNN}",
        "Superseded by: ADR-XXXX",
        "Superseded by: <pep number>",
        "> This policy will be superseded by [B](b.md) on 2027-01-01.",
        "> This document has not yet been replaced by [B](b.md).",
    ],
)
def test_a_plan_a_denial_and_a_form_that_nobody_filled_in_are_no_statement(head: str) -> None:
    read = lineage(head)
    assert (read.superseded_by, read.supersedes) == ((), ())


def test_the_choices_of_a_template_are_no_status() -> None:
    assert lineage("Status: proposed | accepted | superseded").status is None
    assert lineage("Status: Draft / Accepted / Superseded").status is None
    assert lineage("Status: Closed / Delivered").status == "Closed / Delivered"


@pytest.mark.parametrize(
    "head",
    [
        "Status: Accepted, superseded by [B](b.md)",
        "Status: Not recommended; superseded by [B](b.md)",
        "Status: Superseded 2021-02-02 by [B](b.md)",
        "Status: superseded (2021-02-02) by [B](b.md)",
        "Ersetzt durch: [B](b.md)",
        "Remplacé par : [B](b.md)",
        "Reemplazado por: [B](b.md)",
        "> __Warning__ `unrecommended`: deprecated in favor of [B](b.md)",
    ],
)
def test_a_successor_is_read_in_other_words(head: str) -> None:
    assert lineage(head).superseded_by == ("b.md",)


@pytest.mark.parametrize("head", ["Ersetzt: [B](b.md)", "Remplace : [B](b.md)", "Sustituye a: [B](b.md)"])
def test_what_is_replaced_is_read_in_other_words(head: str) -> None:
    assert lineage(head).supersedes == ("b.md",)


def test_a_reason_for_withdrawal_may_name_the_successor() -> None:
    fields = {"eip": "7", "status": "Withdrawn", "withdrawal-reason": "Superseded by EIP-3298."}
    assert read_lineage(fields, "").superseded_by == ("EIP-3298",)


def test_a_header_may_stand_in_a_literal_block() -> None:
    text = "::\n\n  ZIP: 212\n  Title: Receivers\n  Status: Final\n  Obsoletes: 1011\n\nTerminology\n===========\n"
    assert read_lineage({}, text) == Lineage(status="Final", supersedes=("1011",), aliases=("ZIP 212",))


@pytest.mark.parametrize(
    ("word", "standing"),
    [
        ("genehmigt", Standing.IN_FORCE),
        ("in Kraft", Standing.IN_FORCE),
        ("en vigueur", Standing.IN_FORCE),
        ("außer Kraft", Standing.RETIRED),
        ("abrogée", Standing.RETIRED),
        ("Dead", Standing.RETIRED),
        ("remplacé", Standing.SUPERSEDED),
        ("borrador", Standing.PENDING),
    ],
)
def test_a_state_is_read_in_other_languages(word: str, standing: Standing) -> None:
    assert standing_of(word) is standing
