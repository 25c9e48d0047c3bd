"""What one page says: its main part, its version, and the signs that it is not for everybody or not itself."""

from __future__ import annotations

import time
from typing import Any

import pytest

from include.connectors.sitemap_absence import Absence
from include.connectors.sitemap_options import SitemapOptions
from include.connectors.sitemap_page import Page, read_page
from include.connectors.sitemap_signs import instant
from include.text.html import to_markdown
from tests.unit.test_text_normalise import PAGE

ADDRESS = "https://e.org/help/refunds"
MENU = "".join(f'<li><a href="/m{number}">Menu entry number {number}</a></li>' for number in range(30))
TEXT = (
    "<h2>Refunds</h2><p>Customers may send back what they bought within 30 days, whatever the reason may be, and get "
    "their money back.</p><pre>x  = 1\n  y</pre><table><tr><td>Fee</td><td>none</td></tr></table>"
    "<p>Send the form to the address below; we answer within two working days at the latest.</p>"
)


def page(html: str, headers: dict[str, str] | None = None, **options: Any) -> Page:
    return read_page(html.encode(), headers or {}, ADDRESS, SitemapOptions(url="https://e.org", **options))


def whole(head: str = "", main: str = TEXT, around: str = "", nonce: str = "1") -> str:
    return (
        f'<!doctype html><html lang="en"><head><title>Refunds | Shop</title>{head}<script nonce="{nonce}">n</script>'
        f'</head><body class="b{nonce}"><nav>{MENU}</nav>{around}<main data-n="{nonce}">{main}</main>'
        f"<footer>{nonce} visitors</footer></body></html>"
    )


def markdown(found: Page) -> str:
    return to_markdown(found.document().decode())[0]


@pytest.mark.parametrize(
    "html",
    [
        PAGE.format(nonce="n", main="main"),
        "<html><body><main></main><div id=app>The text</div></body></html>",
        "<html><body><main><nav>The text</nav></main></body></html>",
        "<html><body><article>A long teaser</article><article>Teaser</article><p>The text</p></body></html>",
        "<html><body>" + "<div>" * 3000 + "The text" + "</div>" * 3000 + "</body></html>",
        "<html><head><title>T</title></head><body><h1>H</h1><div role=main><p>The text</p><footer>F</footer></div>",
        "<html><body><form><p>The text</p></form></body></html>",
    ],
    ids=range(7),
)
def test_what_is_handed_on_becomes_the_text_and_title_of_the_whole_page(html: str) -> None:
    assert to_markdown(page(html).document().decode()) == to_markdown(html)


def test_the_version_is_deaf_to_everything_around_the_main_text() -> None:
    before = page(whole())
    for noisy in (
        whole(nonce="2"),
        whole(around="<div class='cookie-banner'>We use cookies</div><aside>New: sale!</aside>"),
        whole(main=TEXT.replace("<p>", "<p class=x style='color:red'>").replace("Refunds", "<span>Refunds</span>")),
        whole(main=TEXT.replace("Customers may send", "Customers\n   may send")),
        whole(main="<!-- built at 12:04 -->" + TEXT.replace("30 days", '<a href="/x">30 days</a>')),
        whole(head='<meta property="article:modified_time" content="2024-05-01">'),
    ):
        assert page(noisy).version == before.version
        assert markdown(page(noisy)) == markdown(before)


def test_the_version_hears_every_change_of_text_structure_title_language_and_date() -> None:
    changed = [
        whole(),
        whole(main=TEXT.replace("30 days", "60 days")),
        whole(main=TEXT.replace("h2", "h3")),
        whole(main=TEXT.replace("x  = 1", "x = 1")),
        whole(main=TEXT.replace("td>none", "td colspan=2>none")),
        whole(main=TEXT + '<img src="a.png" alt="The form">'),
        whole().replace("Refunds | Shop", "Returns | Shop"),
        whole().replace('lang="en"', 'lang="de"'),
        whole(head='<meta property="article:published_time" content="2024-05-01">'),
        whole(head='<meta name="robots" content="unavailable_after: 2030-01-01">'),
    ]
    assert len({page(html).version for html in changed}) == len(changed)


def test_an_unmarked_template_is_narrowed_to_its_text_and_loses_no_heading_table_or_code() -> None:
    menu, foot = f"<div><ul>{MENU}</ul></div>", "<div>© Shop</div>"
    html = f"<html><head><title>T</title></head><body>{menu}<div><div>{TEXT}</div></div>{foot}</body></html>"
    text = markdown(page(html))
    assert "Menu entry" not in text
    for kept in ("## Refunds", "x  = 1\n  y", "| Fee | none |", "two working days at the latest."):
        assert kept in text


def test_a_second_part_with_prose_of_its_own_keeps_the_whole_page() -> None:
    """The extractor sees one article; what stands beside it says something too."""
    prose = "Wholesale customers have other rights, which are written down here in full. " * 4
    second = f"<div class=related><p>{prose}</p></div>"
    html = f"<html><body><div><ul>{MENU}</ul></div><div>{TEXT * 5}</div>{second}</body></html>"
    assert "Wholesale customers" in markdown(page(html))


