"""What an editor does to a real Wagtail, what list, page and webhook say of it, and what becomes of the document."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from random import Random

import pytest

from include.connectors.registry import PRESETS
from include.domain.documents import Presence
from include.domain.manifest import DocumentState, Manifest
from include.hooks.delivery import Delivery
from include.wiring.clock import SystemClock
from tests.cms.postman import Postman
from tests.cms.rich_text import new_text, to_form
from tests.cms.sync import SECRET, Sync
from tests.cms.wagtail import NO_SCHEDULE, WagtailSite
from tests.cms.wagtail_admin import ROOT, WagtailAdmin
from tests.cms.words import heading, unique_word

pytestmark = pytest.mark.cms

RANDOM = Random(7)
PRESENT, GONE, NOT_PUBLIC = Presence.PRESENT, Presence.GONE, Presence.NOT_PUBLIC


@dataclass(frozen=True, slots=True)
class Family:
    """A published page below a published page, and another beside the parent."""

    parent: int
    page: int
    other: int


Act = Callable[[WagtailAdmin, Family], object]


@dataclass(frozen=True, slots=True)
class State:
    """A row of the table: after `act` (and `before`, which is synced), what is said of the page, and what is done.

    `version` is `same`, `other`, or `-` where the page is not in the list.
    """

    what: str
    act: Act
    version: str
    probe: Presence
    events: tuple[str, ...]
    index: DocumentState | None
    before: Act | None = None

    @property
    def row(self) -> str:
        """As it is written in the preset."""
        event = ", ".join(self.events).replace("page.", "") or "none"
        done = self.index.value if self.index else "nothing"
        return f"# {self.what:<44} | {self.version:<7} | {self.probe.value:<10} | {event:<20} | {done}"


def _new_text() -> dict[str, str]:
    return {"body": to_form(new_text(RANDOM))}


def _make_live_soon(admin: WagtailAdmin, family: Family) -> None:
    admin.edit(family.page, {**_new_text(), "go_live_at": admin.soon(), "expire_at": ""})


def _expire_soon(admin: WagtailAdmin, family: Family) -> None:
    admin.edit(family.page, {"expire_at": admin.soon()})


def _unpublish(admin: WagtailAdmin, family: Family) -> None:
    admin.unpublish(family.page)


def _password(admin: WagtailAdmin, family: Family) -> None:
    admin.protect(family.page, "password")


def _cron(admin: WagtailAdmin, family: Family) -> None:
    admin.cron()


def _restore_first_revision(admin: WagtailAdmin, family: Family) -> None:
    page = admin.page(family.page)
    admin.edit(page.id, {"slug": page.slug, **NO_SCHEDULE}, revision=page.revisions[0])


PUBLISHED, MOVED, UNPUBLISHED = ("page.published",), ("page.moved",), ("page.unpublished",)
DELETED, PRIVACY = ("page.deleted", "page.unpublished"), ("page.privacy",)
RENAMED = ("page.moved", "page.published")

TABLE = [
    State(
        "edit the text", lambda a, f: a.edit(f.page, _new_text()), "other", PRESENT, PUBLISHED, DocumentState.REPLACED
    ),
    State(
        "shorten the text",
        lambda a, f: a.edit(f.page, {"body": to_form(a.text(f.page)[:1])}),
        "other",
        PRESENT,
        PUBLISHED,
        DocumentState.REPLACED,
        before=lambda a, f: a.edit(f.page, {"body": to_form([*new_text(RANDOM), *new_text(RANDOM)])}),
    ),
    State(
        "change the title",
        lambda a, f: a.edit(f.page, {"title": heading(RANDOM)}),
        "other",
        PRESENT,
        PUBLISHED,
        DocumentState.REFRESHED,
    ),
    State(
        "publish without a change",
        lambda a, f: a.edit(f.page, {}),
        "other",
        PRESENT,
        PUBLISHED,
        DocumentState.REFRESHED,
    ),
    State("edit a draft", lambda a, f: a.edit(f.page, _new_text(), publish=False), "same", PRESENT, (), None),
    State(
        "empty the text",
        lambda a, f: a.edit(f.page, {"body": to_form([])}),
        "other",
        PRESENT,
        PUBLISHED,
        DocumentState.FAILED,
    ),
    State(
        "restore an old revision",
        _restore_first_revision,
        "other",
        PRESENT,
        PUBLISHED,
        DocumentState.REPLACED,
        before=lambda a, f: a.edit(f.page, _new_text()),
    ),
    State(
        "rename the slug",
        lambda a, f: a.edit(f.page, {"slug": unique_word(RANDOM)}),
        "other",
        PRESENT,
        RENAMED,
        DocumentState.REFRESHED,
    ),
    State(
        "rename the slug of the page above",
        lambda a, f: a.edit(f.parent, {"slug": unique_word(RANDOM)}),
        "other",
        PRESENT,
        RENAMED,
        DocumentState.REFRESHED,
    ),
    State(
        "move below another page",
        lambda a, f: a.move(f.page, f.other),
        "other",
        PRESENT,
        MOVED,
        DocumentState.REFRESHED,
    ),
    State(
        "move the page above", lambda a, f: a.move(f.parent, f.other), "other", PRESENT, MOVED, DocumentState.REFRESHED
    ),
    State("unpublish", _unpublish, "-", GONE, UNPUBLISHED, DocumentState.DELETED),
    State("unpublish the page above, alone", lambda a, f: a.unpublish(f.parent), "same", PRESENT, UNPUBLISHED, None),
    State(
        "unpublish the page above and all below it",
        lambda a, f: a.unpublish(f.parent, with_descendants=True),
        "-",
        GONE,
        UNPUBLISHED,
        DocumentState.DELETED,
    ),
    State(
        "publish again",
        lambda a, f: a.edit(f.page, NO_SCHEDULE),
        "other",
        PRESENT,
        PUBLISHED,
        DocumentState.CREATED,
        before=_unpublish,
    ),
    State("delete", lambda a, f: a.delete(f.page), "-", GONE, DELETED, DocumentState.DELETED),
    State("delete the page above", lambda a, f: a.delete(f.parent), "-", GONE, DELETED, DocumentState.DELETED),
    State("schedule a new text", _make_live_soon, "same", PRESENT, (), None),
    State(
        "publish_scheduled, go-live time passed",
        _cron,
        "other",
        PRESENT,
        PUBLISHED,
        DocumentState.REPLACED,
        before=_make_live_soon,
    ),
    State("set an expiry", _expire_soon, "other", PRESENT, PUBLISHED, DocumentState.REFRESHED),
    State(
        "publish_scheduled, expiry time passed",
        _cron,
        "-",
        GONE,
        UNPUBLISHED,
        DocumentState.DELETED,
        before=_expire_soon,
    ),
    State("protect with a password", _password, "-", GONE, PRIVACY, DocumentState.DELETED),
    State(
        "only for who is logged in", lambda a, f: a.protect(f.page, "login"), "-", GONE, PRIVACY, DocumentState.DELETED
    ),
    State(
        "protect the page above with a password",
        lambda a, f: a.protect(f.parent, "password"),
        "-",
        GONE,
        PRIVACY,
        DocumentState.DELETED,
    ),
    State(
        "take the password away",
        lambda a, f: a.protect(f.page, "none"),
        "other",
        PRESENT,
        PRIVACY,
        DocumentState.CREATED,
        before=_password,
    ),
]


@dataclass
class Desk:
    """A site whose index is true, and whose events are kept."""

    site: WagtailSite
    sync: Sync
    postman: Postman

    def family(self) -> Family:
        parent = self.site.admin.publish(RANDOM).id
        page, other = self.site.admin.publish(RANDOM, parent=parent).id, self.site.admin.publish(RANDOM).id
        return Family(parent, page, other)

    def night(self) -> Manifest:
        *_, manifest = self.sync.night()
        return manifest

    def events_of(self, page: int) -> tuple[str, ...]:
        """Kinds of the events since the last time that name this page."""
        kinds: set[str] = set()

        def read(delivery: Delivery) -> None:
            event = json.loads(delivery.body)
            if event["data"]["id"] == page:
                kinds.add(event["type"])

        self.postman.deliver(read)
        return tuple(sorted(kinds))


@pytest.fixture(scope="module")
def desk(shared_wagtail: WagtailSite, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    postman = Postman()
    shared_wagtail.send_events_to(postman.url, SECRET)
    desk = Desk(shared_wagtail, Sync(shared_wagtail, tmp_path_factory.mktemp("index")), postman)
    desk.night()
    yield desk
    postman.close()


@pytest.mark.parametrize("state", TABLE, ids=lambda state: state.what)
def test_after_what_an_editor_did_list_page_event_and_index_say(state: State, desk: Desk) -> None:
    family, admin = desk.family(), desk.site.admin
    if state.before:
        desk.night()
        state.before(admin, family)
    desk.night()
    doc_id = str(family.page)
    versions = _versions(desk.site)
    desk.events_of(family.page)

    state.act(admin, family)

    after = _versions(desk.site)
    version = "-" if doc_id not in after else "same" if after[doc_id] == versions.get(doc_id) else "other"
    with closing(desk.site.open_connector(SystemClock())) as connector:
        connector.list_documents()  # without it there are no canaries to vouch for a 404
        probe = connector.probe(doc_id)
    outcomes = {outcome.doc_id: outcome.state for outcome in desk.night().outcomes}
    found = State(state.what, state.act, version, probe, desk.events_of(family.page), outcomes.get(doc_id))
    assert found.row == state.row
    assert desk.site.is_readable(family.page) is (probe is PRESENT)


def test_an_alias_is_no_document_and_shares_no_fate_with_one(desk: Desk) -> None:
    family, slug = desk.family(), unique_word(RANDOM)
    desk.site.admin.copy(family.page, ROOT, slug, publish=True, subpages=False, alias=True)
    (alias,) = (page for page in desk.site.admin.pages() if page.slug == slug)
    desk.night()
    assert str(family.page) in desk.sync.searchable()
    assert str(alias.id) not in desk.sync.searchable()
    with closing(desk.site.open_connector(SystemClock())) as connector:
        connector.list_documents()
        assert connector.probe(str(alias.id)) is NOT_PUBLIC


def test_the_api_shows_a_page_below_an_alias_of_a_protected_page_and_no_reader_may_read_it(desk: Desk) -> None:
    """Wagtail's gap, not ours: named in the preset, and to be taken out there when this fails."""
    family, slug, admin = desk.family(), unique_word(RANDOM), desk.site.admin
    admin.copy(family.page, ROOT, slug, publish=True, subpages=False, alias=True)
    (alias,) = (page.id for page in admin.pages() if page.slug == slug)
    below = admin.publish(RANDOM, parent=alias).id
    admin.protect(family.page, "password")
    assert not desk.site.is_readable(below)
    assert str(below) in _versions(desk.site)
    admin.delete(below)


def test_after_all_of_that_the_index_is_what_a_reader_sees(desk: Desk) -> None:
    desk.night()
    assert set(desk.sync.searchable()) == set(desk.site.visible())


def _versions(site: WagtailSite) -> dict[str, str]:
    with closing(site.open_connector(SystemClock())) as connector:
        listing = connector.list_documents()
    assert listing.complete, listing.proof
    return {doc_id: listed.version for doc_id, listed in listing.documents.items()}


def test_the_preset_shows_the_same_table() -> None:
    written = (PRESETS / "wagtail.yaml").read_text().splitlines()
    assert [state.row for state in TABLE if state.row not in written] == []
