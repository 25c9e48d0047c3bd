"""A review queue of 1,000 candidates: found, listed, decided one by one and in one word, and found again.

python -m tests.benchmarks.review [--candidates 1000] [--documents 7000] [--chunks 5] [--folder FOLDER]

Made-up documents are put into an embedded index; so many of them are superseded, each by another one, so that each
candidate has a difference to show. Ledger, queue and manifests are on disk.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from include.domain.metadata import Hand
from include.domain.review import Disposition
from include.planning.limits import Limits
from include.services.detect_stale import stage_stale
from include.services.detecting import Policy
from include.services.metadata_change import plan_change
from include.services.reviewing import Word, decide_candidate, decide_candidates
from include.services.set_metadata import apply_change
from tests.benchmarks.set_metadata import SOURCE, Bench, run_below, table
from tests.builders import no_progress

ONE_BY_ONE = 20
_HELD_BY_NOTHING = Limits(deletion_percent=100, window_percent=100)


class QueueBench(Bench):
    """So many of the documents become candidates."""

    def __init__(self, candidates: int, documents: int, chunks: int, folder: Path) -> None:
        if 2 * candidates > documents:
            raise ValueError(f"{candidates} candidates with a successor each need {2 * candidates} documents")
        super().__init__(documents, chunks, folder)
        self.candidates = candidates
        self.context = replace(self.context, limits=_HELD_BY_NOTHING)

    def run(self) -> None:
        self._step("put into the index", self._fill)
        self._step("superseded", self._supersede)
        self._step("the detector finds them", lambda: self._detect("first"))
        self._step("the detector again, nothing new", lambda: self._detect("second"))
        self._step("all listed", lambda: f"{len(self.context.ledger.candidates(SOURCE).open):,} open")
        self._step(f"{ONE_BY_ONE} decided one by one", self._decide_some)
        self._step("the others in one word", self._decide_others)
        self._step("the detector, all decided", lambda: self._detect("third"))

    def _said(self, number: int) -> dict[str, object]:
        return {"stated_superseded_by": [self._heir(number)]} if number < self.candidates else {}

    def _heir(self, number: int) -> str:
        """The last document takes the place of the first, and so on."""
        return f"deck-{self.documents - 1 - number:05}"

    def _supersede(self) -> str:
        patches = {
            f"deck-{number:05}": {"status": "superseded", "superseded_by": [self._heir(number)]}
            for number in range(self.candidates)
        }
        change = plan_change(
            self.context, patches, hand=Hand.RESOLVER, by="resolver", reason="newer", selector="all", run_id="resolved"
        )
        return f"{len(apply_change(self.context, change, progress=no_progress).written):,} documents"

    def _detect(self, run_id: str) -> str:
        counts = stage_stale(self.context, Policy(), run_id=run_id, progress=no_progress).candidates
        assert counts is not None
        return f"{counts.staged:,} staged, {counts.open:,} open, {counts.decided:,} decided"

    def _decide_some(self) -> str:
        ledger, now = self.context.ledger, self.context.clock.now()
        word = Word(Disposition.KEEP, "Ada", "still right")
        for number in range(min(ONE_BY_ONE, self.candidates)):
            decide_candidate(ledger, SOURCE, f"deck-{number:05}", word, now=now, missing=lambda _: ())
        return f"{len(ledger.candidates(SOURCE).decided):,} decided"

    def _decide_others(self) -> str:
        ledger, now = self.context.ledger, self.context.clock.now()
        word = Word(Disposition.ARCHIVE, "Ada", "replaced")
        others = ledger.candidates(SOURCE).open
        recorded = decide_candidates(ledger, SOURCE, others, word, now=now, missing=lambda _: ())
        return f"{len(recorded.items):,} recorded, {len(recorded.refused)} refused"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.review", description=(__doc__ or "").split("\n\n")[0]
    )
    parser.add_argument("--candidates", type=int, default=1_000)
    parser.add_argument("--documents", type=int, default=7_000)
    parser.add_argument("--chunks", type=int, default=5)
    parser.add_argument("--folder", type=Path, help="keep everything there; default: a temporary one")
    options = parser.parse_args(arguments)
    bench = run_below(
        options.folder, lambda folder: QueueBench(options.candidates, options.documents, options.chunks, folder)
    )
    title = f"{options.candidates:,} candidates among {bench.documents:,} documents of {bench.chunks} chunks"
    Console().print(table(bench, title))
    return 0


if __name__ == "__main__":
    sys.exit(main())
