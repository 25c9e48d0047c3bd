"""What turns texts into vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit vectors. `id` names model, file hash, max length and pooling."""

    @property
    def id(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    @property
    def max_tokens(self) -> int: ...

    def count_tokens(self, text: str) -> int:
        """Length of `text` in the embedder's own tokens, special tokens included."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimension), float32, each row of length 1. Same text, same row, whatever the batch.

        Raises Retriable when a remote embedder is unavailable, Fatal when it answers with another dimension.
        """
        ...
