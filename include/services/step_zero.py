"""Step 0 before anything is tuned: the same question with nothing left out, and where every version stands.

It answers what has to be known first when an old document is the answer: is the right one in the index at all, is it
hidden, does the search find it, at which place of which leg, and what moved it or left it out afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from include.domain.documents import SEARCHABLE, DocumentKey, Status
from include.domain.payload import text_of
from include.ports import Embedder, Hit, IndexStore
from include.services.retrieval import Retrieval


@dataclass(frozen=True, slots=True)
class VersionFound:
    """The best chunk of one version of one document. Ranks count chunks from 1; None where a leg did not find it.
    `place` is where the ranking puts the document; `why` what moved it, hid it or left it out."""

    source: str
    doc_id: str
    doc_version: str
    title: str
    status: str
    fetched_at: str
    created_at: str
    fused_rank: int
    dense_rank: int | None
    dense_score: float | None
    bm25_rank: int | None
    bm25_score: float | None
    place: int | None
    shown: bool
    why: str


def every_version(
    store: IndexStore, embedder: Embedder, retrieval: Retrieval, *, top: int, sources: Sequence[str] = ()
) -> list[VersionFound]:
    """Each version that is among the best `top` chunks of a leg, in the order of similarity, hidden ones included.

    `retrieval` is the answer to the same question, made with the same `top` and no threshold.
    """
    vector = embedder.embed([retrieval.query])[0]
    with store.reading() as index:
        found = index.hybrid(vector, retrieval.query, limit=top, sources=sources, statuses=tuple(Status))
    legs = {
        name: {hit.point_id: (rank, hit.score) for rank, hit in enumerate(hits, 1)} for name, hits in found.legs.items()
    }
    places = {each.scored.candidate.key: each for each in retrieval.placed}
    versions: dict[tuple[object, ...], VersionFound] = {}
    for rank, hit in enumerate(found.fused, start=1):
        key = tuple(hit.payload.get(name) for name in ("source", "doc_id", "doc_version", "fetched_at", "status"))
        if key in versions or not all(key[:2]):
            continue
        dense, bm25 = (legs.get(name, {}).get(hit.point_id, (None, None)) for name in ("dense", "bm25"))
        placed = places.get(DocumentKey(str(key[0]), str(key[1])))
        is_read = placed is not None and placed.scored.candidate.fetched_at == text_of(hit.payload, "fetched_at")
        versions[key] = VersionFound(
            source=text_of(hit.payload, "source"),
            doc_id=text_of(hit.payload, "doc_id"),
            doc_version=text_of(hit.payload, "doc_version"),
            title=text_of(hit.payload, "title"),
            status=text_of(hit.payload, "status"),
            fetched_at=text_of(hit.payload, "fetched_at"),
            created_at=text_of(hit.payload, "created_at"),
            fused_rank=rank,
            dense_rank=dense[0],
            dense_score=dense[1],
            bm25_rank=bm25[0],
            bm25_score=bm25[1],
            place=placed.place if placed and is_read else None,
            shown=bool(placed and is_read and placed.is_shown),
            why=_why(hit, placed.suppressed or "; ".join(placed.scored.notes) if placed and is_read else None),
        )
    return list(versions.values())


def _why(hit: Hit, ranked: str | None) -> str:
    status = text_of(hit.payload, "status")
    if status not in {each.value for each in SEARCHABLE}:
        return f"hidden: {status}"
    return "an older version of the same document is never read" if ranked is None else ranked


def recorded(
    retrieval: Retrieval, versions: Sequence[VersionFound], *, top: int, asked_at: datetime
) -> dict[str, object]:
    """What is saved of a step 0, as plain data."""
    return {
        "query": retrieval.query,
        "asked_at": asked_at.isoformat(),
        "top": top,
        "threshold": 0,
        "intent": retrieval.intent.kind.value,
        "reasons": list(retrieval.intent.reasons),
        "versions": [asdict(each) for each in versions],
    }
