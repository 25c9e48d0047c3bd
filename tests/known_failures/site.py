"""One installation over many nights: index, ledger and manifests stay, each run gets a connector of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from include.connectors.credentials import Credentials
from include.connectors.git_markdown import GitMarkdownConnector, GitMarkdownOptions
from include.connectors.http_json import HttpJsonConnector
from include.connectors.http_options import HttpJsonOptions
from include.connectors.read_with import read_with
from include.domain.dates import rfc3339
from include.domain.documents import Chunk, ExtractedDocument, Status, StoredChunk
from include.domain.manifest import Manifest
from include.domain.plan import HeldPlan, Release
from include.planning.limits import Limits
from include.ports import Clock, Connector, IndexStore
from include.services.context import SourceContext
from include.services.version_writer import VersionWriter
from tests.builders import PIPELINE, READ_WITH, context_of, day, night
from tests.connector_sources import ModelCms, Reply, Request, TurnableClock, http_server, model_options
from tests.fakes.clock import FakeClock
from tests.fakes.date_clusters import FakeDateClusters
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.index import FakeIndexStore
from tests.fakes.records import FakeLedger, FakeManifests, FakeRemovalMarks
from tests.fakes.source import FakeSource

TOKEN = Credentials(headers={"Authorization": "Bearer helpcenter-demo-token"})


@dataclass
class Site:
    """`connect` opens the source for one run. Everything else outlives the runs."""

    connect: Callable[[Clock], Connector]
    store: IndexStore = field(default_factory=FakeIndexStore)
    embedder: Any = field(default_factory=FakeEmbedder)
    clock: FakeClock = field(default_factory=FakeClock)
    ledger: FakeLedger = field(default_factory=FakeLedger)
    manifests: FakeManifests = field(default_factory=FakeManifests)
    removal_marks: FakeRemovalMarks = field(default_factory=FakeRemovalMarks)
    date_clusters: FakeDateClusters = field(default_factory=FakeDateClusters)
    limits: Limits = field(default_factory=Limits)
    pipeline: str = PIPELINE
    read_with: str = READ_WITH
    chunk: Callable[[ExtractedDocument], tuple[Chunk, ...]] | None = None  # one chunk per line unless a test cuts
    configured_sources: Sequence[str] = ()
    batch_documents: int = 200
    runs: int = 0

    @classmethod
    def of(cls, source: FakeSource, **parts: Any) -> Site:
        return cls(source.connector, **parts)

    @classmethod
    def of_git(
        cls, location: Path | str, cache: Path, *, options: Mapping[str, Any] | None = None, **parts: Any
    ) -> Site:
        chosen = GitMarkdownOptions.model_validate({"location": str(location), **(options or {})})
        return cls(
            lambda clock: GitMarkdownConnector("handbook", chosen, clock=clock, cache_dir=cache),
            read_with=read_with("git_markdown", chosen),
            **parts,
        )

    @classmethod
    def of_http(cls, options: Mapping[str, Any], *, credentials: Credentials | None = None, **parts: Any) -> Site:
        chosen = HttpJsonOptions.model_validate(options)
        return cls(
            lambda clock: HttpJsonConnector("cms", chosen, clock=clock, credentials=credentials, pace=TurnableClock()),
            read_with=read_with("http_json", chosen),
            **parts,
        )

    def context(self) -> SourceContext:
        context = context_of(
            self.connect(self.clock),
            store=self.store,
            embedder=self.embedder,
            clock=self.clock,
            ledger=self.ledger,
            manifests=self.manifests,
            removal_marks=self.removal_marks,
            date_clusters=self.date_clusters,
            limits=self.limits,
            pipeline=self.pipeline,
            read_with=self.read_with,
            configured_sources=self.configured_sources,
            batch_documents=self.batch_documents,
        )
        if self.chunk is None:
            return context
        writer = VersionWriter(
            store=self.store,
            embedder=self.embedder,
            removal_marks=self.removal_marks,
            clock=self.clock,
            chunk=self.chunk,
            pipeline=self.pipeline,
        )
        return replace(context, writer=writer)

    def night(self, *, released: bool = False) -> Manifest:
        """A day later, one reconciliation."""
        self.clock.turn(days=1, minutes=1)
        return self.run(released=released)

    def run(self, *, released: bool = False) -> Manifest:
        """One reconciliation now."""
        self.runs += 1
        context = self.context()
        try:
            return night(context, f"run-{self.runs}", released=released)
        finally:
            context.connector.close()

    def day(self, *doc_ids: str, force: bool = False) -> Manifest:
        """One ingest run now."""
        self.runs += 1
        context = self.context()
        try:
            return day(context, f"run-{self.runs}", doc_ids=doc_ids, force=force)
        finally:
            context.connector.close()

    def held(self) -> HeldPlan:
        plan = self.ledger.held(self.source)
        assert plan is not None, "nothing is held"
        return plan

    def approve(self, checksum: str = "", *, hours: float = 72) -> Release:
        """What a person's click leaves in the ledger."""
        now = self.clock.now()
        release = Release(
            self.source,
            checksum or self.held().checksum,
            "owner",
            "the clean-up is meant",
            rfc3339(now),
            rfc3339(now + timedelta(hours=hours)),
        )
        self.ledger.release(release)
        return release

    @property
    def source(self) -> str:
        return self.connect(self.clock).source

    def chunks(self, source: str = "") -> list[StoredChunk]:
        """Every stored point of a source, readable or not, in one order."""
        with self.store.reading() as index:
            return sorted(index.scan(source or self.source), key=lambda chunk: chunk.point_id)

    def texts(self) -> dict[str, list[str]]:
        """The readable chunks of every document, in order."""
        found: dict[str, list[str]] = {}
        for chunk in sorted(self.chunks(), key=lambda chunk: chunk.chunk_index or 0):
            if chunk.status != Status.INCOMING:
                found.setdefault(str(chunk.doc_id), []).append(chunk.text or "")
        return found

    def documents(self) -> set[str]:
        return set(self.texts())


