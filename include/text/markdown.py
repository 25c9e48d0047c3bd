"""What counts as a heading, and what only looks like one: the structure of Markdown, line by line.

Only as much of CommonMark as headings need: fences, HTML comments, ATX and setext headings. Lines inside a fence
or a comment are never headings, however many `#` they start with. An unclosed fence reaches to the end of
the text, as CommonMark has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_LINE = re.compile(
    r"""^[ ]{0,3}(?:
        (?P<fence>`{3,}(?=[^`\n]*$)|~{3,})
      | (?P<comment><!--)
      | (?P<atx>\#{1,6})(?:[ \t]+(?P<title>[^\n]*))?$
      | (?P<setext>=+|-{2,})[ \t]*$
    )""",
    re.MULTILINE | re.VERBOSE,
)
# A setext underline makes a heading of a paragraph line only, not of these.
_NO_PARAGRAPH = re.compile(r"[ ]{0,3}(?:[-*+>|]|\d+[.)][ ]|\#{1,6}[ \t]|`{3}|~{3}|<!--|={2,}[ \t]*$)|[ ]{4}|\t|[ \t]*$")
LONGEST_TITLE = 300  # characters; a paragraph behind a `#` is not repeated on every chunk below it
_MARKED = re.compile(r"[*_`~<\[{]")
_ATTRIBUTES = re.compile(r"[ \t]*\{[^{}]*\}[ \t]*$")
_IMAGE_OR_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_EMPHASIS = re.compile(r"(\*\*|__|\*|`+|~~)(?=\S)(.+?)(?<=\S)\1")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading and where its line (for setext: its two lines) starts in the text. `level` is 1 to 6."""

    start: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block from the start of its first line to the end of its last (line feed excluded)."""

    start: int
    end: int


def headings(text: str) -> list[Heading]:
    """The headings of `text` in order, outside fences and comments."""
    return [block for block in scan(text) if isinstance(block, Heading)]


def scan(text: str) -> Iterator[Heading | Fence]:
    """Headings, fences and HTML comments (as Fence: verbatim too) in the order of the text."""
    position = 0
    while match := _LINE.search(text, position):
        start = match.start()
        if match["fence"]:
            position = _end_of_fence(text, match)
            yield Fence(start, position)
        elif match["comment"]:
            closed = text.find("-->", match.end())
            if closed < 0:  # a stray opener hides nothing
                position = match.end()
            else:
                position = closed + 3
                yield Fence(start, position)
        elif match["atx"]:
            position = match.end()
            yield Heading(start, len(match["atx"]), plain(_without_closing_hashes(match["title"] or "")))
        else:
            above = text.rfind("\n", 0, max(start - 1, 0)) + 1
            position = match.end()
            if start > 0 and above >= 0 and not _NO_PARAGRAPH.match(text, above, start - 1):
                yield Heading(above, 1 if match["setext"][0] == "=" else 2, plain(text[above : start - 1]))


def _end_of_fence(text: str, opener: re.Match[str]) -> int:
    mark = opener["fence"]
    closer = re.compile(rf"^[ ]{{0,3}}{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$", re.MULTILINE)
    closed = closer.search(text, opener.end())
    return closed.end() if closed else len(text)


def _without_closing_hashes(title: str) -> str:
    bare = title.rstrip(" \t").rstrip("#")
    return bare if not bare or bare[-1] in " \t" else title


def plain(title: str) -> str:
    """A heading as a person reads it: links, emphasis, code marks, tags and `{#anchor}` taken off."""
    title = title.strip()[:LONGEST_TITLE]
    if not _MARKED.search(title):
        return " ".join(title.split())
    title = _ATTRIBUTES.sub("", title)
    title = _TAG.sub("", _IMAGE_OR_LINK.sub(r"\1", title))
    for _ in range(3):
        title = _EMPHASIS.sub(r"\2", title)
    return " ".join(title.split())


def first_title(text: str) -> str | None:
    """The first level-1 heading that has a text, or None."""
    found = (block for block in scan(text) if isinstance(block, Heading))
    return next((heading.title for heading in found if heading.level == 1 and heading.title), None)
