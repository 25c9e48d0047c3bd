"""The payload contract of a stored chunk (docs/DESIGN.md, section 4), written in one place."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime

from include.domain.dates import EvidencedDate, Trust, from_rfc3339, rfc3339
from include.domain.documents import Chunk, ExtractedDocument, Marks
from include.domain.identity import point_id

Payload = dict[str, object]

_DATES = ("created_at", "updated_at", "effective_date", "expires_at")
_DATE_PARTS = ("", "_origin", "_trust", "_precision")

MARK_FIELDS = (
    "doc_family",
    "family_version",
    "is_canonical",
    "is_current",
    "pinned",
    "supersedes",
    "superseded_by",
)
"""What the ledger alone decides, the status aside."""

SOURCE_FIELDS = (
    "url",
    "title",
    "content_type",
    "lang",
    *(f"{name}{part}" for name in _DATES for part in _DATE_PARTS),
    "date_notes",
    "stated_family",
    "stated_version",
    "stated_status",
    "stated_supersedes",
    "stated_superseded_by",
    "stated_aliases",
    "hints_supersedes",
    "hints_superseded_by",
)
"""What the source says; a person may set another value over some of them."""

METADATA_FIELDS = (*SOURCE_FIELDS, *MARK_FIELDS, "overridden", "metadata_hash", "read_with")

DOCUMENT_FIELDS = ("doc_version", "fetched_at", *METADATA_FIELDS)
"""What every chunk of a version says alike, the status aside."""


def document_payload(document: ExtractedDocument, marks: Marks, *, fetched_at: str) -> Payload:
    """What every chunk of a version says alike. Absent values are None, so that an update also clears them."""
    lineage = document.lineage
    said: Payload = {
        "url": document.url,
        "title": document.title,
        "content_type": document.content_type,
        "lang": document.lang,
        **_date_fields("created_at", document.created_at),
        **_date_fields("updated_at", document.updated_at),
        **_date_fields("effective_date", document.effective_date),
        **_date_fields("expires_at", document.expires_at),
        "date_notes": list(document.date_notes) or None,
        "stated_family": lineage.family,
        "stated_version": lineage.version,
        "stated_status": lineage.status,
        "stated_supersedes": list(lineage.supersedes) or None,
        "stated_superseded_by": list(lineage.superseded_by) or None,
        "stated_aliases": list(lineage.aliases) or None,
        "hints_supersedes": [hint.stored() for hint in lineage.hints_supersedes] or None,
        "hints_superseded_by": [hint.stored() for hint in lineage.hints_superseded_by] or None,
    }
    said |= {"metadata_hash": metadata_hash(said), "read_with": document.read_with or None}
    return {"doc_version": document.version, "fetched_at": fetched_at, **marked(said, marks)}


def marked(metadata: Mapping[str, object], marks: Marks) -> Payload:
    """The metadata of a document, as stored or as just read, under these marks: every field of METADATA_FIELDS.

    `overridden` keeps, as a JSON object, what the source says of each field that a person has set, so that the value
    of the source comes back when the override goes, whatever was ingested in between.
    """
    said = source_says(metadata)
    overrides: Payload = {}
    for name, value in marks.metadata.items():
        overrides |= _overriding(name, value)
    hidden = {name: said[name] for name in sorted(overrides)}
    return {
        **said,
        **overrides,
        "doc_family": marks.doc_family,
        "family_version": marks.family_version,
        "is_canonical": marks.is_canonical,
        "is_current": marks.is_current,
        "pinned": marks.pinned,
        "supersedes": list(marks.supersedes),
        "superseded_by": list(marks.superseded_by),
        "overridden": json.dumps(hidden, ensure_ascii=False, sort_keys=True) if hidden else None,
        "metadata_hash": metadata.get("metadata_hash"),
        "read_with": metadata.get("read_with"),
    }


def source_says(metadata: Mapping[str, object]) -> Payload:
    """What the source says of every field of SOURCE_FIELDS: stored metadata without what a person has set over it."""
    kept = _kept(metadata.get("overridden"))
    return {name: kept[name] if name in kept else metadata.get(name) for name in SOURCE_FIELDS}


def metadata_hash(said: Mapping[str, object]) -> str:
    """Digest of what the source says, 16 hex digits; an absent field and None are the same.

    It is taken once, from what was read, and no change of marks touches it: so stored metadata that were altered
    behind our back no longer fit it.
    """
    rows = [[name, said[name]] for name in SOURCE_FIELDS if said.get(name) is not None]
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16]


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


def text_of(payload: Mapping[str, object], name: str) -> str:
    """A field of a stored chunk; empty where it is absent or no text."""
    value = payload.get(name)
    return value if isinstance(value, str) else ""


def texts_of(payload: Mapping[str, object], name: str) -> tuple[str, ...]:
    value = payload.get(name)
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list | tuple) else ()


def instant_of(payload: Mapping[str, object], name: str) -> datetime | None:
    """None where it is absent or cannot be read: an unreadable date is an unknown one."""
    try:
        return from_rfc3339(text_of(payload, name))
    except (ValueError, OverflowError):
        return None


def _date_fields(name: str, date: EvidencedDate | None) -> Payload:
    parts = (rfc3339(date.value), date.origin, date.trust.value, date.precision.value) if date else (None,) * 4
    return {f"{name}{part}": value for part, value in zip(_DATE_PARTS, parts, strict=True)}


def _kept(overridden: object) -> Mapping[str, object]:
    """What `overridden` holds. Nothing if it is not what `marked` wrote; the digest tells then."""
    try:
        kept = json.loads(overridden) if isinstance(overridden, str) else {}
    except (ValueError, RecursionError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _overriding(name: str, value: str) -> Payload:
    """A person's value. Dates in the ledger are stored spellings (RFC 3339); who set them and why stands there."""
    if name not in _DATES:
        return {name: value}
    parts = (value, "ledger", Trust.HIGH.value, "day" if value.endswith("T00:00:00.000000Z") else "instant")
    return {f"{name}{part}": part_value for part, part_value in zip(_DATE_PARTS, parts, strict=True)}
