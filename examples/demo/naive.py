"""The pipeline most teams start with: put in whatever the source lists, under document and chunk number.

It knows no removal, because a removed page is simply not mentioned any more, and it does not notice that a page has
become shorter. Same extraction, same chunks and same embedder as truecopy, so that nothing else differs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from include.domain.documents import DocumentKey, ExtractedDocument
from include.ports import Embedder
from include.text.chunk import chunk


class NaiveIndex:
    """Vectors by (document, chunk number), overwritten when the same number comes again."""

    def __init__(self, embedder: Embedder, max_tokens: int) -> None:
        self._embedder = embedder
        self._max_tokens = max_tokens
        self._rows: dict[tuple[DocumentKey, int], tuple[str, np.ndarray]] = {}

    def upsert(self, document: ExtractedDocument) -> None:
        chunks = chunk(document, max_tokens=self._max_tokens, count_tokens=self._embedder.count_tokens)
        for piece, vector in zip(chunks, self._embedder.embed([each.text for each in chunks]), strict=True):
            self._rows[document.key, piece.index] = (piece.text, vector)

    def search(self, query: str, limit: int) -> list[str]:
        return [text for _, text in self._nearest(query)[:limit]]

    def documents(
        self, query: str, limit: int, passages: int, sources: Sequence[str] = ()
    ) -> list[tuple[DocumentKey, list[str]]]:
        """The documents of the nearest chunks, best first, each with its nearest texts."""
        found: dict[DocumentKey, list[str]] = {}
        for key, text in self._nearest(query):
            if sources and key.source not in sources:
                continue
            if key in found or len(found) < limit:
                found.setdefault(key, []).append(text)
        return [(key, texts[:passages]) for key, texts in found.items()]

    def _nearest(self, query: str) -> list[tuple[DocumentKey, str]]:
        if not self._rows:
            return []
        rows = list(self._rows.items())
        scores = np.stack([vector for _, (_, vector) in rows]) @ self._embedder.embed([query])[0]
        return [(rows[at][0][0], rows[at][1][0]) for at in np.argsort(-scores, kind="stable")]

    def __len__(self) -> int:
        return len(self._rows)
