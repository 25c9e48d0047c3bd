"""Sixty-seven files that real projects published: each becomes text or is listed with a reason."""

from __future__ import annotations

import base64
import gzip
import json
import re
import unicodedata
from datetime import UTC, datetime
from pathlib import Path

import pytest

from include.domain.documents import DocumentKey, FetchedDocument
from include.domain.errors import DocumentUnreadable
from include.embedding.static import StaticEmbedder
from include.text.chunk import chunk
from include.text.normalise import extract

FILE = Path(__file__).parents[3] / "shared/data/messy/messy.jsonl"
MEDIA_TYPES = {".md": "text/markdown", ".rst": "text/x-rst", ".html": "text/html"}
UNREADABLE = {
    "empty file": "hold no text",
    "white space only": "hold no text",
    "front matter is broken YAML": "does not parse",
    "front matter never closed": "never closed",
    "LFS pointer or path as content": "symbolic link",
}


def examples() -> list[dict[str, str]]:
    if not FILE.exists():
        return []
    rows = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if "gz_b64" in row]


def words(text: str) -> set[str]:
    composed = unicodedata.normalize("NFC", re.sub("[\u00ad\u200b\ufeff]", "", text))
    return {word for word in re.findall(r"[^\W\d_]{4,}", composed) if word.isascii()}


def without_front_matter(body: bytes) -> str:
    text = body.decode("utf-8-sig", "replace").replace("\r", "")
    return re.sub(r"\A\s*(---|\+\+\+)[ ]*\n.*?\n\1[ ]*\n", "", text, flags=re.DOTALL)


@pytest.fixture(scope="module")
def static() -> StaticEmbedder:
    return StaticEmbedder.bundled()


@pytest.mark.skipif(not FILE.exists(), reason=f"the awkward files are not here ({FILE})")
@pytest.mark.parametrize("row", examples(), ids=lambda row: f"{row['id']} {row['feature']}")
def test_an_awkward_file_is_extracted_whole_or_unreadable_with_a_reason(row, static):
    body = gzip.decompress(base64.b64decode(row["gz_b64"]))
    media_type = MEDIA_TYPES.get(Path(row["path"]).suffix, "text/plain")
    fetched = FetchedDocument(
        DocumentKey("messy", row["path"]), "1", body, media_type, "", datetime(2026, 1, 1, tzinfo=UTC)
    )
    if row["feature"] in UNREADABLE:
        with pytest.raises(DocumentUnreadable, match=UNREADABLE[row["feature"]]):
            extract(fetched)
        return
    document = extract(fetched)
    if media_type != "text/html":  # a page loses its menu; a file loses its front matter and markup only
        lost = words(without_front_matter(body)) - words(document.text) - {"code", "block"}
        assert len(lost) <= 0.005 * len(words(document.text)), sorted(lost)[:20]
    assert not re.search("[\0\r\u200b\u202a-\u202e\ufeff\u00a0]", document.text)
    cut = chunk(document, max_tokens=static.max_tokens, count_tokens=static.count_tokens)
    assert re.sub(r"\s+", "", "".join(c.text for c in cut)) == re.sub(r"\s+", "", document.text)
    assert max(static.count_tokens(c.text) for c in cut) <= static.max_tokens
