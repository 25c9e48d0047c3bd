"""Everything that index and ledger know about one document: what is stored, what people and programs have said of it,
its family. Reads only; what cannot be read is said and hides nothing else."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import TypeVar

from include.domain.dates import from_rfc3339
from include.domain.documents import SEARCHABLE, DocumentKey, StoredChunk
from include.domain.erasure import Tombstone
from include.domain.errors import TruecopyError
from include.domain.metadata import Hand, Patch
from include.domain.review import KeptOut, Protection, ReviewItem
from include.families.review import FamilyReview
from include.ports import IndexReader
from include.records.removal_marks import FileRemovalMarks
from include.wiring.application import Application

SECONDS = 4.0
"""So long a search by title looks at most; then it says how far it came."""

MOST_KIN = 60

_Read = TypeVar("_Read")


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """One version of the document in the index, as its points say. `chunks` are in order; `chunk_count` is how many
    there should be, None where the points do not say it alike."""

    version: str
    content_hash: str
    pipeline: str
    fetched_at: datetime | None
    statuses: Mapping[str, int]
    chunk_count: int | None
    chunks: Sequence[StoredChunk]

    @property
    def is_readable(self) -> bool:
        return any(status in SEARCHABLE for status in self.statuses)

    @property
    def metadata(self) -> Mapping[str, object]:
        return self.chunks[0].metadata


@dataclass(frozen=True, slots=True)
class Kin:
    """A document of the same family. `title` and `status` are empty where the index does not hold it."""

    doc_id: str
    title: str = ""
    status: str = ""
    is_current: bool = False
    is_canonical: bool = False
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Branch:
    """A line of the family tree: heads have depth 0, below each stands what it replaced."""

    depth: int
    kin: Kin


@dataclass(frozen=True, slots=True)
class Dossier:
    """`versions` are those in the index, the newest first. `said` is what each hand has written in the ledger.
    `removed_at` is the fence of its last removal. `settled` are decisions that were carried out, `questions` families
    of it that wait for a person. `problems` are what could not be read, and why; `index_is_unread` where that is the
    index."""

    key: DocumentKey
    versions: Sequence[StoredVersion] = ()
    family: Sequence[Branch] = ()
    said: Mapping[Hand, Patch] = field(default_factory=dict)
    hold: Protection | None = None
    kept_out: KeptOut | None = None
    tombstone: Tombstone | None = None
    removed_at: datetime | None = None
    item: ReviewItem | None = None
    settled: Sequence[ReviewItem] = ()
    questions: Sequence[FamilyReview] = ()
    problems: Sequence[str] = ()
    index_is_unread: bool = False

    @property
    def shown(self) -> StoredVersion | None:
        """The version that readers find; where they find none, the newest."""
        return next((each for each in self.versions if each.is_readable), self.versions[0] if self.versions else None)

    @property
    def is_known(self) -> bool:
        """Whether anything but the records of runs names it."""
        ledger = (self.hold, self.kept_out, self.tombstone, self.item, self.settled, self.questions)
        return bool(self.versions or self.removed_at or any(self.said.values()) or any(ledger))


@dataclass(frozen=True, slots=True)
class Match:
    key: DocumentKey
    title: str
    url: str
    status: str


@dataclass(frozen=True, slots=True)
class Matches:
    """Documents that a search by name found, of `looked` that were looked at. `is_cut`: there are more of either."""

    found: Sequence[Match]
    looked: int
    is_cut: bool


def dossier_of(application: Application, key: DocumentKey) -> Dossier:
    """Never raises for what cannot be read; `problems` says it."""
    problems: list[str] = []
    ledger, source, doc_id = application.ledger, key.source, key.doc_id

    def tried(what: str, read: Callable[[], _Read]) -> _Read | None:
        try:
            return read()
        except (TruecopyError, OSError, ValueError) as error:
            problems.append(f"{what}: {error}")
            return None

    stored = tried("index", lambda: _stored(application, key))
    versions, family = stored or ([], [])
    said = {hand: tried(f"words of the {hand}", partial(ledger.decided, source, hand)) or {} for hand in Hand}
    queue = tried("review queue", lambda: ledger.candidates(source))
    settled = tried("settled reviews", lambda: ledger.settled(source))
    questions = tried("questions about families", lambda: ledger.reviews(source)) or []
    return Dossier(
        key,
        versions,
        family,
        said={hand: its.get(doc_id, {}) for hand, its in said.items()},
        hold=(tried("holds", lambda: ledger.holds(source)) or {}).get(doc_id),
        kept_out=(tried("what is kept out", lambda: ledger.kept_out(source)) or {}).get(doc_id),
        tombstone=tried("tombstones", lambda: ledger.tombstone_of(key)),
        removed_at=tried("marks of removals", lambda: FileRemovalMarks(application.state).fence_of(key)),
        item=queue.find(doc_id) if queue else None,
        settled=[each for each in settled.items if each.doc_id == doc_id] if settled else [],
        questions=[each for each in questions if any(member.doc_id == doc_id for member in each.members)],
        problems=problems,
        index_is_unread=stored is None,
    )


def documents_named(
    application: Application, words: str, sources: Sequence[str], *, most: int = 50, seconds: float = SECONDS
) -> Matches:
    """Documents whose id, title or address contains these words, hidden ones included; one whose id it is comes first.
    Raises StoreBusy or StoreUnavailable when the index cannot be read."""
    wanted, until = words.strip().casefold(), time.monotonic() + seconds
    found: dict[DocumentKey, Match] = {}
    looked, is_cut = 0, False
    with application.impatient_store.reading() as index:
        for key, chunks in index.chunks_of([DocumentKey(source, words.strip()) for source in sources]).items():
            if chunks:
                newest = _versions(chunks)[0]
                found[key] = _match(key, newest.metadata, newest.chunks[0].status or "")
        for source in sources:
            for hit in index.first_chunks(source):
                looked += 1
                if len(found) >= most or time.monotonic() > until:
                    is_cut = True
                    break
                payload = hit.payload
                texts = (payload.get(name) for name in ("doc_id", "title", "url"))
                if any(isinstance(text, str) and wanted in text.casefold() for text in texts) and payload["doc_id"]:
                    key = DocumentKey(source, str(payload["doc_id"]))
                    found.setdefault(key, _match(key, payload, str(payload.get("status") or "")))
            if is_cut:
                break
    whole = [match for match in found.values() if match.key.doc_id == words.strip()]
    others = [match for match in found.values() if match.key.doc_id != words.strip()]
    others.sort(key=lambda match: (match.title.casefold(), match.key))
    return Matches([*whole, *others], looked, is_cut)


def _match(key: DocumentKey, metadata: Mapping[str, object], status: str) -> Match:
    return Match(key, _text(metadata, "title"), _text(metadata, "url"), status)


def _stored(application: Application, key: DocumentKey) -> tuple[list[StoredVersion], list[Branch]]:
    with application.impatient_store.reading() as index:
        versions = _versions(index.chunks_of([key])[key])
        shown = next((each for each in versions if each.is_readable), versions[0] if versions else None)
        family = _family(index, key, _kin(key.doc_id, shown)) if shown else []
    return versions, family


def _versions(chunks: Sequence[StoredChunk]) -> list[StoredVersion]:
    """By token, text and fence: two texts may come under one token. The newest first."""
    grouped: dict[tuple[str, str, str, datetime | None], list[StoredChunk]] = defaultdict(list)
    for chunk in chunks:
        group = (chunk.doc_version or "", chunk.content_hash or "", chunk.pipeline or "", chunk.fetched_at)
        grouped[group].append(chunk)
    versions = []
    for (version, content_hash, pipeline, fetched_at), its in grouped.items():
        its.sort(key=lambda chunk: (-1 if chunk.chunk_index is None else chunk.chunk_index, chunk.point_id))
        counts = {chunk.chunk_count for chunk in its}
        statuses = Counter(chunk.status or "none" for chunk in its)
        count = counts.pop() if len(counts) == 1 else None
        versions.append(StoredVersion(version, content_hash, pipeline, fetched_at, statuses, count, its))
    oldest = from_rfc3339("1971-01-01T00:00:00Z")
    return sorted(versions, key=lambda each: (each.fetched_at or oldest, each.version), reverse=True)


def _family(index: IndexReader, key: DocumentKey, this: Kin) -> list[Branch]:
    """Everything that its links lead to, in both directions; nothing where it has none."""
    known = {this.doc_id: this}
    waiting = {*this.supersedes, *this.superseded_by} - {this.doc_id}
    while waiting and len(known) < MOST_KIN:
        due = sorted(waiting)[: MOST_KIN - len(known)]
        for each in _relatives(index, key.source, due):
            known[each.doc_id] = each
        waiting = {name for each in known.values() for name in (*each.supersedes, *each.superseded_by)} - known.keys()
    return branches(list(known.values())) if len(known) > 1 else []


def branches(members: Collection[Kin]) -> list[Branch]:
    """The members as a tree, each once. What hangs in a circle is there all the same."""
    known = {each.doc_id: each for each in members}
    older: dict[str, set[str]] = defaultdict(set)
    for each in members:
        older[each.doc_id] |= {name for name in each.supersedes if name in known and name != each.doc_id}
        for name in each.superseded_by:
            if name in known and name != each.doc_id:
                older[name].add(each.doc_id)
    replaced = {name for names in older.values() for name in names}
    placed: set[str] = set()
    tree: list[Branch] = []
    for head in sorted(known, key=lambda name: (name in replaced, not known[name].is_current, name)):
        waiting = [(0, head)]
        while waiting:
            depth, name = waiting.pop()
            if name in placed:
                continue
            placed.add(name)
            tree.append(Branch(depth, known[name]))
            waiting += [(depth + 1, each) for each in sorted(older[name], reverse=True)]
    return tree


def _relatives(index: IndexReader, source: str, doc_ids: Sequence[str]) -> list[Kin]:
    keys = [DocumentKey(source, doc_id) for doc_id in doc_ids if doc_id]
    stored = index.chunks_of(keys)
    return [_kin(key.doc_id, versions[0] if (versions := _versions(stored[key])) else None) for key in keys]


def _kin(doc_id: str, version: StoredVersion | None) -> Kin:
    if version is None:
        return Kin(doc_id)
    said = version.metadata
    return Kin(
        doc_id,
        _text(said, "title"),
        version.chunks[0].status or "",
        is_current=said.get("is_current") is not False,
        is_canonical=said.get("is_canonical") is True,
        supersedes=_names(said.get("supersedes")),
        superseded_by=_names(said.get("superseded_by")),
    )


def _text(said: Mapping[str, object], name: str) -> str:
    value = said.get(name)
    return value if isinstance(value, str) else ""


def _names(value: object) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str) and each) if isinstance(value, list | tuple) else ()
