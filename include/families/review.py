"""An ambiguous family as it is put before a person: who could be the head, what speaks for each, how to answer."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from include.families.members import FamilyDecision, Member, Option


@dataclass(frozen=True, slots=True)
class ReviewedDocument:
    """A member of the family, as a person recognises it. `version` and `date` are those that were read, or empty."""

    doc_id: str
    title: str
    url: str
    version: str
    date: str


@dataclass(frozen=True, slots=True)
class FamilyReview:
    """One open question of the review queue. `since` is when the family was first found ambiguous, RFC 3339."""

    source: str
    family: str
    since: str
    question: str
    why: tuple[str, ...]
    options: tuple[Option, ...]
    members: tuple[ReviewedDocument, ...]
    how_to_decide: tuple[str, ...]


def review_of(decision: FamilyDecision, members: Mapping[str, Member], *, since: str) -> FamilyReview:
    """The question that an ambiguous decision leaves. `members` are those of the source, by doc_id."""
    return FamilyReview(
        source=decision.source,
        family=decision.family,
        since=since,
        question=f"Which of these {len(decision.members)} documents holds now? Until a person says, none is marked.",
        why=decision.why,
        options=decision.options,
        members=tuple(_reviewed(members[doc_id], decision.versions.get(doc_id, "")) for doc_id in decision.members),
        how_to_decide=_commands(decision),
    )


def _reviewed(member: Member, version: str) -> ReviewedDocument:
    date = member.effective_date or member.created_at
    dated = f"{date.value:%Y-%m-%d} ({date.origin})" if date else ""
    return ReviewedDocument(member.key.doc_id, member.title, member.url, version, dated)


def _commands(decision: FamilyDecision) -> tuple[str, ...]:
    head = decision.options[0].doc_id if decision.options else decision.members[0]
    words = ["truecopy", "decide", decision.source, decision.family]
    return (
        f'{shlex.join([*words, "--head", head])} --reason "…"   (it replaces all others; name yours)',
        f'{shlex.join([*words, "--head", head, "--supersede", "…"])} --reason "…"   (it replaces only these)',
        f'{shlex.join([*words, "--not-a-family"])} --reason "…"   (they have nothing to do with one another)',
    )
