"""File names for ids of any length and any characters."""

from __future__ import annotations

import hashlib
from urllib.parse import quote

_LONGEST_NAME = 100


def file_name(text: str) -> str:
    """A file name of its own for any id: percent-encoded; a long one keeps its beginning and ends in a digest."""
    name = quote(text, safe="").replace("~", "%7E")
    if len(name) > _LONGEST_NAME:
        return f"{name[: _LONGEST_NAME - 20]}.{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    return name
