"""A website with a sitemap, over real HTTP: pages to edit, hide, move and lose; and it misbehaves on request."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from include.connectors.credentials import Credentials
from include.connectors.sitemap import SitemapConnector
from include.connectors.sitemap_options import SitemapOptions
from include.domain.documents import FetchedDocument
from include.text.normalise import extract
from tests.connector_sources import NOW, Reply, Request, TurnableClock, http_server

NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


@dataclass
class WebPage:
    """One address. `body` is the HTML of its main part; `head` goes into the head as it is; `reply` replaces it all."""

    body: str
    title: str = "A page"
    head: str = ""
    lang: str = "en"
    headers: dict[str, str] = field(default_factory=dict)
    reply: Reply | None = None
    lastmod: str = ""
    is_listed: bool = True


@dataclass
class Website:
    """Pages by path, one sitemap with all that are listed. Every answer has another nonce and view counter.

    `files` are answers for paths that win over everything (sitemaps, robots.txt). `everything` answers every path that
    is no file. `missing` answers for addresses that do not exist. `between` is called after every request.
    """

    pages: dict[str, WebPage] = field(default_factory=dict)
    files: dict[str, Reply] = field(default_factory=dict)
    everything: Reply | None = None
    missing: Reply | None = None
    has_etags: bool = False
    url: str = ""
    requests: list[Request] = field(default_factory=list)
    between: Any = None

    @classmethod
    def of(cls, *paths: str) -> Website:
        return cls({path: WebPage(f"<p>Text of {path}</p>", title=f"Title of {path}") for path in paths})

    def id(self, path: str) -> str:
        return f"{self.url}{path}"

    def asked(self, path: str) -> int:
        return sum(request.path == path for request in self.requests)

    def answer(self, request: Request) -> Reply:
        self.requests.append(request)
        reply = self._answer(request)
        if self.between is not None:
            self.between(self)
        return reply

    def _answer(self, request: Request) -> Reply:
        if request.path in self.files:
            return self.files[request.path]
        if self.everything is not None:
            return self.everything
        if request.path == "/sitemap.xml":
            return sitemap(self.entries())
        query = f"?{urlencode(request.query)}" if request.query else ""
        page = self.pages.get(request.path + query)
        if page is None:
            return self.missing or Reply(404, self.render("Not found", "<p>There is no such page.</p>").encode(), HTML)
        if page.reply is not None:
            return page.reply
        headers = dict(page.headers)
        if self.has_etags:
            headers["ETag"] = f'"{abs(hash((page.body, page.title, page.head)))}"'
            if request.headers.get("if-none-match") == headers["ETag"]:
                return Reply(304, b"", HTML, headers)
        return Reply(200, self.render(page.title, page.body, page.head, page.lang).encode(), HTML, headers)

    def entries(self) -> list[tuple[str, str]]:
        return [(self.id(path), page.lastmod) for path, page in self.pages.items() if page.is_listed]

    def render(self, title: str, body: str, head: str = "", lang: str = "en") -> str:
        nonce = len(self.requests)
        return (
            f'<!doctype html><html lang="{lang}"><head><title>{html.escape(title)}</title>{head}'
            f'<script nonce="{nonce}">var built = {nonce}</script></head><body>'
            f'<header><a href="/">The Site</a><form><input type="password"></form></header><nav>Menu {nonce}</nav>'
            f'<main data-nonce="{nonce}"><h1>{html.escape(title)}</h1>{body}</main>'
            f"<footer>Seen {nonce} times</footer></body></html>"
        )


HTML = "text/html; charset=utf-8"


def sitemap(entries: Sequence[tuple[str, str]] | Sequence[str], *, index: bool = False, **reply: Any) -> Reply:
    outer, inner = ("sitemapindex", "sitemap") if index else ("urlset", "url")
    rows = []
    for entry in entries:
        location, lastmod = (entry, "") if isinstance(entry, str) else entry
        dated = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
        rows.append(f"<{inner}><loc>{html.escape(location)}</loc>{dated}</{inner}>")
    body = f'<?xml version="1.0" encoding="UTF-8"?>\n<{outer} {NAMESPACE}>{"".join(rows)}</{outer}>'
    return Reply(body=body.encode(), kind="application/xml", **reply)


@contextmanager
def serving(site: Website) -> Iterator[Website]:
    with http_server(site.answer) as site.url:
        yield site


def sitemap_options(site: Website, **changes: Any) -> dict[str, Any]:
    http = {"retries": 1, "requests_per_second": 1000, "burst": 1000, "read_timeout": 5, "max_bytes": 60_000_000}
    return {"url": site.url, "http": {**http, **changes.pop("http", {})}, **changes}


def sitemap_connector(
    site: Website,
    cache_dir: Path | None = None,
    *,
    clock: TurnableClock | None = None,
    credentials: Credentials | None = None,
    source: str = "web",
    **changes: Any,
) -> SitemapConnector:
    clock = clock or TurnableClock()
    return SitemapConnector(
        source,
        SitemapOptions.model_validate(sitemap_options(site, **changes)),
        clock=clock,
        cache_dir=cache_dir or Path("/nonexistent"),
        credentials=credentials,
        pace=clock,
    )


def text_of(fetched: FetchedDocument) -> str:
    return extract(fetched).text


def days_ago(days: float) -> str:
    moment: datetime = NOW - timedelta(days=days)
    return moment.isoformat()


def redirect(location: str, status: int = 301, headers: Mapping[str, str] | None = None) -> Reply:
    return Reply(status, b"", HTML, {"Location": location, **(headers or {})})
