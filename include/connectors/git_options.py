"""What is configurable of the `git_markdown` connector."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def _plain_ref(ref: str) -> str:
    if ref.startswith("-") or not ref.strip():
        raise ValueError("a branch, tag or commit; it cannot start with `-`")
    return ref


def _inside(path: str) -> str:
    if path.startswith("/") or ".." in PurePosixPath(path).parts:
        raise ValueError("a path inside the repository, without `..` and without a leading `/`")
    return path.strip("/")


class GitMarkdownOptions(BaseModel):
    """Options of `git_markdown`.

    `root`, `sentinel` are paths inside the repository. `base_url` is a template with {path} (the repository path),
    {page} (the path below `root` without suffix, a trailing index, _index or README dropped) and {commit}.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    location: str = Field(min_length=1, description="local repository or clone URL")
    ref: Annotated[str, AfterValidator(_plain_ref)] | None = None
    root: Annotated[str, AfterValidator(_inside)] = ""
    include: tuple[str, ...] = ("*.md", "*.mdx", "*.markdown", "*.rst", "*.html", "*.htm")
    exclude: tuple[str, ...] = ("**/_drafts/**",)
    base_url: str = "{path}"
    sentinel: Annotated[str, AfterValidator(_inside)] | None = None
    lang: str | None = None
    content_type: str = "page"
    future_date_hides: bool = False
    empty_pages: bool = True  # git checks the bytes against the blob id: empty means written empty
    timeout_seconds: float = Field(default=60, gt=0)
    fetch_timeout_seconds: float = Field(default=600, gt=0)
