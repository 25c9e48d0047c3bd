"""truecopy alone: cost per chunk as the corpus grows, what is spent outside the embedder, and memory.

python -m tests.benchmarks.scale INPUT FOLDER      one JSON line
"""

from __future__ import annotations

import json
import pickle
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.benchmarks.corpus import Corpus
from tests.benchmarks.tool import Feed, Meter
from tests.benchmarks.worker import cpu_seconds, open_tool, peak_megabytes


@dataclass(frozen=True, slots=True)
class Growth:
    """One size. Times are CPU seconds; `at_rest_mb` is the memory with everything imported and the corpus loaded."""

    documents: int
    chunks: int
    initial_cpu: float
    embedding_cpu: float
    counting_cpu: float
    nothing_changed_cpu: float
    at_rest_mb: float
    peak_mb: float

    @property
    def outside_ms_per_chunk(self) -> float:
        return (self.initial_cpu - self.embedding_cpu - self.counting_cpu) / self.chunks * 1000

    @property
    def night_ms_per_chunk(self) -> float:
        return self.nothing_changed_cpu / self.chunks * 1000


def measure(corpus: Corpus, folder: Path) -> Growth:
    """An initial ingest and a night in which nothing changed."""
    warm = open_tool("truecopy", folder / "warm-up", Meter())
    few = dict(list(corpus.items())[:4])
    for _ in range(2):
        warm.sync(Feed(few))
    meter = Meter()
    tool = open_tool("truecopy", folder / "index", meter)
    at_rest, start = peak_megabytes(), cpu_seconds()
    tool.sync(Feed(corpus))
    initial = cpu_seconds() - start
    start = cpu_seconds()
    tool.sync(Feed(corpus))
    night = cpu_seconds() - start
    peak = peak_megabytes()
    chunks = sum(1 for _ in tool.stored())
    return Growth(len(corpus), chunks, initial, meter.embed_seconds, meter.count_seconds, night, at_rest, peak)


if __name__ == "__main__":
    growth = measure(pickle.loads(Path(sys.argv[1]).read_bytes()), Path(sys.argv[2]))
    print(json.dumps(asdict(growth)))
