"""The payload contract of a stored chunk (docs/DESIGN.md, section 4), written in one place."""

from __future__ import annotations

from include.domain.dates import EvidencedDate, rfc3339
from include.domain.documents import Chunk, ExtractedDocument, Marks
from include.domain.identity import point_id

Payload = dict[str, object]


DOCUMENT_FIELDS = (
    "url",
    "title",
    "content_type",
    "lang",
    "doc_version",
    "fetched_at",
    "created_at",
    "created_at_origin",
    "created_at_trust",
    "updated_at",
    "effective_date",
    "expires_at",
    "doc_family",
    "family_version",
    "is_canonical",
    "is_current",
    "pinned",
    "supersedes",
    "superseded_by",
)


def document_payload(document: ExtractedDocument, marks: Marks, *, fetched_at: str) -> Payload:
    """What every chunk of a version says alike. Absent values are None, so that an update also clears them."""
    created = document.created_at
    return {
        "url": document.url,
        "title": document.title,
        "content_type": document.content_type,
        "lang": document.lang,
        "doc_version": document.version,
        "fetched_at": fetched_at,
        "created_at": _instant(created),
        "created_at_origin": created.origin if created else None,
        "created_at_trust": created.trust.value if created else None,
        "updated_at": _instant(document.updated_at),
        "effective_date": _instant(document.effective_date),
        "expires_at": _instant(document.expires_at),
        "doc_family": marks.doc_family,
        "family_version": marks.family_version,
        "is_canonical": marks.is_canonical,
        "is_current": marks.is_current,
        "pinned": marks.pinned,
        "supersedes": list(marks.supersedes),
        "superseded_by": list(marks.superseded_by),
    }


def chunk_payload(document: ExtractedDocument, chunk: Chunk, *, chunk_count: int, pipeline: str) -> Payload:
    """What belongs to one chunk and follows from the text alone."""
    return {
        "source": document.key.source,
        "doc_id": document.key.doc_id,
        "content_hash": document.content_hash,
        "chunk_hash": chunk.chunk_hash,
        "pipeline": pipeline,
        "chunk_index": chunk.index,
        "chunk_count": chunk_count,
        "text": chunk.text,
        "heading_path": chunk.heading_path,
    }


def chunk_point_id(document: ExtractedDocument, chunk: Chunk, pipeline: str) -> str:
    key = document.key
    return point_id(key.source, key.doc_id, document.content_hash, pipeline, chunk.index, chunk.chunk_hash)


def _instant(date: EvidencedDate | None) -> str | None:
    return rfc3339(date.value) if date else None
