from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from email.utils import formatdate
from pathlib import Path
from time import time

import numpy as np
import pytest
from tokenizers import Tokenizer

from include.domain.errors import ConfigError, EmbedderMismatch, Fatal, Retriable
from include.embedding.http import HttpEmbedder, HttpSettings
from include.embedding.static import bundled_files
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.embedding_server import EmbeddingServer, serving

_, TOKENIZER = bundled_files()
KEY = "sk-secret-0123456789"


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with serving(FakeEmbedder(max_tokens=10_000)) as running:
        yield running


class Waits:
    """A clock that only moves when somebody sleeps."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    def now(self) -> float:
        return sum(self.slept)


def client(server: EmbeddingServer, waits: Waits | None = None, **options: object) -> HttpEmbedder:
    waits = waits or Waits()
    settings = replace(HttpSettings(server.url, "m", 16, max_tokens=256, batch_size=2, read_timeout=5), **options)
    return HttpEmbedder(settings, api_key=KEY, sleep=waits.sleep, clock=waits.now, jitter=lambda: 1.0)


def failure(status: int, body: str = "busy", **headers: str) -> tuple[int, dict[str, str], bytes]:
    return status, {name.replace("_", "-"): value for name, value in headers.items()}, body.encode()


def test_rows_come_back_in_the_order_of_the_texts_in_batches_with_the_key(server):
    texts = [f"text number {n}" for n in range(5)]
    rows = client(server).embed(texts)
    assert np.allclose(rows, FakeEmbedder().embed(texts), atol=1e-6)
    assert [len(request["input"]) for request in server.requests] == [2, 2, 1]
    assert {headers["Authorization"] for headers in server.headers} == {f"Bearer {KEY}"}


def test_busy_servers_are_asked_again_after_a_growing_pause(server):
    server.scripted = [failure(503), failure(500), failure(429)]
    waits = Waits()
    assert client(server, waits).embed(["a"]).shape == (1, 16)
    assert waits.slept == [0.5, 1.0, 2.0]


def test_retry_after_is_obeyed_as_seconds_or_date_and_capped(server):
    server.scripted = [
        failure(429, Retry_After="7"),
        failure(429, Retry_After="21600"),
        failure(429, Retry_After=formatdate(time() + 20, usegmt=True)),
        failure(429, Retry_After="soon"),
    ]
    waits = Waits()
    client(server, waits).embed(["a"])
    assert waits.slept[:2] == [7, 60]
    assert 15 < waits.slept[2] <= 20
    assert waits.slept[3] == 4.0


@pytest.mark.parametrize(
    "answer",
    [
        failure(503),
        failure(200, "<html>Please log in</html>"),
        failure(200, '{"data": []}'),
        failure(200, "[]"),
        failure(200, json.dumps({"data": [{"index": 0, "embedding": [1] * 16}] * 2})),
        failure(200, json.dumps({"data": [{"index": 1, "embedding": [1] * 16}]})),
    ],
)
def test_a_server_that_stays_unwell_is_retriable_and_no_vector_is_invented(server, answer):
    server.scripted = [answer] * 3
    with pytest.raises(Retriable, match="3 attempts"):
        client(server, attempts=3).embed(["a"])


def test_nobody_listening_is_retriable():
    with serving(FakeEmbedder()) as gone:
        pass
    with pytest.raises(Retriable, match="ConnectionError"):
        client(gone, attempts=2).embed(["a"])


@pytest.mark.parametrize(
    ("status", "error"), [(401, ConfigError), (403, ConfigError), (404, ConfigError), (302, ConfigError), (400, Fatal)]
)
def test_a_refusal_is_not_retried_and_the_key_is_not_repeated(server, status, error, caplog):
    caplog.set_level(logging.DEBUG)
    server.scripted = [failure(status, f"wrong key {KEY} or model", Location="http://127.0.0.1:1/elsewhere")]
    embedder = client(server)
    with pytest.raises(error) as raised:
        embedder.embed(["a"])
    assert len(server.requests) == 1
    assert KEY not in str(raised.value) + repr(raised.value.facts) + repr(embedder) + embedder.id + caplog.text


def test_another_dimension_is_a_mismatch(server):
    server.alter = lambda items: [{**item, "embedding": [1.0] * 8} for item in items]
    with pytest.raises(EmbedderMismatch, match=r"\[8\] numbers, configured are 16"):
        client(server).embed(["a"])


@pytest.mark.parametrize("bad", [0.0, float("nan"), float("inf")])
def test_a_vector_that_could_never_be_found_is_fatal(server, bad):
    server.alter = lambda items: [{**item, "embedding": [bad] * 16} for item in items]
    with pytest.raises(Fatal, match="never be found"):
        client(server).embed(["a"])


def test_the_rate_limit_spaces_requests(server):
    waits = Waits()
    client(server, waits, requests_per_minute=30).embed([f"t{n}" for n in range(6)])
    assert waits.slept == [2.0, 2.0]


def test_without_a_tokenizer_bytes_bound_the_tokens_and_with_one_they_are_counted(server):
    exact, bound = client(server, tokenizer=TOKENIZER), client(server)
    for text in ("plain words", "日本語 𝒳", "x" * 200):
        assert exact.count_tokens(text) <= bound.count_tokens(text)
    assert bound.count_tokens("日本") == 8


def test_another_tokenizer_file_is_another_embedder(server, tmp_path: Path):
    (tmp_path / "tokenizer.json").write_bytes(TOKENIZER.read_bytes() + b"\n")
    ids = {client(server, tokenizer=path).id for path in (TOKENIZER, tmp_path / "tokenizer.json")} | {client(server).id}
    assert len(ids) == 3
    assert client(server, tokenizer=TOKENIZER).id == client(server, tokenizer=TOKENIZER).id


def test_a_tokenizer_file_that_truncates_does_not_hide_the_length(server, tmp_path: Path):
    tokenizer = Tokenizer.from_file(str(TOKENIZER))
    tokenizer.enable_truncation(16)
    tokenizer.enable_padding(length=16)
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    embedder = client(server, tokenizer=tmp_path / "tokenizer.json")
    assert embedder.count_tokens("word " * 100) > 100
    assert embedder.count_tokens("word") < 5


def test_a_tokenizer_that_cannot_be_read_is_a_configuration_error(server, tmp_path: Path):
    with pytest.raises(ConfigError, match="tokenizer"):
        client(server, tokenizer=tmp_path / "absent.json")
