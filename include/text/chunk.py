"""Cuts a normalised text into chunks that an embedder takes whole, each inside one section of the document.

Where the borders fall is decided by each section alone: an edit moves borders only inside the section it is in, so
the chunks of all other sections keep their hash, and with it their vector.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from semantic_text_splitter import MarkdownSplitter

from include.domain.documents import Chunk, ExtractedDocument
from include.domain.errors import ConfigError
from include.text.markdown import headings

# Part of the pipeline fingerprint: raise it with every change that moves a border.
CHUNKER_VERSION = "1"

# Size in characters that is aimed at, per token allowed. Characters are counted a thousand times faster than tokens;
# at 3 about one chunk in a hundred of English prose is too long in tokens and cut once more.
CHARACTERS_PER_TOKEN = 3
# A section below this share of a chunk joins its neighbour under the same parent: a heading with one line under
# it finds nothing on its own.
SMALL = 1 / 8

Count = Callable[[str], int]


def chunk(document: ExtractedDocument, *, max_tokens: int, count_tokens: Count) -> tuple[Chunk, ...]:
    """The chunks of a document, in order; together they hold its whole text, white space aside.

    No chunk is longer than `max_tokens` as `count_tokens` counts them. At least one chunk, unless the text is
    blank. Lines are cut only where one alone is too long. `heading_path` is "A > B > C": the headings above what the
    chunk holds. Raises ConfigError if a single character exceeds the limit.
    """
    if max_tokens < 1:
        raise ConfigError(f"max_tokens is {max_tokens}; a chunk needs at least 1 token")
    capacity = max_tokens * CHARACTERS_PER_TOKEN
    pieces = (
        (text, section.path)
        for section in _pack(_outline(document.text), capacity)
        for text in _fit(section.text, capacity, max_tokens, count_tokens)
    )
    return tuple(
        Chunk(index, text, " > ".join(path), hashlib.sha256(text.encode()).hexdigest())
        for index, (text, path) in enumerate(pieces)
    )


@dataclass(slots=True)
class _Section:
    """A heading with the text down to the next heading of any level, and the sections below it."""

    level: int
    path: tuple[str, ...]
    text: str
    below: list[_Section] = field(default_factory=list)

    def whole(self) -> str:
        return self.text + "".join(section.whole() for section in self.below)


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    path: tuple[str, ...]


def _outline(text: str) -> _Section:
    """The tree of sections; the root holds what stands above the first heading."""
    found = headings(text)
    ends = [heading.start for heading in found] + [len(text)]
    root = _Section(0, (), text[: ends[0]])
    open_sections = [root]
    for heading, end in zip(found, ends[1:], strict=True):
        while open_sections[-1].level >= heading.level:
            open_sections.pop()
        parent = open_sections[-1]
        path = (*parent.path, heading.title) if heading.title else parent.path
        section = _Section(heading.level, path, text[heading.start : end])
        parent.below.append(section)
        open_sections.append(section)
    return root


def _pack(section: _Section, capacity: int) -> Iterator[_Piece]:
    """Sections whole where they fit; where not, their own text and then what is below them, each for itself.

    Small neighbours are joined, never across the border of their parent.
    """
    whole = section.whole()
    if len(whole) <= capacity:
        yield _Piece(whole, section.path)
        return
    pending = _Piece(section.text, section.path)
    for below in section.below:
        first, *others = _pack(below, capacity)
        joined = len(pending.text) + len(first.text) <= capacity
        if joined and len(pending.text.strip()) < capacity * SMALL:
            pending = _Piece(pending.text + first.text, _common(pending.path, first.path) or first.path)
        else:
            yield pending
            pending = first
        for piece in others:
            yield pending
            pending = piece
    yield pending


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    shared = 0
    while shared < min(len(one), len(other)) and one[shared] == other[shared]:
        shared += 1
    return one[:shared]


def _fit(text: str, capacity: int, max_tokens: int, count_tokens: Count) -> Iterator[str]:
    """`text` in pieces of at most `max_tokens`, cut at the best borders that Markdown offers."""
    text = _trimmed(text)
    if not text:
        return
    if len(text) <= capacity:
        tokens = count_tokens(text)
        if tokens <= max_tokens:
            yield text
            return
        if len(text) == 1:
            raise ConfigError(
                f"one character ({text!r}) is {tokens} tokens for this embedder, max_tokens is {max_tokens}: "
                "raise max_tokens"
            )
        # Pieces of equal size rather than a full one and a crumb; a tenth more room lets a border be found.
        parts = math.ceil(tokens / max_tokens)
        capacity = max(1, min(len(text) - 1, math.ceil(len(text) / parts * 1.1)))
    for piece in _whole_lines(MarkdownSplitter(capacity, trim=False).chunks(text)):
        yield from _fit(piece, capacity, max_tokens, count_tokens)


def _whole_lines(pieces: list[str]) -> Iterator[str]:
    """The same text with every border that lies inside a line moved to the start of that line.

    The splitter knows sentences and inline marks better than lines: it would cut a row of a table or a statement
    in the middle. A line that fills its piece alone is too long, its borders stay.
    """
    carried = ""
    for piece in pieces[:-1]:
        piece = carried + piece
        line_start = len(piece) if piece.endswith("\n") else piece.rfind("\n") + 1
        if not piece[:line_start].strip():
            line_start = len(piece)
        yield piece[:line_start]
        carried = piece[line_start:]
    yield carried + pieces[-1]


def _trimmed(text: str) -> str:
    """Without blank lines in front (indentation stays: it makes code) and without white space behind."""
    lines = text.rstrip()
    while lines and not (first := lines.partition("\n"))[0].strip():
        lines = first[2]
    return lines
