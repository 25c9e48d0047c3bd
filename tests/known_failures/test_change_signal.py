"""CHANGE-SIGNAL: change detection that fires too often or too seldom."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from include.domain.manifest import DocumentState, Findings, Manifest, RunState
from tests.connector_sources import GitRepository, ModelCms, Reply, Request, http_server, model_options
from tests.fakes.index import FakeIndexStore
from tests.fakes.source import FakeSource
from tests.known_failures.site import EditableCms, Site, filled, names


def page(night: int, text: str = "<h1>Refunds</h1><p>Money comes back within <b>30</b> days.</p>") -> str:
    """An article as a template engine renders it: other noise every night, the same text."""
    return (
        f"<!doctype html><html><head><meta name=build content='{night}'><title>Refunds</title>"
        f"<script nonce='n{night}'>var t={night};</script><style>.c{night}{{}}</style></head><body>"
        f"<!-- rendered {night} --><main class='c{night}' data-views='{night * 7}'>{text}</main>"
        f"<script src='/a.js?v={night}'></script></body></html>"
    )


def noisy_source(night: int) -> FakeSource:
    source = FakeSource()
    for number in range(20):
        source.put(f"page-{number}", page(night, f"<h1>Page {number}</h1><p>Text of page {number}.</p>"),
                   media_type="text/html")  # fmt: skip
    return source


def test_cs_01_noise_in_every_page_changes_no_text_embeds_nothing_and_holds_nothing() -> None:
    source = noisy_source(0)
    site = Site.of(source)
    site.night()
    texts, embedded = site.texts(), len(site.embedder.embedded)
    for night in range(1, 4):
        for doc_id in list(source.pages):
            number = int(doc_id.removeprefix("page-"))
            source.put(
                doc_id, page(night, f"<h1>Page {number}</h1><p>Text of page {number}.</p>"), media_type="text/html"
            )
        manifest = site.night()
        assert manifest.state is RunState.TRUE, "not held as a mass update"
        assert {outcome.state for outcome in manifest.outcomes} == {DocumentState.REFRESHED}
    assert site.texts() == texts
    assert len(site.embedder.embedded) == embedded


def test_cs_01_the_same_pages_twice_are_no_change_at_all() -> None:
    site = Site.of(noisy_source(0))
    site.night()
    before = site.chunks()
    assert site.night().outcomes == ()
    assert site.chunks() == before


@pytest.mark.parametrize("body", ["a  text\n", "a text", "\ufeffa text\n\n\n", "a text   \r\n"])
def test_cs_01_white_space_and_line_ends_are_no_change_of_text(body: str) -> None:
    source, site = filled(20)
    source.put("page-003", "a text")
    site.night()
    embedded = len(site.embedder.embedded)
    source.put("page-003", body)
    manifest = site.night()
    assert manifest.state is RunState.TRUE
    assert len(site.embedder.embedded) - embedded == (1 if "a  text" in body else 0)


@pytest.mark.parametrize("part", ["chunker", "extractor", "embedder settings"])
def test_cs_04_another_pipeline_makes_every_document_anew_although_no_version_moved(part: str) -> None:
    _, site = filled(20)
    versions = {chunk.doc_version for chunk in site.chunks()}
    site.pipeline = f"with another {part}"
    manifest = site.night()
    assert manifest.state is RunState.TRUE
    assert manifest.found is not None
    assert manifest.found.outdated == 20
    assert {chunk.pipeline for chunk in site.chunks()} == {site.pipeline}
    assert {chunk.doc_version for chunk in site.chunks()} == versions
    assert len(site.chunks()) == 40


def test_cs_06_a_new_template_embeds_nothing_and_brings_the_citation_up_to_date() -> None:
    """5,000 pages in small: every version token and address changes, no text does."""
    cms = EditableCms(names(60))
    address, release = ["/old/"], ["1"]

    def answer(request: Request) -> Reply:
        reply = cms.answer(request)
        doc_id = request.path.removeprefix("/page/")
        if doc_id in cms.ids:
            return Reply.of(
                {"id": doc_id, "v": cms.version(doc_id), "body": page(int(release[0]), f"<p>Text of {doc_id}</p>"),
                 "title": f"Title {release[0]}", "url": f"https://example.org{address[0]}{doc_id}"}
            )  # fmt: skip
        return reply

    with http_server(answer) as url:
        options = model_options(url, cms)
        options["page"] |= {"body_format": "html"}
        options["page"]["fields"] |= {"url": "url"}
        site = Site.of_http(options)
        site.night()
        embedded = len(site.embedder.embedded)
        address[0], release[0] = "/new/", "2"
        cms.texts = {doc_id: f"version two of {doc_id}" for doc_id in cms.ids}  # only moves the version token
        manifest = site.night()
        assert manifest.state is RunState.TRUE
        assert manifest.count(DocumentState.REFRESHED) == 60
        assert len(site.embedder.embedded) == embedded
        payloads = [point.payload for point in site.store.points.values()]  # type: ignore[attr-defined]
        assert all("/new/" in payload["url"] and payload["title"] == "Title 2" for payload in payloads)


def test_a_change_of_the_body_alone_is_seen_however_small() -> None:
    source, site = filled(20)
    source.put("page-003", "page 3\nabout thing 4")
    manifest = site.night()
    assert manifest.count(DocumentState.REPLACED) == 1
    assert site.texts()["page-003"] == ["page 3", "about thing 4"]


# -- git: what a commit moves and what it does not --

DOCS = 30


def page_of(number: int, *, title: str = "", front_matter: str = "") -> str:
    fields = front_matter or f"title: {title or f'Page {number}'}\ndate: 2025-01-{1 + number % 28:02}\nlang: en\n"
    return f"---\n{fields}---\n# Page {number}\n\nAbout thing {number}.\n\n## More\n\nThe end of {number}.\n"


def shelf(tmp_path: Path, **options: Any) -> tuple[GitRepository, Callable[..., Site]]:
    """A repository of pages, and sites that read it into one index, each with its own options."""
    repository = GitRepository.create(
        tmp_path / "docs", {f"docs/page-{number:02}.md": page_of(number) for number in range(DOCS)}
    )
    first = Site.of_git(repository.folder, tmp_path / "cache", options=options)

    def site(**changed: Any) -> Site:
        return Site.of_git(
            repository.folder,
            tmp_path / "cache",
            options={**options, **changed},
            store=first.store,
            embedder=first.embedder,
            clock=first.clock,
            ledger=first.ledger,
            manifests=first.manifests,
        )

    return repository, site


def stored(site: Site) -> dict[str, dict[str, object]]:
    """Payloads by point; the fences aside, which tell when a document was read."""
    assert isinstance(site.store, FakeIndexStore)
    return {
        point_id: {name: value for name, value in point.payload.items() if name != "fetched_at"}
        for point_id, point in site.store.points.items()
    }


def said(site: Site, name: str) -> set[object]:
    return {payload.get(name) for payload in stored(site).values()}


def only_refreshed(manifest: Manifest, documents: int) -> bool:
    """True, no hold, nothing embedded, and so many documents got other metadata in place."""
    embedded = sum(outcome.embedded for outcome in manifest.outcomes)
    states = [outcome.state for outcome in manifest.outcomes]
    return (manifest.state, manifest.holds, embedded) == (RunState.TRUE, (), 0) and states == [
        DocumentState.REFRESHED
    ] * documents


def test_new_commits_over_the_same_files_change_nothing(tmp_path: Path) -> None:
    """Touched and committed again, rebased, a merge, another branch name, a changed mode: no text, no write."""
    repository, site = shelf(tmp_path)
    site().night()
    before = stored(site())
    (repository.folder / "docs/page-03.md").touch()
    repository.commit_all(day="2025-02-01")
    repository.git("commit", "--quiet", "--amend", "--message", "rewritten", "--allow-empty", day="2025-03-01")
    (repository.folder / "docs/page-04.md").chmod(0o755)
    repository.commit_all(day="2025-03-02")
    repository.git("checkout", "--quiet", "-b", "side")
    repository.commit({"docs/page-05.md": page_of(5) + "more\n"}, day="2025-03-03")
    repository.commit({"docs/page-05.md": page_of(5)}, day="2025-03-04")
    repository.git("checkout", "--quiet", "main")
    repository.git("merge", "--quiet", "--no-ff", "--message", "merge", "side", day="2025-03-05")
    manifest = site().night()
    assert (manifest.state, manifest.outcomes) == (RunState.TRUE, ())
    assert stored(site()) == before


@pytest.mark.parametrize(
    "rewrite",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\n", " \n").replace("--- \n", "---\n"),
        lambda text: text + "\n\n",
    ],
    ids=["CRLF", "byte order mark", "blanks at the ends", "blank lines at the end"],
)
def test_another_way_to_write_every_file_embeds_nothing_and_holds_nothing(
    rewrite: Callable[[str], str], tmp_path: Path
) -> None:
    repository, site = shelf(tmp_path)
    site().night()
    before = stored(site())
    repository.commit({f"docs/page-{number:02}.md": rewrite(page_of(number)) for number in range(DOCS)})
    assert only_refreshed(site().night(), DOCS)
    after = stored(site())
    assert {pid: {**payload, "doc_version": ""} for pid, payload in after.items()} == {
        pid: {**payload, "doc_version": ""} for pid, payload in before.items()
    }
    assert site().night().outcomes == ()


def test_front_matter_in_another_order_is_the_same_metadata(tmp_path: Path) -> None:
    repository, site = shelf(tmp_path)
    site().night()
    titles, digests = said(site(), "title"), said(site(), "metadata_hash")
    turned = {
        f"docs/page-{n:02}.md": page_of(
            n, front_matter=f"# by a formatter\nlang: 'en'\ndate: 2025-01-{1 + n % 28:02}\ntitle: \"Page {n}\"\n"
        )
        for n in range(DOCS)
    }
    repository.commit(turned)
    assert only_refreshed(site().night(), DOCS)
    assert (said(site(), "title"), said(site(), "metadata_hash")) == (titles, digests)


def test_an_edit_of_front_matter_alone_reaches_every_chunk_in_place(tmp_path: Path) -> None:
    repository, site = shelf(tmp_path)
    site().night()
    before = stored(site())
    repository.commit({"docs/page-03.md": page_of(3, front_matter="title: Renamed\ndate: 2025-06-01\nlang: de\n")})
    assert only_refreshed(site().night(), 1)
    after = stored(site())
    assert after.keys() == before.keys()
    ours = [payload for payload in after.values() if payload["doc_id"] == "docs/page-03.md"]
    assert len(ours) > 1
    assert {(p["title"], p["lang"], p["created_at"]) for p in ours} == {
        ("Renamed", "de", "2025-06-01T00:00:00.000000Z")
    }
    others = {pid for pid, payload in before.items() if payload["doc_id"] != "docs/page-03.md"}
    assert {pid: after[pid] for pid in others} == {pid: before[pid] for pid in others}
    assert site().night().outcomes == ()


def test_a_renamed_file_moves_its_vectors(tmp_path: Path) -> None:
    repository, site = shelf(tmp_path)
    site().night()
    embedded = len(site().embedder.embedded)
    repository.git("mv", "docs/page-03.md", "docs/renamed.md")
    repository.commit_all()
    manifest = site().night()
    assert manifest.state is RunState.TRUE
    assert {outcome.doc_id: outcome.state for outcome in manifest.outcomes} == {
        "docs/renamed.md": DocumentState.CREATED,
        "docs/page-03.md": DocumentState.DELETED,
    }
    assert len(site().embedder.embedded) == embedded


@pytest.mark.parametrize(
    ("option", "name", "value"),
    [
        ({"base_url": "https://new.example.org/{page}"}, "url", "https://new.example.org/docs/page-03"),
        ({"content_type": "policy"}, "content_type", "policy"),
        ({"languages": {"en": "en-GB"}}, "lang", "en-GB"),
    ],
    ids=str,
)
def test_cs_04_another_option_that_shapes_metadata_refreshes_every_document_once(
    option: Mapping[str, Any], name: str, value: str, tmp_path: Path
) -> None:
    _, site = shelf(tmp_path, base_url="https://old.example.org/{page}")
    site().night()
    before = stored(site())
    assert value not in said(site(), name)
    manifest = site(**option).night()
    assert manifest.found == Findings(outdated=DOCS)
    assert only_refreshed(manifest, DOCS)
    assert value in said(site(), name)
    assert stored(site()).keys() == before.keys()
    assert site(**option).night().outcomes == ()


def test_a_date_that_lay_in_the_future_is_read_again_once_it_has_come(tmp_path: Path) -> None:
    """The page does not change any more, and would stay without a date for ever."""
    repository, site = shelf(tmp_path)
    announced = site().clock.now().date().replace(day=20).isoformat()
    repository.commit({"docs/page-03.md": page_of(3, front_matter=f"title: Soon\ndate: {announced}\n")})
    site().night()

    def created(doc_id: str) -> set[object]:
        return {payload.get("created_at") for payload in stored(site()).values() if payload["doc_id"] == doc_id}

    assert f"{announced}T00:00:00.000000Z" not in created("docs/page-03.md")
    for _ in range(5):
        assert site().night().outcomes == ()
    site().clock.turn(days=30)
    assert only_refreshed(site().night(), 1)
    assert created("docs/page-03.md") == {f"{announced}T00:00:00.000000Z"}
    assert site().night().outcomes == ()


# -- content systems: what a save moves --


@dataclass
class Desk(ModelCms):
    """A CMS that moves `v` with every save, and whose pages show a slug and a category that is renamed elsewhere."""

    saves: int = 0
    slugs: dict[str, str] = field(default_factory=dict)
    category: str = "Guides"

    def answer(self, request: Request) -> Reply:
        doc_id = request.path.removeprefix("/page/")
        reply = super().answer(request)
        if doc_id in self.ids:
            return Reply.of({**self.row(doc_id), "body": f"text of {doc_id}\nand more of {doc_id}"})
        return reply

    def row(self, doc_id: str) -> dict[str, object]:
        return {
            "id": doc_id,
            "v": f"2026-01-01 save {self.saves}",
            "title": f"About {doc_id}",
            "slug": self.slugs.get(doc_id, doc_id),
            "category": {"name": self.category, "order": self.saves},
        }

    def _list(self, query: dict[str, str]) -> Reply:
        data = json.loads(super()._list(query).body)
        data["items"] = [self.row(item["id"]) for item in data["items"]]
        return Reply.of(data)


def desk_options(url: str, desk: Desk, **fields: str) -> dict[str, Any]:
    options = model_options(url, desk)
    options["list"] |= {"version": ["v", "slug", "category.name"]}
    options["page"]["fields"] |= {"url": "slug", "content_type": "category.name", **fields}
    return {**options, "site_url": "https://example.org/"}


def test_saving_everything_without_a_change_embeds_nothing_and_holds_nothing() -> None:
    desk = Desk(names(60))
    with http_server(desk.answer) as url:
        site = Site.of_http(desk_options(url, desk))
        site.night()
        before = stored(site)
        for _ in range(3):
            desk.saves += 1
            assert only_refreshed(site.night(), 60)
        after = stored(site)
    assert {pid: {**p, "doc_version": ""} for pid, p in after.items()} == {
        pid: {**p, "doc_version": ""} for pid, p in before.items()
    }


def test_a_renamed_slug_and_a_renamed_category_reach_every_chunk_in_place() -> None:
    desk = Desk(names(40))
    with http_server(desk.answer) as url:
        site = Site.of_http(desk_options(url, desk))
        site.night()
        points = stored(site).keys()
        desk.slugs["d0003"] = "a-better-name"
        assert only_refreshed(site.night(), 1)
        assert "https://example.org/a-better-name" in said(site, "url")
        desk.category = "Handbook"
        assert only_refreshed(site.night(), 40)
        assert said(site, "content_type") == {"Handbook"}
        assert stored(site).keys() == points
        assert site.night().outcomes == ()


def test_cs_04_another_mapping_of_metadata_is_applied_to_pages_that_nobody_edits() -> None:
    desk = Desk(names(40))
    with http_server(desk.answer) as url:
        site = Site.of_http(desk_options(url, desk))
        site.night()
        remapped = Site.of_http(
            desk_options(url, desk, title="category.name"),
            store=site.store,
            embedder=site.embedder,
            clock=site.clock,
            ledger=site.ledger,
            manifests=site.manifests,
        )
        assert only_refreshed(remapped.night(), 40)
        assert said(site, "title") == {"Guides"}
        assert remapped.night().outcomes == ()
