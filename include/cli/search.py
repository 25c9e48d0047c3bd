"""Questions to the index, and how well it answers."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from include.cli.command import Json, app, application, explained
from include.ranking.explain import explained as explained_candidates
from include.ranking.explain import explained_intent
from include.ranking.intent import IntentKind
from include.ranking.metrics import averages
from include.records.question_sets import save_evaluations
from include.terminal import out, print_evaluation, print_explanation, print_retrieval, print_step_zero, progress_bar
from include.wiring import evaluation, runs


@app.command()
@explained
def search(
    query: Annotated[str, typer.Argument(help="a question")],
    source: Annotated[str, typer.Option(help="a source, or all")] = "all",
    limit: Annotated[int, typer.Option(min=1, max=200, help="documents to show")] = 5,
    intent: Annotated[IntentKind | None, typer.Option(help="what is wanted, whatever the question says")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="every candidate, with every part of its score")] = False,
    json_: Json = False,
) -> None:
    """Answer a question from the index: the documents that hold, with version, address and date."""
    application_ = application()
    sources = runs.chosen_sources(application_, source)
    retrieval = application_.retrieve(query, limit=limit, sources=sources, intent=intent)
    if json_:
        placed = retrieval.placed if explain else retrieval.shown
        out.print_json(data={"intent": explained_intent(retrieval.intent), "candidates": explained_candidates(placed)})
    elif explain:
        print_explanation(retrieval)
    else:
        print_retrieval(retrieval)


@app.command()
@explained
def evaluate(
    questions: Annotated[list[Path] | None, typer.Argument(help="question sets; default: of the settings")] = None,
    against: Annotated[Path | None, typer.Option(help="a saved run to compare with; default: of the settings")] = None,
    save: Annotated[Path | None, typer.Option(help="write this run to a file: the next baseline")] = None,
    json_: Json = False,
) -> None:
    """Ask questions with known answers. Red when a stale answer appears or a metric falls by more than its noise."""
    application_ = application()
    with progress_bar("questions") as progress:
        sets = evaluation.question_sets(application_, questions or ())
        judged = evaluation.evaluate_sets(application_, sets, baseline=against, progress=progress)
    if save:
        save_evaluations(save, [each.evaluation for each in judged])
    if json_:
        out.print_json(
            data=[
                {
                    "set": each.evaluation.name,
                    "metrics": each.evaluation.averages,
                    "before": each.before.averages if each.before else None,
                    "by_intent": {name: averages(group) for name, group in each.evaluation.by_intent.items()},
                    "failures": [asdict(outcome) for outcome in each.evaluation.failures],
                    "dropped": list(each.dropped),
                    "red": list(each.red),
                }
                for each in judged
            ]
        )
    else:
        for each in judged:
            print_evaluation(each.evaluation, each.before, each.red, each.dropped)
    if any(each.red for each in judged):
        raise typer.Exit(1)


@app.command()
@explained
def baseline(
    query: Annotated[str, typer.Argument(help="the question whose answer is wrong")],
    top: Annotated[int, typer.Option(min=1, max=10_000, help="chunks that each leg brings in")] = 1_000,
    source: Annotated[str, typer.Option(help="a source, or all")] = "all",
    json_: Json = False,
) -> None:
    """Step 0: the same question with nothing left out. Where every version stands, hidden ones too; saved."""
    application_ = application()
    sources = runs.chosen_sources(application_, source)
    record, path = evaluation.step_zero(application_, query, top=top, sources=sources)
    if json_:
        out.print_json(data={**record, "saved": path})
    else:
        print_step_zero(record, path)
