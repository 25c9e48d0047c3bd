"""What is written and what is read back: checks before the engine sees a point, tolerance after. Pure."""

from __future__ import annotations

import functools
import hashlib
import math
import re
import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime

import numpy as np

from include.domain.dates import from_rfc3339, rfc3339
from include.domain.documents import Status, StoredChunk
from include.domain.errors import DocumentUnreadable, EmbedderMismatch
from include.domain.identity import point_id
from include.domain.payload import METADATA_FIELDS
from include.ports import NewPoint, Vectors
from include.store.schema import FIELDS, IDENTITY_FIELDS, Kind

UNIT_TOLERANCE = 1e-4

_REQUIRED = frozenset(name for name, field in FIELDS.items() if not field.optional)
_ABSENT = object()
_CANONICAL = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_METADATA = frozenset(METADATA_FIELDS)
_TRUTHS = tuple(name for name in METADATA_FIELDS if FIELDS[name].kind is Kind.BOOL)  # 1 is equal to True, and is not it

Said = dict[str, Mapping[str, object]]
"""What a chunk of each document says, by doc_id."""


def stored_chunk(point: object, payload: Mapping[str, object] | None, said: Said | None = None) -> StoredChunk:
    """A point as it is, whoever wrote it: a field that is absent or of another type is None. Never raises.

    `said` remembers the metadata of one source's documents while its chunks are read: those that say the same as the
    last one of their document share its mapping, so that a night holds the metadata of documents, not of chunks.
    """
    payload = payload or {}
    get = payload.get
    metadata: Mapping[str, object] = {
        name: value for name, value in payload.items() if name in _METADATA and value is not None
    }
    if said is not None and type(doc_id := get("doc_id")) is str:
        if said.get(doc_id) == metadata and all(type(metadata.get(name)) is bool for name in _TRUTHS):
            metadata = said[doc_id]
        else:
            said[doc_id] = metadata
    # Written out: a night reads every stored point, and a helper per field costs half as much as the engine itself.
    return StoredChunk(
        str(point),
        value if type(value := get("source")) is str else None,
        value if type(value := get("doc_id")) is str else None,
        value if type(value := get("doc_version")) is str else None,
        value if type(value := get("content_hash")) is str else None,
        value if type(value := get("chunk_hash")) is str else None,
        value if type(value := get("pipeline")) is str else None,
        value if type(value := get("chunk_index")) is int else None,
        value if type(value := get("chunk_count")) is int else None,
        value if type(value := get("status")) is str else None,
        _instant(value) if type(value := get("fetched_at")) is str else None,
        value if type(value := get("text")) is str else None,
        metadata,
    )


@functools.lru_cache(maxsize=1024)  # the chunks of a document share their fence
def _instant(text: str) -> datetime | None:
    try:
        return from_rfc3339(text)
    except (ValueError, OverflowError):
        return None


def payload_of(point: NewPoint) -> dict[str, object]:
    """The payload as it is stored: an unknown value is absent, never null, so that equal points are equal bytes."""
    return {name: value for name, value in point.payload.items() if value is not None}


def check_points(points: Sequence[NewPoint], dimension: int) -> None:
    """Refuse what the engine would take and nobody could repair. Nothing is written if one point is wrong.

    Raises DocumentUnreadable, naming document, chunk and field, for an incomplete or mistyped payload, text that is
    no Unicode, a date in another spelling, a vector that is not finite or not of length 1, an id or a chunk hash
    that does not follow from the payload, and an id that occurs twice. Raises EmbedderMismatch for a vector of
    another dimension.
    """
    seen: set[str] = set()
    before: Mapping[str, object] = {}
    for point in points:
        payload = point.payload
        where = f"{payload.get('source')}:{payload.get('doc_id')} chunk {payload.get('chunk_index')!r}"
        for name in _REQUIRED - payload.keys():
            raise _refused(where, f"payload field {name!r} is missing")
        # Chunks of a document share the very objects of its title, dates and marks: each is looked at once.
        _check_fields({name: value for name, value in payload.items() if before.get(name, _ABSENT) is not value}, where)
        before = payload
        _check_vector(point.vector, dimension, where)
        _check_identity(point, where)
        if not isinstance(point.text, str) or not _is_unicode(point.text):
            raise _refused(where, "the text to be indexed is not valid Unicode")
        if point.point_id in seen:
            raise _refused(where, f"point {point.point_id} is given twice in one write")
        seen.add(point.point_id)


