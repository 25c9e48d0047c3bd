"""Which changes of settings have a source's metadata read again, and what such a night costs and may not do."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from include.connectors import registry
from include.connectors.read_with import METADATA_VERSION, SHAPING, read_with
from include.domain.documents import Marks
from include.domain.manifest import DocumentState, Findings, RunState
from include.domain.payload import document_payload
from include.domain.plan import HoldReason
from include.services.context import SourceContext
from include.services.look_again import look_again
from include.text.normalise import extract
from tests.builders import context_of, day, night, no_progress
from tests.connector_sources import GitRepository, Reply, Request, TurnableClock, http_server
from tests.fakes.clock import FakeClock
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.index import FakeIndexStore
from tests.fakes.source import FakeSource

SILENT = {
    "git_markdown": {
        *("location", "ref", "include", "exclude", "sentinel", "future_date_hides", "publish_opt_in", "empty_pages"),
        *("timeout_seconds", "fetch_timeout_seconds"),
    },
    "http_json": {"list", "public", "identity", "canaries", "settle_seconds", "empty_pages", "preview_hosts", "http"},
    "http_json.page": {"params", "absent", "body_format", "parts", "part_kind", "version", "public"},
    "sitemap": {
        *("url", "sitemap", "hosts", "include", "exclude", "version", "reread_days", "unlisted", "noindex_hides"),
        *("obey_robots", "crawl_delay_max", "soft_404", "canaries", "max_documents", "passes", "spool_bytes", "http"),
    },
    "wordpress": {
        *("url", "types", "rest", "per_page", "passes", "content_in_version", "settle_seconds", "canaries"),
        *("empty_pages", "http"),
    },
}
"""Options that say nothing about what a document's metadata are: which documents there are, their text, how they are
asked for. A new option belongs here or into SHAPING."""


def test_of_every_option_it_is_said_whether_it_shapes_metadata() -> None:
    assert SHAPING.keys() == registry.KINDS.keys()
    for kind, shaping in SHAPING.items():
        assert shaping.keys() | SILENT[kind] == set(registry.KINDS[kind].options.model_fields), kind
        assert not shaping.keys() & SILENT[kind]
    page = registry.KINDS["http_json"].options.model_fields["page"].annotation
    assert isinstance(page, type)
    assert issubclass(page, BaseModel)
    shaping_page = SHAPING["http_json"]["page"]
    assert isinstance(shaping_page, Mapping)
    assert shaping_page.keys() | SILENT["http_json.page"] == set(page.model_fields)


CMS: dict[str, Any] = {
    "base_url": "https://cms.example.org",
    "list": {"path": "/posts", "items": "posts", "version": "v"},
    "page": {"path": "/posts/{id}", "fields": {"body": "html"}},
}
GIT: dict[str, Any] = {"location": "/srv/handbook"}


def name_of(kind: str, options: Mapping[str, Any]) -> str:
    return read_with(kind, registry.check(kind, "handbook", options))


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("git_markdown", GIT, {**GIT, "base_url": "https://docs.example.org/{page}"}),
        ("git_markdown", {**GIT, "base_url": "/{path}?v=1"}, {**GIT, "base_url": "/{path}?v=2"}),
        ("git_markdown", GIT, {**GIT, "lang": "de"}),
        ("git_markdown", GIT, {**GIT, "languages": ["de"]}),
        ("git_markdown", GIT, {**GIT, "content_type": "policy"}),
        ("git_markdown", GIT, {**GIT, "roots": [{"path": "docs", "lang": "de"}]}),
        ("git_markdown", GIT, {**GIT, "dialect": "jekyll"}),
        ("http_json", CMS, {**CMS, "site_url": "https://www.example.org"}),
        ("http_json", CMS, {**CMS, "page": {"path": "/posts/{id}", "fields": {"body": "html", "title": "name"}}}),
        ("http_json", CMS, {**CMS, "lang": "de"}),
        ("sitemap", {"url": "https://a.example"}, {"url": "https://a.example", "content": "main"}),
        ("wordpress", {"url": "https://a.example"}, {"url": "https://a.example", "content_types": {"posts": "news"}}),
    ],
    ids=str,
)
def test_a_setting_that_shapes_metadata_changes_the_name(kind: str, before: Any, after: Any) -> None:
    assert name_of(kind, before) != name_of(kind, after)


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("git_markdown", GIT, {**GIT, "location": "https://token:secret@git.example.org/handbook.git"}),
        ("git_markdown", GIT, {**GIT, "timeout_seconds": 5, "include": ["docs/**"]}),
        (
            "http_json",
            {**CMS, "base_url": "https://bob:other@cms.example.org"},
            {**CMS, "base_url": "https://ada:secret@cms.example.org"},
        ),
        ("http_json", CMS, {**CMS, "list": {**CMS["list"], "params": {"key": "secret"}}}),
        ("http_json", CMS, {**CMS, "page": {**CMS["page"], "params": {"key": "secret"}}}),
        ("http_json", CMS, {**CMS, "page": {**CMS["page"], "path": "/posts/{id}?key=secret"}}),
        ("wordpress", {"url": "https://a.example"}, {"url": "https://ada:secret@a.example", "per_page": 10}),
    ],
    ids=str,
)
def test_keys_and_what_only_reads_differently_do_not(kind: str, before: Any, after: Any) -> None:
    assert name_of(kind, before) == name_of(kind, after)


# -- what is read, pinned --

FULL = """---
title: Refunds
lang: de
date: 2025-03-04
lastmod: 2025-04-05T06:07:08+02:00
effective_date: March 2026
expires: 2027-01-31
version: 2.1
status: Superseded
superseded_by: refunds-v3.md
aliases: [/old/refunds/]
---
# Refunds

