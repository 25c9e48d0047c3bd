"""How good answers are, and whether they got worse. Pure.

A document that is shown is right if it is one of the expected ones and, where the question names a text, what is shown
of it says so. Every metric is an average over questions, so the noise of a difference is known: see `falls`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from include.domain.documents import DocumentKey
from include.ranking.intent import IntentKind
from include.ranking.questions import Question

DEPTH = 5
"""So many documents of an answer count."""

METRICS: Mapping[str, str] = {
    "answer_hit_at_1": "share of questions whose first document is right",
    "answer_hit_at_5": "share with a right one among the first five; all of them where all are asked for",
    "ndcg_at_5": "how near to the top the right documents stand; 1 is the best order",
    "mrr": "1 / place of the first right document, 0 where none is shown",
    "stale_answer_rate": "share with an outdated document or text among those shown; 0 is right",
    "latest_correct_rate": "of questions with an outdated rival: share whose first version shown is the right one",
}
LOWER_IS_BETTER = frozenset({"stale_answer_rate"})

RESAMPLES = 2_000
CONFIDENCE = 0.975
_SEED = 20260101


@dataclass(frozen=True, slots=True)
class Passages:
    """One shown document with the texts that a reader gets of it."""

    key: DocumentKey
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search shows, best first. `intent` is what it read from the question, where it reads any."""

    shown: tuple[Passages, ...]
    intent: IntentKind | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question, answered and judged. `measured` lacks `latest_correct_rate` where nothing outdated could win."""

    question: str
    fingerprint: str
    intent: IntentKind
    measured: Mapping[str, float]
    first: str = ""
    stale: tuple[str, ...] = ()
    read_as: str = ""

    @property
    def is_right(self) -> bool:
        return self.measured["answer_hit_at_1"] == 1 and not self.stale


@dataclass(frozen=True, slots=True)
class Fall:
    """A metric that fell by more than its noise. `group` is a set, or one intent of it; `bound` is the smallest fall
    that the choice of the questions leaves possible."""

    group: str
    metric: str
    before: float
    after: float
    bound: float
    questions: int

    def __str__(self) -> str:
        return (
            f"{self.group}: {self.metric} went from {self.before:.3f} to {self.after:.3f} on the same "
            f"{self.questions} questions, which is more than noise (at least {self.bound:.3f})"
        )


def judge(question: Question, answer: Answer) -> Outcome:
    """Measure the first `DEPTH` documents of an answer."""
    shown = answer.shown[:DEPTH]
    right = [_is_right(question, passages) for passages in shown]
    stale = [_outdated(question, passages) for passages in shown]
    first = next((place for place, each in enumerate(right, start=1) if each), 0)
    measured = {
        "answer_hit_at_1": float(first == 1),
        "answer_hit_at_5": float(_is_whole(question, shown, right)),
        "ndcg_at_5": _ndcg(question, right),
        "mrr": 1 / first if first else 0.0,
        "stale_answer_rate": float(any(stale)),
    }
    if question.has_conflict:
        versions = [(good, old) for good, old in zip(right, stale, strict=True) if good or old]
        measured["latest_correct_rate"] = float(bool(versions) and versions[0][0] and not versions[0][1])
    return Outcome(
        question.id,
        question.fingerprint,
        question.intent,
        measured,
        first=str(shown[0].key) if shown else "",
        stale=tuple(each for each in stale if each),
        read_as=answer.intent.value if answer.intent else "",
    )


def averages(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Each metric over the questions that it applies to; one that applies to none is left out."""
    found = {}
    for name in METRICS:
        values = [outcome.measured[name] for outcome in outcomes if name in outcome.measured]
        if values:
            found[name] = sum(values) / len(values)
    return found


def falls(group: str, before: Sequence[Outcome], after: Sequence[Outcome]) -> list[Fall]:
    """Metrics that got worse by more than their noise.

    Noise is what another choice of questions could have brought: the differences of the questions that both runs have
    in common are drawn with replacement 2,000 times (paired bootstrap), and a fall counts if 97.5 % of the draws show
    one. One question more or less is therefore noise, four of which none got better are not.
    """
    earlier = {(outcome.question, outcome.fingerprint): outcome for outcome in before}
    pairs = [
        (earlier[outcome.question, outcome.fingerprint], outcome)
        for outcome in after
        if (outcome.question, outcome.fingerprint) in earlier
    ]
    found = []
    for name in METRICS:
        values = [(b.measured[name], a.measured[name]) for b, a in pairs if name in b.measured and name in a.measured]
        if not values:
            continue
        old, new = (sum(each) / len(values) for each in zip(*values, strict=True))
        sign = -1.0 if name in LOWER_IS_BETTER else 1.0
        losses = np.array([sign * (b - a) for b, a in values])
        if losses.mean() <= 0:
            continue
        drawn = np.random.default_rng(_SEED).integers(0, len(losses), size=(RESAMPLES, len(losses)))
        bound = float(np.quantile(losses[drawn].mean(axis=1), 1 - CONFIDENCE))
        if bound > 0:
            found.append(Fall(group, name, old, new, bound, len(values)))
    return found


def _is_right(question: Question, passages: Passages) -> bool:
    if question.expected and passages.key not in question.expected:
        return False
    return not question.expected_text or any(_stands_in(text, passages) for text in question.expected_text)


def _outdated(question: Question, passages: Passages) -> str:
    """What is outdated about a shown document, in words; empty for nothing."""
    if passages.key in question.forbidden:
        return str(passages.key)
    said = next((text for text in question.forbidden_text if _stands_in(text, passages)), "")
    return f"{passages.key}: “{' '.join(said.split())[:80]}”" if said else ""


def _stands_in(text: str, passages: Passages) -> bool:
    wanted = _plain(text)
    return any(wanted in _plain(each) for each in passages.texts)


def _plain(text: str) -> str:
    """Without emphasis and line breaks: **60 days** says 60 days."""
    return " ".join(text.casefold().replace("*", "").split())


def _is_whole(question: Question, shown: Sequence[Passages], right: Sequence[bool]) -> bool:
    if not question.needs_all:
        return any(right)
    found = {passages.key for passages, good in zip(shown, right, strict=True) if good}
    return found >= set(question.expected)


def _ndcg(question: Question, right: Sequence[bool]) -> float:
    wanted = min(len(question.expected), DEPTH) if question.needs_all else 1
    places = [place for place, good in enumerate(right, start=1) if good][:wanted]
    best = sum(1 / math.log2(place + 1) for place in range(1, wanted + 1))
    return sum(1 / math.log2(place + 1) for place in places) / best
