"""Documents, chunks and points for tests: right unless a test says otherwise."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from include.domain.dates import rfc3339
from include.domain.documents import DocumentKey, Status, StoredChunk
from include.domain.identity import point_id
from include.ports import NewPoint, Vectors
from include.store.points import stored_chunk

DIMENSION = 8
EMBEDDER = "test-embedder"
PIPELINE = "pipeline-1"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def at(minutes: float) -> datetime:
    """An instant so many minutes after a fixed noon."""
    return NOON + timedelta(minutes=minutes)


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def unit_vector(text: str, dimension: int = DIMENSION) -> Vectors:
    """A vector of length 1 that only depends on the text."""
    seed = int(sha256(text)[:16], 16)
    vector = np.random.default_rng(seed).normal(size=dimension).astype(np.float32)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def new_points(
    key: DocumentKey,
    texts: Sequence[str],
    *,
    version: str = "v1",
    status: Status = Status.INCOMING,
    fetched_at: datetime = NOON,
    pipeline: str = PIPELINE,
    dimension: int = DIMENSION,
    **fields: object,
) -> list[NewPoint]:
    """The points of one version of a document, one per text. `fields` replace payload fields of every chunk."""
    content_hash = sha256("\n".join(texts))
    points = []
    for index, text in enumerate(texts):
        payload: dict[str, object] = {
            "source": key.source,
            "doc_id": key.doc_id,
            "doc_version": version,
            "content_hash": content_hash,
            "chunk_hash": sha256(text),
            "pipeline": pipeline,
            "chunk_index": index,
            "chunk_count": len(texts),
            "status": status.value,
            "fetched_at": rfc3339(fetched_at),
            "url": f"https://example.org/{key.doc_id}",
            "title": f"Title of {key.doc_id}",
            "content_type": "page",
            "lang": "en",
            "is_canonical": False,
            "is_current": True,
            "pinned": False,
            "supersedes": [],
            "superseded_by": [],
            "text": text,
            "heading_path": "",
            **fields,
        }
        identity = point_id(key.source, key.doc_id, content_hash, pipeline, index, sha256(text))
        points.append(NewPoint(identity, unit_vector(text, dimension), text, payload))
    return points


def stored(points: Sequence[NewPoint], **fields: object) -> list[StoredChunk]:
    """The points as they are read back, with payload fields replaced, whatever their type."""
    return [stored_chunk(point.point_id, {**point.payload, **fields}) for point in points]


def ids_of(points: Sequence[NewPoint]) -> list[str]:
    return [point.point_id for point in points]


def with_payload(point: NewPoint, **fields: object) -> NewPoint:
    """The same point with payload fields replaced; a field set to `...` is left out."""
    payload: Mapping[str, object] = {**point.payload, **fields}
    return NewPoint(point.point_id, point.vector, point.text, {k: v for k, v in payload.items() if v is not ...})
