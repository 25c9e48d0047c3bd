"""The state root: one folder, or any fsspec URL, below which runs leave their files.

Files have unique names and are replaced whole, so that many workers never collide and a reader sees the old file
or the new one, never half of one.
"""

from __future__ import annotations

import errno
import os
import uuid
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path, PurePosixPath

import fsspec
from fsspec.implementations.local import LocalFileSystem

from include.domain.errors import ConfigError
from include.domain.redaction import redact

_PACKAGES = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs"}
_NO_HARD_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
_AT_ONCE = 16
"""Requests to an object store under way at a time, where many small files are moved."""


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
        os.replace(self._written_beside(target, data), target)  # noqa: PTH105

    def append(self, path: str, data: bytes) -> None:
        """Add to the end of a file that one process writes. Where files cannot grow, on object stores, the data become
        a file of their own beside it. A reader may see the last line half written."""
        target = self._root / path
        if not isinstance(self._fs, LocalFileSystem):
            self._fs.pipe_file(str(target.with_stem(f"{target.stem}.{uuid.uuid4().hex}")), data)
            return
        self._fs.makedirs(str(target.parent), exist_ok=True)
        with open(target, "ab") as file:  # noqa: PTH123 (as above)
            file.write(data)

    def create(self, path: str, data: bytes) -> bool:
        """Write the file at `path` unless there is one; says whether it was written.

        Of several writers at once one succeeds, where the file system can tell them apart (local and network file
        systems with hard links, S3, Google Cloud Storage). Elsewhere two may believe that they were first.
        """
        target = str(self._root / path)
        if not isinstance(self._fs, LocalFileSystem):
            try:
                self._fs.pipe_file(target, data, mode="create")
            except FileExistsError:
                return False
            return True
        if Path(target).exists():
            return False
        beside = self._written_beside(target, data)
        try:
            os.link(beside, target)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in _NO_HARD_LINKS:
                raise
            os.replace(beside, target)  # noqa: PTH105
            return True
        finally:
            Path(beside).unlink(missing_ok=True)
        return True

    def _written_beside(self, target: str, data: bytes) -> str:
        self._fs.makedirs(str(PurePosixPath(target).parent), exist_ok=True)
        beside = f"{target}.{uuid.uuid4().hex}.tmp"
        try:
            with open(beside, "wb") as file:  # noqa: PTH123 (the path is the file system's string)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        except BaseException:
            Path(beside).unlink(missing_ok=True)  # or each try on a full disk leaves one more
            raise
        return beside

    def any_exists(self, paths: Iterable[str]) -> bool:
        targets = [str(self._root / path) for path in paths]
        if isinstance(self._fs, LocalFileSystem):
            return any(Path(target).exists() for target in targets)
        with ThreadPoolExecutor(_AT_ONCE) as threads:  # an object store takes its time for each answer
            return any(threads.map(self._fs.exists, targets))

    def move(self, moves: Mapping[str, str]) -> None:
        """Move files, each in one step on a file system and by a copy on an object store. One that is not there any
        more was moved by somebody else, and is passed over."""
        if isinstance(self._fs, LocalFileSystem):
            for folder in {str((self._root / to).parent) for to in moves.values()}:
                self._fs.makedirs(folder, exist_ok=True)
            for path, to in moves.items():
                with suppress(FileNotFoundError):
                    os.replace(str(self._root / path), str(self._root / to))  # noqa: PTH105
            return

        def moved(move: tuple[str, str]) -> None:
            with suppress(FileNotFoundError):
                self._fs.mv(str(self._root / move[0]), str(self._root / move[1]))

        with ThreadPoolExecutor(_AT_ONCE) as threads:
            list(threads.map(moved, moves.items()))

    def read(self, path: str) -> bytes:
        """Raises FileNotFoundError."""
        return bytes(self._fs.cat_file(str(self._root / path)))

    def stamp(self, path: str) -> tuple[int, int, int] | None:
        """Another one whenever the file is; None where that cannot be told without a request over the network. Raises
        FileNotFoundError."""
        if not isinstance(self._fs, LocalFileSystem):
            return None
        found = Path(self._root / path).stat()
        return found.st_ino, found.st_mtime_ns, found.st_size

    def read_all(self, folder: str) -> dict[str, bytes]:
        """Contents by name; a file that goes away meanwhile is left out, a folder that does not exist has none."""
        target = self._root / folder
        names = self.names(folder)
        found: dict[str, bytes] = {}
        if isinstance(self._fs, LocalFileSystem):
            for name in names:
                with suppress(FileNotFoundError):
                    found[name] = Path(target / name).read_bytes()
            return found
        paths = [str(target / name) for name in names]
        # Object stores answer many questions at once here; any error but "not there" is raised.
        for path, data in self._fs.cat(paths, on_error="return").items() if paths else ():
            if isinstance(data, FileNotFoundError):
                continue
            if isinstance(data, BaseException):
                raise data
            found[PurePosixPath(path).name] = bytes(data)
        return found

    def remove_folder(self, folder: str) -> None:
        """With everything in it. One that does not exist is no error."""
        with suppress(FileNotFoundError):
            self._fs.rm(str(self._root / folder), recursive=True)

    def remove(self, path: str) -> None:
        """Raises FileNotFoundError."""
        self._fs.rm_file(str(self._root / path))

    @property
    def local_folder(self) -> Path | None:
        """None where it is no folder of this machine."""
        return Path(self._root) if isinstance(self._fs, LocalFileSystem) else None

    def walk(self, folder: str = "") -> list[str]:
        """Sorted paths of all files below a folder, as `read` takes them, half-written ones included."""
        target = str(self._root / folder) if folder else str(self._root)
        self._fs.invalidate_cache()
        if not self._fs.exists(target):
            return []
        root = str(self._root).strip("/")
        return sorted(found.strip("/").removeprefix(root).strip("/") for found in self._fs.find(target))

    def names(self, folder: str) -> list[str]:
        """Sorted names in a folder; a folder that does not exist has none."""
        target = str(self._root / folder)
        self._fs.invalidate_cache(target)  # object stores remember listings, and other workers write too
        if not self._fs.exists(target):
            return []
        names = (PurePosixPath(entry).name for entry in self._fs.ls(target, detail=False))
        return sorted(name for name in names if not name.endswith(".tmp"))
