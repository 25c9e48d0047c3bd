"""Read a source's documents from the index and find those that look out of date. Nothing here writes.

    every chunk (index), words of people (ledger) -> subjects -+
    links in the texts                                        -+-> signals, protection, fusion -> candidates
    vectors of all chunks                                     -+
    questions that were asked (query log)                     -+
    pages that the last nights did not get (manifests)        -+

The detector looks at documents as if it had never staged any: its own doing is no evidence. The index is open for a few
short looks, never while texts and vectors are compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np

from include.domain.dates import rfc3339
from include.domain.documents import DocumentKey, Status, StoredChunk
from include.domain.manifest import DocumentState
from include.domain.metadata import Hand, Patch, marks_of, merged
from include.domain.review import Finding, Queue, ReviewItem
from include.services.context import SourceContext
from include.services.indexed_texts import IndexedTexts
from include.services.protecting import care_of
from include.staleness.addresses import Answer, Night, answers_of
from include.staleness.ageing import Ageing
from include.staleness.detection import Detection, Observed, detect
from include.staleness.diff import differences
from include.staleness.evidence import Candidate, Signal
from include.staleness.links import Links, live_referrers, read_links, targets_in
from include.staleness.overlaps import Overlap, find_overlaps
from include.staleness.subject import NO_CARE, Subject, subject_of
from include.staleness.usage import ENOUGH, Enough, Usage

_BATCH = 200
_MOST_REFERRERS = 10
"""So many are named to a person; a page in a menu has hundreds."""
_NOTHING: Patch = {}


@dataclass(frozen=True, slots=True)
class Policy:
    """How a source is looked at. `links`: all links between its documents are in their texts, so that one that none
    leads to is an orphan. `compare`: whether all texts are compared by their vectors."""

    ageing: Ageing = field(default_factory=Ageing)
    links: bool = False
    compare: bool = True
    enough: Enough = ENOUGH


@dataclass(frozen=True, slots=True)
class Looked:
    """A document as the index holds it: its newest readable version. `status` is the stored one."""

    subject: Subject
    status: str
    doc_version: str
    content_hash: str
    chunk_hashes: frozenset[str]


@dataclass(frozen=True, slots=True)
class Found:
    """What one look at a source found. `staged` are documents that the detector's record stages now, `referrers` those
    that readers see and that link to a candidate, by its doc id."""

    detection: Detection
    documents: Mapping[str, Looked]
    queue: Queue
    staged: frozenset[str]
    referrers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def content_hashes(self) -> Mapping[str, str]:
        return {doc_id: each.content_hash for doc_id, each in self.documents.items()}

    @property
    def spared(self) -> Mapping[str, str]:
        """Why documents that something speaks against are left alone, by doc id."""
        return {each.key.doc_id: each.why for each in self.detection.spared}


def find_stale(context: SourceContext, policy: Policy, usage: Usage | None = None) -> Found:
    """Every document of the source, judged. Raises StoreBusy or StoreUnavailable when the index cannot be read,
    ConfigError for a ledger that was spoilt by hand (single files of the queue aside)."""
    source = context.source
    queue = context.ledger.candidates(source)
    documents, targets = _read(context)
    subjects = [each.subject for each in documents.values()]
    texts = IndexedTexts(context)
    links = read_links(subjects, targets, declared=policy.links)
    observed = Observed(
        links=links,
        usage=_as_if_shown(usage, documents, queue),
        answers=_answers(context, documents),
        overlaps=_overlaps(context, documents) if policy.compare else None,
        texts=texts,
    )
    while True:
        # The first answer took texts for the same that it asked about; now they are known.
        detection = detect(source, subjects, observed, policy.ageing, now=context.clock.now(), enough=policy.enough)
        if not texts.missing:
            staged = frozenset(context.ledger.decided(source, Hand.DETECTOR))
            return Found(detection, documents, queue, staged, _referrers(detection, documents, links))
        texts.learn()


def _referrers(detection: Detection, documents: Mapping[str, Looked], links: Links) -> Mapping[str, tuple[str, ...]]:
    live = frozenset(doc_id for doc_id, each in documents.items() if each.subject.status is Status.PUBLISHED)
    suspected = [documents[each.key.doc_id].subject for each in detection.candidates]
    return {subject.key.doc_id: live_referrers(subject, links, live) for subject in suspected}


def items_of(context: SourceContext, found: Found) -> Mapping[str, ReviewItem]:
    """The candidates as they are put before a person, by doc id. Diffs that are known are not made again."""
    made = {each.key.doc_id: _item(each, found, context.clock.now()) for each in found.detection.candidates}
    standing = {item.doc_id: item for item in found.queue.items}
    due = []
    for doc_id, item in made.items():
        earlier = standing.get(doc_id)
        if earlier is not None and earlier.diff and _compared(earlier) == _compared(item):
            made[doc_id] = replace(item, diff=earlier.diff)
        elif item.replacement:
            due.append(item)
    texts = IndexedTexts(context)
    for start in range(0, len(due), _BATCH):
        batch = due[start : start + _BATCH]
        texts.read([DocumentKey(context.source, each) for item in batch for each in (item.doc_id, item.replacement)])
        for item in batch:
            old, new = (texts(DocumentKey(context.source, each)) for each in (item.doc_id, item.replacement))
            diff = differences(old, new, names=(item.doc_id, item.replacement))
            made[item.doc_id] = replace(item, diff=diff)
        texts = IndexedTexts(context)  # no run holds the texts of all candidates at once
    return made


def _compared(item: ReviewItem) -> tuple[str, str, str]:
    return item.content_hash, item.replacement, item.replacement_hash


def _item(candidate: Candidate, found: Found, now: datetime) -> ReviewItem:
    looked = found.documents[candidate.key.doc_id]
    heir = candidate.replacement.doc_id if candidate.replacement else ""
    referrers = found.referrers.get(candidate.key.doc_id, ())
    return ReviewItem(
        source=candidate.key.source,
        doc_id=candidate.key.doc_id,
        proposal=candidate.proposal.value,
        score=candidate.score,
        arithmetic=candidate.arithmetic,
        evidence=tuple(
            Finding(
                signal=each.signal.value,
                strength=each.strength,
                sentence=each.sentence,
                fingerprint=each.fingerprint,
                anchor=each.anchor,
                facts=dict(each.facts),
                replacement=each.replacement.doc_id if each.replacement else "",
            )
            for each in candidate.evidence
        ),
        fingerprint=candidate.fingerprint,
        since=rfc3339(now),
        doc_version=looked.doc_version,
        content_hash=looked.content_hash,
        title=looked.subject.title,
        url=looked.subject.url,
        replacement=heir,
        replacement_hash=found.documents[heir].content_hash if heir in found.documents else "",
        links=len(referrers),
        linked_from=referrers[:_MOST_REFERRERS],
    )


@dataclass
class _Version:
    """One readable version while it is read."""

    first: StoredChunk
    hashes: set[str] = field(default_factory=set)
    targets: dict[str, None] = field(default_factory=dict)


def _read(context: SourceContext) -> tuple[dict[str, Looked], dict[str, tuple[str, ...]]]:
    """The newest readable version of each document, and where the links in its text lead."""
    newest: dict[str, _Version] = {}
    with context.store.reading() as index:
        for chunk in index.scan(context.source):
            if not chunk.doc_id or chunk.fetched_at is None or chunk.status in (None, Status.INCOMING):
                continue
            known = newest.get(chunk.doc_id)
            if known is None or known.first.fetched_at is None or known.first.fetched_at < chunk.fetched_at:
                known = newest[chunk.doc_id] = _Version(chunk)
            elif known.first.fetched_at > chunk.fetched_at:
                continue
            if chunk.chunk_hash:
                known.hashes.add(chunk.chunk_hash)
            if chunk.text:
                known.targets.update(dict.fromkeys(targets_in(chunk.text)))
    by_hand = {hand: context.ledger.decided(context.source, hand) for hand in Hand}
    care = care_of(context.ledger, context.source)
    documents = {}
    for doc_id, version in sorted(newest.items()):
        chunk = version.first
        patches = {hand: by_hand[hand].get(doc_id, _NOTHING) for hand in Hand}
        payload = {**chunk.metadata, **_of_the_chunk(chunk), "status": _status(chunk, patches)}
        subject = subject_of(payload, decided=patches[Hand.PERSON], care=care.get(doc_id, NO_CARE))
        documents[doc_id] = Looked(
            subject,
            status=str(chunk.status),
            doc_version=chunk.doc_version or "",
            content_hash=chunk.content_hash or "",
            chunk_hashes=frozenset(version.hashes),
        )
    return documents, {doc_id: tuple(version.targets) for doc_id, version in newest.items()}


def _of_the_chunk(chunk: StoredChunk) -> dict[str, object]:
    return {
        "source": chunk.source,
        "doc_id": chunk.doc_id,
        "content_hash": chunk.content_hash or "",
        "fetched_at": rfc3339(chunk.fetched_at) if chunk.fetched_at else "",
    }


def _status(chunk: StoredChunk, patches: Mapping[Hand, Patch]) -> str:
    """What it would be had the detector never staged it."""
    if chunk.status != Status.STAGED and not patches[Hand.DETECTOR]:
        return str(chunk.status)
    return marks_of(merged(patches[Hand.PERSON], patches[Hand.RESOLVER])).status.value


def _as_if_shown(usage: Usage | None, documents: Mapping[str, Looked], queue: Queue) -> Usage | None:
    """Nobody is shown what is staged, which says nothing about it. What was found before it was staged still stands."""
    if usage is None:
        return None
    unseen = {item.doc_id for item in queue.items if any(each.signal == Signal.NOT_RETRIEVED for each in item.evidence)}
    hidden = {doc_id for doc_id, each in documents.items() if each.status == Status.STAGED}
    return replace(usage, shown={**usage.shown, **dict.fromkeys(hidden - unseen - usage.shown.keys(), 1)})


def _answers(context: SourceContext, documents: Mapping[str, Looked]) -> Mapping[str, Answer] | None:
    """What the pages answered in the last nights. Readers' own addresses are asked by nobody here."""
    now = context.clock.now()
    nights = (
        Night(
            manifest.started_at,
            gone=frozenset(each.doc_id for each in manifest.outcomes if each.state is DocumentState.VANISHED),
            unread=frozenset(each.doc_id for each in manifest.outcomes if each.state is DocumentState.FAILED),
        )
        for manifest in context.manifests.comparisons(context.source, until=now)
    )
    return answers_of(nights, documents.keys(), now=now)


def _overlaps(context: SourceContext, documents: Mapping[str, Looked]) -> Mapping[DocumentKey, tuple[Overlap, ...]]:
    rows = [(each.subject.key, each_hash) for each in documents.values() for each_hash in sorted(each.chunk_hashes)]
    with context.store.reading() as index:
        vectors = index.vectors({each_hash for _, each_hash in rows})
    rows = [(key, each_hash) for key, each_hash in rows if each_hash in vectors]
    if not rows:
        return {}
    table = np.stack([vectors[each_hash] for _, each_hash in rows]).astype(np.float32, copy=False)
    del vectors
    return find_overlaps([key for key, _ in rows], table)
