"""Question sets as YAML files, and evaluations as JSON files that are committed beside them.

name: example
now: 2026-11-20                          when the questions are asked; left out: the present
at_least: {answer_hit_at_1: 0.95}        bounds; below them the run is red
at_most: {stale_answer_rate: 0}
questions:
  - id: refund-days
    question: How many days do customers have to return a probe?
    intent: plain                        plain, latest, as_of, history: what the person means
    expected: [handbook:support/refunds.md]
    expected_text: ["60 days"]           one of these has to be said
    forbidden: [handbook:support/refunds-2024.md]
    forbidden_text: ["30 days"]          none of these may be
    needs_all: false                     true: all expected documents have to be shown
    as_of: 2025-03-01                    a date that is given beside the question
    sources: [handbook]                  left out: all
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

from include.domain.documents import DocumentKey
from include.domain.errors import ConfigError
from include.ranking.evaluation import Evaluation
from include.ranking.intent import IntentKind
from include.ranking.metrics import METRICS
from include.ranking.questions import Question, QuestionSet
from include.settings import explain

_EVALUATION = TypeAdapter(Evaluation)


def _a_key(value: object) -> object:
    """source:doc_id, the id may hold colons."""
    if not isinstance(value, str):
        return value
    source, colon, doc_id = value.partition(":")
    if not (source and colon and doc_id):
        raise ValueError("a document is named as source:doc_id")
    return DocumentKey(source, doc_id)


def _an_instant(value: object) -> object:
    """A calendar date is its beginning, UTC."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    return value


_Key = Annotated[DocumentKey, BeforeValidator(_a_key)]
_Instant = Annotated[datetime, BeforeValidator(_an_instant)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _QuestionRecord(_Model):
    id: str = Field(min_length=1)
    question: str
    intent: IntentKind
    expected: tuple[_Key, ...] = ()
    expected_text: tuple[str, ...] = ()
    forbidden: tuple[_Key, ...] = ()
    forbidden_text: tuple[str, ...] = ()
    needs_all: bool = False
    as_of: _Instant | None = None
    sources: tuple[str, ...] = ()


class _SetRecord(_Model):
    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]*$", description="part of the names of gauges")
    now: _Instant | None = None
    at_least: dict[str, float] = Field(default_factory=dict)
    at_most: dict[str, float] = Field(default_factory=dict)
    questions: tuple[_QuestionRecord, ...]


def read_question_set(path: Path) -> QuestionSet:
    """Raises ConfigError that names file, key and what is allowed."""
    try:
        record = _SetRecord.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
        if unknown := {*record.at_least, *record.at_most} - set(METRICS):
            raise ValueError(f"unknown metrics {', '.join(sorted(unknown))}; known are {', '.join(METRICS)}")
        questions = tuple(
            Question(
                id=each.id,
                text=each.question,
                intent=each.intent,
                expected=each.expected,
                expected_text=each.expected_text,
                forbidden=each.forbidden,
                forbidden_text=each.forbidden_text,
                needs_all=each.needs_all,
                as_of=each.as_of,
                sources=each.sources,
            )
            for each in record.questions
        )
        return QuestionSet(record.name, questions, record.now, record.at_least, record.at_most)
    except OSError as error:
        raise ConfigError(f"question set {path} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise ConfigError(explain(error, f"question set {path}")) from None
    except (ValueError, yaml.YAMLError) as error:
        raise ConfigError(f"question set {path}: {error}") from error


def evaluations_as_json(evaluations: Sequence[Evaluation]) -> str:
    """One line a question, so that a change of the file shows which answers changed."""
    blocks = []
    for evaluation in evaluations:
        record: dict[str, Any] = _EVALUATION.dump_python(evaluation, mode="json")
        lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in record.pop("outcomes"))
        averages = {name: round(value, 4) for name, value in evaluation.averages.items()}
        head = json.dumps({**record, "averages": averages}, ensure_ascii=False)
        blocks.append(f'{head[:-1]}, "outcomes": [\n{lines}\n]}}')
    return "[\n" + ",\n".join(blocks) + "\n]\n"


def save_evaluations(path: Path, evaluations: Sequence[Evaluation]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(evaluations_as_json(evaluations), encoding="utf-8")


def load_evaluations(path: Path) -> dict[str, Evaluation]:
    """By name of the set. Raises ConfigError where the file is missing or not one of ours."""
    try:
        return evaluations_of(path.read_bytes(), str(path))
    except OSError as error:
        raise ConfigError(f"baseline {path} cannot be read: {error.strerror}") from error


def evaluations_of(data: bytes, place: str) -> dict[str, Evaluation]:
    """By name of the set. Raises ConfigError that names the place."""
    try:
        records = json.loads(data)
        return {record["name"]: _EVALUATION.validate_python(_without_averages(record)) for record in records}
    except (ValueError, KeyError, TypeError) as error:  # ValidationError and JSONDecodeError are ValueErrors
        raise ConfigError(f"{place} is not a saved evaluation: {error}") from error


def _without_averages(record: dict[str, Any]) -> dict[str, Any]:
    """They are there for people and are made again from the outcomes."""
    return {name: value for name, value in record.items() if name != "averages"}