def test_the_content_selector_wins_and_a_page_without_it_is_unreadable() -> None:
    html = whole(main="<div class=real><p>Real text</p></div><div class=real><p>More</p></div><p>Related</p>")
    assert markdown(page(html, content="div.real")).split() == ["Real", "text", "More"]
    with pytest.raises(ValueError, match=r"holds nothing at `\.gone`"):
        page(html, content=".gone")


def test_dropped_selectors_change_neither_text_nor_version() -> None:
    counted = [whole(main=TEXT + f'<p class="views">{count} views</p>') for count in (1, 2)]
    assert page(counted[0]).version != page(counted[1]).version
    dropped = [page(html, drop=(".views",)) for html in counted]
    assert dropped[0].version == dropped[1].version
    assert "views" not in dropped[0].text


@pytest.mark.parametrize(
    ("head", "headers", "hidden"),
    [
        ('<meta name="robots" content="index, follow">', {}, False),
        ('<meta name="ROBOTS" content="NOINDEX">', {}, True),
        ('<meta name="robots" content="nofollow,noindex">', {}, True),
        ('<meta name="googlebot" content="none">', {}, True),
        ('<meta name="otherbot" content="noindex">', {}, False),
        ("", {"x-robots-tag": "noindex"}, True),
        ("", {"x-robots-tag": "nofollow, NONE"}, True),
        ("", {"x-robots-tag": "otherbot: noindex, nofollow"}, False),
        ("", {"x-robots-tag": "otherbot: nofollow, googlebot: noindex"}, True),
        ("", {"x-robots-tag": "unavailable_after: 25 Jun 2010 15:00:00 GMT, noarchive"}, False),
        ("", {"x-robots-tag": "max-snippet:-1, noindex"}, True),
        ("", {"x-robots-tag": "max-image-preview: large, unavailable_after: 2030-01-01, noindex"}, True),
        ("", {"x-robots-tag": "otherbot: max-snippet: 5, noindex"}, False),
        ("", {"x-robots-tag": "max-image-preview: none"}, False),
        ('<meta name="robots" content="max-image-preview: none, follow">', {}, False),
        ('<meta name="robots" content="max-snippet: 20 noindex">', {}, True),
        ('<meta name="description" content="noindex">', {}, False),
    ],
)
def test_noindex_in_any_of_its_forms(head: str, headers: dict[str, str], hidden: bool) -> None:
    assert bool(page(whole(head), headers).signs.hidden) is hidden


@pytest.mark.parametrize(
    "text", ["2010-06-25T15:00:00Z", "Fri, 25 Jun 2010 15:00:00 GMT", "25 Jun 2010 15:00:00 GMT", "2010-06-25 15:00"]
)
def test_an_expiry_is_read_in_the_forms_it_is_written_in(text: str) -> None:
    signs = page(whole(f'<meta name="robots" content="noarchive, unavailable_after: {text}">')).signs
    moment = instant(signs.expires)
    assert moment is not None
    assert moment.isoformat() == "2010-06-25T15:00:00+00:00"


@pytest.mark.parametrize(
    ("head", "canonical"),
    [
        ('<link rel="canonical" href="https://e.org/c">', "https://e.org/c"),
        ('<link href="/c" rel="CANONICAL">', "https://e.org/c"),
        ('<base href="/other/"><link rel="canonical" href="c">', "https://e.org/other/c"),
        ('<link rel="canonical" href="/a"><link rel="canonical" href="/b">', ""),
        ('<link rel="canonical" href="">', ""),
        ('<link rel="alternate canonical" href="/c">', "https://e.org/c"),
        ("", ""),
    ],
)
def test_the_canonical_address_is_that_of_the_head(head: str, canonical: str) -> None:
    assert page(whole(head)).signs.canonical == canonical
    in_body = whole(main=f'{TEXT}<link rel="canonical" href="/elsewhere">')
    assert page(in_body).signs.canonical == ""


def test_a_canonical_link_and_a_refresh_may_stand_in_the_headers() -> None:
    signs = page(whole(), {"link": '</s.css>; rel="preload", </c>; rel="canonical"', "refresh": "0; url=/next"}).signs
    assert (signs.canonical, signs.leads_to) == ("https://e.org/c", "https://e.org/next")


@pytest.mark.parametrize(
    ("content", "leads_to"),
    [("0; url=/new", "/new"), ("0;URL='/new'", "/new"), ("5;/new", "/new"), ("300; url=/new", ""), ("60", "")],
)
def test_a_refresh_at_once_is_a_redirect_and_a_reload_is_not(content: str, leads_to: str) -> None:
    found = page(whole(f'<meta http-equiv="Refresh" content="{content}">')).signs.leads_to
    assert found == (f"https://e.org{leads_to}" if leads_to else "")


