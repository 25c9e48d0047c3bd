"""Similarity, recency, canonical mark and pins in one score, per intent. Pure.

    score = a·similarity + b·recency + c·canonical + d·pinned + e·period

Similarity is the fused score of a document's best chunks, laid between 0 (the weakest candidate) and 1 (the best), so
that the scale and sign of the engine's scores do not matter. Every other part is between 0 and 1 too: nothing can
overturn a gap of similarity wider than b + c + d + e. With plain intent these are 0 and the order is that of
similarity; they only part ties.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from itertools import chain
from types import MappingProxyType

from include.ranking.candidates import Candidate
from include.ranking.intent import Intent, IntentKind
from include.ranking.periods import Period
from include.ranking.recency import NEUTRAL, HalfLives, Recency, recency

BEST_CHUNKS = 3
"""So many chunks of a document count. The sum of all would let a long document win by its length."""

SUPPORT = 0.1
"""How much of the way from its best chunk to 1 the next best ones can lift a document."""

HELD = 0.75
"""What a document from before the period counts, however old. Nothing says that it no longer held, and a page on
another subject must not pass it only because it happens to be from that year."""

_WORDS = re.compile(r"[^\W_]+|\|")


@dataclass(frozen=True, slots=True)
class Weights:
    """Of the parts of the score. Only their proportions matter."""

    similarity: float = 1.0
    recency: float = 0.0
    canonical: float = 0.0
    pinned: float = 0.0
    period: float = 0.0

    def __post_init__(self) -> None:
        parts = (self.similarity, self.recency, self.canonical, self.pinned, self.period)
        if not all(math.isfinite(part) and part >= 0 for part in parts) or self.similarity <= 0:
            raise ValueError(f"weights are finite and not negative, similarity is above 0; got {parts}")


WEIGHTS: Mapping[IntentKind, Weights] = MappingProxyType(
    {
        IntentKind.PLAIN: Weights(),
        IntentKind.LATEST: Weights(recency=0.2, canonical=0.1, pinned=0.05),
        IntentKind.AS_OF: Weights(period=0.25),
        IntentKind.HISTORY: Weights(period=0.25),
    }
)


@dataclass(slots=True)
class Scored:
    """A candidate with every part of its score, weighted: `score` is their sum.

    Nobody changes one. It is not frozen, nor are `Placed`, `Recency` and `DocumentDate`: hundreds are made for each
    question, and a frozen one takes twice as long to make, which came to a tenth of all that ranking costs.
    """

    candidate: Candidate
    score: float
    similarity: float
    recency: float
    canonical: float
    pinned: float
    period: float
    recency_found: Recency
    notes: tuple[str, ...] = field(default=())


def blend(
    candidates: Sequence[Candidate],
    intent: Intent,
    *,
    now: datetime,
    half_lives: HalfLives = HalfLives(),
    weights: Mapping[IntentKind, Weights] = WEIGHTS,
) -> list[Scored]:
    """Best first. Ties are parted by date, newer first, then by name, so that the order of the input never shows.

    A candidate without chunks has similarity 0: what put it here lifts it later (`arrange`).
    """
    weight = weights[intent.kind]
    at = min(intent.period.end, now) if intent.period else None
    scored = [
        _scored(candidate, similarity, recency(candidate, half_lives, now=now, at=at), intent, weight)
        for candidate, similarity in zip(candidates, _similarities(candidates), strict=True)
    ]
    return sorted(scored, key=order)


def order(scored: Scored) -> tuple[float, float, str, str]:
    """The sort key of a ranking."""
    date = scored.recency_found.date.value
    key = scored.candidate.key
    return -scored.score, -date.timestamp() if date else math.inf, key.source, key.doc_id


def _scored(candidate: Candidate, similar: float, found: Recency, intent: Intent, weight: Weights) -> Scored:
    similarity = weight.similarity * similar
    newness = weight.recency * found.value
    canonical = weight.canonical * candidate.is_canonical
    pinned = weight.pinned * candidate.pinned
    period = weight.period * fit(candidate, found, intent) if intent.period else 0.0
    score = similarity + newness + canonical + pinned + period
    return Scored(candidate, score, similarity, newness, canonical, pinned, period, found)


def _similarities(candidates: Sequence[Candidate]) -> list[float]:
    """Between 0 and 1, by document. A score that is no finite number says nothing and counts as the weakest."""
    by_document = [[chunk.fused for chunk in candidate.chunks] for candidate in candidates]
    scores = list(filter(math.isfinite, chain.from_iterable(by_document)))
    if not scores:
        return [0.0] * len(candidates)
    lowest, highest = min(scores), max(scores)
    spread = highest - lowest

    similarities = []
    for its in by_document:
        laid = [((score - lowest) / spread if spread > 0 else 1.0) if math.isfinite(score) else 0.0 for score in its]
        laid.sort(reverse=True)
        best = laid[0] if laid else 0.0
        lift = SUPPORT * sum(laid[1:BEST_CHUNKS]) / (BEST_CHUNKS - 1)
        similarities.append(best + (1 - best) * lift)
    return similarities


def fit(candidate: Candidate, found: Recency, intent: Intent) -> float:
    """How well a document fits the period that was asked for: 1 for one of that time, a little less the longer before
    it (what came into force earlier still held), 0 for a later one, NEUTRAL for an unknown date. Of an edition that is
    asked for by name, its title counts as well, and no other time does."""
    if intent.period is None:
        return 0.0
    if intent.names_edition and _bears(candidate, intent.period):
        return 1.0
    date = found.date.value
    if date is None:
        return NEUTRAL
    if date in intent.period:
        return 1.0
    if intent.names_edition or date >= intent.period.end:
        return 0.0
    return HELD + (1 - HELD) * found.value


def _bears(candidate: Candidate, period: Period) -> bool:
    """Whether title, version or id bear the name of the period: as the question put it, or with its numbers."""
    text = _plain_words(f"{candidate.title} | {candidate.family_version or ''} | {candidate.key.doc_id}")
    return any(name in text for name in _names(period))


@lru_cache(maxsize=64)
def _names(period: Period) -> tuple[str, ...]:
    """As they stand in plain words."""
    start, days = period.start, (period.end - period.start).days
    quarter = (start.month + 2) // 3
    if days > 300:
        names = [f"{start:%Y}"]
    elif days > 80:
        names = [period.words, f"q{quarter} {start:%Y}", f"{start:%Y} q{quarter}"]
    elif days > 20:
        names = [period.words, f"{start:%Y %m}", f"{start:%B %Y}", f"{start:%b %Y}"]
    else:
        names = [period.words, f"{start:%Y %m %d}"]
    return tuple(f" {_plain_words(name).strip()} " for name in names)


def _plain_words(text: str) -> str:
    return f" {' '.join(_WORDS.findall(text.lower()))} "
