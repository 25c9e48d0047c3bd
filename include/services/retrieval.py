"""Answer a question from the index: what is current, why, and what was left out. The one way to ask it.

    intent -> embed -> search by meaning and by words, fused by the engine, hidden statuses out of every leg
    -> newest version of each document -> heads of what was found -> blend -> arrange -> explained

Asked for the latest of more than one search brings in, it looks again among what is newer than the answer so far: the
newest edition of a deck may stand behind hundreds of chunks of older ones.

Command line, API, ops view and evaluation all come through here, so that they agree.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from include.domain.documents import DocumentKey
from include.ports import Embedder, Hit, Hybrid, IndexReader, IndexStore, Vectors
from include.ranking.arrange import Placed, arrange
from include.ranking.blend import BEST_CHUNKS, WEIGHTS, Weights, blend
from include.ranking.candidates import Candidate, FoundChunk, Leg, candidate_of
from include.ranking.intent import Intent, IntentKind, read_intent
from include.ranking.periods import Period
from include.ranking.recency import HalfLives
from include.ranking.relevance import WORDS, scores_of_legs
from include.ranking.vocabulary import ENGLISH, Vocabulary

LONGEST_CHAIN = 100
"""So many steps a chain of superseded documents is followed to its head."""

WIDER = 4
"""So many times more chunks are brought in when too few documents came of the last ones."""

MOST_CHUNKS = 5_000
"""No more than this, or one question would read the whole index."""

NEWER_CHUNKS = 50
"""So many chunks each leg of a look among newer documents brings in."""

NEWER_LOOKS = 3
"""So many such looks at most; each is among what is newer than the answer that the one before brought."""


@dataclass(frozen=True, slots=True)
class Policy:
    """How this installation ranks. `overfetch` is how many chunks each leg brings in; `threshold` is compared with the
    final score, 0 leaves nothing out; `words` is the share of the words' leg in similarity."""

    overfetch: int = 200
    threshold: float = 0.0
    words: float = WORDS
    half_lives: HalfLives = field(default_factory=HalfLives)
    weights: Mapping[IntentKind, Weights] = field(default_factory=lambda: WEIGHTS)
    vocabulary: Vocabulary = ENGLISH


@dataclass(frozen=True, slots=True)
class Retrieval:
    """One answered question. `placed` accounts for every candidate, those shown first."""

    query: str
    intent: Intent
    asked_at: datetime
    placed: tuple[Placed, ...]

    @property
    def shown(self) -> tuple[Placed, ...]:
        return tuple(each for each in self.placed if each.is_shown)

    @property
    def texts(self) -> list[str]:
        """The texts of the shown documents' chunks, best document first, best chunk first."""
        return [chunk.text for each in self.shown for chunk in each.scored.candidate.chunks]


