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

SHARES: Mapping[str, float] = {"dense": 0.4, "bm25": 0.6}
"""Of the legs in the sum; a leg that found nothing leaves its share to the other."""

_FROM_ZERO = frozenset({"bm25"})
"""Legs whose 0 means something: no word in common. A cosine has no such point, its weakest find counts as 0."""


def with_scores_of_legs(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates with `fused` of every chunk made of its legs' scores. Without any leg they stay as they are."""
    scores: dict[str, list[float]] = defaultdict(list)
    for candidate in candidates:
        for chunk in candidate.chunks:
            for name, leg in chunk.legs.items():
                if name in SHARES:
                    scores[name].append(leg.score)
    if not scores:
        return list(candidates)
    whole = sum(SHARES[name] for name in scores)
    lowest = {name: 0.0 if name in _FROM_ZERO else min(found) for name, found in scores.items()}
    spread = {name: max(found) - lowest[name] for name, found in scores.items()}

    def laid(chunk: FoundChunk) -> float:
        return sum(
            SHARES[name] / whole * ((leg.score - lowest[name]) / spread[name] if spread[name] > 0 else 1.0)
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
