"""The state root: one folder, or any fsspec URL, below which runs leave their files.

Files have unique names and are replaced whole, so that many workers never collide and a reader sees the old file
or the new one, never half of one.
"""

from __future__ import annotations

import os
import uuid
from pathlib import PurePosixPath

import fsspec
from fsspec.implementations.local import LocalFileSystem


class StateRoot:
    """Reads and writes small files below one root."""

    def __init__(self, url: str) -> None:
        self._fs, root = fsspec.core.url_to_fs(url)
        self._root = PurePosixPath(root)

    def __str__(self) -> str:
        return str(self._root)

    def write(self, path: str, data: bytes) -> None:
        """Replace the file at `path` in one step, on local disks after an fsync."""
        target = str(self._root / path)
        if not isinstance(self._fs, LocalFileSystem):
            self._fs.pipe_file(target, data)
            return
        self._fs.makedirs(str(PurePosixPath(target).parent), exist_ok=True)
        beside = f"{target}.{uuid.uuid4().hex}.tmp"
        with open(beside, "wb") as file:  # noqa: PTH123 (the path is the file system's string)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)  # noqa: PTH105

    def read(self, path: str) -> bytes:
        """Raises FileNotFoundError."""
        return bytes(self._fs.cat_file(str(self._root / path)))

    def names(self, folder: str) -> list[str]:
        """Sorted names in a folder; a folder that does not exist has none."""
        target = str(self._root / folder)
        if not self._fs.exists(target):
            return []
        names = (PurePosixPath(entry).name for entry in self._fs.ls(target, detail=False))
        return sorted(name for name in names if not name.endswith(".tmp"))