def retrieve(
    store: IndexStore,
    embedder: Embedder,
    query: str,
    *,
    now: datetime,
    limit: int = 5,
    sources: Sequence[str] = (),
    intent: IntentKind | None = None,
    period: Period | None = None,
    policy: Policy = Policy(),
) -> Retrieval:
    """The best `limit` documents with their best chunks. `intent` and `period` override what the question says.

    One document of many chunks, or many copies of one, must not keep the others out: as long as fewer than `limit`
    documents are left and there is more to find, more is brought in (up to MOST_CHUNKS).

    Raises StoreBusy or StoreUnavailable when the index cannot be read, Retriable when a remote embedder cannot.
    """
    read = read_intent(query, now=now, vocabulary=policy.vocabulary, override=intent, period=period)
    vector = embedder.embed([query])[0]
    chunks = max(policy.overfetch, limit)
    with store.reading() as index:
        asked = _Asked(index, vector, query, tuple(sources), read, now, limit, policy)
        while True:
            searches = [asked.search(chunks)]
            answer = asked.answer(searches)
            # Every chunk has a vector: a dense leg that is shorter than asked for has seen all there is.
            is_everything = len(searches[0].legs["dense"]) < chunks
            if read.kind is IntentKind.LATEST and not is_everything:
                answer = asked.newer_answer(searches, answer)
            is_enough = sum(each.is_shown for each in answer) >= limit
            # What comes later scores lower still.
            is_cut = any(each.scored.score < policy.threshold for each in answer)
            if is_everything or is_enough or is_cut or chunks >= MOST_CHUNKS:
                return Retrieval(query, read, now, tuple(answer))
            chunks = min(chunks * WIDER, MOST_CHUNKS)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question in an open session."""

    index: IndexReader
    vector: Vectors
    query: str
    sources: tuple[str, ...]
    intent: Intent
    now: datetime
    limit: int
    policy: Policy

    def search(self, chunks: int, newer_than: datetime | None = None) -> Hybrid:
        return self.index.hybrid(self.vector, self.query, limit=chunks, sources=self.sources, newer_than=newer_than)

    def answer(self, searches: Sequence[Hybrid]) -> list[Placed]:
        """What these searches found, in one ranking."""
        found = _candidates(searches, self.policy.words)
        found += _heads(self.index, found, self.vector, self.sources)
        ranking = blend(
            found, self.intent, now=self.now, half_lives=self.policy.half_lives, weights=self.policy.weights
        )
        return arrange(ranking, self.intent, limit=self.limit, threshold=self.policy.threshold)

    def newer_answer(self, searches: Sequence[Hybrid], answer: list[Placed]) -> list[Placed]:
        """The answer with what is newer than its first document and may be another edition of it."""
        for _ in range(NEWER_LOOKS):
            newest = _date_of_first(answer)
            newer = self.search(NEWER_CHUNKS, newest) if newest else None
            if newer is None or not newer.fused:
                break
            searches = [*searches, newer]
            answer = self.answer(searches)
            if _date_of_first(answer) == newest:
                break
        return answer


def _date_of_first(answer: Sequence[Placed]) -> datetime | None:
    """None where nothing is shown, or the date of what comes first is unknown."""
    return answer[0].scored.recency_found.date.value if answer and answer[0].is_shown else None


def _candidates(searches: Sequence[Hybrid], words: float) -> list[Candidate]:
    """The newest version of each document that was found, each chunk with the score that its legs make together. A
    reader may see two versions while one replaces the other."""
    legs: dict[str, dict[str, Leg]] = defaultdict(dict)
    hits: dict[str, Hit] = {}
    for number, search in enumerate(searches):
        for name, found in search.legs.items():
            for rank, hit in enumerate(found, start=1):
                # Only the first search was among all: what a later one brings in stands somewhere behind it.
                legs[hit.point_id].setdefault(name, Leg(hit.score, rank if number == 0 else None))
        for hit in search.fused:
            hits.setdefault(hit.point_id, hit)
    scores = scores_of_legs(legs, words)
    return [
        candidate_of(
            version[0].payload,
            [_chunk(hit, legs[hit.point_id], scores.get(hit.point_id, hit.score)) for hit in version],
        )
        for version in _newest_versions(hits.values())
    ]


def _newest_versions(hits: Iterable[Hit]) -> list[list[Hit]]:
    versions: dict[tuple[str, str], dict[str, list[Hit]]] = defaultdict(lambda: defaultdict(list))
    for hit in hits:
        source, doc_id = hit.payload.get("source"), hit.payload.get("doc_id")
        if isinstance(source, str) and source and isinstance(doc_id, str) and doc_id:
            versions[source, doc_id][str(hit.payload.get("fetched_at", ""))].append(hit)
    return [by_fence[max(by_fence)] for by_fence in versions.values()]


def _chunk(hit: Hit, legs: Mapping[str, Leg], score: float) -> FoundChunk:
    index, text = hit.payload.get("chunk_index"), hit.payload.get("text")
    heading = hit.payload.get("heading_path")
    return FoundChunk(
        hit.point_id,
        index if isinstance(index, int) else 0,
        text if isinstance(text, str) else "",
        heading if isinstance(heading, str) else "",
        score,
        legs,
    )


def _heads(index: IndexReader, found: Sequence[Candidate], vector: Vectors, sources: Sequence[str]) -> list[Candidate]:
    """The documents that replaced what was found, and the canonical members of its families: reachable though their
    own wording did not match. They come with their best chunks, at the bottom of the scores."""
    known = {candidate.key for candidate in found}
    wanted: set[DocumentKey] = set()
    links = _links(found)
    for _ in range(LONGEST_CHAIN):
        following = links - known - wanted
        if not following:
            break
        wanted |= following
        links = _links(_described(index.documents(sorted(following))))
    families: dict[str, set[str]] = defaultdict(set)
    for candidate in found:
        if candidate.family:
            families[candidate.key.source].add(candidate.family)
    for source, names in families.items():
        wanted |= {candidate.key for candidate in _described(index.heads(source, sorted(names)))}
    wanted = {key for key in wanted - known if not sources or key.source in sources}
    if not wanted:
        return []
    lowest = min(chunk.fused for candidate in found for chunk in candidate.chunks)
    return _with_chunks(index, wanted, vector, lowest)


def _described(hits: Iterable[Hit]) -> list[Candidate]:
    """What the hits say of their documents, without chunks."""
    return [candidate_of(version[0].payload, ()) for version in _newest_versions(hits)]


def _links(candidates: Iterable[Candidate]) -> set[DocumentKey]:
    return {
        DocumentKey(candidate.key.source, doc_id)
        for candidate in candidates
        for doc_id in candidate.superseded_by
        if doc_id
    }


def _with_chunks(index: IndexReader, keys: set[DocumentKey], vector: Vectors, score: float) -> list[Candidate]:
    by_source: dict[str, list[str]] = defaultdict(list)
    for key in sorted(keys):
        by_source[key.source].append(key.doc_id)
    candidates = []
    for source, doc_ids in by_source.items():
        for doc_id in doc_ids:
            hits = index.search(vector, limit=BEST_CHUNKS, sources=[source], doc_ids=[doc_id])
            for version in _newest_versions(hits):
                candidates.append(candidate_of(version[0].payload, [_chunk(hit, {}, score) for hit in version]))
    return candidates
