"""What is shown so far, and of two copies the better one. Pure."""

from __future__ import annotations

from include.ranking.blend import Scored
from include.ranking.candidates import Candidate
from include.ranking.copies import title_without_dates, why_copies
from include.ranking.intent import Intent, IntentKind

Merit = tuple[float, ...]
"""By which of two copies the better one is known: greater is better."""

_COMPARED = 20
"""Of so many that are below the limit and bear the title of one that is shown the text is compared. A better copy fits
about as well and comes soon; a title that hundreds of pages bear is the name of a form."""


class Kept:
    """Best first, no two of them copies of one another."""

    def __init__(self, intent: Intent) -> None:
        self.shown: list[Scored] = []
        self._intent = intent
        self._merits: list[Merit] = []
        # Copies have one of these in common. Where it is the title alone, their texts have to be compared.
        self._titles: set[str] = set()
        self._hashes: set[str] = set()
        self._families: set[tuple[str, str]] = set()
        self._left = _COMPARED

    def append(self, scored: Scored) -> None:
        self.shown.append(scored)
        self._merits.append(_merit(scored, self._intent))
        self._note(scored.candidate)

    def copy_of(self, scored: Scored) -> tuple[int, str] | None:
        """(the place of one that is a copy of it, why)."""
        for at, other in enumerate(self.shown):
            if why := why_copies(scored.candidate, other.candidate):
                return at, why
        return None

    def have_a_worse_copy_of(self, scored: Scored) -> bool:
        """A candidate below the limit still counts if it is the better copy of one that is shown."""
        candidate = scored.candidate
        if candidate.content_hash not in self._hashes and not (
            candidate.family and (candidate.key.source, candidate.family) in self._families
        ):
            if not self._left or title_without_dates(candidate.title) not in self._titles:
                return False
            self._left -= 1
        merit = _merit(scored, self._intent)
        return any(
            merit > its and why_copies(candidate, other.candidate)
            for its, other in zip(self._merits, self.shown, strict=True)
        )

    def keep_better(self, at: int, scored: Scored) -> Scored:
        """Of the one at this place and its copy the better one has the place, and the score that goes with it; returns
        the other one."""
        merit = _merit(scored, self._intent)
        if merit <= self._merits[at]:
            return scored
        left_out, self.shown[at], self._merits[at] = self.shown[at], scored, merit
        self._note(scored.candidate)
        return left_out

    def _note(self, candidate: Candidate) -> None:
        self._titles.add(title_without_dates(candidate.title))
        if candidate.content_hash:
            self._hashes.add(candidate.content_hash)
        if candidate.family:
            self._families.add((candidate.key.source, candidate.family))

    def why_better(self, at: int) -> str:
        """In a word, why that one is kept."""
        candidate, kind = self.shown[at].candidate, self._intent.kind
        if kind is IntentKind.AS_OF:
            return "the newest of that time"
        if kind is IntentKind.LATEST and candidate.family and candidate.is_current:
            return "current"
        if candidate.is_canonical:
            return "canonical"
        return "newer" if self.shown[at].recency_found.date.value else "shown first"


def _merit(scored: Scored, intent: Intent) -> Merit:
    candidate, date = scored.candidate, scored.recency_found.date.value
    newness = date.timestamp() if date else float("-inf")
    if intent.kind is IntentKind.AS_OF:
        # what held then: the newest that is not from after the end of the period, marks of today aside
        is_of_the_time = date is not None and intent.period is not None and date < intent.period.end
        return float(is_of_the_time), newness if is_of_the_time else -newness
    holds = not candidate.is_superseded and not candidate.standing.is_over
    canonical, current = float(candidate.is_canonical), float(candidate.is_current)
    if intent.kind is IntentKind.LATEST:  # the authoritative one may be another
        return current, float(holds), canonical, newness
    return canonical, current, float(holds), newness
