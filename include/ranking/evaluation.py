"""The outcome of a question set, and why it is worse than another. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from include.ranking.metrics import METRICS, Outcome, averages, falls


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The outcomes of one question set, with its bounds. `pipeline` says what answered (embedder, chunker)."""

    name: str
    asked_at: datetime
    pipeline: str
    outcomes: tuple[Outcome, ...]
    at_least: Mapping[str, float] = field(default_factory=dict)
    at_most: Mapping[str, float] = field(default_factory=dict)

    @property
    def averages(self) -> dict[str, float]:
        return averages(self.outcomes)

    @property
    def by_intent(self) -> dict[str, tuple[Outcome, ...]]:
        groups: dict[str, list[Outcome]] = defaultdict(list)
        for outcome in self.outcomes:
            groups[outcome.intent.value].append(outcome)
        return {intent: tuple(groups[intent]) for intent in sorted(groups)}

    @property
    def failures(self) -> tuple[Outcome, ...]:
        """Answered wrongly or with something outdated among the shown."""
        return tuple(outcome for outcome in self.outcomes if not outcome.is_right)

    @property
    def misread(self) -> tuple[Outcome, ...]:
        """Questions whose intent was read as another than the one they have."""
        return tuple(outcome for outcome in self.outcomes if outcome.read_as not in ("", outcome.intent.value))


def regressions(after: Evaluation, before: Evaluation | None) -> list[str]:
    """Why this evaluation is red, in words; empty when it is not.

    Three things make it red: a stale answer that the one before did not have (without one before: any), a metric that
    fell by more than its noise over the set or one intent of it, and a bound of the set that does not hold.
    """
    found = _new_stale_answers(after, before)
    if before is not None:
        found += [str(fall) for fall in falls(after.name, before.outcomes, after.outcomes)]
        for intent, outcomes in after.by_intent.items():
            group = f"{after.name}, {intent}"
            found += [str(fall) for fall in falls(group, before.by_intent.get(intent, ()), outcomes)]
    for name in METRICS:
        value = after.averages.get(name)
        if value is None:
            continue
        if value < after.at_least.get(name, value):
            found.append(f"{after.name}: {name} is {value:.3f}, at least {after.at_least[name]:g} is required")
        if value > after.at_most.get(name, value):
            found.append(f"{after.name}: {name} is {value:.3f}, at most {after.at_most[name]:g} is allowed")
    return found


def _new_stale_answers(after: Evaluation, before: Evaluation | None) -> list[str]:
    known = {
        (outcome.question, outcome.fingerprint) for outcome in (before.outcomes if before else ()) if outcome.stale
    }
    return [
        f"{after.name}: question {outcome.question} shows what is outdated: {', '.join(outcome.stale)}"
        for outcome in after.outcomes
        if outcome.stale and (outcome.question, outcome.fingerprint) not in known
    ]


def dropped(after: Evaluation, before: Evaluation) -> list[str]:
    """Questions that were asked before and are gone or changed: nothing is compared on them."""
    asked = {(outcome.question, outcome.fingerprint) for outcome in after.outcomes}
    return [each.question for each in before.outcomes if (each.question, each.fingerprint) not in asked]
