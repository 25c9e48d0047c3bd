"""A web page as Markdown: its main part without furniture, in a form that a new template does not change.

Kept: headings, lists, tables, code to the letter, the text of links, the alternative text of images. Not kept, because
it changes without the text changing: addresses, attributes, comments, scripts, classes, the language of code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bs4 import BeautifulSoup, Tag
from markdownify import MarkdownConverter
from selectolax.lexbor import LexborHTMLParser, LexborNode

_NEVER_TEXT = (
    "script, style, noscript, template, svg, canvas, iframe, object, embed, button, input, select, textarea, head, "
    # marks that themes hang on headings, and line numbers that would be copied into the code
    "a.headerlink, a.hash-link, a.anchor-link, a.anchorjs-link, a.header-anchor, "
    "td.linenos, td.gutter, .line-numbers-rows, "
    # consent layers, by the names of their vendors: a section *about* cookies has other names
    "#onetrust-consent-sdk, #CybotCookiebotDialog, #usercentrics-root, #didomi-host, #cookie-law-info-bar, "
    ".cky-consent-container, .osano-cm-window, .cc-window, .cookieconsent, .cookie-banner, .cookie-notice, "
    ".cookie-bar, dialog, [role=dialog], [role=alertdialog]"
)
_FURNITURE_OF_MAIN = "nav, [role=navigation], [role=search], footer, [role=contentinfo]"
_FURNITURE_OF_PAGE = _FURNITURE_OF_MAIN + (
    ", header, aside, [role=banner], [role=complementary], "
    "#cookie-banner, #cookie-notice, #cookie-consent, [class*=cookie-consent], [class*=gdpr]"
)
# What says itself that it is the main part is believed; what merely is called so must hold a fair share of the text.
_MAIN = (
    ("main", 0.0),
    ("[role=main]", 0.0),
    ("article", 0.3),
    ("#content", 0.3),
    ("#main-content", 0.3),
    ("#main", 0.3),
    (".markdown-body", 0.3),
)
_WHOLE_PAGE = re.compile(r"<(?:!doctype|html|head|body)\b", re.IGNORECASE)
_BLOCKS_IN_CELLS = ["pre", "table", "h1", "h2", "h3", "h4", "h5", "h6"]
_DEEPEST = 100  # levels; a fixed number, because what the stack still holds differs from caller to caller


@dataclass(frozen=True, slots=True)
class MainPart:
    """What of a page is its text, as HTML without furniture. `is_marked`: the page itself says which part that is;
    otherwise it is the whole page, furniture that has a name left out."""

    html: str
    title: str | None
    is_marked: bool


def to_markdown(html: str) -> tuple[str, str | None]:
    """(Markdown of the main part, title of the page or None). A part of a page without `<html>` is all main part."""
    part = main_part(html)
    soup = BeautifulSoup(part.html, "html.parser")
    _flatten_layout_tables(soup)
    return _Converter().convert_soup(soup), part.title


def main_part(html: str) -> MainPart:
    """The part that `to_markdown` turns into text."""
    # NUL ends a string in some parsers; the text in front of it would be all that is left
    tree = LexborHTMLParser(html.replace("\0", ""))
    title = _title(tree)
    root = tree.body or tree.root
    if root is None:
        return MainPart("", title, is_marked=False)
    _drop(root, _NEVER_TEXT)
    if not _WHOLE_PAGE.search(html):
        return MainPart(root.html or "", title, is_marked=True)
    marked = _main_part(root)
    main, furniture = (root, _FURNITURE_OF_PAGE) if marked is None else (marked, _FURNITURE_OF_MAIN)
    before = main.html or ""
    _drop(main, furniture)
    # a page of links may be nothing but navigation; then that is its text
    source = (main.html or "") if main.text(strip=True) else before
    return MainPart(source, title, is_marked=marked is not None)


def _title(tree: LexborHTMLParser) -> str | None:
    """The first level-1 heading of the main part, of the page, or the `<title>`."""
    for selector in ("main h1", "[role=main] h1", "article h1", "h1", "title"):
        for node in tree.css(selector):
            _drop(node, "a.headerlink, a.hash-link, a.anchor-link, a.header-anchor, svg, button, script, style")
            text = " ".join(node.text().split())
            if text:
                return text
    return None


def _drop(root: LexborNode, selector: str) -> None:
    for node in root.css(selector):
        quoted = node.tag == "footer" and node.parent is not None and node.parent.tag == "blockquote"
        if not quoted:
            node.remove()


def _main_part(body: LexborNode) -> LexborNode | None:
    everything = _size(body)
    for selector, share in _MAIN:
        candidates = list(outermost(body.css(selector)))
        if selector == "article" and len(candidates) > 1:
            continue  # a list of teasers, or comments beside the post: none of them is the page
        best = max(candidates, key=_size, default=None)
        if best is not None and _size(best) > share * everything:
            return best
    return None


def outermost(nodes: list[LexborNode]) -> Iterator[LexborNode]:
    """Those of `nodes` that stand in none of the others."""
    found = {node.mem_id for node in nodes}
    for node in nodes:
        above = node.parent
        while above is not None and above.mem_id not in found:
            above = above.parent
        if above is None:
            yield node


def _size(node: LexborNode) -> int:
    return len(node.text(strip=True))


def _flatten_layout_tables(soup: BeautifulSoup) -> None:
    """A cell of a Markdown table is one line: code or headings in cells would be crushed. Such tables become blocks."""
    for table in reversed(soup.find_all("table")):
        if table.find(_BLOCKS_IN_CELLS):
            for part in table.find_all(["thead", "tbody", "tfoot", "tr", "td", "th"]):
                if part.find_parent("table") is table:
                    part.name = "div"
            table.name = "div"


class _Converter(MarkdownConverter):
    """markdownify with ATX headings, text instead of links and pictures, and code fences that always hold."""

    class Options:
        heading_style = "atx"
        bullets = "-"
        strip = ("a",)
        escape_asterisks = False
        escape_underscores = False
        wrap = True  # where the source breaks its lines means nothing in HTML ...
        wrap_width = None  # ... and no new breaks are made

    _depth = 0

    def process_tag(self, node: Tag, parent_tags: set[str] | None = None) -> str:
        if self._depth >= _DEEPEST:
            return node.get_text()
        self._depth += 1
        try:
            return str(super().process_tag(node, parent_tags=parent_tags))  # type: ignore[misc]  # not in its stub
        finally:
            self._depth -= 1

    def convert_img(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return str(el.get("alt") or "")

    def convert_video(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return text

    def convert_div(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        if "pre" in parent_tags:  # some themes wrap each line of code in a div
            return text if text.endswith("\n") else text + "\n"
        return str(super().convert_div(el, text, parent_tags))  # type: ignore[misc]

    def convert_pre(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        code = text.strip("\n")
        if not code.strip():
            return ""
        longest = max((len(run) for run in re.findall(r"^[ ]{0,3}(`{3,})", code, re.MULTILINE)), default=2)
        fence = "`" * (longest + 1)
        return f"\n\n{fence}\n{code}\n{fence}\n\n"
