"""What is replaced in part still holds, and a place within a document is no other document."""

from __future__ import annotations

import pytest

from include.families.standing import Standing, standing_of
from include.text.lineage import read_lineage
from include.text.references import pointers, references
from tests.family_members import member, the_family


@pytest.mark.parametrize(
    "status",
    [
        "Accepted, supersedes the recording scheme of [0013](0013-sync.md)",
        "Accepted, supersedes the recording scheme of ADR-0013",
        "Partially superseded by [0018](0018-keycloak.md) — the page is retained",
    ],
)
def test_what_is_replaced_in_part_is_not_replaced(status: str) -> None:
    read = read_lineage({"status": status}, "# A decision\n")
    assert (read.supersedes, read.superseded_by) == ((), ())


def test_of_two_only_the_one_that_is_replaced_as_a_whole_counts() -> None:
    assert references("ADR-0016 and the still-open half of ADR-0018") == ("ADR-0016",)
    assert pointers("in favour of [B](b.md)") == ("b.md",)
    assert pointers("version 1 of [the policy](policy-1.md)") == ()
    assert references("an earlier version of [the policy](policy-1.md)") == ("policy-1.md",)


@pytest.mark.parametrize("status", ["Partially superseded", "Partly replaced", "Teilweise ersetzt"])
def test_a_document_that_is_superseded_in_part_is_not_superseded(status: str) -> None:
    assert standing_of(status) is Standing.UNKNOWN


def test_two_registers_that_share_their_numbers_are_one() -> None:
    decision = the_family(member("EIPS/eip-20.md"), member("EIPS/eip-7.md", superseded_by=["ERC-20"]))
    assert decision.current == "EIPS/eip-20.md"


def test_a_place_within_the_document_is_not_the_page_of_its_folder() -> None:
    decision = the_family(member("guide/a.md", superseded_by=["#startup-snapshots"]), member("guide/README.md"))
    assert decision.current is None
    assert decision.members == ("guide/a.md",)


def test_the_number_of_an_issue_is_no_successor() -> None:
    assert read_lineage({"status": "Superseded by #12 (classification removed)"}, "# A\n").superseded_by == ()
    assert read_lineage({"status": "Most likely superseded by [B](b.md)"}, "# A\n").superseded_by == ()
