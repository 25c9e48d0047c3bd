"""Removing every trace of documents: what is asked for, what was done place by place, and what remains to be said.

Nothing here outlives a run but tombstones and receipts, and neither holds a text, a title, an address or an id.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from include.domain.documents import DocumentKey


@dataclass(frozen=True, slots=True)
class Tombstone:
    """Keeps a document out of every later run, restore and rebuild until it is lifted by name. Never expires.

    `digest` is a keyed hash of source and doc id: who knows the id can ask for it, nobody can read it here.
    """

    source: str
    digest: str
    by: str
    rule: str
    at: str

    @property
    def mark(self) -> str:
        """What stands in records where the document was named."""
        return mark_of(self.digest)


def mark_of(digest: str) -> str:
    """The mark of the tombstone with this digest."""
    return f"erased-{digest[:12]}"


@dataclass(frozen=True, slots=True)
class Target:
    """A document to be erased, as the list for review shows it. `why` says how it came into the list."""

    key: DocumentKey
    url: str = ""
    title: str = ""
    chunks: int = 0
    why: str = ""


def erasure_checksum(keys: Iterable[DocumentKey]) -> str:
    """Digest of the documents to be erased: what a person confirms. Whatever their order; sha256, 16 hex digits."""
    rows = sorted({(key.source, key.doc_id) for key in keys})
    return hashlib.sha256(json.dumps(rows).encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Erasure:
    """Confirmed by a person: what is erased, who asked for it, by which rule, under which checksum. `phrases` are
    looked for besides those that are taken from the texts; they are never stored."""

    keys: tuple[DocumentKey, ...]
    by: str
    rule: str
    phrases: tuple[str, ...] = field(default=(), repr=False)

    @property
    def checksum(self) -> str:
        return erasure_checksum(self.keys)


@dataclass(frozen=True, slots=True)
class Trace:
    """What tells that something is of an erased document. In memory only, for the time of one run.

    `phrases` are texts that no other document has: wherever one of them stands, the document was. `samples` is the
    part of them, spread over the document, that the search looks for. `names` are its id, address and title where
    these tell it from all others; `id_is_telling` says so of the id. `words` were given by a person and are ordinary
    ones, so that they are taken out of sentences only.
    """

    key: DocumentKey
    mark: str
    names: tuple[str, ...] = field(default=(), repr=False)
    phrases: tuple[str, ...] = field(default=(), repr=False)
    words: tuple[str, ...] = field(default=(), repr=False)
    samples: tuple[str, ...] = field(default=(), repr=False)
    id_is_telling: bool = False


class Ending(StrEnum):
    CLEARED = "cleared"
    NOTHING = "nothing there"
    OPEN = "open"  # something is still there, and it is known until when, or what ends it
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class PlaceReport:
    """What became of one place. `before` and `after` count what `unit` names. `open` says what remains, `until` when or
    by what it ends."""

    place: str
    ending: Ending
    before: int = 0
    after: int = 0
    unit: str = "files"
    open: str = ""
    until: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """A trace that the search found: where, and in which spelling. Never the text itself."""

    place: str
    where: str
    spelling: str


@dataclass(frozen=True, slots=True)
class SearchReport:
    """What the independent search looked at. `unread` could not be looked into, each with the reason."""

    files: int = 0
    bytes: int = 0
    phrases: int = 0
    hits: tuple[Hit, ...] = ()
    unread: tuple[str, ...] = ()

    def plus(self, other: SearchReport) -> SearchReport:
        return SearchReport(
            self.files + other.files,
            self.bytes + other.bytes,
            max(self.phrases, other.phrases),
            self.hits + other.hits,
            self.unread + other.unread,
        )


class ReceiptState(StrEnum):
    RUNNING = "running"  # in a stored receipt: the run was killed, or is still at work
    COMPLETE = "complete"
    PARTIAL = "partial"


@dataclass(frozen=True, slots=True)
class Receipt:
    """What is kept of an erasure: what, where, counts, who asked, by which rule, and what is still open.

    Documents appear by the marks of their tombstones only. `open` is everything that keeps it from being complete.
    """

    erasure_id: str
    state: ReceiptState
    checksum: str
    by: str
    rule: str
    began_at: str
    ended_at: str = ""
    marks: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    places: tuple[PlaceReport, ...] = ()
    search: SearchReport = SearchReport()
    open: tuple[str, ...] = ()
