"""What the index must hold for a folder, worked out from the folder alone.

Which files are documents is decided here by rules of its own; how a file becomes text and chunks is asked of the same
functions that production uses, file by file, without connector, services or store.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import PurePosixPath

import yaml

from include.domain.documents import Chunk, DocumentKey, ExtractedDocument, FetchedDocument
from include.domain.errors import DocumentUnreadable
from include.text.normalise import extract
from tests.replay.history import File

MEDIA_TYPES = {".md": "text/markdown", ".html": "text/html", ".rst": "text/x-rst", ".txt": "text/plain"}

HIDDEN, SYMLINK, UNREADABLE = "hidden", "symlink", "unreadable"

_FRONT_MATTER = re.compile(rb"---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Page:
    """One document as the index must hold it: chunk texts in order, and the whole text they are cut from."""

    version: str
    text: str
    chunks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Expected:
    """`pages` by path, and the files that are no pages, by why: every file of the folder is in one of them.

    A page that cannot be read keeps its last good version: it is among `unreadable`, and among `pages` as it was.
    """

    pages: Mapping[str, Page]
    hidden: frozenset[str]
    symlinks: frozenset[str]
    unreadable: frozenset[str]


@dataclass
class Oracle:
    """Remembers pages by path and content, so that a step costs what it changes."""

    chunk: Callable[[ExtractedDocument], tuple[Chunk, ...]]
    _known: dict[tuple[str, str], Page | str] = field(default_factory=dict)

    def expect(self, files: Mapping[str, File], before: Mapping[str, Page]) -> Expected:
        """`before` are the pages that the index holds now."""
        pages: dict[str, Page] = {}
        others: dict[str, set[str]] = {SYMLINK: set(), HIDDEN: set(), UNREADABLE: set()}
        for path, file in files.items():
            page = self._look(path, file)
            if isinstance(page, Page):
                pages[path] = page
            else:
                others[page].add(path)
                if page is UNREADABLE and path in before:
                    pages[path] = before[path]
        return Expected(pages, *(frozenset(others[what]) for what in (HIDDEN, SYMLINK, UNREADABLE)))

    def _look(self, path: str, file: File) -> Page | str:
        """The page, or why there is none."""
        if file.symlink:
            return SYMLINK
        key = (path, file.oid)
        if key not in self._known:
            self._known[key] = HIDDEN if is_hidden(path, file.content) else self._read(path, file)
        return self._known[key]

    def _read(self, path: str, file: File) -> Page | str:
        fetched = FetchedDocument(
            key=DocumentKey("folder", path),
            version=file.oid,
            body=file.content,
            media_type=MEDIA_TYPES[PurePosixPath(path).suffix],
            url=path,
            fetched_at=_LONG_AGO,
            empty_is_legitimate=True,
        )
        try:
            document = extract(fetched)
        except DocumentUnreadable:
            return UNREADABLE
        return Page(file.oid, document.text, tuple(chunk.text for chunk in self.chunk(document)))


def is_hidden(path: str, content: bytes) -> bool:
    """A draft: no other way of hiding a page occurs in these histories. A block that does not parse hides nothing."""
    block = _FRONT_MATTER.match(content) if path.endswith((".md", ".html")) else None
    if block is None:
        return False
    try:
        fields = yaml.safe_load(block[1])
    except (yaml.YAMLError, ValueError):
        return False
    return isinstance(fields, dict) and fields.get("draft") is True
