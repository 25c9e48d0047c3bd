"""What people made of past candidates, signal by signal, so that the weight of a signal can be judged. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from include.domain.manifest import Feedback
from include.domain.review import Disposition, ReviewItem

_APPROVED = frozenset({Disposition.APPROVE_PURGE, Disposition.ARCHIVE, Disposition.SUPERSEDE_LINK})


def feedback_on(settled: Iterable[ReviewItem]) -> Mapping[str, Feedback]:
    """By signal, sorted by name. An item counts once for each signal that spoke; one that was put off counts for
    none."""
    approved: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    for item in settled:
        if item.decision is None or item.decision.disposition is Disposition.EXTEND:
            continue
        (approved if item.decision.disposition in _APPROVED else kept).update({each.signal for each in item.evidence})
    return {signal: Feedback(approved[signal], kept[signal]) for signal in sorted(approved.keys() | kept.keys())}
