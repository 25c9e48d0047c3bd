"""Reads what `git log` and `git diff-tree` print with `--raw -z`. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

LOG_FORMAT = "%x01%H%x02%T%x02%P%x02%aI%x02%cI"


@dataclass(frozen=True, slots=True)
class Change:
    """One path that differs. `status` as git prints it (`A`, `M`, `D`, `T`, `R087`); `old_path` is the path unless
    it was renamed; oids are those of the content, zeros where there is none."""

    status: str
    old_path: bytes
    path: bytes
    old_oid: str
    new_oid: str


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit with the changes against its only parent; a merge is printed without any."""

    id: str
    tree: str
    parents: tuple[str, ...]
    author_date: str
    commit_date: str
    changes: tuple[Change, ...]


def commits(log: bytes) -> Iterator[Commit]:
    """The commits of a log with LOG_FORMAT. A path may start with \\x01 and is never mistaken for a header, because
    it is taken together with its status."""
    header: list[str] | None = None
    changes: list[Change] = []
    tokens = iter(log.split(b"\0"))
    for token in tokens:
        token = token.strip(b"\n")
        if token.startswith(b"\x01"):
            if header is not None:
                yield _commit(header, changes)
            header, changes = token[1:].decode("ascii", "replace").split("\x02"), []
        elif token:
            changes.append(_change(token, tokens))
    if header is not None:
        yield _commit(header, changes)


def comparisons(output: bytes) -> Iterator[tuple[str, str, tuple[Change, ...]]]:
    """(tree before, tree after, changes) for every pair that `git diff-tree --stdin` was asked for, in that order."""
    pair: tuple[str, str] | None = None
    changes: list[Change] = []
    tokens = iter(output.split(b"\0"))
    for token in tokens:
        for line in token.split(b"\n"):
            if line.startswith(b":"):
                changes.append(_change(line, tokens))
            elif line:
                if pair is not None:
                    yield (*pair, tuple(changes))
                before, _, after = line.decode("ascii", "replace").partition(" ")
                pair, changes = (before, after), []
    if pair is not None:
        yield (*pair, tuple(changes))


def _commit(header: list[str], changes: list[Change]) -> Commit:
    commit, tree, parents, author_date, commit_date = header
    return Commit(commit, tree, tuple(parents.split()), author_date, commit_date, tuple(changes))


def _change(row: bytes, following: Iterator[bytes]) -> Change:
    _, _, old_oid, new_oid, status = row[1:].decode("ascii", "replace").split(" ")
    old_path = next(following, b"")
    path = next(following, b"") if status[:1] in ("R", "C") else old_path
    return Change(status, old_path, path, old_oid, new_oid)
