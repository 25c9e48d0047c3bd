"""Metadata that was read by other settings is read again, on every kind of index: once, in place, embedding nothing."""

from __future__ import annotations

from typing import Any

from include.domain.documents import DocumentKey, Status
from include.domain.manifest import DocumentOutcome, DocumentState, Findings, RunState
from include.domain.payload import metadata_hash
from include.domain.selection import Selector
from include.ports import NewPoint
from tests.builders import DIMENSION, EMBEDDER, context_of, new_points, night
from tests.contract.test_index import everything, put
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.source import FakeSource

PAGES = 12
BEFORE_THIS_RELEASE = frozenset(
    {
        *("source", "doc_id", "url", "title", "content_type", "lang", "doc_version", "content_hash", "chunk_hash"),
        *("pipeline", "chunk_index", "chunk_count", "status", "fetched_at", "updated_at", "created_at"),
        *("created_at_origin", "created_at_trust", "effective_date", "expires_at", "doc_family", "family_version"),
        *("is_canonical", "is_current", "pinned", "supersedes", "superseded_by", "text", "heading_path"),
    }
)


def of_the_store() -> FakeEmbedder:
    embedder = FakeEmbedder(dimension=DIMENSION)
    embedder.id = EMBEDDER
    return embedder


def pages() -> FakeSource:
    return FakeSource().put_pages(PAGES)


def old_points(source: FakeSource) -> list[NewPoint]:
    """What the release before this one has stored of the source: fewer fields, and a date without its precision."""
    points = []
    for doc_id, page in source.published().items():
        dated = {"created_at": "2025-06-01T00:00:00.000000Z", "created_at_origin": "date", "created_at_trust": "high"}
        for point in new_points(
            DocumentKey(source.name, doc_id),
            page.body.decode().splitlines(),
            version=page.version,
            status=Status.PUBLISHED,
            **dated,
        ):
            payload = {name: value for name, value in point.payload.items() if name in BEFORE_THIS_RELEASE}
            points.append(NewPoint(point.point_id, point.vector, point.text, payload))
    return points


def test_an_index_of_the_release_before_is_refreshed_by_one_night_and_then_left_alone(store: Any) -> None:
    source, embedder = pages(), of_the_store()
    put(store, old_points(source))
    before = everything(store)
    context = context_of(source, store=store, embedder=embedder)

    first = night(context, "first")
    assert (first.state, first.found) == (RunState.TRUE, Findings(outdated=PAGES)), first.reason
    assert {outcome.state for outcome in first.outcomes} == {DocumentState.REFRESHED}
    assert len(first.outcomes) == PAGES
    after = everything(store)
    assert after.keys() == before.keys()
    for point_id, (payload, vector) in after.items():
        assert vector == before[point_id][1]
        assert payload["read_with"] == context.read_with
        assert payload["metadata_hash"] == metadata_hash(payload)
        assert payload.get("created_at") is None, "the source knows no date; the old one is not kept"
        assert payload.get("created_at_origin") is None
    assert not embedder.embedded

    again = night(context, "again")
    assert (again.state, again.outcomes) == (RunState.TRUE, ())
    assert everything(store) == after


def test_other_settings_change_every_chunk_in_place(store: Any) -> None:
    source, embedder = pages(), of_the_store()
    assert night(context_of(source, store=store, embedder=embedder), "fill").state is RunState.TRUE
    before = everything(store)
    embedder.embedded.clear()
    context = context_of(source, store=store, embedder=embedder, read_with="other-settings")
    manifest = night(context, "night")
    assert (manifest.state, manifest.holds) == (RunState.TRUE, ())
    assert manifest.count(DocumentState.REFRESHED) == PAGES
    after = everything(store)
    assert {payload["read_with"] for payload, _ in after.values()} == {"other-settings"}
    assert {pid: vector for pid, (_, vector) in after.items()} == {pid: vector for pid, (_, vector) in before.items()}
    assert not embedder.embedded
    assert night(context, "again").outcomes == ()
    assert everything(store) == after


def test_metadata_that_drifted_is_set_right_without_reading_the_source(store: Any) -> None:
    source, embedder = pages(), of_the_store()
    context = context_of(source, store=store, embedder=embedder)
    assert night(context, "fill").state is RunState.TRUE
    before = everything(store)
    with store.writing() as index:
        wrong = {"pinned": True, "doc_family": "decks", "superseded_by": ["page-02"], "status": "archived"}
        index.set_payload(Selector(DocumentKey(source.name, "page-01")), wrong)
    source.broken = dict.fromkeys(source.pages, RuntimeError("nobody may read this"))
    manifest = night(context, "night")
    assert (manifest.state, manifest.found) == (RunState.TRUE, Findings(drifted=1)), manifest.reason
    detail = "not as the ledger decides: doc_family, pinned, status, superseded_by"
    assert manifest.outcomes == (DocumentOutcome("page-01", DocumentState.REFRESHED, detail, version="v1", chunks=2),)
    assert {pid: _known(payload) for pid, (payload, _) in everything(store).items()} == {
        pid: _known(payload) for pid, (payload, _) in before.items()
    }
    assert night(context, "again").outcomes == ()


def _known(payload: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in payload.items() if value is not None}


RICH = """---
title: "Größe 📏 — \u2028 \\"quoted\\" \u00a0"
lang: pt-BR
date: 2025-03-04
lastmod: 2025-04-05T06:07:08+02:00
effective_date: March 2026
expires: 2099-01-31
version: "2.10"
status: Superseded
superseded_by: [größe-v3.md, "PEP 10"]
aliases: [/old/größe/, /älter/]
---
"""


def test_metadata_altered_in_the_engine_are_what_was_read_again_after_one_night(store: Any) -> None:
    source = FakeSource()
    for number in range(4):
        source.put(
            f"page-{number:02}", f"{RICH}# Page {number}\n\nMore.\n\nEnd {number}.\n", media_type="text/markdown"
        )
    context = context_of(source, store=store, embedder=of_the_store())
    assert night(context, "fill").state is RunState.TRUE
    pristine = {pid: _known(payload) for pid, (payload, _) in everything(store).items()}
    assert {payload["stated_version"] for payload in pristine.values()} == {"2.10"}
    assert night(context, "as it was").outcomes == ()

    key = DocumentKey(source.name, "page-01")
    with store.writing() as index:
        index.set_payload(Selector(key), {"title": "Pay here", "stated_aliases": None})
        (one, *_) = index.chunks_of([DocumentKey(source.name, "page-02")])[DocumentKey(source.name, "page-02")]
        only = Selector(DocumentKey(source.name, "page-02"), only_ids=(one.point_id,))
        index.set_payload(only, {"url": "https://pay.example", "expires_at_trust": None})
        index.set_payload(Selector(DocumentKey(source.name, "page-03")), {"metadata_hash": None})
    manifest = night(context, "night")
    assert (manifest.state, manifest.found) == (RunState.TRUE, Findings(partial=3)), manifest.reason
    assert manifest.count(DocumentState.REPAIRED) == 3
    now = {pid: _known(payload) for pid, (payload, _) in everything(store).items()}
    fences = {pid: payload.pop("fetched_at") for pid, payload in now.items()}
    assert now == {pid: {k: v for k, v in payload.items() if k != "fetched_at"} for pid, payload in pristine.items()}
    assert fences.keys() == pristine.keys()
    assert night(context, "again").outcomes == ()
