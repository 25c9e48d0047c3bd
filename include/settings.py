"""The settings, validated on load. An error names file, key, value and what is allowed.

`config/truecopy.yaml` may use `${NAME}` and `${NAME:-default}`; they are replaced from the environment passed in.
Credentials never live in the file: sources and the store name an Airflow Connection (`conn_id`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import jmespath
import yaml
from jmespath.exceptions import JMESPathError
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from include.domain.errors import ConfigError
from include.domain.redaction import shown_value
from include.families.grouping import Needed
from include.planning.limits import Limits
from include.ranking.recency import HalfLives
from include.ranking.relevance import WORDS
from include.ranking.vocabulary import ENGLISH, Vocabulary
from include.staleness.ageing import Ageing
from include.staleness.usage import Enough

SOURCE_NAME = r"^[a-z0-9][a-z0-9_-]{0,40}$"
"""Source names become file, metric and asset names, so they are kept plain."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class StoreSettings(_Model):
    url: str = Field("edge:./state/index", description="edge:<folder>, http(s)://host:port, local:<folder> or :memory:")
    alias: str = Field("truecopy", pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$", description="the only name readers use")
    conn_id: str | None = Field(None, description="Airflow Connection whose password is the server's API key")
    timeout_seconds: float = Field(60, gt=0, description="of one request to a server")
    lock_timeout_seconds: float = Field(300, gt=0, description="how long to wait for another process (embedded engine)")


class EmbeddingSettings(_Model):
    kind: str = Field("static", description="static, fastembed or http")
    conn_id: str | None = Field(None, description="Airflow Connection whose password is the provider's API key")
    options: dict[str, Any] = Field(default_factory=dict, description="options of that kind")


class LimitSettings(_Model):
    deletion_percent: float = Field(10, ge=0, le=100, description="more deletions of a source in one run are held")
    window_percent: float = Field(25, ge=0, le=100, description="more deletions within the window are held")
    window_days: int = Field(7, ge=1, le=90, description="length of the sliding window")
    update_percent: float = Field(25, gt=0, le=100, description="more rewritten documents in one run are held")
    update_allowance: int = Field(10, ge=0, description="so many rewritten documents are never a mass update")
    same_text_percent: float = Field(10, gt=0, le=100, description="more documents turning into one text are held")
    same_text_minimum: int = Field(3, ge=2, description="so many documents at least make one text suspicious")

    def limits(self) -> Limits:
        return Limits(**self.model_dump())


class HmacSettings(_Model):
    """A signature that none of the named schemes knows: how the sender writes it, and over what."""

    header: str = Field(pattern=r"^[A-Za-z0-9-]+$", description="header that carries the signature")
    algorithm: Literal["sha256", "sha512", "sha1"] = "sha256"
    encoding: Literal["hex", "base64"] = "hex"
    prefix: str = Field("", description="what stands before the signature in its header, for example sha256=")
    field: str = Field("", description="name of the signature, where the header is a list of name=value")
    signed: str = Field("{body}", description="the signed text, of {body}, {timestamp} and {id}")
    timestamp_header: str = Field("", description="header with the instant of signing")
    timestamp_field: str = Field("", description="its name, where it is in the list of the signature's header")
    timestamp_unit: Literal["seconds", "milliseconds", "rfc3339"] = "seconds"
    id_header: str = Field("", description="header with the delivery's id")

    @model_validator(mode="after")
    def _only_what_is_signed_counts(self) -> HmacSettings:
        places = re.findall(r"\{(\w*)\}", self.signed)
        if "body" not in places or set(places) - {"body", "timestamp", "id"}:
            raise ValueError("signed: must contain {body}, and besides only {timestamp} and {id}")
        if self.timestamp_header and self.timestamp_field:
            raise ValueError("timestamp_header or timestamp_field, not both")
        if self.timestamp_field and not self.field:
            raise ValueError("timestamp_field: only in a header that is a list; `field` names the signature there")
        for place, given in (
            ("timestamp", self.timestamp_header or self.timestamp_field),
            ("id", self.id_header),
        ):
            if (place in places) is not bool(given):
                raise ValueError(
                    f"{place}: must be named by an option and be part of `signed`, or neither; what is not signed "
                    "can be changed by anybody"
                )
        return self


class WebhookSettings(_Model):
    """How a source tells us that something changed: `POST /truecopy/hooks/<source>`."""

    scheme: Literal["standard", "github", "ghost", "contentful", "strapi", "zendesk", "hmac"]
    conn_id: str = Field(min_length=1, description="Airflow Connection whose password is the shared secret")
    documents: tuple[str, ...] | None = Field(
        None, description="JMESPath expressions of the ids in the payload; none: look at the whole source"
    )
    tolerance_seconds: int = Field(300, ge=10, le=3600, description="how old, or ahead, a signed instant may be")
    max_bytes: int = Field(1_048_576, ge=1024, le=26_214_400, description="largest body that is read")
    coalesce_seconds: float = Field(5, ge=0, le=300, description="events of so long are answered by one look")
    settle_seconds: float = Field(60, ge=0, le=3600, description="a look that found nothing is repeated after this")
    path: str = Field("", description="contentful: path of the address that is called, where a proxy changes it")
    header: str = Field("Authorization", pattern=r"^[A-Za-z0-9-]+$", description="strapi: header with the secret")
    hmac: HmacSettings | None = Field(None, description="scheme hmac: how the signature is written")

    @field_validator("documents")
    @classmethod
    def _are_expressions(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for expression in value or ():
            try:
                jmespath.compile(expression)
            except JMESPathError as error:
                raise ValueError(f"{expression!r} is not a JMESPath expression: {error}") from None
        return value

    @model_validator(mode="after")
    def _fits_its_scheme(self) -> WebhookSettings:
        if (self.scheme == "hmac") is not (self.hmac is not None):
            raise ValueError("scheme hmac needs the options `hmac`, and no other scheme has them")
        return self


class PurgeSettings(_Model):
    """What approve-purge does to the documents of a source."""

    commit: bool = Field(
        True, description="git: whether it is a commit in the repository; false: they are kept out of the index only"
    )
    push: bool = Field(False, description="git: whether the branch with the commit is pushed to the repository")
    author: str = Field(
        "truecopy <truecopy@localhost>",
        pattern=r"^[^<>\n]+ <[^<>\s]+>$",
        description="git: who commits, Name <address>",
    )

    def author_parts(self) -> tuple[str, str]:
        name, _, address = self.author.partition(" <")
        return name.strip(), address.removesuffix(">")


class SourceSettings(_Model):
    kind: str = Field(description="connector: git_markdown or http_json")
    conn_id: str | None = Field(None, description="Airflow Connection with the source's credentials")
    options: dict[str, Any] = Field(default_factory=dict, description="options of the connector")
    limits: LimitSettings | None = Field(None, description="overrides the installation's limits, whole")
    webhook: WebhookSettings | None = Field(None, description="how the source's events are verified; none: no door")
    purge: PurgeSettings = PurgeSettings()
    links_are_complete: bool = Field(
        False, description="all links between its documents are in their texts, so one that none leads to is an orphan"
    )


class WordSettings(_Model):
    """Added to the English lists of `ranking.vocabulary`; `{thing}` stands for a word of `things`."""

    latest: tuple[str, ...] = Field((), description="phrases that ask for what holds now")
    history: tuple[str, ...] = Field((), description="phrases that ask for older versions, or for all")
    things: tuple[str, ...] = Field((), description="names of kinds of documents, singular and plural")

    def vocabulary(self) -> Vocabulary:
        latest, history, things = (tuple(map(str.lower, each)) for each in (self.latest, self.history, self.things))
        return ENGLISH | Vocabulary(latest=latest, history=history, things=frozenset(things))


class RankingSettings(_Model):
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


class QueryLogSettings(_Model):
    """What is kept of each question that the API answers."""

    enabled: bool = Field(True, description="whether questions are recorded at all")
    text: Literal["none", "hash", "plain"] = Field("hash", description="how the text of a question is kept")
    keep_days: int = Field(30, ge=1, le=3650, description="older hours are removed")


class ApiSettings(_Model):
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


class StalenessSettings(_Model):
    """What the detector takes for out of date."""

    never: tuple[str, ...] = Field(("fact",), description="content types that never grow old and are never candidates")
    review_days: int | None = Field(None, ge=1, description="age at which a document should be looked at; null: never")
    review_days_of: dict[str, Annotated[int, Field(ge=1)]] = Field(
        default_factory=dict, description="the same for single content types"
    )
    compare_texts: bool = Field(True, description="whether all texts of a source are compared for near duplicates")
    unseen_days: int = Field(90, ge=1, le=3650, description="not shown for so long counts as a sign …")
    unseen_questions: int = Field(1000, ge=1, description="… where so many questions at least were asked meanwhile")

    @model_validator(mode="after")
    def _no_type_is_both(self) -> StalenessSettings:
        if both := {name.casefold() for name in self.never} & {name.casefold() for name in self.review_days_of}:
            raise ValueError(f"review_days_of and never: {', '.join(sorted(both))} is in both; take it out of one")
        return self

    def ageing(self) -> Ageing:
        days = {name.casefold(): days for name, days in self.review_days_of.items()}
        return Ageing(frozenset(name.casefold() for name in self.never), days, self.review_days)

    def enough(self) -> Enough:
        return Enough(days=self.unseen_days, questions=self.unseen_questions)


class ReviewSettings(_Model):
    """What is done with decisions of the review queue."""

    apply_daily: bool = Field(
        False, description="whether the daily run carries out what was decided; otherwise it says what waits"
    )


class FamilySettings(_Model):
    """How much alike texts have to be for a family that their names propose: cosines, by the bundled embedder."""

    alike_revisions: float = Field(0.6, ge=-1, le=1, description="versions in file names and titles")
    alike_folders: float = Field(0.4, ge=-1, le=1, description="the same page in trees of versions")
    alike_periods: float = Field(0.25, ge=-1, le=1, description="each true for its own time: minutes, annual reports")

    def needed(self) -> Needed:
        return Needed(self.alike_revisions, self.alike_folders, self.alike_periods)


class EvaluationSettings(_Model):
    questions: tuple[Path, ...] = Field((), description="files with question sets")
    baseline: Path | None = Field(None, description="the saved evaluation that a run is compared with")


class ErasureSettings(_Model):
    """What an erasure looks into besides what truecopy itself writes."""

    airflow_database: str = Field(
        "", description="SQLAlchemy URL of Airflow's metadata database; empty: the one of this environment"
    )
    search: tuple[Path, ...] = Field((), description="further folders that are searched for traces, and never changed")


class NotifierSettings(_Model):
    notifier: str = Field(description="import path of an Airflow notifier class")
    options: dict[str, Any] = Field(default_factory=dict, description="its arguments; {message} is filled in")
    message_key: str = Field(description="the argument that takes the text of the alert")


class Settings(_Model):
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


_VARIABLE = re.compile(r"\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}")


def load_settings(path: Path, environment: Mapping[str, str]) -> Settings:
    """Read and validate a settings file.

    `TRUECOPY_STATE`, `TRUECOPY_LEDGER` and `TRUECOPY_CACHE` of the environment win over the file; relative folders
    are taken from the current directory. Raises ConfigError.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}); set TRUECOPY_CONFIG to your settings") from error
    try:
        raw = yaml.safe_load(_filled_in(text, path, environment))
    except yaml.YAMLError as error:
        # Without the excerpt of the file that belongs to the message: the line may hold a credential.
        at = getattr(error, "problem_mark", None)
        line = f" in line {at.line + 1}, column {at.column + 1}" if at else ""
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable"
        raise ConfigError(f"{path}: not valid YAML{line}: {problem}") from None
    if not isinstance(raw, dict):
        raise ConfigError(f"{path}: expected a mapping with a `sources` key, found {type(raw).__name__}")
    for key in ("state", "ledger", "cache"):
        if environment.get(variable := f"TRUECOPY_{key.upper()}"):
            raw[key] = environment[variable]
    try:
        return Settings.model_validate(raw)
    except ValidationError as error:
        raise ConfigError(explain(error, str(path))) from None  # its own text repeats every input


def explain(error: ValidationError, place: str) -> str:
    """A validation error as sentences: place, key, value unless it may be a secret, what is allowed."""
    lines = []
    for each in error.errors(include_url=False):
        key = ".".join(str(part) for part in each["loc"]) or "(top level)"
        # Where no value belongs, a credential that lost its way is as likely as anything.
        hidden = each["type"] in ("missing", "extra_forbidden")
        value = None if hidden else shown_value(key, each["input"])
        lines.append(f"{place}: {key}{f' = {value}' if value else ''}: {each['msg']}")
    return "\n".join(lines)


def _filled_in(text: str, path: Path, environment: Mapping[str, str]) -> str:
    def value(match: re.Match[str]) -> str:
        found = environment.get(match["name"]) or match["default"]
        if found is None:
            raise ConfigError(
                f"{path}: ${{{match['name']}}} is not set in the environment and has no default; "
                f"set it, or write ${{{match['name']}:-value}}"
            )
        return found

    # Comments may mention variables that nobody sets.
    return "\n".join(
        line if line.lstrip().startswith("#") else _VARIABLE.sub(value, line) for line in text.splitlines()
    )
