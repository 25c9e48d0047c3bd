"""A transformer on the CPU through fastembed: optional, better than the static table, a hundred times slower.

Not installed by default: `pip install fastembed`. With `path` it reads a local folder (model.onnx, tokenizer.json,
config.json, tokenizer_config.json, special_tokens_map.json) and never goes to the network.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from include.domain.errors import ConfigError, EmbedderMismatch, Skippable
from include.ports import Vectors

# Larger batches are slower on a CPU (padding to the longest) and take gigabytes.
_BATCH = 4


class FastembedEmbedder:
    """Unit vectors from an ONNX model. The maximum length is stated here, never taken from the model's files:

    the same model under another limit gives other vectors. Longer and empty texts are refused with Skippable.
    """

    def __init__(self, model: str, *, max_tokens: int, path: Path | None = None, threads: int | None = None) -> None:
        library = _library()
        if path is not None and not (path / "tokenizer.json").is_file():
            raise ConfigError(f"embedder 'fastembed': {path} holds no tokenizer.json; give the folder of the model")
        where = {"specific_model_path": str(path)} if path is not None else {}
        try:
            self._engine: Any = library.TextEmbedding(model_name=model, threads=threads, **where)
        except Exception as error:  # bare ValueError, and whatever its downloader raises
            raise ConfigError(
                f"embedder 'fastembed': model {model!r} cannot be loaded from {path or 'its registry'} ({error}); "
                "give `path` to use a local folder"
            ) from error
        folder = path if path is not None else Path(self._engine.model._model_dir)
        tokenizer: Tokenizer = self._engine.model.tokenizer
        # Both are inherited from the model's files, where they differ between copies of one model.
        tokenizer.no_truncation()
        self._counter = Tokenizer.from_str(tokenizer.to_str())
        self._counter.no_padding()
        self._max_tokens = max_tokens
        self._dimension = int(next(iter(self._engine.embed(["dimension"]))).shape[0])
        self.id = f"fastembed/{model}/sha256:{_digest(folder)}/max:{max_tokens}/as-model"

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def max_tokens(self) -> int:
        return self._max_tokens

    def count_tokens(self, text: str) -> int:
        """Exact, special tokens included."""
        return len(self._counter.encode(text).ids)

    def embed(self, texts: Sequence[str]) -> Vectors:
        for position, text in enumerate(texts):
            tokens = self.count_tokens(text)
            if not text.strip() or tokens > self._max_tokens:
                raise Skippable(
                    f"text {position + 1} of {len(texts)} has {tokens} tokens, {self.id} takes 1 to "
                    f"{self._max_tokens}: it is neither cut nor invented; chunk it with this embedder's max_tokens "
                    "and count_tokens",
                    position=position,
                    tokens=tokens,
                    limit=self._max_tokens,
                )
        rows = np.empty((len(texts), self._dimension), dtype=np.float32)
        for position, vector in enumerate(self._engine.embed(list(texts), batch_size=_BATCH)):
            if vector.shape != (self._dimension,):
                raise EmbedderMismatch(f"{self.id} answered {vector.shape}, {self._dimension} dimensions were expected")
            rows[position] = vector / np.linalg.norm(vector)
        return rows


def _library() -> Any:
    try:
        return importlib.import_module("fastembed")
    except ImportError as error:
        raise ConfigError(
            "embedder 'fastembed' needs a package that is not installed: pip install 'truecopy[fastembed]' "
            "(or pip install fastembed), or set the embedder to 'static'"
        ) from error


def _digest(folder: Path) -> str:
    """12 hex digits over the model and tokenizer files."""
    digest = hashlib.sha256()
    for file in sorted([*folder.rglob("*.onnx"), *folder.rglob("tokenizer.json")]):
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:12]
