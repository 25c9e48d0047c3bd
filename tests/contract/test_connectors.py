"""What every connector promises, checked on every kind over a real source that can be changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from include.connectors.credentials import Credentials
from include.connectors.registry import KINDS, build
from include.domain.documents import Presence
from include.domain.errors import DocumentGone, DocumentNotPublic
from include.ports import Connector
from include.text.normalise import extract
from tests.connector_sources import GitRepository, TurnableClock, help_center, help_center_options
from tests.fakes.source import FakeSource
from tests.fakes.wordpress import FakeWordPress
from tests.websites import Website, serving, sitemap_options


@dataclass
class Peer:
    """A living source: how to open a connector on it, and how to change what it holds."""

    open: Callable[[], Connector]
    edit: Callable[[str], None]
    remove: Callable[[str], None]
    unpublish: Callable[[str], None]
    document: str
    others: frozenset[str]


@pytest.fixture(params=[*sorted(KINDS), "fake"])
def peer(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Peer]:
    with ExitStack() as stack:
        yield PEERS[request.param](tmp_path, stack)


def git_peer(tmp_path: Path, stack: ExitStack) -> Peer:
    names = ["a.md", "docs/b c.md", "docs/\u00fc.md", "docs/deep/d.rst"]
    repository = GitRepository.create(tmp_path / "r", {name: f"Text of {name}\n" for name in names})
    options = {"location": str(repository.folder)}

    def open_one() -> Connector:
        return build("git_markdown", "s", options, clock=TurnableClock(), cache_dir=tmp_path / "cache")

    return Peer(
        open=open_one,
        edit=lambda doc_id: repository.commit({doc_id: "Other text\n"}) and None,
        remove=lambda doc_id: repository.commit({doc_id: None}) and None,
        unpublish=lambda doc_id: repository.commit({doc_id: "---\ndraft: true\n---\nx\n"}) and None,
        document="docs/b c.md",
        others=frozenset(names) - {"docs/b c.md"},
    )


def http_peer(tmp_path: Path, stack: ExitStack) -> Peer:
    center, url = stack.enter_context(help_center())
    options = help_center_options(url, size=4)
    token = Credentials(headers={"Authorization": "Bearer helpcenter-demo-token"})

    def open_one() -> Connector:
        connector = build("http_json", "s", options, clock=TurnableClock(), cache_dir=tmp_path, credentials=token)
        stack.callback(connector.close)
        return connector

    def order(action: str, **more: object) -> Callable[[str], None]:
        return lambda doc_id: center.control({"action": action, "id": doc_id, **more}) and None

    published = {str(one.id) for one in center.visible(authenticated=True, status="published")}
    return Peer(
        open=open_one,
        edit=order("edit", body="Other text\n"),
        remove=order("delete"),
        unpublish=order("unpublish"),
        document="1004",
        others=frozenset(published) - {"1004"},
    )


def sitemap_peer(tmp_path: Path, stack: ExitStack) -> Peer:
    web = stack.enter_context(serving(Website.of("/", "/b%20c", "/d/", "/e?page=2", "/f")))

    def open_one() -> Connector:
        connector = build("sitemap", "s", sitemap_options(web), clock=TurnableClock(), cache_dir=tmp_path)
        stack.callback(connector.close)
        return connector

    def path_of(doc_id: str) -> str:
        return doc_id.removeprefix(web.url)

    return Peer(
        open=open_one,
        edit=lambda doc_id: setattr(web.pages[path_of(doc_id)], "body", "<p>Other text</p>"),
        remove=lambda doc_id: web.pages.pop(path_of(doc_id)) and None,
        unpublish=lambda doc_id: setattr(web.pages[path_of(doc_id)], "head", '<meta name="robots" content="noindex">'),
        document=web.id("/b%20c"),
        others=frozenset(web.id(path) for path in web.pages) - {web.id("/b%20c")},
    )


def wordpress_peer(tmp_path: Path, stack: ExitStack) -> Peer:
    site = stack.enter_context(FakeWordPress.serving())
    made = [site.create(rest_base, title="T", content=f"<p>In {rest_base}</p>") for rest_base in ("posts", "guides")]
    options = {"url": site.url, "types": ["posts", "pages", "guides"]}

    def open_one() -> Connector:
        connector = build("wordpress", "s", options, clock=TurnableClock(), cache_dir=tmp_path)
        stack.callback(connector.close)
        return connector

    return Peer(
        open=open_one,
        edit=lambda doc_id: site.edit(doc_id, content="<p>Other text</p>"),
        remove=site.delete,
        unpublish=lambda doc_id: site.edit(doc_id, status="draft"),
        document=made[0],
        others=frozenset(site.documents) - {made[0]},
    )


def fake_peer(tmp_path: Path, stack: ExitStack) -> Peer:
    source = FakeSource("s")
    names = ["a", "b c", "d"]
    for name in names:
        source.put(name, f"Text of {name}\n")
    return Peer(
        open=source.connector,
        edit=lambda doc_id: source.put(doc_id, "Other text\n"),
        remove=source.delete,
        unpublish=source.hide,
        document="b c",
        others=frozenset(names) - {"b c"},
    )


PEERS = {
    "git_markdown": git_peer,
    "http_json": http_peer,
    "sitemap": sitemap_peer,
    "wordpress": wordpress_peer,
    "fake": fake_peer,
}


def test_a_listing_is_complete_and_names_every_document_under_its_source(peer: Peer):
    connector = peer.open()
    listing = connector.list_documents()
    assert listing.complete, listing.proof.problem
    assert set(listing.documents) == peer.others | {peer.document}
    assert all(doc_id == one.doc_id and one.version for doc_id, one in listing.documents.items())
    assert connector.source == listing.source == "s"
    assert listing.proof.detail
    assert not listing.proof.problem


def test_listing_twice_gives_the_same(peer: Peer):
    connector = peer.open()
    first, second, other = connector.list_documents(), connector.list_documents(), peer.open().list_documents()
    assert first.documents == second.documents == other.documents


def test_list_fetch_and_probe_agree_on_id_and_version(peer: Peer):
    connector = peer.open()
    for doc_id, listed in connector.list_documents().documents.items():
        fetched = connector.fetch(doc_id)
        assert (fetched.key.source, fetched.key.doc_id, fetched.version) == ("s", doc_id, listed.version)
        assert fetched.body.strip()
        assert fetched.fetched_at.tzinfo is not None
        assert connector.probe(doc_id) is Presence.PRESENT


def test_an_edit_changes_the_version_of_this_document_alone(peer: Peer):
    before = peer.open().list_documents().documents
    peer.edit(peer.document)
    connector = peer.open()
    after = connector.list_documents().documents
    assert {doc_id for doc_id in before if before[doc_id] != after[doc_id]} == {peer.document}
    fetched = connector.fetch(peer.document)
    assert fetched.version == after[peer.document].version
    assert extract(fetched).text.splitlines()[-1] == "Other text"


def test_a_removed_document_leaves_the_listing_and_is_gone(peer: Peer):
    peer.remove(peer.document)
    connector = peer.open()
    listing = connector.list_documents()
    assert listing.complete
    assert set(listing.documents) == peer.others
    assert connector.probe(peer.document) is Presence.GONE
    with pytest.raises(DocumentGone):
        connector.fetch(peer.document)


def test_an_unpublished_document_leaves_the_listing_and_is_not_public(peer: Peer):
    peer.unpublish(peer.document)
    connector = peer.open()
    listing = connector.list_documents()
    assert listing.complete
    assert set(listing.documents) == peer.others
    assert connector.probe(peer.document) is Presence.NOT_PUBLIC
    with pytest.raises(DocumentNotPublic):
        connector.fetch(peer.document)


def test_a_connector_never_writes_to_what_it_was_not_given(peer: Peer, tmp_path: Path):
    def files() -> set[Path]:
        return {path for path in tmp_path.rglob("*") if path.is_file()}

    before = files()
    connector = peer.open()
    connector.list_documents()
    connector.fetch(peer.document)
    connector.probe(peer.document)
    connector.close()
    assert files() == before
