"""The benchmark of the review queue, small: it measures runs that do what they say."""

from __future__ import annotations

from pathlib import Path

from tests.benchmarks.review import QueueBench


def test_every_candidate_is_found_decided_once_and_found_again(tmp_path: Path) -> None:
    bench = QueueBench(30, 60, 2, tmp_path)
    bench.run()
    said = {step.name: step.said for step in bench.steps}
    assert said["the detector again, nothing new"] == "30 staged, 30 open, 0 decided"
    assert said["the others in one word"] == "10 recorded, 0 refused"
    assert said["the detector, all decided"] == "30 staged, 0 open, 30 decided"
