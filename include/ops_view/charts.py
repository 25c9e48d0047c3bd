"""A trend as a picture and as words: who cannot see the picture reads the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from include.ops_view.shown import number


@dataclass(frozen=True, slots=True)
class Chart:
    """`points` are instants with values, oldest first. `words` says what a look at the picture would."""

    name: str
    meaning: str
    points: Sequence[tuple[datetime, float]]
    words: str

    @property
    def label(self) -> str:
        """The gauge's name as people read it."""
        return self.name.removeprefix("rag.").replace("_", " ").replace(".", ", ")

    @property
    def last(self) -> float:
        return self.points[-1][1]

    @property
    def data(self) -> list[list[float]]:
        """Seconds since 1970, and the values: what the chart library takes."""
        return [[at.timestamp() for at, _ in self.points], [value for _, value in self.points]]


def chart_of(name: str, meaning: str, points: Sequence[tuple[datetime, float]]) -> Chart:
    """Of at least one point."""
    values = [value for _, value in points]
    low, high, last = min(values), max(values), values[-1]
    nights = f"{len(values)} nights" if len(values) > 1 else "one night"
    if low == high:
        words = f"{number(last)} in all of {nights}" if len(values) > 1 else f"{number(last)} in {nights}"
    else:
        words = f"{number(last)} now, between {number(low)} and {number(high)} in {nights}"
    return Chart(name, meaning, points, words)
