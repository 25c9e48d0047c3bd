"""People's decisions as small YAML files in a git repository of their own: every decision is a commit.

    marks/, resolved/, changes/             see records.decisions
    held/, requests/, releases/             see records.held_plans
    review/<source>/families/               see records.reviews
    review/<source>/candidates/, settled/   see records.review_queue
    protection/                             see records.protections
    erased/                                 see records.tombstones
    kept_out/                               see records.kept_out

Undo is `git revert`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from include.domain.consequence import Consequence
from include.records.decisions import Decisions
from include.records.held_plans import HeldPlans
from include.records.kept_out import KeptOutDocuments
from include.records.protections import Protections
from include.records.repository import person
from include.records.review_queue import ReviewQueue
from include.records.reviews import FamilyReviews
from include.records.tombstones import Tombstones

_TRAILER = "Carries-Out"


class GitLedger(Decisions, HeldPlans, FamilyReviews, ReviewQueue, Protections, KeptOutDocuments, Tombstones):
    """Implements ports.Ledger and ports.erasing.Tombstones."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._repository.finish = self._finish_all

    def carry_out(self, what: Consequence) -> None:
        item, source = what.item, what.item.source
        with self._repository.locked():
            if not self._stands(item):
                return
            # The item last: what a writer that is killed here leaves is done again, and comes to the same.
            paths = [path for change in what.changes for path in self._write_change(change)]
            if what.hold is not None:
                paths += self._write_holds(source, {item.doc_id: what.hold})
            if what.kept_out is not None:
                paths += self._write_kept_out(source, item.doc_id, what.kept_out)
            paths += self._write_settled(item) if what.settles else self._write_candidate(item)
            self._repository.commit(paths, _message(what), person(what.decision.by))

    def carried_out(self, source: str) -> frozenset[str]:
        said = self._repository.trailers(_TRAILER, starting=f"{source} ")
        return frozenset(each.removeprefix(f"{source} ") for each in said)

    def _finish_all(self, left: Sequence[str]) -> None:
        self._finish(left)
        self.finish_reviews(left)


def _message(what: Consequence) -> str:
    item, made = what.item, what.decision
    assert item.applied is not None
    done = "Carry out" if what.settles else "Begin to carry out"
    return (
        f"{done} {made} for {item.doc_id} of {item.source}\n\n{made.why}\n\n{item.applied.detail}\n\n"
        f"Decided-By: {made.by} on {made.at[:10]}\nRun: {item.applied.run_id}\n{_TRAILER}: {item.source} {item.word}"
    )