Effective 1 April 2026. Money comes back.
"""
PLAIN = "# Price list 2024-06\n\nReplaces: prices-2023.md\n\nLast updated: 12 June 2024.\n"
PEP = "PEP: 9\nTitle: A proposal\nStatus: Final\nCreated: 07-Jul-2005\nSuperseded-By: 10\n\nText of it.\n"
HTML = (
    "<!doctype html><html lang=en><head><title>Terms</title><meta property='article:published_time' "
    "content='2024-05-06T07:08:09Z'></head><body><main><h1>Terms</h1><p>Effective from 2024-06-01.</p></main></body>"
)
ROW: dict[str, object] = {
    "id": "7",
    "v": "1",
    "body": "<p>Valid from 3 March 2026.</p>",
    "title": "Fees &amp; rates",
    "slug": "fees",
    "locale": "fr",
    "created": "2025-01-02T03:04:05Z",
    "updated": "02/03/2026",
}


def everything_that_is_read(folder: Path) -> str:
    """A digest of the metadata of one document of each kind, as each connector and each format delivers them."""
    files = {"refunds.md": FULL, "prices-2024-06.md": PLAIN, "pep-0009.rst": PEP, "terms.html": HTML}
    repository = GitRepository.create(folder / "plain", files)
    options = {"location": str(repository.folder), "base_url": "https://docs.example.org/{page}", "date_order": "dmy"}
    read = _read_by("git_markdown", options, folder, [*files])
    site = {"hugo.toml": 'baseURL = "https://hugo.example.org/"\n', "content/posts/refunds.md": FULL}
    repository = GitRepository.create(folder / "hugo", site)
    hugo = {"location": str(repository.folder), "dialect": "hugo", "root": "content", "base_url": "{page}"}
    read += _read_by("git_markdown", hugo, folder, ["content/posts/refunds.md"])

    def answer(request: Request) -> Reply:
        return Reply.of({"items": [ROW], "total": 1} if request.path == "/list" else ROW)

    with http_server(answer) as url:
        fields = {"body": "body", "title": "title", "url": "slug", "lang": "locale", "created_at": "created"}
        cms = {
            "base_url": url,
            "site_url": "https://www.example.org",
            "list": {"path": "list", "items": "items", "version": "v", "paging": {"total": "total"}},
            "page": {"path": "page/{id}", "title_is_html": True, "fields": {**fields, "updated_at": "updated"}},
        }
        read += _read_by("http_json", cms, folder, ["7"])
    return hashlib.sha256("\x1f".join(read).encode()).hexdigest()[:16]


def _read_by(kind: str, options: Mapping[str, Any], folder: Path, doc_ids: Sequence[str]) -> list[str]:
    connector = registry.build(kind, "golden", options, clock=TurnableClock(), cache_dir=folder / "cache")
    try:
        fetched = [connector.fetch(doc_id) for doc_id in doc_ids]
    finally:
        connector.close()
    return [json.dumps(document_payload(extract(one), Marks(), fetched_at=""), sort_keys=True) for one in fetched]


def test_a_change_of_what_is_read_comes_with_a_raised_version(tmp_path: Path) -> None:
    """When this fails: raise METADATA_VERSION, then pin what it says. Every source is read once more then."""
    assert (METADATA_VERSION, everything_that_is_read(tmp_path)) == ("2", "10c38af000e53103")


# -- a night after such a change --

PAGES = 40


@pytest.fixture
def source() -> FakeSource:
    return FakeSource().put_pages(PAGES)


class Installation:
    """One index over changing settings."""

    def __init__(self, source: FakeSource) -> None:
        self.source, self.store, self.embedder = source, FakeIndexStore(), FakeEmbedder()
        self.clock = FakeClock()

    def with_settings(self, name: str) -> SourceContext:
        return context_of(self.source, store=self.store, embedder=self.embedder, clock=self.clock, read_with=name)

    def payloads(self) -> dict[str, dict[str, object]]:
        return {point_id: dict(point.payload) for point_id, point in self.store.points.items()}


@pytest.fixture
def installation(source: FakeSource) -> Installation:
    made = Installation(source)
    assert night(made.with_settings("before"), "fill").state is RunState.TRUE
    made.embedder.embedded.clear()
    return made


def test_texts_that_turn_out_to_be_others_count_as_a_mass_update(installation: Installation) -> None:
    """Under the same versions: a login page that the listing does not show must not come in with the metadata."""
    for number in range(20):
        page = installation.source.pages[f"page-{number:02}"]
        page.body = f"maintenance, reference {number}".encode()
    before = installation.payloads()
    manifest = night(installation.with_settings("after"), "night")
    assert manifest.state is RunState.HELD
    assert [hold.reason for hold in manifest.holds] == [HoldReason.MASS_UPDATE]
    assert {change.doc_id for change in manifest.held} == {f"page-{number:02}" for number in range(20)}
    assert manifest.count(DocumentState.REFRESHED) == 20
    after = installation.payloads()
    held = {change.doc_id for change in manifest.held}
    assert {p: v for p, v in after.items() if v["doc_id"] in held} == {
        p: v for p, v in before.items() if v["doc_id"] in held
    }


def test_a_few_texts_that_turn_out_to_be_others_are_written(installation: Installation) -> None:
    installation.source.pages["page-07"].body = b"page 7\nedited under the same version"
    manifest = night(installation.with_settings("after"), "night")
    assert (manifest.state, manifest.count(DocumentState.REFRESHED)) == (RunState.TRUE, PAGES - 1)
    assert installation.embedder.embedded == ["edited under the same version"]


def test_by_day_nothing_is_read_for_its_metadata_and_what_was_edited_is_still_brought_in(
    installation: Installation,
) -> None:
    installation.source.put("page-07", "page 7\nedited")
    before = installation.payloads()
    context = installation.with_settings("after")
    manifest = day(context, "day")
    assert [(outcome.doc_id, outcome.state) for outcome in manifest.outcomes] == [("page-07", DocumentState.REPLACED)]
    looked = look_again(context, ["page-08"], dag_id="follow_events", run_id="look", progress=no_progress)
    assert looked.outcomes == ()
    others = {point_id: p for point_id, p in installation.payloads().items() if p["doc_id"] != "page-07"}
    assert others == {point_id: p for point_id, p in before.items() if p["doc_id"] != "page-07"}


def test_a_document_that_cannot_be_read_is_tried_again_every_night(installation: Installation) -> None:
    installation.source.broken = {"page-07": RuntimeError("500")}
    context = installation.with_settings("after")
    first = night(context, "first")
    assert (first.state, first.remaining) == (RunState.DEGRADED, Findings(outdated=1))
    installation.source.broken = {}
    second = night(context, "second")
    assert (second.state, [outcome.doc_id for outcome in second.outcomes]) == (RunState.TRUE, ["page-07"])


def test_a_version_that_waits_for_a_person_is_not_let_in_by_other_settings(installation: Installation) -> None:
    for number in range(30):
        installation.source.put(f"page-{number:02}", f"rewritten {number}")
    assert night(installation.with_settings("before"), "held").state is RunState.HELD
    manifest = night(installation.with_settings("after"), "night")
    assert manifest.state is RunState.HELD
    assert len(manifest.held) == 30
    assert manifest.count(DocumentState.REFRESHED) == 10
    assert not installation.embedder.embedded
