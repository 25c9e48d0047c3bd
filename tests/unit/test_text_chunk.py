from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from include.domain.documents import DocumentKey, ExtractedDocument
from include.domain.errors import ConfigError
from include.embedding.static import StaticEmbedder
from include.text.chunk import chunk
from tests.fakes.embedder import FakeEmbedder


def document(text: str) -> ExtractedDocument:
    return ExtractedDocument(
        key=DocumentKey("handbook", "page.md"),
        version="1",
        fetched_at=datetime(2026, 1, 1, tzinfo=UTC),
        text=text,
        content_hash="",
        title="Page",
        url="",
        content_type="page",
        lang=None,
        created_at=None,
        updated_at=None,
        effective_date=None,
        expires_at=None,
    )


def chunks(text: str, max_tokens: int = 64):
    return chunk(document(text), max_tokens=max_tokens, count_tokens=FakeEmbedder().count_tokens)


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def sections(count: int, words: int = 40) -> list[str]:
    return [f"## Section {n}\n\n" + " ".join(f"word{n}x{w}" for w in range(words)) + ".\n" for n in range(count)]


@pytest.fixture(scope="module")
def static() -> StaticEmbedder:
    return StaticEmbedder.bundled()


def test_a_fact_in_the_last_sentence_of_a_long_section_is_in_a_chunk_the_embedder_takes_whole(static):
    talk = "The parties agree on many things, at length and in detail. " * 250
    text = f"# Terms\n\n{talk}The fee is 4711 crowns."
    assert static.count_tokens(text) > 3000
    cut = chunk(document(text), max_tokens=static.max_tokens, count_tokens=static.count_tokens)
    assert "The fee is 4711 crowns." in cut[-1].text
    assert max(static.count_tokens(c.text) for c in cut) <= static.max_tokens
    assert all(c.heading_path == "Terms" for c in cut)
    static.embed([c.text for c in cut])


def test_heading_paths_ignore_fences_and_comments():
    filler = "words " * 60
    fence, comment = "```sh\n# install\n---\n```", "<!--\n# C\n-->"
    text = "\n\n".join(["# A", filler, fence, filler, "## B", filler, comment, filler])
    assert {c.heading_path for c in chunks(text)} == {"A", "A > B"}


def test_a_heading_after_an_unclosed_fence_belongs_to_the_fence():
    text = "# A\n\n```\n# b\n\n## c\n\n" + "code " * 200
    assert {c.heading_path for c in chunks(text)} == {"A"}


def test_heading_levels_that_jump_and_return_give_the_path_of_the_text():
    filler = "words " * 50
    text = "\n\n".join(f"{heading}\n\n{filler}" for heading in ("# A", "### B", "## C", "# D"))
    assert [c.heading_path for c in chunks(text, max_tokens=110)] == ["A", "A > B", "A > C", "D"]


def test_an_edit_leaves_the_chunks_of_all_other_sections_alone():
    parts = sections(30)
    before = chunks("# Page\n\n" + "".join(parts), max_tokens=200)
    parts[7] = parts[7].replace("word7x3 ", "another sentence stands here now, longer ")
    after = chunks("# Page\n\n" + "".join(parts), max_tokens=200)
    changed = {c.chunk_hash for c in after} - {c.chunk_hash for c in before}
    assert len(before) >= 30
    assert len(changed) == 1


def test_sections_of_middling_size_are_not_joined_so_that_none_moves_when_another_grows():
    parts = sections(30, words=12)
    before = chunks("# Page\n\n" + "".join(parts), max_tokens=200)
    parts[3] = parts[3].replace("word3x3 ", "another sentence stands here now and makes it longer ")
    after = chunks("# Page\n\n" + "".join(parts), max_tokens=200)
    assert len({c.chunk_hash for c in after} - {c.chunk_hash for c in before}) == 1
    assert len(before) >= 30


def test_a_deleted_section_takes_only_its_own_chunks_with_it():
    parts = sections(30)
    before = {c.chunk_hash for c in chunks("# Page\n\n" + "".join(parts), max_tokens=200)}
    after = {c.chunk_hash for c in chunks("# Page\n\n" + "".join(parts[:11] + parts[12:]), max_tokens=200)}
    assert after < before
    assert len(before - after) == 1


def test_small_sections_share_a_chunk_and_never_leave_their_parent():
    text = "# P\n\n" + "".join(f"## S{n}\n\nshort\n\n" for n in range(4)) + "# Q\n\n" + "words " * 100
    cut = chunks(text)
    assert cut[0].heading_path == "P"
    assert "S0" in cut[0].text
    assert "S3" in cut[0].text
    assert all(c.heading_path == "Q" for c in cut[1:])


def test_rows_and_statements_are_not_cut_inside_a_line():
    rows = "".join(f"| row {n} | a value. Of two sentences {n} |\n" for n in range(200))
    table = f"| name | value |\n|---|---|\n{rows}"
    prose = "".join(f"Line {n} has `code {n}` and a [link](x{n}) and ends in\n" for n in range(60))
    statements = "".join(f"call_{n}(a=1)  # Why. Because.\n    // {{{{index .Flags}}}} x. Next\n" for n in range(60))
    code = f"```go\n{statements}```\n"
    text = f"# T\n\n{table}\n{code}\n{prose}"
    lines = set(text.split("\n"))
    assert all(set(c.text.split("\n")) <= lines for c in chunks(text))


@pytest.mark.parametrize("text", ["x" * 100_000, "word " * 20_000, "日本語" * 5_000, "é𝒳\u0301" * 3_000])
def test_a_line_longer_than_the_limit_is_split_hard_and_whole(text, static):
    cut = chunk(document(text), max_tokens=128, count_tokens=static.count_tokens)
    assert max(static.count_tokens(c.text) for c in cut) <= 128
    assert squeezed("".join(c.text for c in cut)) == squeezed(text)


@pytest.mark.parametrize("text", ["x", "# Only a heading", "---", "```", "    code"])
def test_the_shortest_document_has_a_chunk(text):
    assert [c.text for c in chunks(text)] == [text]


def test_a_character_that_no_chunk_can_hold_is_an_error():
    with pytest.raises(ConfigError, match="one character"):
        chunk(document("abc"), max_tokens=3, count_tokens=lambda text: len(text) * 4)


def test_two_documents_with_one_paragraph_have_each_a_chunk_of_it():
    assert (
        chunks("Disclaimer.")[0].chunk_hash
        == chunk(
            replace(document("Disclaimer."), key=DocumentKey("handbook", "other")),
            max_tokens=64,
            count_tokens=FakeEmbedder().count_tokens,
        )[0].chunk_hash
    )
