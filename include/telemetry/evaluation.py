"""Gauges of an evaluation, derived from its outcomes. The set of questions stands where other gauges have a source."""

from __future__ import annotations

from collections.abc import Sequence

from include.domain.manifest import Gauge
from include.ranking.evaluation import Evaluation
from include.ranking.metrics import METRICS

EVALUATION_GAUGES: dict[str, str] = {
    **{f"rag.{name}": meaning for name, meaning in METRICS.items()},
    "rag.evaluated_questions": "questions that were asked",
    "rag.evaluation_red": "reasons why the evaluation is red; 0 is right",
}


def evaluation_gauges(evaluation: Evaluation, red: Sequence[str]) -> list[Gauge]:
    """A metric that applies to no question of the set is left out, never zero."""
    values = {f"rag.{name}": value for name, value in evaluation.averages.items()}
    values |= {"rag.evaluated_questions": float(len(evaluation.outcomes)), "rag.evaluation_red": float(len(red))}
    return [Gauge(name, value, evaluation.name, EVALUATION_GAUGES[name]) for name, value in sorted(values.items())]
