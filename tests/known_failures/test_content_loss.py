"""CONTENT-LOSS: text lost in parsing, extraction, chunking or embedding."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from include.domain.documents import Chunk, ExtractedDocument
from include.domain.manifest import DocumentState, RunState
from include.domain.plan import HoldReason
from include.embedding.static import StaticEmbedder
from include.text.chunk import chunk
from tests.connector_sources import GitRepository, Reply
from tests.known_failures.site import EditableCms, Site, filled, names, served


@cache
def embedder() -> StaticEmbedder:
    return StaticEmbedder.bundled()


def cut(document: ExtractedDocument) -> tuple[Chunk, ...]:
    return chunk(document, max_tokens=256, count_tokens=embedder().count_tokens)


def handbook(tmp_path: Path, files: dict[str, Any], fillers: int = 20, **parts: Any) -> tuple[GitRepository, Site]:
    """A repository with these files among others that are all right."""
    every = {f"filler/{number}.md": f"# Filler {number}\n\nText {number}.\n" for number in range(fillers)}
    repository = GitRepository.create(tmp_path / "r")
    repository.commit(every | files)
    return repository, Site.of_git(repository.folder, tmp_path, **parts)


@pytest.mark.parametrize(
    "opening", ["\n---\n", "\n\n  \n---\n", "\ufeff---\n", "\ufeff\n---\n", "---\r\n", "---  \n", "+++\n"], ids=repr
)
def test_cl_01_nothing_before_the_front_matter_makes_a_document_vanish_or_a_draft_public(
    opening: str, tmp_path: Path
) -> None:
    fields, fence = ('title = "T"\ndraft = {}\n', "+++") if "+++" in opening else ("title: T\ndraft: {}\n", "---")
    text = opening + fields + fence + "\n\nThe text itself.\n"
    _, site = handbook(tmp_path, {"public.md": text.format("false"), "draft.md": text.format("true")})
    manifest = site.night()
    assert manifest.state is RunState.TRUE
    assert manifest.documents == 21
    assert site.texts()["public.md"] == ["The text itself."]


def test_cl_01_documents_in_are_documents_out_and_listed_failures(tmp_path: Path) -> None:
    files = {
        "good.md": "fine\n",
        "empty.md": "",
        "binary.md": b"\x00\x01\x02\xff\xfe" * 300,
        "broken.md": "---\ntitle: [unclosed\n---\ntext\n",
        "pointer.md": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
        "latin.md": "Gr\xfc\xdfe aus K\xf6ln, ein ganzer Satz.\n".encode("latin-1"),
        "utf16.md": "wide text".encode("utf-16"),
    }
    repository, site = handbook(tmp_path, files)
    manifest = site.night()
    listed = [line for line in repository.git("ls-files").splitlines() if line]
    failed = {outcome.doc_id for outcome in manifest.outcomes if outcome.state is DocumentState.FAILED}
    assert failed | site.documents() == set(listed)
    assert failed.isdisjoint(site.documents())
    assert {"broken.md", "pointer.md"} <= failed
    assert {"good.md", "empty.md", "latin.md", "utf16.md"} <= site.documents()
    assert manifest.state is RunState.DEGRADED
    assert all(outcome.detail for outcome in manifest.outcomes if outcome.state is DocumentState.FAILED)


def test_cl_03_a_list_in_the_front_matter_spoils_no_other_field_and_makes_no_second_document(tmp_path: Path) -> None:
    page = "---\ntitle: Refunds\nid: refunds\ncanonical: https://example.org/refunds\n{}---\n\nMoney back.\n"
    repository, site = handbook(tmp_path, {"refunds.md": page.format("")})
    site.night()
    repository.commit({"refunds.md": page.format('authors: ["Team"]\ntags:\n  - a\n  - {b: c}\n')})
    assert site.night().state is RunState.TRUE
    payloads = [p.payload for p in site.store.points.values() if "refunds" in p.payload["doc_id"]]  # type: ignore[attr-defined]
    assert [(payload["doc_id"], payload["title"]) for payload in payloads] == [("refunds.md", "Refunds")]
    assert len(site.documents()) == 21


def test_cl_04_the_last_sentence_of_a_section_of_three_thousand_tokens_is_found(tmp_path: Path) -> None:
    words = " ".join(f"Paragraph {number} speaks at length about shipping pallets by sea." for number in range(230))
    fact = "The spare key of the Zanzibar warehouse hangs behind the blue kettle."
    text = f"# Shipping\n\n{words} {fact}\n"
    assert embedder().count_tokens(text) > 3000
    _, site = handbook(tmp_path, {"shipping.md": text}, embedder=embedder(), chunk=cut)
    site.night()
    texts = site.texts()["shipping.md"]
    assert max(map(embedder().count_tokens, texts)) <= 256
    assert squeezed(" ".join(texts)) == squeezed(text)
    with site.store.reading() as index:
        found = index.search(embedder().embed(["Where is the spare key of the Zanzibar warehouse?"])[0], limit=3)
    assert any(fact in str(hit.payload["text"]) for hit in found)


def test_cl_04_a_fact_at_the_end_of_every_section_is_in_some_chunk_whole(tmp_path: Path) -> None:
    sections = [
        f"## Section {number}\n\n" + "More about nothing in particular. " * (number * 9) + f"Fact {number} is here.\n"
        for number in range(12)
    ]
    _, site = handbook(tmp_path, {"long.md": "# Long\n\n" + "\n".join(sections)}, embedder=embedder(), chunk=cut)
    site.night()
    texts = site.texts()["long.md"]
    for number in range(12):
        assert any(f"Fact {number} is here." in text for text in texts)


def test_cl_07_comments_and_rules_inside_a_fence_are_no_headings(tmp_path: Path) -> None:
    fence = "```sh\n# install\nmake\n---\n# configure\n./configure\n===\n```\n"
    padding = "\n\n".join(["A sentence that takes room."] * 40)
    text = f"# Guide\n\n{padding}\n\n## Setup\n\n{padding}\n\n{fence}\n{padding}\n\n## Use\n\n{padding}\n"
    _, site = handbook(tmp_path, {"guide.md": text}, embedder=embedder(), chunk=cut)
    site.night()
    payloads = [p.payload for p in site.store.points.values() if p.payload["doc_id"] == "guide.md"]  # type: ignore[attr-defined]
    assert {payload["heading_path"] for payload in payloads} <= {"Guide", "Guide > Setup", "Guide > Use"}
    assert any(fence.strip() in payload["text"] for payload in payloads), "the fence stays whole"


def test_cl_09_a_consent_notice_in_place_of_many_pages_is_held_and_the_good_texts_stay() -> None:
    cms = EditableCms(names(30))
    with served(cms) as site:
        site.night()
        before = site.texts()
        consent = "We use cookies. Please accept them to read on. " * 6
        cms.texts = dict.fromkeys(names(4), consent)
        manifest = site.night()
        assert manifest.state is RunState.HELD
        assert {hold.reason for hold in manifest.holds} == {HoldReason.SAME_TEXT}
        assert site.texts() == before
        cms.texts = {}
        assert site.night().state is RunState.TRUE


def test_cl_09_the_same_notice_by_day_is_left_to_the_night() -> None:
    source, site = filled(30)
    for number in range(4):
        source.put(f"page-{number:03}", "We use cookies. Please accept them to read on.")
    manifest = site.day()
    assert manifest.count(DocumentState.HELD) == 4
    assert site.texts()["page-000"] == ["page 0", "about thing 0"]


WITHOUT_TEXT = ["", "   \n", "<script>consent()</script>", "<!-- -->", "<div id=onetrust-consent-sdk>Accept</div>"]


@pytest.mark.parametrize("body", WITHOUT_TEXT)
def test_cl_09_a_page_without_any_text_left_keeps_its_last_good_version(body: str) -> None:
    cms = EditableCms(names(30), texts={doc_id: f"<p>text of {doc_id}</p>" for doc_id in names(30)})
    page = {"path": "page/{id}", "body_format": "html", "fields": {"body": "body", "title": "title"}}
    with served(cms, page=page) as site:
        site.night()
        before = site.texts()["d0003"]
        cms.texts["d0003"] = body
        manifest = site.night()
        assert manifest.count(DocumentState.FAILED) == 1
        assert site.texts()["d0003"] == before


@pytest.mark.parametrize("field", ["publishDate", "expiryDate"])
def test_cl_12_one_impossible_date_fails_one_document_of_many_and_deletes_nothing(field: str, tmp_path: Path) -> None:
    repository, site = handbook(tmp_path, {"dated.md": "---\ntitle: T\n---\n\nThe good text.\n"}, fillers=60)
    site.night()
    repository.commit({"dated.md": f"---\ntitle: T\n{field}: 2024-02-30\n---\n\nAnother text.\n"})
    manifest = site.night()
    assert manifest.state is RunState.DEGRADED
    assert [(o.doc_id, o.state) for o in manifest.outcomes] == [("dated.md", DocumentState.FAILED)]
    assert site.texts()["dated.md"] == ["The good text."]
    assert len(site.documents()) == 61


@pytest.mark.parametrize("date", ["2024-02-30", "30/02/2024", "yesterday", "0000-00-00", "[1]", "{a: b}"])
def test_cl_12_an_impossible_date_that_hides_nothing_costs_the_date_and_not_the_document(
    date: str, tmp_path: Path
) -> None:
    _, site = handbook(tmp_path, {"dated.md": f"---\ntitle: T\ncreated: {date}\n---\n\nThe text.\n"})
    assert site.night().state is RunState.TRUE
    assert site.texts()["dated.md"] == ["The text."]


def test_a_page_that_answers_not_found_with_200_is_held_when_many_do() -> None:
    cms = EditableCms(names(40))
    with served(cms) as site:
        site.night()
        cms.texts = dict.fromkeys(names(6), "Page not found. Try the search.")
        assert site.night().state is RunState.HELD
        cms.texts, cms.broken = {}, dict.fromkeys(names(6), Reply(200, b"<html>Not found</html>", "text/html"))
        assert site.night().outcomes == (), "what did not change is not read"


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)
