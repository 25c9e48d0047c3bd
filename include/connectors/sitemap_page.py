"""What one HTML page says: its text and title, what it says about itself, and the version made of both. Pure.

Where the template marks no main part, trafilatura finds the text; what is taken is the container of the page that
holds it, so that headings, tables and code come along, and only menus and small print are left out.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from include.connectors.sitemap_options import SitemapOptions
from include.connectors.sitemap_signs import Signs, read_signs
from include.text.encoding import decode, normalise
from include.text.html import main_part, outermost

_DIGEST_VERSION = 1  # raise it when the same page must get another version; every page is read again then
_CONTAINERS = frozenset({"div", "section", "article", "main", "center", "form", "table", "tbody", "tr", "td"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_SMALL_PRINT = 200  # characters outside of links
_FOUND = 0.97  # of the words that trafilatura found must be in the element
_TELLING = frozenset({"alt", "start", "colspan"})  # attributes that show in the text
_INLINE = ["span", "a", "font"]  # may come and go without the text changing
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_PRE = re.compile(r"(<pre[ >](?:(?!</?pre).)*</pre>)", re.DOTALL)  # stops at the next one: read once, however many


@dataclass(frozen=True, slots=True)
class Page:
    """One page as it was delivered. `part` is its main part as HTML, `text` the words of it on one line.

    `version` covers everything a document is made of but the dates of its last change: many generators move those with
    every build, and a change of the text moves the version anyway. `text_hash` covers the words alone.
    """

    part: str
    text: str
    title: str
    lang: str
    signs: Signs
    version: str
    text_hash: str

    def document(self) -> bytes:
        """The page reduced to title and main part, as HTML in UTF-8."""
        lang = f' lang="{html.escape(self.lang)}"' if self.lang else ""
        head = f'<meta charset="utf-8"><title>{html.escape(self.title)}</title>'
        return f"<!doctype html><html{lang}><head>{head}</head><body><main>{self.part}</main></body></html>".encode()


def read_page(body: bytes, headers: Mapping[str, str], address: str, options: SitemapOptions) -> Page:
    """`headers` by lower-case name. Raises ValueError, saying what was found, for what cannot be read as a page."""
    charset = re.search(r"charset\s*=\s*[\"']?([\w.:-]+)", headers.get("content-type", ""), re.IGNORECASE)
    text = decode(body, declared=charset[1] if charset else None, html=True)
    tree = LexborHTMLParser(text)
    signs = read_signs(tree, headers, address)
    if options.drop:
        for node in tree.css(", ".join(options.drop)):
            node.remove()
        text = tree.html or ""
    found = main_part(text)
    part = found.html
    if options.content:
        chosen = [node.html or "" for node in outermost(tree.css(options.content))]
        if not chosen:
            raise ValueError(f"holds nothing at `{options.content}` (option content); has the template changed?")
        part = main_part("\n".join(chosen)).html
    elif not found.is_marked:
        part = _narrowed(part, text)
    title = " ".join((found.title or "").split())
    words = _words(part)
    facts = [_DIGEST_VERSION, _structure(part), title, signs.lang, signs.published, signs.expires]
    digest = hashlib.sha256(json.dumps(facts, ensure_ascii=True).encode()).hexdigest()[:32]
    return Page(part, words, title, signs.lang, signs, digest, hashlib.sha256(words.encode()).hexdigest()[:32])


def _narrowed(part: str, page: str) -> str:
    """The smallest container of an unmarked page that holds what trafilatura takes for its text. What is left outside
    of it holds hardly any words that are no links; otherwise it may be text, and the container stays wider."""
    import trafilatura  # on first use: most sites never need it

    try:
        found = trafilatura.extract(page, include_comments=False) or ""
    except Exception:  # noqa: BLE001 - a foreign parser's failure is no reason to lose the page
        return part
    node = LexborHTMLParser(part).body
    wanted = Counter(word for word in found.split() if any(map(str.isalnum, word)))
    while node is not None and wanted:
        children = list(node.iter())
        inner = next((child for child in children if child.tag in _CONTAINERS and _holds(child, wanted)), None)
        if inner is None or not all(_may_go(child) for child in children if child.mem_id != inner.mem_id):
            break
        node = inner
    return (node.html if node is not None else None) or part


def _holds(node: LexborNode, wanted: Counter[str]) -> bool:
    return (Counter(_text_of(node).split()) & wanted).total() >= _FOUND * wanted.total()


def _may_go(node: LexborNode) -> bool:
    """Whether this neighbour of the text is furniture: a menu, a line of small print; no heading, no paragraph."""
    if node.tag in _HEADINGS:
        return False
    linked = sum(len(_text_of(link)) for link in outermost(node.css("a")))
    return len(_text_of(node)) - linked <= _SMALL_PRINT


def _text_of(node: LexborNode) -> str:
    return " ".join(node.text(separator=" ").split())


def _words(part: str) -> str:
    body = LexborHTMLParser(part).body
    return normalise(_text_of(body)) if body is not None else ""


def _structure(part: str) -> str:
    """The main part without what changes while the text does not: attributes, comments, links, blanks between words.

    It is not the Markdown: a new version of the extractor must not look like a new version of every page.
    """
    body = LexborHTMLParser(part).body
    if body is None:
        return ""
    body.unwrap_tags(_INLINE)
    for node in body.css("*"):
        for name in [name for name in node.attributes if name not in _TELLING]:
            del node.attrs[name]
    pieces = _PRE.split(_COMMENT.sub("", body.html or ""))
    return "".join(piece if number % 2 else " ".join(piece.split()) for number, piece in enumerate(pieces))
