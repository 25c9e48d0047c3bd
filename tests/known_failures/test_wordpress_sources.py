"""Failures of others, as they would come to a WordPress: its lists, its states, its dates."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from include.domain.manifest import DocumentState, Manifest, RunState
from include.planning.limits import Limits
from include.text.normalise import extract
from tests.cms.wordpress_states import site_over
from tests.connector_sources import TurnableClock
from tests.fakes.wordpress import TYPES, FakeWordPress
from tests.known_failures.site import Site


@pytest.fixture
def wordpress() -> Iterator[FakeWordPress]:
    with FakeWordPress.serving() as site:
        yield site


def _filled(wordpress: FakeWordPress, count: int, **options: object) -> tuple[list[str], Site]:
    made = [wordpress.create(title=f"T{number}", content=f"<p>text {number}</p>") for number in range(count)]
    site = site_over(wordpress, **options)
    assert site.night().state is RunState.TRUE
    return made, site


def _states(manifest: Manifest) -> dict[str, DocumentState]:
    return {outcome.doc_id: outcome.state for outcome in manifest.outcomes}


def _unproven(manifest: Manifest) -> bool:
    return manifest.state is RunState.UNPROVEN and manifest.outcomes == () and bool(manifest.reason)


# PARTIAL-LISTING


def test_pl_08_a_failed_page_is_no_end_although_the_first_holds_all_that_is_indexed(wordpress: FakeWordPress) -> None:
    _, site = _filled(wordpress, 5, per_page=5)
    for number in range(6):
        wordpress.create(title=f"new {number}", content="x")
    before = site.chunks()
    wordpress.between = lambda cms: cms.faults.add("maintenance")
    assert _unproven(site.night())
    assert site.chunks() == before


@pytest.mark.parametrize("fault", ["", "guide_filtered"])
def test_pl_11_behind_a_cache_that_drops_the_totals_each_absence_is_asked_for(
    wordpress: FakeWordPress, fault: str
) -> None:
    guide = wordpress.create("guides", title="G", content="a guide")
    made, site = _filled(wordpress, 12, per_page=5)
    wordpress.delete(made[0])
    with wordpress.fault("no_total"), wordpress.fault(fault):
        states = _states(site.night())
    assert states == {made[0]: DocumentState.DELETED, **({guide: DocumentState.KEPT} if fault else {})}


def test_pl_15_documents_that_fail_are_counted_apart_and_keep_their_text(wordpress: FakeWordPress) -> None:
    made, site = _filled(wordpress, 10)
    texts = site.texts()
    wordpress.overrides = {key: {"content": {"protected": False}} for key in made[:3]}
    wordpress.delete(made[9])
    assert _states(site.night()) == {
        **dict.fromkeys(made[:3], DocumentState.FAILED),
        made[9]: DocumentState.DELETED,
    }
    assert {doc_id: site.texts()[doc_id] for doc_id in made[:3]} == {doc_id: texts[doc_id] for doc_id in made[:3]}


# FALSE-EMPTY


@pytest.mark.parametrize("user", ["", "viewer"])
def test_fe_01_a_list_of_nothing_with_a_total_of_nothing_proves_nothing(wordpress: FakeWordPress, user: str) -> None:
    _, site = _filled(wordpress, 40, user=user)
    before = site.chunks()
    with wordpress.fault("filtered"):
        manifest = site.night()
    assert _unproven(manifest)
    assert "has the credential lost its scope?" in manifest.reason
    assert site.chunks() == before


def test_fe_01_a_password_that_was_revoked_is_named_and_removes_nothing(wordpress: FakeWordPress) -> None:
    _, site = _filled(wordpress, 10, user="viewer")
    connector = site.connect(site.clock)
    wordpress.passwords["viewer"] = "another one"
    assert connector.list_documents().documents, "the anonymous list, as if all were well"
    assert not connector.list_documents().complete


def test_fe_06_a_site_that_is_down_night_after_night_loses_nothing(wordpress: FakeWordPress) -> None:
    _, site = _filled(wordpress, 10)
    before = site.chunks()
    with wordpress.fault("maintenance"):
        for _ in range(3):
            assert _unproven(site.night())
    assert site.night().outcomes == ()
    assert site.chunks() == before


def test_fe_10_a_database_without_posts_is_no_empty_site(wordpress: FakeWordPress) -> None:
    _, site = _filled(wordpress, 10)
    before = site.chunks()
    with wordpress.fault("table_lost"):
        assert _unproven(site.night())
    assert site.chunks() == before


# UNSEEN-REMOVAL


def test_ur_03_what_is_deleted_in_bulk_without_a_single_event_goes_in_one_night(wordpress: FakeWordPress) -> None:
    made, site = _filled(wordpress, 30)
    for doc_id in made[:25]:
        wordpress.delete(doc_id)
    assert _states(site.night()) == dict.fromkeys(made[:25], DocumentState.DELETED)
    assert site.documents() == {*made[25:], "4"}


@pytest.mark.parametrize("rest_base", TYPES)
def test_ur_05_the_trash_is_seen_for_every_type(wordpress: FakeWordPress, rest_base: str) -> None:
    doc_id = wordpress.create(rest_base, title="Old", content="sixty days")
    _, site = _filled(wordpress, 3)
    wordpress.trash(doc_id)
    assert _states(site.night()) == {doc_id: DocumentState.DELETED}


def test_ur_06_what_a_renamed_parent_moves_is_refreshed_although_no_date_says_so(wordpress: FakeWordPress) -> None:
    parent = wordpress.create("pages", title="Parent", content="above")
    child = wordpress.create("pages", title="Child", content="below", parent=int(parent))
    _, site = _filled(wordpress, 1)
    wordpress.edit(parent, slug="elsewhere")
    assert _states(site.night()) == dict.fromkeys((parent, child), DocumentState.REFRESHED)
    assert site.connect(site.clock).fetch(child).url.endswith("/elsewhere/child/")


def test_ur_11_one_edit_one_deletion_one_addition_are_just_that(wordpress: FakeWordPress) -> None:
    made, site = _filled(wordpress, 10)
    wordpress.edit(made[0], content="<p>another text</p>")
    wordpress.delete(made[1])
    new = wordpress.create(title="new", content="<p>a new text</p>")
    assert _states(site.night()) == {
        made[0]: DocumentState.REPLACED,
        made[1]: DocumentState.DELETED,
        new: DocumentState.CREATED,
    }


def test_a_type_that_is_no_longer_configured_goes_through_the_gate(wordpress: FakeWordPress) -> None:
    guides = [wordpress.create("guides", title=f"G{number}", content=f"guide {number}") for number in range(5)]
    _, site = _filled(wordpress, 5)
    site.limits = Limits()
    site.connect = lambda clock: wordpress.open_connector(clock, types=["posts", "pages"])
    assert site.night().state is RunState.HELD
    assert set(guides) <= site.documents()


# WATERMARK


@pytest.mark.parametrize("moment", [1, 2, 3, 4])
def test_wm_04_an_edit_while_the_lists_are_read_is_seen_tonight_or_tomorrow(
    wordpress: FakeWordPress, moment: int
) -> None:
    made, site = _filled(wordpress, 12, per_page=5)
    lists = iter(range(1, 100))

    def edit(cms: FakeWordPress) -> None:
        if next(lists) == moment:
            cms.edit(made[0], content="<p>a late edit</p>")

    wordpress.between = edit
    site.night()
    wordpress.between = None
    site.night()
    assert site.texts()[made[0]] == ["a late edit"]


def test_wm_08_no_request_asks_for_changes_since_a_date(wordpress: FakeWordPress) -> None:
    _, site = _filled(wordpress, 5)
    site.night()
    asked = {name for request in wordpress.requests for name in request.query}
    assert asked <= {"orderby", "order", "_fields", "per_page", "offset", "rest_route", "context"}


def test_a_scheduled_document_that_goes_live_with_an_old_date_is_picked_up(wordpress: FakeWordPress) -> None:
    doc_id = wordpress.schedule(title="Soon", content="prices of spring")
    wordpress.age(doc_id)
    _, site = _filled(wordpress, 3)
    assert doc_id not in site.documents()
    wordpress.let_it_become_due(doc_id)
    assert _states(site.night()) == {doc_id: DocumentState.CREATED}


# IDENTITY


def test_a_reused_slug_is_another_document(wordpress: FakeWordPress) -> None:
    made, site = _filled(wordpress, 3)
    slug = wordpress.posts[int(made[0])].slug
    wordpress.trash(made[0])
    other = wordpress.create(title="other", slug=slug, content="<p>other</p>")
    wordpress.edit(made[0], status="publish", slug=slug)
    assert wordpress.posts[int(made[0])].slug == f"{slug}-2", "it comes back under another address"
    assert _states(site.night()) == {made[0]: DocumentState.REFRESHED, other: DocumentState.CREATED}


def test_id_09_a_document_that_comes_back_with_the_same_text_is_indexed_again(wordpress: FakeWordPress) -> None:
    made, site = _filled(wordpress, 3)
    wordpress.trash(made[0])
    assert _states(site.night()) == {made[0]: DocumentState.DELETED}
    wordpress.edit(made[0], status="publish")
    assert _states(site.night()) == {made[0]: DocumentState.CREATED}
    assert made[0] in site.documents()


# READ-LEAK, DATE-TRUTH, CONTENT-LOSS


@pytest.mark.parametrize("user", ["", "viewer", "admin"])
def test_rl_03_nothing_that_is_not_for_everybody_reaches_index_or_manifest(wordpress: FakeWordPress, user: str) -> None:
    secret = "<p>plutonium</p>"
    wordpress.create(title="protected", content=secret, password="x")
    for status in ("private", "pending", "draft"):
        wordpress.create(title=status, content=secret, status=status)
    wordpress.schedule(title="future", content=secret)
    made, site = _filled(wordpress, 3, user=user)
    wordpress.edit(made[0], content=secret, password="x")
    manifest = site.night()
    assert _states(manifest) == {made[0]: DocumentState.DELETED}
    assert "plutonium" not in repr((manifest, site.chunks()))


@pytest.mark.parametrize("date", [None, "0000-00-00T00:00:00", "", "-0001-11-30T00:00:00"])
def test_dt_11_a_date_that_was_never_set_is_unknown(wordpress: FakeWordPress, date: object) -> None:
    doc_id = wordpress.create(content="x")
    wordpress.overrides[doc_id] = {"date_gmt": date, "modified_gmt": date}
    connector = wordpress.open_connector(TurnableClock(moment=datetime.now(UTC)))
    assert connector.list_documents().complete
    fetched = connector.fetch(doc_id)
    assert (extract(fetched).created_at, extract(fetched).updated_at) == (None, None)


def test_cl_09_a_plugin_that_shows_everybody_the_same_notice_is_held(wordpress: FakeWordPress) -> None:
    made, site = _filled(wordpress, 12)
    site.limits = Limits()
    texts = site.texts()
    notice = {"rendered": "<p>Please accept our cookies.</p>", "protected": False}
    wordpress.overrides = {key: {"content": notice} for key in made}
    assert site.night().state is RunState.HELD
    assert site.texts() == texts


def test_cl_09_a_plugin_that_empties_some_texts_is_held_and_an_editor_may_empty_one(wordpress: FakeWordPress) -> None:
    made, site = _filled(wordpress, 39)
    site.limits = Limits()
    wordpress.edit(made[0], content="<div></div>")
    assert site.night().state is RunState.TRUE
    texts = site.texts()
    for doc_id in made[1:6]:
        wordpress.edit(doc_id, content="<div></div>")
    manifest = site.night()
    assert manifest.state is RunState.HELD
    assert "5 of 40 documents would have no text" in manifest.reason
    assert site.texts() == texts


def test_cl_09_a_plugin_that_empties_every_text_is_held(wordpress: FakeWordPress) -> None:
    made, site = _filled(wordpress, 12)
    site.limits = Limits()
    texts = site.texts()
    wordpress.overrides = {key: {"content": {"rendered": "", "protected": False}} for key in made}
    assert site.night().state is RunState.HELD
    assert site.texts() == texts
