"""What documents state about their versions, in the formats that registers, sites and people use; and what is none."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from include.domain.documents import DocumentKey, FetchedDocument
from include.domain.lineage import NO_LINEAGE, Lineage
from include.text import rst
from include.text.lineage import html_fields, merged, read_lineage
from include.text.normalise import extract
from include.text.references import pointers, references
from tests.builders import NOON


def by(text: str, **fields: object) -> tuple[str, ...]:
    return read_lineage(fields, text).superseded_by


def of(text: str, **fields: object) -> tuple[str, ...]:
    return read_lineage(fields, text).supersedes


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("387", ("387",)),
        ("245, 246, 3124", ("245", "246", "3124")),
        ("2145 and 2616", ("2145", "2616")),
        ("PEP 387", ("PEP 387",)),
        ("XEP-0084; XEP-0153", ("XEP-0084", "XEP-0153")),
        ("OEP-66 User Authorization", ("OEP-66",)),
        ("ISO 9001:2008", ("ISO 9001:2008",)),
        ("[036. Multi-cluster](036-multi-cluster.md)", ("036-multi-cluster.md",)),
        ('[a](a.md), [b](<b.md>) and [c](c.md "C")', ("a.md", "b.md", "c.md")),
        ("[old (2019)](https://example.org/Old_(2019))", ("https://example.org/Old_(2019)",)),
        (":pep:`387`", ("PEP 387",)),
        (":ref:`OEP-66 <OEP-66 User Authorization>`", ("OEP-66",)),
        (":doc:`Tables </guide/tables>`", ("/guide/tables",)),
        ("`the new one <https://example.org/new>`__", ("https://example.org/new",)),
        ("[[bip-0002.mediawiki|BIP 2]]", ("bip-0002.mediawiki",)),
        ('<a href="/new">new</a>', ("/new",)),
        ("https://example.org/new.", ("https://example.org/new",)),
        ("../policies/travel.md#scope", ("../policies/travel.md#scope",)),
        ("Travel, leave and expenses policy 2026", ("Travel, leave and expenses policy 2026",)),
        ("Travel policy 2024; Expenses policy 2023", ("Travel policy 2024", "Expenses policy 2023")),
        ('"Travel policy"', ("Travel policy",)),
        ("XMPP Core", ("XMPP Core",)),
        ("XEP-0022 (in part)", ()),
        ("XEP-0022 (in part), XEP-0030", ("XEP-0030",)),
        ("partially by [b](b.md)", ()),
        ("7540 (if approved)", ()),
        ("section 3 of RFC 2616", ()),
        ("None", ()),
        ("n/a", ()),
        ("-", ()),
        ("", ()),
    ],
)
def test_a_reference_is_read_as_it_is_written(written: str, read: tuple[str, ...]) -> None:
    assert references(written) == read


def test_pointers_are_what_can_be_followed_and_no_titles() -> None:
    assert pointers("see [the new one](new.md), or PEP 440 from 2013") == ("new.md", "PEP 440")
    assert pointers("see the travel policy of 2026") == ()
    assert pointers("see [the new one](new.md) for some of it") == ()


@pytest.mark.parametrize(
    "name", ["superseded_by", "superseded-by", "Superseded-By", "SUPERSEDED_BY", "supersededBy", "Replaced by"]
)
@pytest.mark.parametrize("value", ["b.md", ["b.md"], {"url": "b.md", "title": "B"}, [{"path": "b.md"}]])
def test_front_matter_is_read_in_any_case_as_text_list_or_object(name: str, value: object) -> None:
    assert read_lineage({name: value}, "# A").superseded_by == ("b.md",)


def test_everything_that_front_matter_can_say() -> None:
    fields = {
        "doc_family": "travel policy",
        "version": "2.10",
        "status": "Approved",
        "replaces": ["travel-2024.md", "old.md"],
        "obsoleted_by": "travel-2026.md",
        "aliases": ["/old/travel/", "TRAVEL-1"],
        "redirect_from": "/older/",
        "eip": "20",
    }
    assert read_lineage(fields, "text") == Lineage(
        family="travel policy",
        version="2.10",
        status="Approved",
        supersedes=("travel-2024.md", "old.md"),
        superseded_by=("travel-2026.md",),
        aliases=("/old/travel/", "TRAVEL-1", "/older/", "EIP 20"),
    )


PEP = """\
PEP: 5
Title: Guidelines for Language Evolution
Author: Paul Prescod <paul@prescod.net>,
        Somebody Else
