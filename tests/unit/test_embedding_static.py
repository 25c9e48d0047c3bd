from __future__ import annotations

import hashlib
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from include.domain.errors import ConfigError
from include.embedding.static import StaticEmbedder, bundled_files

SAMPLES = [
    "Plain WORDS",
    "  two spaces   three",
    "line\nfeed\n\n    code",
    "tab\tand ▁ mark",
    "日本 𝒳 é",
    " ",
    "x" * 500,
    "snake_case(a=1)  # comment",
    "trailing space ",
    "\n",
]
WEIGHTS, TOKENIZER = bundled_files()


@pytest.fixture(scope="module")
def static() -> StaticEmbedder:
    return StaticEmbedder.bundled()


def test_pieces_give_exactly_the_tokens_of_the_tokenizer(static):
    reference = Tokenizer.from_file(str(TOKENIZER))
    for text in SAMPLES:
        expected = reference.encode(text, add_special_tokens=False).ids
        assert [i for piece in static._encoded_pieces(text) for i in piece] == expected
        assert static.count_tokens(text) == len(expected)


def test_a_row_is_the_mean_of_the_token_vectors_at_length_one(static):
    table = load_file(WEIGHTS)["embedding.weight"].astype(np.float64)
    ids = Tokenizer.from_file(str(TOKENIZER)).encode("refund policy", add_special_tokens=False).ids
    mean = table[ids].mean(axis=0)
    assert np.allclose(static.embed(["refund policy"])[0], mean / np.linalg.norm(mean), atol=1e-6)


def test_text_that_spells_a_control_token_is_text(static):
    assert static.count_tokens("<s>") > 1


def test_the_package_itself_is_never_imported():
    assert "wordllama" not in sys.modules


def test_the_id_names_model_file_limit_and_pooling(static):
    parts = [hashlib.sha256(file.read_bytes()).digest() for file in (WEIGHTS, TOKENIZER)]
    digest = hashlib.sha256(b"".join(parts)).hexdigest()[:12]
    assert static.id == f"wordllama-l2-supercat/sha256:{digest}/max:512/mean"
    assert StaticEmbedder.bundled(max_tokens=256).id != static.id


def test_threads_get_the_same_bits(static):
    with ThreadPoolExecutor(4) as pool:
        rows = list(pool.map(lambda _: static.embed(SAMPLES[:5]), range(8)))
    assert all(np.array_equal(rows[0], row) for row in rows)


def test_missing_and_damaged_files_are_configuration_errors_that_name_the_file(tmp_path):
    with pytest.raises(ConfigError, match="absent"):
        StaticEmbedder(tmp_path / "absent", TOKENIZER)
    (tmp_path / "cut.safetensors").write_bytes(WEIGHTS.read_bytes()[:1000])
    with pytest.raises(ConfigError, match=r"cut\.safetensors"):
        StaticEmbedder(tmp_path / "cut.safetensors", TOKENIZER)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ConfigError, match=r"tokenizer\.json"):
        StaticEmbedder(WEIGHTS, tmp_path / "tokenizer.json")
