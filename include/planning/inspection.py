"""Judge the stored points of one source: which documents are whole, and what is wrong with the others.

A document is whole when its readable points are exactly the chunks 0 … chunk_count-1 of one version, each point
has the id that its payload implies, each text matches its hash, and nothing else is stored for the document.

| seen                                             | flaw                                    |
|--------------------------------------------------|-----------------------------------------|
| readable points of two versions                  | an older version is still there         |
| points that are `incoming`                       | debris of an unfinished write           |
| fewer, more or repeated chunk indexes            | 3 of 5 chunks                           |
| text, hash, index or id do not belong together   | 2 altered points                        |
| status, marks or metadata of siblings differ     | siblings disagree about title, pinned   |
| what the source said does not fit its digest     | its metadata is not what was read       |

No list of what "should" be stored is consulted: the index itself is the record. Only what people decide is not in the
source: a document that was hidden or unmarked behind our back looks whole, so its status and marks are compared with
the ledger's (`with_marks`). That is no flaw but drift: it is set right without reading the source.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

from include.domain.documents import Marks, Status, StoredChunk
from include.domain.identity import point_id
from include.domain.inventory import IndexedDocument, IndexInventory
from include.domain.payload import METADATA_FIELDS, SOURCE_FIELDS, marked, metadata_hash, source_says
from include.domain.review import KeptOut

_NEVER = datetime.min.replace(tzinfo=UTC)
_NO_MARKS = Marks()


def inspect(source: str, stored: Iterable[StoredChunk], *, foreign_points: int = 0) -> IndexInventory:
    """Group the points of `source` by document and judge each. Points of it without a doc_id count as foreign."""
    by_document: dict[str, list[_Seen]] = defaultdict(list)
    points = strays = 0
    for chunk in stored:
        points += 1
        if chunk.doc_id:
            by_document[chunk.doc_id].append(_seen(chunk))
        else:
            strays += 1
    documents = {doc_id: _judge(doc_id, seen) for doc_id, seen in by_document.items()}
    return IndexInventory(source, documents, points, foreign_points + strays)


def with_marks(inventory: IndexInventory, marks: Mapping[str, Marks]) -> IndexInventory:
    """The same, with the drift of each document: where its status or metadata is not what these marks make of it."""
    documents = dict(inventory.documents)
    for doc_id, document in inventory.documents.items():
        if not document.version:
            continue
        decided = marks.get(doc_id, _NO_MARKS)
        drift = {*document.drift, *_unlike(document.metadata, marked(document.metadata, decided))}
        if document.status != decided.status:
            drift.add("status")
        if drift != set(document.drift):
            documents[doc_id] = replace(document, drift=tuple(sorted(drift)))
    return replace(inventory, documents=documents)


def with_kept_out(inventory: IndexInventory, kept_out: Mapping[str, KeptOut]) -> IndexInventory:
    """The same, with the versions that people have taken out of the index."""
    return replace(inventory, kept_out={doc_id: each.doc_version for doc_id, each in kept_out.items()})


def judge_document(doc_id: str, chunks: Iterable[StoredChunk]) -> IndexedDocument:
    """One document from all of its points, in any order."""
    return _judge(doc_id, [_seen(chunk) for chunk in chunks])


_DISAGREE = "siblings disagree about"
_DEBRIS = "incoming points: debris of an unfinished write"
_OTHERS = "points of another version are still readable"


def flaws_of_version(document: IndexedDocument) -> list[str]:
    """What is wrong with the version itself, whatever lies beside it: debris, or an older one."""
    return [flaw for flaw in document.flaws if not flaw.endswith((_DEBRIS, _OTHERS))]


def siblings_agree(document: IndexedDocument) -> bool:
    """Does every chunk of the document's version say the same of its status, marks and metadata?"""
    return not any(flaw.startswith(_DISAGREE) for flaw in document.flaws)


class _Seen(NamedTuple):
    """A point without its text: whether the text is right is known, and keeping all of them would fill the memory."""

    chunk: StoredChunk
    is_itself: bool


def _seen(chunk: StoredChunk) -> _Seen:
    return _Seen(replace(chunk, text=None), is_itself(chunk))


