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

from include.domain.errors import ConfigError
from include.domain.redaction import redact

_PACKAGES = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs"}


class StateRoot:
    """Reads and writes small files below one root."""

    def __init__(self, url: str) -> None:
        """Raises ConfigError where the scheme is unknown or its file system is not installed."""
        try:
            self._fs, root = fsspec.core.url_to_fs(url)
        except ImportError as error:
            scheme = url.partition("://")[0]
            package = _PACKAGES.get(scheme, "")
            install = f"`pip install {package}`" if package else "the package that fsspec names"
            raise ConfigError(
                f"state root {redact(url)}: {scheme}:// needs {install} in every process of truecopy ({error})",
                scheme=scheme,
                package=package,
            ) from error
        except ValueError as error:
            known = "a folder, s3://bucket/path, gs://bucket/path or any other URL that fsspec knows"
            raise ConfigError(f"state root {redact(url)}: {error}; allowed are {known}") from error
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

    def remove(self, path: str) -> None:
        """Raises FileNotFoundError."""
        self._fs.rm_file(str(self._root / path))

    def names(self, folder: str) -> list[str]:
        """Sorted names in a folder; a folder that does not exist has none."""
        target = str(self._root / folder)
        self._fs.invalidate_cache(target)  # object stores remember listings, and other workers write too
        if not self._fs.exists(target):
            return []
        names = (PurePosixPath(entry).name for entry in self._fs.ls(target, detail=False))
        return sorted(name for name in names if not name.endswith(".tmp"))
