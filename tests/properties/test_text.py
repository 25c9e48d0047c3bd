from __future__ import annotations

import re
from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from include.domain.documents import DocumentKey, FetchedDocument
from include.domain.errors import DocumentUnreadable
from include.text.chunk import chunk
from include.text.encoding import decode, normalise
from include.text.normalise import MEDIA_TYPES, extract
from tests.fakes.embedder import FakeEmbedder

# Building blocks that meet at the places where parsers differ.
PARTS = st.sampled_from(
    [
        "# A",
        "## B",
        "### C",
        "Title\n===",
        "Sub\n---",
        "---",
        "```",
        "```py",
        "~~~~",
        "````",
        "<!--",
        "-->",
        "> quote",
        "- item",
        "1. item",
        "| a | b |",
        "|---|---|",
        "    code",
        "\tcode",
        "# ",
        "#",
        "====",
        "::",
        ".. code::",
        "+++",
        "{",
        "import x from 'y'",
        "export const a = 1",
        "<Tab>",
        "</Tab>",
        "<p>",
        "</p>",
        "<main>",
        "<pre>",
        "<table><tr><td>",
        "",
        " ",
        "\u00a0",
        "\u200b",
        "\ufeff",
        "\r",
        "\x0c",
        "\x00",
        "\u2028",
        "e\u0301",
        "\u202e",
        "data:image/png;base64,",
        "A" * 70,
        "word " * 30,
        "日本語" * 10,
    ]
)
LINES = st.lists(PARTS | st.text(max_size=12), max_size=25)
TEXTS = st.builds(lambda lines, end: end.join(lines), LINES, st.sampled_from(["\n", "\r\n", "\n\n", " "]))


@given(st.text() | TEXTS)
def test_normalising_normalised_text_changes_nothing(text):
    once = normalise(text)
    assert normalise(once) == once


CHARSETS = st.none() | st.sampled_from(["utf-8", "latin-1", "utf-16", "shift_jis", "x", "hex", "rot13"])
ONLY_A_MARK = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")


@given(st.binary(max_size=400), CHARSETS)
def test_bytes_are_decoded_or_refused_with_a_reason_and_never_dropped(body, charset):
    try:
        text = decode(body, declared=charset)
    except ValueError as error:
        text = str(error)
    assert bool(text) == (bool(body) and body not in ONLY_A_MARK)


@given(TEXTS | st.binary(max_size=200), st.sampled_from(MEDIA_TYPES))
def test_a_document_is_extracted_or_unreadable_and_nothing_else(body, media_type):
    body = body if isinstance(body, bytes) else body.encode("utf-8", "surrogatepass")
    fetched = FetchedDocument(DocumentKey("s", "d"), "1", body, media_type, "", datetime(2026, 1, 1, tzinfo=UTC))
    try:
        document = extract(fetched)
    except DocumentUnreadable as error:
        reason = str(error)
    else:
        assert document.text.strip()
        assert document.title
        assert normalise(document.text) == document.text
        assert extract(fetched) == document
        return
    assert reason.startswith("s:d: ")


@settings(max_examples=300)
@given(TEXTS, st.integers(4, 80))
def test_chunks_hold_the_whole_text_in_order_within_the_limit_whatever_it_is(text, max_tokens):
    text = normalise(text)
    fetched = FetchedDocument(
        DocumentKey("s", "d"), "1", (text or "x").encode(), "text/plain", "", datetime(2026, 1, 1, tzinfo=UTC)
    )
    try:
        document = extract(fetched)
    except DocumentUnreadable:
        return
    count = FakeEmbedder().count_tokens
    cut = chunk(document, max_tokens=max_tokens, count_tokens=count)
    assert cut
    assert [c.index for c in cut] == list(range(len(cut)))
    assert all(c.text.strip() and count(c.text) <= max_tokens for c in cut)
    assert re.sub(r"\s+", "", "".join(c.text for c in cut)) == re.sub(r"\s+", "", document.text)
    assert chunk(document, max_tokens=max_tokens, count_tokens=count) == cut