def _judge(doc_id: str, seen: Sequence[_Seen]) -> IndexedDocument:
    chunks = [each.chunk for each in seen]
    readable = [chunk for chunk in chunks if chunk.status != Status.INCOMING]
    flaws: list[str] = []
    if len(readable) < len(chunks):
        flaws.append(f"{len(chunks) - len(readable)} {_DEBRIS}")
    if not readable:
        return IndexedDocument(doc_id, "", "", "", "", 0, len(chunks), None, ("no readable version", *flaws))

    head = max(readable, key=_recency)
    version = [chunk for chunk in readable if _version_of(chunk) == _version_of(head)]
    right = {each.chunk.point_id for each in seen if each.is_itself}
    if len(version) < len(readable):
        flaws.append(f"{len(readable) - len(version)} {_OTHERS}")
    flaws.extend(_flaws_of_version(version, right))
    different = _different_metadata(version)
    unlike = {name for each in different[1:] for name in _unlike(different[0], each)}
    if len({chunk.status for chunk in version}) > 1:
        unlike.add("status")
    if unlike:
        flaws.append(f"{_DISAGREE} {', '.join(sorted(unlike))}")
    said = [{**metadata, **source_says(metadata)} for metadata in different]
    is_alike = all(_FROM_SOURCE.isdisjoint(_unlike(said[0], each)) for each in said[1:])
    if is_alike and not _fits_its_digest(said[0]):
        flaws.append("its metadata is not what was read: it does not fit its digest")
    return IndexedDocument(
        doc_id,
        version=head.doc_version or "",
        content_hash=head.content_hash or "",
        pipeline=head.pipeline or "",
        status=head.status or "",
        chunks=len(version),
        points=len(chunks),
        fetched_at=head.fetched_at,
        flaws=tuple(flaws),
        metadata=different[0],
        drift=tuple(sorted(unlike)) if is_alike else (),
    )


def _different_metadata(version: Sequence[StoredChunk]) -> list[Mapping[str, object]]:
    """What the chunks of a version say of it, each once, that of the first chunk first. One where all agree."""
    if all(chunk.metadata is version[0].metadata for chunk in version):
        return [version[0].metadata]
    different: list[Mapping[str, object]] = []
    for chunk in sorted(version, key=_place):
        if all(_unlike(chunk.metadata, each) for each in different):
            different.append(chunk.metadata)
    return different


def _fits_its_digest(said: Mapping[str, object]) -> bool:
    """Releases before the digest wrote neither it nor `read_with`; for want of the latter they are read again."""
    digest = said.get("metadata_hash")
    return digest == metadata_hash(said) or (digest is None and "read_with" not in said)


_FROM_SOURCE = frozenset({*SOURCE_FIELDS, "metadata_hash", "read_with"})


def _unlike(one: Mapping[str, object], other: Mapping[str, object]) -> list[str]:
    """The fields that two say differently. Absent and None are the same, 1 and true are not: an engine tells them
    apart."""
    return [
        name
        for name in METADATA_FIELDS
        if (mine := one.get(name)) != (theirs := other.get(name)) or type(mine) is not type(theirs)
    ]


def _place(chunk: StoredChunk) -> tuple[int, str]:
    return (-1 if chunk.chunk_index is None else chunk.chunk_index, chunk.point_id)


def _recency(chunk: StoredChunk) -> tuple[datetime, str]:
    # The second key only makes the choice independent of scan order where two versions carry the same fence.
    return (chunk.fetched_at or _NEVER, chunk.content_hash or "")


def _version_of(chunk: StoredChunk) -> tuple[object, ...]:
    return (chunk.doc_version, chunk.content_hash, chunk.pipeline, chunk.fetched_at)


def _flaws_of_version(version: Sequence[StoredChunk], right: Collection[str]) -> list[str]:
    flaws = []
    altered = sum(chunk.point_id not in right for chunk in version)
    if altered:
        flaws.append(f"{altered} altered points: text, hash, place and id do not belong together")
    counts = {chunk.chunk_count for chunk in version}
    indexes = sorted(chunk.chunk_index if chunk.chunk_index is not None else -1 for chunk in version)
    declared = next(iter(counts)) if len(counts) == 1 else None
    if declared is None or indexes != list(range(declared)):
        flaws.append(f"{len(set(indexes))} of {declared if declared is not None else 'unclear'} chunks")
    return flaws


def is_itself(chunk: StoredChunk) -> bool:
    """Do text, hash, place and id of a stored point belong together?"""
    if (
        chunk.source is None
        or chunk.doc_id is None
        or chunk.content_hash is None
        or chunk.pipeline is None
        or chunk.chunk_index is None
        or chunk.chunk_hash is None
        or chunk.text is None
        or chunk.fetched_at is None
        or not chunk.doc_version
    ):
        return False
    if hashlib.sha256(chunk.text.encode("utf-8", "surrogatepass")).hexdigest() != chunk.chunk_hash:
        return False
    return chunk.point_id == point_id(
        chunk.source, chunk.doc_id, chunk.content_hash, chunk.pipeline, chunk.chunk_index, chunk.chunk_hash
    )
