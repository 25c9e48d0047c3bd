"""What a text says of its own dates, and what it says of something else."""

from __future__ import annotations

import pytest

from include.domain.date_candidates import DateField, Doubt
from include.domain.dates import Trust
from include.domain.written_dates import Conventions, DateOrder
from include.text.stated_dates import date_candidates, named_date

CREATED, UPDATED, EFFECTIVE, EXPIRES = DateField


def stated(text: str, conventions: Conventions = Conventions()) -> dict[DateField, str]:
    return {one.field: one.shown for one in date_candidates(text, conventions) if one.doubt is None}


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("# Use Concourse CI\n\nDate: 26/03/2018\n\n## Status\n", {CREATED: "2018-03-26"}),
        ("# A\n\n**Effective Date:** 1 March 2026\n", {EFFECTIVE: "2026-03-01"}),
        ("# A\n\n**Effective date**: March 1, 2026\n", {EFFECTIVE: "2026-03-01"}),
        ("Effective 1 March 2026, refunds are possible for 30 days.", {EFFECTIVE: "2026-03-01"}),
        ("This policy is effective as of March 1, 2026.", {EFFECTIVE: "2026-03-01"}),
        ("The price list applies from 1 January 2026.", {EFFECTIVE: "2026-01-01"}),
        ("These terms come into force on 1 March 2026 and replace all others.", {EFFECTIVE: "2026-03-01"}),
        ("Effective 1 March 2026 supersedes the version of 3 May 2024.", {EFFECTIVE: "2026-03-01"}),
        ("These terms come into force on 1 March 2026 and everybody cheers.", {}),
        ("These terms come into force on 1 March 2026.", {EFFECTIVE: "2026-03-01"}),
        ("Valid from 13.1.2026 to 31.12.2026", {EFFECTIVE: "2026-01-13"}),
        ("Valid from: 2026-01-01", {EFFECTIVE: "2026-01-01"}),
        ("*Last updated: 3 May 2025*", {UPDATED: "2025-05-03"}),
        ("Last updated: 2025-05-03 10:15 UTC", {UPDATED: "2025-05-03 10:15 UTC"}),
        ("Last updated: May 2025", {UPDATED: "2025-05"}),
        ("> Last modified on March 1, 2026 by Ann", {}),
        ("Last modified: March 1, 2026 by Ann", {UPDATED: "2026-03-01"}),
        ("| Effective date | 1 March 2026 |\n|---|---|\n| Owner | Ann |", {EFFECTIVE: "2026-03-01"}),
        ("By Ann · Published May 3, 2025 · Updated June 1, 2025", {CREATED: "2025-05-03", UPDATED: "2025-06-01"}),
        ("Version 3 | Effective: 1 March 2026 | Expires: 2027-03-01", {EFFECTIVE: "2026-03-01", EXPIRES: "2027-03-01"}),
        ("- Feature Name: x\n- Start Date: (2016-06-17)\n- RFC PR: 1", {CREATED: "2016-06-17"}),
        ("* - Created\n  - 2016-06-09\n* - Updated\n  - 2017-06-01\n", {CREATED: "2016-06-09", UPDATED: "2017-06-01"}),
        ("Gültig ab 1. März 2026", {EFFECTIVE: "2026-03-01"}),
        ("Zuletzt aktualisiert am 3. Mai 2025", {UPDATED: "2025-05-03"}),
        ("Letzte Aktualisierung: 3. Mai 2025", {UPDATED: "2025-05-03"}),
        ("Vigente desde el 1 de marzo de 2026", {EFFECTIVE: "2026-03-01"}),
        ("Dernière mise à jour le 3 mai 2025", {UPDATED: "2025-05-03"}),
        ("Stand: März 2026", {UPDATED: "2026-03"}),
        ("En vigueur à partir du 1er mars 2026", {EFFECTIVE: "2026-03-01"}),
    ],
)  # fmt: skip
def test_a_text_s_statements_about_itself_are_found(text: str, dates: dict[DateField, str]) -> None:
    assert stated(text) == dates
    assert all(one.date is None or one.date.trust is Trust.LOW for one in date_candidates(text))


@pytest.mark.parametrize(
    "text",
    [
        "The budget of 1 March 2019 was approved.",
        "Published 3 May 2020 in Nature, it was read by many.",
        "Date: 12 May 2020 – 14 May 2020",
        "Date: Event",
        "| Date | Activity |\n|---|---|\n| 2018-01-01 | Nominations open |",
        "Effective communication in 2024",
        "Effective immediately, since 1 March 2026 nobody ...",
        "```\nDate: 2019-05-01\n```",
        "````md\n```yaml\nDate: 2019-05-01\n```\nDate: 2019-05-02\n````",
        "```\n```yaml\nDate: 2019-05-01\n```",
        "~~~\n```\nDate: 2019-05-01\n~~~",
        "> ```\n> Date: 2019-05-01\n> ```",
        "A page looks like this:\n\n    Date: 2019-05-01\n    Updated: 2019-06-01\n\nThat is all.",
        "This page describes the regulation, which is effective from 25 May 2018.",
        "This page describes a law that applies from 25 May 2018.",
        "This law was effective from 1 March 1990 to 3 May 1999.",
        "Our office moved in 2019-05-01.",
        "Updated 3 times since 2019-05-01",
        "Date:",
    ],
)
def test_what_a_text_says_of_other_things_is_no_date_of_its_own(text: str) -> None:
    assert date_candidates(text) == ()


