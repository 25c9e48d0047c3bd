"""Near duplicates among 70,000 chunks: how long, how much memory, and whether the planted ones are found.

    python -m tests.benchmarks.duplicates [--chunks 70000] [--texts FOLDER or ARCHIVE]

The vectors are those of real chunks where texts are given. They are turned in space as often as needed: a rotation
keeps every distance, so each turn is another shelf with the same share of near copies, far from the last one.
Seconds of both processors are counted and not those on the wall: other programs must not decide.
"""

from __future__ import annotations

import argparse
import sys
import time
import tracemalloc
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console

from include.domain.documents import DocumentKey
from include.embedding.static import StaticEmbedder
from include.staleness.neighbours import Vectors
from include.staleness.overlaps import CLOSE, Overlap, find_overlaps
from tests.benchmarks import corpus as texts

CORPUS = Path(__file__).parents[3] / "shared/data/corpus-2000.tar.xz"
CHUNKS = 70_000
DIMENSION = 256
CHUNKS_PER_DOCUMENT = 10
PLANTED = 200
LIMIT_SECONDS = 2 * 60.0  # of processor: a minute on two


@dataclass(frozen=True, slots=True)
class Measured:
    """`memory_mb` is what the search needed beyond the vectors themselves, at its peak. `busy_seconds` are those of all
    processors together."""

    chunks: int
    documents: int
    seconds: float
    busy_seconds: float
    memory_mb: float
    overlaps: int
    planted: int
    found: int


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 1 when a planted copy is missed or the limit of time is passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=CHUNKS)
    parser.add_argument("--texts", type=Path, default=CORPUS if CORPUS.is_file() else None)
    options = parser.parse_args(arguments)
    console = Console()
    real = embedded(options.texts) if options.texts else None
    where = f"{len(real):,} real chunks of {options.texts.name}, turned" if real is not None else "random vectors"
    measured = measure(shelf(options.chunks, real))
    console.print(f"{measured.chunks:,} chunks of {measured.documents:,} documents ({where}), cosine from {CLOSE}")
    console.print(
        f"{measured.seconds:.1f} s, {measured.busy_seconds:.1f} s of processor (limit {LIMIT_SECONDS:.0f}: a minute on "
        f"two), {measured.memory_mb:.0f} MB beside the vectors"
    )
    console.print(
        f"{measured.overlaps:,} documents are covered by another; of {measured.planted} planted {measured.found}"
    )
    return int(measured.found < measured.planted or measured.busy_seconds > LIMIT_SECONDS)


def embedded(path: Path) -> Vectors:
    """Every chunk of these texts, by the bundled embedder."""
    embedder = StaticEmbedder.bundled()
    found = [piece.text for page in texts.load(path).values() for piece in texts.cut(page, embedder.count_tokens)[1]]
    return embedder.embed(found)


def shelf(chunks: int, real: Vectors | None = None, *, seed: int = 1) -> Vectors:
    """Unit vectors of so many chunks, `CHUNKS_PER_DOCUMENT` a document in turn. The last `PLANTED` documents are near
    copies of the first ones."""
    random = np.random.default_rng(seed)
    if real is None:
        made = random.standard_normal((chunks, DIMENSION), dtype=np.float32)
    else:
        turns = -(-chunks // len(real))
        made = np.concatenate([real @ _rotation(random, real.shape[1]) for _ in range(turns)])[:chunks]
    planted = PLANTED * CHUNKS_PER_DOCUMENT
    noise = random.standard_normal((planted, made.shape[1]), dtype=np.float32) * (0.1 / np.sqrt(made.shape[1]))
    made[-planted:] = _unit(made[:planted]) + noise.astype(np.float32)
    return _unit(made)


def measure(vectors: Vectors) -> Measured:
    owners = [DocumentKey("shelf", f"{row // CHUNKS_PER_DOCUMENT:06}") for row in range(len(vectors))]
    tracemalloc.start()
    started, busy = time.perf_counter(), time.process_time()
    found = find_overlaps(owners, vectors)
    seconds, busy_seconds = time.perf_counter() - started, time.process_time() - busy
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    documents = sorted(set(owners))
    planted = list(zip(documents[:PLANTED], documents[-PLANTED:], strict=True))
    hits = sum(_covers(found.get(copy, ()), original) for original, copy in planted)
    return Measured(len(vectors), len(documents), seconds, busy_seconds, peak / 2**20, len(found), len(planted), hits)


def _covers(overlaps: Sequence[Overlap], original: DocumentKey) -> bool:
    return any(each.other == original for each in overlaps)


def _rotation(random: np.random.Generator, dimension: int) -> Vectors:
    turned, _ = np.linalg.qr(random.standard_normal((dimension, dimension)))
    return turned.astype(np.float32)


def _unit(rows: Vectors) -> Vectors:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


if __name__ == "__main__":
    sys.exit(main())
