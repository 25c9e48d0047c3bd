"""What would change, and the release of what is held."""

from __future__ import annotations

import getpass
from dataclasses import asdict
from typing import Annotated

import typer

from include.cli.command import EXIT, Json, Source, app, application, explained, new_run, run_all
from include.domain.manifest import Manifest, RunState
from include.services.judging import prepare
from include.terminal import out, print_plan, progress_bar
from include.wiring import runs
from include.wiring.application import Application
from include.wiring.held_plans import release_held


@app.command()
@explained
def plan(source: Source = "all", json_: Json = False) -> None:
    """Show what a reconciliation would do now, and what the gate says. Changes nothing."""
    application_ = application()
    shown = {}
    for name in runs.chosen_sources(application_, source):
        with application_.context(name) as context, progress_bar(name) as progress:
            judged = prepare(context, progress=progress)
            judged.reading.spool.close()
        shown[name] = judged
    if json_:
        out.print_json(
            data={
                name: {
                    "listed": judged.plan.listed_documents,
                    "indexed": judged.plan.indexed_documents,
                    "allowed": [asdict(change) for change in judged.verdict.allowed],
                    "held": [asdict(change) for change in judged.verdict.held],
                    "holds": [asdict(hold) for hold in judged.verdict.holds],
                    "checksum": judged.verdict.checksum,
                    "unreadable": [asdict(outcome) for outcome in judged.reading.outcomes],
                }
                for name, judged in shown.items()
            }
        )
    else:
        for name, judged in shown.items():
            print_plan(name, judged)
    if any(judged.verdict.held for judged in shown.values()):
        raise typer.Exit(EXIT[RunState.HELD])


@app.command()
@explained
def approve(
    source: Annotated[str, typer.Argument(help="the source whose plan is held")],
    checksum: Annotated[str, typer.Argument(help="the plan, as `truecopy plan` or the alert names it")],
    reason: Annotated[str, typer.Option(help="why; it becomes part of the record")],
    by: Annotated[str, typer.Option(help="who approves")] = "",
    json_: Json = False,
) -> None:
    """Release one held plan, once, and apply it if the plan computed now is exactly the one that was approved."""

    def one(application_: Application, name: str) -> Manifest:
        release_held(application_, name, checksum, by=by or getpass.getuser(), why=reason)
        with progress_bar(name) as progress:
            run = new_run(runs.APPLY_HELD)
            return runs.reconcile_source(application_, name, run, progress=progress, released=True)

    run_all(source, one, json_=json_)
