"""Members of families for tests: a document that says nothing unless a test lets it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from include.domain.dates import EvidencedDate, Precision, Trust
from include.domain.documents import DocumentKey
from include.domain.lineage import Hint, Lineage
from include.families.members import FamilyDecision, Member, Outcome
from include.families.resolve import resolve

NOW = datetime(2026, 6, 20, tzinfo=UTC)


def day(text: str, trust: Trust = Trust.HIGH) -> EvidencedDate:
    return EvidencedDate(datetime.fromisoformat(text).replace(tzinfo=UTC), Precision.DAY, "front matter", trust)


def member(
    doc_id: str,
    title: str = "Page",
    *,
    source: str = "docs",
    url: str = "",
    lang: str | None = None,
    content_type: str = "page",
    content_hash: str = "",
    family: str | None = None,
    version: str | None = None,
    status: str | None = None,
    supersedes: Sequence[str] = (),
    superseded_by: Sequence[str] = (),
    aliases: Sequence[str] = (),
    hints: Sequence[str] = (),
    created: str = "",
    effective: str = "",
    trust: Trust = Trust.HIGH,
    decided: Mapping[str, object] | None = None,
) -> Member:
    """`created` and `effective` are days, empty for unknown; `hints` are references of "replaced by" in prose."""
    said = tuple(Hint(reference, f"This document has been replaced by {reference}.") for reference in hints)
    return Member(
        DocumentKey(source, doc_id),
        title,
        url,
        lang,
        content_type,
        content_hash or f"hash of {doc_id}",
        Lineage(family, version, status, tuple(supersedes), tuple(superseded_by), tuple(aliases), (), said),
        created_at=day(created, trust) if created else None,
        effective_date=day(effective, trust) if effective else None,
        decided=dict(decided or {}),
    )


def same_topic(_one: DocumentKey, _other: DocumentKey) -> float:
    """Similarity that confirms every family which structure proposes."""
    return 0.9


def resolved(*members: Member) -> tuple[FamilyDecision, ...]:
    return resolve(members, same_topic, now=NOW)


def the_family(*members: Member) -> FamilyDecision:
    """The only decision about these documents."""
    (decision,) = resolved(*members)
    return decision


def links(decision: FamilyDecision) -> set[tuple[str, str]]:
    """(newer, older) of each link."""
    return {(link.newer, link.older) for link in decision.links}


def options(decision: FamilyDecision) -> set[str]:
    """The possible heads of an ambiguous family."""
    assert decision.outcome is Outcome.AMBIGUOUS, decision
    return {option.doc_id for option in decision.options}
