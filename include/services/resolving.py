"""Read a source's documents from the index and let the resolver say what they are to one another. Nothing here writes.

    first chunk of each document, marks of people (ledger) -> members -+
                                                                       +-> resolve -> decisions
    vectors of the documents that need to be confirmed as alike -------+

The index is open for two short looks, never while the resolver is at work.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from include.domain.dates import EvidencedDate, Precision, Trust
from include.domain.documents import SEARCHABLE, DocumentKey, Marks, Status
from include.domain.lineage import Hint, Lineage
from include.domain.metadata import Hand, Patch, one_line
from include.domain.payload import MARK_FIELDS, instant_of, marked, text_of, texts_of
from include.families.grouping import confirmed
from include.families.members import FamilyDecision, Member
from include.families.proposals import Rejected, proposals
from include.families.resolve import resolve_grouped
from include.ports import Vectors
from include.services.context import SourceContext

_OF_MEMBERS = SEARCHABLE | {Status.STAGED}


@dataclass(frozen=True, slots=True)
class IndexedMember:
    """A document as its newest version's first chunk describes it. `said` is what the chunk says of its marks, the
    status included; absent fields are left out."""

    member: Member
    fetched_at: datetime | None
    chunk_hash: str
    said: Patch

    def agrees_with(self, marks: Marks) -> bool:
        """Whether the chunk says what these marks make of it."""
        fields = marked({}, marks)
        decided = {"status": marks.status.value, **{name: fields[name] for name in MARK_FIELDS}}
        return self.said == {name: value for name, value in decided.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Resolved:
    """What the resolver says of a source now. `hidden` are documents that are in the index and were archived: they are
    no members. One that is staged for review is still what it was, until a person says otherwise. `rejected` are
    families that names propose and something speaks against. `compared` counts the documents whose vectors were
    read."""

    source: str
    documents: Mapping[str, IndexedMember]
    hidden: frozenset[str]
    decisions: tuple[FamilyDecision, ...]
    compared: int
    rejected: tuple[Rejected, ...] = ()

    @property
    def members(self) -> Mapping[str, Member]:
        return {doc_id: indexed.member for doc_id, indexed in self.documents.items()}


def resolve_families(context: SourceContext) -> Resolved:
    """Every family of the source. Raises StoreBusy or StoreUnavailable when the index cannot be read, ConfigError for
    a ledger that was spoilt by hand."""
    documents, hidden = _read(context)
    alike = _Alike({indexed.member.key: indexed.chunk_hash for indexed in documents.values()})
    members = [indexed.member for _, indexed in sorted(documents.items())]
    proposed = proposals(members)
    # the first time for what it asks: only then is it known which vectors are needed
    grouped = confirmed(proposed, alike, context.alike_enough)
    while alike.missing:
        with context.store.reading() as index:
            alike.learn(index.vectors(alike.missing))
        grouped = confirmed(proposed, alike, context.alike_enough)
    decisions = resolve_grouped(members, grouped, now=context.clock.now())
    # Families are named after what documents and their files are called.
    decisions = tuple(replace(decision, family=one_line(decision.family)) for decision in decisions)
    return Resolved(context.source, documents, hidden, decisions, alike.known, grouped.rejected)


class _Alike:
    """Cosine of two documents' first chunks. For a document whose vector was not read yet it answers 1, and notes that
    it is `missing`; for one that has none, NaN."""

    def __init__(self, chunk_hashes: Mapping[DocumentKey, str]) -> None:
        self._chunk_hashes = chunk_hashes
        self._vectors: dict[str, Vectors | None] = {}
        self.missing: set[str] = set()

    @property
    def known(self) -> int:
        return len(self._vectors)

    def __call__(self, one: DocumentKey, other: DocumentKey) -> float:
        hashes = self._chunk_hashes[one], self._chunk_hashes[other]
        unread = [chunk_hash for chunk_hash in hashes if chunk_hash not in self._vectors]
        if unread:
            self.missing.update(unread)
            return 1.0
        first, second = (self._vectors[chunk_hash] for chunk_hash in hashes)
        return math.nan if first is None or second is None else float(first @ second)

    def learn(self, vectors: Mapping[str, Vectors]) -> None:
        for chunk_hash in self.missing:
            self._vectors[chunk_hash] = vectors.get(chunk_hash)
        self.missing = set()


def _read(context: SourceContext) -> tuple[dict[str, IndexedMember], frozenset[str]]:
    """The newest version of each document that may be a member, and the ids of those that may not."""
    decided = context.ledger.decided(context.source, Hand.PERSON)
    newest: dict[str, str] = {}
    found: dict[str, IndexedMember] = {}
    hidden: set[str] = set()
    with context.store.reading() as index:
        for hit in index.first_chunks(context.source):
            payload = hit.payload
            doc_id, fence = text_of(payload, "doc_id"), text_of(payload, "fetched_at")
            if not doc_id or (doc_id in newest and fence <= newest[doc_id]):
                continue
            newest[doc_id] = fence
            if text_of(payload, "status") in _OF_MEMBERS:
                found[doc_id] = _indexed(context.source, doc_id, payload, decided.get(doc_id, {}))
                hidden.discard(doc_id)
            else:
                found.pop(doc_id, None)
                hidden.add(doc_id)
    return found, frozenset(hidden)


def _indexed(source: str, doc_id: str, payload: Mapping[str, object], decided: Patch) -> IndexedMember:
    member = Member(
        key=DocumentKey(source, doc_id),
        title=text_of(payload, "title"),
        url=text_of(payload, "url"),
        lang=text_of(payload, "lang") or None,
        content_type=text_of(payload, "content_type") or "page",
        content_hash=text_of(payload, "content_hash"),
        lineage=Lineage(
            family=text_of(payload, "stated_family") or None,
            version=text_of(payload, "stated_version") or None,
            status=text_of(payload, "stated_status") or None,
            supersedes=texts_of(payload, "stated_supersedes"),
            superseded_by=texts_of(payload, "stated_superseded_by"),
            aliases=texts_of(payload, "stated_aliases"),
            hints_supersedes=tuple(map(Hint.of, texts_of(payload, "hints_supersedes"))),
            hints_superseded_by=tuple(map(Hint.of, texts_of(payload, "hints_superseded_by"))),
        ),
        created_at=_date(payload, "created_at"),
        effective_date=_date(payload, "effective_date"),
        updated_at=_date(payload, "updated_at"),
        decided=decided,
    )
    said = {name: payload[name] for name in ("status", *MARK_FIELDS) if payload.get(name) is not None}
    return IndexedMember(member, instant_of(payload, "fetched_at"), text_of(payload, "chunk_hash"), said)


def _date(payload: Mapping[str, object], name: str) -> EvidencedDate | None:
    """None for one that is absent, unreadable, or not trusted: it must not decide anything."""
    value = instant_of(payload, name)
    trust, precision = text_of(payload, f"{name}_trust"), text_of(payload, f"{name}_precision")
    if value is None or trust not in set(Trust) - {Trust.UNKNOWN} or precision not in set(Precision):
        return None
    return EvidencedDate(value, Precision(precision), text_of(payload, f"{name}_origin"), Trust(trust))
