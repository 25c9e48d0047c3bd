"""What every embedder promises, whoever computes the vectors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from include.domain.errors import Skippable
from include.embedding.http import HttpEmbedder, HttpSettings
from include.embedding.static import StaticEmbedder
from include.ports import Embedder
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.embedding_server import serving

TEXTS = [
    "Refunds take 30 days.",
    "x",
    "# Heading\n\n```sh\n# code\n```\n",
    "日本語の文書",
    "emoji 👩\u200d💻 and \u202ebidi",
    "  indented",
    "<s> control </s> words <unk>",
    "a ▁ b",
    "word " * 12,
]


@pytest.fixture(params=["static", "http", "fake"], scope="module")
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    match request.param:
        case "static":
            yield StaticEmbedder.bundled()
        case "fake":
            yield FakeEmbedder()
        case "http":
            behind = FakeEmbedder(max_tokens=10_000)
            with serving(behind) as server:
                settings = HttpSettings(server.url, "fake", behind.dimension, max_tokens=256, batch_size=4)
                yield HttpEmbedder(settings)


def test_rows_are_unit_vectors_of_the_stated_shape_and_type(embedder):
    rows = embedder.embed(TEXTS)
    assert rows.shape == (len(TEXTS), embedder.dimension)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)


def test_a_text_has_the_same_bits_alone_in_another_batch_and_twice(embedder):
    rows = embedder.embed(TEXTS)
    assert np.array_equal(rows, embedder.embed(TEXTS))
    assert np.array_equal(rows[::-1], embedder.embed(TEXTS[::-1]))
    assert np.array_equal(rows, np.concatenate([embedder.embed([text]) for text in TEXTS]))


def test_no_texts_give_no_rows(embedder):
    assert embedder.embed([]).shape == (0, embedder.dimension)


def test_equal_texts_are_nearer_than_others(embedder):
    rows = embedder.embed(["how long do refunds take", "refunds take how long", "kernel scheduling policy"])
    assert rows[0] @ rows[1] > rows[0] @ rows[2]


@pytest.mark.parametrize("empty", ["", " ", "\n\t"])
def test_an_empty_text_is_refused(embedder, empty):
    with pytest.raises(Skippable):
        embedder.embed(["fine", empty])


def test_a_text_at_the_limit_is_embedded_whole_and_one_beyond_is_refused(embedder):
    text = "a"
    while embedder.count_tokens(text + " b") <= embedder.max_tokens:
        text += " b"
    whole = embedder.embed([text])[0]
    assert not np.array_equal(whole, embedder.embed([text[:-2]])[0])  # the last word counts
    with pytest.raises(Skippable, match=str(embedder.max_tokens)):
        embedder.embed(["fine", text + " b b"])


def test_the_id_names_model_and_limit(embedder):
    assert f"max:{embedder.max_tokens}" in embedder.id
    assert embedder.id.count("/") >= 3
