"""Make every chunk of a document say what the ledger says of it, in place: nothing is read from the source.

One operation sets all chunks of a version alike, so that a reader never sees siblings disagree. It names the fence of
the version whose metadata it was made from: where an ingest run publishes another version meanwhile, it sets nothing,
and the document is looked at again. The other way round, an ingest run looks at the ledger before it writes and again
afterwards (`write_versions`). So whichever of two writers comes last, the chunks say what the ledger says.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from include.domain.documents import DocumentKey, ExtractedDocument, Marks, Status, StoredChunk
from include.domain.inventory import IndexInventory
from include.domain.manifest import DocumentOutcome
from include.domain.payload import METADATA_FIELDS, marked, metadata_hash, source_says
from include.domain.selection import Selector
from include.planning.marking_audit import MarkedDocument
from include.ports import Index
from include.services.coming_back import kept_out_of, let_in, show_what_changed
from include.services.context import SourceContext
from include.services.reading import Progress

MOST_SESSIONS, MOST_DOCUMENTS = 8, 1_000
"""Write sessions of a run, and documents of a session: some 20 chunks of 10 KB each are in memory meanwhile."""

_ATTEMPTS = 4
"""How often a document is looked at that others write meanwhile; each time takes another writer in the same moment."""

_NO_MARKS = Marks()
_NEVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Marking:
    """Exact numbers of chunks: `before` the first write, `touched` by the writes, and `after` them, read back and
    saying what the ledger says. `chunks` are those of each document that the index holds, `written` the documents of
    which something had to be set. `left` is the whole source as it was read afterwards, where it was."""

    before: int
    touched: int
    after: int
    chunks: Mapping[str, int]
    written: frozenset[str]
    left: IndexInventory | None = None


def bring_in(context: SourceContext, doc_ids: Collection[str], *, progress: Progress) -> Marking:
    """Make every readable chunk of these documents say what `Ledger.marks` says. Idempotent; a document that the index
    does not hold is passed over. Raises StoreBusy or StoreUnavailable; what was marked by then stays marked."""
    found = mark_documents(context, doc_ids, progress=progress)
    after = 0
    for batch in _batches(context, sorted(found)):
        marks = context.ledger.marks(context.source)
        with context.store.reading() as index:
            stored = index.chunks_of([DocumentKey(context.source, doc_id) for doc_id in batch])
        for key, chunks in stored.items():
            if versions := _versions(chunks):
                wanted = _wanted(versions[-1], marks.get(key.doc_id, _NO_MARKS))
                after += sum(not _differing(chunk, wanted) for chunk in versions[-1])
    return marking_of(found, after)


def marking_of(found: Mapping[str, MarkedDocument], after: int, left: IndexInventory | None = None) -> Marking:
    return Marking(
        before=sum(document.before for document in found.values()),
        touched=sum(document.touched for document in found.values()),
        after=after,
        chunks={doc_id: document.before for doc_id, document in found.items()},
        written=frozenset(doc_id for doc_id, document in found.items() if document.written),
        left=left,
    )


def mark_documents(
    context: SourceContext, doc_ids: Collection[str], *, progress: Progress
) -> dict[str, MarkedDocument]:
    """The same without reading back, for a caller that reads the whole source afterwards."""
    found: dict[str, MarkedDocument] = {}
    done = 0
    for batch in _batches(context, sorted(doc_ids)):
        with context.store.writing() as index:
            found |= _mark(context, index, batch)
        done += len(batch)
        progress("mark", done, len(doc_ids))
    return found


def write_versions(context: SourceContext, documents: Sequence[ExtractedDocument]) -> list[DocumentOutcome]:
    """Write versions under the marks of this moment; a document whose marks change while it is written is marked
    again. Raises what `VersionWriter.write` raises, and ConfigError for a ledger that was spoilt by hand."""
    show_what_changed(context, documents)
    out = kept_out_of(context, documents)
    before = context.ledger.marks(context.source)
    outcomes = context.writer.write(documents, before)
    after = context.ledger.marks(context.source)
    late = [doc_id for each in documents if before.get(doc_id := each.key.doc_id) != after.get(doc_id)]
    for batch in _batches(context, late):
        with context.store.writing() as index:
            _mark(context, index, batch)
    return let_in(context, out, documents, outcomes)


def session_size(context: SourceContext, documents: int) -> int:
    """Documents of one write session. Opening an embedded index costs in proportion to its size: the number of sessions
    must not grow with it too."""
    return max(context.batch_documents, min(MOST_DOCUMENTS, -(-documents // MOST_SESSIONS)))


def _batches(context: SourceContext, doc_ids: Sequence[str]) -> Iterator[Sequence[str]]:
    size = session_size(context, len(doc_ids))
    return (doc_ids[start : start + size] for start in range(0, len(doc_ids), size))


def _mark(context: SourceContext, index: Index, doc_ids: Sequence[str]) -> dict[str, MarkedDocument]:
    found: dict[str, MarkedDocument] = {}
    due = list(doc_ids)
    for _ in range(_ATTEMPTS):
        marks = context.ledger.marks(context.source)
        stored = index.chunks_of([DocumentKey(context.source, doc_id) for doc_id in due])
        moved = set()
        for key, chunks in stored.items():
            earlier = found.pop(key.doc_id, None)
            versions = _versions(chunks)
            if not versions:
                continue
            written = earlier is not None and earlier.written
            for version in versions:
                if changes := _changes(version, marks.get(key.doc_id, _NO_MARKS)):
                    _set(index, key, version, changes)
                    written = True
            touched = index.count(_selector(key, versions[-1]))
            found[key.doc_id] = MarkedDocument(len(versions[-1]), touched, written)
            if touched != len(versions[-1]):
                moved.add(key.doc_id)
        now = context.ledger.marks(context.source)
        due = [doc_id for doc_id in due if doc_id in moved or now.get(doc_id) != marks.get(doc_id)]
        if not due:
            break
    return found


def _set(index: Index, key: DocumentKey, version: Sequence[StoredChunk], changes: Mapping[str, object]) -> None:
    """One operation for all that readers see. Points of the version that are still `incoming` get the metadata too, so
    that they agree with their siblings when they are published, but never a status: that would publish them."""
    index.set_payload(_selector(key, version), changes)
    said = {name: value for name, value in changes.items() if name != "status"}
    if said and (fence := version[0].fetched_at) is not None:
        unseen = Selector(key, fence=fence, status=Status.INCOMING)
        if index.count(unseen):
            index.set_payload(unseen, said)


def _versions(chunks: Sequence[StoredChunk]) -> list[list[StoredChunk]]:
    """The readable chunks by their fences, the newest last: one version, or for an instant two."""
    by_fence: dict[datetime | None, list[StoredChunk]] = defaultdict(list)
    for chunk in chunks:
        if chunk.status != Status.INCOMING:
            by_fence[chunk.fetched_at].append(chunk)
    return [by_fence[fence] for fence in sorted(by_fence, key=lambda fence: fence or _NEVER)]


def _selector(key: DocumentKey, version: Sequence[StoredChunk]) -> Selector:
    """Exactly these points, and only while they have this fence."""
    return Selector(key, only_ids=tuple(chunk.point_id for chunk in version), fence=version[0].fetched_at)


def _changes(version: Sequence[StoredChunk], marks: Marks) -> Mapping[str, object]:
    """What has to be set for every chunk of a version to say the same, as decided; nothing if they do."""
    wanted = _wanted(version, marks)
    return {name: wanted[name] for chunk in version for name in _differing(chunk, wanted)}


def _wanted(version: Sequence[StoredChunk], marks: Marks) -> Mapping[str, object]:
    """Made from what the source said: from a chunk that its digest proves unaltered, if there is one."""
    chunks = sorted(version, key=lambda chunk: -1 if chunk.chunk_index is None else chunk.chunk_index)
    said = next((chunk for chunk in chunks if _is_unaltered(chunk)), chunks[0])
    return {**marked(said.metadata, marks), "status": marks.status.value}


def _is_unaltered(chunk: StoredChunk) -> bool:
    return chunk.metadata.get("metadata_hash") == metadata_hash(source_says(chunk.metadata))


def _differing(chunk: StoredChunk, wanted: Mapping[str, object]) -> list[str]:
    """The fields that a chunk says otherwise; absent and None are the same, 1 and true are not."""
    names = [] if chunk.status == wanted["status"] else ["status"]
    for name in METADATA_FIELDS:
        stored = chunk.metadata.get(name)
        if stored != wanted[name] or type(stored) is not type(wanted[name]):
            names.append(name)
    return names
