"""The JSON connector over real HTTP: paging that loses nothing, distrust of 200 and 404, pace, secrets."""

from __future__ import annotations

import json
import random
import socketserver
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from include.connectors.credentials import Credentials
from include.connectors.http_options import HttpJsonOptions
from include.connectors.registry import PRESETS, check
from include.domain.documents import Presence
from include.domain.errors import ConfigError, DocumentGone, DocumentNotPublic, DocumentUnreadable, SourceUnavailable
from include.domain.inventory import Listing
from include.text.normalise import extract
from tests.connector_sources import (
    NOW,
    ModelCms,
    Reply,
    Request,
    TurnableClock,
    help_center,
    help_center_options,
    http_connector,
    http_server,
    model_options,
)

STYLES = ("none", "page", "offset", "cursor", "next_url", "link_header")
TOKEN = Credentials(headers={"Authorization": "Bearer helpcenter-demo-token"})


def names(count: int) -> list[str]:
    return [f"d{number:04}" for number in range(count)]


def listing_of(cms: ModelCms, **changes: Any) -> Listing:
    with http_server(cms.answer) as url:
        return http_connector(model_options(url, cms, **changes)).list_documents()


@pytest.mark.parametrize("totals", [True, False])
@pytest.mark.parametrize("style", STYLES)
def test_every_page_size_gives_the_same_set(style: str, totals: bool):
    cms = ModelCms(names(140), style=style, totals=totals)
    with http_server(cms.answer) as url:
        for size in (1, 7, 100, 140, 1000):
            listing = http_connector(model_options(url, cms, size=size)).list_documents()
            assert listing.complete, listing.proof.problem
            assert sorted(listing.documents) == cms.ids


@pytest.mark.parametrize("counts_asked_size", [False, True])
@pytest.mark.parametrize("echo", [False, True])
@pytest.mark.parametrize("totals", [False, True])
@pytest.mark.parametrize("style", ["page", "offset"])
def test_a_clamped_page_size_leaves_no_hole(style: str, totals: bool, echo: bool, counts_asked_size: bool):
    cms = ModelCms(
        names(70), style=style, totals=totals, echo=echo, clamp=10, clamp_counts_asked_size=counts_asked_size
    )
    listing = listing_of(cms, size=25)
    assert listing.complete is (sorted(listing.documents) == cms.ids)
    if echo or totals or not counts_asked_size:
        assert listing.complete, listing.proof.problem


def test_a_clamp_that_cannot_be_seen_at_all_is_at_least_not_called_complete_when_ids_are_missing():
    cms = ModelCms(names(70), totals=False, echo=False, clamp=10, clamp_counts_asked_size=True)
    listing = listing_of(cms, size=25)
    assert sorted(listing.documents) == cms.ids  # the second page exposes the clamp: walked again by ten


@pytest.mark.parametrize("style", STYLES)
def test_a_silent_cap_below_the_declared_total_is_incomplete(style: str):
    listing = listing_of(ModelCms(names(129), style=style, hidden_after=100), size=50)
    assert not listing.complete
    assert "declares 129 documents and lists" in listing.proof.problem


@pytest.mark.parametrize("style", ["cursor", "next_url", "link_header"])
def test_a_wrongly_named_next_is_not_the_end_of_the_list(style: str):
    cms = ModelCms(names(140), style=style, totals=False)
    with http_server(cms.answer) as url:
        options = model_options(url, cms, size=100)
        options["list"]["paging"] |= (
            {"style": "link_header"} if style == "cursor" else {"style": "cursor", "parameter": "c", "next": "nope"}
        )
        listing = http_connector(options).list_documents()
    assert not listing.complete
    assert "names no next" in listing.proof.problem


def test_an_answer_that_names_a_next_page_is_not_the_whole_list():
    cms = ModelCms(names(140), style="link_header", totals=False)
    with http_server(cms.answer) as url:
        options = model_options(url, cms, size=100)
        options["list"]["paging"]["style"] = "none"
        listing = http_connector(options).list_documents()
    assert not listing.complete
    assert "names a next page" in listing.proof.problem


