"""An installation's question sets: asked, judged against the baseline, kept on the state root."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, timedelta
from pathlib import Path
from typing import Any

from include.domain.errors import ConfigError
from include.domain.manifest import Gauge
from include.ports import IndexStore
from include.ranking.evaluation import Evaluation, dropped, regressions
from include.ranking.metrics import DEPTH, Answer
from include.ranking.periods import Period
from include.ranking.questions import Question, QuestionSet
from include.records.question_sets import (
    evaluations_as_json,
    evaluations_of,
    load_evaluations,
    read_question_set,
)
from include.services.evaluate import answer_of, evaluate
from include.services.reading import Progress
from include.services.step_zero import every_version, recorded
from include.store.edge import EdgeStore
from include.store.shared import SharedReading
from include.telemetry.evaluation import evaluation_gauges
from include.wiring.application import Application
from include.wiring.runs import log_progress

log = logging.getLogger(__name__)

EVALUATE = "evaluate_retrieval"

_LAST = "evaluations/last"
"""Names the file of the evaluation that was kept last."""

STEP_ZERO_TOP = 1_000


@dataclass(frozen=True, slots=True)
class Judged:
    """One question set, asked. `before` is the baseline's; `red` says why the run is red, empty when it is not."""

    evaluation: Evaluation
    before: Evaluation | None
    red: tuple[str, ...]
    dropped: tuple[str, ...]


def question_sets(application: Application, files: Sequence[Path] = ()) -> list[QuestionSet]:
    """The named files, else the configured ones. Raises ConfigError, also for none at all."""
    chosen = [*files] or [*application.settings.evaluation.questions]
    if not chosen:
        raise ConfigError("no question set: name a file, or set evaluation.questions", file=application.file)
    sets = [read_question_set(path) for path in chosen]
    names = [each.name for each in sets]
    if len(set(names)) < len(names):
        raise ConfigError(f"two question sets have one name; the names are {', '.join(names)}")
    return sets


def evaluate_sets(
    application: Application,
    sets: Sequence[QuestionSet],
    *,
    baseline: Path | None = None,
    progress: Progress = log_progress,
) -> list[Judged]:
    """Ask every question of the index as it is. `baseline` replaces the configured one; None of both: only new stale
    answers and bounds of the sets can make a set red."""
    path = baseline or application.settings.evaluation.baseline
    earlier = load_evaluations(path) if path else {}
    judged = []
    with one_session(application) as store:
        for questions in sets:
            now = questions.now or application.clock.now()

            def ask(question: Question, now: Any = now) -> Answer:
                moment = question.as_of
                day = Period(moment, moment + timedelta(days=1), f"{moment:%Y-%m-%d}") if moment else None
                found = application.retrieve(
                    question.text, limit=DEPTH, sources=question.sources, period=day, store=store, now=now
                )
                return answer_of(found)

            after = evaluate(questions, ask, asked_at=now, pipeline=application.pipeline, progress=progress)
            before = earlier.get(questions.name)
            gone = tuple(dropped(after, before)) if before else ()
            judged.append(Judged(after, before, tuple(regressions(after, before)), gone))
    return judged


def keep(application: Application, run_id: str, judged: Sequence[Judged]) -> str:
    """Save a run below `evaluations/` on the state root; returns where."""
    safe = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in run_id)
    path = f"evaluations/{safe}.json"
    application.state.write(path, evaluations_as_json([each.evaluation for each in judged]).encode())
    application.state.write(_LAST, path.encode())
    return path


def gauges_of_evaluation(judged: Sequence[Judged]) -> list[Gauge]:
    return [gauge for each in judged for gauge in evaluation_gauges(each.evaluation, each.red)]


def gauges_of_last_evaluation(application: Application) -> list[Gauge]:
    """The gauges of the evaluation that was kept last; none where none ever was. Raises ConfigError where it or the
    baseline cannot be read."""
    try:
        path = application.state.read(_LAST).decode()
        data = application.state.read(path)
    except FileNotFoundError:
        return []
    earlier = _baseline(application)
    kept = evaluations_of(data, path)
    return [
        each
        for after in kept.values()
        for each in evaluation_gauges(after, regressions(after, earlier.get(after.name)))
    ]


def _baseline(application: Application) -> dict[str, Evaluation]:
    baseline = application.settings.evaluation.baseline
    return load_evaluations(baseline) if baseline else {}


def why_red(application: Application, path: str) -> list[str]:
    """What a kept evaluation is red for, against the baseline of the settings."""
    earlier = _baseline(application)
    kept = evaluations_of(application.state.read(path), path)
    return [reason for after in kept.values() for reason in regressions(after, earlier.get(after.name))]


def step_zero(
    application: Application, query: str, *, top: int = STEP_ZERO_TOP, sources: Sequence[str] = ()
) -> tuple[dict[str, Any], str]:
    """(where every version stands for a question with nothing left out, where that is saved)."""
    now = application.clock.now()
    with one_session(application) as store:
        retrieval = application.retrieve(query, sources=sources, store=store, now=now, nothing_left_out=top)
        versions = every_version(store, application.embedder, retrieval, top=top, sources=sources)
    record = recorded(retrieval, versions, top=top, asked_at=now)
    path = f"baselines/{now.astimezone(UTC):%Y-%m-%dT%H%M%S.%f}.json"
    application.state.write(path, json.dumps(record, ensure_ascii=False, indent=1).encode())
    return record, path


@contextmanager
def one_session(application: Application) -> Iterator[IndexStore]:
    """To open the embedded index for each question would cost more than to ask it."""
    store = application.store
    if not isinstance(store, EdgeStore):
        yield store
        return
    shared = SharedReading(store, wait_seconds=application.settings.store.lock_timeout_seconds)
    try:
        yield shared
    finally:
        shared.close()
