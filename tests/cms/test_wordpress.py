"""The `wordpress` connector on a real WordPress: what its fake has to answer the same way, and its events."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import requests
from standardwebhooks.webhooks import Webhook

from include.domain.documents import Presence
from include.hooks.delivery import Delivery
from tests.cms.peers import PeerUnavailable
from tests.cms.postman import Postman
from tests.cms.wordpress import WordPressSite
from tests.cms.wordpress_states import STATES, State, WordPressStates
from tests.connector_sources import TurnableClock

SECRET = "whsec_" + base64.b64encode(b"a secret of twenty-four!").decode()

pytestmark = [pytest.mark.cms, pytest.mark.slow]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WordPressSite]:
    try:
        site = WordPressSite.start(tmp_path_factory.mktemp("wordpress") / "site")
    except PeerUnavailable as reason:
        pytest.skip(str(reason))
    yield site
    site.stop()


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


def test_a_site_with_plain_permalinks_is_read_as_well(tmp_path: Path, site: WordPressSite) -> None:
    plain = WordPressSite.start(tmp_path / "plain")
    try:
        plain.use_plain_permalinks()
        doc_id, gone = plain.create(title="Terms", content="Thirty days."), plain.create(title="Gone")
        plain.delete(gone)
        connector = plain.open_connector(TurnableClock())
        listing = connector.list_documents()
        assert listing.complete, listing.proof.problem
        assert listing.documents.keys() == plain.visible().keys()
        assert connector.fetch(doc_id).url == f"{plain.url}/?p={doc_id}"
        assert connector.probe(gone) is Presence.GONE
    finally:
        plain.stop()


def test_nothing_listens_any_more_once_the_site_is_stopped(tmp_path: Path) -> None:
    try:
        stopped = WordPressSite.start(tmp_path / "stopped")
    except PeerUnavailable as reason:
        pytest.skip(str(reason))
    stopped.stop()
    with pytest.raises(requests.ConnectionError):
        requests.get(stopped.url, timeout=5)
