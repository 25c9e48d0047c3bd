"""What is configurable of the `sitemap` connector. Selectors and patterns are compiled when they are loaded."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field, field_validator
from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from include.connectors.date_options import DateOptions
from include.connectors.http_session import HttpLimits
from include.connectors.sitemap_address import Site, normal_form
from include.connectors.sitemap_files import MOST_BYTES


def _selector(text: str) -> str:
    try:
        LexborHTMLParser("<p>").css(text)
    except SelectolaxError:
        raise ValueError("a CSS selector") from None
    return text


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"a regular expression ({error})") from None
    return text


def _host(text: str) -> str:
    if "/" in text or "@" in text or not text.strip():
        raise ValueError("a host name, with a port if it needs one")
    normal_form(f"https://{text}")
    return text


def _glob(text: str) -> str:
    """A glob that matches no address would publish what it was meant to exclude."""
    if not text.startswith(("/", "*", "http")):
        raise ValueError("a glob that starts with `/` (path and query), `*` or `http` (whole address)")
    return text


Selector = Annotated[str, AfterValidator(_selector)]
Pattern = Annotated[str, AfterValidator(_pattern)]
Glob = Annotated[str, AfterValidator(_glob)]
Host = Annotated[str, AfterValidator(_host)]


class SitemapLimits(HttpLimits):
    """A sitemap may be larger than any page."""

    max_bytes: int = Field(default=MOST_BYTES, ge=1)


class SitemapOptions(DateOptions):
    """Options of `sitemap`.

    `version` says what is believed about a page that has not changed: `page` nothing (it is read in every listing),
    `etag` the server's 304, `lastmod` the sitemap's date. Whichever it is, a page is read again after `reread_days`
    at the latest, and what changes with it is its cost, not the version: that is always made of what the page shows.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: str
    sitemap: tuple[str, ...] = ()
    hosts: tuple[Host, ...] = ()
    include: tuple[Glob, ...] = ()
    exclude: tuple[Glob, ...] = ()
    content: Selector | None = None
    drop: tuple[Selector, ...] = ()
    version: Literal["page", "etag", "lastmod"] = "page"
    reread_days: float = Field(default=14, gt=0)
    unlisted: Literal["keep", "remove"] = "keep"
    noindex_hides: bool = True
    obey_robots: bool = True
    crawl_delay_max: float = Field(default=10, ge=0)
    soft_404: tuple[Pattern, ...] = ()
    canaries: tuple[str, ...] = ()
    max_documents: int = Field(default=50_000, ge=1)
    passes: int = Field(default=4, ge=2, description="how often the sitemaps are read at most, until two agree")
    spool_bytes: int = Field(default=500_000_000, ge=0, description="disk for pages between listing and reading")
    lang: str | None = None
    content_type: str = "page"
    http: SitemapLimits = SitemapLimits()

    @field_validator("url")
    @classmethod
    def _http(cls, url: str) -> str:
        try:
            normal_form(url)
        except ValueError as error:
            raise ValueError(f"an http or https URL; this {error}") from None
        return url

    @field_validator("sitemap", mode="before")
    @classmethod
    def _one_or_many(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @property
    def site(self) -> Site:
        return Site.of(self.url, self.hosts, self.include, self.exclude)
