"""Paths of a repository: which are documents, and what a document is called. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import quote

# Escaped because they cannot be stored, or would let a name look like another one on a page. A fixed list: what
# Python calls printable grows with each Unicode version, and ids must not.
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\udc80-\udcff\\]")
_ESCAPED = re.compile(rb"\\(?:\\|x([0-9a-f]{2}))")


def document_id(path: bytes) -> str:
    """The id of the document at a repository path: the path itself, byte for byte.

    Names that differ only in case or in Unicode form stay different. Bytes that are not UTF-8, control and
    direction characters become `\\xNN`, a backslash is doubled, so that no two paths share an id.
    """
    return _UNPRINTABLE.sub(_escape, path.decode("utf-8", "surrogateescape"))


def _escape(match: re.Match[str]) -> str:
    if match.group() == "\\":
        return "\\\\"
    return "".join(f"\\x{byte:02x}" for byte in match.group().encode("utf-8", "surrogateescape"))


def raw_path(doc_id: str) -> bytes:
    """Inverse of `document_id`. Of any other text something, but never an error."""
    encoded = doc_id.encode("utf-8", "surrogatepass")
    return _ESCAPED.sub(lambda found: bytes.fromhex(found[1].decode()) if found[1] else b"\\", encoded)


def url_path(name: str, *, safe: str = "/") -> str:
    """A part of an id as it stands in a URL: the bytes of the file name, quoted."""
    return quote(raw_path(name), safe=safe)


class Globs:
    """Matches paths against shell patterns, ignoring case (`README.MD` is no other kind of file than `readme.md`).

    A pattern without a slash is compared with the file name, one with a slash with the whole path below the root, one
    that ends with a slash with the folders there; `**` spans folders, `*` and `?` do not.
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        names = [_translate(pattern) for pattern in patterns if "/" not in pattern]
        paths = [_translate(_from_root(pattern)) for pattern in patterns if "/" in pattern]
        self._name = re.compile("|".join(names) or r"(?!)", re.IGNORECASE | re.DOTALL)
        self._path = re.compile("|".join(paths) or r"(?!)", re.IGNORECASE | re.DOTALL)

    def match(self, path: str) -> bool:
        return bool(self._name.fullmatch(path.rpartition("/")[2]) or self._path.fullmatch(path))


def _from_root(pattern: str) -> str:
    bare = pattern.removeprefix("./").lstrip("/")
    return f"{bare}**" if bare.endswith("/") else bare


def _translate(pattern: str) -> str:
    tokens = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    special = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "(?:" + "".join(special.get(token, re.escape(token)) for token in tokens) + ")"
