"""What a search found, document by document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from include.domain.documents import DocumentKey, Status
from include.domain.payload import instant_of, text_of, texts_of
from include.families.standing import Standing, standing_of


@dataclass(frozen=True, slots=True)
class Leg:
    """Where one leg of the search (dense, bm25) put a chunk. `rank` counts from 1 and is None for one that only a look
    among newer documents found; `score` is the leg's own."""

    score: float
    rank: int | None


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """One chunk that a search found. `fused` is its score after the legs were fused; any scale, higher is better."""

    point_id: str
    index: int
    text: str
    heading_path: str
    fused: float
    legs: Mapping[str, Leg] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One version of one document with its chunks that were found, best first. None were found of the head of a
    family that is only here because another member was."""

    key: DocumentKey
    version: str
    title: str
    url: str
    status: Status
    content_type: str
    content_hash: str
    fetched_at: str
    lang: str | None = None
    created_at: datetime | None = None
    created_at_origin: str = ""
    created_at_trust: str = ""
    created_at_precision: str = ""
    effective_date: datetime | None = None
    effective_date_origin: str = ""
    effective_date_trust: str = ""
    effective_date_precision: str = ""
    updated_at: datetime | None = None
    updated_at_origin: str = ""
    updated_at_trust: str = ""
    updated_at_precision: str = ""
    expires_at: datetime | None = None
    expires_at_origin: str = ""
    expires_at_trust: str = ""
    expires_at_precision: str = ""
    family: str | None = None
    family_version: str | None = None
    is_canonical: bool = False
    is_current: bool = True
    pinned: bool = False
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    stated_status: str = ""
    stated_superseded_by: tuple[str, ...] = ()
    chunks: tuple[FoundChunk, ...] = ()

    @property
    def is_superseded(self) -> bool:
        return self.status is Status.SUPERSEDED or bool(self.superseded_by)

    @property
    def standing(self) -> Standing:
        """How it stands by its own words, whatever it is marked as."""
        stated = standing_of(self.stated_status)
        return Standing.SUPERSEDED if self.stated_superseded_by and not stated.is_over else stated


def candidate_of(payload: Mapping[str, object], chunks: Sequence[FoundChunk]) -> Candidate:
    """From the payload of any chunk of a version. Raises ValueError when it lacks what every chunk carries."""
    source, doc_id, status = payload.get("source"), payload.get("doc_id"), payload.get("status")
    if not isinstance(source, str) or not isinstance(doc_id, str) or not isinstance(status, str):
        raise ValueError(f"a chunk without source, doc_id and status: {source!r}, {doc_id!r}, {status!r}")
    return Candidate(
        key=DocumentKey(source, doc_id),
        version=text_of(payload, "doc_version"),
        title=text_of(payload, "title"),
        url=text_of(payload, "url"),
        status=Status(status),
        content_type=text_of(payload, "content_type"),
        content_hash=text_of(payload, "content_hash"),
        fetched_at=text_of(payload, "fetched_at"),
        lang=text_of(payload, "lang") or None,
        created_at=instant_of(payload, "created_at"),
        created_at_origin=text_of(payload, "created_at_origin"),
        created_at_trust=text_of(payload, "created_at_trust"),
        created_at_precision=text_of(payload, "created_at_precision"),
        effective_date=instant_of(payload, "effective_date"),
        effective_date_origin=text_of(payload, "effective_date_origin"),
        effective_date_trust=text_of(payload, "effective_date_trust"),
        effective_date_precision=text_of(payload, "effective_date_precision"),
        updated_at=instant_of(payload, "updated_at"),
        updated_at_origin=text_of(payload, "updated_at_origin"),
        updated_at_trust=text_of(payload, "updated_at_trust"),
        updated_at_precision=text_of(payload, "updated_at_precision"),
        expires_at=instant_of(payload, "expires_at"),
        expires_at_origin=text_of(payload, "expires_at_origin"),
        expires_at_trust=text_of(payload, "expires_at_trust"),
        expires_at_precision=text_of(payload, "expires_at_precision"),
        family=text_of(payload, "doc_family") or None,
        family_version=text_of(payload, "family_version") or None,
        is_canonical=payload.get("is_canonical") is True,
        is_current=payload.get("is_current") is not False,
        pinned=payload.get("pinned") is True,
        supersedes=texts_of(payload, "supersedes"),
        superseded_by=texts_of(payload, "superseded_by"),
        stated_status=text_of(payload, "stated_status"),
        stated_superseded_by=texts_of(payload, "stated_superseded_by"),
        chunks=tuple(sorted(chunks, key=lambda chunk: (-chunk.fused, chunk.index))),
    )
