"""When each file was born and last changed, read from one pass over the history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from include.domain.dates import EvidencedDate, Trust, parse_date

MASS_COMMIT = 100
"""A commit that adds (or changes) more files than this is an import or a reformat: its date says little of a file."""


@dataclass(frozen=True, slots=True)
class FileDates:
    """`created_at`: author date of the commit that added the file, renames followed. Trust LOW (the text may be
    older than the repository), UNKNOWN from a mass import or a shallow clone. `updated_at`: committer date of the
    last commit that changed its content."""

    created_at: EvidencedDate | None = None
    updated_at: EvidencedDate | None = None


@dataclass(frozen=True, slots=True)
class _Commit:
    author_date: str
    commit_date: str
    changes: tuple[tuple[bytes, bytes, bytes], ...]  # status, path, new path of a rename


def read_log(log: bytes, paths: Iterable[bytes], *, now: datetime, shallow: bool) -> Mapping[bytes, FileDates]:
    """Dates of these paths (as they are called at the newest commit); a path the history never adds has no birth.

    `log` is the output of `git log --name-status -M -z --format=%x01%aI%x02%cI`, newest commit first. Walking
    backwards, a rename new <- old means that from here on the file is called old.
    """
    called = {path: path for path in paths}  # name at this point of history -> name today
    born: dict[bytes, EvidencedDate | None] = {}
    changed: dict[bytes, EvidencedDate | None] = {}
    for commit in _commits(log):
        added = sum(status == b"A" for status, _, _ in commit.changes)
        moved: dict[bytes, bytes] = {}
        for status, path, new_path in commit.changes:
            today = called.get(new_path or path)
            if today is None:
                continue
            if status != b"R100" and today not in changed:  # a pure rename does not make a text newer
                trust = Trust.LOW if len(commit.changes) > MASS_COMMIT else Trust.HIGH
                changed[today] = _evidence(
                    commit.commit_date, "git last commit", now, Trust.UNKNOWN if shallow else trust
                )
            if status == b"A":
                trust = Trust.UNKNOWN if shallow or added > MASS_COMMIT else Trust.LOW
                born[today] = _evidence(commit.author_date, "git first commit", now, trust)
                del called[path]  # an older file of this name is another file
            elif status.startswith(b"R"):
                moved[path] = today
                del called[new_path]
        called.update(moved)  # afterwards: two files may swap names in one commit
    return {path: FileDates(born.get(path), changed.get(path)) for path in {*born, *changed}}


def _evidence(text: str, origin: str, now: datetime, trust: Trust) -> EvidencedDate | None:
    return parse_date(text, origin=origin, now=now, trust=trust)


def _commits(log: bytes) -> Iterator[_Commit]:
    """NUL-separated tokens: a header (starts with \\x01), then status, path and, for a rename, the new path. A path
    may itself start with \\x01; it is never mistaken, because it is taken together with its status."""
    tokens = iter(log.split(b"\0"))
    header: tuple[str, str] | None = None
    changes: list[tuple[bytes, bytes, bytes]] = []
    for token in tokens:
        token = token.strip(b"\n")
        if token.startswith(b"\x01"):
            if header is not None:
                yield _Commit(*header, tuple(changes))
            author_date, _, commit_date = token[1:].decode("ascii", "replace").partition("\x02")
            header, changes = (author_date, commit_date), []
        elif token:
            path = next(tokens, b"")
            changes.append((token, path, next(tokens, b"") if token[:1] in (b"R", b"C") else b""))
    if header is not None:
        yield _Commit(*header, tuple(changes))