def test_a_refresh_for_readers_without_scripts_counts_where_the_canonical_link_says_the_same() -> None:
    refresh = '<noscript><meta http-equiv="refresh" content="0; url=/new"></noscript>'
    assert page(whole(refresh)).signs.leads_to == ""
    assert page(whole(f'{refresh}<link rel="canonical" href="/help/refunds">')).signs.leads_to == ""
    assert page(whole(f'{refresh}<link rel="canonical" href="/new">')).signs.leads_to == "https://e.org/new"


def test_a_password_field_counts_in_the_page_and_not_in_its_header() -> None:
    field = '<form><input type="Password"></form>'
    assert page(whole(main=f"<p>Protected.</p>{field}")).signs.asks_password
    assert not page(whole(around=f"<header>{field}</header>")).signs.asks_password


DATES = [
    ('<meta property="article:published_time" content="2024-01-02">', "2024-01-02", "meta article:published_time"),
    ('<script type="application/ld+json">{"@type": "Article", "datePublished": "2024-01-02"}</script>',
     "2024-01-02", "JSON-LD datePublished"),
    ('<script type="application/ld+json">{"@graph": [{"@type": "Comment", "datePublished": "2025-01-01"},'
     '{"@type": ["WebPage"], "datePublished": "2024-01-02"}]}</script>', "2024-01-02", "JSON-LD datePublished"),
    ('<script type="application/ld+json">{broken</script>', "", ""),
    ('<script type="application/ld+json">[[[]]]</script>', "", ""),
    ("", "", ""),
]  # fmt: skip


@pytest.mark.parametrize(("head", "value", "where"), DATES)
def test_the_day_of_publication_comes_with_the_place_it_was_read_from(head: str, value: str, where: str) -> None:
    assert page(whole(head), {"last-modified": "Fri, 25 Jun 2010 15:00:00 GMT"}).signs.published == (value, where)


def test_the_language_is_the_documents_then_the_headers_then_that_of_its_own_alternate() -> None:
    bare = whole().replace(' lang="en"', "")
    assert page(whole(), {"content-language": "fr"}).lang == "en"
    assert page(bare.replace("<html", '<html xml:lang="pt_BR"')).lang == "pt-BR"
    assert page(bare, {"content-language": "fr"}).lang == "fr"
    assert page(bare, {"content-language": "fr, de"}).lang == ""
    alternates = (
        '<link rel="alternate" hreflang="x-default" href="/"><link rel="alternate" hreflang="de" href="/de">'
        f'<link rel="alternate" hreflang="es" href="{ADDRESS}">'
    )
    assert page(bare.replace("<head>", f"<head>{alternates}")).lang == "es"


def test_encodings_of_header_meta_and_none_are_read_as_for_any_page() -> None:
    html = whole(main="<p>Größe für fünf</p>")
    options = SitemapOptions(url="https://e.org")
    for body, headers in (
        (html.encode("latin-1"), {"content-type": "text/html; charset=ISO-8859-1"}),
        (html.encode("utf-8"), {"content-type": "text/html"}),
        (html.encode("utf-16"), {}),
    ):
        assert "Größe für fünf" in read_page(body, headers, ADDRESS, options).text
    with pytest.raises(ValueError, match="PDF"):
        read_page(b"%PDF-1.7 ...", {}, ADDRESS, options)


def test_pages_without_text_and_hostile_pages_do_not_break_the_reader() -> None:
    assert page("<html><body><div id=root></div><script>app()</script></body></html>").text == ""
    assert page("").text == ""
    assert "deep" in page("<html><body>" + "<div>" * 5000 + "deep" + "</body></html>").text


def test_a_page_of_ill_written_tags_takes_no_time() -> None:
    started = time.process_time()
    assert page("<html><body><main>" + "<pre" * 20_000 + "</main></body></html>").text == ""
    assert time.process_time() - started < 5


def test_titles_that_say_not_found_count_on_short_pages_of_sites_that_hide_their_404() -> None:
    unsure = Absence()
    german, french = "Seite nicht gefunden – Shop", "Page introuvable"
    english = ("404", "Error 404 - Not Found", "Page not found | Shop", "404: This page could not be found.")
    for title in (*english, "The article is no longer available", german, french):
        short = page(whole(main="<p>Sorry.</p>").replace("Refunds | Shop", title))
        assert unsure.of_page(short, ADDRESS), title
        assert not Absence(is_honest=True).of_page(short, ADDRESS)
    for title in ("Printer not found", "404 errors and how to mend them", "Why is my page not found by Google?"):
        about_it = page(whole(main="<p>Turn it off and on.</p>").replace("Refunds | Shop", title))
        assert not unsure.of_page(about_it, ADDRESS), title
    long = page(whole(main=TEXT * 4).replace("Refunds | Shop", "What to do when a page is not found"))
    assert not unsure.of_page(long, ADDRESS)
    assert not unsure.of_page(page(whole()), ADDRESS)
