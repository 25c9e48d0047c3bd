"""Asks the site for one page and judges the answer; follows where a page leads, to the document that it is.

| the page                                               | it is                                    |
|--------------------------------------------------------|------------------------------------------|
| 200, a text, canonical link to itself or none          | a page                                   |
| 200, canonical link to another page of the source      | that other page, if that one is a page   |
| 301, 308, refresh at once, to a page of the source     | that other page, if that one is a page   |
| 301, 308, refresh at once, to anywhere else            | away                                     |
| 302, 303, 307                                          | not public                               |
| 401, 402, 403, 451; noindex; a password form           | not public                               |
| 404, 410; what the site shows for pages that never were| gone                                     |
| redirects in a circle, or more than five               | unreadable                               |
| another status below 500, no HTML, no text             | unreadable                               |
| no answer, 429, 5xx, a bot wall                        | SourceUnavailable                        |

Canonical links in a circle name no other page: the smallest address among those that answer 200 is the document.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from include.connectors.http_session import Answer
from include.connectors.sitemap_absence import Absence
from include.connectors.sitemap_http import SiteHttp, next_hop
from include.connectors.sitemap_options import SitemapOptions
from include.connectors.sitemap_page import Page, read_page
from include.connectors.sitemap_signs import instant
from include.ports import Clock

_HOPS = 5
_PERMANENT, _TEMPORARY = frozenset({301, 308}), frozenset({302, 303, 307})
_FORBIDDEN = frozenset({401, 402, 403, 407, 451})
_LONGEST_LOGIN = 1_000  # characters; a page that says more has a password field and is about something else
_HTML = ("text/html", "application/xhtml+xml")


class Said(StrEnum):
    """What a page is, by its own answer or by that of the page it leads to."""

    PAGE = "page"
    LEADS_ON = "leads on"
    GONE = "gone"
    NOT_PUBLIC = "not public"
    AWAY = "away"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Visit:
    """One address asked once. `target` is where a page leads on to, or whose copy it says it is; `is_detour`: only
    for now. `page` is there where the body was read in this run and kept."""

    doc_id: str
    said: Said
    asked_at: datetime
    why: str = ""
    status: int = 200
    target: str = ""
    is_detour: bool = False
    page: Page | None = None
    version: str = ""
    text_hash: str = ""
    etag: str = ""
    is_remembered: bool = False


@dataclass(frozen=True, slots=True)
class Resolution:
    """Where an address leads in the end. Never LEADS_ON; `visit` is the last one, `hops` how far it was."""

    said: Said
    visit: Visit
    why: str
    hops: int = 0


class Visitor:
    """Visits pages of one site. `absence` is asked when a page could be a soft 404."""

    def __init__(
        self, http: SiteHttp, options: SitemapOptions, *, clock: Clock, absence: Callable[[], Absence]
    ) -> None:
        self._http = http
        self._options = options
        self._site = options.site
        self._clock = clock
        self._absence = absence

    def read(self, answer: Answer, address: str) -> Page:
        """Raises ValueError for what is no page."""
        return read_page(answer.body, answer.headers, address, self._options)

    def visit(self, doc_id: str, *, etag: str = "") -> Visit:
        """Raises SourceUnavailable when the site does not answer. A 304 to `etag` is a page without version."""
        asked_at = self._clock.now()
        if self._options.obey_robots and not self._http.robots().allows(doc_id):
            why = "robots.txt of the site forbids to read it; ask its owner, exclude it, or set obey_robots: false"
            return Visit(doc_id, Said.UNREADABLE, asked_at, why, status=0)
        address, seen = doc_id, {doc_id}
        while True:
            answer = self._http.get_page(address, etag=etag)
            if answer.status == 304 and "x-robots-tag" in answer.headers:
                return self.visit(doc_id)  # a header may hide a page whose text is the same
            if answer.status not in _PERMANENT | _TEMPORARY:
                visit = self._judged(doc_id, answer, address, asked_at, asked_etag=etag)
                return replace(visit, status=answer.status)
            leads_to = self._led(doc_id, answer, address, asked_at)
            if isinstance(leads_to, Visit):
                return replace(leads_to, status=answer.status)
            if leads_to in seen or len(seen) > _HOPS:
                return Visit(doc_id, Said.UNREADABLE, asked_at, "is redirected in a circle", status=answer.status)
            seen.add(leads_to)  # another spelling or scheme of the same page
            address = leads_to

    def _led(self, doc_id: str, answer: Answer, address: str, asked_at: datetime) -> Visit | str:
        """The verdict on a redirect, or the next address to ask where it leads to another spelling of the same."""
        try:
            following = next_hop(answer, address)
            target = self._site.doc_id(following)
        except ValueError as error:
            return Visit(doc_id, Said.UNREADABLE, asked_at, f"is redirected to an address that {error}")
        if target == doc_id:
            return following
        return self._leading(doc_id, target, asked_at, f"answers {answer.status}", answer.status in _TEMPORARY)

    def _leading(self, doc_id: str, target: str | None, asked_at: datetime, how: str, is_detour: bool) -> Visit:
        if target in self._absence().targets:
            return Visit(doc_id, Said.GONE, asked_at, f"{how} to {target}, as addresses that cannot exist do")
        if target is None or not self._site.covers(target):
            said = Said.NOT_PUBLIC if is_detour else Said.AWAY
            return Visit(doc_id, said, asked_at, f"{how} to {target or 'another site'}, no page of this source")
        return Visit(doc_id, Said.LEADS_ON, asked_at, f"{how} to {target}", target=target, is_detour=is_detour)

    def _judged(self, doc_id: str, answer: Answer, address: str, asked_at: datetime, *, asked_etag: str) -> Visit:
        status = answer.status
        if status == 304 and asked_etag:
            return Visit(doc_id, Said.PAGE, asked_at, etag=asked_etag, is_remembered=True)
        if status in (404, 410):
            return Visit(doc_id, Said.GONE, asked_at, f"answers {status}")
        if status in _FORBIDDEN:
            return Visit(doc_id, Said.NOT_PUBLIC, asked_at, f"answers {status}")
        if status != 200:
            return Visit(doc_id, Said.UNREADABLE, asked_at, f"answers {status}, which says nothing of the page")
        kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind and kind not in _HTML:
            return Visit(doc_id, Said.UNREADABLE, asked_at, f"is {kind}, not HTML; exclude it (option exclude)")
        try:
            page = self.read(answer, address)
        except ValueError as error:
            return Visit(doc_id, Said.UNREADABLE, asked_at, str(error))
        return self._of_page(doc_id, page, answer, address, asked_at)

    def _of_page(self, doc_id: str, page: Page, answer: Answer, address: str, asked_at: datetime) -> Visit:
        signs = page.signs
        if signs.leads_to:
            try:
                target = self._site.doc_id(signs.leads_to)
            except ValueError:
                target = None
            if target != doc_id:
                return self._leading(doc_id, target, asked_at, "leads on at once", is_detour=False)
        if why := self._absence().of_page(page, address):
            return Visit(doc_id, Said.GONE, asked_at, f"answers 200 and {why}")
        if why := self._why_hidden(page, asked_at):
            return Visit(doc_id, Said.NOT_PUBLIC, asked_at, why)
        if not page.text:
            return Visit(doc_id, Said.UNREADABLE, asked_at, "answers 200 and shows no text (is it made by a script?)")
        canonical = self._site.page(signs.canonical) if signs.canonical else None
        return Visit(
            doc_id,
            Said.PAGE,
            asked_at,
            target=canonical if canonical is not None and canonical != doc_id else "",
            page=page,
            version=page.version,
            text_hash=page.text_hash,
            etag=answer.headers.get("etag", ""),
        )

    def _why_hidden(self, page: Page, now: datetime) -> str:
        signs = page.signs
        if self._options.noindex_hides:
            if signs.hidden:
                return signs.hidden
            expires = instant(signs.expires) if signs.expires else None
            if expires is not None and expires <= now:
                return f"is not to be shown after {signs.expires}"
        if signs.asks_password and len(page.text) < _LONGEST_LOGIN:
            return "asks for a password"
        return ""


def resolve(doc_id: str, visit: Callable[[str], Visit]) -> Resolution:
    """Follow an address to the document that it is. Raises SourceUnavailable when a page on the way does not answer."""
    path = [visit(doc_id)]
    while path[-1].target:
        target = path[-1].target
        ids = [each.doc_id for each in path]
        if target in ids:
            return _circle(path, path[ids.index(target) :])
        if len(path) > _HOPS:
            return Resolution(Said.UNREADABLE, path[0], f"leads on more than {_HOPS} times", len(path))
        path.append(visit(target))
    return _concluded(path, path[-1])


def _circle(path: list[Visit], circle: list[Visit]) -> Resolution:
    pages = sorted((each for each in circle if each.said is Said.PAGE), key=lambda each: each.doc_id)
    if not pages:
        return Resolution(Said.UNREADABLE, path[0], "is redirected in a circle", len(path))
    return _concluded(path, pages[0])


def _concluded(path: list[Visit], last: Visit) -> Resolution:
    first, hops = path[0], len(path) - 1
    if last.doc_id == first.doc_id:
        return Resolution(first.said, first, first.why, 0)
    detour = next((each for each in path if each.is_detour), None)
    if detour is not None and last.said is not Said.UNREADABLE:
        return Resolution(Said.NOT_PUBLIC, first, f"{detour.why}, for now", hops)
    if last.said is not Said.PAGE and first.said is Said.PAGE:
        # it answers, and names a page as its own that does not: neither of the two can be trusted
        why = f"calls {last.doc_id} its canonical address, which is {last.said} ({last.why})"
        return Resolution(Said.UNREADABLE, first, why, hops)
    return Resolution(last.said, last, f"{first.why}; {last.why}" if last.why else first.why, hops)
