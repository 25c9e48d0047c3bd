"""One version of a document, ready to be written: its points, and what it makes of what is stored. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from include.domain.dates import rfc3339
from include.domain.documents import DocumentKey, ExtractedDocument, Status, StoredChunk
from include.domain.manifest import DocumentOutcome, DocumentState
from include.domain.payload import DOCUMENT_FIELDS
from include.planning.fences import newest_fence
from include.planning.inspection import is_itself, judge_document
from include.ports import NewPoint


@dataclass(frozen=True, slots=True)
class Version:
    """`before` is what was stored of the document when it was looked up; `embedded` counts its new vectors."""

    document: ExtractedDocument
    points: tuple[NewPoint, ...]
    before: tuple[StoredChunk, ...]
    status: Status
    embedded: int

    @property
    def key(self) -> DocumentKey:
        return self.document.key

    @property
    def fence(self) -> datetime:
        return self.document.fetched_at

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(point.point_id for point in self.points)

    @property
    def was_whole(self) -> bool:
        """Was there one version without a flaw before, made of these very points?"""
        same_points = {chunk.point_id for chunk in self.before} == set(self.ids)
        return same_points and not judge_document(self.key.doc_id, self.before).flaws

    def payload(self, point: NewPoint, status: Status) -> NewPoint:
        return replace(point, payload={**point.payload, "status": status.value})

    @property
    def metadata(self) -> dict[str, object]:
        """What all chunks say alike, the status aside."""
        return {name: self.points[0].payload[name] for name in DOCUMENT_FIELDS}

    def found_among(self, stored: Sequence[StoredChunk]) -> list[StoredChunk]:
        ids = set(self.ids)
        return [chunk for chunk in stored if chunk.point_id in ids]

    def is_brought_in(self, stored: Sequence[StoredChunk]) -> bool:
        """Is every point there, under our fence? A part of a version is never published."""
        ours = {chunk.point_id for chunk in stored if chunk.fetched_at == self.fence}
        return ours.issuperset(self.ids)

    def missing(self, stored: Sequence[StoredChunk]) -> list[NewPoint]:
        present = {chunk.point_id for chunk in stored}
        return [point for point in self.points if point.point_id not in present]

    def holds(self, chunk: StoredChunk) -> bool:
        """Is a stored point with one of our ids what the id says it is?"""
        return is_itself(chunk) and chunk.chunk_count == len(self.points)


def newer_than(version: Version, stored: Sequence[StoredChunk]) -> str:
    """Says so when a newer version is readable, else empty."""
    newest = newest_fence(chunk for chunk in stored if chunk.status != Status.INCOMING)
    if newest is None or newest <= version.fence:
        return ""
    return f"a version read at {rfc3339(newest)} is already there"


def outcome_of(version: Version) -> DocumentOutcome:
    """What became of the document once this version is readable and alone."""
    document, before = version.document, version.before
    readable = [chunk for chunk in before if chunk.status != Status.INCOMING]
    if not readable:
        state = DocumentState.CREATED
    elif {chunk.doc_version for chunk in readable} == {document.version} and not version.was_whole:
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
        version_before=(max(readable, key=_fence).doc_version or "") if readable else "",
    )


def _fence(chunk: StoredChunk) -> str:
    return rfc3339(chunk.fetched_at) if chunk.fetched_at else ""


def withdrawn(version: Version, why: str) -> DocumentOutcome:
    document = version.document
    return DocumentOutcome(document.key.doc_id, DocumentState.WITHDRAWN, why, version=document.version)
