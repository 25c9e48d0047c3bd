"""What is never proposed, whatever speaks against it. Pure. A protection says why it is there."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from include.domain.documents import Status
from include.staleness.ageing import Ageing
from include.staleness.evidence import Evidence
from include.staleness.subject import Subject


def why_protected(subject: Subject, ageing: Ageing, *, now: datetime) -> str:
    """Empty where nothing protects the document. The words of people come first."""
    care = subject.care
    if subject.pinned:
        return "it is pinned"
    if care.held_until is not None and care.held_until > now:
        return f"it is held until {care.held_until:%Y-%m-%d}" + (f": {care.hold_reason}" if care.hold_reason else "")
    if subject.is_canonical:
        return "it is the canonical document of its family"
    if ageing.never_expires(subject):
        return f"it is of a type that never expires ({subject.content_type})"
    if subject.status is Status.ARCHIVED:
        return "it is archived already"
    if subject.status is Status.INCOMING:
        return "it is being written"
    return ""


def without_kept(subject: Subject, evidence: Iterable[Evidence]) -> tuple[list[Evidence], list[Evidence]]:
    """(what a person has not seen yet, what a person has looked at and found no reason). The second counts for nothing:
    a document that was kept comes back for new evidence only, and as much as that alone is worth."""
    fresh: list[Evidence] = []
    kept: list[Evidence] = []
    for each in evidence:
        (kept if each.fingerprint in subject.care.kept else fresh).append(each)
    return fresh, kept


def why_kept(subject: Subject, kept: Iterable[Evidence]) -> str:
    """For a document that only kept evidence speaks against."""
    at = subject.care.reviewed_at
    when = f" on {at:%Y-%m-%d}" if at else ""
    return f"a person kept it{when} for the same evidence: " + "; ".join(each.sentence for each in kept)