def check_changes(payload: Mapping[str, object], document: object) -> None:
    """Refuse a payload change that is empty, mistyped, of an unknown field, or would alter what the point is.

    Raises DocumentUnreadable; nothing is written then. None removes an optional field.
    """
    where = f"{document} metadata"
    if not payload:
        raise _refused(where, "there is nothing to set")
    if fixed := sorted(IDENTITY_FIELDS & payload.keys()):
        raise _refused(where, f"{', '.join(fixed)} cannot change in place; write a new version of the document")
    _check_fields(payload, where)


def unit_vector(values: object, dimension: int) -> Vectors | None:
    """A stored vector, shape (dimension,), float32, or None if it is none that could be used again."""
    vector = np.asarray(values, dtype=np.float32) if isinstance(values, list) else None
    if vector is None or vector.shape != (dimension,) or not _is_unit(vector):
        return None
    return vector


def _check_fields(payload: Mapping[str, object], where: str) -> None:
    for name, value in payload.items():
        field = FIELDS.get(name)
        if field is None:
            raise _refused(where, f"{name!r} is not a payload field; allowed are {', '.join(FIELDS)}")
        if value is None and field.optional:
            continue
        if problem := _problem(name, field.kind, value):
            raise _refused(where, f"payload field {name!r} {problem}")


def _problem(name: str, kind: Kind, value: object) -> str:
    """What is wrong with a value, or an empty string."""
    match kind:
        case Kind.BOOL:
            return "" if type(value) is bool else f"must be true or false, got {value!r}"
        case Kind.INTEGER:
            return "" if type(value) is int and value >= 0 else f"must be a whole number from 0, got {value!r}"
        case Kind.DATETIME:
            return "" if _is_our_spelling(value) else f"must be UTC with microseconds and 'Z', got {value!r}"
        case Kind.KEYWORDS:
            right = type(value) is list and all(type(item) is str and item and _is_unicode(item) for item in value)
            return "" if right else f"must be a list of names, got {value!r}"
    if type(value) is not str:
        return f"must be text, got {type(value).__name__}"
    if not _is_unicode(value):
        return "is not valid Unicode (a lone surrogate)"
    if kind is Kind.KEYWORD and not value:
        return "is empty"
    if name == "text" and not value.strip():
        return "is empty"
    if name == "status" and value not in set(Status):
        return f"must be one of {', '.join(Status)}, got {value!r}"
    return ""


def _check_vector(vector: Vectors, dimension: int, where: str) -> None:
    if not isinstance(vector, np.ndarray) or vector.ndim != 1:
        raise _refused(where, f"a vector of shape ({dimension},) is due, got {np.shape(vector)}")
    if vector.shape != (dimension,):
        raise EmbedderMismatch(
            f"{where}: the vector has {vector.shape[0]} dimensions, the collection {dimension}; nothing was written. "
            "Check which embedder is configured."
        )
    if not _is_unit(vector):
        raise _refused(where, f"the vector must be finite and of length 1, its length is {np.linalg.norm(vector)}")


def _check_identity(point: NewPoint, where: str) -> None:
    chunk = stored_chunk(point.point_id, point.payload)
    chunk_hash, index, count = chunk.chunk_hash or "", chunk.chunk_index, chunk.chunk_count
    if index is None or count is None or index >= count:
        raise _refused(where, f"chunk_index {index} does not fit chunk_count {count}")
    if hashlib.sha256((chunk.text or "").encode()).hexdigest() != chunk_hash:
        raise _refused(where, "chunk_hash is not the sha256 of the text")
    names = (chunk.source or "", chunk.doc_id or "", chunk.content_hash or "", chunk.pipeline or "")
    expected = point_id(*names, index, chunk_hash)
    if point.point_id != expected:
        raise _refused(where, f"point id {point.point_id!r} does not follow from the payload ({expected})")


def _is_unit(vector: Vectors) -> bool:
    length = float(np.linalg.norm(vector))
    return math.isfinite(length) and abs(length - 1.0) <= UNIT_TOLERANCE


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_our_spelling(value: object) -> bool:
    moment = _instant(value) if type(value) is str else None
    return moment is not None and rfc3339(moment) == value


def _refused(where: str, problem: str) -> DocumentUnreadable:
    return DocumentUnreadable(f"{where}: {problem}; nothing was written", where=where, problem=problem)


def point_ids(values: Sequence[str]) -> list[str]:
    """The ids in the engine's spelling. Raises ValueError for one that is no UUID: it would select nothing."""
    return [value if _CANONICAL.fullmatch(value) else str(uuid.UUID(value)) for value in values]
