"""Metadata set on many documents in place: time beside the engine's own, memory, and what the audit counted.

python -m tests.benchmarks.set_metadata [--documents 7000] [--chunks 10] [--folder FOLDER]

Made-up documents are put into an embedded index. Then, each in one run: a date for every one of them; the same words
again; one document alone; the first run is taken back. Ledger and manifests are on disk.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from include.domain.documents import DocumentKey, Status
from include.planning.assigning import typed
from include.planning.choosing import choose
from include.records.ledger import GitLedger
from include.records.manifests import FileManifests
from include.records.state import StateRoot
from include.services.metadata_run import Done, Wish, apply_run, plan_run
from include.store.edge import EdgeStore
from include.wiring.clock import SystemClock
from tests.benchmarks.families import Step, TimedStore
from tests.builders import context_of, new_points, no_progress
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.source import FakeSource

SOURCE, DIMENSION = "decks", 64
DATED = Wish("benchmark", "measured", choice=choose([], everything=True), patch=typed({"created_at": "2023-04-01"}))
ONE = replace(DATED, choice=choose(["doc_id=deck-00000"]), patch=typed({"pinned": True}))


class Bench:
    """So many documents of so many chunks in an index of its own below `folder`."""

    def __init__(self, documents: int, chunks: int, folder: Path) -> None:
        self.documents, self.chunks = documents, chunks
        self.steps: list[Step] = []
        self.store = TimedStore(EdgeStore(folder / "index", "truecopy"))
        self.context = context_of(
            FakeSource(name=SOURCE),
            store=self.store,  # type: ignore[arg-type]
            embedder=FakeEmbedder(dimension=DIMENSION),
            clock=SystemClock(),
            ledger=GitLedger(folder / "ledger"),
            manifests=FileManifests(StateRoot(str(folder / "state"))),
        )

    def run(self) -> None:
        self._step("put into the index", self._fill)
        self._step("a dry run", lambda: f"{len(plan_run(self.context, DATED, run_id='dry').rows):,} would change")
        done = self._step("a date for each", lambda: self._apply(DATED, "dated"))
        self._step("the same again", lambda: self._apply(DATED, "again"))
        self._step("one document alone", lambda: self._apply(ONE, "one"))
        self._step("taken back", lambda: self._apply(replace(DATED, choice=None, patch={}, reverts="dated"), "back"))
        assert done == self.expected, done

    @property
    def expected(self) -> str:
        chunks = self.documents * self.chunks
        return f"{self.documents:,} documents written; {chunks:,} chunks before, {chunks:,} touched, {chunks:,} after"

    def _fill(self) -> str:
        with self.store.writing() as index:
            for start in range(0, self.documents, 500):
                points = [
                    point
                    for number in range(start, min(start + 500, self.documents))
                    for point in new_points(
                        DocumentKey(SOURCE, f"deck-{number:05}"),
                        [f"deck {number}, slide {slide}: what we sell, and why" for slide in range(self.chunks)],
                        status=Status.PUBLISHED,
                        dimension=DIMENSION,
                        **self._said(number),
                    )
                ]
                index.insert(points)
        return f"{self.documents * self.chunks:,} chunks"

    def _said(self, number: int) -> dict[str, object]:
        """What a document says of itself."""
        return {}

    def _apply(self, wish: Wish, run_id: str) -> str:
        done: Done = apply_run(self.context, wish, run_id=run_id, progress=no_progress)
        marking = done.marking
        audit = f"{marking.before:,} chunks before, {marking.touched:,} touched, {marking.after:,} after"
        return f"{len(marking.written):,} documents written; {audit}"

    def _step(self, name: str, run: Callable[[], str]) -> str:
        wall, cpu, engine = time.perf_counter(), time.process_time(), self.store.seconds
        said = run()
        spent = time.perf_counter() - wall
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        self.steps.append(Step(name, spent, self.store.seconds - engine, time.process_time() - cpu, peak, said))
        return said


def table(bench: Bench, title: str) -> Table:
    shown = Table(title=title, title_justify="left")
    for name in ("run", "seconds", "of them the engine", "the rest", "CPU s", "peak MB", "what it says"):
        shown.add_column(name, justify="left" if name in ("run", "what it says") else "right")
    for each in bench.steps:
        numbers = (each.wall, each.engine, each.own, each.cpu)
        shown.add_row(each.name, *(f"{number:.1f}" for number in numbers), f"{each.peak_mb:.0f}", each.said)
    return shown


def run_below(folder: Path | None, made: Callable[[Path], Bench]) -> Bench:
    """The bench, after its run. Without a folder it is a temporary one, and gone."""
    if folder is not None:
        bench = made(folder)
        bench.run()
        return bench
    with tempfile.TemporaryDirectory(prefix="truecopy-bench-", ignore_cleanup_errors=True) as temporary:
        return run_below(Path(temporary), made)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.set_metadata", description=(__doc__ or "").split("\n\n")[0]
    )
    parser.add_argument("--documents", type=int, default=7_000)
    parser.add_argument("--chunks", type=int, default=10)
    parser.add_argument("--folder", type=Path, help="keep everything there; default: a temporary one")
    options = parser.parse_args(arguments)
    bench = run_below(options.folder, lambda folder: Bench(options.documents, options.chunks, folder))
    title = f"Metadata of {bench.documents:,} documents of {bench.chunks} chunks"
    Console().print(table(bench, title))
    return 0


if __name__ == "__main__":
    sys.exit(main())
