"""What is configurable of the `wordpress` connector."""

from __future__ import annotations

import re
from typing import Literal
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field, field_validator, model_validator

from include.connectors.date_options import DateOptions
from include.connectors.http_options import Paging
from include.connectors.http_session import HttpLimits

_TYPE = re.compile(r"[\w-]+(?:/[\w.-]*\w)*")
_OVERLAP = 3


class WordPressOptions(DateOptions):
    """Options of `wordpress`. `types` are REST bases (`posts`, `pages`, that of a custom type), with their namespace
    in front where it is not `wp/v2`. `content_in_version`: the list is read with its texts, so that a change which
    does not move `modified_gmt` is seen (a synced pattern, a shortcode, a category's name); without it the list is
    light, and a version younger than `settle_seconds` is read again, because `modified_gmt` is exact to the second."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: str
    types: tuple[str, ...] = Field(default=("posts", "pages"), min_length=1)
    rest: Literal["auto", "pretty", "plain"] = "auto"
    per_page: int = Field(default=100, ge=1, le=100)
    passes: int = Field(default=4, ge=1, description="how often a list is read at most, until two readings agree")
    content_in_version: bool = True
    settle_seconds: float = Field(default=2, ge=0)
    canaries: tuple[str, ...] = ()
    lang: str | None = None
    content_types: dict[str, str] = Field(default_factory=dict)
    empty_pages: bool = True  # WordPress says itself when a text is withheld: `content.protected`
    http: HttpLimits = HttpLimits()

    @field_validator("url")
    @classmethod
    def _is_http(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("an http or https URL")
        if "wp-json" in parts.path or parts.query:
            raise ValueError("the address of the site itself; wp-json and rest_route are found below it")
        return url

    @field_validator("types")
    @classmethod
    def _are_rest_bases(cls, types: tuple[str, ...]) -> tuple[str, ...]:
        if wrong := [one for one in types if not _TYPE.fullmatch(one)]:
            raise ValueError(f"REST bases such as posts, pages or docs/v1/guides, not {wrong[0]!r}")
        if len(set(types)) < len(types):
            raise ValueError("each type once")
        return types

    @model_validator(mode="after")
    def _content_types_are_of_types(self) -> WordPressOptions:
        if unknown := sorted(set(self.content_types) - set(self.types)):
            raise ValueError(f"content_types for types that are listed, {', '.join(self.types)}, not {unknown[0]!r}")
        return self

    @property
    def paging(self) -> Paging:
        """By offset, each window starting with the rows that the last one ended with: what is deleted on a page
        already read pulls unread documents over the border."""
        return Paging(
            style="offset",
            parameter="offset",
            size_parameter="per_page",
            size=self.per_page,
            overlap=min(_OVERLAP, self.per_page - 1),
            passes=self.passes,
        )

    def content_type(self, rest_base: str, name: object) -> str:
        """What is stored as content type: as configured for the REST base, else the type's own name."""
        return self.content_types.get(rest_base) or (name if isinstance(name, str) and name else rest_base)