def test_only_the_beginning_and_the_end_of_a_text_speak_of_it() -> None:
    filling = "".join(f"line {number} of the text\n" for number in range(100))
    assert stated(f"{filling}\nEffective date: 2026-03-01\n\n{filling}") == {}
    assert stated(f"# Page\n\n{filling}\nLast updated: 2026-02-03\n") == {UPDATED: "2026-02-03"}
    assert stated(f"# Page\n\n{filling}\nDate: 2026-02-03\n") == {}


def test_a_date_that_is_stated_twice_and_differently_is_not_believed() -> None:
    (only,) = date_candidates("Effective 1 March 2025, one.\n\nEffective 1 March 2026, two.\n")
    assert (only.field, only.date, only.doubt) == (EFFECTIVE, None, Doubt.CONFLICT)
    assert only.detail == "2025-03-01 and 2026-03-01"
    assert stated("Effective: 2026-03-01\n\nThis is effective as of 1 March 2026.") == {EFFECTIVE: "2026-03-01"}


def test_a_text_may_be_written_and_published_on_two_days() -> None:
    assert stated("Created: 2025-03-01\n\nPublished: 2025-03-09\n") == {CREATED: "2025-03-01"}
    assert stated("Updated: 2025-03-01\n\nUpdated: 2025-03-09\n") == {}
    assert stated("Effective: 2025-03-01\n\nValid from: 2025-03-09\n") == {}


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("Date: 05/02/2018", Doubt.AMBIGUOUS),
        ("Date: 10/04/18", Doubt.AMBIGUOUS),
        ("Date: (fill me in with today's date)", Doubt.PLACEHOLDER),
        ("Date: 2014-19-19", Doubt.UNREADABLE),
        ("Date: 12 to 14 May 2020", Doubt.UNREADABLE),
        ("Last updated: {{ page.date }}", Doubt.PLACEHOLDER),
    ],
)
def test_a_statement_that_is_no_date_is_named(text: str, doubt: Doubt) -> None:
    (only,) = date_candidates(f"# Title\n\n{text}\n")
    assert (only.date, only.doubt) == (None, doubt)


def test_the_declared_order_holds_in_texts_too() -> None:
    assert stated("Date: 05/02/2018", Conventions(DateOrder.DAY_FIRST)) == {CREATED: "2018-02-05"}


@pytest.mark.parametrize(
    "text",
    [
        "PEP: 1\nTitle: x\nLast-Modified: 2007-06-19\nCreated: 13-Jun-2000\nPost-History: 21-Mar-2001,\n   x\n\nWhat",
        "<pre>\n  BIP: 2\n  Created: 2000-06-13\n  Last-Modified: 19 June 2007\n</pre>\n",
        "```\n  BIP: 3\n  Created: 2000-06-13\n  Last-Modified: 2007-06-19\n```\n",
    ],
)
def test_a_header_block_counts_like_front_matter(text: str) -> None:
    candidates = date_candidates(text)
    assert {one.field: one.shown for one in candidates} == {CREATED: "2000-06-13", UPDATED: "2007-06-19"}
    assert {one.date.trust for one in candidates if one.date} == {Trust.HIGH}
    assert {one.origin for one in candidates} == {"header Created", "header Last-Modified"}


@pytest.mark.parametrize(
    ("name", "date"),
    [
        ("meetings/2015-05-27.md", "2015-05-27"),
        ("notes/20150527-notes.md", "2015-05-27"),
        ("2015_05_27 minutes.md", "2015-05-27"),
        ("minutes.2015.05.27.md", "2015-05-27"),
        ("minutes-2024-04.md", "2024-04"),
        ("blog/2015/05/27/title/index.md", "2015-05-27"),
        ("https://example.org/2015/05/27/title/", "2015-05-27"),
    ],
)
def test_a_day_or_month_in_the_name_is_a_date_of_low_trust(name: str, date: str) -> None:
    found = named_date(name)
    assert found is not None
    assert (found.field, found.shown, found.origin) == (CREATED, date, "file name")
    assert found.date is not None
    assert found.date.trust is Trust.LOW


@pytest.mark.parametrize(
    "name",
    [
        *("report-2025.md", "v1.2.3.md", "pep-0101.rst", "release-2024.04.md", "12345678.md", "20151345.md"),
        *("from-2015-01-01-to-2016-01-01.md", "https://example.org/?p=20150527", "rfc2616.md", "2024-13.md", ""),
    ],
)
def test_other_numbers_in_a_name_are_no_date(name: str) -> None:
    assert named_date(name) is None


def test_the_first_name_that_has_a_date_counts() -> None:
    found = named_date("1004", "https://example.org/2015/05/27/title/")
    assert found is not None
    assert found.shown == "2015-05-27"
