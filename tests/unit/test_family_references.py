"""From what documents write to documents of the same source: found by what is surest, or missing, never guessed."""

from __future__ import annotations

import pytest

from include.families.members import Member
from include.families.references import References
from tests.family_members import member

REGISTER = [
    member(
        "peps/pep-0005.rst",
        "Guidelines for Language Evolution",
        aliases=["PEP 5"],
        url="https://peps.example/pep-0005/",
    ),
    member(
        "peps/pep-0387.rst", "Backwards Compatibility Policy", aliases=["PEP 387"], url="https://peps.example/pep-0387/"
    ),
    member("xeps/xep-0387.xml", "XMPP Compliance Suites 2018", aliases=["XEP 387"]),
    member("oeps/oep-0066-bp-authorization.rst", "OEP-66: User Authorization"),
    member("adr/021-Multi-cluster.md", "21. Multi-cluster"),
    member("adr/036-multi-cluster.md", "36. Multi-cluster"),
    member("teams/a/adr-0012.md", "Use queues"),
    member("teams/b/adr-0012.md", "Use topics"),
    member("teams/b/adr-0013.md", "Use streams"),
    member("docs/v1/install.md", "Install", url="https://docs.example/v1/install/"),
    member("docs/v2/install.md", "Install", url="https://docs.example/v2/install/"),
    member("docs/guide/index.md", "Guide", url="https://docs.example/guide/", aliases=["/handbook/", "/help"]),
    member("docs/travel.md", "Travel, leave & expenses", url="https://docs.example/travel.html?id=7"),
    member("17", "A page of a CMS"),
]


def find(reference: str, within: str) -> str | None:
    by_id = {each.key.doc_id: each for each in REGISTER}
    return References(REGISTER).find(reference, by_id[within]).doc_id


@pytest.mark.parametrize(
    ("reference", "within", "target"),
    [
        ("387", "peps/pep-0005.rst", "peps/pep-0387.rst"),
        ("387", "xeps/xep-0387.xml", "xeps/xep-0387.xml"),
        ("#387", "peps/pep-0005.rst", "peps/pep-0387.rst"),
        ("PEP 387", "adr/021-Multi-cluster.md", "peps/pep-0387.rst"),
        ("pep-0387", "adr/021-Multi-cluster.md", "peps/pep-0387.rst"),
        ("PEP-387", "17", "peps/pep-0387.rst"),
        ("XEP-0387", "peps/pep-0005.rst", "xeps/xep-0387.xml"),
        ("OEP-66", "17", "oeps/oep-0066-bp-authorization.rst"),
        ("OEP 0066", "17", "oeps/oep-0066-bp-authorization.rst"),
        ("036-multi-cluster.md", "adr/021-Multi-cluster.md", "adr/036-multi-cluster.md"),
        ("./036-multi-cluster.md#status", "adr/021-Multi-cluster.md", "adr/036-multi-cluster.md"),
        ("036-multi-cluster", "adr/021-Multi-cluster.md", "adr/036-multi-cluster.md"),
        ("36", "adr/021-Multi-cluster.md", "adr/036-multi-cluster.md"),
        ("ADR 36", "adr/021-Multi-cluster.md", "adr/036-multi-cluster.md"),
        ("ADR-0036", "adr/021-Multi-cluster.md", "adr/036-multi-cluster.md"),
        ("36. Multi-cluster", "17", "adr/036-multi-cluster.md"),
        ("ADR 12", "teams/b/adr-0013.md", "teams/b/adr-0012.md"),
        ("../v2/install.md", "docs/v1/install.md", "docs/v2/install.md"),
        ("../v2/install/", "docs/v1/install.md", "docs/v2/install.md"),
        ("/v2/install", "docs/v1/install.md", "docs/v2/install.md"),
        ("https://docs.example/v2/install", "17", "docs/v2/install.md"),
        ("http://www.docs.example/v2/install/index.html#top", "17", "docs/v2/install.md"),
        ("https://docs.example/travel?id=7", "17", "docs/travel.md"),
        ("docs/v2/install.md", "docs/v1/install.md", "docs/v2/install.md"),
        ("guide/", "docs/travel.md", "docs/guide/index.md"),
        ("/handbook", "17", "docs/guide/index.md"),
        ("https://docs.example/help/", "17", "docs/guide/index.md"),
        ("travel, leave &  Expenses", "17", "docs/travel.md"),
        ("17", "17", "17"),
        ("17", "docs/travel.md", "17"),
    ],
)
def test_a_reference_means_one_document(reference: str, within: str, target: str) -> None:
    assert find(reference, within) == target


@pytest.mark.parametrize(
    ("reference", "within"),
    [
        ("388", "peps/pep-0005.rst"),
        ("RFC 387", "peps/pep-0005.rst"),
        ("387", "17"),
        ("ADR 36", "peps/pep-0005.rst"),
        ("ADR 12", "17"),
        ("Install", "17"),
        ("Multi-cluster", "adr/021-Multi-cluster.md"),
        ("v3/install.md", "docs/v1/install.md"),
        ("https://elsewhere.example/v2/install/", "docs/v1/install.md"),
        ("https://docs.example/travel?id=8", "17"),
        ("036-MULTI-CLUSTER.md", "adr/021-Multi-cluster.md"),
        ("http://[broken", "17"),
        ("", "17"),
    ],
)
def test_what_fits_nothing_or_two_is_missing(reference: str, within: str) -> None:
    assert find(reference, within) is None


def test_of_two_that_fit_both_are_told() -> None:
    target = References(REGISTER).find("Install", REGISTER[-1])
    assert target.why == "'Install' fits 2 documents: docs/v1/install.md, docs/v2/install.md"


def test_the_nearest_reading_counts_before_a_farther_one() -> None:
    here: list[Member] = [
        member("a/old.md"),
        member("a/new.md"),
        member("new.md", aliases=["new"]),
        member("b.md", "new.md"),
    ]
    assert References(here).find("new.md", here[0]).doc_id == "a/new.md"
