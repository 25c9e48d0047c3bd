"""Answer a question from the index: what is current, why, and what was left out. The one way to ask it.

    intent -> embed -> search by meaning and by words, fused by the engine, hidden statuses out of every leg
    -> newest version of each document -> heads of what was found -> blend -> arrange -> explained

Asked for the latest of more than one search brings in, it looks again among what is newer than the answer so far: the
newest edition of a deck may stand behind hundreds of chunks of older ones.

Command line, API, ops view and evaluation all come through here, so that they agree.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from include.domain.documents import DocumentKey
from include.domain.errors import Skippable
from include.ports import Embedder, Hybrid, IndexReader, IndexStore, Vectors
from include.ranking.arrange import Placed, arrange
from include.ranking.blend import WEIGHTS, Weights, blend
from include.ranking.intent import Intent, IntentKind, read_intent
from include.ranking.periods import Period, calendar_period
from include.ranking.recency import HalfLives
from include.ranking.relevance import WORDS
from include.ranking.vocabulary import ENGLISH, Vocabulary
from include.services.finding import candidates_of, lowest_score, outdated, with_chunks, with_heads

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


def check_question(embedder: Embedder, query: str, *, longest: int) -> None:
    """Raises Skippable for a question that is empty or longer than `longest` characters or the embedder takes."""
    if not query.strip():
        raise Skippable("the question is empty")
    if len(query) > longest:
        raise Skippable(
            f"the question has {len(query)} characters, at most {longest} are taken; shorten it, nothing is cut "
            "silently"
        )
    tokens = embedder.count_tokens(query)
    if tokens > embedder.max_tokens:
        raise Skippable(
            f"the question has {tokens} tokens, the embedder takes {embedder.max_tokens}; shorten it, nothing is cut "
            "silently",
            tokens=tokens,
            limit=embedder.max_tokens,
        )


def period_asked_for(as_of: str | None, intent: IntentKind | None, *, now: datetime) -> Period | None:
    """The day, month or year that a caller asks about; None where none is named. Raises Skippable for what is none,
    lies ahead, or does not go with the intent."""
    if as_of is None:
        return None
    if intent not in (None, IntentKind.AS_OF, IntentKind.HISTORY):
        raise Skippable(f"as_of asks for another time, intent {intent} does not; leave one of them out")
    try:
        period = calendar_period(as_of)
    except ValueError as error:
        raise Skippable(f"as_of: {error}") from None
    if period.start > now:
        raise Skippable(f"as_of {as_of} lies ahead; nobody knows yet what will hold then")
    return period


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
                searches, answer = asked.among_newer(searches, answer)
            is_enough = sum(each.is_shown for each in answer) >= limit
            # What comes later scores lower still.
            is_cut = any(each.scored.score < policy.threshold for each in answer)
            if is_everything or is_enough or is_cut or chunks >= MOST_CHUNKS:
                return Retrieval(query, read, now, tuple(asked.of_newest_versions(searches, answer)))
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

    def answer(self, searches: Sequence[Hybrid], renewed: Collection[DocumentKey] = ()) -> list[Placed]:
        """What these searches found, in one ranking. Of the `renewed` documents the newest version stands in it."""
        found = candidates_of(searches, self.policy.words)
        if renewed:
            lowest = lowest_score(found)
            found = [candidate for candidate in found if candidate.key not in renewed]
            found += with_chunks(self.index, renewed, self.vector, lowest)
        found = with_heads(self.index, found, self.vector, self.sources, current=self.intent.kind is IntentKind.LATEST)
        ranking = blend(
            found, self.intent, now=self.now, half_lives=self.policy.half_lives, weights=self.policy.weights
        )
        return arrange(ranking, self.intent, limit=self.limit, threshold=self.policy.threshold)

    def among_newer(self, searches: list[Hybrid], answer: list[Placed]) -> tuple[list[Hybrid], list[Placed]]:
        """Both with what is newer than the first document of the answer and may be another edition of it."""
        for _ in range(NEWER_LOOKS):
            newest = _date_of_first(answer)
            newer = self.search(NEWER_CHUNKS, newest) if newest else None
            if newer is None or not newer.fused:
                break
            searches = [*searches, newer]
            answer = self.answer(searches)
            if _date_of_first(answer) == newest:
                break
        return searches, answer

    def of_newest_versions(self, searches: Sequence[Hybrid], answer: list[Placed]) -> list[Placed]:
        """The answer without outdated versions of documents: nearly always the answer itself."""
        renewed: set[DocumentKey] = set()
        while late := outdated(self.index, (each.scored.candidate for each in answer if each.is_shown)) - renewed:
            renewed |= late
            answer = self.answer(searches, renewed)
        return answer


def _date_of_first(answer: Sequence[Placed]) -> datetime | None:
    """None where nothing is shown, or the date of what comes first is unknown."""
    return answer[0].scored.recency_found.date.value if answer and answer[0].is_shown else None
