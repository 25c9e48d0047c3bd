"""Candidates for ranking tests: right unless a test says otherwise."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from include.domain.documents import DocumentKey, Status
from include.ranking.candidates import Candidate, FoundChunk

NOW = datetime(2026, 6, 20, 12, tzinfo=UTC)


def days_ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


def candidate(doc_id: str, *scores: float, text: str = "", **fields: Any) -> Candidate:
    """A document found with one chunk for each score. Its text is its own unless one is given."""
    chunks = tuple(
        FoundChunk(f"{doc_id}-{index}", index, text or f"what {doc_id} says in part {index}", "", score)
        for index, score in enumerate(scores)
    )
    known: dict[str, Any] = {
        "key": DocumentKey("decks", doc_id),
        "version": "v1",
        "title": f"Title of {doc_id}",
        "url": f"https://example.org/{doc_id}",
        "status": Status.PUBLISHED,
        "content_type": "page",
        "content_hash": f"hash of {doc_id}",
        "fetched_at": "2026-06-19T00:00:00.000000Z",
        "created_at_trust": "high" if fields.get("created_at") else "",
        "created_at_origin": "front matter date" if fields.get("created_at") else "",
        "effective_date_trust": "high" if fields.get("effective_date") else "",
        **fields,
    }
    return Candidate(chunks=chunks, **known)
