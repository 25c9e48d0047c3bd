"""What the services need from the world, as Protocols. A reader cannot write, by type."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import numpy as np
import numpy.typing as npt

from include.domain.documents import DocumentKey, FetchedDocument, Marks, Presence, Status, StoredChunk
from include.domain.events import Event, Reason, Waiting
from include.domain.inventory import Listing
from include.domain.manifest import DocumentOutcome, Manifest, Removal
from include.domain.metadata import Hand, MetadataChange, Patch
from include.domain.plan import HeldPlan, PlanKind, Release
from include.domain.provenance import DateCluster
from include.domain.review import Decision, Protection, Queue, ReviewItem
from include.domain.selection import Selector
from include.families.review import FamilyReview

Vectors = npt.NDArray[np.float32]


class Clock(Protocol):
    def now(self) -> datetime:
        """The present instant, aware, UTC."""
        ...


class Connector(Protocol):
    """Lists and fetches one source's documents; does nothing else."""

    @property
    def source(self) -> str: ...

    def list_documents(self) -> Listing:
        """Every public document with its version, and the proof that nothing is missing.

        Raises SourceUnavailable when the source cannot be read at all. A listing that was read but proves
        nothing is returned with `complete=False` and the problem in its proof, never padded or emptied.
        """
        ...

    def fetch(self, doc_id: str) -> FetchedDocument:
        """One document as it is now. Raises DocumentGone, DocumentNotPublic, DocumentUnreadable,
        SourceUnavailable; never returns an empty stand-in."""
        ...

    def probe(self, doc_id: str) -> Presence:
        """Ask the source for this one document before it is removed. Never raises; doubt is UNKNOWN."""
        ...

    def close(self) -> None: ...


