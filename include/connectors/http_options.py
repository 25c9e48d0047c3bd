"""What is configurable of the `http_json` connector. Every expression is JMESPath, compiled when it is loaded."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import urlsplit

import jmespath
from jmespath.exceptions import JMESPathError
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

from include.connectors.date_options import DateOptions
from include.connectors.http_session import HttpLimits


def _expression(text: str) -> str:
    try:
        jmespath.compile(text)
    except JMESPathError as error:
        raise ValueError(f"a JMESPath expression ({' '.join(str(error).split())[:120]})") from None
    return text


Expression = Annotated[str, AfterValidator(_expression)]
Allowed = tuple[bool | int | float | str | None, ...]
States = dict[Expression, Allowed]
BodyFormat = Literal["html", "markdown", "text", "contentful_rich_text", "strapi_blocks"]


class _Options(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PastEnd(_Options):
    """How a source says "there is no such page": a status, and a field of the body that names the reason."""

    status: int
    field: Expression
    equals: str


class Paging(_Options):
    """How the list goes on. `total` and `total_pages` are a JMESPath expression, or the name of a header when written
    `header:X-WP-Total`. `echoed_size`, `echoed_page`: what the server says it did, compared with what was asked."""

    style: Literal["none", "page", "offset", "cursor", "next_url", "link_header"] = "none"
    parameter: str | None = None
    size_parameter: str | None = None
    size: int = Field(default=100, ge=1)
    start: int | None = None
    total: str | None = None
    total_pages: str | None = None
    next: Expression | None = None
    echoed_size: Expression | None = None
    echoed_page: Expression | None = None
    past_end: PastEnd | None = None
    overlap: int = Field(default=0, ge=0)
    max_pages: int = Field(default=10_000, ge=1)
    passes: int = Field(default=4, ge=1, description="how often the list is read at most, until two readings agree")

    @property
    def first(self) -> int:
        """Number of the first page, or the first offset."""
        if self.start is not None:
            return self.start
        return 0 if self.style == "offset" else 1

    @field_validator("total", "total_pages")
    @classmethod
    def _total(cls, text: str | None) -> str | None:
        return text if text is None or text.startswith("header:") else _expression(text)

    @model_validator(mode="after")
    def _fits_the_style(self) -> Paging:
        if self.style in ("page", "offset", "cursor") and not self.parameter:
            raise ValueError(f"style {self.style} needs `parameter`, the name of the query parameter")
        if self.style in ("cursor", "next_url") and not self.next:
            raise ValueError(f"style {self.style} needs `next`, where the answer names what follows")
        if self.overlap and (self.style != "offset" or self.overlap >= self.size):
            raise ValueError("overlap needs style offset and must be smaller than size")
        return self


class ListOptions(_Options):
    """The list endpoint. `version`: several expressions are joined and hashed. `updated_at`, a timestamp, makes
    versions comparable in time; by default the first version expression, where it is one.

    `version_covers_text`: the list delivers the texts too, and they belong to the version; for texts that hold those of
    other documents, whose edits move no version of this one. `beside`: fields that each row gets from around the list.
    """

    path: str
    params: dict[str, str] = {}
    items: Expression
    id: Expression = "id"
    version: Expression | Annotated[tuple[Expression, ...], Field(min_length=1)]
    updated_at: Expression | None = None
    version_covers_text: bool = False
    beside: Expression | None = None
    public: States = {}
    paging: Paging = Paging()

    @property
    def versions(self) -> tuple[str, ...]:
        return (self.version,) if isinstance(self.version, str) else self.version


class LineageFields(_Options):
    """Where a page says what it is among its versions. References (`supersedes`, `superseded_by`) name one document or
    a list of them: by id, address, number or title; `aliases` are its own other names."""

    family: Expression | None = None
    version: Expression | None = None
    status: Expression | None = None
    supersedes: Expression | None = None
    superseded_by: Expression | None = None
    aliases: Expression | None = None


class Fields(_Options):
    """Where a page keeps what a document needs. `body` may name a list of texts, which are joined."""

    body: Expression
    id: Expression | None = "id"
    title: Expression | None = None
    url: Expression | None = None
    lang: Expression | None = None
    content_type: Expression | None = None
    created_at: Expression | None = None
    updated_at: Expression | None = None
    effective_date: Expression | None = None
    expires_at: Expression | None = None
    goes_live_at: Expression | None = None
    lineage: LineageFields = LineageFields()


class PageOptions(_Options):
    """The page endpoint. `item` is where the document is in the answer; `public` are further states, on top of those
    of the list, that only the page shows. `version` defaults to the expressions of the list. `absent`: what a 200
    holds that means "no such document", for endpoints that answer a question by id with a list.

    `parts`: where the texts of each kind of part are, for a body made of parts (dynamic zones, stream fields, embedded
    entries); `part_kind` is where a part names its kind. A kind that is not named makes the document unreadable, `[]`
    leaves it out."""

    path: str
    params: dict[str, str] = {}
    item: Expression = "@"
    absent: States = {}
    fields: Fields
    body_format: BodyFormat = "html"
    parts: dict[str, tuple[Expression, ...]] = {}
    part_kind: Expression = "__component || type || sys.contentType.sys.id"
    title_is_html: bool = False
    version: Expression | Annotated[tuple[Expression, ...], Field(min_length=1)] | None = None
    public: States = {}

    @model_validator(mode="after")
    def _names_the_id(self) -> PageOptions:
        if "{id}" not in self.path and not any("{id}" in value for value in self.params.values()):
            raise ValueError("a path that contains {id}, or one of the params does")
        return self


class Identity(_Options):
    """How to tell that the credential is the one we think it is. Either a question that only it can answer
    (`path` and what the answer must hold), or the knowledge that this API never answers 200 to a bad one.
    `only_with_credential`: a source that is read without a credential has nothing to verify. `account` is where the
    answer names the account and its rights: a listing read as somebody else is not compared with this one."""

    path: str | None = None
    params: dict[str, str] = {}
    expect: States = {}
    account: Expression | None = None
    rejects_bad_credentials: bool = False
    only_with_credential: bool = False

    @model_validator(mode="after")
    def _one_way(self) -> Identity:
        if (self.path is None) is not self.rejects_bad_credentials:
            raise ValueError("either `path` (with `expect`) or `rejects_bad_credentials: true`")
        if self.account is not None and self.path is None:
            raise ValueError("`account` needs `path`, the question whose answer names it")
        return self


class HttpJsonOptions(DateOptions, _Options):
    """Options of `http_json`. `settle_seconds`: a version younger than this and only exact to the second may be
    shared by two edits; it is recorded as unsettled, so that the next run reads the document again. `preview_hosts`
    serve drafts as if they were published; a `base_url` there is refused."""

    base_url: str
    site_url: str | None = None
    list: ListOptions
    page: PageOptions
    public: States = {}
    identity: Identity | None = None
    canaries: tuple[str, ...] = ()
    settle_seconds: float = Field(default=0, ge=0)
    lang: str | None = None
    content_type: str = "page"
    empty_pages: bool = False  # an empty text is usually one that is not shown to us
    preview_hosts: tuple[str, ...] = ()
    http: HttpLimits = HttpLimits()

    @field_validator("base_url", "site_url")
    @classmethod
    def _http(cls, url: str | None) -> str | None:
        if url is not None and (urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname):
            raise ValueError("an http or https URL")
        return url

    @model_validator(mode="after")
    def _is_no_preview(self) -> HttpJsonOptions:
        if (host := urlsplit(self.base_url).hostname) in self.preview_hosts:
            raise ValueError(f"a base_url that serves published documents only; {host} shows drafts")
        return self