def filled(count: int, *, name: str = "handbook", **parts: Any) -> tuple[FakeSource, Site]:
    """A source with pages `page-000` … of two lines each, and a site that has indexed them."""
    source = FakeSource(name)
    for number in range(count):
        source.put(f"page-{number:03}", f"page {number}\nabout thing {number}")
    site = Site.of(source, **parts)
    assert site.night().state == "true"
    return source, site


@dataclass
class EditableCms(ModelCms):
    """A paged JSON CMS whose pages have a text that can be edited, and single answers that can be broken.

    `texts` of ids without an entry are made up. `broken` are answers to the question for one page. `ids` that are
    `unlisted` are served by id and left out of the list.
    """

    texts: dict[str, str] = field(default_factory=dict)
    broken: dict[str, Reply] = field(default_factory=dict)
    unlisted: set[str] = field(default_factory=set)
    states: dict[str, str] = field(default_factory=dict)

    def answer(self, request: Request) -> Reply:
        doc_id = request.path.removeprefix("/page/")
        if doc_id in self.broken:
            self.requests.append(request)
            return self.broken[doc_id]
        reply = super().answer(request)
        if doc_id not in self.ids or reply.status != 200:
            return reply
        return Reply.of(
            {"id": doc_id, "v": self.version(doc_id), "body": self.text(doc_id), "title": doc_id, **self._state(doc_id)}
        )

    def text(self, doc_id: str) -> str:
        return self.texts.get(doc_id, f"text of {doc_id}")

    def version(self, doc_id: str) -> str:
        return f"v-{abs(hash(self.text(doc_id)))}"

    def _state(self, doc_id: str) -> dict[str, str]:
        return {"status": self.states[doc_id]} if doc_id in self.states else {}

    def _list(self, query: dict[str, str]) -> Reply:
        every = self.ids
        self.ids = [one for one in every if one not in self.unlisted]
        try:
            reply = super()._list(query)
        finally:
            self.ids = every
        data = json.loads(reply.body)
        for row in data["items"]:
            row |= {"v": self.version(row["id"]), **self._state(row["id"])}
        return Reply.of(data, **reply.headers)


def names(count: int) -> list[str]:
    return [f"d{number:04}" for number in range(count)]


@contextmanager
def served(cms: ModelCms, **changes: Any) -> Any:
    """A site over a served CMS; `changes` are options of the connector."""
    with http_server(cms.answer) as url:
        yield Site.of_http(model_options(url, cms, **changes))
