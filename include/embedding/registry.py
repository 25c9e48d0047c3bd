"""Builds the configured embedder. Options are foreign data: checked here, named in the error, never guessed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from include.domain.errors import ConfigError
from include.embedding.fastembed import FastembedEmbedder
from include.embedding.http import HttpEmbedder, HttpSettings
from include.embedding.static import MAX_TOKENS, StaticEmbedder
from include.ports import Embedder


class _Options(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class StaticOptions(_Options):
    max_tokens: int = Field(MAX_TOKENS, ge=8, le=8192)


class FastembedOptions(_Options):
    model: str = Field(min_length=1)
    max_tokens: int = Field(ge=8, le=8192)
    path: Path | None = None
    threads: int | None = Field(None, ge=1)


class HttpOptions(_Options):
    url: str
    model: str = Field(min_length=1)
    dimension: int = Field(ge=1, le=65536)
    max_tokens: int = Field(ge=8, le=1_000_000)
    revision: str = Field("unstated", min_length=1)
    tokenizer: Path | None = None
    batch_size: int = Field(32, ge=1, le=2048)
    requests_per_minute: float = Field(0.0, ge=0)
    connect_timeout: float = Field(5.0, gt=0)
    read_timeout: float = Field(60.0, gt=0)
    attempts: int = Field(5, ge=1, le=20)
    backoff: float = Field(0.5, ge=0)
    backoff_max: float = Field(30.0, ge=0)
    retry_after_max: float = Field(60.0, ge=0)

    @field_validator("url")
    @classmethod
    def _is_an_address_without_credentials(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("must be an http(s) address, such as http://localhost:8080/v1/embeddings")
        if parts.username or parts.password or parts.query:
            raise ValueError("must not carry a user, password or query: the key comes from the connection")
        return url


def _static(options: Mapping[str, object], credentials: Mapping[str, str]) -> Embedder:
    return StaticEmbedder.bundled(max_tokens=StaticOptions.model_validate(options).max_tokens)


def _fastembed(options: Mapping[str, object], credentials: Mapping[str, str]) -> Embedder:
    checked = FastembedOptions.model_validate(options)
    return FastembedEmbedder(checked.model, max_tokens=checked.max_tokens, path=checked.path, threads=checked.threads)


def _http(options: Mapping[str, object], credentials: Mapping[str, str]) -> Embedder:
    settings = HttpSettings(**HttpOptions.model_validate(options).model_dump())
    return HttpEmbedder(settings, api_key=credentials.get("api_key", ""))


_KINDS: Mapping[str, Callable[[Mapping[str, object], Mapping[str, str]], Embedder]] = {
    "static": _static,
    "fastembed": _fastembed,
    "http": _http,
}


def build(kind: str, options: Mapping[str, object], *, credentials: Mapping[str, str]) -> Embedder:
    """The embedder of that kind. `credentials` may hold `api_key` (http). Raises ConfigError naming what is wrong."""
    maker = _KINDS.get(kind)
    if maker is None:
        raise ConfigError(f"embedder kind {kind!r} is unknown; known are {', '.join(sorted(_KINDS))}")
    try:
        return maker(options, credentials)
    except ValidationError as error:
        # `input` is left out: what somebody typed into the wrong field may be a secret
        problems = "; ".join(
            f"{'.'.join(map(str, problem['loc'])) or 'options'}: {problem['msg']}" for problem in error.errors()
        )
        raise ConfigError(f"embedder {kind!r}: {problems}", kind=kind) from None
