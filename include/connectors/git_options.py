"""What is configurable of the `git_markdown` connector."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from include.connectors.date_options import DateOptions


def _plain_ref(ref: str) -> str:
    if ref.startswith("-") or not ref.strip():
        raise ValueError("a branch, tag or commit; it cannot start with `-`")
    return ref


def _inside(path: str) -> str:
    if path.startswith("/") or ".." in PurePosixPath(path).parts:
        raise ValueError("a path inside the repository, without `..` and without a leading `/`")
    return "/".join(part for part in path.split("/") if part not in ("", "."))


def _pattern(pattern: str) -> str:
    """A pattern that matches nothing publishes what it was meant to exclude."""
    if not pattern.strip() or pattern.startswith("!") or set("[]{}") & set(pattern):
        raise ValueError("a pattern of *, ** and ?; no brackets, no braces, no `!`; write several patterns instead")
    return pattern


def _named(value: object) -> object:
    return {"path": value} if isinstance(value, str) else value


def _mapping(value: object) -> object:
    return {name: name for name in value} if isinstance(value, list | tuple) else value


Pattern = Annotated[str, AfterValidator(_pattern)]


class RootOptions(BaseModel):
    """One folder of several that make a source. What is left out is as the source has it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: Annotated[str, AfterValidator(_inside)]
    base_url: str | None = None
    lang: str | None = None
    content_type: str | None = None


class GitMarkdownOptions(DateOptions):
    """Options of `git_markdown`.

    `root`, `roots`, `sentinel`, `site_config` are paths inside the repository; `site_config: ""` says that the site's
    configuration is not in it. `base_url` is a template with {path} (the repository path), {page} (the page's path on
    its site), {commit}, {lang}, and {lang/}, which is `de/` for a page of another language than `lang`, else nothing.
    `languages`: name in a path (folder or suffix) -> language.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    location: str = Field(min_length=1, description="local repository or clone URL")
    ref: Annotated[str, AfterValidator(_plain_ref)] | None = None
    root: Annotated[str, AfterValidator(_inside)] = ""
    roots: tuple[Annotated[RootOptions, BeforeValidator(_named)], ...] = ()
    include: tuple[Pattern, ...] = ("*.md", "*.mdx", "*.markdown", "*.rst", "*.html", "*.htm")
    exclude: tuple[Pattern, ...] = ("**/_drafts/**",)
    dialect: Literal["plain", "hugo", "jekyll", "docusaurus", "mkdocs", "starlight", "obsidian"] = "plain"
    site_config: Annotated[str, AfterValidator(_inside)] | None = None
    languages: Annotated[dict[str, str], BeforeValidator(_mapping)] = Field(default_factory=dict)
    base_url: str = "{path}"
    sentinel: Annotated[str, AfterValidator(_inside)] | None = None
    lang: str | None = None
    content_type: str = "page"
    future_date_hides: bool = False
    publish_opt_in: bool = False
    empty_pages: bool = True  # git checks the bytes against the blob id: empty means written empty
    timeout_seconds: float = Field(default=60, gt=0)
    fetch_timeout_seconds: float = Field(default=600, gt=0)

    @model_validator(mode="after")
    def _each_root_once(self) -> Self:
        paths = [root.path for root in self.all_roots]
        if len(set(paths)) < len(paths):
            raise ValueError("each folder of root and roots once")
        return self

    @model_validator(mode="after")
    def _site_config_of_a_dialect_that_has_one(self) -> Self:
        if self.site_config and self.dialect not in ("hugo", "jekyll", "mkdocs"):
            raise ValueError(f"site_config with hugo, jekyll or mkdocs; {self.dialect} has none that can be read")
        return self

    @property
    def all_roots(self) -> tuple[RootOptions, ...]:
        """`root` and `roots` together; the whole repository where neither is given."""
        own = () if self.roots and not self.root else (RootOptions(path=self.root),)
        return (*own, *self.roots)
