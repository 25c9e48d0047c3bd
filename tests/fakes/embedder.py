"""An embedder that needs no model: a text's vector is made of the hashes of its words. Remembers what it was asked."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from include.domain.errors import Skippable
from include.ports import Vectors


class FakeEmbedder:
    """Equal texts get equal vectors, texts that share words similar ones. A token is a word; one end mark is added."""

    def __init__(self, *, name: str = "fake", dimension: int = 16, max_tokens: int = 64) -> None:
        self.id = f"{name}/sha256:0/max:{max_tokens}/mean"
        self._dimension, self._max_tokens = dimension, max_tokens
        self.calls = 0
        self.embedded: list[str] = []

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def max_tokens(self) -> int:
        return self._max_tokens

    def count_tokens(self, text: str) -> int:
        return len(text.split()) + 1

    def embed(self, texts: Sequence[str]) -> Vectors:
        for text in texts:
            tokens = self.count_tokens(text)
            if not text.strip() or tokens > self._max_tokens:
                raise Skippable(f"{text[:40]!r} has {tokens} tokens, {self.id} takes 1 to {self._max_tokens}")
        self.calls += 1
        self.embedded += texts
        return np.array([self._row(text) for text in texts], dtype=np.float32).reshape(len(texts), self._dimension)

    def _row(self, text: str) -> Vectors:
        vector = np.zeros(self._dimension, dtype=np.float64)
        for word in text.lower().split():
            seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8])
            vector += np.random.default_rng(seed).standard_normal(self._dimension)
        return (vector / np.linalg.norm(vector)).astype(np.float32)
