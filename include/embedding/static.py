"""The offline default: mean of static token vectors, from the two files bundled in the wordllama wheel.

The package itself is never imported: its loader goes to the network for a file that it ships, and importing
it configures the root logger. Weights and tokenizer are read directly; what remains is a table look-up.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load
from tokenizers import Tokenizer
from tokenizers.models import Model

from include.domain.errors import ConfigError, Skippable
from include.ports import Vectors

MODEL = "wordllama-l2-supercat"

# A mean has no length limit of its own. Beyond about a page it blurs: every further topic in a chunk pulls
# its vector towards the average of the language. 512 tokens (some 1,700 characters of English) keeps a
# section whole and is also the limit of the usual transformer models, so chunks stay comparable.
MAX_TOKENS = 512

_SPACE = "▁"
# No token of the vocabulary spans a word border or contains a line feed (checked when loading), so encoding
# piece by piece gives exactly the tokens of the whole text, and pieces repeat: they can be remembered.
_pieces = re.compile(f"{_SPACE}*[^{_SPACE}\n]+|{_SPACE}+|\n").findall
_CROSSES_A_BORDER = re.compile(f"[^{_SPACE}]{_SPACE}|\n")
_REMEMBERED_PIECES = 1 << 17  # about 30 MB when full
_LONGEST_REMEMBERED = 64  # characters; a line of a megabyte must not stay in memory


class StaticEmbedder:
    """Unit vectors of 256 dimensions, one text at a time: rows cannot depend on the batch, memory on its size.

    Safe to share between threads. A text that is empty or longer than `max_tokens` is refused with Skippable:
    nothing is ever cut silently.
    """

    def __init__(self, weights: Path, tokenizer: Path, *, max_tokens: int = MAX_TOKENS) -> None:
        if max_tokens < 8:
            raise ConfigError(f"static embedder: max_tokens is {max_tokens}, at least 8 are needed for a chunk of text")
        self._table, self._model, digest = _load(weights, tokenizer)
        self._max_tokens = max_tokens
        self._remembered = lru_cache(maxsize=_REMEMBERED_PIECES)(self._encode_piece)
        self.id = f"{MODEL}/sha256:{digest}/max:{max_tokens}/mean"

    @classmethod
    def bundled(cls, *, max_tokens: int = MAX_TOKENS) -> StaticEmbedder:
        """The embedder made of the files in the installed wordllama wheel. Raises ConfigError without it."""
        weights, tokenizer = bundled_files()
        return cls(weights, tokenizer, max_tokens=max_tokens)

    @property
    def dimension(self) -> int:
        return int(self._table.shape[1])

    @property
    def max_tokens(self) -> int:
        return self._max_tokens

    def count_tokens(self, text: str) -> int:
        """Exact. The model uses no special tokens."""
        return sum(map(len, self._encoded_pieces(text)))

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows = np.empty((len(texts), self.dimension), dtype=np.float32)
        for position, text in enumerate(texts):
            rows[position] = self._row(text, position, len(texts))
        return rows

    def _row(self, text: str, position: int, total: int) -> Vectors:
        if not text.strip():
            raise Skippable(
                f"text {position + 1} of {total} to embed is empty: it has no vector. Leave it out of the batch",
                position=position,
            )
        ids = list(chain.from_iterable(self._encoded_pieces(text)))
        if len(ids) > self._max_tokens:
            raise Skippable(
                f"text {position + 1} of {total} has {len(ids)} tokens, {self.id} takes {self._max_tokens}: "
                "it is not cut silently; chunk it with this embedder's max_tokens and count_tokens",
                position=position,
                tokens=len(ids),
                limit=self._max_tokens,
            )
        # Rows are added in the order of the text in float32: the same additions whatever else is in the batch.
        vector: Vectors = self._table[ids].sum(axis=0, dtype=np.float32)
        length = float(np.linalg.norm(vector))
        if not length > 0:
            raise Skippable(f"text {position + 1} of {total} has a vector of length {length}: it cannot be searched")
        unit: Vectors = vector / np.float32(length)
        return unit

    def _encoded_pieces(self, text: str) -> Iterator[tuple[int, ...]]:
        pieces = _pieces(_SPACE + text.replace(" ", _SPACE))
        encode = self._remembered if max(map(len, pieces)) <= _LONGEST_REMEMBERED else self._encode_any
        return map(encode, pieces)

    def _encode_any(self, piece: str) -> tuple[int, ...]:
        return self._remembered(piece) if len(piece) <= _LONGEST_REMEMBERED else self._encode_piece(piece)

    def _encode_piece(self, piece: str) -> tuple[int, ...]:
        # The model below the tokenizer: a text that quotes "<s>" is text, it cannot name a control token.
        return tuple(token.id for token in self._model.tokenize(piece))


def bundled_files() -> tuple[Path, Path]:
    """Weights and tokenizer in the installed wheel. Raises ConfigError without it."""
    # find_spec locates a top-level package without running it
    spec = importlib.util.find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise ConfigError(
            "embedder 'static' reads two files of the wordllama wheel, which is not installed: "
            "pip install wordllama==0.4.0.post1"
        )
    folder = Path(spec.origin).parent
    return folder / "weights/l2_supercat_256.safetensors", folder / "tokenizers/l2_supercat_tokenizer_config.json"


def _load(weights: Path, tokenizer: Path) -> tuple[npt.NDArray[np.float32], Model, str]:
    """The table (vocabulary, dimension) as float32, the tokenizer's model, and 12 hex digits over both files."""
    try:
        weight_bytes, tokenizer_bytes = weights.read_bytes(), tokenizer.read_bytes()
    except OSError as error:
        raise ConfigError(f"static embedder: {error.filename} cannot be read ({error.strerror})") from error
    try:
        table = load(weight_bytes)["embedding.weight"].astype(np.float32)
        loaded = Tokenizer.from_str(tokenizer_bytes.decode())
    except (SafetensorError, KeyError, ValueError) as error:
        raise ConfigError(f"static embedder: {weights} or {tokenizer} is damaged ({error}); reinstall it") from error
    except Exception as error:  # tokenizers raises nothing more precise for a file it cannot parse
        raise ConfigError(f"static embedder: {tokenizer} is not a tokenizer ({error}); reinstall it") from error
    crossing = [token for token in loaded.get_vocab() if _CROSSES_A_BORDER.search(token)]
    if crossing or loaded.get_vocab_size() > len(table):
        raise ConfigError(
            f"static embedder: {tokenizer} does not fit: {len(crossing)} tokens cross a word border, "
            f"{loaded.get_vocab_size()} tokens for {len(table)} vectors; use the files of wordllama 0.4"
        )
    digest = hashlib.sha256(hashlib.sha256(weight_bytes).digest() + hashlib.sha256(tokenizer_bytes).digest())
    return table, loaded.model, digest.hexdigest()[:12]
