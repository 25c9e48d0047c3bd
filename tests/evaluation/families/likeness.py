"""Similarity of two documents as the index has it: cosine of their first chunks' vectors, by the bundled embedder.

Where a text is not there similarity confirms whatever structure proposes: what is measured then is structure.
"""

from __future__ import annotations

from collections.abc import Mapping

from include.domain.documents import DocumentKey, ExtractedDocument
from include.embedding.static import StaticEmbedder
from include.ports import Vectors
from include.text.chunk import chunk

CHUNK_TOKENS = 256


class Likeness:
    """Embeds what is asked about, each document once."""

    def __init__(self, texts: Mapping[DocumentKey, ExtractedDocument]) -> None:
        self._texts = texts
        self._embedder = StaticEmbedder.bundled()
        self._vectors: dict[DocumentKey, Vectors] = {}

    def __call__(self, one: DocumentKey, other: DocumentKey) -> float:
        if one not in self._texts or other not in self._texts:
            return 1.0
        return float(self._vector(one) @ self._vector(other))

    def _vector(self, key: DocumentKey) -> Vectors:
        if key not in self._vectors:
            chunks = chunk(self._texts[key], max_tokens=CHUNK_TOKENS, count_tokens=self._embedder.count_tokens)
            self._vectors[key] = self._embedder.embed([chunks[0].text])[0]
        return self._vectors[key]
