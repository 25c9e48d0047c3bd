"""Sitemap files: what is read from each form, and what is never taken for a shorter list."""

from __future__ import annotations

import gzip

import pytest

from include.connectors.sitemap_files import MOST_ENTRIES, Entry, parse_sitemap

NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
TWO = [Entry("https://e.org/a?x=1&y=2", "2024-05-01"), Entry("https://e.org/b")]


def urlset(rows: str, extra: str = "") -> bytes:
    return f'<?xml version="1.0" encoding="UTF-8"?><urlset {NAMESPACE} {extra}>{rows}</urlset>'.encode()


PLAIN = urlset(
    "<url><loc>https://e.org/a?x=1&amp;y=2</loc><lastmod> 2024-05-01 </lastmod></url><url><loc>https://e.org/b</loc></url>"
)
FORMS = {
    "plain": PLAIN,
    "packed": gzip.compress(PLAIN),
    "packed in two members": gzip.compress(PLAIN[:100]) + gzip.compress(PLAIN[100:]),
    "BOM": b"\xef\xbb\xbf" + PLAIN,
    "UTF-16": PLAIN.decode().replace("UTF-8", "UTF-16").encode("utf-16"),
    "blank lines in front": b"\n\n  " + PLAIN,
    "style sheet, comments": PLAIN.replace(b"?><", b'?><?xml-stylesheet href="a.xsl"?><!-- by a plugin --><'),
    "no namespace": PLAIN.replace(NAMESPACE.encode(), b""),
    "another namespace": PLAIN.replace(b"sitemaps.org", b"google.com"),
    "a prefix": PLAIN.replace(b"xmlns=", b"xmlns:s=").replace(b"</", b"</s:").replace(b"<url", b"<s:url")
    .replace(b"<loc", b"<s:loc").replace(b"<lastmod", b"<s:lastmod"),
    "entries of another namespace": PLAIN.replace(b"<url>", b'<url xmlns="">'),
    "CDATA": PLAIN.replace(b"https://e.org/a?x=1&amp;y=2", b"<![CDATA[https://e.org/a?x=1&y=2]]>"),
    "images": PLAIN.replace(NAMESPACE.encode(), NAMESPACE.encode() + b' xmlns:image="http://www.google.com/i"').replace(
        b"<url>", b"<url><image:image><image:loc>https://e.org/i.png</image:loc></image:image>"
    ),
    "alternates": PLAIN.replace(NAMESPACE.encode(), NAMESPACE.encode() + b' xmlns:xhtml="http://www.w3.org/1999/xhtml"')
    .replace(b"</url>", b'<xhtml:link rel="alternate" hreflang="de" href="https://e.org/de/a"/></url>'),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_sitemap_lists_the_same(form: str) -> None:
    found = parse_sitemap(FORMS[form])
    assert list(found.entries) == TWO
    assert not found.is_index
    assert not found.rejected


def test_an_index_and_a_plain_text_file_are_told_by_what_they_hold() -> None:
    index = f"<sitemapindex {NAMESPACE}><sitemap><loc>https://e.org/s1.xml.gz</loc></sitemap></sitemapindex>"
    assert parse_sitemap(index.encode()).is_index
    text = b"\xef\xbb\xbfhttps://e.org/a\r\n\r\nhttps://e.org/b\n"
    assert [entry.location for entry in parse_sitemap(text).entries] == ["https://e.org/a", "https://e.org/b"]


def test_entries_without_a_location_are_counted_and_not_lost() -> None:
    found = parse_sitemap(urlset("<url><loc>https://e.org/a</loc></url><url><loc> </loc></url><url/>"))
    assert [entry.location for entry in found.entries] == ["https://e.org/a"]
    assert found.rejected == (2, 3)


LAUGHS = '<!DOCTYPE l [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
BROKEN = {
    "cut in an element": (PLAIN[:-30], "breaks off"),
    "cut between entries": (PLAIN[: PLAIN.index(b"</url>") + 6], "breaks off"),
    "cut packed": (gzip.compress(PLAIN)[:-9], "breaks off"),
    "packed, then something": (gzip.compress(PLAIN) + b"<html>", "followed by"),
    "no gzip after all": (b"\x1f\x8b" + b"x" * 50, "cannot be unpacked"),
    "bomb": (gzip.compress(b"<urlset>" + b" " * 230_000_000), "unpacks to more than"),
    "billion laughs": (PLAIN.replace(b"?><", f"?>{LAUGHS}<".encode()).replace(b"org/b", b"org/&b;"), "entities"),
    "outer entity": (PLAIN.replace(b"?><", b'?><!DOCTYPE l [<!ENTITY b SYSTEM "file:///etc/passwd">]><'), "entities"),
    "empty": (b"", "is empty"),
    "packed nothing": (gzip.compress(b""), "empty once unpacked"),
    "no entries": (urlset(""), "an empty list proves nothing"),
    "HTML": (b"<!doctype html><html><body><p>Back soon<br></body></html>", "is HTML (a login"),
    "XHTML": (b"<html xmlns='http://www.w3.org/1999/xhtml'><body/></html>", "single-page application?"),
    "a feed": (b"<rss version='2.0'><channel/></rss>", "feeds are not read"),
    "an error in XML": (b"<error>no</error>", "its root is <error>"),
    "JSON": (b'{"urls": []}', "neither XML nor a list of addresses: line 1"),
    "text with a notice": (b"https://e.org/a\nToo many requests", "line 2"),
    "a notice before XML": (b"Warning: mysql\n" + PLAIN, "line 1"),
    "a notice after XML": (PLAIN + b"<br>Warning", "broken"),
    "bytes": (b"\xff\xd8\xff\xe0" * 30, "neither XML nor"),
    "unknown encoding": (PLAIN.replace(b"UTF-8", b"x-none"), "XML"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_not_a_whole_sitemap_is_an_error_and_never_a_shorter_list(case: str) -> None:
    body, words = BROKEN[case]
    with pytest.raises(ValueError, match=words.replace("(", r"\(").replace("?", r"\?")):
        parse_sitemap(body)


def test_more_than_the_protocol_allows_is_read_and_noted() -> None:
    rows = "".join(f"<url><loc>https://e.org/{number}</loc></url>" for number in range(MOST_ENTRIES + 1))
    found = parse_sitemap(urlset(rows))
    assert len(found.entries) == MOST_ENTRIES + 1
    assert found.notes == (f"{MOST_ENTRIES + 1} entries, the protocol allows {MOST_ENTRIES}",)


@pytest.mark.parametrize("length", range(40, len(PLAIN), 7))
def test_no_prefix_of_a_sitemap_is_a_sitemap(length: int) -> None:
    with pytest.raises(ValueError):
        parse_sitemap(PLAIN[:length])
