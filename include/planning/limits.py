"""The limits of every gate, and the arithmetic of a loss against them: however documents leave the answers, deleted,
superseded or hidden, they count against the same percentages and fill the same window.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from include.domain.manifest import Removal


@dataclass(frozen=True, slots=True)
class Limits:
    """Percentages of the documents a source has in the index. Zero deletion_percent holds every deletion."""

    deletion_percent: float = 10.0
    window_percent: float = 25.0
    window_days: int = 7
    update_percent: float = 25.0
    update_allowance: int = 10
    same_text_percent: float = 10.0
    same_text_minimum: int = 3


@dataclass(frozen=True, slots=True)
class Past:
    """What the window has seen already: documents that were removed, and documents that were retired."""

    removed: int
    retired: int

    @classmethod
    def within(cls, history: Iterable[Removal], limits: Limits, now: datetime, leaving: Iterable[str] = ()) -> Past:
        """A document counts once, though it was superseded, then staged, then removed: it left the answers once. So
        those that are `leaving` now are not counted as retired before."""
        since = now - timedelta(days=limits.window_days)
        recent = [removal for removal in history if removal.at >= since]
        retired = frozenset().union(*(each.retired_ids for each in recent))
        counted = frozenset(leaving).union(*(each.removed_ids for each in recent))
        nameless = sum(each.retired - len(each.retired_ids) for each in recent)
        return cls(sum(each.documents for each in recent), len(retired - counted) + nameless)

    @property
    def sum(self) -> int:
        return self.removed + self.retired

    def __str__(self) -> str:
        return f"{self.removed} deleted and {self.retired} retired" if self.retired else str(self.removed)


@dataclass(frozen=True, slots=True)
class Loss:
    """`count` of `base` documents that would leave the answers now, whichever way, against the limits of deletions.
    Exactly at a limit passes; nothing lost is never over one."""

    count: int
    base: int
    past: Past
    limits: Limits

    @property
    def is_over(self) -> bool:
        return over(self.count, self.limits.deletion_percent, self.base)

    @property
    def is_over_in_window(self) -> bool:
        """Together with what left in the last days. What left alone is not judged a second time."""
        if not (self.count and self.past.sum):
            return False
        return over(self.count + self.past.sum, self.limits.window_percent, self.window_base)

    @property
    def window_base(self) -> int:
        """What the source held before the removals in the window."""
        return self.base + self.past.removed

    @property
    def share(self) -> str:
        return _share(self.count, self.base)

    @property
    def window_share(self) -> str:
        return _share(self.count + self.past.sum, self.window_base)


def over(count: int, percent: float, base: int) -> bool:
    """Whether `count` of `base` is more than the percentage; exactly it is not."""
    return count * 100 > percent * base


def _share(count: int, base: int) -> str:
    return f"{count * 100 / base:.1f} %" if base else "all"
