"""The promises of the `wordpress` connector, checked on the fake WordPress and on the real one alike.

A test module derives from `WordPressStates` and brings a fixture `wordpress`. The state table of the connector's
docstring is `STATES`, row by row.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

import pytest
import requests

from include.connectors import wordpress as connector_module
from include.connectors.http_session import Pace
from include.connectors.wordpress import WordPressConnector
from include.domain.documents import Presence
from include.domain.errors import DocumentGone, DocumentNotPublic, SourceUnavailable
from include.domain.manifest import DocumentState, RunState
from include.planning.limits import Limits
from include.ports import Clock
from tests.connector_sources import TurnableClock
from tests.known_failures.site import Site

OPEN = Limits(deletion_percent=100, window_percent=100, update_percent=100, same_text_percent=100)
FAULTS = ("maintenance", "installer", "table_lost", "notice", "page", "filtered", "closed", "type_dropped")


class WordPress(Protocol):
    """What both peers can do; `tests.cms.wordpress.WordPressSite` says what is meant."""

    @property
    def url(self) -> str: ...

    @property
    def pattern(self) -> str: ...

    documents: dict[str, str]

    def open_connector(
        self, clock: Clock, *, user: str = "", pace: Pace | None = None, **options: Any
    ) -> WordPressConnector: ...

    def create(self, rest_base: str = "posts", **fields: Any) -> str: ...
    def edit(self, doc_id: str, **fields: Any) -> object: ...
    def trash(self, doc_id: str) -> None: ...
    def delete(self, doc_id: str) -> None: ...
    def schedule(self, rest_base: str = "posts", *, days: float = 1, **fields: Any) -> str: ...
    def reschedule(self, doc_id: str, *, days: float = 1) -> None: ...
    def let_it_become_due(self, doc_id: str) -> None: ...
    def rename_category(self, name: str) -> None: ...
    def edit_pattern(self, content: str) -> None: ...
    def change_type(self, doc_id: str, rest_base: str) -> None: ...
    def age(self, doc_id: str) -> None: ...
    def read(self, doc_id: str) -> str | None: ...
    def fault(self, name: str) -> AbstractContextManager[None]: ...
    def lose_the_posts(self) -> None: ...
    def find_the_posts(self) -> None: ...


SAVED, DELETED = "wp_after_insert_post", "deleted_post"
ABSENT, GONE, SHOWN, FORM = "401", "404", "200", "200, protected"
AGED = "2026-01-02T03:04:05"
CODES = {401: "rest_forbidden", 404: "rest_post_invalid_id"}
NEW, HIDDEN, LISTED = "new version", "absent", "protected"

Made = Callable[[WordPress], str]
Act = Callable[[WordPress, str], object]


@dataclass(frozen=True)
class State:
    """A row: what an editor does to a document that `made` made, and what is to be seen of it afterwards.

    `listed` is NEW (it is listed, with a version that it did not have before), "protected" or "absent". `moves`:
    whether modified_gmt says so; None where there is none to see. `answer` is that to an anonymous question by id.
    `hook` is the hook of WordPress that names this document, `index` what the next night does to it. Without `act` the
    action is the making.
    """

    action: str
    listed: str
    moves: bool | None
    answer: str
    hook: str
    index: DocumentState | None
    made: Made
    act: Act | None = None

    @property
    def row(self) -> str:
        moved = {True: "moves", False: "stays", None: ""}[self.moves]
        cells = (self.action, self.listed, moved, self.answer, self.hook or "none", str(self.index or "nothing"))
        return " | ".join(cells)

    @property
    def is_public(self) -> bool:
        return self.listed == NEW


def _post(wordpress: WordPress, **fields: Any) -> str:
    return wordpress.create(**{"title": "Terms", "content": "<p>Thirty days from the date of order.</p>", **fields})


def _page(wordpress: WordPress, **fields: Any) -> str:
    return _post(wordpress, rest_base="pages", **fields)


def _child(wordpress: WordPress) -> str:
    return _page(wordpress, title="Child", parent=int(_page(wordpress, title="Parent")))


def _parent_of(wordpress: WordPress, doc_id: str) -> str:
    return str(int(doc_id) - 1) if wordpress.documents.get(str(int(doc_id) - 1)) else str(int(doc_id) - 2)


def _trashed(wordpress: WordPress) -> str:
    doc_id = _post(wordpress)
    wordpress.trash(doc_id)
    return doc_id


def _scheduled(wordpress: WordPress) -> str:
    return wordpress.schedule(title="Soon", content="<p>Not before tomorrow.</p>")


def _merge(wordpress: WordPress, doc_id: str) -> None:
    wordpress.edit(_post(wordpress, title="Kept"), content="<p>Both texts in one.</p>")
    wordpress.delete(doc_id)


_IN_TEXT = "<p>A text of its own.</p>"

STATES = (
    State("publish a draft", NEW, True, SHOWN, SAVED, DocumentState.CREATED,
          lambda wp: _post(wp, status="draft"), lambda wp, it: wp.edit(it, status="publish")),
    State("edit", NEW, True, SHOWN, SAVED, DocumentState.REPLACED,
          _post, lambda wp, it: wp.edit(it, content="<p>Sixty days from the date of order.</p>")),
    State("shorten", NEW, True, SHOWN, SAVED, DocumentState.REPLACED,
          lambda wp: _post(wp, content="<p>First.</p>\n<p>Second.</p>\n<p>Third.</p>"),
          lambda wp, it: wp.edit(it, content="<p>First.</p>")),
    State("give another title", NEW, True, SHOWN, SAVED, DocumentState.REFRESHED,
          _post, lambda wp, it: wp.edit(it, title="Conditions")),
    State("rename the slug", NEW, True, SHOWN, SAVED, DocumentState.REFRESHED,
          _post, lambda wp, it: wp.edit(it, slug="conditions")),
    State("move to another parent", NEW, True, SHOWN, SAVED, DocumentState.REFRESHED,
          _child, lambda wp, it: wp.edit(it, parent=0)),
    State("unpublish (draft)", HIDDEN, None, ABSENT, SAVED, DocumentState.DELETED,
          _post, lambda wp, it: wp.edit(it, status="draft")),
    State("submit for review (pending)", HIDDEN, None, ABSENT, SAVED, DocumentState.DELETED,
          _post, lambda wp, it: wp.edit(it, status="pending")),
    State("make private", HIDDEN, None, ABSENT, SAVED, DocumentState.DELETED,
          _post, lambda wp, it: wp.edit(it, status="private")),
    State("move to the trash", HIDDEN, None, ABSENT, SAVED, DocumentState.DELETED,
          _post, lambda wp, it: wp.trash(it)),
    State("restore from the trash", NEW, True, SHOWN, SAVED, DocumentState.CREATED,
          _trashed, lambda wp, it: wp.edit(it, status="publish")),
    State("delete", HIDDEN, None, GONE, DELETED, DocumentState.DELETED,
          _post, lambda wp, it: wp.delete(it)),
    State("merge into another and redirect", HIDDEN, None, GONE, DELETED, DocumentState.DELETED,
          _post, _merge),
    State("schedule a new one", HIDDEN, None, ABSENT, SAVED, None,
          _scheduled),
    State("it goes live", NEW, False, SHOWN, SAVED, DocumentState.CREATED,
          _scheduled, lambda wp, it: wp.let_it_become_due(it)),
    State("take offline until a date", HIDDEN, None, ABSENT, SAVED, DocumentState.DELETED,
          _post, lambda wp, it: wp.reschedule(it)),
    State("protect with a password", LISTED, True, FORM, SAVED, DocumentState.DELETED,
          _post, lambda wp, it: wp.edit(it, password="secret")),
    State("take the password off", NEW, True, SHOWN, SAVED, DocumentState.CREATED,
          lambda wp: _post(wp, password="secret"), lambda wp, it: wp.edit(it, password="")),
    State("rename a category that the text shows", NEW, False, SHOWN, "", DocumentState.REPLACED,
          lambda wp: _post(wp, content=f"{_IN_TEXT}\n\n[categories]"),
          lambda wp, it: wp.rename_category("Handbooks")),
    State("edit a synced pattern in the text", NEW, False, SHOWN, "", DocumentState.REPLACED,
          lambda wp: _post(wp, content=f"{_IN_TEXT}\n\n{wp.pattern}"),
          lambda wp, it: wp.edit_pattern("<p>Another notice.</p>")),
    State("rename the slug of its parent", NEW, False, SHOWN, "", DocumentState.REFRESHED,
          _child, lambda wp, it: wp.edit(_parent_of(wp, it), slug="above")),
    State("trash its parent", NEW, False, SHOWN, "", DocumentState.REFRESHED,
          _child, lambda wp, it: wp.trash(_parent_of(wp, it))),
    State("delete its parent", NEW, False, SHOWN, "", DocumentState.REFRESHED,
          _child, lambda wp, it: wp.delete(_parent_of(wp, it))),
    State("turn a post into a page", NEW, False, SHOWN, "", DocumentState.REFRESHED,
          _post, lambda wp, it: wp.change_type(it, "pages")),
)  # fmt: skip


def site_over(wordpress: WordPress, **options: Any) -> Site:
    """An installation with an index in memory, its limits open."""
    return Site(lambda clock: wordpress.open_connector(clock, **options), limits=OPEN)


def asked_by_id(wordpress: WordPress, doc_id: str) -> tuple[str, str]:
    """(what WordPress answers to an anonymous question by id, modified_gmt where it shows one)."""
    answer = requests.get(f"{wordpress.url}/wp-json/wp/v2/{wordpress.documents[doc_id]}/{doc_id}", timeout=30)
    data = answer.json()
    assert data.get("code") == CODES.get(answer.status_code)
    protected = ", protected" if data.get("content", {}).get("protected") else ""
    return f"{answer.status_code}{protected}", data.get("modified_gmt", "")


@dataclass
class Between:
    """A pace that lets something happen before the n-th request of a connector."""

    then: Callable[[], object]
    number: int
    clock: TurnableClock = field(default_factory=TurnableClock)

    def monotonic(self) -> float:
        return self.clock.monotonic()

    def sleep(self, seconds: float) -> None:
        self.clock.sleep(seconds)
        self.number -= 1
        if self.number == 1:
            self.then()

    def options(self) -> dict[str, Any]:
        return {"pace": self, "http": {"requests_per_second": 1, "burst": 1}}


class WordPressStates:
    """Derive, and bring the fixture."""

    @pytest.mark.parametrize("state", STATES, ids=lambda state: state.action)
    def test_whatever_an_editor_does_the_index_follows(self, wordpress: WordPress, state: State) -> None:
        doc_id = state.made(wordpress)
        site = site_over(wordpress)
        if state.act:
            wordpress.age(doc_id)
        before = site.connect(site.clock).list_documents()
        assert site.night().state is RunState.TRUE
        if state.act:
            state.act(wordpress, doc_id)

        connector = site.connect(site.clock)
        after = connector.list_documents()
        assert after.complete, after.proof.problem
        assert (doc_id in after.documents) is state.is_public
        if state.listed == LISTED:
            assert after.proof.seen == len(after.documents) + 1, "listed, and no document of the public"
        if doc_id in before.documents and state.is_public:
            assert before.documents[doc_id].version != after.documents[doc_id].version
        answer, modified = asked_by_id(wordpress, doc_id)
        assert answer == state.answer
        if state.moves is not None:
            assert (modified != AGED) is state.moves
        _assert_answer(connector, doc_id, state)
        assert (wordpress.read(doc_id) is not None) is state.is_public, "the reader of the site decides"

        manifest = site.night()
        outcomes = {outcome.doc_id: outcome.state for outcome in manifest.outcomes}
        assert manifest.state is RunState.TRUE, manifest.reason
        assert outcomes.get(doc_id) is state.index
        assert site.night().outcomes == (), "a second night writes nothing"

    def test_the_docstring_shows_this_table(self) -> None:
        rows = [line.strip("| ") for line in str(connector_module.__doc__).splitlines() if line.startswith("| ")]
        assert [re.sub(r" *\| *", " | ", row) for row in rows[2:]] == [state.row for state in STATES]

    @pytest.mark.parametrize("light", [False, True], ids=["with content", "light"])
    def test_a_listing_names_every_public_document_of_every_type_once(self, wordpress: WordPress, light: bool) -> None:
        made = {wordpress.create(rest_base, title="T", content="<p>x</p>") for rest_base in ("posts", "guides")}
        hidden = _post(wordpress, password="secret")
        connector = wordpress.open_connector(TurnableClock(), content_in_version=not light)
        listing = connector.list_documents()
        assert listing.complete, listing.proof.problem
        assert made <= listing.documents.keys()
        assert hidden not in listing.documents
        assert listing.proof.seen == listing.proof.declared_total == len(listing.documents) + 1
        assert listing.proof.scope == f"anonymous; types guides, pages, posts of {wordpress.url}"
        for doc_id, listed in listing.documents.items():
            fetched = connector.fetch(doc_id)
            assert fetched.version == listed.version
            assert (
                fetched.content_type
                == {"posts": "post", "pages": "page", "guides": "guide"}[wordpress.documents[doc_id]]
            )

    @pytest.mark.parametrize("user", ["admin", "viewer"])
    def test_an_account_changes_nothing_of_what_is_public(self, wordpress: WordPress, user: str) -> None:
        hidden = [
            _post(wordpress, status="draft"),
            _post(wordpress, status="private"),
            _post(wordpress, password="secret"),
            _scheduled(wordpress),
            _trashed(wordpress),
        ]
        connector = wordpress.open_connector(TurnableClock(), user=user)
        anonymous = wordpress.open_connector(TurnableClock()).list_documents()
        listing = connector.list_documents()
        assert listing.complete, listing.proof.problem
        assert listing.documents == anonymous.documents
        assert listing.proof.scope.startswith("user ")
        assert "; types guides, pages, posts of " in listing.proof.scope
        for doc_id in hidden:
            assert connector.probe(doc_id) is Presence.NOT_PUBLIC
            with pytest.raises(DocumentNotPublic):
                connector.fetch(doc_id)

    def test_a_rejected_password_gets_the_anonymous_list_and_proves_nothing(self, wordpress: WordPress) -> None:
        gone = _post(wordpress)
        wordpress.delete(gone)
        connector = wordpress.open_connector(TurnableClock(), user="nobody")
        listing = connector.list_documents()
        assert listing.documents
        assert not listing.proof.scope_verified
        assert not listing.complete
        assert "does not accept the credential" in listing.proof.problem
        assert connector.probe(gone) is Presence.UNKNOWN

    @pytest.mark.parametrize("fault", FAULTS)
    def test_no_outage_is_an_empty_site_or_a_removed_document(self, wordpress: WordPress, fault: str) -> None:
        living, gone, other = _post(wordpress), _post(wordpress), wordpress.create("guides", title="G", content="g")
        site = site_over(wordpress)
        site.night()
        before = site.chunks()
        wordpress.delete(gone)
        connector = wordpress.open_connector(TurnableClock())
        connector.list_documents()
        with wordpress.fault(fault):
            for one in (connector, wordpress.open_connector(TurnableClock())):
                assert not one.probe(living).confirms_absence
                assert not one.probe(other).confirms_absence
            if fault != "filtered":  # it filters lists; by id the site still tells the truth
                assert connector.probe(gone) is Presence.UNKNOWN
                with pytest.raises(SourceUnavailable):
                    connector.fetch(gone)
            manifest = site.night()
            assert manifest.state is RunState.UNPROVEN
            assert manifest.outcomes == ()
            assert site.chunks() == before
        assert {outcome.doc_id for outcome in site.night().outcomes} == {gone}

    def test_posts_that_are_lost_between_two_pages_are_not_deleted(self, wordpress: WordPress) -> None:
        ids = [_post(wordpress, title=f"Post {number}") for number in range(12)]
        pace = Between(wordpress.lose_the_posts, number=2)
        connector = wordpress.open_connector(TurnableClock(), per_page=5, **pace.options())
        listing = connector.list_documents()
        assert not listing.complete
        assert {connector.probe(doc_id) for doc_id in ids[:3]} == {Presence.UNKNOWN}
        wordpress.find_the_posts()

    @pytest.mark.parametrize("when", [2, 3, 4])
    def test_what_is_trashed_while_paging_hides_no_other_document(self, wordpress: WordPress, when: int) -> None:
        ids = [_post(wordpress, title=f"Post {number}") for number in range(20)]

        def trash_three() -> None:
            for doc_id in ids[:5]:
                wordpress.trash(doc_id)

        pace = Between(trash_three, number=when)
        connector = wordpress.open_connector(TurnableClock(), per_page=8, types=["posts"], **pace.options())
        listing = connector.list_documents()
        assert set(ids[5:]) <= listing.documents.keys()
        assert listing.complete, listing.proof.problem

    def test_a_type_without_documents_is_believed_only_by_id(self, wordpress: WordPress) -> None:
        guide, post = wordpress.create("guides", title="G", content="g"), _post(wordpress)
        site = site_over(wordpress)
        site.night()
        wordpress.delete(guide)
        listing = wordpress.open_connector(TurnableClock()).list_documents()
        assert listing.complete
        assert "guides: 1 page in one reading, 0 listed" in listing.proof.detail
        assert [outcome.state for outcome in site.night().outcomes] == [DocumentState.DELETED]
        assert post in site.documents()

    def test_an_id_that_no_list_showed_is_found_under_whatever_type_it_has(self, wordpress: WordPress) -> None:
        guide = wordpress.create("guides", title="G", content="<p>Guide.</p>")
        connector = wordpress.open_connector(TurnableClock(), canaries=[_post(wordpress)])
        assert connector.fetch(guide).content_type == "guide"
        assert connector.probe(guide) is Presence.PRESENT
        wordpress.delete(guide)
        assert connector.probe(guide) is Presence.GONE
        with pytest.raises(DocumentGone):
            connector.fetch(guide)


def _assert_answer(connector: WordPressConnector, doc_id: str, state: State) -> None:
    if state.is_public:
        assert connector.probe(doc_id) is Presence.PRESENT
        assert connector.fetch(doc_id).version == connector.list_documents().documents[doc_id].version
        return
    presence, error = (
        (Presence.GONE, DocumentGone) if state.answer == GONE else (Presence.NOT_PUBLIC, DocumentNotPublic)
    )
    assert connector.probe(doc_id) is presence
    with pytest.raises(error):
        connector.fetch(doc_id)