@pytest.mark.parametrize("link", ["http://x/list?api_key=hunter2&page=2", "/list?api_key=hunter2"])
def test_a_next_that_is_reported_keeps_its_query_to_itself(link: str):
    cms = ModelCms(style="none")
    with http_server(lambda request: Reply.of({"items": [{"id": "a", "v": "1"}], "next": link})) as url:
        listing = http_connector(model_options(url, cms)).list_documents()
    assert "names a next page" in listing.proof.problem
    assert "/list" in listing.proof.problem
    assert "hunter2" not in repr(listing)


def test_a_next_that_never_ends_is_stopped():
    def answer(request: Request) -> Reply:
        at = int(request.query.get("cursor", 0))
        return Reply.of({"items": [{"id": "a", "v": "1"}] if at == 0 else [], "next": at + 1})

    with http_server(answer) as url:
        cms = ModelCms(style="cursor", totals=False)
        listing = http_connector(model_options(url, cms)).list_documents()
        assert not listing.complete
        assert "two empty pages" in listing.proof.problem


def test_a_next_that_names_itself_or_another_host_is_not_followed():
    target = ""

    def answer(request: Request) -> Reply:
        assert "authorization" in request.headers
        return Reply.of({"items": [{"id": "a", "v": "1"}], "next": target})

    cms = ModelCms(style="next_url", totals=False)
    with http_server(answer) as url:
        for link, word in (("/list?size=10", "repeats the page"), ("http://127.0.0.2:9/list", "another host")):
            target = link
            reader = http_connector(model_options(url, cms), credentials=TOKEN)
            listing = reader.list_documents()
            assert not listing.complete
            assert word in listing.proof.problem


@pytest.mark.parametrize("link", ["http://[bad", "//[", "http://x:port/"])
def test_a_next_that_is_no_address_is_a_list_that_broke_off(link: str):
    cms = ModelCms(style="next_url", totals=False)
    with http_server(lambda request: Reply.of({"items": [{"id": "a", "v": "1"}], "next": link})) as url:
        proof = http_connector(model_options(url, cms)).list_documents().proof
    assert not proof.end_reached
    assert "page 2 could not be read" in proof.problem


@pytest.mark.parametrize("location", ["http://[bad", "http://\xff\xfe/", "\x85", "http://x:99999999/"])
def test_a_redirect_to_no_address_is_no_answer(location: str):
    moved = Reply(302, b"", "text/html", {"Location": location})
    with http_server(lambda _request: moved) as url:
        connector = http_connector(model_options(url, ModelCms(["a"])))
        with pytest.raises(SourceUnavailable, match="redirects to"):
            connector.list_documents()
        assert connector.probe("a") is Presence.UNKNOWN


def test_past_the_end_error_ends_a_list_without_totals():
    def answer(request: Request) -> Reply:
        page = int(request.query["page"])
        rows = names(40)[(page - 1) * 10 : page * 10]
        return (
            Reply.of({"items": [{"id": one, "v": "1"} for one in rows]}) if rows else Reply(400, b'{"code": "no_page"}')
        )

    cms = ModelCms(totals=False, echo=False)
    with http_server(answer) as url:
        sign = {"status": 400, "field": "code", "equals": "no_page"}
        good = http_connector(model_options(url, cms, paging={"past_end": sign})).list_documents()
        assert good.complete
        assert len(good.documents) == 40
        other = http_connector(
            model_options(url, cms, paging={"past_end": {**sign, "equals": "other"}})
        ).list_documents()
        assert not other.complete
        assert "page 5 could not be read" in other.proof.problem


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    style=st.sampled_from(["page", "offset", "cursor", "next_url", "link_header"]),
    overlap=st.sampled_from([0, 0, 2]),
    totals=st.booleans(),
    count=st.integers(1, 30),
    size=st.sampled_from([3, 5, 10]),
    seed=st.integers(0, 10_000),
    changes=st.integers(0, 6),
    newest_first=st.booleans(),
)
def test_whatever_changes_between_pages_a_complete_listing_is_what_the_source_held_at_one_moment(
    style: str, overlap: int, totals: bool, count: int, size: int, seed: int, changes: int, newest_first: bool
):
    chance = random.Random(seed)
    left = changes

    def between(cms: ModelCms) -> None:
        nonlocal left
        if left and chance.random() < 0.6:
            left -= 1
            for _ in range(chance.choice([1, 1, 2])):  # a deletion and an insertion together keep the total
                if cms.ids and chance.random() < 0.6:
                    cms.ids.remove(chance.choice(cms.ids))
                else:
                    cms.ids.append(f"n{chance.randrange(10**9)}")
                moments.append(frozenset(cms.ids))
            cms.ids.sort(reverse=newest_first)

    cms = ModelCms(sorted(names(count), reverse=newest_first), style=style, totals=totals, between=between)
    moments = [frozenset(cms.ids)]
    paging = {"overlap": overlap} if style == "offset" else {}
    try:
        listing = listing_of(cms, size=size, paging=paging)
    except SourceUnavailable:
        return
    if listing.complete and overlap:
        assert moments[0].intersection(*moments) <= set(listing.documents)  # nothing that lived through it is missing
    elif listing.complete:
        assert frozenset(listing.documents) in moments


