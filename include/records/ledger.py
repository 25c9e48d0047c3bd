"""People's decisions as small YAML files in a git repository of their own: every decision is a commit.

    marks/<source>.yaml                     lifecycle metadata by document
    held/, requests/, releases/             see records.held_plans
    review/                                 see records.reviews

Undo is `git revert`.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ConfigDict, TypeAdapter

from include.domain.documents import Marks
from include.records.held_plans import HeldPlans
from include.records.reviews import FamilyReviews

# A misspelled mark in a file that people edit is an error: a pin that is not read protects nothing.
_MARKS = TypeAdapter(dict[str, Marks], config=ConfigDict(extra="forbid"))


class GitLedger(HeldPlans, FamilyReviews):
    """Implements ports.Ledger."""

    def marks(self, source: str) -> Mapping[str, Marks]:
        return self._read(_MARKS, f"marks/{source}.yaml") or {}
