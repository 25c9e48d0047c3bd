"""WATERMARK: an incremental cursor that skips changes.

There is no cursor. Every run compares the whole listing with the whole index, so nothing has to be remembered between
runs, and nothing that was remembered can be wrong. Each case of a skipped change is shown not to happen.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from include.domain.manifest import DocumentState, RunState
from tests.connector_sources import Reply
from tests.fakes.records import FakeManifests
from tests.known_failures.site import EditableCms, filled, names, served

INCLUDE = Path(__file__).parents[2] / "include"


@pytest.mark.parametrize("fails", ["outage", "killed", "embedder"])
def test_wm_01_a_change_before_a_failed_night_is_picked_up_by_the_next_good_one(fails: str) -> None:
    source, site = filled(20)
    source.put("page-003", "changed at ten to two")
    embed = site.embedder.embed

    def broken(texts: object) -> object:
        raise KeyboardInterrupt if fails == "killed" else RuntimeError("no embedder")

    if fails == "outage":
        source.down = True
    else:
        site.embedder.embed = broken
    try:
        assert site.night().state is not RunState.TRUE
    except KeyboardInterrupt:
        assert fails == "killed"
    source.down, site.embedder.embed = False, embed
    source.put("page-004", "changed during the failed night")
    assert site.night().state is RunState.TRUE
    assert site.texts()["page-003"] == ["changed at ten to two"]
    assert site.texts()["page-004"] == ["changed during the failed night"]


def test_wm_01_what_the_runs_of_the_past_recorded_has_no_say_in_what_is_read() -> None:
    """Manifests lost, or a clock that was wrong for weeks: the next run sees the same changes."""
    source, site = filled(20)
    source.put("page-003", "changed")
    site.manifests = FakeManifests()
    site.clock.turn(days=-400)
    assert site.night().count(DocumentState.REPLACED) == 1
    assert site.texts()["page-003"] == ["changed"]


@pytest.mark.parametrize("moment", [2, 4, 6])
def test_wm_04_an_edit_while_the_list_is_being_read_is_seen_tonight_or_tomorrow(moment: int) -> None:
    cms = EditableCms(names(60))
    with served(cms, size=10) as site:
        site.night()

        def edit(cms: EditableCms) -> None:
            if cms.list_pages == first + moment:
                cms.texts["d0001"] = "edited behind the reader's back"

        first, cms.between = cms.list_pages, edit
        assert site.night().state in (RunState.TRUE, RunState.DEGRADED, RunState.UNPROVEN)
        cms.between = lambda cms: None
        assert site.night().state is RunState.TRUE
        assert site.texts()["d0001"] == ["edited behind the reader's back"]


def test_wm_04_an_edit_between_the_list_and_the_page_is_stored_as_the_version_that_was_read() -> None:
    source, site = filled(20)
    source.put("page-003", "second version")

    def edit(doc_id: str) -> None:
        if doc_id == "page-003":
            source.before_fetch = lambda _: None
            source.put(doc_id, "third version")

    source.before_fetch = edit
    assert site.night().state is RunState.TRUE
    [chunk] = [chunk for chunk in site.chunks() if chunk.doc_id == "page-003"]
    assert (chunk.text, chunk.doc_version) == ("third version", source.pages["page-003"].version)
    assert site.night().outcomes == ()


def test_wm_06_a_run_that_stops_at_a_page_cap_proves_nothing_and_the_next_starts_at_the_first_page() -> None:
    cms = EditableCms(names(90))
    with served(cms, size=10, paging={"max_pages": 20}) as site:
        site.night()
        cms.texts["d0085"] = "changed on the last page"
        cms.ids = names(300)
        before = site.chunks()
        capped = site.night()
        assert capped.state is RunState.UNPROVEN
        assert site.chunks() == before
        seen = len(cms.requests)
        cms.ids = names(100)
        assert site.night().state is RunState.TRUE
        first = next(request for request in cms.requests[seen:] if request.path == "/list")
        assert first.query["page"] == "1"
        assert site.texts()["d0085"] == ["changed on the last page"]


@pytest.mark.parametrize("status", [400, 422, 200])
def test_wm_08_a_request_that_the_source_rejects_is_no_night_without_changes(status: int) -> None:
    cms = EditableCms(names(30))
    with served(cms) as site:
        site.night()
        before = site.chunks()
        cms.texts["d0003"] = "changed"
        error = Reply(status, b'{"code": "rest_invalid_param", "message": "modified_after is not a date-time"}')
        cms.replies = {cms.list_pages + number: error for number in range(1, 9)}
        manifest = site.night()
        assert manifest.state is RunState.UNPROVEN
        assert site.chunks() == before
        cms.replies = {}
        assert site.night().count(DocumentState.REPLACED) == 1


def test_wm_08_no_request_asks_for_changes_since_a_date() -> None:
    since = re.compile(r"modified_after|updated_since|changed_since|last_sync|watermark", re.IGNORECASE)
    connectors = (INCLUDE / "connectors").rglob("*.py")
    found = [path.name for path in connectors if since.search(path.read_text(encoding="utf-8"))]
    assert found == []


def test_a_document_dated_long_ago_is_picked_up_like_any_other() -> None:
    """An import with old dates, a page moved in from an archive: dates play no part in what is compared."""
    cms = EditableCms(names(30))
    with served(cms) as site:
        site.night()
        cms.ids.append("a-page-from-1999")
        cms.texts["a-page-from-1999"] = "last modified 1999-12-31"
        assert site.night().count(DocumentState.CREATED) == 1


def test_every_document_that_failed_is_tried_again_every_night_until_it_is_read() -> None:
    cms = EditableCms(names(30))
    with served(cms) as site:
        site.night()
        cms.texts["d0003"], cms.broken = "changed", {"d0003": Reply(429, b"{}")}
        for _ in range(3):
            assert site.night().count(DocumentState.FAILED) == 1
        cms.broken = {}
        assert site.night().count(DocumentState.REPLACED) == 1
        assert site.texts()["d0003"] == ["changed"]
