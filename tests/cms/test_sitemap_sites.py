"""The `sitemap` connector on real sites: what WordPress and Wagtail put into their own sitemaps and pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urljoin

import pytest

from include.connectors.sitemap import SitemapConnector
from include.connectors.sitemap_options import SitemapOptions
from include.domain.documents import Presence
from include.domain.errors import SourceUnavailable
from tests.cms.peers import PeerUnavailable
from tests.cms.wagtail import WagtailSite
from tests.cms.wordpress import FAST, WordPressSite, paragraphs
from tests.connector_sources import TurnableClock
from tests.websites import text_of

pytestmark = pytest.mark.cms

ARCHIVES = ["/", "/category/*", "/author/*", "/tag/*"]
TEXT = "This is the text of the page, long enough to be a paragraph of its own. "


def connector(url: str, **options: Any) -> SitemapConnector:
    checked = SitemapOptions.model_validate({"url": url, "http": FAST, **options})
    clock = TurnableClock()
    return SitemapConnector("web", checked, clock=clock, cache_dir=Path("/nonexistent"), pace=clock)


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
    """Three posts and a page beside the first page."""
    for number in range(3):
        site.create(title=f"Post {number}", content=paragraphs(f"{number}: {TEXT}"))
    site.create("pages", title="Handbook", content=paragraphs(f"Handbook: {TEXT}"))
    yield site
    site.clear()


def listed(site: WordPressSite) -> set[str]:
    listing = connector(site.url, exclude=ARCHIVES).list_documents()
    assert listing.complete, listing.proof.problem
    return {doc_id.removeprefix(site.url) for doc_id, one in listing.documents.items() if not one.unreadable}


def post(site: WordPressSite, number: int = 0) -> str:
    return list(site.documents)[1 + number]


def test_what_wordpress_publishes_is_listed_with_its_text(wordpress: WordPressSite) -> None:
    assert listed(wordpress) == {"/welcome/", "/handbook/", "/post-0/", "/post-1/", "/post-2/"}
    reader = connector(wordpress.url, exclude=ARCHIVES)
    fetched = reader.fetch(f"{wordpress.url}/post-1/")
    assert text_of(fetched) == f"# Post 1\n\n1: {TEXT.strip()}"
    assert (fetched.title, fetched.lang) == ("Post 1", "en-US")


@pytest.mark.parametrize(
    ("fields", "presence"),
    [
        ({"status": "draft"}, Presence.GONE),
        ({"status": "private"}, Presence.GONE),
        ({"password": "x"}, Presence.NOT_PUBLIC),
        ({"slug": "renamed"}, Presence.MOVED),
    ],
    ids=str,
)
def test_what_an_editor_takes_away_is_absent_and_the_page_says_so_too(
    wordpress: WordPressSite, fields: dict[str, str], presence: Presence
) -> None:
    reader = connector(wordpress.url, exclude=ARCHIVES)
    assert reader.list_documents().complete
    wordpress.edit(post(wordpress), **fields)
    assert reader.probe(f"{wordpress.url}/post-0/") is presence
    assert "/post-0/" not in listed(wordpress)
    assert ("/renamed/" in listed(wordpress)) is (presence is Presence.MOVED)


def test_a_trashed_post_is_gone_and_a_scheduled_one_is_not_there_yet(wordpress: WordPressSite) -> None:
    wordpress.trash(post(wordpress))
    wordpress.schedule(title="Later", content=paragraphs(TEXT))
    assert listed(wordpress) == {"/welcome/", "/handbook/", "/post-1/", "/post-2/"}


def test_an_edit_is_a_new_version_and_a_comment_or_a_second_look_is_none(wordpress: WordPressSite) -> None:
    before = connector(wordpress.url, exclude=ARCHIVES).list_documents().documents
    assert connector(wordpress.url, exclude=ARCHIVES).list_documents().documents == before
    wordpress.edit(post(wordpress), content=paragraphs("Another text, which is short."))
    after = connector(wordpress.url, exclude=ARCHIVES).list_documents().documents
    changed = {doc_id for doc_id in before if before[doc_id] != after[doc_id]}
    assert changed == {f"{wordpress.url}/post-0/"}


@pytest.mark.parametrize("fault", ["maintenance", "installer", "table_lost", "page", "filtered"])
def test_no_fault_of_wordpress_looks_like_a_smaller_site(wordpress: WordPressSite, fault: str) -> None:
    reader = connector(wordpress.url, exclude=ARCHIVES)
    assert reader.list_documents().complete
    with wordpress.fault(fault):
        assert not reader.probe(f"{wordpress.url}/post-0/").confirms_absence
        assert not reader.probe(f"{wordpress.url}/never/").confirms_absence
        try:
            listing = connector(wordpress.url, exclude=ARCHIVES).list_documents()
        except SourceUnavailable:
            return
        assert not listing.complete


def test_after_every_few_actions_of_wagtails_editors_the_listing_is_what_a_reader_sees(wagtail: WagtailSite) -> None:
    random, before = Random(7), set[str]()
    for _ in range(4):
        reader = connector(wagtail.process.url, exclude=["/"])
        listing = reader.list_documents()
        assert listing.complete, listing.proof.problem
        visible = {
            urljoin(wagtail.process.url, wagtail.admin.known[int(page_id)].url): text
            for page_id, text in wagtail.visible().items()
        }
        known = wagtail.admin.known.values()
        aliases = {urljoin(wagtail.process.url, page.url) for page in known if page.alias}  # pages of their own here
        assert set(listing.documents) - aliases == set(visible) - aliases
        for doc_id, text in visible.items():
            assert re.findall(r"\w+", text_of(reader.fetch(doc_id))) == re.findall(r"\w+", text)
        assert all(reader.probe(doc_id).confirms_absence for doc_id in before - visible.keys())
        before |= visible.keys()
        for _ in range(12):
            wagtail.act(random)
