"""Lexical vectors: BM25 by the code that ships with the embedded engine; nothing is downloaded.

Term frequency and length are in the document's vector, rarity (IDF) is computed by the engine at search time from
the whole collection. Stop words and stemming are English. The same text gives the same vector on every machine.
"""

from __future__ import annotations

import functools

import qdrant_edge


@functools.cache
def _model() -> qdrant_edge.Bm25:
    return qdrant_edge.Bm25()


def document_vector(text: str) -> qdrant_edge.SparseVector | None:
    """None for a text without a single word: an engine refuses or stores an empty vector at its own whim."""
    vector = _model().embed_document(text)
    return vector if vector.indices else None


def query_vector(text: str) -> qdrant_edge.SparseVector | None:
    """None for a question without a single word (stop words and signs only): it can match nothing."""
    vector = _model().embed_query(text)
    return vector if vector.indices else None
