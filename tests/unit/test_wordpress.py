"""The `wordpress` connector on a fake WordPress: what editors do, and what a real one only does on a bad day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from include.connectors.http_json import HttpJsonConnector
from include.connectors.http_options import HttpJsonOptions
from include.connectors.registry import check
from include.connectors.wordpress_documents import utc_date
from include.domain.documents import Presence
from include.domain.errors import ConfigError, DocumentNotPublic, DocumentUnreadable, SourceUnavailable
from include.domain.manifest import DocumentState, RunState
from include.text.normalise import extract
from tests.cms.wordpress_states import OPEN, WordPressStates, site_over
from tests.connector_sources import NOW, TurnableClock
from tests.fakes.wordpress import FAST, TYPES, FakeWordPress

# Options of the preset that this connector replaced, as far as versions and texts depend on them.
PRESET: dict[str, Any] = {
    "list": {
        "path": "posts",
        "params": {"orderby": "id", "order": "asc", "_fields": "id,modified_gmt,slug,link,status,title"},
        "items": "@",
        "version": ["modified_gmt", "slug", "link", "status", "title.rendered"],
        "updated_at": "modified_gmt",
        "paging": {
            "style": "offset",
            "parameter": "offset",
            "size_parameter": "per_page",
            "total": "header:X-WP-Total",
            "overlap": 3,
        },
    },
    "page": {
        "path": "posts/{id}",
        "title_is_html": True,
        "public": {"content.protected": [False]},
        "fields": {"body": "content.rendered", "title": "title.rendered", "url": "link", "created_at": "date_gmt"},
    },
    "public": {"status": ["publish"]},
    "http": FAST,
}


@pytest.fixture
def wordpress() -> Iterator[FakeWordPress]:
    with FakeWordPress.serving() as site:
        yield site


class TestOnTheFakeWordPress(WordPressStates):
    """See `wordpress_states`."""


def test_who_used_the_preset_keeps_ids_and_texts_and_with_a_light_list_versions_too(wordpress: FakeWordPress) -> None:
    doc_id = wordpress.create(title="A & B", content="<h2>Terms</h2><p>Thirty days.</p>")
    wordpress.age(doc_id)
    options = HttpJsonOptions.model_validate({"base_url": f"{wordpress.url}/wp-json/wp/v2", **PRESET})
    before = HttpJsonConnector("wordpress", options, clock=TurnableClock())
    for light in (True, False):
        after = wordpress.open_connector(TurnableClock(), types=["posts"], content_in_version=not light)
        listed_before, listed_after = before.list_documents().documents, after.list_documents().documents
        assert listed_after.keys() == listed_before.keys()
        assert (listed_after == listed_before) is light
        one, other = extract(before.fetch(doc_id)), extract(after.fetch(doc_id))
        assert (one.key, one.content_hash, one.title, one.url) == (
            other.key,
            other.content_hash,
            other.title,
            other.url,
        )


def test_a_preset_of_old_is_answered_with_what_to_write_now() -> None:
    with pytest.raises(ConfigError, match="no preset but a kind of its own: set kind: wordpress"):
        check("http_json", "cms", {"preset": "wordpress", "base_url": "https://example.org"})


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ({"url": "ftp://example.org"}, "options.url: 'ftp://example.org' is not allowed; allowed: an http or https"),
        ({"url": "https://example.org/wp-json/wp/v2"}, "the address of the site itself"),
        ({"url": "https://example.org", "types": []}, "options.types"),
        ({"url": "https://example.org", "types": ["posts", "posts"]}, "each type once"),
        ({"url": "https://example.org", "types": ["../users"]}, "REST bases such as posts"),
        ({"url": "https://example.org", "types": ["posts?status=any"]}, "REST bases such as posts"),
        ({"url": "https://example.org", "per_page": 101}, "options.per_page: 101"),
        ({"url": "https://example.org", "content_types": {"guides": "guide"}}, "types that are listed"),
        ({"url": "https://example.org", "password": "hunter2"}, "options.password: is not an option here"),
    ],
)
def test_a_wrong_option_says_what_is_allowed(options: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ConfigError) as caught:
        check("wordpress", "cms", options)
    assert wrong in str(caught.value)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("per_page", [1, 2, 3, 4, 7, 100])
def test_every_page_size_gives_the_same_documents(wordpress: FakeWordPress, per_page: int) -> None:
    made = {wordpress.create(title=f"T{number}", content="x") for number in range(23)}
    listing = wordpress.open_connector(TurnableClock(), types=["posts"], per_page=per_page).list_documents()
    assert listing.complete, listing.proof.problem
    assert listing.documents.keys() == made


def test_a_quiet_list_of_many_pages_is_read_once_and_a_new_document_does_not_disturb_it(
    wordpress: FakeWordPress,
) -> None:
    for number in range(23):
        wordpress.create(title=f"T{number}", content="x")
    connector = wordpress.open_connector(TurnableClock(), types=["posts"], per_page=7)
    assert "posts: 5 pages in one reading, 23 listed" in connector.list_documents().proof.detail
    new: list[str] = []
    wordpress.between = lambda site: new or new.append(site.create(title="new", content="x"))
    listing = connector.list_documents()
    assert listing.complete, listing.proof.problem
    assert new[0] in listing.documents


def test_what_is_listed_is_read_with_no_more_fields_than_needed(wordpress: FakeWordPress) -> None:
    wordpress.open_connector(TurnableClock(), content_in_version=False).list_documents()
    assert all("content.rendered" not in request.query["_fields"] for request in wordpress.requests)
    lists = [request.query for request in wordpress.requests if "offset" in request.query]
    assert all("content.protected" in query["_fields"] for query in lists)
    assert {(query["orderby"], query["order"]) for query in lists} == {("id", "asc")}, "the order that no edit changes"


def test_markup_that_no_reader_sees_changes_no_version(wordpress: FakeWordPress) -> None:
    text = '<p class="{}">Terms <a href="/?nonce={}">here</a></p><!-- {} --><script>let seen = {}</script>'
    doc_id = wordpress.create(content=text.format("wp-container-1", "ab", "x", 1))
    wordpress.age(doc_id)
    before = wordpress.open_connector(TurnableClock()).list_documents().documents[doc_id]
    wordpress.edit(doc_id, content=text.format("wp-container-22", "cd", "y", 2))
    wordpress.age(doc_id)
    connector = wordpress.open_connector(TurnableClock())
    assert connector.list_documents().documents[doc_id] == before
    wordpress.edit(doc_id, content=text.format("", "", "", "").replace("Terms", "Conditions"))
    wordpress.age(doc_id)
    assert connector.list_documents().documents[doc_id] != before


def test_with_a_light_list_a_version_of_this_second_is_read_again(wordpress: FakeWordPress) -> None:
    doc_id = wordpress.create(content="One")
    clock = TurnableClock(moment=datetime.now(UTC))
    connector = wordpress.open_connector(clock, content_in_version=False)
    listed = connector.list_documents().documents[doc_id].version
    assert connector.fetch(doc_id).version == f"{listed}~unsettled"
    assert wordpress.open_connector(clock).fetch(doc_id).version.isalnum(), "with its text a version is exact"
    clock.sleep(60)
    assert connector.fetch(doc_id).version == listed


def test_a_page_that_is_older_than_the_list_is_a_cache_that_lags(wordpress: FakeWordPress) -> None:
    doc_id = wordpress.create(content="New")
    connector = wordpress.open_connector(TurnableClock())
    connector.list_documents()
    wordpress.age(doc_id)
    with pytest.raises(SourceUnavailable, match="a cache lags behind"):
        connector.fetch(doc_id)


@pytest.mark.parametrize("text", ["2026-01-02T03:04:05", "2026-01-02T03:04:05Z", "2026-01-02T05:04:05+02:00"])
def test_a_gmt_date_is_utc_wherever_this_runs(text: str) -> None:
    found = utc_date(text, "modified_gmt", NOW)
    assert found is not None
    assert found.value == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert found.origin == "field modified_gmt"


@pytest.mark.parametrize(
    "text", [None, "", "0000-00-00T00:00:00", "1970-01-01T00:00:00", "soon", 5, "9999-12-31T23:59"]
)
def test_a_date_that_is_none_is_unknown(text: object) -> None:
    assert utc_date(text, "date_gmt", NOW) is None


def test_dates_that_are_missing_or_ahead_leave_the_document_readable(wordpress: FakeWordPress) -> None:
    doc_id = wordpress.create(content="x")
    ahead = f"{datetime.now(UTC) + timedelta(days=2):%Y-%m-%dT%H:%M:%S}"
    wordpress.overrides[doc_id] = {"date_gmt": None, "modified_gmt": ahead}
    fetched = wordpress.open_connector(TurnableClock(moment=datetime.now(UTC))).fetch(doc_id)
    assert (extract(fetched).created_at, extract(fetched).updated_at) == (None, None)


@pytest.mark.parametrize("status", ["publish ", "Publish", "archived", "acf-disabled", 1, True])
def test_a_state_that_nobody_named_is_not_public(wordpress: FakeWordPress, status: object) -> None:
    doc_id, other = wordpress.create(content="x"), wordpress.create(content="y")
    wordpress.overrides[doc_id] = {"status": status}
    connector = wordpress.open_connector(TurnableClock())
    listing = connector.list_documents()
    assert listing.complete, listing.proof.problem
    assert doc_id not in listing.documents
    assert other in listing.documents
    assert connector.probe(doc_id) is Presence.NOT_PUBLIC


@pytest.mark.parametrize("withheld", [{"status": None}, {"content": None}, {"content": {"rendered": "x"}}])
def test_a_state_that_a_plugin_removes_is_unknown_neither_public_nor_gone(
    wordpress: FakeWordPress, withheld: dict[str, Any]
) -> None:
    doc_id = wordpress.create(content="x")
    site = site_over(wordpress)
    assert site.night().state is RunState.TRUE
    wordpress.overrides[doc_id] = withheld
    connector = wordpress.open_connector(TurnableClock())
    assert connector.list_documents().documents[doc_id].unreadable
    assert connector.probe(doc_id) is Presence.UNKNOWN
    with pytest.raises(DocumentUnreadable, match="its state is unknown"):
        connector.fetch(doc_id)
    manifest = site.night()
    assert [(one.doc_id, one.state) for one in manifest.outcomes] == [(doc_id, DocumentState.FAILED)]
    assert doc_id in site.documents()


def test_an_account_never_reads_a_text_behind_a_password(wordpress: FakeWordPress) -> None:
    doc_id = wordpress.create(content="x", password="secret")
    wordpress.overrides[doc_id] = {"content": {"rendered": "<p>for members</p>", "protected": True}}
    connector = wordpress.open_connector(TurnableClock(), user="admin")
    listing = connector.list_documents()
    assert listing.complete
    assert doc_id not in listing.documents
    assert connector.probe(doc_id) is Presence.NOT_PUBLIC


def test_a_password_revoked_between_two_lists_is_noticed_after_the_last(wordpress: FakeWordPress) -> None:
    wordpress.create(content="x")
    connector = wordpress.open_connector(TurnableClock(), user="viewer")
    assert connector.list_documents().complete
    wordpress.between = lambda site: site.passwords.update(viewer="another one")
    listing = connector.list_documents()
    assert not listing.complete
    assert "does not accept the credential" in listing.proof.problem


def test_a_password_revoked_while_pages_are_read_is_noticed(wordpress: FakeWordPress) -> None:
    made = wordpress.create(content="x")
    clock = TurnableClock()
    connector = wordpress.open_connector(clock, user="viewer", pace=clock)
    assert connector.list_documents().complete
    assert connector.fetch(made).body == b"x"
    wordpress.passwords["viewer"] = "another one"
    clock.elapsed += 60
    with pytest.raises(SourceUnavailable, match="does not accept the credential"):
        connector.fetch(made)


def test_rights_that_change_while_the_lists_are_read_prove_nothing(wordpress: FakeWordPress) -> None:
    wordpress.create(content="x")
    connector = wordpress.open_connector(TurnableClock(), user="viewer")
    scope = connector.list_documents().proof.scope
    wordpress.between = lambda site: site.capabilities.update(edit_posts=True)
    listing = connector.list_documents()
    assert not listing.complete
    assert "our rights changed while the lists were read" in listing.proof.problem
    wordpress.between = None
    listing = connector.list_documents()
    assert listing.complete
    assert listing.proof.scope != scope, "two nights can be compared by it"


def test_another_site_is_another_scope_and_another_order_of_types_is_not(wordpress: FakeWordPress) -> None:
    scope = wordpress.open_connector(TurnableClock()).list_documents().proof.scope
    reordered = wordpress.open_connector(TurnableClock(), types=["pages", "guides", "posts"])
    assert reordered.list_documents().proof.scope == scope
    with FakeWordPress.serving() as staging:
        assert staging.open_connector(TurnableClock()).list_documents().proof.scope != scope


def test_a_document_that_changes_its_type_while_the_lists_are_read_is_listed_twice(wordpress: FakeWordPress) -> None:
    doc_id = wordpress.create(content="x")
    connector = wordpress.open_connector(TurnableClock())
    connector.list_documents()
    wordpress.between = lambda site: site.change_type(doc_id, "pages")
    listing = connector.list_documents()
    assert not listing.complete
    assert f"{doc_id} is listed as posts and as pages" in listing.proof.problem


def test_one_type_that_a_plugin_hides_loses_no_document(wordpress: FakeWordPress) -> None:
    guides = [wordpress.create("guides", title=f"G{number}", content=f"guide {number}") for number in range(4)]
    site = site_over(wordpress)
    site.night()
    before = site.chunks()
    with wordpress.fault("guide_filtered"):
        manifest = site.night()
    assert {(one.doc_id, one.state) for one in manifest.outcomes} == {(one, DocumentState.KEPT) for one in guides}
    assert site.chunks() == before


@pytest.mark.parametrize("count", [1, 4, 5, 7, 8, 9, 20])
def test_without_totals_the_list_is_read_past_its_end(wordpress: FakeWordPress, count: int) -> None:
    made = {wordpress.create(title=f"T{number}", content="x") for number in range(count)}
    with wordpress.fault("no_total"):
        listing = wordpress.open_connector(TurnableClock(), types=["posts"], per_page=5).list_documents()
    assert listing.complete, listing.proof.problem
    assert listing.documents.keys() == made
    assert listing.proof.declared_total is None
    assert "no total declared" in listing.proof.detail


def test_a_text_that_is_another_with_every_answer_does_not_disturb_the_list(wordpress: FakeWordPress) -> None:
    made = [wordpress.create(title=f"T{number}", content="x") for number in range(20)]
    wordpress.between = lambda site: [setattr(site.posts[int(one)], "content", f"{uuid4()} views") for one in made]
    proof = wordpress.open_connector(TurnableClock(), types=["posts"], per_page=7).list_documents().proof
    assert proof.complete, proof.problem
    assert "in one reading" in proof.detail


@pytest.mark.parametrize("per_page", [1, 3, 10])
def test_a_total_that_counts_one_page_only_proves_nothing(wordpress: FakeWordPress, per_page: int) -> None:
    for number in range(30):
        wordpress.create(title=f"T{number}", content="x")
    wordpress.counted = per_page
    proof = wordpress.open_connector(TurnableClock(), types=["posts"], per_page=per_page).list_documents().proof
    assert not proof.complete
    assert "its total seems to count one page" in proof.problem


def test_a_total_that_is_dropped_on_some_pages_is_a_change(wordpress: FakeWordPress) -> None:
    for number in range(12):
        wordpress.create(title=f"T{number}", content="x")
    wordpress.between = lambda site: site.faults.symmetric_difference_update({"no_total"})
    listing = wordpress.open_connector(TurnableClock(), types=["posts"], per_page=5, passes=1).list_documents()
    assert not listing.complete
    assert "the declared total changed from page to page" in listing.proof.problem


def test_a_list_that_broke_off_is_never_resumed(wordpress: FakeWordPress) -> None:
    made = [wordpress.create(title=f"T{number}", content="x") for number in range(12)]
    connector = wordpress.open_connector(TurnableClock(), types=["posts"], per_page=5)
    connector.list_documents()
    wordpress.between = lambda site: site.faults.add("maintenance")
    broken = connector.list_documents()
    assert not broken.complete
    assert "page 2 could not be read" in broken.proof.problem
    wordpress.between = None
    wordpress.faults.clear()
    del wordpress.requests[:]
    assert connector.list_documents().documents.keys() == set(made)
    assert wordpress.requests[0].query["offset"] == "0"


@pytest.mark.parametrize("doc_id", ["007", "abc", "1/../2", "-4", "", "٤"])
def test_what_is_no_number_is_no_document_and_never_gone(wordpress: FakeWordPress, doc_id: str) -> None:
    wordpress.create(content="x")
    connector = wordpress.open_connector(TurnableClock())
    connector.list_documents()
    del wordpress.requests[:]
    assert connector.probe(doc_id) is Presence.UNKNOWN
    with pytest.raises(DocumentUnreadable, match="no id of WordPress"):
        connector.fetch(doc_id)
    assert wordpress.requests == []


def test_without_any_known_living_document_a_404_proves_nothing(wordpress: FakeWordPress) -> None:
    wordpress.create(content="x")
    connector = wordpress.open_connector(TurnableClock())
    assert connector.probe("999") is Presence.UNKNOWN
    assert wordpress.open_connector(TurnableClock(), canaries=["4"]).probe("999") is Presence.GONE
    assert wordpress.open_connector(TurnableClock(), canaries=["998"]).probe("999") is Presence.UNKNOWN


def test_canaries_of_every_type_are_asked(wordpress: FakeWordPress) -> None:
    post, guide = wordpress.create(content="x"), wordpress.create("guides", title="G", content="y")
    connector = wordpress.open_connector(TurnableClock())
    connector.list_documents()
    for _ in range(2):
        del wordpress.requests[:]
        assert connector.probe("999") is Presence.GONE
        asked = {request.path.rpartition("/")[2] for request in wordpress.requests}
        assert asked == {"999", "4", post, guide}


def test_a_document_without_text_is_its_title_unless_that_is_refused(wordpress: FakeWordPress) -> None:
    doc_id = wordpress.create("pages", title="Departments", content="")
    assert extract(wordpress.open_connector(TurnableClock()).fetch(doc_id)).text == "Departments"
    with pytest.raises(DocumentUnreadable, match="an empty text"):
        wordpress.open_connector(TurnableClock(), empty_pages=False).fetch(doc_id)


def test_one_document_that_cannot_be_stored_as_text_fails_alone(wordpress: FakeWordPress) -> None:
    good, bad = wordpress.create(content="good"), wordpress.create(content="bad")
    wordpress.overrides[bad] = {"content": {"rendered": "half a \ud83d pair", "protected": False}}
    site = site_over(wordpress)
    manifest = site.night()
    assert manifest.state is RunState.DEGRADED
    assert {one.doc_id for one in manifest.outcomes if one.state is DocumentState.FAILED} == {bad}
    assert good in site.documents()


def test_titles_lose_their_markup_and_keep_their_signs(wordpress: FakeWordPress) -> None:
    doc_id = wordpress.create(content="x")
    wordpress.overrides[doc_id] = {"title": {"rendered": "A &#8211; <em>B</em> &lt;C&gt;"}}
    assert wordpress.open_connector(TurnableClock()).fetch(doc_id).title == "A – B <C>"


def test_the_content_type_is_the_types_own_name_unless_it_is_named(wordpress: FakeWordPress) -> None:
    doc_id = wordpress.create(content="x")
    assert wordpress.open_connector(TurnableClock()).fetch(doc_id).content_type == "post"
    named = wordpress.open_connector(TurnableClock(), content_types={"posts": "news"})
    assert named.fetch(doc_id).content_type == "news"


def test_plain_permalinks_are_found_out_and_can_be_named(wordpress: FakeWordPress) -> None:
    doc_id = wordpress.create(content="x")
    wordpress.use_plain_permalinks()
    for rest in ("auto", "plain"):
        connector = wordpress.open_connector(TurnableClock(), rest=rest)
        assert doc_id in connector.list_documents().documents
        assert connector.probe("999") is Presence.GONE
    with pytest.raises(SourceUnavailable, match="where JSON was due"):
        wordpress.open_connector(TurnableClock(), rest="pretty").list_documents()


@pytest.mark.parametrize("rest_base", TYPES)
def test_one_type_that_knows_the_document_outweighs_all_that_do_not(wordpress: FakeWordPress, rest_base: str) -> None:
    doc_id = wordpress.create(rest_base, title="Draft", content="x", status="draft")
    connector = wordpress.open_connector(TurnableClock(), canaries=["4"])
    assert connector.probe(doc_id) is Presence.NOT_PUBLIC
    with pytest.raises(DocumentNotPublic, match="401 rest_forbidden"):
        connector.fetch(doc_id)


def test_a_page_that_shows_another_document_is_no_answer(wordpress: FakeWordPress) -> None:
    doc_id = wordpress.create(content="x")
    connector = wordpress.open_connector(TurnableClock())
    connector.list_documents()
    wordpress.overrides[doc_id] = {"id": 4}
    assert connector.probe(doc_id) is Presence.UNKNOWN
    with pytest.raises(SourceUnavailable, match=f"shows document 4 when asked for {doc_id}"):
        connector.fetch(doc_id)


def test_many_removals_at_once_wait_for_a_person(wordpress: FakeWordPress) -> None:
    made = [wordpress.create(title=f"T{number}", content=f"text {number}") for number in range(20)]
    site = site_over(wordpress)
    site.limits = type(OPEN)()
    assert site.night().state is RunState.TRUE
    for doc_id in made[:10]:
        wordpress.trash(doc_id)
    assert site.night().state is RunState.HELD
    assert set(made) <= site.documents()
