"""Find the chunks nearest to a question. Plain for now: one dense leg, the newest version of each document.

Readers may see two versions of a document for an instant while it is replaced; only the newer one is answered from.
"""

from __future__ import annotations

from collections.abc import Sequence

from include.domain.documents import Status
from include.ports import Embedder, Hit, IndexStore

OVERFETCH = 4
"""Candidates read per answer wanted, so that dropping older versions does not leave the answer short."""


def retrieve(
    store: IndexStore, embedder: Embedder, query: str, *, limit: int = 5, sources: Sequence[str] = ()
) -> list[Hit]:
    """The best `limit` chunks, best first; `score` is the cosine similarity. Hidden chunks are never candidates."""
    vector = embedder.embed([query])[0]
    with store.reading() as index:
        hits = index.search(
            vector, limit=limit * OVERFETCH, sources=sources, statuses=(Status.PUBLISHED, Status.SUPERSEDED)
        )
    return newest_versions(hits)[:limit]


def newest_versions(hits: Sequence[Hit]) -> list[Hit]:
    """Without the chunks of a document that are older than another of its chunks among these; order is kept."""
    newest: dict[tuple[object, object], str] = {}
    for hit in hits:
        document = (hit.payload.get("source"), hit.payload.get("doc_id"))
        newest[document] = max(newest.get(document, ""), str(hit.payload.get("fetched_at", "")))
    return [
        hit
        for hit in hits
        if str(hit.payload.get("fetched_at", "")) == newest[hit.payload.get("source"), hit.payload.get("doc_id")]
    ]
