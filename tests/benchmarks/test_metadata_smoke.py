"""The benchmark of metadata in place, small: it measures runs that do what they say."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks.set_metadata import Bench


def test_every_document_is_written_once_and_taken_back(tmp_path: Path) -> None:
    bench = Bench(60, 3, tmp_path)
    bench.run()
    said = {step.name: step.said for step in bench.steps}
    assert said["a date for each"] == said["taken back"] == bench.expected
    assert said["the same again"].startswith("0 documents written")
    assert all(step.wall >= step.engine for step in bench.steps)