Status: Superseded
Type: Process
Created: 26-Oct-2000
Superseded-By: 387


Abstract
========

This document replaces PEP 6. Superseded-By: 999
"""

BIP = """\
<pre>
  BIP: 135
  Title: Generalized version bits voting
  Status: Closed
  Type: Informational
  Replaces: 9
</pre>

==Abstract==

Superseded-By: 999
"""

BIP_MARKDOWN = """\
```
BIP: 3
Title: Updated BIP Process
Status: Deployed
Replaces: 2
```

## Abstract

Replaces: 999
"""

RFC = """\
Internet Engineering Task Force (IETF)                  R. Fielding, Ed.
Request for Comments: 9110                                         Adobe
STD: 97                                               M. Nottingham, Ed.
Obsoletes: 2818, 7230, 7231,                                      Fastly
    7232                                                 J. Reschke, Ed.
Updates: 3864                                                 greenbytes
Category: Standards Track                                      June 2022

                             HTTP Semantics

Abstract

   This document obsoletes RFC 1.
"""

DRAFT = """\
HTTPbis Working Group                                        M. Thomson
Internet-Draft                                                  Mozilla
Obsoletes: 7540 (if approved)                                  C. Benfield
Intended status: Standards Track                             Apple Inc.
Expires: 30 April 2022                                  27 October 2021

                                 HTTP/2
"""

OEP = """\
OEP-9: User Authorization (Permissions)
#######################################

.. list-table::
   :widths: 25 75

   * - OEP
     - :doc:`OEP-9 </archived/oep-0009-bp-permissions>`
   * - Title
     - User Authorization (Permissions)
   * - Status
     - Replaced by :ref:`OEP-66 <OEP-66 User Authorization>`
   * - Replaces
     - OEP-4,
       OEP-5

Abstract
********

Replaced by OEP-999.
"""

XEP = """\
<?xml version='1.0' encoding='UTF-8'?>
<!DOCTYPE xep SYSTEM 'xep.dtd' [
  <!ENTITY % ents SYSTEM "xep.ent">
%ents;
]>
<?xml-stylesheet type='text/xsl' href='xep.xsl'?>
<xep>
<header>
  <title>A joke</title>
  <number>0457</number>
  <status>Active</status>
  <type>Humorous</type>
  <supersedes>
    <spec>XEP-0071</spec>
    <spec>XEP-0022 (in part)</spec>
  </supersedes>
  <supersededby/>
  <revision><version>0.2</version></revision>
