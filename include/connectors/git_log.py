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
    """One commit with the changes against its first parent."""

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
    found: list[Change] = []
    tokens = iter(log.split(b"\0"))
    for token in tokens:
        token = token.strip(b"\n")
        if token.startswith(b"\x01"):
            if header is not None:
                yield _commit(header, found)
            header, found = token[1:].decode("ascii", "replace").split("\x02"), []
        elif token:
            found.append(_change(token, tokens))
    if header is not None:
        yield _commit(header, found)


def changes(output: bytes) -> tuple[Change, ...]:
    """What `git diff-tree` prints of two trees."""
    tokens = iter(output.split(b"\0"))
    return tuple(_change(token, tokens) for token in tokens if token)


def _commit(header: list[str], found: list[Change]) -> Commit:
    commit, tree, parents, author_date, commit_date = header
    return Commit(commit, tree, tuple(parents.split()), author_date, commit_date, tuple(found))


def _change(row: bytes, following: Iterator[bytes]) -> Change:
    _, _, old_oid, new_oid, status = row[1:].decode("ascii", "replace").split(" ")
    old_path = next(following, b"")
    path = next(following, b"") if status[:1] in ("R", "C") else old_path
    return Change(status, old_path, path, old_oid, new_oid)
