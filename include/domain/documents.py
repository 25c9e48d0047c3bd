"""What a source delivers, what it becomes as text, and what the index stores of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from include.domain.date_candidates import DateCandidate
from include.domain.dates import EvidencedDate
from include.domain.lineage import NO_LINEAGE, Lineage
from include.domain.written_dates import PLAIN, Conventions


class Status(StrEnum):
    """Where a chunk stands. Only `incoming`, `staged_for_review` and `archived` are hidden from search."""

    INCOMING = "incoming"
    PUBLISHED = "published"
    STAGED = "staged_for_review"
    ARCHIVED = "archived"
    SUPERSEDED = "superseded"


SEARCHABLE = frozenset({Status.PUBLISHED, Status.SUPERSEDED})


@dataclass(frozen=True, slots=True, order=True)
class DocumentKey:
    """Identity of a document. `doc_id` never depends on content; the source keeps equal ids apart."""

    source: str
    doc_id: str

    def __post_init__(self) -> None:
        if not self.source or not self.doc_id:
            raise ValueError(f"a document needs a source and an id, got {self.source!r}, {self.doc_id!r}")

    def __str__(self) -> str:
        return f"{self.source}:{self.doc_id}"


class Presence(StrEnum):
    """What the source says when it is asked for one document. `UNKNOWN` is never read as absent.

    `MOVED`: the source answers for it under another identity now (a merge with a permanent redirect, a new address
    where the address is the identity). Under its own it is as absent as one that is gone.
    """

    PRESENT = "present"
    GONE = "gone"
    NOT_PUBLIC = "not_public"
    MOVED = "moved"
    UNKNOWN = "unknown"

    @property
    def confirms_absence(self) -> bool:
        return self in (Presence.GONE, Presence.NOT_PUBLIC, Presence.MOVED)


@dataclass(frozen=True, slots=True)
class FetchedDocument:
    """One document as its source delivered it.

    `version` is the source's token of the state that `body` shows. `media_type` is one of text/markdown,
    text/x-rst, text/html, text/plain. `charset` is what the transport declared, if anything.
    `fetched_at` is the clock *before* the source was asked: it is the fence of every write made from it. `dates` is
    all that speaks for one of its dates beside its text; which of them counts is decided when the text is read, by the
    source's `conventions`.
    """

    key: DocumentKey
    version: str
    body: bytes
    media_type: str
    url: str
    fetched_at: datetime
    title: str | None = None
    charset: str | None = None
    lang: str | None = None
    content_type: str = "page"
    dates: tuple[DateCandidate, ...] = ()
    conventions: Conventions = PLAIN
    empty_is_legitimate: bool = False
    lineage: Lineage = NO_LINEAGE


@dataclass(frozen=True, slots=True)
class ExtractedDocument:
    """A fetched document as normalised Markdown. `content_hash` covers `text` only (sha256, hex). `is_empty`: the page
    has no text, its title stands in. `date_candidates` is all that speaks for its dates, `date_notes` say which were
    passed over, and why. `read_with` names the settings that its metadata was read by."""

    key: DocumentKey
    version: str
    fetched_at: datetime
    text: str
    content_hash: str
    title: str
    url: str
    content_type: str
    lang: str | None
    created_at: EvidencedDate | None
    updated_at: EvidencedDate | None
    effective_date: EvidencedDate | None
    expires_at: EvidencedDate | None
    front_matter: Mapping[str, object] = field(default_factory=dict)
    is_empty: bool = False
    lineage: Lineage = NO_LINEAGE
    date_candidates: tuple[DateCandidate, ...] = ()
    date_notes: tuple[str, ...] = ()
    read_with: str = ""


@dataclass(frozen=True, slots=True)
class Chunk:
    """One piece of a document's text. `chunk_hash` is the sha256 (hex) of `text`. Index counts from 0."""

    index: int
    text: str
    heading_path: str
    chunk_hash: str


@dataclass(frozen=True, slots=True)
class Marks:
    """What people and the resolver decided about a document; comes from the ledger, survives re-ingest.

    `metadata` holds values that a person set over what the source says, by the names of `domain.metadata.OVERRIDABLE`.
    """

    status: Status = Status.PUBLISHED
    pinned: bool = False
    doc_family: str | None = None
    family_version: str | None = None
    is_canonical: bool = False
    is_current: bool = True
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """One point of the index, as read back. Fields are None where the payload lacks them or has another type.

    `metadata` is what the fields of `payload.METADATA_FIELDS` say, as stored; absent ones are left out. Chunks of a
    document that say the same may share one mapping.
    """

    point_id: str
    source: str | None
    doc_id: str | None
    doc_version: str | None
    content_hash: str | None
    chunk_hash: str | None
    pipeline: str | None
    chunk_index: int | None
    chunk_count: int | None
    status: str | None
    fetched_at: datetime | None
    text: str | None
    metadata: Mapping[str, object] = field(default_factory=dict, hash=False)
