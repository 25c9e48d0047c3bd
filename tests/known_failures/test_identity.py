"""IDENTITY: one document with two ids, or two with one."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

import pytest

from include.domain.documents import DocumentKey, Presence
from include.domain.manifest import DocumentState, RunState
from include.domain.selection import Selector
from tests.builders import line_chunks
from tests.connector_sources import GitRepository, Reply, Request, http_server, model_options
from tests.fakes.source import FakeSource
from tests.known_failures.site import EditableCms, Site, filled

DISCLAIMER = "this is no legal advice"


def test_id_01_a_paragraph_that_two_pages_share_survives_the_removal_of_one_of_them() -> None:
    source, site = filled(20)
    source.put("a", f"only in a\n{DISCLAIMER}")
    source.put("b", f"only in b\n{DISCLAIMER}")
    site.night()
    source.delete("a")
    site.night()
    assert site.texts()["b"] == ["only in b", DISCLAIMER]
    vector = site.embedder.embed([DISCLAIMER])[0]
    with site.store.reading() as index:
        best = index.search(vector, limit=1)[0]
    assert (best.payload["doc_id"], best.payload["text"]) == ("b", DISCLAIMER)


def test_id_01_identical_twins_are_two_documents_with_their_own_citations() -> None:
    source, site = filled(20)
    source.put("a", "the very same text")
    source.put("b", "the very same text")
    site.night()
    assert len([chunk for chunk in site.chunks() if chunk.text == "the very same text"]) == 2
    source.delete("b")
    site.night()
    assert site.texts()["a"] == ["the very same text"]


ODD_IDS = ["a b", "a%20b", "a+b", "A%20B", "a/b", "a?b=1", "a#b", "ä", "ä", "%", "日本", "a&b", "a;b", "a\\b"]


def test_id_04_list_fetch_probe_and_removal_mean_the_same_document_by_the_same_id() -> None:
    """Ids that differ only in escaping, case or Unicode form are different documents, and each is found by its own."""
    cms = EditableCms(["plain", *[f"filler-{number}" for number in range(30)]])

    def answer(request: Request) -> Reply:
        return cms.answer(Request(unquote(request.path), request.query, request.headers))

    with http_server(answer) as url:
        options = model_options(url, cms)
        options["page"]["path"] = "page/{id}"
        site = Site.of_http(options)
        site.night()
        for odd in ODD_IDS:
            cms.ids.append(odd)
        manifest = site.night()
        assert manifest.state is RunState.TRUE, [o.detail for o in manifest.outcomes if o.detail]
        assert site.documents() == set(cms.ids)
        for odd in ODD_IDS:
            context = site.context()
            context.connector.list_documents()
            assert context.connector.fetch(odd).key == DocumentKey("cms", odd)
            assert context.connector.probe(odd) is Presence.PRESENT
            cms.ids.remove(odd)
            assert context.connector.probe(odd) is Presence.GONE
            assert site.night().count(DocumentState.DELETED) == 1
            assert site.documents() == set(cms.ids)


def test_id_04_odd_file_names_of_a_repository_stay_apart_from_listing_to_removal(tmp_path: Path) -> None:
    files = {f"filler-{number}.md": f"# {number}\n" for number in range(40)}
    odd = ["a b.md", "a%20b.md", "A B.md", "caf\u00e9.md", "cafe\u0301.md", 'quote".md', "tab\there.md", "-dash.md"]
    repository = GitRepository.create(tmp_path / "r", files | {name: f"text of {name!r}\n" for name in odd})
    site = Site.of_git(repository.folder, tmp_path)
    assert site.night().state is RunState.TRUE
    assert len(site.documents()) == 48
    for name in odd:
        repository.git("rm", "--quiet", "--", name)
        repository.commit_all()
        assert site.night().count(DocumentState.DELETED) == 1
    assert site.documents() == set(files)


def test_id_06_a_page_that_moves_to_another_source_is_not_taken_from_its_new_owner() -> None:
    old, site = filled(20, name="a")
    body = old.pages["page-003"].body
    new = FakeSource("b")
    new.put("page-003", body)
    other = Site.of(
        new, store=site.store, clock=site.clock, ledger=site.ledger, manifests=site.manifests,
        removal_marks=site.removal_marks, embedder=site.embedder,
    )  # fmt: skip
    old.delete("page-003")
    other.night()
    assert site.night().count(DocumentState.DELETED) == 1
    assert other.texts()["page-003"] == body.decode().splitlines()
    assert other.night().outcomes == ()


@pytest.mark.parametrize("setting", ["user.name=T", "diff.renames=copies", "diff.relative=true", "diff.noprefix=true"])
def test_id_07_a_renamed_file_leaves_under_its_old_id_whatever_git_is_configured_to_show(
    setting: str, tmp_path: Path
) -> None:
    files = {f"docs/page-{number}.md": f"# Page {number}\n\nText of {number}.\n" for number in range(20)}
    repository = GitRepository.create(tmp_path / "r", files)
    repository.git("config", *setting.split("="))
    site = Site.of_git(repository.folder, tmp_path, chunk=line_chunks)
    site.night()
    embedded = len(site.embedder.embedded)
    repository.git("mv", "docs/page-3.md", "docs/renamed.md")
    repository.git("mv", "docs/page-4.md", "docs/PAGE-4.md")
    repository.commit_all()
    manifest = site.night()
    assert manifest.count(DocumentState.DELETED, DocumentState.CREATED) == 4
    assert {"docs/renamed.md", "docs/PAGE-4.md"} <= site.documents()
    assert site.documents().isdisjoint({"docs/page-3.md", "docs/page-4.md"})
    assert len(site.embedder.embedded) == embedded


@pytest.mark.parametrize("days", [0, 1, 30])
def test_id_09_a_document_that_comes_back_with_the_same_text_is_indexed_again(days: int) -> None:
    source, site = filled(20)
    body = source.pages["page-003"].body
    source.delete("page-003")
    site.night()
    site.clock.turn(days=days)
    source.put("page-003", body)
    assert site.run().count(DocumentState.CREATED) == 1
    assert site.texts()["page-003"] == body.decode().splitlines()
    with site.store.reading() as index:
        assert index.count(Selector(DocumentKey("handbook", "page-003"))) == 2


def test_a_reused_slug_is_the_same_document_with_another_text() -> None:
    source, site = filled(20)
    source.delete("page-003")
    source.put("page-003", "a wholly different page under the old address", version="v9")
    manifest = site.night()
    assert [outcome.state for outcome in manifest.outcomes] == [DocumentState.REPLACED]
    assert site.texts()["page-003"] == ["a wholly different page under the old address"]
