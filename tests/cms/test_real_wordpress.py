"""The `wordpress` connector on a real WordPress: what its fake has to answer the same way, and its events."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import requests
from standardwebhooks.webhooks import Webhook

from include.domain.documents import Presence
from include.hooks.delivery import Delivery
from tests.cms.life import Life, Mode, live
from tests.cms.peers import PeerUnavailable
from tests.cms.postman import Postman
from tests.cms.wordpress import WordPressSite
from tests.cms.wordpress_states import STATES, State, WordPressStates
from tests.connector_sources import TurnableClock

SECRET = "whsec_" + base64.b64encode(b"a secret of twenty-four!").decode()

pytestmark = pytest.mark.cms


@contextmanager
def started(folder: Path) -> Iterator[WordPressSite]:
    try:
        site = WordPressSite.start(folder)
    except PeerUnavailable as reason:
        pytest.skip(str(reason))
    try:
        yield site
    finally:
        site.stop()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WordPressSite]:
    with started(tmp_path_factory.mktemp("wordpress") / "site") as site:
        yield site


@pytest.fixture
def wordpress(site: WordPressSite) -> Iterator[WordPressSite]:
    """The one site, with nothing but its first page."""
    yield site
    site.clear()


class TestOnTheRealWordPress(WordPressStates):
    """See `wordpress_states`."""


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.action)
def test_a_plugin_hears_of_a_document_by_the_hook_that_the_table_names(wordpress: WordPressSite, state: State) -> None:
    with closing(Postman()) as postman:
        if state.act is None:
            wordpress.send_events_to(postman.url, SECRET)
        doc_id = state.made(wordpress)
        wordpress.send_events_to(postman.url, SECRET)
        if state.act:
            state.act(wordpress, doc_id)
        wordpress.send_events_to("", "")
        heard: list[tuple[str, str]] = []

        def hear(delivery: Delivery) -> None:
            Webhook(SECRET).verify(delivery.body, dict(delivery.headers))
            data = json.loads(delivery.body)["data"]
            heard.append((str(data["id"]), data["hook"]))

        postman.deliver(hear)
    hooks = [hook for touched, hook in heard if touched == doc_id and hook != "derived"]
    assert hooks == ([state.hook] if state.hook else []), heard


def _payloads(postman: Postman) -> list[dict[str, Any]]:
    told: list[Delivery] = []
    postman.deliver(told.append)
    return [json.loads(delivery.body) for delivery in told]


def test_an_edit_that_touches_a_hundred_documents_and_more_is_one_event_about_the_whole_site(
    wordpress: WordPressSite,
) -> None:
    with closing(Postman()) as postman:
        for number in range(101):
            wordpress.create(title=f"Post {number}")
        wordpress.send_events_to(postman.url, SECRET)
        wordpress.rename_category("Handbooks")
        wordpress.send_events_to("", "")
        assert [(payload["type"], payload["data"]) for payload in _payloads(postman)] == [("site.updated", {})]


def test_a_receiver_that_takes_no_event_is_not_asked_for_every_document(wordpress: WordPressSite) -> None:
    with closing(Postman(status=503)) as postman:
        for number in range(3):
            wordpress.create(title=f"Post {number}")
        wordpress.send_events_to(postman.url, SECRET)
        wordpress.rename_category("Guides")
        wordpress.send_events_to("", "")
        assert len(_payloads(postman)) == 1, "the editor's request would wait for each"


def test_a_site_with_plain_permalinks_is_read_as_well(tmp_path: Path) -> None:
    with started(tmp_path / "plain") as plain:
        plain.use_plain_permalinks()
        doc_id, gone = plain.create(title="Terms", content="Thirty days."), plain.create(title="Gone")
        plain.delete(gone)
        connector = plain.open_connector(TurnableClock())
        listing = connector.list_documents()
        assert listing.complete, listing.proof.problem
        assert listing.documents.keys() == plain.visible().keys()
        assert connector.fetch(doc_id).url == f"{plain.url}/?p={doc_id}"
        assert connector.probe(gone) is Presence.GONE


def test_nothing_listens_any_more_once_the_site_is_stopped(tmp_path: Path) -> None:
    with started(tmp_path / "stopped") as stopped:
        pass
    with pytest.raises(requests.ConnectionError):
        requests.get(stopped.url, timeout=5)


@pytest.mark.slow
@pytest.mark.parametrize("mode", Mode)
def test_two_hundred_actions_on_a_real_wordpress_leave_what_a_reader_sees(tmp_path: Path, mode: Mode) -> None:
    life = _life(tmp_path, mode, actions=200)
    assert life.removed > 20, "a life in which nothing is removed proves nothing"


def test_a_short_life_on_a_real_wordpress_leaves_what_a_reader_sees(tmp_path: Path) -> None:
    assert _life(tmp_path, Mode.NO_WEBHOOKS, actions=40).removed


def _life(folder: Path, mode: Mode, *, actions: int) -> Life:
    with started(folder / "site") as site:
        life = live(site, folder / "life", actions=actions, mode=mode)
    print(life)
    assert not life.differences, str(life)
    return life
