"""Recorded histories of real documentation: read step by step into a folder, committed to a git repository.

A history is a file of JSON lines: a line of meta data, then steps with the bytes of every file they add or change.
"""

from __future__ import annotations

import base64
import hashlib
import json
import lzma
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

REPLAYS = Path(__file__).parents[3] / "shared" / "data" / "replays"
SUFFIX = ".jsonl.xz"
MINI = "mini-handbook-18f"


def histories() -> list[str]:
    """Names of the recorded histories on this machine, the mini one left out; empty where there are none."""
    return sorted(name for path in REPLAYS.glob(f"*{SUFFIX}") if (name := path.name.removesuffix(SUFFIX)) != MINI)


def _index(history: str) -> dict[str, Any]:
    entry: dict[str, Any] = json.loads((REPLAYS / "INDEX.json").read_text(encoding="utf-8"))[f"{history}{SUFFIX}"]
    return entry


def number_of_steps(history: str) -> int:
    """The number of the last step; the folder as it was found is step 0."""
    return int(_index(history)["steps"])


def notable_steps(history: str) -> dict[int, str]:
    """Steps worth a look of their own, with what happens in them."""
    notable: dict[int, str] = {}
    for what, entries in _index(history)["notable"].items():
        for step, *_ in entries:
            notable[step] = f"{notable[step]}, {what}" if step in notable and what not in notable[step] else what
    return notable


@dataclass(frozen=True, slots=True)
class File:
    """One file of the folder. `oid` is its git blob id, computed here and not asked of git."""

    content: bytes
    sha256: str
    oid: str
    symlink: bool

    @classmethod
    def of(cls, content: bytes, *, symlink: bool = False) -> File:
        blob = b"blob %d\0" % len(content) + content
        return cls(content, hashlib.sha256(content).hexdigest(), hashlib.sha1(blob).hexdigest(), symlink)


@dataclass(frozen=True, slots=True)
class Probe:
    """A phrase that a step brought into a document, or took out of it."""

    phrase: str
    path: str


@dataclass(frozen=True, slots=True)
class Step:
    """One commit. `removed` and `written` are what it does to the folder, `tree` the digest of the folder after it."""

    number: int
    author_date: datetime
    commit_date: datetime
    removed: tuple[str, ...]
    written: dict[str, File]
    gone: tuple[Probe, ...]
    new: tuple[Probe, ...]
    tree: str


@dataclass
class Folder:
    """The files as they are after the newest step, and how they came there."""

    files: dict[str, File] = field(default_factory=dict)

    def steps(self, history: str, upto: int | None = None) -> Iterator[Step]:
        """Apply each step and give it out. Raises AssertionError when the folder is not what was recorded."""
        with lzma.open(REPLAYS / f"{history}{SUFFIX}", "rt", encoding="utf-8") as lines:
            first = json.loads(next(lines))["first"]
            for line in lines:
                step = self._apply(json.loads(line), first)
                yield step
                if step.number == upto:
                    return

    def digest(self) -> str:
        rows = (f"{path}\t{file.sha256}\n".encode("utf-8", "surrogateescape") for path, file in self._sorted())
        return hashlib.sha256(b"".join(rows)).hexdigest()

    def _apply(self, record: dict[str, Any], first: str) -> Step:
        changes = record["changes"]
        # Everything is read before anything is removed: two files may swap names in one step.
        written = {change["path"]: self._file(change) for change in changes if change["op"] != "delete"}
        left = {change["path"] if change["op"] == "delete" else change.get("old_path") for change in changes} - {None}
        for path in left:
            self.files.pop(path, None)
        self.files.update(written)
        probes = record.get("probes", {})
        step = Step(
            record["k"],
            datetime.fromisoformat(record["author_date"] or first),  # the folder as it was found has no date
            datetime.fromisoformat(record["date"] or first),
            tuple(sorted(left - written.keys())),
            written,
            tuple(Probe(probe["text"], probe["was_in"]) for probe in probes.get("gone", ())),
            tuple(Probe(probe["text"], probe["in"]) for probe in probes.get("new", ())),
            record["tree"],
        )
        assert self.digest() == step.tree, f"step {step.number}: the folder is not the recorded one"
        return step

    def _file(self, change: dict[str, Any]) -> File:
        symlink = change.get("mode") == "symlink"
        if "text" in change:
            return File.of(change["text"].encode(), symlink=symlink)
        if "b64" in change:
            return File.of(base64.b64decode(change["b64"]), symlink=symlink)
        return self.files[change["old_path"]]  # a rename that changes nothing

    def _sorted(self) -> list[tuple[str, File]]:
        return sorted(self.files.items())


class Repository:
    """A git repository that gets a history's steps as commits with their own dates, many in one process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._empty = True
        subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(folder)], check=True)

    def commit(self, steps: list[Step]) -> None:
        stream = bytearray()
        for position, step in enumerate(steps):
            stream += b"commit refs/heads/main\n"
            stream += b"author A <a@example.org> %s\n" % _raw(step.author_date)
            stream += b"committer A <a@example.org> %s\n" % _raw(step.commit_date)
            stream += b"data 4\nstep\n"
            if position == 0 and not self._empty:
                stream += b"from refs/heads/main^0\n"
            self._empty = False
            for path in step.removed:
                stream += b"D %s\n" % path.encode()
            for path, file in step.written.items():
                mode = b"120000" if file.symlink else b"100644"
                stream += b"M %s inline %s\ndata %d\n%s\n" % (mode, path.encode(), len(file.content), file.content)
        command = ["git", "-C", str(self.folder), "fast-import", "--quiet"]
        subprocess.run(command, input=bytes(stream), check=True)


def _raw(moment: datetime) -> bytes:
    return f"{int(moment.timestamp())} {moment.strftime('%z')}".encode()