def test_a_list_that_never_stands_still_is_incomplete_and_says_so():
    cms = ModelCms(names(30), between=lambda cms: cms.ids.insert(0, f"new{len(cms.ids)}"))
    listing = listing_of(cms)
    assert not listing.complete
    assert "no two in a row agree" in listing.proof.problem


def test_an_overlapping_offset_list_loses_nothing_when_old_documents_go_while_it_is_read():
    cms = ModelCms(names(60), style="offset", between=lambda cms: cms.ids.pop(0) if len(cms.ids) > 50 else None)
    listing = listing_of(cms, paging={"overlap": 3})
    assert listing.complete, listing.proof.problem
    assert set(cms.ids) <= set(listing.documents)


def test_an_overlapping_reading_steps_back_over_a_gap_wider_than_the_overlap():
    def between(cms: ModelCms) -> None:
        if cms.list_pages == 1:
            del cms.ids[:8]

    cms = ModelCms(names(60), style="offset", totals=False, between=between)
    listing = listing_of(cms, paging={"overlap": 3, "passes": 1})
    assert not listing.complete  # the first page is no longer what it was
    assert set(cms.ids) <= set(listing.documents)  # but nothing slid past unseen


def test_an_overlap_that_does_not_fit_is_read_again_although_no_total_tells():
    def between(cms: ModelCms) -> None:
        if cms.list_pages == 1:
            cms.ids = [*cms.ids[1:], "x-new"]

    cms = ModelCms(names(60), style="offset", totals=False, between=between)
    listing = listing_of(cms, paging={"overlap": 3})
    assert listing.complete
    assert set(listing.documents) == set(cms.ids)


@pytest.mark.parametrize(
    ("key", "word"), [("size", "the source says it serves 7"), ("number", "page 2, the source says")]
)
def test_a_later_page_that_says_it_is_another_one_than_was_asked_for_stops_the_reading(key: str, word: str):
    cms = ModelCms(names(30))

    def answer(request: Request) -> Reply:
        reply = cms.answer(request)
        if request.query.get("page") != "2":
            return reply
        return Reply.of({**json.loads(reply.body), key: 7})

    with http_server(answer) as url:
        listing = http_connector(model_options(url, cms)).list_documents()
    assert not listing.complete
    assert word in listing.proof.problem


@pytest.mark.parametrize("style", ["page", "offset"])
@pytest.mark.parametrize("clamp", [10, 4])
def test_a_total_that_counts_one_page_only_is_not_the_end(style: str, clamp: int):
    cms = ModelCms(names(30), style=style, clamp=clamp, echo=False, total_of=lambda total: clamp)
    proof = listing_of(cms).proof
    assert not proof.complete
    assert "its total seems to count one page" in proof.problem


def test_a_source_that_refuses_a_second_page_keeps_its_total():
    cms = ModelCms(names(8), later=Reply(404, b"{}"))
    assert listing_of(cms).complete


def test_one_quiet_page_is_read_once_and_asked_what_follows_it_and_several_pages_are_read_twice():
    for count, requests in ((8, 2), (30, 6)):
        cms = ModelCms(names(count))
        listing_of(cms)
        assert cms.list_pages == requests


def test_a_single_reading_still_compares_the_first_page():
    def between(cms: ModelCms) -> None:
        if cms.list_pages == 2:
            cms.ids = [*cms.ids[1:], "new"]

    listing = listing_of(ModelCms(names(30), between=between), paging={"passes": 1})
    assert not listing.complete
    assert "first page changed" in listing.proof.problem


