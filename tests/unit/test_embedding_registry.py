from __future__ import annotations

import importlib.util

import pytest

from include.domain.errors import ConfigError
from include.embedding.registry import build

HTTP = {"url": "http://localhost:1/v1/embeddings", "model": "m", "dimension": 8, "max_tokens": 256}


def test_each_kind_is_built_from_its_options():
    assert build("static", {"max_tokens": 128}, credentials={}).max_tokens == 128
    assert build("http", HTTP, credentials={"api_key": "k"}).dimension == 8


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("wordllama", {}, r"'wordllama' is unknown; known are fastembed, http, static"),
        ("static", {"model": "x"}, "model: Extra inputs"),
        ("static", {"max_tokens": 1}, "max_tokens"),
        ("http", {}, "url: Field required"),
        ("http", {**HTTP, "url": "localhost"}, "must be an http"),
        ("http", {**HTTP, "url": "https://u:sesame@host/v1/embeddings"}, "must not carry"),
        ("http", {**HTTP, "api_key": "sesame"}, "api_key: Extra inputs"),
        ("fastembed", {"model": "m"}, "max_tokens: Field required"),
    ],
)
def test_unknown_and_invalid_options_are_named_and_secrets_are_not_repeated(kind, options, message):
    with pytest.raises(ConfigError, match=message) as raised:
        build(kind, options, credentials={})
    assert "sesame" not in str(raised.value)


@pytest.mark.skipif(importlib.util.find_spec("fastembed") is not None, reason="fastembed is installed here")
def test_fastembed_says_what_to_install():
    with pytest.raises(ConfigError, match=r"pip install 'truecopy\[fastembed\]'"):
        build("fastembed", {"model": "m", "max_tokens": 256}, credentials={})
