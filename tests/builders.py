"""Documents, chunks and points for tests: right unless a test says otherwise."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from include.domain.dates import rfc3339
from include.domain.documents import Chunk, DocumentKey, ExtractedDocument, Status, StoredChunk
from include.domain.identity import point_id
from include.domain.inventory import IndexInventory, Listing
from include.domain.manifest import Manifest
from include.domain.payload import metadata_hash, source_says
from include.domain.selection import Selector
from include.planning.limits import Limits
from include.ports import (
    Clock,
    Connector,
    DateClusters,
    Embedder,
    Index,
    IndexStore,
    Ledger,
    Manifests,
    NewPoint,
    RemovalMarks,
    Vectors,
)
from include.services.context import SourceContext
from include.services.ingest import conclude_ingest, find_changed, ingest_documents
from include.services.reconcile import reconcile
from include.services.version_writer import VersionWriter
from include.store.points import stored_chunk
from include.text.normalise import extract
from tests.fakes.clock import FakeClock
from tests.fakes.date_clusters import FakeDateClusters
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.index import FakeIndexStore
from tests.fakes.records import FakeLedger, FakeManifests, FakeRemovalMarks
from tests.fakes.source import FakeSource

DIMENSION = 8
EMBEDDER = "test-embedder"
PIPELINE = "pipeline-1"
READ_WITH = "settings-1"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def at(minutes: float) -> datetime:
    """An instant so many minutes after a fixed noon."""
    return NOON + timedelta(minutes=minutes)


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def unit_vector(text: str, dimension: int = DIMENSION) -> Vectors:
    """A vector of length 1 that only depends on the text."""
    seed = int(sha256(text)[:16], 16)
    vector = np.random.default_rng(seed).normal(size=dimension).astype(np.float32)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def new_points(
    key: DocumentKey,
    texts: Sequence[str],
    *,
    version: str = "v1",
    status: Status = Status.INCOMING,
    fetched_at: datetime = NOON,
    pipeline: str = PIPELINE,
    dimension: int = DIMENSION,
    **fields: object,
) -> list[NewPoint]:
    """The points of one version of a document, one per text. `fields` replace payload fields of every chunk."""
    content_hash = sha256("\n".join(texts))
    points = []
    for index, text in enumerate(texts):
        payload: dict[str, object] = {
            "source": key.source,
            "doc_id": key.doc_id,
            "doc_version": version,
            "content_hash": content_hash,
            "chunk_hash": sha256(text),
            "pipeline": pipeline,
            "chunk_index": index,
            "chunk_count": len(texts),
            "status": status.value,
            "fetched_at": rfc3339(fetched_at),
            "url": f"https://example.org/{key.doc_id}",
            "title": f"Title of {key.doc_id}",
            "content_type": "page",
            "lang": "en",
            "is_canonical": False,
            "is_current": True,
            "pinned": False,
            "supersedes": [],
            "superseded_by": [],
            "text": text,
            "heading_path": "",
            "read_with": READ_WITH,
            **fields,
        }
        payload.setdefault("metadata_hash", metadata_hash(source_says(payload)))
        identity = point_id(key.source, key.doc_id, content_hash, pipeline, index, sha256(text))
        points.append(NewPoint(identity, unit_vector(text, dimension), text, payload))
    return points


def stored(points: Sequence[NewPoint], **fields: object) -> list[StoredChunk]:
    """The points as they are read back, with payload fields replaced, whatever their type."""
    return [stored_chunk(point.point_id, {**point.payload, **fields}) for point in points]


def publish(index: Index, points: Sequence[NewPoint], status: Status = Status.PUBLISHED) -> None:
    """Give the points of one document a status, as the writer does: in one operation on what it inserted."""
    document = DocumentKey(str(points[0].payload["source"]), str(points[0].payload["doc_id"]))
    index.set_payload(Selector(document, only_ids=tuple(ids_of(points))), {"status": status.value})


def ids_of(points: Sequence[NewPoint]) -> list[str]:
    return [point.point_id for point in points]


def with_payload(point: NewPoint, **fields: object) -> NewPoint:
    """The same point with payload fields replaced; a field set to `...` is left out."""
    payload: Mapping[str, object] = {**point.payload, **fields}
    return NewPoint(point.point_id, point.vector, point.text, {k: v for k, v in payload.items() if v is not ...})


def line_chunks(document: ExtractedDocument) -> tuple[Chunk, ...]:
    """One chunk per line that is not blank: a test can then see in a text which chunks it makes."""
    lines = [line for line in document.text.splitlines() if line.strip()]
    return tuple(Chunk(index, line, "", sha256(line)) for index, line in enumerate(lines))


def no_problems(_checked: Listing | IndexInventory) -> Sequence[str]:
    return []


def context_of(
    source: FakeSource | Connector,
    *,
    store: IndexStore | None = None,
    embedder: Embedder | None = None,
    clock: Clock | None = None,
    ledger: Ledger | None = None,
    manifests: Manifests | None = None,
    removal_marks: RemovalMarks | None = None,
    date_clusters: DateClusters | None = None,
    limits: Limits | None = None,
    pipeline: str = PIPELINE,
    read_with: str = READ_WITH,
    configured_sources: Sequence[str] = (),
    listing_problems: Callable[[Listing], Sequence[str]] = no_problems,
    index_problems: Callable[[IndexInventory], Sequence[str]] = no_problems,
    batch_documents: int = 200,
) -> SourceContext:
    """A source with everything a use case needs, in memory unless a test brings its own. The store is prepared."""
    store = FakeIndexStore() if store is None else store
    embedder = embedder or FakeEmbedder()
    clock = clock or FakeClock()
    removal_marks = removal_marks or FakeRemovalMarks()
    store.prepare(embedder.id, embedder.dimension)
    connector = source.connector(clock) if isinstance(source, FakeSource) else source
    writer = VersionWriter(
        store=store,
        embedder=embedder,
        removal_marks=removal_marks,
        clock=clock,
        chunk=line_chunks,
        pipeline=pipeline,
    )
    return SourceContext(
        connector=connector,
        extract=extract,
        store=store,
        writer=writer,
        ledger=ledger or FakeLedger(),
        manifests=manifests or FakeManifests(),
        removal_marks=removal_marks,
        date_clusters=date_clusters or FakeDateClusters(),
        clock=clock,
        limits=limits or Limits(),
        read_with=read_with,
        configured_sources=configured_sources or (connector.source,),
        listing_problems=listing_problems,
        index_problems=index_problems,
        batch_documents=batch_documents,
    )


def no_progress(_what: str, _done: int, _total: int) -> None:
    pass


def night(context: SourceContext, run_id: str, *, released: bool = False) -> Manifest:
    """One nightly reconciliation."""
    return reconcile(context, dag_id="reconcile_index", run_id=run_id, progress=no_progress, released=released)


def day(context: SourceContext, run_id: str, *, doc_ids: Sequence[str] = (), force: bool = False) -> Manifest:
    """One ingest run, all of it in this process."""
    started_at = context.clock.now()
    changed = find_changed(context, doc_ids=doc_ids, force=force)
    outcomes = ingest_documents(context, changed.doc_ids, indexed=changed.indexed, progress=no_progress)
    return conclude_ingest(
        context,
        dag_id="ingest_documents",
        run_id=run_id,
        started_at=started_at,
        outcomes=outcomes,
        progress=no_progress,
    )
