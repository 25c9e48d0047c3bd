"""Pages that are put straight into an index, with the dates and marks that a test is about."""

from __future__ import annotations

from collections.abc import Mapping
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
    _insert(store, embedder, source, {doc_id: texts}, fields)


def publish_pages(
    store: IndexStore, embedder: Embedder, texts: Mapping[str, str], *, source: str = "handbook", **fields: Any
) -> None:
    """Many pages of one chunk in one session, which is what an embedded engine takes its time for."""
    _insert(store, embedder, source, {doc_id: (text,) for doc_id, text in texts.items()}, fields)


def _insert(
    store: IndexStore, embedder: Embedder, source: str, texts: Mapping[str, tuple[str, ...]], fields: dict[str, Any]
) -> None:
    fields = {"status": Status.PUBLISHED, **fields}
    points = [
        point
        for doc_id, its in texts.items()
        for point in new_points(DocumentKey(source, doc_id), its, dimension=embedder.dimension, **fields)
    ]
    vectors = embedder.embed([point.text for point in points])
    with store.writing() as index:
        index.insert([replace(point, vector=vector) for point, vector in zip(points, vectors, strict=True)])
