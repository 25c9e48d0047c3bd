"""The front matter of a repository's files, and what a folder's own file says for every page below it. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from include.domain.errors import DocumentUnreadable
from include.text import encoding, front_matter

_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
# The first visible ASCII characters are a fence or a brace, or the encoding is one where bytes are no characters.
# Wider than needed: what normalising removes (marks, zero-width and unusual spaces, controls) may stand anywhere.
_MAY_OPEN_BLOCK = re.compile(
    rb"[^\x21-\x7e]*(?:-[^\x21-\x7e]*-[^\x21-\x7e]*-|\+[^\x21-\x7e]*\+[^\x21-\x7e]*\+|\{)"
    rb"|\xff\xfe|\xfe\xff|\x00\x00\xfe\xff"
)
_SECOND_FENCE = re.compile(r"[\r\n](?:---|\.\.\.|\+\+\+)[^\r\n]*")
_SECTION_FILE = "_index"
_META_FILES = (".meta.yml", ".meta.yaml")
_CASCADE = "cascade"
CONTENT_SUFFIXES = (
    ".md",
    ".mdx",
    ".markdown",
    ".html",
    ".htm",
    ".rst",
    ".adoc",
    ".asciidoc",
    ".ad",
    ".org",
    ".pandoc",
    ".pdc",
)


@dataclass(frozen=True, slots=True)
class BlobFields:
    """The fields of one blob. Kept by blob id, because the verdict also depends on the clock. `passes_nothing`:
    whatever is wrong with the file, it does not speak for other pages."""

    values: Mapping[str, object] = field(default_factory=dict)
    unreadable: str = ""
    passes_nothing: bool = False


def read_fields(path: str, content: bytes) -> BlobFields:
    """The fields as extraction will see them. Most files have no block: one byte test, and nothing is decoded."""
    if content.startswith(_LFS_POINTER):
        return BlobFields(unreadable="the repository holds a Git LFS pointer, not the text")
    whole_file = passes_on_whole_file(path)
    if not whole_file and not _MAY_OPEN_BLOCK.match(content):
        return BlobFields()
    passes_nothing = False
    try:
        text = encoding.decode(content)
        passes_nothing = not whole_file and _CASCADE not in text.lower()
        if whole_file:
            return BlobFields(front_matter.read_settings(PurePosixPath(path).name, encoding.normalise(text)))
        return BlobFields(_fields(text))
    except (DocumentUnreadable, ValueError) as error:
        return BlobFields(unreadable=str(error), passes_nothing=passes_nothing)


def _fields(text: str) -> Mapping[str, object]:
    """Normalised first, as extraction does, or a block that extraction strips would not be seen here.

    Normalising works line by line, so a block is the same without the text below it, which is most of the cost.
    """
    if second := _SECOND_FENCE.search(text):
        with suppress(DocumentUnreadable):  # perhaps only cut off: the whole text tells
            if fields := front_matter.split(encoding.normalise(text[: second.end()]))[0]:
                return fields
    return front_matter.split(encoding.normalise(text))[0]


def passes_on_whole_file(path: str) -> bool:
    """MkDocs Material: the fields of `.meta.yml` hold for every page of its folder and below."""
    return PurePosixPath(path).name in _META_FILES


def may_pass_on(path: str) -> bool:
    """A folder's own file; Hugo has one for each language (`_index.de.md`)."""
    pure = PurePosixPath(path)
    is_section = pure.name.partition(".")[0] == _SECTION_FILE and pure.suffix.lower() in CONTENT_SUFFIXES
    return is_section or passes_on_whole_file(path)


def cascades(fields: BlobFields) -> list[Mapping[str, object]]:
    """The entries of Hugo's `cascade`, which may be one or a list."""
    cascade = next((value for name, value in fields.values.items() if name.lower() == _CASCADE), None)
    return [entry for entry in (cascade if isinstance(cascade, list) else [cascade]) if isinstance(entry, Mapping)]


def passed_on(path: str, fields: BlobFields) -> Mapping[str, object]:
    """What a folder's own file gives to every page of the folder and below: `.meta.yml`, or Hugo's `cascade`.

    A cascade that names a target speaks of some pages only and is left out; the dialect `hugo` reads it. Raises
    DocumentUnreadable when the file cannot be read: then it is unknown what holds for the pages below.
    """
    refuse_unreadable(path, fields)
    if passes_on_whole_file(path):
        return fields.values
    result: dict[str, object] = {}
    for entry in cascades(fields):
        if not {"target", "_target"} & set(entry):
            result.update(entry)
    return result


def refuse_unreadable(path: str, fields: BlobFields) -> None:
    """Raises DocumentUnreadable for a folder's file that may say something and cannot be read."""
    if fields.unreadable and not fields.passes_nothing:
        raise DocumentUnreadable(f"{path} speaks for the pages below it and cannot be read: {fields.unreadable}")
