"""The independent search: looks for bytes in every file below some folders, whoever put them there.

It knows nothing of what the product stores where. It reads what a plain look at the bytes would miss: compressed files
and archives, Parquet, SQLite, and the objects of git repositories, reachable or not. It says where something was found
and in which spelling, never what.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import re
import sqlite3
import subprocess
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from include.domain.erasure import Hit, SearchReport, Trace
from include.planning.spellings import all_spellings, slug, spellings
from include.records.state import StateRoot

_WINDOW = 8_000_000
_DEEPEST = 3
_SPACE = re.compile(rb"\s+")
_UNREADABLE = (
    OSError,
    ValueError,
    EOFError,
    RuntimeError,
    zlib.error,
    lzma.LZMAError,
    sqlite3.Error,
    tarfile.TarError,
    zipfile.BadZipFile,
)


class FileSearch:
    """Implements ports.erasing.Search. `places` are folders or files by the name that a hit is reported under; one
    inside another is searched once, under the name of the inner one."""

    def __init__(self, places: Mapping[str, Path]) -> None:
        self._places = {name: path.absolute() for name, path in places.items()}

    def search(self, traces: Sequence[Trace]) -> SearchReport:
        looking = _Looking(_Needles(traces))
        for place, root in self._places.items():
            inner = {path for path in self._places.values() if path != root and path.is_relative_to(root)}
            for file in _files(root, inner):
                looking.at(place, file, file.relative_to(root) if file != root else Path(file.name))
            for repository in _repositories(root, inner):
                looking.at_objects(place, repository, repository.relative_to(root))
        return looking.report(sum(len(trace.samples) for trace in traces))


class RemoteSearch:
    """Implements ports.erasing.Search for a state root that is no folder of this machine."""

    def __init__(self, name: str, state: StateRoot) -> None:
        self.name = name
        self._state = state

    def search(self, traces: Sequence[Trace]) -> SearchReport:
        looking = _Looking(_Needles(traces))
        for path in self._state.walk():
            with tempfile.NamedTemporaryFile(prefix="truecopy-") as copy:
                copy.write(self._state.read(path))
                copy.flush()
                looking.at(self.name, Path(copy.name), Path(path))
        return looking.report(sum(len(trace.samples) for trace in traces))


class _Needles:
    """What is looked for. Spellings by their bytes; those with white space also where that is broken differently."""

    def __init__(self, traces: Sequence[Trace]) -> None:
        self.spellings = all_spellings(traces)
        self.broken = {data: name for data, name in self.spellings.items() if b" " in data}
        self.longest = max(map(len, self.spellings), default=0)
        slugs = {slug(name) for trace in traces for name in trace.names}
        self.names = {data for each in traces for name in each.names for data in spellings(name)} | {
            each.encode() for each in slugs if len(each) >= 8
        }

    def found_in(self, data: bytes) -> set[str]:
        found = {name for needle, name in self.spellings.items() if needle in data}
        if self.broken and b"\n" in data and b"\0" not in data[:4096]:
            flat = _SPACE.sub(b" ", data)
            found |= {f"{name}, broken over lines" for needle, name in self.broken.items() if needle in flat}
        return found


@dataclass(slots=True)
class _Looking:
    needles: _Needles
    files: int = 0
    read: int = 0
    hits: set[Hit] = field(default_factory=set)
    unread: list[str] = field(default_factory=list)

    def report(self, phrases: int) -> SearchReport:
        hits = tuple(sorted(self.hits, key=lambda hit: (hit.place, hit.where, hit.spelling)))
        return SearchReport(self.files, self.read, phrases, hits, tuple(self.unread))

    def at(self, place: str, file: Path, shown: Path) -> None:
        where = self._shown(place, shown)
        try:
            with file.open("rb") as stream:
                self.files += 1
                head = stream.read(16)
                for data in _windows(stream, self.needles.longest):
                    self.read += len(data)
                    self._in(place, where, data)
            for data in _unpacked(file, head):
                self._in(place, where, data, packed=True)
        except FileNotFoundError:
            return
        except _UNREADABLE as error:
            self.unread.append(f"{place}: {where}: {type(error).__name__}")

    def at_objects(self, place: str, repository: Path, shown: Path) -> None:
        where = f"{self._shown(place, shown)}: objects"
        try:
            for data in _objects(repository):
                self.read += len(data)
                self._in(place, where, data, packed=True)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            self.unread.append(f"{place}: {where}: {type(error).__name__}")

    def _in(self, place: str, where: str, data: bytes, *, packed: bool = False) -> None:
        for name in self.needles.found_in(data):
            self.hits.add(Hit(place, where, f"{name}, packed" if packed else name))

    def _shown(self, place: str, shown: Path) -> str:
        """The path for a report: a name that tells the document is a hit, and is not repeated."""
        parts = []
        for part in shown.parts:
            told = any(name in os.fsencode(part) for name in self.needles.names)
            parts.append("…" if told else part)
        if "…" in parts:
            self.hits.add(Hit(place, "/".join(parts), "name of a file"))
        return "/".join(parts) or "."


def _files(root: Path, without: set[Path]) -> Iterator[Path]:
    if root.is_file():
        yield root
        return
    for folder, folders, names in os.walk(root):
        here = Path(folder)
        folders[:] = sorted(
            name for name in folders if here / name not in without and not (name == "objects" and _is_git(here))
        )
        for name in sorted(names):
            file = here / name
            if file not in without and file.is_file() and not file.is_symlink():
                yield file


def _repositories(root: Path, without: set[Path]) -> Iterator[Path]:
    if not root.is_dir():
        return
    for folder, folders, _ in os.walk(root):
        here = Path(folder)
        folders[:] = [name for name in folders if here / name not in without]
        if _is_git(here):
            folders[:] = [name for name in folders if name != "objects"]
            yield here


def _is_git(folder: Path) -> bool:
    return (folder / "objects").is_dir() and (folder / "HEAD").is_file()


def _windows(stream: io.BufferedReader, overlap: int) -> Iterator[bytes]:
    """The data of a file in pieces that overlap, without its holes: an embedded index is mostly holes."""
    descriptor, end = stream.fileno(), os.fstat(stream.fileno()).st_size
    position = 0
    while position < end:
        try:
            position = os.lseek(descriptor, position, os.SEEK_DATA)
            hole = os.lseek(descriptor, position, os.SEEK_HOLE)
        except OSError:  # nothing but a hole is left, or this file system knows none
            if position:
                return
            hole = end
        while position < hole:
            data = os.pread(descriptor, min(_WINDOW, hole - position), position)
            if not data:
                return
            yield data
            position += len(data)
            if position < hole:
                position -= min(overlap, len(data) - 1)


def _unpacked(file: Path, head: bytes, depth: int = 0) -> Iterator[bytes]:
    if head.startswith(b"PAR1"):
        yield from _parquet(file)
    elif head.startswith(b"SQLite format 3\0"):
        yield from _sqlite(file)
    elif head.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(file) as archive:
            for name in archive.namelist():
                yield from _nested(archive.read(name), depth + 1)
    elif unpack := _unpacker(head):
        yield from _nested(unpack(file.read_bytes()), depth + 1)


def _nested(data: bytes, depth: int) -> Iterator[bytes]:
    yield data
    if depth >= _DEEPEST:
        return
    if unpack := _unpacker(data[:16]):
        yield from _nested(unpack(data), depth + 1)
    elif data[:4] == b"PK\x03\x04":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                yield from _nested(archive.read(name), depth + 1)
    elif data[257:262] == b"ustar":
        with tarfile.open(fileobj=io.BytesIO(data)) as tape:
            for member in tape:
                if (inner := tape.extractfile(member)) is not None:
                    yield from _nested(inner.read(), depth + 1)
    elif data[:4] == b"PAR1":
        yield from _rows(io.BytesIO(data))


def _unpacker(head: bytes):  # type: ignore[no-untyped-def]
    if head.startswith(b"\x1f\x8b"):
        return gzip.decompress
    if head.startswith(b"BZh"):
        return bz2.decompress
    if head.startswith(b"\xfd7zXZ\0"):
        return lzma.decompress
    return None


def _parquet(file: Path) -> Iterator[bytes]:
    with file.open("rb") as stream:
        yield from _rows(stream)


def _rows(stream: object) -> Iterator[bytes]:
    import pyarrow.parquet as pq

    for batch in pq.ParquetFile(stream).iter_batches():
        yield json.dumps(batch.to_pylist(), default=str, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _sqlite(file: Path) -> Iterator[bytes]:
    """Row by row: a long value lies in pieces all over the file."""
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=10)) as database:
        database.text_factory = bytes
        names = [
            row[0].decode()
            for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        ]
        for name in names:
            quoted = name.replace('"', '""')
            for row in database.execute(f'SELECT * FROM "{quoted}"'):
                for value in row:
                    if isinstance(value, bytes):
                        yield from _nested(value, _DEEPEST - 1)


def _objects(repository: Path) -> Iterator[bytes]:
    """Everything that a git repository stores, one object after the other; also what no branch leads to any more."""
    command = ["git", f"--git-dir={repository}", "-c", "safe.directory=*", "cat-file", "--batch", "--batch-all-objects"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, env=environment
    ) as git:
        assert git.stdout is not None
        while head := git.stdout.readline():
            size = int(head.split()[2])
            yield git.stdout.read(size)
            git.stdout.read(1)
    if git.returncode:
        raise ValueError(f"git cat-file ended with {git.returncode}")
