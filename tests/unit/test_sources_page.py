"""Every block of docs/SOURCES.md, as it is written there: valid, and reading a source of its kind.

Only the address is another one: that of a peer which serves what such a source serves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from include.connectors import registry
from include.connectors.credentials import Credentials
from include.hooks.receiver import Door
from include.settings import Settings, load_settings
from include.wiring.clock import SystemClock
from tests.connector_sources import GitRepository, Reply, Request, http_server
from tests.fakes.cms_models import MODELS, ContentfulModel
from tests.fakes.wordpress import FakeWordPress
from tests.preset_sites import TickingClock
from tests.websites import Website

PAGE = Path(__file__).parents[2] / "docs" / "SOURCES.md"
BLOCKS = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
NAMES = [next(iter(yaml.safe_load(block)["sources"])) for block in BLOCKS]


@dataclass
class Peer:
    """Where the source is served, the documents it has, and the credential that it knows."""

    url: str
    documents: set[str]
    credentials: Credentials = field(default_factory=Credentials)


def settings_of(block: str, tmp_path: Path) -> Settings:
    file = tmp_path / "truecopy.yaml"
    file.write_text(block, encoding="utf-8")
    return load_settings(file, {})


@pytest.mark.parametrize("block", BLOCKS, ids=NAMES)
def test_a_block_is_valid_as_written(block: str, tmp_path: Path) -> None:
    settings = settings_of(block, tmp_path)
    for name, source in settings.sources.items():
        registry.check(source.kind, name, source.options)
        if source.webhook is not None:
            assert Door.of(source.webhook).signature
        named = re.findall(r"(?<=conn_id: )\w+", block)
        assert len(set(named)) == len(named), "each connection is its own"


@pytest.mark.parametrize("block", BLOCKS, ids=NAMES)
def test_a_block_reads_a_source_of_its_kind(block: str, tmp_path: Path) -> None:
    settings = settings_of(block, tmp_path)
    ((name, source),) = settings.sources.items()
    with PEERS[name](tmp_path) as peer:
        options = yaml.safe_load(re.sub(_address(source.options), lambda _: peer.url, yaml.safe_dump(source.options)))
        connector = registry.build(
            source.kind,
            name,
            options,
            clock=SystemClock(),
            cache_dir=tmp_path / "cache",
            credentials=peer.credentials if source.conn_id else None,
        )
        try:
            listing = connector.list_documents()
            assert listing.proof.complete, listing.proof.problem
            assert set(listing.documents) == peer.documents
            for doc_id in peer.documents:
                document = connector.fetch(doc_id)
                assert document.body.strip()
                assert document.url.startswith("http")
        finally:
            connector.close()


def _address(options: dict[str, Any]) -> str:
    """The part of the block that names somebody's own host."""
    return re.escape(str(options.get("location") or options.get("base_url") or options["url"]).rstrip("/"))


@contextmanager
def repository(files: dict[str, str], documents: set[str], tmp_path: Path) -> Iterator[Peer]:
    made = GitRepository.create(tmp_path / "repository", files)
    yield Peer(str(made.folder), documents)


def handbook(tmp_path: Path) -> AbstractContextManager[Peer]:
    files = {"docs/index.md": "# Welcome\n", "docs/leave.md": "# Leave\n", "mkdocs.yml": "site_name: Handbook\n"}
    return repository(files, {"docs/index.md", "docs/leave.md"}, tmp_path)


def guides(tmp_path: Path) -> AbstractContextManager[Peer]:
    files = {"docs/a.md": "# A\n", "docs/de/a.md": "# A auf Deutsch\n", "policies/b.md": "# B\n"}
    draft = {"docs/drafts/c.md": "# C\n", "other/d.md": "# D\n"}
    return repository(files | draft, set(files), tmp_path)


def wiki(tmp_path: Path) -> AbstractContextManager[Peer]:
    return repository({"Home.md": "# Home\n"}, {"Home.md"}, tmp_path)


@contextmanager
def wordpress(_tmp_path: Path) -> Iterator[Peer]:
    with FakeWordPress.serving() as site:
        site.create("posts", title="News", content="<p>Something new.</p>")
        site.create("posts", title="Draft", content="<p>Not yet.</p>", status="draft")
        shown = {doc_id for doc_id in site.documents if site.posts[int(doc_id)].status == "publish"}
        yield Peer(site.url, shown, Credentials(basic=("viewer", site.passwords["viewer"])))