@pytest.mark.parametrize(
    ("rows", "word"),
    [
        ([{"v": "1"}], "without an id"),
        ([{"id": "", "v": "1"}], "without an id"),
        ([{"id": "..", "v": "1"}], "without an id"),
        ([{"id": True, "v": "1"}], "without an id"),
        ([17], "without an id"),
        ({"a": 1}, "where a list was due"),
        (None, "where a list was due"),
    ],
)
def test_rows_that_are_no_documents_make_the_source_unavailable(rows: object, word: str):
    with (
        http_server(lambda request: Reply.of({"items": rows, "total": 1})) as url,
        pytest.raises(SourceUnavailable, match=word),
    ):
        http_connector(model_options(url, ModelCms(style="none"))).list_documents()


def test_a_total_without_end_is_no_number():
    cms = ModelCms(names(8), total_of=lambda total: "9" * 5000)
    proof = listing_of(cms).proof
    assert (proof.complete, proof.declared_total) == (True, None)


def test_a_document_twice_on_one_page_is_a_problem():
    rows = [{"id": "a", "v": "1"}, {"id": "a", "v": "2"}]
    with http_server(lambda request: Reply.of({"items": rows, "total": 2})) as url:
        listing = http_connector(model_options(url, ModelCms(style="none"))).list_documents()
    assert not listing.complete
    assert "listed twice" in listing.proof.problem


def test_only_allowed_states_are_public_and_a_missing_state_or_version_is_unknown():
    rows = [
        {"id": 1, "v": "1", "status": "published", "group": None},
        {"id": 2, "v": "1", "status": "archived", "group": None},
        {"id": 3, "v": "1", "status": "published", "group": 17},
        {"id": 4, "v": "1", "group": None},
        {"id": 5, "status": "published", "group": None},
        {"id": 6, "v": "1", "status": "invented", "group": None},
    ]
    public = {"status": ["published"], "group": [None]}
    with http_server(lambda request: Reply.of({"items": rows, "total": 6})) as url:
        listing = http_connector(model_options(url, ModelCms(style="none"), public=public)).list_documents()
    assert listing.complete
    assert {doc_id: bool(one.unreadable) for doc_id, one in listing.documents.items()} == {
        "1": False,
        "4": True,
        "5": True,
    }


def test_several_version_expressions_are_one_digest_and_a_page_computes_the_same_one():
    with help_center() as (_, url):
        reader = http_connector(help_center_options(url), credentials=TOKEN)
        listing = reader.list_documents()
        assert listing.complete, listing.proof.problem
        for doc_id, listed in listing.documents.items():
            assert reader.fetch(doc_id).version == listed.version


def test_a_move_without_any_new_date_is_a_new_version():
    with help_center() as (center, url):
        before = http_connector(help_center_options(url), credentials=TOKEN).list_documents().documents["1011"].version
        center.articles[1011] = replace(center.articles[1011], slug="elsewhere")
        after = http_connector(help_center_options(url), credentials=TOKEN).list_documents().documents["1011"].version
    assert before != after


def test_a_wrong_credential_answered_with_the_anonymous_list_proves_nothing():
    with help_center() as (_, url):
        options = help_center_options(url)
        wrong = http_connector(options, credentials=Credentials(headers={"Authorization": "Bearer revoked"}))
        listing = wrong.list_documents()
        assert "1012" not in listing.documents
        assert not listing.complete
        assert "takes us for somebody else" in listing.proof.problem
        assert wrong.probe("1012") is Presence.UNKNOWN
        del options["identity"]
        unasked = http_connector(options, credentials=TOKEN).list_documents()
        assert not unasked.complete
        assert "option identity" in unasked.proof.problem


def test_a_credential_that_is_revoked_while_the_list_is_read_proves_nothing():
    with help_center() as (center, url):
        options = help_center_options(url, size=5)

        def revoke(*_: object) -> None:
            center.fault = "anonymous"

        reader = http_connector(options, credentials=TOKEN)
        asked = reader._session.get

        def get(path: str, *rest: Any, **more: Any) -> Any:
            answer = asked(path, *rest, **more)
            if path == "me":
                revoke()
            return answer

        reader._session.get = get  # type: ignore[method-assign]
        listing = reader.list_documents()
    assert not listing.complete
    assert "somebody else" in listing.proof.problem


