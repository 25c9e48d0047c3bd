"""One installation: its sources and all that they share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, field_validator, model_validator

from include.planning.limits import Limits
from include.settings.answers import ApiSettings, EvaluationSettings, RankingSettings
from include.settings.judging import FamilySettings, ReviewSettings, StalenessSettings
from include.settings.model import Model
from include.settings.sources import LimitSettings, SourceSettings

SOURCE_NAME = r"^[a-z0-9][a-z0-9_-]{0,40}$"
"""Source names become file, metric and asset names, so they are kept plain."""


class StoreSettings(Model):
    url: str = Field("edge:./state/index", description="edge:<folder>, http(s)://host:port, local:<folder> or :memory:")
    alias: str = Field("truecopy", pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$", description="the only name readers use")
    conn_id: str | None = Field(None, description="Airflow Connection whose password is the server's API key")
    timeout_seconds: float = Field(60, gt=0, description="of one request to a server")
    lock_timeout_seconds: float = Field(300, gt=0, description="how long to wait for another process (embedded engine)")


class EmbeddingSettings(Model):
    kind: str = Field("static", description="static, fastembed or http")
    conn_id: str | None = Field(None, description="Airflow Connection whose password is the provider's API key")
    options: dict[str, Any] = Field(default_factory=dict, description="options of that kind")


class ErasureSettings(Model):
    """What an erasure looks into besides what truecopy itself writes."""

    airflow_database: str = Field(
        "", description="SQLAlchemy URL of Airflow's metadata database; empty: the one of this environment"
    )
    search: tuple[Path, ...] = Field((), description="further folders that are searched for traces, and never changed")


class NotifierSettings(Model):
    notifier: str = Field(description="import path of an Airflow notifier class")
    options: dict[str, Any] = Field(default_factory=dict, description="its arguments; {message} is filled in")
    message_key: str = Field(description="the argument that takes the text of the alert")


class Settings(Model):
    sources: dict[Annotated[str, Field(pattern=SOURCE_NAME)], SourceSettings] = Field(min_length=1)
    store: StoreSettings = StoreSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    limits: LimitSettings = LimitSettings()
    ranking: RankingSettings = RankingSettings()
    families: FamilySettings = FamilySettings()
    staleness: StalenessSettings = StalenessSettings()
    review: ReviewSettings = ReviewSettings()
    evaluation: EvaluationSettings = EvaluationSettings()
    erasure: ErasureSettings = ErasureSettings()
    api: ApiSettings = ApiSettings()
    chunk_tokens: int = Field(256, ge=32, description="longest chunk in the embedder's tokens; its own limit wins")
    batch_documents: int = Field(200, ge=1, le=2000, description="documents per write session")
    removal_questions: int = Field(200, ge=1, description="removals of a run that the source is asked for one by one")
    release_hours: float = Field(72, gt=0, description="an approval that is not used by then has expired")
    alerts: tuple[NotifierSettings, ...] = Field((), description="where alerts go besides log and manifest")
    state: str = Field("./state", description="state root, a folder or any fsspec URL")
    ledger: Path = Field(Path("./state/ledger"), description="git repository of people's decisions")
    cache: Path = Field(Path("./state/cache"), description="local folder of what can be fetched again")

    @field_validator("ledger", "cache", mode="before")
    @classmethod
    def _is_a_folder(cls, value: object) -> object:
        if isinstance(value, str) and "://" in value:
            raise ValueError("must be a folder of a mounted file system; of these only `state` may be a URL")
        return value

    @model_validator(mode="after")
    def _sources_are_told_apart(self) -> Settings:
        slugs: dict[str, str] = {}
        for name in self.sources:
            slug = name.replace("-", "_")
            if slug in slugs:
                raise ValueError(f"sources {slugs[slug]!r} and {name!r} would share one metric name; rename one")
            slugs[slug] = name
        return self

    def limits_of(self, source: str) -> Limits:
        return (self.sources[source].limits or self.limits).limits()
