"""How well a chunk fits the question: the scores of the legs in one number. Pure.

Each leg's scores are laid between 0 and 1 and added by their shares. The engine's own fusion goes by ranks, which is
right for choosing candidates and wrong for blending: between the first and the tenth place it leaves about the same
gap whether the tenth fits almost as well or not at all, and a fresh date then lifts a page over the answer.
docs/RETRIEVAL.md has the numbers of both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from include.ranking.candidates import Candidate, FoundChunk

WORDS = 0.6
"""Share of the words' leg in the sum, the rest is the meaning's; a leg that found nothing leaves its share to the
other. More where questions repeat the words of the pages, less where they are put in other words."""

_FROM_ZERO = frozenset({"bm25"})
"""Legs whose 0 means something: no word in common. A cosine has no such point, its weakest find counts as 0."""


def with_scores_of_legs(candidates: Sequence[Candidate], words: float = WORDS) -> list[Candidate]:
    """The candidates with `fused` of every chunk made of its legs' scores. Without any leg they stay as they are."""
    shares: Mapping[str, float] = {"dense": 1 - words, "bm25": words}
    scores: dict[str, list[float]] = defaultdict(list)
    for candidate in candidates:
        for chunk in candidate.chunks:
            for name, leg in chunk.legs.items():
                if name in shares:
                    scores[name].append(leg.score)
    if not any(shares[name] for name in scores):
        return list(candidates)
    whole = sum(shares[name] for name in scores)
    lowest = {name: 0.0 if name in _FROM_ZERO else min(found) for name, found in scores.items()}
    spread = {name: max(found) - lowest[name] for name, found in scores.items()}

    def laid(chunk: FoundChunk) -> float:
        return sum(
            shares[name] / whole * ((leg.score - lowest[name]) / spread[name] if spread[name] > 0 else 1.0)
            for name, leg in chunk.legs.items()
            if name in spread
        )

    return [
        replace(
            candidate,
            chunks=tuple(
                sorted(
                    (replace(chunk, fused=laid(chunk)) for chunk in candidate.chunks),
                    key=lambda chunk: (-chunk.fused, chunk.index),
                )
            ),
        )
        for candidate in candidates
    ]
