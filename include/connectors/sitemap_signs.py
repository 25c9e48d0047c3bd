"""What a page says about itself beside its text: robots, canonical link, language, dates, forms. Pure."""

from __future__ import annotations

import email.utils
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser, LexborNode

_ROBOTS = ("robots", "googlebot", "truecopy")
_HIDING = frozenset({"noindex", "none"})
_WITH_VALUE = r"(?:unavailable_after|max-(?:snippet|image-preview|video-preview))"
_AGENT = re.compile(rf"(?!{_WITH_VALUE})([a-z][\w-]*)\s*:\s*(.*)")
_LIMIT = re.compile(r"\bmax-[\w-]+\s*:\s*[\w-]+")  # `max-image-preview: none` hides no page
_REFRESH = re.compile(r"\s*(\d+(?:\.\d+)?)\s*[;,]\s*(?:url\s*=\s*)?[\"']?([^\"']+)", re.IGNORECASE)
_REFRESHING = "meta[http-equiv=refresh i][content]"
_LINK = re.compile(r"<([^>]*)>([^<]*)")
_INSTANTLY = 5.0  # seconds; a page that leads on later than that is read first
_FURNITURE = "header, nav, footer, aside, dialog, [role=banner], [role=navigation], [role=contentinfo], [role=dialog]"
_PARTS_OF_PAGES = frozenset({"comment", "answer", "review", "product", "offer", "imageobject", "videoobject", "person"})


@dataclass(frozen=True, slots=True)
class Signs:
    """Addresses are absolute; everything is empty where the page says nothing. `hidden` says in words why the page is
    not for everybody to find. `published` and `modified` are (value, where it stands)."""

    canonical: str
    hidden: str
    leads_to: str
    asks_password: bool
    lang: str
    published: tuple[str, str]
    modified: tuple[str, str]
    expires: str


def read_signs(tree: LexborHTMLParser, headers: Mapping[str, str], address: str) -> Signs:
    """`headers` by lower-case name; `address` is where the page was found."""
    node = tree.css_first("base[href]")
    base = _joined(address, (node.attributes.get("href") or "") if node is not None else "") or address
    hidden, expires = _robots(tree, headers)
    canonical = _joined(base, _canonical(tree, headers))
    linked = list(_linked_data(tree))
    return Signs(
        canonical=canonical,
        hidden=hidden,
        leads_to=_joined(base, _refresh(tree, headers)) or _leads_without_scripts(tree, base, canonical),
        asks_password=_asks_password(tree),
        lang=_lang(tree, headers) or _lang_of_alternates(tree, base, address),
        published=_meta(tree, "article:published_time") or _dated(linked, "datePublished"),
        modified=_meta(tree, "article:modified_time") or _dated(linked, "dateModified"),
        expires=expires,
    )


def _joined(base: str, address: str) -> str:
    """Empty for nothing and for what cannot be an address."""
    try:
        return urljoin(base, address.strip()) if address.strip() else ""
    except ValueError:
        return ""


def instant(text: str) -> datetime | None:
    """A date of `unavailable_after`: ISO 8601 or that of mails and cookies. None for anything else."""
    for read in (datetime.fromisoformat, email.utils.parsedate_to_datetime):
        try:
            moment = read(text.strip().upper())
        except (ValueError, OverflowError):
            continue
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return None


def _robots(tree: LexborHTMLParser, headers: Mapping[str, str]) -> tuple[str, str]:
    """(why the page is hidden, until when it is there). `unavailable_after` holds a comma in one of its forms."""
    said = [
        ((node.attributes.get("name") or "").strip().lower(), (node.attributes.get("content") or "").lower())
        for node in tree.css("meta[name][content]")
    ]
    said = [(f"meta {name}", content) for name, content in said if name in _ROBOTS]
    if header := headers.get("x-robots-tag", "").lower():
        said.append(("X-Robots-Tag", _for_us(header)))
    expires = ""
    for where, content in said:
        if found := re.search(r"unavailable_after\s*:\s*((?:[a-z]{3,9},\s*)?[^,]+)", content):
            expires = expires or found[1].strip()
        for word in re.split(r"[,\s]+", _LIMIT.sub("", content)):
            if word in _HIDING:
                return f"{where} says {word}", expires
    return "", expires


