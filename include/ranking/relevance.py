"""How well a chunk fits the question: the scores of the legs in one number. Pure.

Each leg's scores are laid between 0 and 1 and added by their shares. The engine's own fusion goes by ranks, which is
right for choosing candidates and wrong for blending: between the first and the tenth place it leaves about the same
gap whether the tenth fits almost as well or not at all, and a fresh date then lifts a page over the answer.
docs/RETRIEVAL.md has the numbers of both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from include.ranking.candidates import Leg

WORDS = 0.6
"""Share of the words' leg in the sum, the rest is the meaning's; a leg that found nothing leaves its share to the
other. More where questions repeat the words of the pages, less where they are put in other words."""

_FROM_ZERO = frozenset({"bm25"})
"""Legs whose 0 means something: no word in common. A cosine has no such point, its weakest find counts as 0."""


def scores_of_legs(legs: Mapping[str, Mapping[str, Leg]], words: float = WORDS) -> dict[str, float]:
    """One score between 0 and 1 for each chunk, by what each leg gave it. Empty where no leg found anything."""
    shares = {"dense": 1 - words, "bm25": words}
    found = {name: _finite_scores(name, legs) for name in shares}
    whole = sum(shares[name] for name, scores in found.items() if scores)
    if not whole:
        return {}
    total = dict.fromkeys(legs, 0.0)
    for name, scores in found.items():
        if not scores:
            continue
        lowest = 0.0 if name in _FROM_ZERO else min(scores.values())
        spread, share = max(scores.values()) - lowest, shares[name] / whole
        for chunk, score in scores.items():
            total[chunk] += share * ((score - lowest) / spread if spread > 0 else 1.0)
    return total


def _finite_scores(name: str, legs: Mapping[str, Mapping[str, Leg]]) -> dict[str, float]:
    """What one leg gave the chunks that it found."""
    scores = {chunk: its[name].score for chunk, its in legs.items() if name in its}
    if all(map(math.isfinite, scores.values())):
        return scores
    return {chunk: score for chunk, score in scores.items() if math.isfinite(score)}
