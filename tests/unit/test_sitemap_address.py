"""One page, one id: how addresses are spelled, which are pages of the site, and what robots.txt lets us read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from include.connectors.sitemap_address import Site, normal_form
from include.connectors.sitemap_robots import Robots

SAME = [
    "https://example.org/a%20b/?p=1",
    "HTTPS://Example.ORG:443/a b/?p=1",
    "https://user:secret@example.org/a%20b/?utm_source=x&p=1&utm_medium=y",
    " https://example.org/x/../a%20b/?p=1#top\n",
    "https://example.org/./a%20b/;jsessionid=AB12?p=1&gclid=z",
    "https://example.org./a%20b/?&p=1&",
]


@pytest.mark.parametrize("address", SAME)
def test_spellings_of_one_address_are_one_id(address: str) -> None:
    assert normal_form(address) == SAME[0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://e.org/a", "https://e.org/a/"),
        ("https://e.org/a", "https://e.org/A"),
        ("https://e.org/a?x=1", "https://e.org/a?x=2"),
        ("https://e.org/a%2Fb", "https://e.org/a/b"),
        ("https://e.org/a%3Fb", "https://e.org/a?b"),
        ("https://e.org/a?x=1&y=2", "https://e.org/a?y=2&x=1"),
        ("https://e.org/a+b", "https://e.org/a%20b"),
        ("https://e.org/a%25b", "https://e.org/a%b0"),
    ],
)
def test_what_may_be_two_pages_stays_two(one: str, other: str) -> None:
    assert normal_form(one) != normal_form(other)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://bücher.example/ü?q=ö", "https://xn--bcher-kva.example/%C3%BC?q=%C3%B6"),
        ("https://xn--bcher-kva.example/%c3%bc?q=%C3%B6", "https://xn--bcher-kva.example/%C3%BC?q=%C3%B6"),
        ("https://straße.example", "https://xn--strae-oqa.example/"),
        ("https://e.org/%7Euser/100%", "https://e.org/~user/100%25"),
        ("http://[::1]:8080/x", "http://[::1]:8080/x"),
        ("https://e.org/a/../../b", "https://e.org/b"),
        ("https://e.org/a/b/..", "https://e.org/a/"),
        ("https://e.org//a", "https://e.org//a"),
    ],
)
def test_characters_are_written_one_way(address: str, expected: str) -> None:
    assert normal_form(address) == expected


@pytest.mark.parametrize(
    "address", ["", "  ", "mailto:a@e.org", "javascript:void(0)", "https://", "ftp://e.org/a", "https://e.org:x/"]
)
def test_what_is_no_address_is_an_error_that_says_so(address: str) -> None:
    with pytest.raises(ValueError):
        normal_form(address)


@given(st.text(max_size=30), st.text(max_size=20), st.booleans())
def test_the_one_spelling_is_its_own(path: str, query: str, has_query: bool) -> None:
    address = f"https://e.org/{path}" + (f"?{query}" if has_query else "")
    try:
        first = normal_form(address)
    except ValueError:
        return
    assert normal_form(first) == first
    assert first.isascii()
    assert "#" not in first


def test_www_and_scheme_are_one_site_and_other_hosts_are_not() -> None:
    site = Site.of("https://www.example.org/start", ())
    assert site.doc_id("http://example.org/a") == site.doc_id("/a") == "https://www.example.org/a"
    assert site.doc_id("https://blog.example.org/a") is None
    assert site.doc_id("https://example.org.evil.example/a") is None
    named = Site.of("https://example.org", ("help.example.org",))
    assert named.doc_id("https://help.example.org/a") == "https://example.org/a"
    assert named.doc_id("https://www.example.org/a") is None


def test_globs_choose_pages_by_path_and_query_or_by_the_whole_address() -> None:
    site = Site.of("https://e.org", (), ("/help/*", "https://e.org/faq"), ("*.pdf", "*?print=*"))
    chosen = ["/help/a/b", "/faq", "/help/a.pdf", "/help/a?print=1", "/blog/a"]
    assert [site.covers(f"https://e.org{path}") for path in chosen] == [True, True, False, False, False]
    assert site.page("https://e.org/blog/a") is None
    assert site.page("mailto:a@b") is None


ROBOTS = """\ufeff# a comment
User-agent: *
Disallow: /          # everybody else

User-agent: OtherBot
User-Agent: TrueCopy/1.0
Crawl-delay: 2.5
Disallow: /private
Allow: /private/open
Disallow: /*.pdf$
Disallow: /search?q=
Disallow: /caf%C3%A9
Disallow:

Sitemap: https://e.org/one.xml
sitemap: /two.xml
"""


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/", True),
        ("/private", False),
        ("/privateer", False),
        ("/private/open/a", True),
        ("/a/b.pdf", False),
        ("/a/b.pdf?x", True),
        ("/search?q=x", False),
        ("/search", True),
        ("/caf%C3%A9/x", False),
    ],
)
def test_robots_rules_are_those_of_our_group_and_the_longest_wins(path: str, allowed: bool) -> None:
    assert Robots.parse(ROBOTS, "truecopy").allows(f"https://e.org{path}") is allowed


def test_robots_without_a_group_of_ours_means_that_of_everybody() -> None:
    robots = Robots.parse(ROBOTS.replace("TrueCopy", "x"), "truecopy")
    assert not robots.allows("https://e.org/a")
    assert robots.crawl_delay == 0
    assert Robots.parse(ROBOTS, "truecopy").crawl_delay == 2.5
    assert robots.sitemaps == ("https://e.org/one.xml", "/two.xml")
    assert Robots.parse("", "truecopy").allows("https://e.org/a")


def test_a_hostile_robots_pattern_takes_no_time() -> None:
    robots = Robots.parse("User-agent: *\nDisallow: /" + "*a" * 2000 + "$", "truecopy")
    assert robots.allows("https://e.org/" + "a" * 1500 + "b")
