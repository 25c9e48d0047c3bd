"""People's decisions as small YAML files in a git repository of their own: every decision is a commit.

    marks/, resolved/, changes/             see records.decisions
    held/, requests/, releases/             see records.held_plans
    review/                                 see records.reviews

Undo is `git revert`.
"""

from __future__ import annotations

from include.records.decisions import Decisions
from include.records.held_plans import HeldPlans
from include.records.reviews import FamilyReviews


class GitLedger(Decisions, HeldPlans, FamilyReviews):
    """Implements ports.Ledger."""
