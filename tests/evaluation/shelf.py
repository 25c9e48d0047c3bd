"""Documents in an index, and every way to ask it: truecopy's whole search, each of its legs alone, a naive pipeline."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import cast

from examples.demo.naive import NaiveIndex
from include.domain.dates import EvidencedDate, Precision, Trust
from include.domain.documents import DocumentKey, ExtractedDocument, Marks
from include.domain.metadata import Hand
from include.embedding.static import StaticEmbedder
from include.families.resolve import patches
from include.ports import Hit, Hybrid, IndexReader, IndexStore
from include.ranking.blend import BEST_CHUNKS
from include.ranking.metrics import DEPTH, Answer, Passages
from include.ranking.questions import Question
from include.ranking.relevance import WORDS
from include.services.evaluate import answer_of
from include.services.finding import candidates_of
from include.services.marking import bring_in
from include.services.resolving import resolve_families
from include.services.retrieval import retrieve
from include.services.version_writer import VersionWriter
from include.store.edge import EdgeStore
from include.text.chunk import chunk
from tests.builders import context_of, no_progress
from tests.fakes.clock import FakeClock
from tests.fakes.records import FakeLedger, FakeRemovalMarks
from tests.fakes.source import FakeSource

CHUNK_TOKENS = 256
BATCH = 200
OVERFETCH = 200


@dataclass
class Shelf:
    """An embedded index in a folder, the bundled embedder, and beside it the naive pipeline on the same chunks."""

    folder: Path
    now: datetime
    embedder: StaticEmbedder = field(default_factory=StaticEmbedder.bundled)

    def __post_init__(self) -> None:
        self._cut = partial(chunk, max_tokens=CHUNK_TOKENS, count_tokens=self.embedder.count_tokens)
        self.naive_index = NaiveIndex(self.embedder, CHUNK_TOKENS)
        self.store = EdgeStore(self.folder / "index", "docs")
        self.store.prepare(self.embedder.id, self.embedder.dimension)
        self.pipeline = f"static embedder, {CHUNK_TOKENS} tokens a chunk"
        self._writer = VersionWriter(
            store=self.store,
            embedder=self.embedder,
            removal_marks=FakeRemovalMarks(),
            clock=FakeClock(self.now),
            chunk=self._cut,
            pipeline=self.pipeline,
        )

    def put(self, documents: Sequence[ExtractedDocument], marks: Mapping[str, Marks] | None = None) -> None:
        """Write as an ingest run does; the naive pipeline takes the texts over and knows nothing of marks."""
        for start in range(0, len(documents), BATCH):
            batch = documents[start : start + BATCH]
            failed = [each.detail for each in self._writer.write(batch, marks) if each.state == "failed"]
            assert not failed, failed
        for document in documents:
            self.naive_index.upsert(document)

    def resolve(self, source: str) -> int:
        """As a night does it: the resolver's marks go into every chunk; returns how many documents it marked. Nobody
        has decided anything, and what its gate would hold for its number is released."""
        ledger = FakeLedger()
        context = context_of(
            FakeSource(source), store=self.store, embedder=self.embedder, clock=FakeClock(self.now), ledger=ledger
        )
        decisions = resolve_families(context).decisions
        marked = {doc_id: patch for decision in decisions for doc_id, patch in patches(decision).items()}
        ledger.decisions[source, Hand.RESOLVER] = marked
        bring_in(context, marked, progress=no_progress)
        return len(marked)

    @contextmanager
    def open(self) -> Iterator[None]:
        """All questions in one session: opening the embedded index costs more than asking it."""
        with self.store.reading() as index:
            self._open = index
            yield

    @contextmanager
    def reading(self) -> Iterator[IndexReader]:
        """For `retrieve`, which asks a store."""
        yield self._open

    def truecopy(self, question: Question) -> Answer:
        return answer_of(
            retrieve(
                cast(IndexStore, self),
                self.embedder,
                question.text,
                now=self.now,
                limit=DEPTH,
                sources=question.sources,
            )
        )

    def naive(self, question: Question) -> Answer:
        return naive_answer(self.naive_index, question)

    def dense(self, question: Question) -> Answer:
        return self._leg(question, "dense")

    def bm25(self, question: Question) -> Answer:
        return self._leg(question, "bm25")

    def fused(self, question: Question) -> Answer:
        """Both legs as the engine fuses them, and nothing after it."""
        return self._leg(question, "")

    def hybrid(self, question: Question) -> Answer:
        """Both legs by their scores, as truecopy weighs them, without anything that knows of versions."""
        found = candidates_of([self._search(question)], WORDS)
        best = sorted(found, key=lambda candidate: -candidate.chunks[0].fused)[:DEPTH]
        return Answer(
            tuple(Passages(each.key, tuple(chunk.text for chunk in each.chunks[:BEST_CHUNKS])) for each in best)
        )

    def _leg(self, question: Question, leg: str) -> Answer:
        found = self._search(question)
        whole = {hit.point_id: hit for hit in found.fused}
        hits = [whole[hit.point_id] for hit in (found.legs.get(leg, ()) if leg else found.fused)]
        return by_document(hits)

    def _search(self, question: Question) -> Hybrid:
        vector = self.embedder.embed([question.text])[0]
        return self._open.hybrid(vector, question.text, limit=OVERFETCH, sources=question.sources)


def by_document(hits: Sequence[Hit]) -> Answer:
    """Documents in the order of their best chunk."""
    texts: dict[DocumentKey, list[str]] = {}
    for hit in hits:
        key = DocumentKey(str(hit.payload["source"]), str(hit.payload["doc_id"]))
        texts.setdefault(key, []).append(str(hit.payload["text"]))
    return Answer(tuple(Passages(key, tuple(each[:BEST_CHUNKS])) for key, each in list(texts.items())[:DEPTH]))


def naive_answer(index: NaiveIndex, question: Question) -> Answer:
    found = index.documents(question.text, DEPTH, BEST_CHUNKS, question.sources)
    return Answer(tuple(Passages(key, tuple(texts)) for key, texts in found))


def document(
    key: DocumentKey, title: str, text: str, *, read_at: datetime, created_at: datetime | None = None
) -> ExtractedDocument:
    """As a connector would deliver it; a date is one that its front matter declares."""
    content_hash = hashlib.sha256(text.encode()).hexdigest()
    return ExtractedDocument(
        key=key,
        version=content_hash[:12],
        fetched_at=read_at,
        text=text,
        content_hash=content_hash,
        title=title,
        url=f"https://docs.example.org/{key.doc_id}",
        content_type="page",
        lang="en",
        created_at=EvidencedDate(created_at, Precision.DAY, "front matter", Trust.HIGH) if created_at else None,
        updated_at=None,
        effective_date=None,
        expires_at=None,
    )
