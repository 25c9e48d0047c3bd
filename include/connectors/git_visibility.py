"""What the front matter in a repository says about who may see a file: the file's own, and what it inherits. Pure."""

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


@dataclass(frozen=True, slots=True)
class BlobFields:
    """The fields of one blob. Kept by blob id, because the verdict also depends on the clock."""

    values: Mapping[str, object] = field(default_factory=dict)
    unreadable: str = ""


def read_fields(path: str, content: bytes) -> BlobFields:
    """The fields as extraction will see them. Most files have no block: one byte test, and nothing is decoded."""
    if content.startswith(_LFS_POINTER):
        return BlobFields(unreadable="the repository holds a Git LFS pointer, not the text")
    whole_file = passes_on_whole_file(path)
    if not whole_file and not _MAY_OPEN_BLOCK.match(content):
        return BlobFields()
    try:
        text = encoding.decode(content)
        return BlobFields(_fields(f"---\n{text}\n---\n" if whole_file else text))
    except (DocumentUnreadable, ValueError) as error:
        return BlobFields(unreadable=str(error))


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
    return passes_on_whole_file(path) or PurePosixPath(path).stem == _SECTION_FILE


def passed_on(path: str, fields: BlobFields) -> Mapping[str, object]:
    """What a folder's own file gives to every page of the folder and below: `.meta.yml`, or Hugo's `cascade`.

    A cascade that names a target speaks of some pages only and is left out; whoever hides pages that way must
    exclude them by a pattern.
    """
    if passes_on_whole_file(path):
        return fields.values
    cascade = fields.values.get("cascade")
    result: dict[str, object] = {}
    for entry in cascade if isinstance(cascade, list) else [cascade]:
        if isinstance(entry, Mapping) and not {"target", "_target"} & set(entry):
            result.update(entry)
    return result


def inherited(path: str, by_folder: Mapping[str, Mapping[str, object]]) -> Mapping[str, object]:
    """Fields a page gets from its folders, the nearest one winning. Folders are repository paths, `.` is the top."""
    result: dict[str, object] = {}
    for folder in reversed(PurePosixPath(path).parents):
        result.update(by_folder.get(str(folder), {}))
    return result
