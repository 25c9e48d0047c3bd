"""The identity of a chunk in the index: same input, same id, on every machine."""

from __future__ import annotations

import uuid

NAMESPACE = uuid.UUID("5f0c1c52-6e0b-5b1e-9d5c-7a3f6a4e2b11")


def point_id(source: str, doc_id: str, content_hash: str, pipeline: str, chunk_index: int, chunk_hash: str) -> str:
    """uuid5 over everything that makes a stored chunk what it is.

    Every part is in the payload, so a reader can recompute the id and see a point that was altered. Two texts
    can never share an id, so an insert can never overwrite a readable chunk; and a change of metadata or version
    token alone keeps the points where they are.
    """
    return str(
        uuid.uuid5(NAMESPACE, "\x1f".join((source, doc_id, content_hash, pipeline, str(chunk_index), chunk_hash)))
    )
