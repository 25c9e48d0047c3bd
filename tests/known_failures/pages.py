"""Pages that are put straight into an index, with the dates and marks that a test is about."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from include.domain.dates import rfc3339
from include.domain.documents import DocumentKey, Status
from include.ports import Embedder, IndexStore
from tests.builders import new_points


def publish_page(
    store: IndexStore,
    embedder: Embedder,
    doc_id: str,
    *texts: str,
    source: str = "handbook",
    created: datetime | None = None,
    **fields: Any,
) -> None:
    """One version with one chunk a text, readable unless a status says otherwise. `created` is a trusted date."""
    if created is not None:
        fields |= {"created_at": rfc3339(created), "created_at_origin": "front matter", "created_at_trust": "high"}
    fields = {"status": Status.PUBLISHED, **fields}
    points = new_points(DocumentKey(source, doc_id), texts, dimension=embedder.dimension, **fields)
    vectors = embedder.embed([point.text for point in points])
    with store.writing() as index:
        index.insert([replace(point, vector=vector) for point, vector in zip(points, vectors, strict=True)])
