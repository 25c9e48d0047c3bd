"""Write versions of documents so that each has one complete readable version at every instant.

Per batch: look up which vectors the index already has, embed the rest outside any lock, then in one writing session
and per document

    1. withdraw if a newer version is readable or the document was removed after this read began
    2. insert the missing points as `incoming` (invisible); a point that exists is not touched
    3. publish: one operation gives the points their status, conditional on not being newer
    4. verify by exact count that the whole version is readable
    5. retire everything else of the document that is not newer
    6. verify that nothing else is left; look again for a newer version and for a removal, withdraw if there is one

A crash between any two steps leaves the old version readable up to step 3 and both versions after it, of which
readers keep the newer. The next run finds the rest by reading the index. Steps 3 and 5 carry the fence, so that of two
writers the one that read the source later wins, whatever their order here.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from include.domain.dates import rfc3339
from include.domain.documents import Chunk, DocumentKey, ExtractedDocument, Marks, Status, StoredChunk
from include.domain.errors import DocumentIncomplete, EmbedderMismatch, Retriable, Skippable
from include.domain.manifest import DocumentOutcome, DocumentState
from include.domain.payload import DOCUMENT_FIELDS, chunk_payload, chunk_point_id, document_payload
from include.domain.selection import Selector
from include.planning.fences import fence_after, newest_fence
from include.planning.inspection import is_itself
from include.ports import Clock, Embedder, Index, IndexStore, NewPoint, RemovalMarks, Vectors

log = logging.getLogger(__name__)

_NO_MARKS = Marks()


@dataclass(frozen=True, slots=True)
class _Version:
    """One document ready to be written."""

    document: ExtractedDocument
    points: tuple[NewPoint, ...]
    before: tuple[StoredChunk, ...]
    status: Status
    fence: datetime
    embedded: int

    @property
    def key(self) -> DocumentKey:
        return self.document.key

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(point.point_id for point in self.points)

    def payload(self, point: NewPoint, status: Status) -> NewPoint:
        return replace(point, payload={**point.payload, "status": status.value})


class VersionWriter:
    """Chunks, embeds and writes documents. `pipeline` is the fingerprint of extractor, chunker and embedder."""

    def __init__(
        self,
        *,
        store: IndexStore,
        embedder: Embedder,
        removal_marks: RemovalMarks,
        clock: Clock,
        chunk: Callable[[ExtractedDocument], tuple[Chunk, ...]],
        pipeline: str,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._removal_marks = removal_marks
        self._clock = clock
        self._chunk = chunk
        self.pipeline = pipeline

    def write(
        self, documents: Sequence[ExtractedDocument], marks: Mapping[str, Marks] | None = None
    ) -> list[DocumentOutcome]:
        """Write a batch; one outcome per document. A document that fails does so alone.

        Raises Retriable when the store or the embedder is unavailable, and EmbedderMismatch; nothing of the batch is
        half visible then.
        """
        if not documents:
            return []
        try:
            return self._write(documents, marks or {})
        except (Retriable, EmbedderMismatch):
            raise
        except Exception as error:
            # One document can spoil a batch (a chunk the store refuses, a text the embedder refuses): find out which.
            if len(documents) > 1:
                return [outcome for document in documents for outcome in self.write([document], marks)]
            why = str(error) or type(error).__name__
            log.warning("%s: not written: %s", documents[0].key, why, exc_info=not isinstance(error, Skippable))
            return [DocumentOutcome(documents[0].key.doc_id, DocumentState.FAILED, why)]

    def _write(self, documents: Sequence[ExtractedDocument], marks: Mapping[str, Marks]) -> list[DocumentOutcome]:
        outcomes: list[DocumentOutcome] = []
        cut = [(document, self._chunk(document)) for document in documents]
        wanted = {chunk.chunk_hash: chunk.text for _, chunks in cut for chunk in chunks}
        with self._store.reading() as reader:
            vectors = dict(reader.vectors(wanted))
        new = {chunk_hash: text for chunk_hash, text in wanted.items() if chunk_hash not in vectors}
        if new:
            vectors.update(zip(new, self._embedder.embed(list(new.values())), strict=True))

        with self._store.writing() as index:
            stored = index.chunks_of([document.key for document, _ in cut])
            versions, unattributed = [], set(new)
            for document, chunks in cut:
                own = {chunk.chunk_hash for chunk in chunks} & unattributed
                unattributed -= own
                version = self._version(document, chunks, stored[document.key], vectors, marks, len(own))
                obstacle = self._obstacle(version, version.before)
                if obstacle:
                    outcomes.append(_withdrawn(version, obstacle))
                else:
                    versions.append(version)
            self._insert(index, versions)
            outcomes.extend(self._conclude(index, version) for version in versions)
        return outcomes

    def _version(
        self,
        document: ExtractedDocument,
        chunks: tuple[Chunk, ...],
        before: Sequence[StoredChunk],
        vectors: Mapping[str, Vectors],
        all_marks: Mapping[str, Marks],
        embedded: int,
    ) -> _Version:
        marks = all_marks.get(document.key.doc_id, _NO_MARKS)
        fence = fence_after(document.fetched_at, newest_fence(before), now=self._clock.now())
        common = document_payload(document, marks, fetched_at=rfc3339(fence))
        points = tuple(
            NewPoint(
                chunk_point_id(document, chunk, self.pipeline),
                vectors[chunk.chunk_hash],
                chunk.text,
                common | chunk_payload(document, chunk, chunk_count=len(chunks), pipeline=self.pipeline),
            )
            for chunk in chunks
        )
        return _Version(document, points, tuple(before), marks.status, fence, embedded)

    def _obstacle(self, version: _Version, stored: Sequence[StoredChunk]) -> str:
        """Why this version must not be readable; empty when it may."""
        removed = self._removal_marks.fence_of(version.key)
        if removed is not None and removed >= version.fence:
            return f"the document was removed at {rfc3339(removed)}, after this read began"
        newest = newest_fence(stored, readable_only=True)
        if newest is not None and newest > version.fence:
            return f"a version read at {rfc3339(newest)} is already there"
        return ""

    @staticmethod
    def _insert(index: Index, versions: Sequence[_Version]) -> None:
        new: list[NewPoint] = []
        altered: list[NewPoint] = []
        fresh: dict[Status, list[str]] = defaultdict(list)
        for version in versions:
            present = {chunk.point_id: chunk for chunk in version.before}
            for point in version.points:
                if point.point_id not in present:
                    new.append(version.payload(point, Status.INCOMING))
                elif not is_itself(present[point.point_id]):
                    # Its text is not what its id says: replaced in place, so that no reader misses it meanwhile.
                    altered.append(version.payload(point, version.status))
            if present.keys().isdisjoint(version.ids):
                fresh[version.status].extend(version.ids)
        if new:
            index.insert(new)
        if altered:
            index.overwrite(altered)
        # Documents with nothing but new points are published together: their points already say everything.
        for status, ids in fresh.items():
            index.publish(ids, status)

    def _conclude(self, index: Index, version: _Version) -> DocumentOutcome:
        key, fence, ids = version.key, version.fence, version.ids
        try:
            self._publish(index, version)
        except DocumentIncomplete as error:
            newer = newest_fence(index.chunks_of([key])[key], readable_only=True)
            if newer is None or newer <= fence:
                return DocumentOutcome(key.doc_id, DocumentState.FAILED, str(error))
            return _withdrawn(version, f"a version read at {rfc3339(newer)} arrived meanwhile")

        others = Selector(key, except_ids=ids)
        newer_state: Sequence[StoredChunk] = ()
        if index.count(others):
            index.delete(Selector(key, except_ids=ids, older_than=fence))
            if index.count(others):
                newer_state = index.chunks_of([key])[key]
        obstacle = self._obstacle(version, newer_state)
        if obstacle:
            index.delete(Selector(key, only_ids=ids, older_than=fence))
            return _withdrawn(version, obstacle)
        return _outcome(version)

    @staticmethod
    def _publish(index: Index, version: _Version) -> None:
        """Make every point of the version readable under its fence, or raise DocumentIncomplete."""
        key, whole = version.key, len(version.points)
        readable = Selector(key, only_ids=version.ids, fence=version.fence, status=version.status)
        if index.count(readable) == whole:
            return
        ours = {chunk.point_id for chunk in index.chunks_of([key])[key]}
        strayed = [point for point in version.points if point.point_id not in ours]
        if strayed:
            # The id is ours and stands under another document's name: altered behind our back, and readable by nobody
            # who asks for this document.
            index.overwrite([version.payload(point, Status.INCOMING) for point in strayed])
        # The others were there before: debris of a crash, or the same text under an older version token.
        payload = {name: version.points[0].payload[name] for name in DOCUMENT_FIELDS}
        payload["status"] = version.status.value
        index.set_payload(Selector(key, only_ids=version.ids, older_than=version.fence), payload)
        found = index.count(readable)
        if found != whole:
            raise DocumentIncomplete(
                f"{key}: {found} of {whole} chunks are readable after publishing; the previous version stays. "
                "The next run tries again",
                source=key.source,
                doc_id=key.doc_id,
                found=found,
                expected=whole,
            )


def _outcome(version: _Version) -> DocumentOutcome:
    document, before = version.document, version.before
    readable = [chunk for chunk in before if chunk.status != Status.INCOMING]
    if not readable:
        state = DocumentState.CREATED
    elif {chunk.doc_version for chunk in readable} == {document.version}:
        state = DocumentState.REPAIRED
    elif {chunk.content_hash for chunk in readable} == {document.content_hash}:
        state = DocumentState.REFRESHED
    else:
        state = DocumentState.REPLACED
    hashes = {str(point.payload["chunk_hash"]) for point in version.points}
    return DocumentOutcome(
        document.key.doc_id,
        state,
        version=document.version,
        chunks=len(version.points),
        embedded=version.embedded,
        reused=len(version.points) - version.embedded,
        # Counted from what the document itself had before, not from what the embedder was asked for: a vector that
        # was there and not found again shows up as embedded beyond the minimum.
        minimum=min(version.embedded, len(hashes - {chunk.chunk_hash for chunk in before})),
    )


def _withdrawn(version: _Version, why: str) -> DocumentOutcome:
    document = version.document
    return DocumentOutcome(document.key.doc_id, DocumentState.WITHDRAWN, why, version=document.version)
