"""What it costs to rank the candidates of a question and to explain every one of them, without the engine.

    python -m tests.benchmarks.ranking [--documents 200] [--runs 40] [--limit-ms MS]

Three kinds of candidates, two chunks each: every document on its own matter, editions of one
another (five to a title, nearly one text), and one title for all of them. Each intent is asked of each kind, and every
run has texts that nothing was computed of before. Exit code 1 when 95 of 100 take longer than `--limit-ms`.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from rich.console import Console
from rich.table import Table

from include.domain.documents import DocumentKey, Status
from include.ranking.arrange import arrange
from include.ranking.blend import blend
from include.ranking.candidates import Candidate, FoundChunk, Leg
from include.ranking.explain import explained
from include.ranking.intent import read_intent
from include.ranking.relevance import scores_of_legs

NOW = datetime(2026, 6, 1, tzinfo=UTC)
QUESTIONS = {
    "plain": "how is a snapshot restored",
    "latest": "the latest way to restore a snapshot",
    "as_of": "how was a snapshot restored in 2025",
    "history": "all versions of restoring a snapshot",
}
SHOWN = 5
_LENGTH = (120, 280)
"""Words of a chunk, about as the chunker cuts them."""

_WORDS = tuple(
    "".join(pair) for pair in itertools.permutations(("sna", "pshot", "re", "store", "in", "dex", "night", "ly"), 3)
)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.ranking", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--runs", type=int, default=40, help="of each kind and intent")
    parser.add_argument("--limit-ms", type=float, help="of the 95th percentile; without it the times fail nothing")
    options = parser.parse_args(arguments)
    gc.collect()
    gc.freeze()
    thresholds = gc.get_threshold()
    gc.set_threshold(20_000, 20, 20)  # as `truecopy serve` does
    table = Table("candidates", "intent", "median ms", "p95 ms", "worst ms", title_justify="left")
    slowest = 0.0
    for kind, titled in KINDS.items():
        for intent in QUESTIONS:
            times = measure(titled, intent, documents=options.documents, runs=options.runs)
            p95 = statistics.quantiles(times, n=20)[-1]
            slowest = max(slowest, p95)
            table.add_row(kind, intent, f"{statistics.median(times):.2f}", f"{p95:.2f}", f"{max(times):.2f}")
    gc.unfreeze()
    gc.set_threshold(*thresholds)
    table.title = f"rank and explain {options.documents} documents, {options.runs} times each, CPU time"
    Console(width=100).print(table)
    return int(options.limit_ms is not None and slowest > options.limit_ms)


def measure(titled: Callable[[int], str], intent: str, *, documents: int, runs: int) -> list[float]:
    """CPU milliseconds of each run: what else the machine does is not counted."""
    times = []
    for number in range(runs + 2):
        found = candidates(titled, documents, random.Random(number))
        began = time.thread_time()
        read = read_intent(QUESTIONS[intent], now=NOW)
        scores_of_legs({chunk.point_id: chunk.legs for each in found for chunk in each.chunks})
        explained(arrange(blend(found, read, now=NOW), read, limit=SHOWN))
        times.append((time.thread_time() - began) * 1000)
    return times[2:]  # the first ones compile patterns


def own_title(number: int) -> str:
    return f"Snapshot {number} of the index"


def edition_of_five(number: int) -> str:
    return f"Restoring {number // 5}, edition of {2020 + number % 5}"


def one_title(_number: int) -> str:
    return "Installation"


KINDS: dict[str, Callable[[int], str]] = {
    "each on its own": own_title,
    "editions, five to a title": edition_of_five,
    "one title for all": one_title,
}


def candidates(titled: Callable[[int], str], count: int, random: random.Random) -> list[Candidate]:
    made = []
    texts: list[str] = []
    for number in range(count):
        if number % 5 == 0 or titled is not edition_of_five:
            texts = [_text(random), _text(random)]
        chunks = tuple(
            FoundChunk(
                f"{number}-{index}",
                index,
                f"{text} As of {number}.",
                "Restoring > Snapshots",
                random.random(),
                {"dense": Leg(random.random(), 1), "bm25": Leg(20 * random.random(), 1)},
            )
            for index, text in enumerate(texts)
        )
        made.append(_candidate(f"page-{number}", titled(number), NOW - timedelta(days=random.randint(1, 2000)), chunks))
    return made


def _text(random: random.Random) -> str:
    """Of a form's length and words: every fortieth is a number."""
    words = (random.choice(_WORDS) if random.randrange(40) else str(random.randrange(900)) for _ in range(1_000))
    return " ".join(itertools.islice(words, random.randint(*_LENGTH)))


def _candidate(doc_id: str, title: str, created: datetime, chunks: tuple[FoundChunk, ...]) -> Candidate:
    return Candidate(
        key=DocumentKey("handbook", doc_id),
        version="1",
        title=title,
        url=f"https://docs.example.org/{doc_id}",
        status=Status.PUBLISHED,
        content_type="page",
        content_hash=doc_id,
        fetched_at="2026-05-31T00:00:00.000000Z",
        lang="en",
        created_at=created,
        created_at_origin="front matter date",
        created_at_trust="high",
        chunks=chunks,
    )


if __name__ == "__main__":
    sys.exit(main())