def test_a_page_read_after_the_credential_ran_out_is_not_believed():
    """The source still answers 200, with the first lines of what it showed before."""
    has_run_out = False

    def answer(request: Request) -> Reply:
        if request.path == "/me":
            return Reply(401, b"{}") if has_run_out else Reply.of({"id": 7})
        if request.path == "/list":
            return Reply.of({"items": [{"id": "a", "v": "1"}], "total": 1})
        return Reply.of({"id": "a", "v": "1", "body": "Please log in." if has_run_out else "The whole text."})

    clock = TurnableClock()
    with http_server(answer) as url:
        options = model_options(url, ModelCms(style="none"), identity={"path": "me", "account": "id"})
        reader = http_connector(options, credentials=TOKEN, clock=clock)
        assert reader.list_documents().complete
        assert reader.fetch("a").body == b"The whole text."
        has_run_out = True
        clock.elapsed += 60
        with pytest.raises(SourceUnavailable, match="not as who we are"):
            reader.fetch("a")
        with pytest.raises(SourceUnavailable, match="not as who we are"):
            http_connector(options, credentials=TOKEN).fetch("a")


def test_a_404_is_believed_only_while_other_documents_answer():
    with help_center() as (center, url):
        reader = http_connector({**help_center_options(url), "canaries": []}, credentials=TOKEN)
        assert reader.probe("9999") is Presence.UNKNOWN  # nobody is known to be alive yet
        reader.list_documents()
        assert reader.probe("9999") is Presence.GONE
        with pytest.raises(DocumentGone):
            reader.fetch("9999")
        center.fault = "empty200"  # a lost table says 404 to the living
        assert reader.probe("1001") is Presence.UNKNOWN
        with pytest.raises(SourceUnavailable, match="proves nothing: canary"):
            reader.fetch("1001")


def test_configured_canaries_vouch_without_a_listing_and_a_dead_one_blocks():
    with help_center() as (center, url):
        options = {**help_center_options(url), "canaries": ["1001", "1002"]}
        assert http_connector(options, credentials=TOKEN).probe("9999") is Presence.GONE
        center.control({"action": "unpublish", "id": 1002})
        assert http_connector(options, credentials=TOKEN).probe("9999") is Presence.UNKNOWN


def test_an_unpublished_article_is_not_public_and_its_text_is_not_delivered():
    with help_center() as (center, url):
        reader = http_connector(help_center_options(url), credentials=TOKEN)
        reader.list_documents()
        center.control({"action": "unpublish", "id": 1004})
        assert reader.probe("1004") is Presence.NOT_PUBLIC
        with pytest.raises(DocumentNotPublic, match="status is 'draft'"):
            reader.fetch("1004")
        assert "1004" not in reader.list_documents().documents


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_page_is_not_public_only_with_identity_and_canaries(status: int):
    cms = ModelCms(names(5))

    def answer(request: Request) -> Reply:
        return Reply(status, b"{}") if request.path == "/page/d0003" else cms.answer(request)

    with http_server(answer) as url:
        reader = http_connector(model_options(url, cms))
        assert reader.probe("d0003") is Presence.UNKNOWN
        assert http_connector(model_options(url, cms, canaries=["d0001"])).probe("d0003") is Presence.NOT_PUBLIC
        assert http_connector(model_options(url, cms, canaries=["zzz"])).probe("d0003") is Presence.UNKNOWN


@pytest.mark.parametrize(
    "reply",
    [
        Reply(301, b"", headers={"Location": "/page/other"}),
        Reply(302, b"", headers={"Location": "/login"}),
        Reply(200, b"<html>Coming soon</html>", kind="text/html"),
        Reply(200, b"<br />\n<b>Notice</b>{}"),
        Reply(200, b"[]"),
        Reply(200, b'{"id": "another", "v": "1", "body": "x"}'),
        Reply(418, b"{}"),
        Reply(500, b""),
        Reply(200, b'{"id": "d0001"', cut=5),
    ],
    ids=lambda reply: f"{reply.status}-{reply.body[:12].decode()}",
)
def test_whatever_is_no_clear_answer_leaves_the_probe_in_doubt_and_fails_the_fetch(reply: Reply):
    cms = ModelCms(names(5))
    with http_server(lambda request: reply if request.path == "/page/d0001" else cms.answer(request)) as url:
        reader = http_connector(model_options(url, cms, canaries=["d0002"]))
        assert reader.probe("d0001") is Presence.UNKNOWN
        with pytest.raises(SourceUnavailable):
            reader.fetch("d0001")


