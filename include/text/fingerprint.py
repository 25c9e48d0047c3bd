"""What a stored chunk was made by. Part of every point's identity: when it changes, every document is made anew."""

from __future__ import annotations

import hashlib
import json

from include.text.chunk import CHARACTERS_PER_TOKEN, CHUNKER_VERSION, SMALL
from include.text.normalise import EXTRACTOR_VERSION

_DIGITS = 16


def chunker_settings(max_tokens: int) -> dict[str, object]:
    """Everything besides the text and the embedder that decides where a document is cut."""
    return {
        "version": CHUNKER_VERSION,
        "max_tokens": max_tokens,
        "characters_per_token": CHARACTERS_PER_TOKEN,
        "small": SMALL,
    }


def pipeline_fingerprint(extractor_version: str, chunker: dict[str, object], embedder_id: str) -> str:
    """16 hex digits over extractor version, chunker settings and embedder id.

    Metadata of documents (titles, addresses, dates, marks) is no part of it: that is written without
    cutting or embedding again.
    """
    parts = json.dumps([extractor_version, chunker, embedder_id], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(parts.encode()).hexdigest()[:_DIGITS]


def current_fingerprint(*, max_tokens: int, embedder_id: str) -> str:
    """The fingerprint of this code with these settings."""
    return pipeline_fingerprint(EXTRACTOR_VERSION, chunker_settings(max_tokens), embedder_id)
