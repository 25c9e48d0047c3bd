"""RACE: concurrency, resurrection and stale reads. Newest wins, deleted stays deleted, never a mix.

Every interleaving of the writers is enumerated elsewhere; here are the orders that went wrong in real systems.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from include.domain.manifest import DocumentState, RunState
from tests.builders import day, night
from tests.connector_sources import Reply
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.source import FakeSource
from tests.known_failures.site import EditableCms, Site, filled, names, served


class SlowEmbedder(FakeEmbedder):
    """Calls `meanwhile` once, before it embeds the next text that holds `trigger`."""

    trigger = "\0"
    meanwhile: Callable[[], object] = staticmethod(lambda: None)

    def embed(self, texts: Sequence[str]):
        if any(self.trigger in text for text in texts):
            meanwhile, self.trigger = self.meanwhile, "\0"
            meanwhile()
        return super().embed(texts)


def busy_site(pages: int = 20) -> tuple[FakeSource, Site, SlowEmbedder]:
    embedder = SlowEmbedder()
    source, site = filled(pages, embedder=embedder)
    return source, site, embedder


def test_rc_01_an_ingest_that_began_before_a_removal_and_ends_after_it_does_not_bring_the_document_back() -> None:
    source, site, embedder = busy_site()
    source.put("page-003", "version two")

    def removal() -> None:
        source.delete("page-003")
        assert night(site.context(), "the-night").count(DocumentState.DELETED) == 1

    embedder.trigger, embedder.meanwhile = "version two", removal
    manifest = site.day("page-003")
    assert manifest.count(DocumentState.WITHDRAWN) == 1
    assert "page-003" not in {chunk.doc_id for chunk in site.chunks()}
    assert site.night().outcomes == ()


def test_rc_01_a_document_that_was_published_again_after_its_removal_comes_back() -> None:
    source, site, _ = busy_site()
    source.delete("page-003")
    site.night()
    source.put("page-003", "published again")
    assert site.day("page-003").count(DocumentState.CREATED) == 1
    assert site.texts()["page-003"] == ["published again"]


@pytest.mark.parametrize("inner", ["day", "night"])
def test_rc_02_two_runs_over_one_document_end_with_the_version_that_was_read_last(inner: str) -> None:
    source, site, embedder = busy_site()
    source.put("page-003", "version two\nwith a second line")

    def other_run() -> None:
        source.put("page-003", "version three")
        if inner == "day":
            day(site.context(), "inner", doc_ids=["page-003"])
        else:
            night(site.context(), "inner")

    embedder.trigger, embedder.meanwhile = "version two", other_run
    site.night()
    assert site.texts()["page-003"] == ["version three"]
    assert len([chunk for chunk in site.chunks() if chunk.doc_id == "page-003"]) == 1
    assert site.night().state is RunState.TRUE


def test_rc_02_the_slower_run_that_read_later_wins_over_the_faster_one_that_read_before() -> None:
    source, site, _ = busy_site()
    old = site.context()
    source.put("page-003", "version two")
    first = old.connector.fetch("page-003")
    source.put("page-003", "version three")
    site.day("page-003")
    [outcome] = old.writer.write([old.read(first)])
    assert outcome.state is DocumentState.WITHDRAWN
    assert site.texts()["page-003"] == ["version three"]


def test_rc_05_two_names_of_one_page_are_two_documents_and_never_lock_each_other_out() -> None:
    """There is no lock by path to bypass: old and new slug are ids of their own, and the old one goes by plan."""
    source, site, embedder = busy_site()
    body = source.pages["page-003"].body

    def move() -> None:
        source.delete("page-003")
        source.put("page-003-renamed", body)
        night(site.context(), "move")

    source.put("page-003", "edited before the move")
    embedder.trigger, embedder.meanwhile = "edited before", move
    site.day("page-003")
    site.night()
    texts = site.texts()
    assert "page-003" not in texts
    assert texts["page-003-renamed"] == body.decode().splitlines()


def test_rc_07_a_cache_that_lags_behind_the_list_is_asked_again_and_its_old_text_is_never_current() -> None:
    t1, t2 = "2026-02-01T00:00:00Z", "2026-02-02T00:00:00Z"

    class Lagging(EditableCms):
        listed = shown = t1

        def answer(self, request):
            reply = super().answer(request)
            if request.path == "/page/d0003":
                text = "old text" if self.shown == t1 else "new text"
                return Reply.of({"id": "d0003", "v": self.shown, "body": text, "title": "t"})
            return reply

        def version(self, doc_id: str) -> str:
            return self.listed if doc_id == "d0003" else t1

    cms = Lagging(names(20))
    with served(cms) as site:
        site.night()
        assert site.texts()["d0003"] == ["old text"]
        cms.listed = t2
        for _ in range(2):
            manifest = site.night()
            assert manifest.state is RunState.DEGRADED
            assert manifest.count(DocumentState.FAILED) == 1
            assert {chunk.doc_version for chunk in site.chunks() if chunk.doc_id == "d0003"} == {t1}
        cms.shown = t2
        assert site.night().state is RunState.TRUE
        assert site.texts()["d0003"] == ["new text"]


def test_rc_10_a_retry_that_starts_while_the_first_call_completes_leaves_each_chunk_once() -> None:
    source, site, embedder = busy_site()
    source.put("page-003", "one\ntwo\nthree")
    embedder.trigger = "two"
    embedder.meanwhile = lambda: day(site.context(), "retry", doc_ids=["page-003"])
    site.day("page-003")
    assert site.texts()["page-003"] == ["one", "two", "three"]
    assert len(site.chunks()) == 19 * 2 + 3
    again = site.day("page-003", force=True)
    assert len(site.chunks()) == 19 * 2 + 3
    assert sum(outcome.embedded for outcome in again.outcomes) == 0
