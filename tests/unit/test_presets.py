"""The presets against wrong, revoked and too powerful credentials, odd states, page caps and busy services."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from include.connectors.credentials import Credentials
from include.connectors.http_json import HttpJsonConnector
from include.connectors.http_options import HttpJsonOptions
from include.connectors.registry import check
from include.domain.documents import Presence
from include.domain.errors import ConfigError, DocumentNotPublic, DocumentUnreadable, SourceUnavailable
from include.domain.manifest import RunState
from tests.connector_sources import ModelCms, Reply, Request, http_connector, http_server, model_options
from tests.fakes.cms_models import MODELS
from tests.preset_sites import FAST, LIVING, TickingClock, as_anybody, site_of

TOKEN = Credentials(headers={"Authorization": "Bearer hunter2"})
ODD_STATES = [
    ("ghost", {"visibility": "followers"}),
    ("ghost", {"visibility": None}),
    ("ghost", {"status": "draft"}),  # as the Admin API lists it
    ("ghost", {"access": "partly"}),
    ("strapi", {"publishedAt": None}),
    ("strapi", {"publishedAt": {"stage": "approved"}}),
    ("contentful", {"type": "ReleaseEntry"}),
    ("contentful", {"publishedVersion": None}),  # as the Preview API lists a draft
    ("contentful", {"publishedVersion": "soon"}),
    ("zendesk_guide", {"draft": "staged"}),
    ("zendesk_guide", {"draft": 0}),
    ("zendesk_guide", {"draft": None}),
    ("zendesk_guide", {"user_segment_id": "signed_in"}),
    ("zendesk_guide", {"user_segment_id": 0}),
    ("zendesk_guide", {"user_segment_ids": [7001]}),
    ("zendesk_guide", {"user_segment_ids": "all staff"}),
]


@pytest.mark.parametrize(("preset", "odd"), ODD_STATES, ids=str)
def test_a_state_that_nobody_listed_is_not_public(preset: str, odd: dict[str, Any]):
    with site_of(preset) as site:
        site.cms.entries[site.one].odd = odd
        site.night()
        assert len(site.indexed()) == LIVING - 1
        assert site.one not in site.indexed()
        with pytest.raises((DocumentNotPublic, DocumentUnreadable)):
            site.connector.fetch(site.one)
        assert site.connector.probe(site.one) in (Presence.NOT_PUBLIC, Presence.UNKNOWN)


def test_an_article_that_does_not_say_who_may_read_it_is_not_taken_for_open():
    with site_of("zendesk_guide") as site:
        site.cms.entries[site.one].odd = {"user_segment_id": ...}
        assert "user_segment_id is missing" in site.connector.list_documents().documents[site.one].unreadable
        with pytest.raises(DocumentUnreadable, match="user_segment_id is missing"):
            site.connector.fetch(site.one)


@pytest.mark.parametrize("preset", MODELS)
def test_a_wrong_credential_reads_nothing_and_removes_nothing(preset: str):
    with site_of(preset) as site:
        site.night()
        before, site.cms.key = site.indexed(), "another"
        assert site.night().state is RunState.UNPROVEN
        assert site.indexed() == before
        for doc_id in (site.one, site.cms.name(999)):
            assert site.connector.probe(doc_id) is Presence.UNKNOWN
            with pytest.raises(SourceUnavailable):
                site.connector.fetch(doc_id)


@pytest.mark.parametrize("preset", MODELS)
def test_a_credential_that_is_revoked_between_two_pages_proves_nothing(preset: str):
    with site_of(preset, list={"paging": {"size": 5}}) as site:
        assert site.night().state is RunState.TRUE
        before = site.indexed()
        site.cms.delete(site.one)
        site.cms.between = lambda: setattr(site.cms, "key", "another")
        listing = site.connector.list_documents()
        assert not listing.complete
        assert "page 2 could not be read" in listing.proof.problem
        assert site.night().state is RunState.UNPROVEN
        assert site.indexed() == before


@pytest.mark.parametrize("preset", MODELS)
def test_documents_over_the_cap_of_a_page_are_all_listed_also_where_it_is_lower_than_asked_for(preset: str):
    with site_of(preset) as site:
        for number in range(LIVING, 230):
            site.cms.write(site.cms.name(number), "text")
            site.cms.publish(site.cms.name(number))
        caps = (
            [site.cms.most] if preset == "contentful" else [site.cms.most, 40]
        )  # Contentful refuses, it does not clamp
        for site.cms.most in caps:
            listing = site.connector.list_documents()
            assert listing.complete, listing.proof.problem
            assert set(listing.documents) == set(site.cms.entries)


def test_an_offset_page_where_a_cursor_was_asked_for_is_not_the_whole_list():
    rows = [{"id": number, "draft": False, "user_segment_id": None, "updated_at": "2026-01-01"} for number in range(30)]
    overlay = {"preset": "zendesk_guide", "http": FAST}
    for old_way in ({"next_page": "/articles.json?page=2", "count": 60}, {"next_page": None, "count": 60}):
        with http_server(lambda request, shown=old_way: Reply.of({"articles": rows, **shown})) as url:
            options = check("http_json", "cms", {**overlay, "base_url": url})
            assert isinstance(options, HttpJsonOptions)
            listing = HttpJsonConnector("cms", options, clock=TickingClock(), pace=TickingClock()).list_documents()
            assert not listing.complete


def test_a_cursor_page_that_says_more_and_names_no_next_is_not_the_end():
    page = {"articles": [{"id": 1, "draft": False, "user_segment_id": None, "updated_at": "2026-01-01"}]}
    with http_server(
        lambda request: Reply(404) if "no-next" in request.path else Reply.of({**page, "meta": {"has_more": True}})
    ) as url:
        options = check("http_json", "cms", {"preset": "zendesk_guide", "http": FAST, "base_url": url})
        assert isinstance(options, HttpJsonOptions)
        listing = HttpJsonConnector("cms", options, clock=TickingClock(), pace=TickingClock()).list_documents()
        assert not listing.complete
        assert not listing.proof.end_reached


@pytest.mark.parametrize(
    ("preset", "header"),
    [
        ("ghost", "Retry-After"),
        ("strapi", "Retry-After"),
        ("zendesk_guide", "retry-after"),
        ("contentful", "X-Contentful-RateLimit-Reset"),
    ],
)
def test_a_busy_service_is_asked_again_after_the_pause_that_it_wishes(preset: str, header: str):
    with site_of(preset) as site:
        site.cms.busy = [Reply(429, b"{}", headers={header: "17"})]
        listing = site.connector.list_documents()
        assert listing.complete
        assert 17 in site.clock.sleeps


def test_a_role_or_a_help_center_that_closes_leaves_the_index_alone():
    for preset, close in (("strapi", {"role_may_read": False}), ("zendesk_guide", {"is_closed": True})):
        with site_of(preset, key=as_anybody(preset)) as site:
            site.night()
            before = site.indexed()
            for name, value in close.items():
                setattr(site.cms, name, value)
            assert site.night().state is RunState.UNPROVEN
            assert site.indexed() == before
            assert site.connector.probe(site.one) is Presence.UNKNOWN


@pytest.mark.parametrize("preset", MODELS)
def test_a_service_that_has_lost_its_data_removes_nothing(preset: str):
    with site_of(preset) as site:
        site.night()
        before = site.indexed()
        site.cms.entries.clear()
        assert site.night().state is RunState.UNPROVEN
        assert site.indexed() == before
        assert site.connector.probe(site.one) is Presence.UNKNOWN


@pytest.mark.parametrize("preset", MODELS)
def test_a_second_night_over_a_quiet_site_writes_nothing(preset: str):
    with site_of(preset) as site:
        site.night()
        site.store.on_io = _refuse_writes
        assert site.night().state is RunState.TRUE


def _refuse_writes(operation: str) -> None:
    assert operation not in ("insert", "overwrite", "set_payload", "delete"), operation


def test_a_preview_host_is_refused_before_anything_is_read():
    base_url = "https://preview.contentful.com/spaces/s/environments/master"
    with pytest.raises(ConfigError, match=r"published documents only; preview\.contentful\.com shows drafts"):
        check("http_json", "cms", {"preset": "contentful", "base_url": base_url})


def test_the_users_own_field_names_types_and_locale_are_laid_over_a_preset():
    overlay = {
        "site_url": "https://example.org/docs/",
        "list": {"path": "guides", "params": {"locale": "de"}},
        "page": {"path": "guides/{id}", "params": {"locale": "de"}, "fields": {"body": "content", "title": "name"}},
    }
    asked = []

    def answer(request: Request) -> Reply:
        asked.append(request.query)
        times = {"updatedAt": "2026-02-01T00:00:00.000Z", "publishedAt": "2026-02-01T00:00:00.000Z"}
        guide = {"documentId": "g1", "slug": "erste", "name": "Erste", "content": "Inhalt", "locale": "de", **times}
        if request.path == "/api/guides/g1":
            return Reply.of({"data": guide})
        page = {"page": 1, "pageSize": 100, "pageCount": 1, "total": 1}
        return Reply.of({"data": [guide], "meta": {"pagination": page}})

    with http_server(answer) as url:
        options = check("http_json", "cms", {"preset": "strapi", "http": FAST, "base_url": f"{url}/api", **overlay})
        assert isinstance(options, HttpJsonOptions)
        connector = HttpJsonConnector("cms", options, clock=TickingClock(), pace=TickingClock())
        assert connector.list_documents().complete
        document = connector.fetch("g1")
    assert (document.title, document.body, document.lang) == ("Erste", b"Inhalt", "de")
    assert document.url == "https://example.org/docs/erste"
    assert {(query["status"], query["locale"]) for query in asked} == {("published", "de")}


def test_pages_of_ghost_are_a_source_of_their_own():
    overlay = {
        "list": {"path": "pages/", "items": "pages"},
        "page": {"path": "pages/{id}/", "item": "pages[0]"},
    }
    options = check(
        "http_json", "cms", {"preset": "ghost", "base_url": "https://example.org/ghost/api/content", **overlay}
    )
    assert isinstance(options, HttpJsonOptions)
    assert (options.list.items, options.page.item, options.public["visibility"]) == ("pages", "pages[0]", ("public",))


@pytest.mark.parametrize("preset", MODELS)
def test_the_scope_of_a_listing_is_the_same_every_night_and_holds_no_secret(preset: str):
    with site_of(preset, list={"params": {"key": "hunter2"}}) as site:
        scopes = {site.connector.list_documents().proof.scope for _ in range(2)}
        (scope,) = scopes
        assert scope.startswith("a credential; http://127.0.0.1:")
        assert "hunter2" not in scope
        assert "right" not in scope


def test_a_listing_under_another_filter_has_another_scope_and_its_removals_wait():
    with site_of("ghost") as site:
        assert site.night().state is RunState.TRUE
        narrowed = {"list": {"params": {"filter": "tag:news"}}}
        site.cms.unpublish(site.one)
        with http_server(site.cms.answer) as url:
            given = {"preset": "ghost", "base_url": f"{url}{site.cms.path}", "http": FAST, **narrowed}
            options = check("http_json", "cms", given)
            assert isinstance(options, HttpJsonOptions)
            site.context = replace(
                site.context,
                connector=HttpJsonConnector(
                    "cms", options, clock=site.clock, credentials=site.cms.credentials("right"), pace=site.clock
                ),
            )
            manifest = site.night()
    assert manifest.state is RunState.HELD
    assert "may only see less" in manifest.reason
    assert site.one in site.indexed()


def test_the_last_of_many_rights_counts_and_their_order_does_not():
    account: dict[str, Any] = {"id": 7, "rights": [f"read section {number:03}" for number in range(60)]}
    cms = ModelCms(["a"])

    def answer(request: Request) -> Reply:
        return Reply.of(account) if request.path == "/me" else cms.answer(request)

    with http_server(answer) as url:
        connector = http_connector(model_options(url, cms, identity={"path": "me", "account": "@"}), credentials=TOKEN)
        first = connector.list_documents().proof.scope
        account["rights"].reverse()
        assert connector.list_documents().proof.scope == first
        account["rights"].remove("read section 059")
        assert connector.list_documents().proof.scope != first


def test_the_account_that_an_identity_probe_names_is_part_of_the_scope():
    account: dict[str, Any] = {"id": 7, "roles": ["editor"]}
    cms = ModelCms(["a"])

    def answer(request: Request) -> Reply:
        return Reply.of(account) if request.path == "/me" else cms.answer(request)

    with http_server(answer) as url:
        identity = {"path": "me", "account": "{id: id, roles: roles}"}
        connector = http_connector(model_options(url, cms, identity=identity), credentials=TOKEN)
        first = connector.list_documents().proof
        account["roles"] = ["reader"]
        second = connector.list_documents().proof
        cms.between = lambda cms: account.update(roles=["editor", "admin"])
        third = connector.list_documents().proof
        cms.between = lambda cms: None
        account["id"] = None
        fourth = connector.list_documents().proof
    assert first.complete
    assert first.scope.startswith('account {"id": 7, "roles": ["editor"]}; ')
    assert "hunter2" not in first.scope
    assert second.scope != first.scope
    assert "our rights changed while the list was read" in third.problem
    assert not fourth.scope_verified
    assert "names no account" in fourth.problem
