"""Places that hold text or vectors, as an erasure needs them: each can be cleared, all can be searched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from include.domain.documents import DocumentKey
from include.domain.erasure import PlaceReport, Receipt, SearchReport, Tombstone, Trace


class Tombstones(Protocol):
    """Which documents were erased; nobody can read their names from it. None ever expires."""

    def tombstone_of(self, key: DocumentKey) -> Tombstone | None:
        """Looked up anew each time: a run that is under way must see what was erased since it began. Raises
        ConfigError when tombstones are there and cannot be read, so that nothing comes back by that."""
        ...

    def marks_among(self, source: str, doc_ids: Iterable[str]) -> Mapping[str, str]:
        """Those of these documents that were erased, each with the mark of its tombstone. Quick for many."""
        ...

    def tombstones(self) -> Sequence[Tombstone]:
        """All that stand, sorted by source and digest."""
        ...

    def bury(self, keys: Sequence[DocumentKey], *, by: str, rule: str, at: str) -> Sequence[Tombstone]:
        """Put up a tombstone for each document, in the order of `keys`; one that stands stays as it is."""
        ...

    def lift(self, key: DocumentKey, *, by: str, why: str) -> bool:
        """Let the document in again. False when it had no tombstone."""
        ...


class Place(Protocol):
    """One place that holds text, vectors or names of documents."""

    @property
    def name(self) -> str: ...

    def clear(self, traces: Sequence[Trace]) -> PlaceReport:
        """Remove what is of these documents and nothing else. Repeatable: what is clear stays as it is. Raises whatever
        keeps it from doing so."""
        ...


class ErasableIndex(Protocol):
    """The index, down to the engine's files."""

    def count_everywhere(self, keys: Sequence[DocumentKey]) -> int:
        """Points of these documents in every collection of the alias, the ones that nobody reads included."""
        ...

    def erase(self, keys: Sequence[DocumentKey]) -> PlaceReport:
        """Remove these documents from every collection of the alias, and their bytes from the engine's files, log
        included; says in `open` where bytes may remain. Nothing else of the index changes. Repeatable."""
        ...

    def points_everywhere(self) -> Iterator[Mapping[str, object]]:
        """The payload of every point of every collection of the alias. The embedded engine lets nobody else in until
        the last one was taken."""
        ...


class Search(Protocol):
    """Looks for traces without knowing where the product puts things."""

    def search(self, traces: Sequence[Trace]) -> SearchReport: ...


class Receipts(Protocol):
    """What is kept of erasures."""

    def save(self, receipt: Receipt) -> str:
        """Returns where it is, for a person."""
        ...

    def all(self) -> Sequence[Receipt]:
        """Newest first."""
        ...
