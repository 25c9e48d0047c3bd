"""When each file was born and last changed, and where files went, read from one pass over the history.

The walk goes from the newest commit to the oldest and knows, for each commit, what the files of today were called
there. A rename hands the name on to the parent. At a merge a file is followed into the parent that holds the same
content, as `git log` simplifies history: what happened to a namesake on the other side is not its story. Only where
no parent holds the content (a conflict was solved, or somebody edited inside the merge) it is followed into all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from include.connectors.git_log import Change, Commit, commits, comparisons
from include.domain.dates import EvidencedDate, Trust, parse_date

MASS_COMMIT = 100
"""A commit that adds (or changes) more files than this is an import or a reformat: its date says little of a file."""

_EMPTY_BLOBS = frozenset(
    {
        "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
        "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
    }
)


@dataclass(frozen=True, slots=True)
class FileDates:
    """`created_at`: author date of the commit that added the file, renames followed. Trust LOW (the text may be
    older than the repository), UNKNOWN from a mass import or a shallow clone. `updated_at`: committer date of the
    last commit that changed its content."""

    created_at: EvidencedDate | None = None
    updated_at: EvidencedDate | None = None


@dataclass(frozen=True, slots=True)
class History:
    """`dates` by path of today. `moved`: a path that is no more -> what the same file is called today."""

    dates: Mapping[bytes, FileDates] = field(default_factory=dict)
    moved: Mapping[bytes, bytes] = field(default_factory=dict)


class Reader(Protocol):
    """The two questions that are asked of a repository (`git_repository.Repository`)."""

    def log(self, commit: str, *, timeout: float) -> bytes: ...

    def compare(self, pairs: Sequence[tuple[str, str]], *, renames: bool, timeout: float) -> bytes: ...


def read_history(
    repository: Reader, commit: str, paths: Iterable[bytes], *, now: datetime, shallow: bool, timeout: float
) -> History:
    """History of these paths of `commit`; a path that the history never adds has no birth. Raises what the
    repository raises."""
    line = tuple(commits(repository.log(commit, timeout=timeout)))
    walk = _Walk(commit, paths, _merges(repository, line, timeout=timeout))
    for one in line:
        walk.step(one)
    return History(
        {
            path: FileDates(
                _evidence(walk.born.get(path), "git first commit", now, shallow),
                _evidence(walk.changed.get(path), "git last commit", now, shallow),
            )
            for path in walk.born.keys() | walk.changed.keys()
        },
        {path: todays[0] for path, todays in walk.left.items() if todays},
    )


_Names = dict[bytes, tuple[bytes, ...]]  # what a file is called at a commit -> what it is called today
_Merges = Mapping[str, tuple[Mapping[bytes, Change], ...]]  # tree of a merge -> for each parent: what differs


def _merges(repository: Reader, line: Sequence[Commit], *, timeout: float) -> _Merges:
    """What each merge changes against each of its parents. Renames are looked for only where a path is in no
    parent as it is: comparing whole branches for similar files would cost more than all the rest."""
    tree_of = {commit.id: commit.tree for commit in line}
    parents = {
        commit.tree: [tree_of[parent] for parent in commit.parents if parent in tree_of]
        for commit in line
        if len(commit.parents) > 1
    }
    pairs = [(parent, tree) for tree, trees in parents.items() for parent in trees]
    plain = _compared(repository, pairs, renames=False, timeout=timeout)
    unclear = []
    for tree, trees in parents.items():
        diffs = [plain[(parent, tree)] for parent in trees]
        new = set.intersection(*(set(diff) for diff in diffs)) if diffs else set()
        unclear += [
            (parent, tree) for parent, diff in zip(trees, diffs, strict=True) if any(diff[p].status == "A" for p in new)
        ]
    plain |= _compared(repository, unclear, renames=True, timeout=timeout)
    return {tree: tuple(plain[(parent, tree)] for parent in trees) for tree, trees in parents.items()}


def _compared(
    repository: Reader, pairs: Sequence[tuple[str, str]], *, renames: bool, timeout: float
) -> dict[tuple[str, str], Mapping[bytes, Change]]:
    if not pairs:
        return {}
    output = repository.compare(list(dict.fromkeys(pairs)), renames=renames, timeout=timeout)
    return {
        (before, after): {change.path: change for change in changes if change.status != "D"}
        for before, after, changes in comparisons(output)
    }


class _Walk:
    """What is known so far. A file that was added on two branches has two births, and the earlier one counts; of
    its changes the last one."""

    def __init__(self, head: str, paths: Iterable[bytes], merges: _Merges) -> None:
        self.born: dict[bytes, tuple[datetime, Trust]] = {}
        self.changed: dict[bytes, tuple[datetime, Trust]] = {}
        self.left: dict[bytes, tuple[bytes, ...]] = {}
        self._merges = merges
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
        changes = _with_exact_moves(commit.changes)
        added = sum(change.status == "A" for change in commit.changes)
        moved: list[tuple[bytes, tuple[bytes, ...]]] = []
        for change in changes:
            todays = called.get(change.path, ())
            if change.status == "D":
                self.left.setdefault(change.old_path, ())
                continue
            if change.old_path != change.path:
                self.left.setdefault(change.old_path, todays)
            if not todays:
                continue
            if change.old_oid != change.new_oid:  # a pure rename does not make a text newer
                trust = Trust.LOW if len(commit.changes) > MASS_COMMIT else Trust.HIGH
                self._note_change(todays, commit, trust)
            if change.status == "A":
                trust = Trust.UNKNOWN if added > MASS_COMMIT else Trust.LOW
                self._note_birth(todays, commit, trust)
                del called[change.path]  # an older file of this name is another file
            elif change.old_path != change.path:
                moved.append((change.old_path, todays))
                del called[change.path]
        for path, todays in moved:  # afterwards: two files may swap names in one commit
            called[path] = _joined(called.get(path, ()), todays)

    def _pass_merge(self, commit: Commit, called: _Names) -> None:
        first, *others = commit.parents
        diffs = self._merges[commit.tree]
        differing = called.keys() & diffs[0].keys() if diffs else set()
        to_parents: list[_Names] = [{} for _ in commit.parents]
        for path in differing:
            todays = called.pop(path)
            changes = [diff.get(path) for diff in diffs]
            same = [n for n, one in enumerate(changes) if one is None or one.old_oid == one.new_oid]
            known = same[:1] or [n for n, one in enumerate(changes) if one is not None and one.status != "A"]
            if not same:
                self._note_change(todays, commit, Trust.HIGH)
            if not known:
                self._note_birth(todays, commit, Trust.LOW)
            for n in known:
                change = changes[n]
                old_path = change.old_path if change else path
                if old_path != path:
                    self.left.setdefault(old_path, todays)
                to_parents[n][old_path] = _joined(to_parents[n].get(old_path, ()), todays)
        for path, todays in to_parents[0].items():
            called[path] = _joined(called.get(path, ()), todays)
        self._hand_on(first, called)
        for parent, names in zip(others, to_parents[1:], strict=True):
            self._hand_on(parent, names)

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

    def _note_birth(self, todays: tuple[bytes, ...], commit: Commit, trust: Trust) -> None:
        if (moment := _moment(commit.author_date)) is not None:
            for today in todays:
                self.born[today] = min(self.born.get(today, (moment, trust)), (moment, trust), key=_first)

    def _note_change(self, todays: tuple[bytes, ...], commit: Commit, trust: Trust) -> None:
        if (moment := _moment(commit.commit_date)) is not None:
            for today in todays:
                self.changed[today] = max(self.changed.get(today, (moment, trust)), (moment, trust), key=_first)


def _moment(text: str) -> datetime | None:
    """A commit may carry a date that no calendar has."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _first(noted: tuple[datetime, Trust]) -> datetime:
    return noted[0]


def _joined(these: tuple[bytes, ...], those: tuple[bytes, ...]) -> tuple[bytes, ...]:
    return these + tuple(one for one in those if one not in these)


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


def _evidence(noted: tuple[datetime, Trust] | None, origin: str, now: datetime, shallow: bool) -> EvidencedDate | None:
    if noted is None:
        return None
    moment, trust = noted
    return parse_date(moment.isoformat(), origin=origin, now=now, trust=Trust.UNKNOWN if shallow else trust)
