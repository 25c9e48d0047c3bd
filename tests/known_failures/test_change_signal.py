"""CHANGE-SIGNAL: change detection that fires too often or too seldom."""

from __future__ import annotations

import pytest

from include.domain.manifest import DocumentState, RunState
from tests.connector_sources import Reply, Request, http_server, model_options
from tests.fakes.source import FakeSource
from tests.known_failures.site import EditableCms, Site, filled, names


def page(night: int, text: str = "<h1>Refunds</h1><p>Money comes back within <b>30</b> days.</p>") -> str:
    """An article as a template engine renders it: other noise every night, the same text."""
    return (
        f"<!doctype html><html><head><meta name=build content='{night}'><title>Refunds</title>"
        f"<script nonce='n{night}'>var t={night};</script><style>.c{night}{{}}</style></head><body>"
        f"<!-- rendered {night} --><main class='c{night}' data-views='{night * 7}'>{text}</main>"
        f"<script src='/a.js?v={night}'></script></body></html>"
    )


def noisy_source(night: int) -> FakeSource:
    source = FakeSource()
    for number in range(20):
        source.put(f"page-{number}", page(night, f"<h1>Page {number}</h1><p>Text of page {number}.</p>"),
                   media_type="text/html")  # fmt: skip
    return source


def test_cs_01_noise_in_every_page_changes_no_text_embeds_nothing_and_holds_nothing() -> None:
    source = noisy_source(0)
    site = Site.of(source)
    site.night()
    texts, embedded = site.texts(), len(site.embedder.embedded)
    for night in range(1, 4):
        for doc_id in list(source.pages):
            number = int(doc_id.removeprefix("page-"))
            source.put(
                doc_id, page(night, f"<h1>Page {number}</h1><p>Text of page {number}.</p>"), media_type="text/html"
            )
        manifest = site.night()
        assert manifest.state is RunState.TRUE, "not held as a mass update"
        assert {outcome.state for outcome in manifest.outcomes} == {DocumentState.REFRESHED}
    assert site.texts() == texts
    assert len(site.embedder.embedded) == embedded


def test_cs_01_the_same_pages_twice_are_no_change_at_all() -> None:
    site = Site.of(noisy_source(0))
    site.night()
    before = site.chunks()
    assert site.night().outcomes == ()
    assert site.chunks() == before


@pytest.mark.parametrize("body", ["a  text\n", "a text", "\ufeffa text\n\n\n", "a text   \r\n"])
def test_cs_01_white_space_and_line_ends_are_no_change_of_text(body: str) -> None:
    source, site = filled(20)
    source.put("page-003", "a text")
    site.night()
    embedded = len(site.embedder.embedded)
    source.put("page-003", body)
    manifest = site.night()
    assert manifest.state is RunState.TRUE
    assert len(site.embedder.embedded) - embedded == (1 if "a  text" in body else 0)


@pytest.mark.parametrize("part", ["chunker", "extractor", "embedder settings"])
def test_cs_04_another_pipeline_makes_every_document_anew_although_no_version_moved(part: str) -> None:
    _, site = filled(20)
    versions = {chunk.doc_version for chunk in site.chunks()}
    site.pipeline = f"with another {part}"
    manifest = site.night()
    assert manifest.state is RunState.TRUE
    assert manifest.found is not None
    assert manifest.found.outdated == 20
    assert {chunk.pipeline for chunk in site.chunks()} == {site.pipeline}
    assert {chunk.doc_version for chunk in site.chunks()} == versions
    assert len(site.chunks()) == 40


def test_cs_06_a_new_template_embeds_nothing_and_brings_the_citation_up_to_date() -> None:
    """5,000 pages in small: every version token and address changes, no text does."""
    cms = EditableCms(names(60))
    address, release = ["/old/"], ["1"]

    def answer(request: Request) -> Reply:
        reply = cms.answer(request)
        doc_id = request.path.removeprefix("/page/")
        if doc_id in cms.ids:
            return Reply.of(
                {"id": doc_id, "v": cms.version(doc_id), "body": page(int(release[0]), f"<p>Text of {doc_id}</p>"),
                 "title": f"Title {release[0]}", "url": f"https://example.org{address[0]}{doc_id}"}
            )  # fmt: skip
        return reply

    with http_server(answer) as url:
        options = model_options(url, cms)
        options["page"] |= {"body_format": "html"}
        options["page"]["fields"] |= {"url": "url"}
        site = Site.of_http(options)
        site.night()
        embedded = len(site.embedder.embedded)
        address[0], release[0] = "/new/", "2"
        cms.texts = {doc_id: f"version two of {doc_id}" for doc_id in cms.ids}  # only moves the version token
        manifest = site.night()
        assert manifest.state is RunState.TRUE
        assert manifest.count(DocumentState.REFRESHED) == 60
        assert len(site.embedder.embedded) == embedded
        payloads = [point.payload for point in site.store.points.values()]  # type: ignore[attr-defined]
        assert all("/new/" in payload["url"] and payload["title"] == "Title 2" for payload in payloads)


def test_a_change_of_the_body_alone_is_seen_however_small() -> None:
    source, site = filled(20)
    source.put("page-003", "page 3\nabout thing 4")
    manifest = site.night()
    assert manifest.count(DocumentState.REPLACED) == 1
    assert site.texts()["page-003"] == ["page 3", "about thing 4"]