def _for_us(header: str) -> str:
    """The directives of a header that are for everybody or for the crawlers we listen to."""
    kept, is_ours = [], True
    for part in header.split(","):
        text = part.strip()
        if named := _AGENT.fullmatch(text):
            is_ours, text = named[1] in _ROBOTS, named[2]
        if is_ours:
            kept.append(text)
    return ", ".join(kept)


def _canonical(tree: LexborHTMLParser, headers: Mapping[str, str]) -> str:
    """Of the head alone: in the body it may come from anybody. Two that differ say nothing."""
    named = {(node.attributes.get("href") or "").strip() for node in tree.css("head link[rel~=canonical i][href]")}
    for address, parameters in _LINK.findall(headers.get("link", "")):
        if re.search(r"rel\s*=\s*\"?[^\";]*\bcanonical\b", parameters, re.IGNORECASE):
            named.add(address.strip())
    named.discard("")
    return named.pop() if len(named) == 1 else ""


def _refresh(tree: LexborHTMLParser, headers: Mapping[str, str]) -> str:
    """Where the page leads by itself, at once: static sites redirect like this."""
    nodes = [node for node in tree.css(_REFRESHING) if not _is_inside(node, "noscript")]
    return _at_once((nodes[0].attributes.get("content") or "") if nodes else headers.get("refresh", ""))


def _leads_without_scripts(tree: LexborHTMLParser, base: str, canonical: str) -> str:
    """A refresh for browsers without scripts leads to a notice, or it stands in for the script of a redirect. Then the
    canonical link names the same address."""
    leads_to = [_joined(base, _at_once(node.attributes.get("content") or "")) for node in tree.css(_REFRESHING)]
    return canonical if canonical in leads_to else ""


def _at_once(content: str) -> str:
    found = _REFRESH.match(content)
    return found[2].strip() if found and float(found[1]) <= _INSTANTLY else ""


def _asks_password(tree: LexborHTMLParser) -> bool:
    """A password field in the page itself; one in its header is everywhere."""
    return any(not _is_inside(node, _FURNITURE) for node in tree.css("input[type=password i]"))


def _is_inside(node: LexborNode, selector: str) -> bool:
    above = node.parent
    while above is not None and above.tag not in ("body", "html", "-undef"):
        if above.css_matches(selector):
            return True
        above = above.parent
    return False


def _lang(tree: LexborHTMLParser, headers: Mapping[str, str]) -> str:
    node = tree.css_first("html")
    stated = (node.attributes.get("lang") or node.attributes.get("xml:lang") or "") if node is not None else ""
    return _language(stated) or _language(headers.get("content-language", ""))


def _lang_of_alternates(tree: LexborHTMLParser, base: str, address: str) -> str:
    """A page that lists its translations lists itself among them."""
    for node in tree.css("link[rel~=alternate i][hreflang][href]"):
        if _joined(base, node.attributes.get("href") or "") == address:
            return _language((node.attributes.get("hreflang") or "").replace("x-default", ""))
    return ""


def _language(stated: str) -> str:
    found = re.fullmatch(r"\s*([A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*)\s*", stated)
    return found[1].replace("_", "-") if found else ""


def _meta(tree: LexborHTMLParser, name: str) -> tuple[str, str] | None:
    node = tree.css_first(f'meta[property="{name}"][content]') or tree.css_first(f'meta[name="{name}"][content]')
    value = (node.attributes.get("content") or "").strip() if node is not None else ""
    return (value, f"meta {name}") if value else None


def _linked_data(tree: LexborHTMLParser) -> Iterator[dict[str, Any]]:
    for node in tree.css('script[type="application/ld+json" i]'):
        try:
            data = json.loads(node.text())
        except (ValueError, RecursionError):
            continue  # it is decoration; the page is read all the same
        yield from _objects(data)


def _objects(data: object, depth: int = 0) -> Iterator[dict[str, Any]]:
    if depth > 6:
        return
    if isinstance(data, dict):
        yield data
        for key in ("@graph", "mainEntity", "mainEntityOfPage"):
            yield from _objects(data.get(key), depth + 1)
    elif isinstance(data, list):
        for each in data:
            yield from _objects(each, depth + 1)


def _dated(linked: list[dict[str, Any]], field: str) -> tuple[str, str]:
    for each in linked:
        kinds = each.get("@type")
        names = {str(kind).lower() for kind in (kinds if isinstance(kinds, list) else [kinds])}
        value = each.get(field)
        if isinstance(value, str) and value.strip() and not names & _PARTS_OF_PAGES:
            return value.strip(), f"JSON-LD {field}"
    return "", ""