</header>
<section1><p><supersededby>XEP-9999</supersededby></p></section1>
</xep>
"""


def test_the_header_of_a_pep() -> None:
    said = replace(read_lineage({}, PEP), hints_supersedes=())
    assert said == Lineage(status="Superseded", superseded_by=("387",), aliases=("PEP 5",))


@pytest.mark.parametrize(("text", "number", "replaces"), [(BIP, "BIP 135", "9"), (BIP_MARKDOWN, "BIP 3", "2")])
def test_the_header_of_a_bip(text: str, number: str, replaces: str) -> None:
    said = read_lineage({}, text)
    assert (said.supersedes, said.superseded_by, said.aliases) == ((replaces,), (), (number,))


def test_the_header_of_an_rfc_in_two_columns() -> None:
    said = read_lineage({}, RFC)
    assert said.supersedes == ("2818", "7230", "7231", "7232")
    assert said.aliases == ("RFC 9110",)


def test_a_draft_obsoletes_nothing_before_it_is_approved() -> None:
    said = read_lineage({}, DRAFT)
    assert said.supersedes == ()


def test_the_tables_of_an_oep() -> None:
    said = read_lineage({}, rst.to_markdown(OEP))
    assert (said.status, said.superseded_by, said.supersedes) == ("Replaced", ("OEP-66",), ("OEP-4", "OEP-5"))
    assert said.aliases == ("OEP 9",)


def test_the_elements_of_a_xep_where_a_joke_is_no_standard() -> None:
    said = read_lineage({}, XEP)
    assert said == Lineage(status="Humorous", supersedes=("XEP-0071",), aliases=("XEP 457",))


@pytest.mark.parametrize(
    "text",
    [
        "# 21. Multi-cluster\n\nDate: 2021-05-11\n\n## Status\n\n⌛️ Superseded by [036. Multi](b.md)\n\n## Context\n",
        "# A\n\n## Status\n\nAccepted\n\nSuperseded by [B](b.md)\n\n## Context\n\nx",
        "# A\n\n## Status\n\nSuperceded by [5. B](b.md)\n\n## Context\n\nx",
        "# A\n\n* Status: superseded by [ADR-0005](b.md)\n* Date: 2020-01-01\n\n## Context\n\nx",
        "# A\n\n**Status:** Replaced by [B](b.md)\n\n## Context\n\nx",
        "# A\n\nSuperseded by: [B](b.md)\n\n## Context\n\nx",
        "# A\n\n| Field | Value |\n|---|---|\n| Status | Replaced |\n| Replaced by | [B](b.md) |\n\n## Context\n\nx",
        "# A\n\n| Status | Superseded by |\n|---|---|\n| Old | [B](b.md) |\n\n## Context\n\nx",
        "A\n=\n\n:Status: Old\n:Superseded-By: b.md\n\nContext\n-------\n\nx",
        "# A\n\nSuperseded by:\n\n- x\n\n## Superseded by\n\n- [B](b.md)\n\n## Context\n\nx",
    ],
)
def test_a_decision_record_says_what_superseded_it(text: str) -> None:
    assert by(text) == ("b.md",)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("✅ Accepted (documenting an existing thing)", "Accepted"),
        ("⌛️ Superseded by [036](036.md)", "Superseded"),
        ("Accepted **June 2020 Update** The team is now", "Accepted"),
        ("❌ Rejected (see [019](019-Shared-Ingress-Controllers.md))", "Rejected"),
        ("Needs Revision", "Needs Revision"),
        ("Draft, since 2020", "Draft"),
    ],
)
def test_a_status_is_its_words_without_marks_and_remarks(status: str, said: str) -> None:
    assert read_lineage({}, f"# A\n\n## Status\n\n{status}\n\n## Context\n\nx").status == said


def test_a_status_that_says_see_names_no_successor() -> None:
    assert by("# A\n\n## Status\n\nRejected (see [019](019.md))\n\n## Context") == ()


@pytest.mark.parametrize(
    "notice",
    [
        "This document has been superseded by [B](b.md).",
        "**This policy was replaced by [the policy of 2026](b.md).** Please update your links.",
        "> **Deprecated**: see [B](b.md)",
        "> [!WARNING]\n> This page is obsolete and has been replaced by [B](b.md), which covers everything.",
        "Note: a newer version of this page is at [B](b.md).",
        "Note: newer version at [B](b.md)",
        ":warning: Superseded by [B](b.md)",
        "⚠️ **Superseded by:** [B](b.md)",
        "DEPRECATED - use [B](b.md) instead",
        "_This guide has moved to [its new place](b.md)._",
        "This version of the travel policy is superseded as of 1 March 2026 by [B](b.md).",
        "!!! warning\n    This article has been deprecated in favour of [B](b.md).",
        ".. superseded:: b.md",
    ],
)
def test_a_notice_at_the_top_says_what_takes_the_place(notice: str) -> None:
    assert by(f"# Travel policy\n\n{notice}\n\nThe text.\n\n## Scope\n\nx") == ("b.md",)


@pytest.mark.parametrize(
    "prose",
    [
        "The old scheduler has been replaced by [the new one](b.md).",
        "This document describes how A was superseded by [B](b.md).",
        "This API is deprecated in favour of [B](b.md).",
        "This policy has not been superseded by [B](b.md).",
        "This document has been partially superseded by [B](b.md).",
        "This document has been superseded by [B](b.md) in part.",
        "This page updates [B](b.md).",
        "See also [B](b.md).",
        "Our new version of the app is at [B](b.md).",
        "> **Note**: `foo` was renamed, see [B](b.md)",
    ],
)
def test_a_sentence_about_something_else_is_no_statement(prose: str) -> None:
    assert by(f"# Travel policy\n\n{prose}\n\n## Scope\n\nx") == ()
    assert of(f"# Travel policy\n\n{prose}\n\n## Scope\n\nx") == ()


def test_what_stands_below_the_first_section_is_a_hint_at_most() -> None:
    body = "# A\n\nIntro.\n\n## First\n\nThis document has been superseded by [B](b.md).\n\nSuperseded by: b.md\n"
    assert replace(read_lineage({}, body), hints_superseded_by=()) == NO_LINEAGE
    sections = "".join(f"## Part {number}\n\nx\n\n" for number in range(7))
    assert read_lineage({}, f"# A\n\n{sections}## Status\n\nSuperseded by [B](b.md)\n") == NO_LINEAGE


def test_a_fence_in_the_text_is_no_header() -> None:
    text = "# How to write a header\n\nWrite this:\n\n```yaml\nsuperseded-by: b.md\nstatus: Final\n```\n\n## More\n"
    assert by(text) == ()


def test_a_document_with_a_formal_header_speaks_by_it_alone() -> None:
    text = PEP.replace("Superseded-By: 387\n", "").replace(
        "Abstract\n", ".. note:: This PEP was superseded by PEP 999.\n\nAbstract\n"
    )
    assert by(text) == ()


def test_updates_and_amendments_replace_nothing() -> None:
    assert of("# A\n\n## Status\n\nAmends [B](b.md)\n\nUpdates [C](c.md)\n\n## Context\n\nx") == ()


def test_front_matter_counts_before_the_text_and_references_are_gathered() -> None:
    text = "# A\n\nStatus: Draft\nVersion: 1\nReplaces: [C](c.md)\n\n## Scope\n"
    said = read_lineage({"status": "Final", "replaces": "b.md"}, text)
    assert (said.status, said.version, said.supersedes) == ("Final", "1", ("b.md", "c.md"))


def test_what_the_content_system_says_counts_before_what_the_text_says() -> None:
    from_cms = Lineage(version="3", superseded_by=("17",), aliases=("old",))
    from_text = Lineage(version="2", status="Draft", superseded_by=("b.md",), aliases=("PEP 5",))
    assert merged(from_cms, from_text) == Lineage(
        version="3", status="Draft", superseded_by=("17",), aliases=("old", "PEP 5")
    )
    assert merged(NO_LINEAGE, from_text) == from_text


def test_the_head_of_a_web_page_names_its_neighbours() -> None:
    page = (
        '<html><head><link rel="successor-version" href="/v2/a"><link href="/v0/a" rel="predecessor-version">'
        '<link rel="canonical" href="/a"><meta name="description" content="replaces">'
        '<meta name="dcterms.replaces" content="/b"></head><body><main><h1>A</h1><p>Text</p></main></body></html>'
    )
    said = read_lineage(html_fields(page), "# A\n\nText")
    assert (said.superseded_by, said.supersedes) == (("/v2/a",), ("/v0/a", "/b"))


@pytest.mark.parametrize(
    ("media_type", "body"),
    [
        ("text/markdown", "---\nsuperseded_by: b.md\n---\n# A\n\nText"),
        ("text/x-rst", PEP.replace("387", "b.md")),
        ("text/plain", BIP.replace("Replaces: 9", "Superseded-By: b.md")),
        ("text/html", '<html><head><link rel="successor-version" href="b.md"></head><body><p>Text</p></body></html>'),
        ("text/html", "<main><h1>A</h1><p><strong>Superseded by</strong> <a href='b.md'>B</a></p><p>Text</p></main>"),
    ],
)
def test_extraction_reads_it_from_every_format(media_type: str, body: str) -> None:
    fetched = FetchedDocument(DocumentKey("docs", "a"), "1", body.encode(), media_type, "https://example.org/a", NOON)
    said = extract(fetched).lineage
    # the addresses of links are not part of a web page's text
    assert said.superseded_by in (("b.md",), ("B",))


@given(
    st.dictionaries(st.sampled_from(["status", "replaces", "Superseded-By", "aliases", "PEP"]), st.text()), st.text()
)
def test_no_text_makes_reading_fail(fields: dict[str, object], text: str) -> None:
    said = read_lineage(fields, text)
    assert all(each.strip() for each in (*said.supersedes, *said.superseded_by))


@pytest.mark.parametrize(
    "part",
    ["[", " ", "| a ", "<a href='x'>", "Superseded by ", "This document of ", "http://a(", ":pep:`", "> ", "```\nx\n"],
)
def test_no_text_makes_reading_slow(part: str) -> None:
    text = part * 100_000
    started = time.process_time()
    read_lineage({"status": text, "replaces": text, "superseded_by": [text, text]}, f"# A\n\n## Status\n\n{text}")
    html_fields(f"<link {text}")
    assert time.process_time() - started < 5


def test_a_line_of_a_letter_and_blanks_is_read_in_no_time() -> None:
    started = time.process_time()
    read_lineage({}, "# A\n\nStatus" + " " * 100_000)
    assert time.process_time() - started < 1
