"""Texts of documents as the index holds them, read when they are needed and some at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from include.domain.documents import DocumentKey, Status, StoredChunk
from include.ports import IndexReader
from include.services.context import SourceContext

_BATCH = 200


class IndexedTexts:
    """Indexed texts of documents. One that was not read yet is noted as `missing`, and is empty until then."""

    def __init__(self, context: SourceContext) -> None:
        self._context = context
        self._known: dict[DocumentKey, str] = {}
        self.missing: set[DocumentKey] = set()

    def __call__(self, key: DocumentKey) -> str:
        if key not in self._known:
            self.missing.add(key)
            return ""
        return self._known[key]

    def learn(self) -> None:
        """Read what was missing."""
        self.read(sorted(self.missing))
        self.missing = set()

    def read(self, keys: Sequence[DocumentKey]) -> None:
        with self._context.store.reading() as index:
            for start in range(0, len(keys), _BATCH):
                self._known |= _texts_of(index, keys[start : start + _BATCH])


def _texts_of(index: IndexReader, keys: Sequence[DocumentKey]) -> dict[DocumentKey, str]:
    """Of the newest readable version; empty where there is none."""
    return {key: _text_of(chunks) for key, chunks in index.chunks_of(list(dict.fromkeys(keys))).items()}


def _text_of(chunks: Iterable[StoredChunk]) -> str:
    readable = [chunk for chunk in chunks if chunk.status != Status.INCOMING and chunk.fetched_at is not None]
    newest = max((chunk.fetched_at for chunk in readable if chunk.fetched_at), default=None)
    parts = sorted((chunk.chunk_index or 0, chunk.text or "") for chunk in readable if chunk.fetched_at == newest)
    return "\n\n".join(text for _, text in parts)