@pytest.mark.parametrize("body", [None, "", "  \n", 17, {"a": 1}, [], "\ud800"])
def test_a_page_without_usable_text_is_unreadable_never_an_empty_document(body: object):
    with http_server(lambda request: Reply.of({"id": "a", "v": "1", "body": body})) as url:
        reader = http_connector(model_options(url, ModelCms()))
        with pytest.raises(DocumentUnreadable):
            reader.fetch("a")


def test_a_page_beyond_its_dates_is_not_public_although_it_is_delivered():
    page = {"id": "a", "v": "1", "body": "x", "until": "2026-02-28T00:00:00Z", "from": "2026-01-01"}
    with http_server(lambda request: Reply.of(page)) as url:
        options = model_options(url, ModelCms())
        options["page"]["fields"] |= {"expires_at": "until", "goes_live_at": "from"}
        assert http_connector(options).probe("a") is Presence.NOT_PUBLIC
        page |= {"until": "2027-01-01", "from": "2026-03-02"}
        with pytest.raises(DocumentNotPublic, match="from is 2026-03-02"):
            http_connector(options).fetch("a")
        page["from"] = "2026-02-02"
        assert http_connector(options).probe("a") is Presence.PRESENT


def test_a_page_older_than_its_listing_is_not_recorded_as_current():
    shown = "2026-03-01T10:00:00Z"

    def answer(request: Request) -> Reply:
        if request.path == "/list":
            return Reply.of({"items": [{"id": "a", "v": "2026-03-01T11:00:00Z"}], "total": 1})
        return Reply.of({"id": "a", "v": shown, "body": "old"})

    with http_server(answer) as url:
        reader = http_connector(model_options(url, ModelCms()))
        reader.list_documents()
        with pytest.raises(SourceUnavailable, match="a cache lags behind"):
            reader.fetch("a")
        shown = "2026-03-01T11:00:00+00:00"
        assert reader.fetch("a").version == shown


def test_a_version_of_this_very_second_is_recorded_as_unsettled():
    page = {"id": "a", "v": "2026-03-01T11:59:59", "body": "x"}
    with http_server(lambda request: Reply.of(page)) as url:
        options = model_options(url, ModelCms(), settle_seconds=2)
        assert http_connector(options).fetch("a").version == "2026-03-01T11:59:59~unsettled"
        page["v"] = "2026-03-01T11:59:59.250"
        assert http_connector(options).fetch("a").version == page["v"]
        page["v"] = "2026-03-01T11:00:00"
        assert http_connector(options).fetch("a").version == page["v"]


def test_fetched_at_is_the_clock_before_the_request_however_long_the_answer_takes():
    clock = TurnableClock()

    def answer(request: Request) -> Reply:
        clock.elapsed += 90
        return Reply.of({"id": "a", "v": "1", "body": "x"})

    with http_server(answer) as url:
        assert http_connector(model_options(url, ModelCms()), clock=clock).fetch("a").fetched_at == NOW


def test_fields_of_a_page_become_the_document():
    with help_center() as (_, url):
        document = http_connector(help_center_options(url), credentials=TOKEN).fetch("1004")
    assert (document.title, document.media_type, document.lang, document.content_type) == (
        "Refunds",
        "text/markdown",
        "en",
        "article",
    )
    assert document.url == f"{url}/en/articles/refunds"
    assert b"within **60 days**" in document.body
    created = extract(document).created_at
    assert created is not None
    assert created.origin == "field created_at"


def test_odd_ids_are_quoted_and_come_back_as_themselves():
    ids = ["a b", "a/b", "a%20b", "ü", "a?b=c", "A", "a"]

    def answer(request: Request) -> Reply:
        if request.path == "/list":
            return Reply.of({"items": [{"id": one, "v": "1"} for one in ids], "total": len(ids)})
        return Reply.of({"id": unquote(request.path.removeprefix("/page/")), "v": "1", "body": "x"})

    with http_server(answer) as url:
        reader = http_connector(model_options(url, ModelCms(style="none")))
        assert sorted(reader.list_documents().documents) == sorted(ids)
        for doc_id in ids:
            assert reader.fetch(doc_id).key.doc_id == doc_id


