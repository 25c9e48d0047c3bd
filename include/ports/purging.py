"""Taking documents out of a source that is ours to write. No connector can: it only reads."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from include.domain.purge import PurgeCommit


class Purging(Protocol):
    """One source's repository. What it follows is never written to: a removal is a proposal on a branch of its own."""

    @property
    def pushes(self) -> bool:
        """Whether branches are pushed to the source's repository."""
        ...

    def propose(self, files: Mapping[str, bytes], *, message: str, at: datetime) -> PurgeCommit:
        """Commit the removal of these documents, by doc id with their bytes as they were read, and push it where that
        is configured. The same removal again is the commit that is there already. `at` is the instant that the commit
        bears.

        Raises SourceUnavailable, and ConfigError where the source follows no branch that something could be merged
        into. A push that fails is told in the result; the commit is there.
        """
        ...

    def find(self, branch: str, commit: str) -> bool:
        """Whether this commit still is on that branch of the clone, which may have been tidied away with the cache."""
        ...

    def push(self, branch: str) -> str:
        """Push a branch that is there already; empty, or why that failed. Where no push is configured, nothing is
        pushed, and that is no failure."""
        ...
