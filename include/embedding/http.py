"""Any server that speaks OpenAI's `/v1/embeddings`: OpenAI itself, Text Embeddings Inference, vLLM, Ollama."""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import requests
from tokenizers import Tokenizer

from include.domain.errors import ConfigError, EmbedderMismatch, Fatal, Retriable, Skippable, TruecopyError
from include.ports import Vectors

_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_SHOWN = 200  # characters of a server's answer in a message
# Begin and end marks, which every tokenizer may add.
_SPECIAL_TOKENS = 2


@dataclass(frozen=True, slots=True)
class HttpSettings:
    """How to talk to the server. Times in seconds.

    `revision` distinguishes states of one model name (a tag, a digest): it is part of the embedder's id, because a
    server can change the weights behind a name and only its operator knows. `retry_after_max` caps what a server
    may ask us to wait.
    """

    url: str
    model: str
    dimension: int
    max_tokens: int
    revision: str = "unstated"
    tokenizer: Path | None = None
    batch_size: int = 32
    requests_per_minute: float = 0.0  # 0: no limit of our own
    connect_timeout: float = 5.0
    read_timeout: float = 60.0
    attempts: int = 5
    backoff: float = 0.5
    backoff_max: float = 30.0
    retry_after_max: float = 60.0


class HttpEmbedder:
    """Unit vectors from a server, in the order of the texts.

    Tokens are counted with the model's `tokenizer.json` if one is configured. Without it the bound is one token per
    UTF-8 byte plus two: no byte-level, WordPiece or SentencePiece vocabulary needs more, so nothing is ever cut by
    the server, at the price of chunks about a quarter of the possible size. Whether equal texts get equal bits in
    different batches is the server's doing; chunks are compared by their hash, never by vector.

    Raises Retriable when the server is unavailable after all attempts, ConfigError for a refused key or an unknown
    model, EmbedderMismatch for another dimension, Fatal for any other refusal, Skippable for a text that is
    empty or too long. Safe to share between threads.
    """

    def __init__(
        self,
        settings: HttpSettings,
        *,
        api_key: str = "",
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._settings = settings
        self._key = api_key
        self._sleep, self._clock, self._jitter = sleep, clock, jitter
        self._turn, self._next_request = Lock(), 0.0
        self._counter = _tokenizer(settings.tokenizer) if settings.tokenizer else None
        # Chunks are cut by what it counts, so another file makes other chunks.
        counted = f"/tokens:{_digest(settings.tokenizer)}" if settings.tokenizer else ""
        model = f"{settings.model}@{settings.revision}/{settings.dimension}"
        self.id = f"http/{model}/max:{settings.max_tokens}/by-server{counted}"

    def __repr__(self) -> str:
        return f"HttpEmbedder({self._settings.url}, {self.id})"

    @property
    def dimension(self) -> int:
        return self._settings.dimension

    @property
    def max_tokens(self) -> int:
        return self._settings.max_tokens

    def count_tokens(self, text: str) -> int:
        """Exact with a tokenizer, else an upper bound; special tokens included."""
        if self._counter is None:
            return len(text.encode()) + _SPECIAL_TOKENS
        return len(self._counter.encode(text).ids)

    def embed(self, texts: Sequence[str]) -> Vectors:
        for position, text in enumerate(texts):
            if not text.strip() or self.count_tokens(text) > self.max_tokens:
                raise Skippable(
                    f"text {position + 1} of {len(texts)} has {self.count_tokens(text)} tokens, {self.id} takes 1 to "
                    f"{self.max_tokens}: servers cut longer texts silently, so it is not sent; chunk it with this "
                    "embedder's max_tokens and count_tokens",
                    position=position,
                    limit=self.max_tokens,
                )
        size = self._settings.batch_size
        batches = [self._batch(texts[start : start + size]) for start in range(0, len(texts), size)]
        return np.concatenate(batches) if batches else np.empty((0, self.dimension), dtype=np.float32)

    def _batch(self, texts: Sequence[str]) -> Vectors:
        problem = ""
        for attempt in range(1, self._settings.attempts + 1):
            self._wait_for_turn()
            asked_wait = 0.0
            try:
                response = self._post(texts)
            except (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError) as error:
                problem = f"{type(error).__name__}"
            else:
                if response.status_code == 200:
                    rows = self._rows(response, len(texts))
                    if rows is not None:
                        return rows
                    problem = f"HTTP 200 that is no embedding answer: {self._excerpt(response)}"
                elif response.status_code in _RETRIED:
                    asked_wait = _retry_after(response.headers.get("Retry-After"))
                    problem = f"HTTP {response.status_code}: {self._excerpt(response)}"
                else:
                    raise self._refused(response)
            if attempt < self._settings.attempts:
                self._sleep(self._pause(attempt, asked_wait))
        raise Retriable(
            f"embedder {self._settings.url} ({self._settings.model}) did not answer after "
            f"{self._settings.attempts} attempts with {len(texts)} texts: {problem}. Nothing was embedded; "
            "the documents are tried again next run",
            url=self._settings.url,
            attempts=self._settings.attempts,
            problem=problem,
        )

    def _post(self, texts: Sequence[str]) -> requests.Response:
        # No redirects: the key would follow them to wherever they lead. `requests` reads ~/.netrc unless an
        # auth is given, so the header is set by an auth callable even without a key.
        return requests.post(
            self._settings.url,
            json={"model": self._settings.model, "input": list(texts), "encoding_format": "float"},
            auth=self._authorise,
            timeout=(self._settings.connect_timeout, self._settings.read_timeout),
            allow_redirects=False,
        )

    def _authorise(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._key:
            request.headers["Authorization"] = f"Bearer {self._key}"
        return request

    def _rows(self, response: requests.Response, expected: int) -> Vectors | None:
        """Normalised rows in the order of the texts; None if this is no answer to the question (a proxy's page)."""
        try:
            items: list[dict[str, Any]] = response.json()["data"]
            by_index = {int(item["index"]): item["embedding"] for item in items}
        except (ValueError, KeyError, TypeError):
            return None
        if sorted(by_index) != list(range(expected)) or len(items) != expected:
            return None
        lengths = {len(row) if isinstance(row, list) else 0 for row in by_index.values()}
        if lengths != {self.dimension}:
            raise EmbedderMismatch(
                f"embedder {self._settings.url} answered vectors of {sorted(lengths)} numbers, configured are "
                f"{self.dimension}: correct `dimension` or `model`; vectors of two models never mix in one collection",
                dimension=self.dimension,
                answered=sorted(lengths),
            )
        try:
            rows = np.array([by_index[index] for index in range(expected)], dtype=np.float64)
        except (ValueError, TypeError):
            return None
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        if not (np.isfinite(norms).all() and (norms > 0).all()):
            raise Fatal(
                f"embedder {self._settings.url} ({self._settings.model}) answered a vector of length 0 or with numbers "
                "that are not finite: it could never be found. Check the model on the server"
            )
        unit: Vectors = (rows / norms).astype(np.float32)
        return unit

    def _refused(self, response: requests.Response) -> TruecopyError:
        code, where = response.status_code, f"embedder {self._settings.url}"
        if code in (401, 403):
            return ConfigError(
                f"{where}: HTTP {code}, the key was refused; check the credential of this embedder", status=code
            )
        if code == 404 or 300 <= code < 400:
            return ConfigError(
                f"{where}: HTTP {code}, no such address or model {self._settings.model!r}; `url` is the whole address, "
                f"ending in /v1/embeddings: {self._excerpt(response)}",
                status=code,
            )
        return Fatal(f"{where}: HTTP {code}: {self._excerpt(response)}", status=code)

    def _excerpt(self, response: requests.Response) -> str:
        text = " ".join(response.text.split())
        return (text.replace(self._key, "***") if self._key else text)[:_SHOWN] or "(empty answer)"

    def _pause(self, attempt: int, asked_wait: float) -> float:
        """Seconds until the next attempt: exponential, half of it at random, at least what the server asked."""
        backoff = min(self._settings.backoff * 2.0 ** (attempt - 1), self._settings.backoff_max)
        return max(backoff * (0.5 + self._jitter() / 2), min(asked_wait, self._settings.retry_after_max))

    def _wait_for_turn(self) -> None:
        if self._settings.requests_per_minute <= 0:
            return
        with self._turn:
            now = self._clock()
            start = max(now, self._next_request)
            self._next_request = start + 60.0 / self._settings.requests_per_minute
        if start > now:
            self._sleep(start - now)


def _retry_after(header: str | None) -> float:
    """Seconds; 0 where the header is missing or unreadable."""
    if not header:
        return 0.0
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (ValueError, TypeError):
        return 0.0


def _digest(path: Path) -> str:
    return f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"


def _tokenizer(path: Path) -> Tokenizer:
    try:
        loaded = Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises nothing more precise
        raise ConfigError(
            f"embedder 'http': tokenizer {path} cannot be read ({error}); give the model's tokenizer.json"
        ) from error
    # The file's own defaults may cut at 128 and pad to it: counts would never exceed the limit.
    loaded.no_truncation()
    loaded.no_padding()
    return loaded