def test_a_busy_server_is_asked_again_later_and_its_wishes_are_capped():
    replies = [
        Reply(429, headers={"Retry-After": "7"}),
        Reply(503, headers={"Retry-After": "21600"}),
        Reply(500),
        Reply(502),
    ]
    replies.append(Reply(503, headers={"Retry-After": "Sun, 01 Mar 2026 12:02:00 GMT"}))
    clock = TurnableClock()
    answers = iter([*replies, Reply.of({"id": "a", "v": "1", "body": "x"})])
    with http_server(lambda request: next(answers)) as url:
        options = model_options(url, ModelCms())
        options["http"]["retries"] = 5
        http_connector(options, clock=clock).fetch("a")
    assert clock.sleeps[:2] == [7.0, 60.0]
    assert 1.0 <= clock.sleeps[2] <= 2.0  # 0.5 doubled twice, with jitter
    assert 2.0 <= clock.sleeps[3] <= 4.0
    assert clock.sleeps[4] == pytest.approx(120 - 67 - clock.sleeps[2] - clock.sleeps[3], abs=0.01)


def test_requests_are_paced_by_a_bucket_of_tokens():
    clock = TurnableClock()
    with http_server(lambda request: Reply.of({"id": "a", "v": "1", "body": "x"})) as url:
        options = model_options(url, ModelCms())
        options["http"] |= {"requests_per_second": 2, "burst": 3}
        reader = http_connector(options, clock=clock)
        for _ in range(7):
            reader.fetch("a")
    assert clock.elapsed == pytest.approx(2.0)


def test_an_unchanged_page_is_answered_from_memory_and_a_changed_one_is_not():
    cms_text = "one"
    seen: list[str | None] = []

    def answer(request: Request) -> Reply:
        seen.append(request.headers.get("if-none-match"))
        if seen[-1] == f'"{cms_text}"':
            return Reply(304)
        return Reply.of({"id": "a", "v": cms_text, "body": cms_text}, ETag=f'"{cms_text}"')

    with http_server(answer) as url:
        reader = http_connector(model_options(url, ModelCms()))
        assert [reader.fetch("a").body for _ in range(2)] == [b"one", b"one"]
        cms_text = "two"
        assert reader.fetch("a").body == b"two"
    assert seen == [None, '"one"', '"one"']


def test_too_large_an_answer_is_refused():
    with http_server(lambda request: Reply.of({"id": "a", "v": "1", "body": "x" * 3000})) as url:
        options = model_options(url, ModelCms())
        options["http"]["max_bytes"] = 2000
        with pytest.raises(SourceUnavailable, match="more than 2000 bytes"):
            http_connector(options).fetch("a")


OK_JSON = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
WHOLE = b'{"id": "a", "v": "1", "body": "x"}'


@contextmanager
def dribbling(head: bytes, drop: bytes, *, good_first: int = 0) -> Iterator[str]:
    """The URL of a server that answers `good_first` requests of a connection normally, and then sends `head` at once
    and `drop` ten times a second, for ten seconds."""

    class Handler(socketserver.StreamRequestHandler):
        disable_nagle_algorithm = True

        def handle(self) -> None:
            for number in range(good_first + 1):
                while self.rfile.readline().strip():
                    pass
                if number < good_first:
                    self.wfile.write(OK_JSON + b"Content-Length: %d\r\n\r\n%b" % (len(WHOLE), WHOLE))
            with suppress(OSError):
                self.wfile.write(head)
                for _ in range(100):
                    self.wfile.write(drop)
                    time.sleep(0.1)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        block_on_close = False

    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.mark.parametrize("good_first", [0, 1])
