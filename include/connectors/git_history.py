"""When each file was born and last changed, and where files went, read from one pass over the history.

The walk goes from the newest commit to the oldest and knows, for each commit, what the files of today were called
there. A rename hands the name on to the parent. At a merge a file is followed into the parent that holds the same
content, as `git log` simplifies history: what happened to a namesake on the other side is not its story. Only where
no parent holds the content (a conflict was solved, or somebody edited inside the merge) it is followed into all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from include.connectors.git_dates import Noted, birth, last_change
from include.connectors.git_log import Change, Commit, changes, commits
from include.domain.date_candidates import DateCandidate

_EMPTY_BLOBS = frozenset(
    {
        "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
        "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
    }
)


@dataclass(frozen=True, slots=True)
class History:
    """`dates` by path of today: that of the commit that added the file, renames followed, as its author and its
    committer date it; and that of the last commit that changed its content. A birth is trusted less, for a text may be
    older than the repository. `moved`: a path that is no more -> what the same file is called today."""

    dates: Mapping[bytes, tuple[DateCandidate, ...]] = field(default_factory=dict)
    moved: Mapping[bytes, bytes] = field(default_factory=dict)


class Reader(Protocol):
    """What is asked of a repository (`git_repository.Repository`)."""

    def log(self, commit: str, *, timeout: float) -> bytes: ...

    def compare(self, before: str, after: str, *, timeout: float) -> bytes: ...

    def lookup(self, *, timeout: float) -> AbstractContextManager[Callable[[str, bytes], str]]: ...


def read_history(repository: Reader, commit: str, paths: Iterable[bytes], *, shallow: bool, timeout: float) -> History:
    """History of these paths of `commit`; a path that the history never adds has no birth. Raises what the
    repository raises."""
    log = tuple(commits(repository.log(commit, timeout=timeout)))
    trees = {one.id: one.tree for one in log}
    with repository.lookup(timeout=timeout) as oid_at:
        walk = _Walk(commit, paths, _Parents(repository, trees, oid_at, timeout))
        for one in log:
            walk.step(one)
    return History(
        {
            path: (*birth(walk.born.get(path), shallow), *last_change(walk.changed.get(path), shallow))
            for path in walk.born.keys() | walk.changed.keys()
        },
        {path: todays[0] for path, todays in walk.left.items() if todays},
    )


_Names = dict[bytes, tuple[bytes, ...]]  # what a file is called at a commit -> what it is called today


@dataclass(frozen=True, slots=True)
class _Parents:
    """Where the further parents of a merge hold a file. Each path is asked for by itself: comparing a merge with the
    branch that it takes in would list all that happened elsewhere meanwhile."""

    repository: Reader
    trees: Mapping[str, str]
    oid_at: Callable[[str, bytes], str]
    timeout: float

    def oid(self, parent: str, path: bytes) -> str:
        """Empty where the parent (or all of it, in a shallow clone) has no such file."""
        return self.oid_at(self.trees[parent], path) if parent in self.trees else ""

    def renamed(self, merge: Commit) -> list[Mapping[bytes, Change]]:
        """For each further parent, by new path: what the merge took from it under another name."""
        found: list[Mapping[bytes, Change]] = []
        for parent in merge.parents[1:]:
            output = b""
            if parent in self.trees:
                output = self.repository.compare(self.trees[parent], merge.tree, timeout=self.timeout)
            found.append({one.path: one for one in changes(output) if one.status.startswith("R")})
        return found


class _Walk:
    """What is known so far. A file that was added on two branches has two births, and the earlier one counts; of
    its changes the last one."""

    def __init__(self, head: str, paths: Iterable[bytes], parents: _Parents) -> None:
        self.born: dict[bytes, Noted] = {}
        self.changed: dict[bytes, Noted] = {}
        self.left: dict[bytes, tuple[bytes, ...]] = {}
        self._parents = parents
        self._names: dict[str, _Names] = {head: {path: (path,) for path in paths}}

    def step(self, commit: Commit) -> None:
        called = self._names.pop(commit.id, None)
        if called is None:
            return
        if len(commit.parents) > 1:
            self._pass_merge(commit, called)
            return
        self._pass_commit(commit, called)
        for parent in commit.parents:
            self._hand_on(parent, called)

    def _pass_commit(self, commit: Commit, called: _Names) -> None:
        moves = _with_exact_moves(commit.changes)
        added = Counter(_kind(change.path) for change in commit.changes if change.status == "A")
        moved: list[tuple[bytes, tuple[bytes, ...]]] = []
        for change in moves:
            todays = called.get(change.path, ())
            if change.status == "D":
                self.left.setdefault(change.old_path, ())
                continue
            if change.old_path != change.path:
                self.left.setdefault(change.old_path, todays)
            if not todays:
                continue
            if change.old_oid != change.new_oid:  # a pure rename does not make a text newer
                self._note_change(todays, Noted.of(commit, len(commit.changes)))
            if change.status == "A":
                self._note_birth(todays, Noted.of(commit, added[_kind(change.path)]))
                del called[change.path]  # an older file of this name is another file
            elif change.old_path != change.path:
                moved.append((change.old_path, todays))
                del called[change.path]
        for path, todays in moved:  # afterwards: two files may swap names in one commit
            called[path] = _joined(called.get(path, ()), todays)

    def _pass_merge(self, merge: Commit, called: _Names) -> None:
        """`merge.changes` are against the first parent; whatever is not among them is the first parent's."""
        names: list[_Names] = [{} for _ in merge.parents]
        renamed: list[Mapping[bytes, Change]] | None = None
        for change in merge.changes:
            todays = called.pop(change.path, ()) if change.status != "D" else ()
            if not todays:
                continue
            others = [self._parents.oid(parent, change.path) for parent in merge.parents[1:]]
            if not any(others) and change.status == "A":
                renamed = self._parents.renamed(merge) if renamed is None else renamed
            origins = _origins(change, others, renamed or [])
            same = [one for one in origins if one[2] == change.new_oid]
            if not same:
                self._note_change(todays, Noted.of(merge, 1))
            if not origins:
                self._note_birth(todays, Noted.of(merge, 1))
            for number, path, _ in same[:1] or origins:
                if path != change.path:
                    self.left.setdefault(path, todays)
                names[number][path] = _joined(names[number].get(path, ()), todays)
        for path, todays in names[0].items():
            called[path] = _joined(called.get(path, ()), todays)
        for parent, handed in zip(merge.parents, [called, *names[1:]], strict=True):
            self._hand_on(parent, handed)

    def _hand_on(self, parent: str, names: _Names) -> None:
        """Where lines of history meet, a name may stand for files of both."""
        there = self._names.get(parent)
        if there is None:
            if names:
                self._names[parent] = names
            return
        if len(there) < len(names):
            there, names = names, there
        for path, todays in names.items():
            there[path] = _joined(there.get(path, ()), todays)
        self._names[parent] = there

    def _note_birth(self, todays: tuple[bytes, ...], noted: Noted) -> None:
        for today in todays:
            self.born[today] = min(self.born.get(today, noted), noted, key=Noted.began)

    def _note_change(self, todays: tuple[bytes, ...], noted: Noted) -> None:
        for today in todays:
            self.changed[today] = max(self.changed.get(today, noted), noted, key=Noted.ended)


