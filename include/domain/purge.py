"""A commit that takes documents out of the repository that is their source. Pure data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PurgeCommit:
    """What a removal came to. The commit is on a `branch` of its own in `repository`, a clone on this machine, and
    takes effect once it is in `base`, the branch that the source follows: `next_step` says how. Branch and commit are
    empty where no file was left to remove.

    `removed` are the documents whose files it takes away. `missing` are no files of `base` any more, `changed` are
    other files there than the ones that were to be removed; it leaves both alone. `problem` says why the branch could
    not be pushed.
    """

    repository: str
    base: str
    branch: str = ""
    commit: str = ""
    removed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    pushed: bool = False
    problem: str = ""
    next_step: str = ""
