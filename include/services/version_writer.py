"""Write versions of documents so that each has one complete readable version at every instant.

Per batch: look up which vectors the index already has, embed the rest outside any lock, then in one writing session

    1. pass over a document of which a newer version is readable
    2. insert the missing points as `incoming` (invisible), take over those that exist: all carry our fence now
    3. look again: is every point there, is there a newer version, was the document removed after this read began?
    4. publish: one operation gives exactly the points with our fence their status
    5. verify by exact count that the whole version is readable
    6. retire everything else of the document that is older; withdraw if something newer is readable by now

A crash between any two steps leaves the old version readable up to step 4 and both versions after it, of which
readers keep the newer. The next run finds the rest by reading the index. Every step carries the fence, so that of two
writers the one that read the source later wins, whatever their order here.

A removal leaves its mark before it deletes. So step 3 sees the mark, or the delete comes after step 2 and takes our
points along. What others insert after it has their fence, and step 4 leaves it alone: a removed document is never
published again by a read that is older than the removal.

Versions with the same text share their points (a revert, a change of metadata). A writer may therefore find points
gone that were there when it looked: an older writer retired them as its predecessor. It puts them back and goes on.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from include.domain.dates import rfc3339
from include.domain.documents import Chunk, DocumentKey, ExtractedDocument, Marks, Status, StoredChunk
from include.domain.errors import DocumentIncomplete, DocumentUnreadable, EmbedderMismatch, Retriable, Skippable
from include.domain.manifest import DocumentOutcome, DocumentState
from include.domain.payload import chunk_payload, chunk_point_id, document_payload
from include.domain.selection import Selector
from include.planning.fences import TICK, is_believable, newest_fence
from include.ports import Clock, Embedder, Index, IndexStore, NewPoint, RemovalMarks, Vectors
from include.services.version import Version, newer_than, outcome_of, withdrawn
from include.services.wrong_clocks import chunks_with_honest_fences

log = logging.getLogger(__name__)

_NO_MARKS = Marks()

_ATTEMPTS = 4
"""How often a version is completed whose points others take away; each time takes another writer in the same moment."""


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
                middle = len(documents) // 2
                return [*self.write(documents[:middle], marks), *self.write(documents[middle:], marks)]
            why = str(error) or type(error).__name__
            log.warning("%s: not written: %s", documents[0].key, why, exc_info=not isinstance(error, Skippable))
            return [DocumentOutcome(documents[0].key.doc_id, DocumentState.FAILED, why)]

    def _write(self, documents: Sequence[ExtractedDocument], marks: Mapping[str, Marks]) -> list[DocumentOutcome]:
        outcomes: list[DocumentOutcome] = []
        cut = [(document, self._cut(document)) for document in documents]
        wanted = {chunk.chunk_hash: chunk.text for _, chunks in cut for chunk in chunks}
        with self._store.reading() as reader:
            vectors = dict(reader.vectors(wanted))
        new = {chunk_hash: text for chunk_hash, text in wanted.items() if chunk_hash not in vectors}
        if new:
            vectors.update(zip(new, self._embedder.embed(list(new.values())), strict=True))

        with self._store.writing() as index:
            stored = self._stored(index, [document.key for document, _ in cut])
            versions, unattributed = [], set(new)
            for document, chunks in cut:
                own = {chunk.chunk_hash for chunk in chunks} & unattributed
                unattributed -= own
                version = self._version(document, chunks, stored[document.key], vectors, marks, len(own))
                newer = newer_than(version, version.before)
                if newer:
                    outcomes.append(withdrawn(version, newer))
                else:
                    versions.append(version)
            stored = self._brought_in(index, versions, stored)
            outcomes.extend(self._conclude(index, version, stored[version.key]) for version in versions)
        return outcomes

    def _stored(self, index: Index, keys: Sequence[DocumentKey]) -> Mapping[DocumentKey, Sequence[StoredChunk]]:
        return chunks_with_honest_fences(index, keys, now=self._clock.now())

    def _cut(self, document: ExtractedDocument) -> tuple[Chunk, ...]:
        chunks = self._chunk(document)
        if not chunks:
            # A version without points would be "whole" at once, and everything else of the document retired.
            raise DocumentUnreadable(
                f"{document.key}: its text makes no chunk; the last good version stays. Look at it at the source",
                source=document.key.source,
                doc_id=document.key.doc_id,
            )
        return chunks

    def _version(
        self,
        document: ExtractedDocument,
        chunks: tuple[Chunk, ...],
        before: Sequence[StoredChunk],
        vectors: Mapping[str, Vectors],
        all_marks: Mapping[str, Marks],
        embedded: int,
    ) -> Version:
        marks = all_marks.get(document.key.doc_id, _NO_MARKS)
        common = document_payload(document, marks, fetched_at=rfc3339(document.fetched_at))
        points = tuple(
            NewPoint(
                chunk_point_id(document, chunk, self.pipeline),
                vectors[chunk.chunk_hash],
                chunk.text,
                common | chunk_payload(document, chunk, chunk_count=len(chunks), pipeline=self.pipeline),
            )
            for chunk in chunks
        )
        return Version(document, points, tuple(before), marks.status, embedded)

    def _brought_in(
        self, index: Index, versions: Sequence[Version], stored: Mapping[DocumentKey, Sequence[StoredChunk]]
    ) -> Mapping[DocumentKey, Sequence[StoredChunk]]:
        """Put every point of these versions under its fence, and say what is stored then. Nothing that was invisible
        becomes readable by this, nothing that was readable becomes invisible."""
        new = [
            version.payload(point, Status.INCOMING)
            for version in versions
            for point in version.missing(stored[version.key])
        ]
        if new:
            index.insert(new)
        for version in versions:
            if version.found_among(stored[version.key]):
                # Debris of a crash, or the same text under an older version token.
                index.set_payload(
                    Selector(version.key, only_ids=version.ids, older_than=version.fence), version.metadata
                )
        return self._stored(index, [version.key for version in versions])

    def _conclude(self, index: Index, version: Version, stored: Sequence[StoredChunk]) -> DocumentOutcome:
        """Make readable what was brought in, or withdraw it."""
        for attempt in range(_ATTEMPTS):
            if removed := self._removed(version):
                # What is readable is the removal's to delete, all of it at once: without our points readers would fall
                # back to an older version for an instant.
                return _withdraw(index, version, removed, status=Status.INCOMING)
            if newer := newer_than(version, stored):
                return _withdraw(index, version, newer)
            rival = newest_fence(version.found_among(stored))
            if rival is not None and rival > version.fence:
                # Not ours to delete: a later read of the same text took the points over and is about to publish them.
                return withdrawn(version, f"a version read at {rfc3339(rival)} is being written")
            if version.is_brought_in(stored):
                if removed := self._mend(index, version, stored):
                    return withdrawn(version, removed)
                if _publish(index, version, stored):
                    newer = _retire_others(index, version)
                    return _withdraw(index, version, newer) if newer else outcome_of(version)
            stored = self._restored(index, version, overwrite=attempt > 0)
        key, whole = version.key, len(version.points)
        found = index.count(Selector(key, only_ids=version.ids))
        error = DocumentIncomplete(
            f"{key}: the index holds {found} of {whole} chunks after {_ATTEMPTS} attempts to store them; "
            "the previous version stays. The next run tries again",
            source=key.source,
            doc_id=key.doc_id,
            found=found,
            expected=whole,
        )
        return DocumentOutcome(key.doc_id, DocumentState.FAILED, str(error), version=version.document.version)

    def _mend(self, index: Index, version: Version, stored: Sequence[StoredChunk]) -> str:
        """Give altered points back what their id says, in place and readable, so that no reader misses them meanwhile.

        Such a write makes readable whatever became of the document since the last look. So the removal is looked for
        once more, and what was just written is taken back; says so then.
        """
        present = {chunk.point_id: chunk for chunk in stored}
        altered = [point for point in version.points if not version.holds(present[point.point_id])]
        if not altered:
            return ""
        index.overwrite([version.payload(point, version.status) for point in altered])
        removed = self._removed(version)
        if removed:
            ids = tuple(point.point_id for point in altered)
            index.delete(Selector(version.key, only_ids=ids, fence=version.fence))
        return removed

    def _removed(self, version: Version) -> str:
        """Says so when the document was removed after this read of it began, else empty."""
        removed = self._removal_marks.fence_of(version.key)
        if removed is None or removed < version.fence or not is_believable(removed, now=self._clock.now()):
            return ""
        return f"the document was removed at {rfc3339(removed)}, after this read began"

    def _restored(self, index: Index, version: Version, *, overwrite: bool) -> Sequence[StoredChunk]:
        """Bring in again what is not there; returns what is stored then.

        `overwrite` is for points that one insert after the other did not bring: an insert leaves what exists alone, so
        their ids stand under another document's name. They were altered behind our back, and are readable by nobody
        who asks for this document.
        """
        key = version.key
        stored = self._brought_in(index, [version], self._stored(index, [key]))
        if overwrite and (strayed := version.missing(stored[key])):
            index.overwrite([version.payload(point, Status.INCOMING) for point in strayed])
            stored = self._stored(index, [key])
        return stored[key]


def _publish(index: Index, version: Version, stored: Sequence[StoredChunk]) -> bool:
    """Make a version readable that was brought in whole. False if it did not stay whole."""
    key, ids = version.key, version.ids
    if any(chunk.status != version.status for chunk in version.found_among(stored)):
        index.set_payload(Selector(key, only_ids=ids, fence=version.fence), {"status": version.status.value})
    whole = Selector(key, only_ids=ids, fence=version.fence)
    if index.count(replace(whole, status=version.status)) == len(ids):
        return True
    # Somebody may have set another status meanwhile, on a later decision than the one we know: it is readable then.
    return index.count(whole) == len(ids) and not index.count(replace(whole, status=Status.INCOMING))


def _retire_others(index: Index, version: Version) -> str:
    """Delete what is older than the version; returns whether something newer is readable, in words.

    Not what is equally old: of two reads in the same instant nobody knows the later, and each writer would delete
    the other's version. The next run finds two and decides.
    """
    others = Selector(version.key, except_ids=version.ids)
    if not index.count(others):
        return ""
    index.delete(Selector(version.key, except_ids=version.ids, older_than=version.fence - TICK))
    return newer_than(version, index.chunks_of([version.key])[version.key]) if index.count(others) else ""


def _withdraw(index: Index, version: Version, why: str, *, status: Status | None = None) -> DocumentOutcome:
    index.delete(Selector(version.key, only_ids=version.ids, fence=version.fence, status=status))
    return withdrawn(version, why)
