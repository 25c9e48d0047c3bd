"""People's decisions as small YAML files in a git repository of their own: every decision is a commit.

    marks/, resolved/, changes/             see records.decisions
    held/, requests/, releases/             see records.held_plans
    review/<source>/families/               see records.reviews
    review/<source>/candidates/, settled/   see records.review_queue
    protection/                             see records.protections
    erased/                                 see records.tombstones

Undo is `git revert`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from include.records.decisions import Decisions
from include.records.held_plans import HeldPlans
from include.records.protections import Protections
from include.records.review_queue import ReviewQueue
from include.records.reviews import FamilyReviews
from include.records.tombstones import Tombstones


class GitLedger(Decisions, HeldPlans, FamilyReviews, ReviewQueue, Protections, Tombstones):
    """Implements ports.Ledger and ports.erasing.Tombstones."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._repository.finish = self._finish_all

    def _finish_all(self, left: Sequence[str]) -> None:
        self._finish(left)
        self.finish_reviews(left)
