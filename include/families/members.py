"""What the resolver looks at and what it says. Pure data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from include.domain.dates import EvidencedDate
from include.domain.documents import DocumentKey
from include.domain.lineage import NO_LINEAGE, Lineage
from include.domain.metadata import Patch


@dataclass(frozen=True, slots=True)
class Member:
    """One indexed document as the resolver sees it.

    Dates are those that the dating rules chose; only trusted ones count. `decided` is what a person's hand has set in
    the ledger (fields of `domain.metadata.MARKS`), `pinned` included: it wins over everything else.
    """

    key: DocumentKey
    title: str
    url: str
    lang: str | None = None
    content_type: str = "page"
    content_hash: str = ""
    lineage: Lineage = NO_LINEAGE
    created_at: EvidencedDate | None = None
    effective_date: EvidencedDate | None = None
    updated_at: EvidencedDate | None = None
    decided: Patch = field(default_factory=dict)

    @property
    def pinned(self) -> bool:
        return self.decided.get("pinned") is True


def label_of(member: Member) -> str:
    """The family that a person put it into, else the one that it names itself; empty for none."""
    decided = member.decided.get("doc_family")
    return decided if isinstance(decided, str) else member.lineage.family or ""


class Relation(StrEnum):
    """What the members of a family are to one another."""

    REVISIONS = "revisions"  # a newer one replaces the older: a policy, a deck, a specification
    PERIODS = "periods"  # each stays true for its own time or release: annual reports, minutes, release notes


class Outcome(StrEnum):
    DECIDED = "decided"
    AMBIGUOUS = "ambiguous"  # a person has to say; nothing is changed


@dataclass(frozen=True, slots=True)
class Link:
    """`newer` supersedes `older`, both documents of one source; `evidence` says why in words."""

    newer: str
    older: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Option:
    """One possible head of an ambiguous family with what speaks for and against it."""

    doc_id: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FamilyDecision:
    """What the resolver says about one family of one source.

    Decided: `current` is the newest valid member, `canonical` the authoritative one (usually the same; a pinned or
    stated one otherwise). Ambiguous: both are None and `options` name the possible heads. `why` says in words why
    these documents are a family and how they were ordered; `members` are sorted doc ids, `versions` their versions
    as read. `beside` are members of which nothing follows: they neither replace nor are replaced by the current one
    (the second of two that one document was split into). `by_hand` names, by doc id, the fields that are not the
    resolver's to set: what a person decided, and every field of a document that is left alone.
    """

    source: str
    family: str
    relation: Relation
    outcome: Outcome
    members: tuple[str, ...]
    versions: Mapping[str, str]
    current: str | None
    canonical: str | None
    links: tuple[Link, ...]
    options: tuple[Option, ...]
    why: tuple[str, ...]
    beside: tuple[str, ...] = ()
    by_hand: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
