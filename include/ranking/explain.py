"""Why each candidate stands where it stands, as plain data for JSON, tables and pages. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from typing import Any

from include.domain.dates import rfc3339
from include.ranking.arrange import Placed
from include.ranking.candidates import Candidate, FoundChunk
from include.ranking.intent import Intent

DATE_PARTS = ("origin", "trust", "precision")
"""What is told of each date beside its value; empty where the date is unknown."""


def explained(placed: Iterable[Placed]) -> list[dict[str, Any]]:
    """One record a candidate, in order of place. `score` is the sum of `parts` unless a note says otherwise."""
    return [_record(each) for each in placed]


def explained_intent(intent: Intent) -> dict[str, Any]:
    period = intent.period
    return {
        "kind": intent.kind.value,
        "reasons": list(intent.reasons),
        "period": None if period is None else {"start": rfc3339(period.start), "end": rfc3339(period.end)},
        "names_edition": intent.names_edition,
    }


def explained_dates(candidate: Candidate) -> dict[str, str | None]:
    """The four dates, each with where it is from, how far it is trusted and how exact it is: without that a document of
    which only the year is known would seem to be from the first of January."""
    return {
        "created_at": _instant(candidate.created_at),
        "created_at_origin": candidate.created_at_origin,
        "created_at_trust": candidate.created_at_trust,
        "created_at_precision": candidate.created_at_precision,
        "updated_at": _instant(candidate.updated_at),
        "updated_at_origin": candidate.updated_at_origin,
        "updated_at_trust": candidate.updated_at_trust,
        "updated_at_precision": candidate.updated_at_precision,
        "effective_date": _instant(candidate.effective_date),
        "effective_date_origin": candidate.effective_date_origin,
        "effective_date_trust": candidate.effective_date_trust,
        "effective_date_precision": candidate.effective_date_precision,
        "expires_at": _instant(candidate.expires_at),
        "expires_at_origin": candidate.expires_at_origin,
        "expires_at_trust": candidate.expires_at_trust,
        "expires_at_precision": candidate.expires_at_precision,
    }


def _record(placed: Placed) -> dict[str, Any]:
    scored, candidate = placed.scored, placed.scored.candidate
    date = scored.recency_found.date
    age = scored.recency_found.age_days
    return {
        "place": placed.place,
        "shown": placed.is_shown,
        "suppressed": placed.suppressed,
        "notice": placed.notice,
        "source": candidate.key.source,
        "doc_id": candidate.key.doc_id,
        "doc_version": candidate.version,
        "title": candidate.title,
        "url": candidate.url,
        "status": candidate.status.value,
        "family": candidate.family,
        "is_canonical": candidate.is_canonical,
        "is_current": candidate.is_current,
        "pinned": candidate.pinned,
        "superseded_by": list(candidate.superseded_by),
        "score": scored.score,
        "parts": {
            "similarity": scored.similarity,
            "recency": scored.recency,
            "canonical": scored.canonical,
            "pinned": scored.pinned,
            "period": scored.period,
        },
        "notes": list(scored.notes),
        "date": {
            "value": _instant(date.value),
            "origin": date.origin,
            "trust": str(date.trust),
            "age_days": None if age is None else round(age, 1),
            "precision": date.precision,
            "note": date.note,
        },
        **explained_dates(candidate),
        "chunks": [_chunk(chunk) for chunk in candidate.chunks],
    }


def _chunk(chunk: FoundChunk) -> dict[str, Any]:
    return {
        "chunk_index": chunk.index,
        "heading_path": chunk.heading_path,
        "text": chunk.text,
        "fused": chunk.fused,
        "legs": {name: {"score": leg.score, "rank": leg.rank} for name, leg in chunk.legs.items()},
    }


@lru_cache(maxsize=4096)
def _instant(moment: datetime | None) -> str | None:
    return None if moment is None else rfc3339(moment)
