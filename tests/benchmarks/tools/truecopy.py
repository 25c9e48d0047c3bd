"""truecopy as it is installed: the wiring's own Application, the embedded engine on disk, the real gate."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import qdrant_edge as edge

from include.domain.documents import FetchedDocument, Presence
from include.domain.errors import DocumentGone, SourceUnavailable
from include.domain.inventory import ListedDocument, Listing, Proof
from include.domain.manifest import DocumentState
from include.ports import Connector, Embedder, IndexStore
from include.settings import Settings
from include.wiring.application import Application, SystemClock
from include.wiring.runs import RECONCILE, Run, reconcile_source
from tests.benchmarks.audit import Stored
from tests.benchmarks.corpus import CHUNK_TOKENS, SOURCE, Page
from tests.benchmarks.tool import Feed, Fuse, Meter, SourceBroke
from tests.faults import ObservedStore

PAGE = 5_000


class FeedConnector:
    """ports.Connector over what the source says in this run."""

    source = SOURCE

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._listed_at = SystemClock().now()

    def list_documents(self) -> Listing:
        self._listed_at = SystemClock().now()
        try:
            pages = list(self._feed.read())
        except SourceBroke as error:
            raise SourceUnavailable(f"{SOURCE}: {error}", source=SOURCE) from error
        documents = {page.doc_id: ListedDocument(page.doc_id, page.version) for page in pages}
        problem = "" if pages else "the source lists 0 documents; an empty source proves nothing"
        proof = Proof(end_reached=True, scope_verified=True, seen=len(pages), problem=problem)
        return Listing(SOURCE, documents, proof, self._listed_at)

    def fetch(self, doc_id: str) -> FetchedDocument:
        return self._page(doc_id).fetched(self._listed_at)

    def probe(self, doc_id: str) -> Presence:
        return Presence.PRESENT if doc_id in self._feed.pages else Presence.GONE

    def close(self) -> None:
        """Nothing is open."""

    def _page(self, doc_id: str) -> Page:
        try:
            return self._feed.pages[doc_id]
        except KeyError:
            raise DocumentGone(f"{SOURCE}: there is no {doc_id}", doc_id=doc_id) from None


@dataclass(frozen=True, kw_only=True)
class Installation(Application):
    """The application with its source, its counted embedder and, where asked for, a fuse in its store."""

    feed: Feed
    meter: Meter
    fuse: Fuse | None

    @cached_property
    def embedder(self) -> Embedder:
        return self.meter

    @cached_property
    def bare_store(self) -> IndexStore:  # type: ignore[override]  # the port is all that the services need
        store = super().bare_store
        fuse = self.fuse
        if fuse is None:
            return store
        # Before a delete, so that the process dies in the middle of retiring versions.
        return ObservedStore(store, lambda operation: fuse.burn(operation == "delete"))

    def connector(self, source: str) -> Connector:
        return FeedConnector(self.feed)


class Truecopy:
    """See tool.Tool."""

    def __init__(self, folder: Path, meter: Meter, fuse: Fuse | None = None) -> None:
        self._folder, self._meter, self._fuse = folder, meter, fuse
        self._settings = Settings.model_validate(
            {
                "sources": {SOURCE: {"kind": "git_markdown", "options": {"location": "."}}},
                "store": {"url": f"edge:{folder / 'index'}"},
                "chunk_tokens": CHUNK_TOKENS,
                "state": str(folder / "state"),
                "ledger": folder / "ledger",
            }
        )

    def sync(self, feed: Feed) -> str:
        application = Installation(self._settings, feed=feed, meter=self._meter, fuse=self._fuse)
        manifest = reconcile_source(
            application, SOURCE, Run(RECONCILE, f"run-{uuid.uuid4()}"), progress=lambda *_: None
        )
        counts = {state.value: manifest.count(state) for state in DocumentState if manifest.count(state)}
        done = ", ".join(f"{number} {state}" for state, number in counts.items())
        return f"{manifest.state.value}: {done or 'nothing to do'}. {manifest.reason}".rstrip(". ")

    def stored(self) -> Iterator[Stored]:
        if not list(self._shards()):
            return
        with self._shard() as shard:
            for record in _records(shard, ["doc_id", "text", "title", "status"]):
                payload = record.payload
                if payload["status"] in ("published", "superseded"):
                    yield Stored(payload["doc_id"], payload["text"], payload["title"])

    def lose(self, points: int) -> None:
        with self._shard() as shard:
            ids = [record.id for record in _records(shard, [])]
            step = len(ids) // points
            shard.update(edge.UpdateOperation.delete_points(ids[::step][:points]))
            shard.flush()

    def haunt(self, points: int) -> None:
        with self._shard() as shard:
            request = edge.ScrollRequest(limit=points, with_payload=True, with_vector=True)
            records, _ = shard.scroll(request)
            ghosts = [
                edge.Point(str(uuid.uuid4()), record.vector or {}, {**(record.payload or {}), "text": "A ghost"})
                for record in records
            ]
            shard.update(edge.UpdateOperation.upsert_points(ghosts))
            shard.flush()

    def empty(self) -> None:
        with self._shard() as shard:
            ids = [record.id for record in _records(shard, [])]
            for start in range(0, len(ids), PAGE):
                shard.update(edge.UpdateOperation.delete_points(ids[start : start + PAGE]))
            shard.flush()

    def close(self) -> None:
        """Nothing is open between runs."""

    def _shards(self) -> Iterator[Path]:
        return (self._folder / "index").glob("*/shard")

    @contextmanager
    def _shard(self) -> Iterator[edge.EdgeShard]:
        [folder] = self._shards()
        shard = edge.EdgeShard.load(str(folder))
        try:
            yield shard
        finally:
            shard.close()


def _records(shard: edge.EdgeShard, fields: list[str]) -> Iterator[Any]:
    offset = None
    while True:
        records, offset = shard.scroll(edge.ScrollRequest(offset=offset, limit=PAGE, with_payload=fields or False))
        yield from records
        if offset is None:
            return
