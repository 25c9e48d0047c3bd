"""The output of this pipeline, pinned. Whoever changes it must raise a version, or stored chunks would be mixed."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

from include.domain.documents import DocumentKey, FetchedDocument
from include.text.chunk import CHUNKER_VERSION, chunk
from include.text.fingerprint import chunker_settings, current_fingerprint, pipeline_fingerprint
from include.text.normalise import EXTRACTOR_VERSION, extract
from tests.unit.test_text_normalise import PAGE, RST

MARKDOWN = (
    "---\ntitle: Sample\n---\n# One\n\nIntro *text*.\n\n## Two\n\n"
    + "A sentence of some words. " * 40
    + "\n\n```sh\n# not a heading\nrun\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
    "## Three\n\nshort\n\n### Four\n\nend\n"
)
MDX = "import A from 'a'\n\n<A title=\"Shown\">\n\nwords\n\n</A>\n"


def outputs() -> tuple[str, str]:
    samples = [
        ("text/markdown", MARKDOWN),
        ("text/mdx", MDX),
        ("text/x-rst", RST),
        ("text/plain", "a\r\n\r\nb"),
        ("text/html", PAGE.format(nonce="n", main="main")),
    ]
    now = datetime(2026, 1, 1, tzinfo=UTC)
    documents = [
        extract(FetchedDocument(DocumentKey("golden", "d"), "1", body.encode(), media_type, "", now))
        for media_type, body in samples
    ]
    texts = "\x1f".join(document.content_hash for document in documents)
    cuts = "\x1f".join(
        piece.chunk_hash + piece.heading_path
        for document in documents
        for piece in chunk(document, max_tokens=60, count_tokens=lambda text: len(text.split()) + 1)
    )
    return hashlib.sha256(texts.encode()).hexdigest()[:16], hashlib.sha256(cuts.encode()).hexdigest()[:16]


def test_a_changed_output_comes_with_a_raised_version():
    """When this fails: raise EXTRACTOR_VERSION or CHUNKER_VERSION, then pin what it says."""
    assert (EXTRACTOR_VERSION, CHUNKER_VERSION, *outputs()) == ("1", "1", "e6b5a24fa70b914f", "f3c2f647dae95ea4")


def test_every_part_of_the_pipeline_changes_the_fingerprint():
    settings = chunker_settings(256)
    base = pipeline_fingerprint("1", settings, "model-a")
    others = {
        pipeline_fingerprint("2", settings, "model-a"),
        pipeline_fingerprint("1", settings, "model-b"),
        *(pipeline_fingerprint("1", {**settings, name: "other"}, "model-a") for name in settings),
    }
    assert base not in others
    assert len(others) == 2 + len(settings)
    assert base == pipeline_fingerprint("1", dict(reversed(settings.items())), "model-a")


def test_the_current_fingerprint_is_short_and_follows_limit_and_embedder():
    one = current_fingerprint(max_tokens=256, embedder_id="e")
    assert len(one) == 16
    assert one != current_fingerprint(max_tokens=512, embedder_id="e")
    assert one != current_fingerprint(max_tokens=256, embedder_id="f")
