"""What the front matter in a repository says about who may see a file: the file's own, and what it inherits. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from include.domain.errors import DocumentUnreadable
from include.text import front_matter

_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
_MAY_OPEN_BLOCK = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*(?:---|\+\+\+|\{)|\xff\xfe|\xfe\xff")
_SECTION_FILE = "_index"
_META_FILES = (".meta.yml", ".meta.yaml")


@dataclass(frozen=True, slots=True)
class BlobFields:
    """The fields of one blob. Kept by blob id, because the verdict also depends on the clock."""

    values: Mapping[str, object] = field(default_factory=dict)
    unreadable: str = ""


def read_fields(path: str, content: bytes) -> BlobFields:
    """Most files have no block: one byte test, and no YAML is parsed."""
    if content.startswith(_LFS_POINTER):
        return BlobFields(unreadable="the repository holds a Git LFS pointer, not the text")
    if passes_on_whole_file(path):
        content = b"---\n" + content + b"\n---\n"
    if not _MAY_OPEN_BLOCK.match(content):
        return BlobFields()
    # Names of fields are ASCII, so this is exact enough. UTF-16 needs its mark, or a draft would slip through.
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    try:
        values, _ = front_matter.split(content.decode(encoding, "replace"))
    except DocumentUnreadable as error:
        return BlobFields(unreadable=str(error))
    return BlobFields(values)


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