@pytest.mark.parametrize(
    ("head", "drop"),
    [
        (b"HTTP/1.1 200 OK\r\n", b"X-More: 1\r\n"),
        (b"", b"H"),
        (OK_JSON + b"Content-Length: 100000\r\n\r\n", b" "),
        (OK_JSON + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
        (OK_JSON + b"Connection: close\r\n\r\n" + WHOLE, b" "),  # no length: cut off, it looks complete
        (b"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 100000\r\n\r\n", b" "),
    ],
    ids=["headers", "status", "body", "chunks", "until-close", "redirect"],
)
def test_an_answer_that_dribbles_is_given_up_when_its_time_is_over(head: bytes, drop: bytes, good_first: int):
    with dribbling(head, drop, good_first=good_first) as url:
        options = model_options(url, ModelCms())
        options["http"] |= {"total_timeout": 0.5, "retries": 0}
        reader = http_connector(options)
        for _ in range(good_first):
            reader.fetch("a")
        started = time.monotonic()
        with pytest.raises(SourceUnavailable, match="did not answer in time"):
            reader.fetch("a")
        assert 0.4 < time.monotonic() - started < 2


def provoke(url: str) -> list[Callable[[], object]]:
    options = model_options(url, ModelCms())
    secret = Credentials(headers={"X-Key": "hunter2"}, params={"key": "hunter2"})
    with_user = {**options, "base_url": url.replace("://", "://user:hunter2@")}
    closed = {**options, "base_url": "http://user:hunter2@127.0.0.1:9"}
    return [
        http_connector(options, credentials=secret).list_documents,
        http_connector(with_user).list_documents,
        http_connector(closed, credentials=secret).list_documents,
    ]


def test_no_message_traceback_or_representation_shows_a_credential(caplog: pytest.LogCaptureFixture):
    caplog.set_level("INFO")
    login = Reply(302, headers={"Location": "https://user:hunter2@sso.example.org/login?key=hunter2"})
    with http_server(lambda request: login) as url:
        for ask in provoke(url):
            with pytest.raises(SourceUnavailable) as caught:
                ask()
            text = "".join(traceback.format_exception(caught.value)) + repr(caught.value.facts)
            assert "hunter2" not in text
    assert "hunter2" not in caplog.text
    assert "hunter2" not in repr(Credentials(headers={"a": "hunter2"}, basic=("u", "hunter2"), params={"k": "hunter2"}))
    with pytest.raises(ConfigError) as refused:
        check("http_json", "cms", {"base_url": "ftp://user:hunter2@host"})
    assert "hunter2" not in str(refused.value)


def test_credentials_reach_the_source_and_a_netrc_does_not(tmp_path: Any, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login other password wrong\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    seen: list[Request] = []

    def answer(request: Request) -> Reply:
        seen.append(request)
        return Reply.of({"id": "a", "v": "1", "body": "x"})

    with http_server(answer) as url:
        options = model_options(url, ModelCms(), identity={"rejects_bad_credentials": True})
        http_connector(options, credentials=TOKEN).fetch("a")
        http_connector(options, credentials=Credentials(basic=("me", "pw"), params={"key": "k"})).fetch("a")
        http_connector(options).fetch("a")
    assert seen[0].headers["authorization"] == TOKEN.headers["Authorization"]
    assert seen[1].headers["authorization"] == "Basic bWU6cHc="
    assert seen[1].query["key"] == "k"
    assert "authorization" not in seen[2].headers


@pytest.mark.parametrize("preset", sorted(path.stem for path in PRESETS.glob("*.yaml")))
def test_every_preset_needs_nothing_but_a_base_url_and_can_be_overlaid(preset: str):
    checked = check(
        "http_json", "cms", {"preset": preset, "base_url": "https://cms.example.org", "list": {"paging": {"size": 5}}}
    )
    assert isinstance(checked, HttpJsonOptions)
    assert checked.list.paging.size == 5
    assert checked.list.items


def test_a_wrong_option_names_file_key_value_and_what_is_allowed():
    with pytest.raises(ConfigError) as caught:
        check(
            "http_json",
            "help",
            {"preset": "ghost", "base_url": "x", "list": {"paging": {"style": "pages"}, "itmes": 1}},
            file="t.yaml",
        )
    lines = str(caught.value).splitlines()
    assert "t.yaml: sources.help.options.base_url: 'x' is not allowed; allowed: an http or https URL" in lines
    assert any("list.paging.style: 'pages'" in line and "'next_url'" in line for line in lines)
    assert "t.yaml: sources.help.options.list.itmes: is not an option here" in lines
    with pytest.raises(ConfigError, match="allowed: git_markdown, http_json"):
        check("sharepoint", "help", {})
    with pytest.raises(ConfigError, match="allowed: contentful, ghost, strapi"):
        check("http_json", "help", {"preset": "gohst"})
