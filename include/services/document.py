"""One document as a reader may see it: its newest readable version, or nothing. Hidden and unknown are the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from include.domain.dates import rfc3339
from include.domain.documents import SEARCHABLE, DocumentKey, StoredChunk
from include.ports import Hit, IndexReader, IndexStore
from include.ranking.candidates import Candidate, candidate_of

_ATTEMPTS = 3
"""A server goes on while it is read: the version that was found may be replaced before its chunks are read."""


@dataclass(frozen=True, slots=True)
class ReadableDocument:
    """`described` carries the metadata and no chunks; its links name documents only that can be read too. `chunks` are
    in order; fewer than `chunk_count` are there while a damaged version waits for its repair."""

    described: Candidate
    chunks: tuple[StoredChunk, ...]
    chunk_count: int


def read_document(store: IndexStore, key: DocumentKey) -> ReadableDocument | None:
    """Raises StoreBusy or StoreUnavailable when the index cannot be read."""
    with store.reading() as index:
        for _ in range(_ATTEMPTS):
            newest = max(index.documents([key]), key=_fence, default=None)
            if newest is None:
                return None
            if chunks := _chunks(index, key, newest):
                links = _readable(index, key.source, newest)
                described = candidate_of({**newest.payload, **links}, ())
                return ReadableDocument(described, chunks, chunks[0].chunk_count or len(chunks))
    return None


def _fence(hit: Hit) -> str:
    return str(hit.payload.get("fetched_at", ""))


def _chunks(index: IndexReader, key: DocumentKey, version: Hit) -> tuple[StoredChunk, ...]:
    """Of this version only, and readable each by itself."""
    found = {
        chunk.chunk_index or 0: chunk
        for chunk in index.chunks_of([key])[key]
        if chunk.status in SEARCHABLE
        and chunk.fetched_at is not None
        and rfc3339(chunk.fetched_at) == _fence(version)
        and chunk.content_hash == version.payload.get("content_hash")
    }
    return tuple(chunk for _, chunk in sorted(found.items()))


def _readable(index: IndexReader, source: str, version: Hit) -> dict[str, object]:
    """Its links, without the names of documents that nobody may see."""
    links = {name: _names(version.payload.get(name)) for name in ("supersedes", "superseded_by")}
    named = sorted({doc_id for doc_ids in links.values() for doc_id in doc_ids})
    seen = {hit.payload.get("doc_id") for hit in index.documents([DocumentKey(source, doc_id) for doc_id in named])}
    return {name: [doc_id for doc_id in doc_ids if doc_id in seen] for name, doc_ids in links.items()}


def _names(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str) and each] if isinstance(value, Iterable) else []
