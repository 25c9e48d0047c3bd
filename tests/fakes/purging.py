"""A source whose documents may be removed: proposals wait until somebody merges them, in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from include.domain.errors import SourceUnavailable
from include.domain.purge import PurgeCommit
from tests.fakes.source import FakeSource, Page


def _nothing(_operation: str) -> None:
    pass


@dataclass
class FakePurging:
    """`proposed` are the files by branch, `messages` what their commits say, `pushed` the branches that were pushed.
    `refuses` is why a push fails; `down`: the repository does not answer. `on_io` is called before each question."""

    source: FakeSource
    pushes: bool = False
    refuses: str = ""
    down: bool = False
    proposed: dict[str, dict[str, bytes]] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)
    pushed: list[str] = field(default_factory=list)
    removed: dict[str, dict[str, Page]] = field(default_factory=dict)
    on_io: Callable[[str], None] = _nothing

    def propose(self, files: Mapping[str, bytes], *, message: str, at: datetime) -> PurgeCommit:
        self.on_io("propose")
        if self.down:
            raise SourceUnavailable("the repository does not answer")
        there = {doc_id: page.body for doc_id, page in self.source.pages.items()}
        missing = tuple(sorted(files.keys() - there.keys()))
        changed = tuple(sorted(each for each in files if each in there and there[each] != files[each]))
        due = {each: files[each] for each in sorted(files) if each not in missing and each not in changed}
        if not due:
            return PurgeCommit("clone", "main", missing=missing, changed=changed)
        branch = f"truecopy/purge-{at:%Y-%m-%d}-{hashlib.sha256(repr(due).encode()).hexdigest()[:8]}"
        self.proposed.setdefault(branch, due)
        self.messages.setdefault(branch, message)
        problem = self.push(branch)
        commit = hashlib.sha1(branch.encode()).hexdigest()
        step = f"merge {branch}"
        pushed = self.pushes and not problem
        return PurgeCommit("clone", "main", branch, commit, tuple(due), missing, changed, pushed, problem, step)

    def find(self, branch: str, commit: str) -> bool:
        return branch in self.proposed

    def push(self, branch: str) -> str:
        if self.pushes and not self.refuses:
            self.pushed.append(branch)
        return self.refuses if self.pushes else ""

    def merge(self, branch: str = "") -> None:
        """What whoever owns the source does with a proposal."""
        branch = branch or next(iter(self.proposed))
        self.removed[branch] = {doc_id: self.source.pages.pop(doc_id) for doc_id in self.proposed[branch]}

    def revert(self, branch: str = "") -> None:
        self.source.pages |= self.removed[branch or next(iter(self.removed))]
