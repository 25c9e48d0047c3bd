"""The benchmark of the resolver, small: it measures a resolver that is right."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks.families import Bench
from tests.benchmarks.library import library, superseded


def test_a_small_library_is_resolved_rightly_and_only_once(tmp_path: Path) -> None:
    bench = Bench(600, tmp_path)
    bench.run()
    assert bench.wrong == set()
    # A series that the library breaks off names a successor that is not there: a person has to say.
    assert len(bench.missed) <= 1
    said = {step.name: step.said for step in bench.steps}
    assert "0 documents marked" in said["again, nothing changed"]
    assert "0 documents marked" in said["after a night, nothing changed"]
    assert bench.context.ledger.marks("library") == {}, "it was taken back"
    assert all(step.wall >= step.engine > 0 for step in bench.steps)


def test_the_same_library_is_made_every_time() -> None:
    assert library(300) == library(300)
    books = library(1_000)
    assert len({book.doc_id for book in books}) == 1_000
    assert 0.3 < len(superseded(books)) / 1_000 < 0.5
