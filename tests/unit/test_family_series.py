"""What only looks like versions of one thing: sections by number, and what is written anew for each day or month."""

from __future__ import annotations

import pytest

from include.families.members import Relation
from tests.family_members import links, member, resolved, the_family


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("book/1.1-overview.md", "book/2.1-overview.md"),
        ("isms/A.5.1 Policies.docx", "isms/A.5.2 Policies.docx"),
        ("isms/control-5.1.md", "isms/control-5.2.md"),
        ("qa/test-case-4.1.md", "qa/test-case-4.2.md"),
        ("norm/anforderung-3.1.md", "norm/anforderung-3.2.md"),
        ("qm/SOP-4.1 Cleaning.docx", "qm/SOP-4.2 Cleaning.docx"),
        ("products/alpha/guide.md", "products/beta/guide.md"),
    ],
)
def test_sections_that_are_counted_stand_beside_one_another(one: str, other: str) -> None:
    assert resolved(member(one, ""), member(other, "")) == ()


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("menu-2026-05-01.pdf", "menu-2026-05-02.pdf"),
        ("payslip-2026-05.pdf", "payslip-2026-06.pdf"),
        ("timesheet 2026-W22.xlsx", "timesheet 2026-W23.xlsx"),
        ("sales 2026-05.xlsx", "sales 2026-06.xlsx"),
        ("okrs-2026-Q1.md", "okrs-2026-Q2.md"),
        ("status-2026-W22.md", "status-2026-W23.md"),
        ("Monatsbericht 2026-05.docx", "Monatsbericht 2026-06.docx"),
        ("Versionshinweise-1.9.md", "Versionshinweise-1.10.md"),
        ("letter 2026-05-01.docx", "letter 2026-06-01.docx"),
        ("NDA 2026-05-01.pdf", "NDA 2026-06-01.pdf"),
        ("Schulung 2026-05-01.pptx", "Schulung 2026-06-01.pptx"),
        ("bilan-2024.pdf", "bilan-2025.pdf"),
        ("memoria-2024.pdf", "memoria-2025.pdf"),
        ("議事録_2026年5月1日.md", "議事録_2026年6月1日.md"),
        ("决算报告2024.pdf", "决算报告2025.pdf"),
    ],
)
def test_what_is_written_anew_for_each_time_replaces_nothing(older: str, newer: str) -> None:
    decision = the_family(member(older, ""), member(newer, ""))
    assert (decision.relation, decision.current, links(decision)) == (Relation.PERIODS, newer, set())


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("sales-deck-2026-05.pptx", "sales-deck-2026-06.pptx"),
        ("menu-v1.pdf", "menu-v2.pdf"),
        ("Berichtsvorlage 2025.docx", "Berichtsvorlage 2026.docx"),
        ("NDA v1.docx", "NDA v2.docx"),
        ("standards/1.1.md", "standards/1.2.md"),
    ],
)
def test_a_newer_edition_of_such_a_thing_replaces_the_older(older: str, newer: str) -> None:
    assert links(the_family(member(older, ""), member(newer, ""))) == {(newer, older)}


def test_beside_one_that_has_no_stage_a_beta_is_a_stage_and_no_name() -> None:
    assert the_family(member("spec-beta.md", ""), member("spec.md", "")).current == "spec.md"
