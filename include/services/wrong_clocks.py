"""Look at stored documents, and take back what a wrong clock wrote on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from include.domain.dates import rfc3339
from include.domain.documents import DocumentKey, StoredChunk
from include.domain.selection import Selector
from include.planning.fences import corrected_fences
from include.ports import Index


def chunks_with_honest_fences(
    index: Index, keys: Sequence[DocumentKey], *, now: datetime
) -> Mapping[DocumentKey, Sequence[StoredChunk]]:
    """Every stored point of these documents, like `Index.chunks_of`, after correcting fences from the future."""
    stored = dict(index.chunks_of(keys))
    for key, chunks in stored.items():
        corrected = corrected_fences(chunks, now=now)
        for wrong, fence in corrected.items():
            index.set_payload(Selector(key, fence=wrong), {"fetched_at": rfc3339(fence)})
        if corrected:
            stored[key] = [
                replace(chunk, fetched_at=corrected.get(chunk.fetched_at, chunk.fetched_at))
                if chunk.fetched_at
                else chunk
                for chunk in chunks
            ]
    return stored