@contextmanager
def website(_tmp_path: Path) -> Iterator[Peer]:
    site = Website.of("/help/refunds", "/pricing", "/help/tags/x", "/about")
    with http_server(site.answer) as site.url:
        yield Peer(site.url, {site.id("/help/refunds"), site.id("/pricing")})


@contextmanager
def wagtail(_tmp_path: Path) -> Iterator[Peer]:
    """Two pages as API v2 of Wagtail 8 shows them; tests/cms runs the preset against the real one."""
    pages = [
        {
            "id": number,
            "title": f"Page {number}",
            "meta": {
                "type": "handbook.DocPage",
                "slug": f"page-{number}",
                "html_url": f"https://docs.example.com/page-{number}/",
                "first_published_at": "2026-01-05T09:30:00.123456-05:00",
                "alias_of": None,
                "locale": "en",
            },
            "last_published_at": "2026-02-05T09:30:00.123456-05:00",
            "body": f"<p>Text of page {number}.</p>",
        }
        for number in (4, 5)
    ]

    def answer(request: Request) -> Reply:
        _, _, doc_id = request.path.rstrip("/").rpartition("/")
        if doc_id != "pages":
            return next((Reply.of(page) for page in pages if str(page["id"]) == doc_id), Reply(404, b"{}"))
        start = int(request.query.get("offset", 0))
        assert request.query["type"] == "handbook.DocPage"
        return Reply.of({"meta": {"total_count": len(pages)}, "items": pages[start : start + 20]})

    with http_server(answer) as url:
        yield Peer(f"{url}/api/v2", {"4", "5"})


def modelled(preset: str) -> Callable[[Path], AbstractContextManager[Peer]]:
    @contextmanager
    def serving(_tmp_path: Path) -> Iterator[Peer]:
        cms = MODELS[preset](TickingClock())
        if isinstance(cms, ContentfulModel):
            cms.is_rich = True
        names = {cms.name(number) for number in range(3)}
        for doc_id in names:
            cms.write(doc_id, f"text of {doc_id}")
            cms.publish(doc_id)
        cms.write(cms.name(9), "a draft")
        with http_server(cms.answer) as url:
            yield Peer(f"{url}{cms.path}", names, cms.credentials(cms.key))

    return serving


@contextmanager
def portal(_tmp_path: Path) -> Iterator[Peer]:
    articles = {
        name: {
            "id": name,
            "version": 3,
            "path": f"https://portal.example.com/{name}",
            "state": state,
            "title": name,
            "body": f"<p>Text of {name}.</p>",
            "updated_at": "2026-02-05T09:30:00Z",
        }
        for name, state in (("a", "published"), ("b", "published"), ("c", "in review"))
    }

    def answer(request: Request) -> Reply:
        if request.headers.get("authorization") != "Bearer right":
            return Reply(401, b"{}")
        _, _, doc_id = request.path.rpartition("/")
        if doc_id == "articles":
            rows = list(articles.values()) if request.query["page"] == "1" else []
            return Reply.of({"items": rows, "total": len(articles)})
        return Reply.of(articles[doc_id]) if doc_id in articles else Reply(404, b"{}")

    with http_server(answer) as url:
        yield Peer(f"{url}/api", {"a", "b"}, Credentials(headers={"Authorization": "Bearer right"}))


PEERS: dict[str, Callable[[Path], AbstractContextManager[Peer]]] = {
    "handbook": handbook,
    "guides": guides,
    "wiki": wiki,
    "blog": wordpress,
    "intranet": wordpress,
    "news": wordpress,
    "website": website,
    "docs": wagtail,
    "magazine": modelled("ghost"),
    "articles": modelled("strapi"),
    "help": modelled("contentful"),
    "helpcenter": modelled("zendesk_guide"),
    "portal": portal,
}


def test_every_kind_and_every_preset_has_a_block() -> None:
    sources = [source for block in BLOCKS for source in yaml.safe_load(block)["sources"].values()]
    assert {source["kind"] for source in sources} == set(registry.KINDS)
    presets = {path.stem for path in registry.PRESETS.glob("*.yaml")}
    assert {source["options"].get("preset") for source in sources} - {None} == presets