def _kind(path: bytes) -> bytes:
    """Files of one suffix: a page that comes with thirty pictures is one page."""
    return path.rpartition(b"/")[2].rpartition(b".")[2].lower()


def _joined(these: tuple[bytes, ...], those: tuple[bytes, ...]) -> tuple[bytes, ...]:
    return these + tuple(one for one in those if one not in these)


def _origins(
    change: Change, others: Sequence[str], renamed: Sequence[Mapping[bytes, Change]]
) -> list[tuple[int, bytes, str]]:
    """(number of the parent, path there, blob there) wherever a merge may have this file from."""
    origins = [] if change.status == "A" else [(0, change.old_path, change.old_oid)]
    for number, oid in enumerate(others, start=1):
        if oid:
            origins.append((number, change.path, oid))
        elif renamed and (there := renamed[number - 1].get(change.path)):
            origins.append((number, there.old_path, there.old_oid))
    return origins


def _with_exact_moves(changes: tuple[Change, ...]) -> tuple[Change, ...]:
    """Moves that git does not see: two files that swap names, a row of files where each takes the next one's name,
    a file that moves to two places at once. Only whole contents count, and only where the old name's file is gone
    from there: otherwise it is a copy, and a copy is a new file."""
    before: dict[str, list[Change]] = {}
    for change in changes:
        if change.status[0] in "MDR" and change.old_oid not in _EMPTY_BLOBS:
            before.setdefault(change.old_oid, []).append(change)
    came_from: dict[bytes, Change] = {}
    for change in changes:
        sources = before.get(change.new_oid, [])
        if change.status in ("A", "M") and len(sources) == 1 and sources[0].old_path != change.path:
            came_from[change.path] = sources[0]
    while kept := [path for path, old in came_from.items() if old.status == "M" and old.path not in came_from]:
        for path in kept:
            del came_from[path]
    if not came_from:
        return changes
    taken = {old.path for old in came_from.values() if old.status == "D"}
    return tuple(
        Change("R100", came_from[change.path].old_path, change.path, change.new_oid, change.new_oid)
        if change.path in came_from
        else change
        for change in changes
        if not (change.status == "D" and change.path in taken)
    )
