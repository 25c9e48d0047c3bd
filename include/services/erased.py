"""What keeps erased documents out: a connector that does not hand them over, and a fence that no read passes.

Both look at the tombstones at every call, so that a run that was under way when a document was erased does not bring
it back. A read that the connector let through a moment before meets the fence.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from include.domain.documents import DocumentKey, FetchedDocument, Presence
from include.domain.errors import DocumentNotPublic
from include.domain.inventory import Listing
from include.planning.fences import CLOCK_TOLERANCE, later_removal
from include.ports import Clock, Connector, RemovalMarks
from include.ports.erasing import Tombstones


class WithoutErased:
    """Connector. What was erased is not listed, not fetched, and not public when it is asked for by id."""

    def __init__(self, connector: Connector, tombstones: Tombstones) -> None:
        self._connector = connector
        self._tombstones = tombstones

    def __getattr__(self, name: str) -> Any:
        """Whatever else this connector can do."""
        if name.startswith("_"):  # a copy that is not made yet asks for what it does not have
            raise AttributeError(name)
        return getattr(self._connector, name)

    @property
    def source(self) -> str:
        return self._connector.source

    def list_documents(self) -> Listing:
        listing = self._connector.list_documents()
        erased = self._tombstones.marks_among(self.source, listing.documents)
        if not erased:
            return listing
        kept = {doc_id: each for doc_id, each in listing.documents.items() if doc_id not in erased}
        return replace(listing, documents=kept)

    def fetch(self, doc_id: str) -> FetchedDocument:
        self._refuse(doc_id)
        fetched = self._connector.fetch(doc_id)
        self._refuse(doc_id)
        return fetched

    def probe(self, doc_id: str) -> Presence:
        return Presence.NOT_PUBLIC if self._is_erased(doc_id) else self._connector.probe(doc_id)

    def close(self) -> None:
        self._connector.close()

    def _refuse(self, doc_id: str) -> None:
        found = self._tombstones.tombstone_of(DocumentKey(self.source, doc_id))
        if found is not None:
            raise DocumentNotPublic(
                f"{self.source}: {found.mark} was erased at {found.at} and is not read; `truecopy erase --lift` lets "
                "it in again",
                source=self.source,
            )

    def _is_erased(self, doc_id: str) -> bool:
        return self._tombstones.tombstone_of(DocumentKey(self.source, doc_id)) is not None


class ErasedMarks:
    """RemovalMarks. An erased document was always removed later than any clock says now, so that no read of it is later
    than that. It leaves no mark of its own: its tombstone says enough."""

    def __init__(self, marks: RemovalMarks, tombstones: Tombstones, clock: Clock) -> None:
        self._marks = marks
        self._tombstones = tombstones
        self._clock = clock

    def put(self, key: DocumentKey, fence: datetime) -> None:
        if self._tombstones.tombstone_of(key) is None:
            self._marks.put(key, fence)

    def fence_of(self, key: DocumentKey) -> datetime | None:
        fence = self._marks.fence_of(key)
        return (
            fence
            if self._tombstones.tombstone_of(key) is None
            else later_removal(fence, self._clock.now() + CLOCK_TOLERANCE)
        )
