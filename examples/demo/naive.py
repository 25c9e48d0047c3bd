"""The pipeline most teams start with: put in whatever the source lists, under document and chunk number.

It knows no removal, because a removed page is simply not mentioned any more, and it does not notice that a page has
become shorter. Same extraction, same chunks and same embedder as truecopy, so that nothing else differs.
"""

from __future__ import annotations

import numpy as np

from include.domain.documents import ExtractedDocument
from include.ports import Embedder
from include.text.chunk import chunk


class NaiveIndex:
    """Vectors by (document, chunk number), overwritten when the same number comes again."""

    def __init__(self, embedder: Embedder, max_tokens: int) -> None:
        self._embedder = embedder
        self._max_tokens = max_tokens
        self._rows: dict[tuple[str, int], tuple[str, np.ndarray]] = {}

    def upsert(self, document: ExtractedDocument) -> None:
        chunks = chunk(document, max_tokens=self._max_tokens, count_tokens=self._embedder.count_tokens)
        for piece, vector in zip(chunks, self._embedder.embed([each.text for each in chunks]), strict=True):
            self._rows[document.key.doc_id, piece.index] = (piece.text, vector)

    def search(self, query: str, limit: int) -> list[str]:
        vector = self._embedder.embed([query])[0]
        ranked = sorted(self._rows.values(), key=lambda row: -float(row[1] @ vector))
        return [text for text, _ in ranked[:limit]]

    def __len__(self) -> int:
        return len(self._rows)
