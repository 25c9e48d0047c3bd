"""What goes over the wire: the question as it is checked, and the answers as OpenAPI describes them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from include.domain.documents import Status
from include.ranking.intent import IntentKind

Instant = Annotated[str | None, Field(description="RFC 3339, UTC; null: unknown. As exact as its precision says")]
Origin = Annotated[str, Field(description="the field that the date was read from; empty: none is known")]
TrustIn = Annotated[str, Field(description="high, low, or unknown: do not rely on it; empty: no date is known")]
ExactTo = Annotated[
    str,
    Field(description="year, month, day or instant; the value is the first instant of it. Empty: it is not known"),
]


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Question(_Message):
    """A question to the index."""

    query: str = Field(min_length=1, description="the question, in words")
    limit: int = Field(5, ge=1, description="documents to show at most")
    sources: list[str] = Field(default_factory=list, max_length=100, description="only from these; none: from all")
    intent: IntentKind | None = Field(None, description="what is wanted, whatever the question says")
    as_of: str | None = Field(
        None,
        pattern=r"^\d{4}(-\d{2}){0,2}$",
        description="what held on that day (2024-05-01), or in that month or year; for the intents as_of and history",
    )
    explain: bool = Field(False, description="every candidate, with every part of its score")


class Span(_Message):
    start: str
    end: str


class ReadIntent(_Message):
    """What the question was taken to ask for, and why."""

    kind: IntentKind
    reasons: list[str]
    period: Span | None
    names_edition: bool


class Date(_Message):
    """The date that the document was ranked by, and how far it can be trusted."""

    value: Instant
    origin: str
    trust: str
    age_days: float | None
    precision: ExactTo
    note: str


class ResultChunk(_Message):
    chunk_index: int
    heading_path: str
    text: str


class Cited(_Message):
    """What an answer must say of a document that it quotes."""

    source: str
    doc_id: str
    doc_version: str
    title: str
    url: str
    status: Status
    notice: str = Field(description="what a reader must be told with it; empty: nothing")
    created_at: Instant
    created_at_origin: Origin
    created_at_trust: TrustIn
    created_at_precision: ExactTo
    updated_at: Instant
    updated_at_origin: Origin
    updated_at_trust: TrustIn
    updated_at_precision: ExactTo
    effective_date: Instant
    effective_date_origin: Origin
    effective_date_trust: TrustIn
    effective_date_precision: ExactTo
    expires_at: Instant
    expires_at_origin: Origin
    expires_at_trust: TrustIn
    expires_at_precision: ExactTo
    superseded_by: list[str]
    is_canonical: bool
    is_current: bool
    pinned: bool
    family: str | None


class Result(Cited):
    """A document that is shown, with its best chunks, best first."""

    place: int
    score: float
    date: Date
    chunks: list[ResultChunk]


class Leg(_Message):
    score: float
    rank: int | None = Field(description="from 1; null: found in a look among newer documents, its place is not known")


class CandidateChunk(ResultChunk):
    fused: float
    legs: dict[str, Leg]


class Parts(_Message):
    similarity: float
    recency: float
    canonical: float
    pinned: float
    period: float


class Candidate(Cited):
    """A document that was found, shown or not. `score` is the sum of `parts` unless a note says otherwise."""

    place: int
    shown: bool
    suppressed: str = Field(description="why it is not shown; empty for those that are")
    score: float
    parts: Parts
    notes: list[str]
    date: Date
    chunks: list[CandidateChunk]


class Answer(_Message):
    retrieval_id: str = Field(description="under which the query log knows this answer")
    asked_at: str
    intent: ReadIntent
    results: list[Result]
    candidates: list[Candidate] | None = Field(None, description="with explain: all of them, those shown first")


class DocumentChunk(_Message):
    chunk_index: int
    text: str


class Document(Cited):
    """The version of a document that readers see now."""

    content_type: str
    lang: str | None
    fetched_at: str
    family_version: str | None
    supersedes: list[str]
    chunk_count: int
    chunks: list[DocumentChunk]


class Alive(_Message):
    status: Literal["alive"]


class Check(_Message):
    name: str
    ok: bool
    reason: str = Field("", description="what is wrong; details only with a key")


class Ready(_Message):
    ready: bool
    checks: list[Check]


class ProblemDetails(_Message):
    """RFC 9457."""

    type: str
    title: str
    status: int
    detail: str
