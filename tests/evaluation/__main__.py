"""`make eval`: the example set against its baseline and the naive pipeline, then the shared sets where they are.

    python -m tests.evaluation [--save] [--markdown] [--failures N]

`--save` makes this run the baseline, `--markdown` prints the tables of docs/RETRIEVAL.md. Exit code 1 when red.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from include.ranking.evaluation import Evaluation
from include.ranking.metrics import METRICS, Outcome, averages
from include.records.question_sets import save_evaluations
from include.services.evaluate import evaluate
from include.terminal import print_evaluation
from include.wiring.evaluation import evaluate_sets, question_sets
from tests.evaluation import shared
from tests.evaluation.example import BASELINE, example
from tests.evaluation.shelf import Shelf

PIPELINES = ("naive", "dense", "bm25", "fused", "hybrid", "truecopy")
console = Console(width=150)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--save", action="store_true", help="make this run the baseline of the example set")
    parser.add_argument("--markdown", action="store_true", help="tables as Markdown")
    parser.add_argument("--failures", type=int, default=12, help="failed questions to list of each shared set")
    chosen = parser.parse_args()
    show = _as_markdown if chosen.markdown else _as_table
    red = _example(chosen.save, show)
    if not (shared.DATA / "questions").is_dir():
        console.print(f"shared sets: left out, {shared.ABSENT}")
        return int(red)
    for material in shared.materials():
        by_pipeline = run_shared(material)
        show(material.questions.name, by_pipeline)
        _list_failures(by_pipeline["truecopy"], chosen.failures)
    return int(red)


def run_shared(material: shared.Material) -> dict[str, Evaluation]:
    """Every pipeline on one shared set, in one index."""
    with tempfile.TemporaryDirectory() as folder:
        now = material.questions.now
        assert now is not None
        shelf = Shelf(Path(folder), now)
        shelf.put(material.earlier, material.marks)
        shelf.put(material.documents, material.marks)
        if material.is_resolved:
            shelf.resolve(shared.SOURCE)
        with shelf.open():
            return {
                name: evaluate(material.questions, getattr(shelf, name), asked_at=now, pipeline=shelf.pipeline)
                for name in PIPELINES
            }


def _example(save: bool, show: object) -> bool:
    with tempfile.TemporaryDirectory() as folder, example(Path(folder)) as made:
        (questions,) = question_sets(made.application)
        (judged,) = evaluate_sets(made.application, [questions], progress=lambda *_: None)
        naive = evaluate(questions, made.naive, asked_at=judged.evaluation.asked_at)
    print_evaluation(judged.evaluation, judged.before, judged.red, judged.dropped)
    show("example", {"naive": naive, "truecopy": judged.evaluation})  # type: ignore[operator]
    if save:
        save_evaluations(BASELINE, [judged.evaluation])
        console.print(f"saved as baseline: {BASELINE}")
    return bool(judged.red)


def _rows(by_pipeline: dict[str, Evaluation]) -> Iterable[tuple[str, str, tuple[Outcome, ...]]]:
    """(intent, pipeline, outcomes); the whole set first."""
    for name, evaluation in by_pipeline.items():
        yield "all", name, evaluation.outcomes
    intents = next(iter(by_pipeline.values())).by_intent
    for intent in intents if len(intents) > 1 else ():
        for name, evaluation in by_pipeline.items():
            yield intent, name, evaluation.by_intent[intent]


def _cells(outcomes: tuple[Outcome, ...]) -> list[str]:
    measured = averages(outcomes)
    wrong = sum(not outcome.is_right for outcome in outcomes)
    return [str(len(outcomes)), *(f"{measured[name]:.3f}" if name in measured else "-" for name in METRICS), str(wrong)]


_COLUMNS = ("intent", "pipeline", "questions", "hit@1", "hit@5", "nDCG@5", "MRR", "stale", "latest correct", "errors")


def _as_table(name: str, by_pipeline: dict[str, Evaluation]) -> None:
    table = Table(*_COLUMNS, title=name, title_justify="left")
    for intent, pipeline, outcomes in _rows(by_pipeline):
        table.add_row(intent, pipeline, *_cells(outcomes))
    console.print(table)


def _as_markdown(name: str, by_pipeline: dict[str, Evaluation]) -> None:
    print(f"\n**{name}**\n\n| {' | '.join(_COLUMNS)} |\n|{'---|' * len(_COLUMNS)}")
    for intent, pipeline, outcomes in _rows(by_pipeline):
        print(f"| {' | '.join([intent, pipeline, *_cells(outcomes)])} |")


def _list_failures(evaluation: Evaluation, limit: int) -> None:
    for outcome in evaluation.failures[:limit]:
        stale = f"; outdated: {', '.join(outcome.stale)}" if outcome.stale else ""
        console.print(f"  failed {outcome.question} ({outcome.intent.value}): {outcome.first}{stale}", markup=False)
    if len(evaluation.failures) > limit:
        console.print(f"  … and {len(evaluation.failures) - limit} more")


if __name__ == "__main__":
    sys.exit(main())