class Embedder(Protocol):
    """Turns texts into unit vectors. `id` names model, file hash, max length and pooling."""

    @property
    def id(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    @property
    def max_tokens(self) -> int: ...

    def count_tokens(self, text: str) -> int:
        """Length of `text` in the embedder's own tokens, special tokens included."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimension), float32, each row of length 1. Same text, same row, whatever the batch.

        Raises Retriable when a remote embedder is unavailable, Fatal when it answers with another dimension.
        """
        ...


@dataclass(frozen=True, slots=True)
class NewPoint:
    """A chunk about to be written. `payload` is the whole payload contract of docs/DESIGN.md section 4."""

    point_id: str
    vector: Vectors
    text: str
    payload: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Hit:
    """One search result. `score` is the raw score of the leg that found it."""

    point_id: str
    score: float
    payload: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Hybrid:
    """A search in two legs. `legs` maps the name of a leg (dense, bm25) to its hits, best first, without payload.
    `fused` is what the engine makes of them: every chunk of a leg once, with payload, best first."""

    legs: Mapping[str, Sequence[Hit]]
    fused: Sequence[Hit]


class IndexReader(Protocol):
    """An open index that can be looked at."""

    def scan(self, source: str) -> Iterator[StoredChunk]:
        """Every stored point of a source, whatever its status, text included. Order is not promised."""
        ...

    def chunks_of(self, keys: Sequence[DocumentKey]) -> Mapping[DocumentKey, Sequence[StoredChunk]]:
        """Every stored point of these documents; a document without points maps to an empty sequence."""
        ...

    def vectors(self, chunk_hashes: Iterable[str]) -> Mapping[str, Vectors]:
        """The dense vector of any stored chunk of this collection with that hash; absent hashes are left out."""
        ...

    def count(self, selector: Selector) -> int:
        """Exact number of points."""
        ...

    def count_points(self, source: str | None = None) -> int:
        """Exact number of points of a source, or of the whole collection."""
        ...

    def count_foreign(self, sources: Sequence[str]) -> int:
        """Exact number of points that belong to none of these sources."""
        ...

    def count_documents_with(self, source: str, content_hash: str) -> int:
        """Exact number of documents of a source with this text (first chunks are counted)."""
        ...

    def search(
        self,
        vector: Vectors,
        *,
        limit: int,
        sources: Sequence[str] = (),
        statuses: Sequence[Status] = (),
        doc_ids: Sequence[str] = (),
    ) -> Sequence[Hit]:
        """Nearest chunks by the dense vector, best first; empty `statuses` means the searchable ones. `doc_ids` narrows
        the search to documents of these names, in whatever source."""
        ...

    def hybrid(
        self,
        vector: Vectors,
        text: str,
        *,
        limit: int,
        sources: Sequence[str] = (),
        statuses: Sequence[Status] = (),
        newer_than: datetime | None = None,
    ) -> Hybrid:
        """The best `limit` chunks by the dense vector and the best by the words of `text`, and both fused. The
        conditions are those of `search` and hold in every leg. A text without a word has a dense leg only.
        `newer_than` narrows the search to documents with a later `created_at`."""
        ...

    def documents(self, keys: Sequence[DocumentKey]) -> Sequence[Hit]:
        """The first chunk of each readable version of these documents, with payload and score 0."""
        ...

    def heads(self, source: str, families: Sequence[str], *, current: bool = False) -> Sequence[Hit]:
        """The first chunk of each readable version of these families' canonical members, or of their current ones, with
        payload and score 0."""
        ...

    def first_chunks(self, source: str) -> Iterator[Hit]:
        """The first chunk of each version of a source's documents that is not `incoming`, hidden ones included, with
        payload and score 0. Of a document with two versions both; the later `fetched_at` counts. Order is not promised.
        """
        ...


class Index(IndexReader, Protocol):
    """An open index that can be changed. Every call is one I/O operation and is complete when it returns."""

    def insert(self, points: Sequence[NewPoint]) -> None:
        """Store new points; a point whose id exists is left untouched (its text is the same by identity)."""
        ...

    def overwrite(self, points: Sequence[NewPoint]) -> None:
        """Store points whatever stands under their ids. Only for points that are not what their id says they are:
        altered behind our back, so that no reader may rely on them."""
        ...

    def set_payload(self, selector: Selector, payload: Mapping[str, object]) -> None:
        """Set payload fields on all selected points in one operation."""
        ...

    def delete(self, selector: Selector) -> None:
        """The one delete function. Raises UnsafeSelector for anything that is not one document."""
        ...


class IndexStore(Protocol):
    """Gives access to the collection behind the alias, and nothing else. Sessions are short: embed outside."""

    @property
    def location(self) -> str:
        """Where the index is, for messages; never contains a credential."""
        ...

    def prepare(self, embedder_id: str, dimension: int) -> None:
        """Create collection, payload indexes and alias if they do not exist. Idempotent.

        Raises EmbedderMismatch if the collection was built by another embedder; nothing is dropped.
        """
        ...

    def reading(self) -> AbstractContextManager[IndexReader]:
        """Raises StoreBusy when another process holds the store for too long."""
        ...

    def writing(self) -> AbstractContextManager[Index]:
        """Exclusive among writers of the embedded engine; flushed when the block ends without an error."""
        ...


class Manifests(Protocol):
    """Append-only record of runs."""

    def save(self, manifest: Manifest) -> None:
        """Write or replace the manifest of (dag, run, source). Atomic: a reader sees the old or the new one."""
        ...

    def load(self, dag_id: str, run_id: str, source: str) -> Manifest:
        """Raises FileNotFoundError when that run left no manifest for the source."""
        ...

    def save_part(self, manifest: Manifest, part: str) -> None:
        """Outcomes of one of several workers of a run, under a name of its own."""
        ...

    def parts(self, dag_id: str, run_id: str, source: str) -> Mapping[str, Sequence[DocumentOutcome]]:
        """The outcomes that each worker of a run left so far, by the part's name, in the order of names."""
        ...

    def newest_first(
        self, source: str, dag_ids: Sequence[str] = (), *, until: datetime | None = None
    ) -> Iterator[Manifest]:
        """The source's manifests, of these DAGs or of all, read one by one as they are asked for.

        `until` leaves out runs that began later: a clock that was wrong once must not own the word "newest".
        """
        ...

    def comparisons(self, source: str, *, until: datetime) -> Iterator[Manifest]:
        """Manifests of the runs that compared the whole source with the index (`found` is set), newest first, as in
        `newest_first`. However many other runs lie between them, those are not read."""
        ...

    def latest(self, source: str, *, dag_id: str | None = None, limit: int = 1) -> Sequence[Manifest]:
        """Newest first."""
        ...

    def removals(self, source: str, since: datetime) -> Sequence[Removal]:
        """Removals of every DAG since then, released ones left out, killed runs counted with their plan. Takes time for
        the runs that could remove something, not for all."""
        ...


class RemovalMarks(Protocol):
    """Fences of removed documents: a read that began before the removal must not write after it."""

    def put(self, key: DocumentKey, fence: datetime) -> None: ...

    def fence_of(self, key: DocumentKey) -> datetime | None: ...


class DateClusters(Protocol):
    """Dates that too many documents of a source share, as the last look at the whole source found them."""

    def of(self, source: str) -> Sequence[DateCluster]: ...

    def put(self, source: str, clusters: Sequence[DateCluster]) -> None:
        """In place of what was known of the source."""
        ...


class ReviewQueue(Protocol):
    """Candidates that wait for a person, and those that a person has settled. A file that was spoilt by hand is named,
    left as it is, and spoils no other."""

    def candidates(self, source: str) -> Queue:
        """Open and decided items."""
        ...

    def settled(self, source: str) -> Queue:
        """Items whose decision was carried out, the earliest first; of one document there may be several."""
        ...

    def renew(self, source: str, renewed: Callable[[Queue], Iterable[ReviewItem]], *, message: str) -> Queue:
        """Put in place of all readable items what `renewed` makes of them, in one commit; none is written over what
        somebody decides meanwhile. `renewed` is called alone among writers, so it must be quick and write nothing.
        Returns the queue as it is afterwards. An item for the document of an unreadable file is left out."""
        ...

    def decide(
        self, source: str, doc_id: str, decision: Decision, *, fingerprint: str, overrule: bool = False
    ) -> ReviewItem:
        """Record a person's word on an open item, a commit in that person's name. `fingerprint` is that of the evidence
        that the person saw. The same word again changes nothing.

        Raises DecisionConflict, which names the other, when somebody decided otherwise before (`overrule` puts the new
        word in its place), or when the evidence is another by now; ConfigError when there is no such item, or its file
        cannot be read.
        """
        ...

    def reopen(self, source: str, notes: Mapping[str, str], *, message: str) -> Queue:
        """Take the decisions on these items back to open, each with a note that says why, in one commit. Items without
        a decision are left as they are. Returns the queue as it is afterwards."""
        ...

    def settle(self, source: str, items: Sequence[ReviewItem], *, by: str, message: str) -> None:
        """Move decided items out of the queue, in one commit in the name of `by`; each says in `applied` what was done.
        Settling an item twice is fine. Raises DecisionConflict, and moves none, when the decision on one of them is
        another by now."""
        ...


class Protections(Protocol):
    """What people hold: nothing may happen to it by itself until a day."""

    def holds(self, source: str) -> Mapping[str, Protection]:
        """By doc id, those that have run out included. Raises ConfigError for a file that was spoilt by hand."""
        ...

    def protect(self, source: str, changes: Mapping[str, Protection | None], *, by: str, message: str) -> None:
        """Hold these documents, None to let one go, in one commit in the name of `by`."""
        ...


class Ledger(ReviewQueue, Protections, Protocol):
    """People's decisions, each a commit with author and reason."""

    def marks(self, source: str) -> Mapping[str, Marks]:
        """What holds of each document, by doc_id: a person's word and the resolver's, as `metadata.merged` says.
        Documents without a decision are left out. Raises ConfigError for a file that was spoilt by hand."""
        ...

    def decided(self, source: str, hand: Hand) -> Mapping[str, Patch]:
        """What one hand alone has written, in the spelling of `metadata.value_of`, without Nones."""
        ...

    def record(self, change: MetadataChange) -> None:
        """Write a change: all of it or nothing. What its run recorded already, and still holds, is left as it is.

        Raises ChangeRefused when what it begins with is no longer what the hand's record says, and when its run has
        recorded another change, or one that was taken back since.
        """
        ...

    def recorded(self, source: str, run_id: str) -> MetadataChange | None:
        """The change that a run made, or None."""
        ...

    def changing(self, source: str, run_id: str) -> AbstractContextManager[None]:
        """Held while a run records a change and brings it into the index: of one source one at a time. Raises
        ChangeUnderway, which names the other run."""
        ...

    def hold(self, plan: HeldPlan) -> HeldPlan:
        """Record a held plan as the source's open one of its kind. The first_held_at of an open one is kept."""
        ...

    def held(self, source: str, kind: PlanKind = PlanKind.CONTENT) -> HeldPlan | None: ...

    def open_requests(self, source: str, kind: PlanKind = PlanKind.CONTENT) -> Mapping[str, str]:
        """Checksums that a person was asked about and has not answered, with the instant (RFC 3339) of asking."""
        ...

    def open_request(self, source: str, checksum: str, asked_at: str, kind: PlanKind = PlanKind.CONTENT) -> None:
        """A person was asked about this plan."""
        ...

    def close_request(self, source: str, checksum: str) -> None:
        """The question was answered, or is moot."""
        ...

    def reject(self, source: str, checksum: str, by: str, why: str) -> None:
        """A person declined this plan, of whichever kind. It stays held. Raises ApprovalRefused when none such is."""
        ...

    def clear_held(self, source: str, why: str, kind: PlanKind = PlanKind.CONTENT) -> None:
        """The cause is gone or the plan was applied; the history stays in git."""
        ...

    def review(self, source: str, families: Sequence[FamilyReview]) -> Sequence[FamilyReview]:
        """These families of the source, and no others, wait for a person's word. One that did already keeps its
        `since`. Returns what is recorded, sorted by family."""
        ...

    def reviews(self, source: str) -> Sequence[FamilyReview]:
        """The families that wait for a person's word, sorted by family."""
        ...

    def release(self, release: Release) -> None: ...

    def find_release(self, source: str, checksum: str) -> Release | None: ...

    def use_release(self, release: Release, run_id: str) -> Release:
        """Mark used, before anything is applied. Raises ApprovalRefused if another run used it."""
        ...


class Inbox(Protocol):
    """Accepted deliveries until a look has settled them, and the memory of those that are settled.

    Any number of processes put events in while others read and settle them; no order is promised or needed.
    """

    def put(self, event: Event, *, remembered_days: int) -> bool:
        """Store an event, whatever the inbox holds in about the same time. False when a delivery with this key is
        open, or was settled within so many days. Raises OSError when it cannot be stored."""
        ...

    def open(self, source: str) -> Sequence[Event]:
        """Every event that no look has settled."""
        ...

    def waiting(self, source: str) -> Waiting:
        """How many those are, and since when."""
        ...

    def keep_for_second_look(self, events: Sequence[Event]) -> None:
        """A look found nothing to do, perhaps because the source lags behind its own event: these stay open."""
        ...

    def settle(self, events: Sequence[Event]) -> None:
        """Nothing is left to do. Their keys are remembered. Settling twice is fine."""
        ...

    def postpone(self, source: str, until: datetime) -> None:
        """Leave this source alone for a while: it could not be looked at."""
        ...

    def postponed_until(self, source: str) -> datetime | None: ...

    def sweep(self) -> None:
        """Forget what was settled longer ago than any memory."""
        ...


class Traffic(Protocol):
    """How many deliveries were accepted and refused, and why."""

    def count(self, source: str, reason: Reason) -> None:
        """Cheap and never fails: a flood must not become a flood of writes. The source is empty where none is known."""
        ...
