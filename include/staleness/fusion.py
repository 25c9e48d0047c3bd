"""From evidence to a proposal. Pure.

    score = 1 - product over causes of (1 - strongest signal of the cause)

This is noisy-or: each cause by itself would be reason enough with the probability that its strength states, and causes
are taken as independent of one another. Signals of one cause are not, so only the strongest of them counts.

    stage     score >= 0.90, and an anchor is among what counts
    review    score >= 0.50
    leave     otherwise

What is old is also seldom asked for and linked to by nobody. However many such signs come together, they are signs of
neglect, not of error: without an anchor nothing is staged. More evidence never lowers a proposal.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from include.domain.documents import DocumentKey
from include.staleness.evidence import Cause, Evidence, Proposal, Signal

STAGE_FROM = 0.90
REVIEW_FROM = 0.50


@dataclass(frozen=True, slots=True)
class Fused:
    """`proposal` is None where the document is left alone. `evidence` is everything that was given, each once, the
    strongest first; `score` is in thousandths: what is shown is what was compared."""

    proposal: Proposal | None
    score: float
    evidence: tuple[Evidence, ...]
    arithmetic: str

    @property
    def replacement(self) -> DocumentKey | None:
        """Where the strongest signal that knows one points."""
        known = (each.replacement for each in sorted(self.evidence, key=lambda each: not each.anchor))
        return next((each for each in known if each is not None), None)


def fuse(evidence: Iterable[Evidence], *, most: Proposal = Proposal.STAGE, because: str = "") -> Fused:
    """What this evidence amounts to, the same for every order of it. `most` is the most that may be proposed, and
    `because` says what forbids more."""
    ordered = tuple(sorted(dict.fromkeys(evidence), key=_order))
    counted = _counted(ordered)
    score = round(1 - math.prod(1 - each.strength for each in counted), 3)
    has_anchor = _has_anchor(ordered)
    proposal: Proposal | None = None
    if score >= STAGE_FROM and has_anchor and most is Proposal.STAGE:
        proposal = Proposal.STAGE
    elif score >= REVIEW_FROM:
        proposal = Proposal.REVIEW
    forbidden = because if score >= STAGE_FROM and has_anchor and most is not Proposal.STAGE else ""
    return Fused(proposal, score, ordered, _arithmetic(counted, ordered, score, has_anchor, proposal, forbidden))


def _counted(ordered: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """The strongest signal of each cause, the strongest first."""
    strongest: dict[Cause, Evidence] = {}
    for each in ordered:
        strongest.setdefault(each.cause, each)
    return tuple(strongest.values())


def _has_anchor(evidence: Iterable[Evidence]) -> bool:
    """An anchor counts even where a sign of the same cause is stronger: it is a statement about the document."""
    return any(each.anchor for each in evidence)


def _order(each: Evidence) -> tuple[float, bool, int, str, str]:
    return -each.strength, not each.anchor, list(Signal).index(each.signal), each.sentence, each.fingerprint


def _arithmetic(
    counted: Collection[Evidence],
    every: Collection[Evidence],
    score: float,
    has_anchor: bool,
    proposal: Proposal | None,
    forbidden: str,
) -> str:
    """The sum as a person would write it down."""
    if not counted:
        return "Nothing speaks against it: 0.000, leave."
    parts = ", ".join(f"{each.signal} {each.strength:.2f}" for each in counted)
    product = " × ".join(f"(1 − {each.strength:.2f})" for each in counted)
    text = f"{parts}: 1 − {product} = {score:.3f}, {proposal or 'leave'}"
    if forbidden:
        text += f" and not stage: {forbidden}"
    elif proposal is Proposal.REVIEW and score >= STAGE_FROM:
        text += " and not stage: nobody has said anything about the document itself, these are signs only"
    elif proposal is not Proposal.STAGE:
        needed = "" if has_anchor else " with an anchor"
        text += f" (review from {REVIEW_FROM:.2f}, stage from {STAGE_FROM:.2f}{needed})"
    uncounted = [each for each in every if each not in counted]
    if uncounted:
        same = ", ".join(f"{each.signal} {each.strength:.2f} ({each.cause})" for each in uncounted)
        text += f". Of a cause that counts already: {same}"
    return f"{text}."
