"""How questions are answered, by whom they may be asked, and how answers are measured."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from include.ranking.recency import HalfLives
from include.ranking.relevance import WORDS
from include.ranking.vocabulary import ENGLISH, Vocabulary
from include.settings.model import Model


class WordSettings(Model):
    """Added to the English lists of `ranking.vocabulary`; `{thing}` stands for a word of `things`."""

    latest: tuple[str, ...] = Field((), description="phrases that ask for what holds now")
    history: tuple[str, ...] = Field((), description="phrases that ask for older versions, or for all")
    things: tuple[str, ...] = Field((), description="names of kinds of documents, singular and plural")

    def vocabulary(self) -> Vocabulary:
        latest, history, things = (tuple(map(str.lower, each)) for each in (self.latest, self.history, self.things))
        return ENGLISH | Vocabulary(latest=latest, history=history, things=frozenset(things))


class RankingSettings(Model):
    overfetch: int = Field(200, ge=10, le=5_000, description="chunks that each leg of a search brings in")
    threshold: float = Field(0.0, ge=0, description="documents with a lower final score are not shown")
    share_of_words: float = Field(
        WORDS, ge=0, le=1, description="of the question's words in similarity; the rest is the meaning's"
    )
    half_life_days: float | None = Field(
        180, gt=0, description="age at which a document counts half as new; null: never"
    )
    half_life_days_of: dict[str, Annotated[float, Field(gt=0)] | None] = Field(
        default_factory=dict, description="the same for single content types"
    )
    words: WordSettings = WordSettings()

    def half_lives(self) -> HalfLives:
        return HalfLives(self.half_life_days, self.half_life_days_of)


class QueryLogSettings(Model):
    """What is kept of each question that the API answers."""

    enabled: bool = Field(True, description="whether questions are recorded at all")
    text: Literal["none", "hash", "plain"] = Field("hash", description="how the text of a question is kept")
    keep_days: int = Field(30, ge=1, le=3650, description="older hours are removed")


class ApiSettings(Model):
    """`truecopy serve`: the retrieval service over HTTP."""

    host: str = Field("127.0.0.1", min_length=1, description="address to listen at")
    port: int = Field(8090, ge=0, le=65_535, description="0: any free one")
    conn_id: str | None = Field(None, description="Airflow Connection whose password lists the keys")
    requests_per_minute: float = Field(300, gt=0, description="of one key, on the long run")
    burst: int = Field(60, ge=1, description="so many requests of one key may come at once")
    timeout_seconds: float = Field(15, gt=0, le=300, description="of one request, its body included")
    at_once: int = Field(16, ge=1, le=256, description="requests that are worked on at a time")
    waiting: int = Field(200, ge=0, le=10_000, description="so many more may wait; others are turned away")
    max_bytes: int = Field(65_536, ge=1024, le=1_048_576, description="largest body that is read")
    longest_query: int = Field(8_000, ge=1, le=100_000, description="characters of a question")
    most_results: int = Field(50, ge=1, le=200, description="largest `limit` of a question")
    cors_origins: tuple[str, ...] = Field((), description="websites whose pages may call; none: no browser may")
    fresh_hours: float | None = Field(26, gt=0, description="not ready when no night has succeeded for longer")
    query_log: QueryLogSettings = QueryLogSettings()


class EvaluationSettings(Model):
    questions: tuple[Path, ...] = Field((), description="files with question sets")
    baseline: Path | None = Field(None, description="the saved evaluation that a run is compared with")
