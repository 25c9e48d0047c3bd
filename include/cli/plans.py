"""What would change, and the release of what is held."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Annotated

import typer
from rich.markup import escape

from include.cli.command import EXIT, Json, Reason, Source, app, application, explained, new_run, run_all, speaker
from include.domain.manifest import Manifest, RunState
from include.domain.plan import Action, HeldPlan, PlanKind
from include.services.judging import prepare
from include.terminal import out, print_plan, progress_bar
from include.wiring import runs
from include.wiring.application import Application
from include.wiring.held_plans import apply_held, open_plans, reject_held, release_held

HeldSource = Annotated[str, typer.Argument(help="the source whose plan is held")]
Checksum = Annotated[str, typer.Argument(help="the plan, as `truecopy plan` or the alert names it")]


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
    waiting = {
        name: [each for each in open_plans(application_, name) if each.kind is not PlanKind.CONTENT] for name in shown
    }
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
                    "drifted": {
                        doc_id: document.drift
                        for doc_id, document in sorted(judged.inventory.documents.items())
                        if document.drift
                    },
                    "unreadable": [asdict(outcome) for outcome in judged.reading.outcomes],
                    **{f"{kind}_held": "" for kind in _LOOK_AT},
                    **{f"{each.kind}_held": each.checksum for each in waiting[name]},
                }
                for name, judged in shown.items()
            }
        )
    else:
        for name, judged in shown.items():
            print_plan(name, judged)
            for each in waiting[name]:
                _print_waiting(each)
    if any(judged.verdict.held or waiting[name] for name, judged in shown.items()):
        raise typer.Exit(EXIT[RunState.HELD])


_LOOK_AT = {PlanKind.FAMILIES: "resolve", PlanKind.STAGING: "detect", PlanKind.DISPOSITIONS: "apply-dispositions"}
"""The commands that show what a held plan is about."""


def _print_waiting(plan: HeldPlan) -> None:
    """What waits for a person, as it stands in the ledger."""
    actions = Counter(change.action for change in plan.changes)
    marked, superseded = len(plan.changes), actions[Action.RETIRE]
    does = {
        PlanKind.FAMILIES: f"{marked} documents to be marked, {superseded} of them as superseded",
        PlanKind.STAGING: f"{actions[Action.STAGE]} documents to be hidden until somebody has looked",
        PlanKind.DISPOSITIONS: f"{marked} documents to be purged or archived, as people decided one by one",
    }
    out.print(
        f"[red]{plan.source}: {plan.kind} held (plan {plan.checksum}) since {plan.first_held_at[:16]}: "
        f"{does[plan.kind]}[/]",
        soft_wrap=True,
    )
    for hold in plan.holds:
        out.print(f"[red]{escape(hold.message)}[/]")
    out.print(
        f"  next: truecopy {_LOOK_AT[plan.kind]} {plan.source}, then truecopy approve {plan.source} {plan.checksum} "
        "--reason …",
        soft_wrap=True,
    )


@app.command()
@explained
def approve(
    source: HeldSource,
    checksum: Checksum,
    reason: Reason,
    by: Annotated[str, typer.Option(help="who approves")] = "",
    json_: Json = False,
) -> None:
    """Release one held plan, once, and apply it if the plan computed now is exactly the one that was approved."""

    def one(application_: Application, name: str) -> Manifest:
        release_held(application_, name, checksum, by=speaker(by), why=reason)
        with progress_bar(name) as progress:
            return apply_held(application_, name, checksum, new_run(runs.APPLY_HELD), progress=progress)

    run_all(source, one, json_=json_)


@app.command()
@explained
def reject(
    source: HeldSource,
    checksum: Checksum,
    reason: Annotated[str, typer.Option(help="why not; it becomes part of the record")],
    by: Annotated[str, typer.Option(help="who declines")] = "",
) -> None:
    """Decline one held plan. It stays held, nobody is asked about it again, and an unused approval is taken back."""
    application_ = application()
    (name,) = runs.chosen_sources(application_, source)
    reject_held(application_, name, checksum, by=speaker(by), why=reason)
    out.print(
        f"{name}: plan {checksum} is declined and stays held; a source that asks for something else is a new plan"
    )
