"""What people decided about candidates: shown, and carried out."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from include.cli.command import EXIT, Json, Source, app, application, explained, new_run, run_all
from include.domain.manifest import DocumentState, Manifest, RunState
from include.planning.dispositions import Following, Step
from include.services.apply_dispositions import APPLY
from include.services.judging_dispositions import PlannedDispositions
from include.terminal import out, progress_bar
from include.wiring import dispositions as wiring
from include.wiring import runs
from include.wiring.application import Application


@app.command("apply-dispositions")
@explained
def apply_dispositions(
    source: Source = "all",
    apply: Annotated[
        bool, typer.Option("--apply", help="carry out what was decided; without it nothing is changed")
    ] = False,
    json_: Json = False,
) -> None:
    """Show what follows from the decisions of the review queue; with --apply carry it out: documents purged, archived,
    linked, kept or left alone, as people decided. What no longer holds goes back to open."""

    def one(application_: Application, name: str) -> Manifest:
        with progress_bar(name) as progress:
            manifest = wiring.apply_decisions(application_, name, new_run(APPLY), progress=progress)
        if not json_:
            _print_done(manifest)
        return manifest

    if apply:
        run_all(source, one, json_=json_)
    application_ = application()
    looked = [
        (name, *wiring.look_at_decisions(application_, name, new_run(APPLY)))
        for name in runs.chosen_sources(application_, source)
    ]
    if json_:
        out.print_json(data=[_record(manifest, planned) for _, manifest, planned in looked])
    else:
        for name, manifest, planned in looked:
            _print(name, manifest, planned)
    if any(planned.verdict.held for _, _, planned in looked):
        raise typer.Exit(EXIT[RunState.HELD])


def _record(manifest: Manifest, planned: PlannedDispositions) -> dict[str, Any]:
    held = {each.doc_id for each in planned.verdict.held}
    return {
        **runs.summary(manifest),
        "steps": [{**_step_record(each), "held": each.doc_id in held} for each in planned.plan.steps],
        "checksum": planned.verdict.checksum,
        "unreadable": [str(each) for each in planned.queue.unreadable],
    }


def _step_record(each: Following) -> dict[str, Any]:
    decision = asdict(each.item.decision) if each.item and each.item.decision else None
    return {"doc_id": each.doc_id, "step": each.step.value, "decision": decision, "why": each.why, "told": each.told}


def _print(name: str, manifest: Manifest, planned: PlannedDispositions) -> None:
    steps = planned.plan.steps
    waiting = [each for each in steps if each.step is Step.WAIT]
    out.print(
        f"[bold]{name}[/]: {len(steps) - len(waiting)} decisions to carry out, {len(planned.plan.taken_away)} of them "
        f"take a document away; {len(waiting)} wait for their source"
    )
    if steps:
        table = Table("document", "becomes", "decided")
        table.columns[0].overflow = "fold"
        for each in steps:
            table.add_row(escape(each.doc_id), each.step.value, escape(each.words))
        out.print(table)
    for each in waiting:
        if each.item and each.item.applied:
            out.print(f"  {escape(each.doc_id)}: {escape(each.item.applied.detail)}", soft_wrap=True)
    for spoilt in planned.queue.unreadable:
        out.print(f"  [red]{escape(str(spoilt))}[/]", soft_wrap=True)
    for hold in planned.verdict.holds:
        out.print(f"  [red]{escape(hold.message)}[/]")
    if manifest.next_step:
        out.print(f"  nothing was changed; to do it: {escape(manifest.next_step)}", soft_wrap=True)


def _print_done(manifest: Manifest) -> None:
    """Each outcome with its sentence: branch, commit and command among them."""
    for outcome in manifest.outcomes:
        colour = "red" if outcome.state is DocumentState.FAILED else "yellow" if outcome.state in _TOLD else "green"
        out.print(
            f"  [{colour}]{outcome.state.value}[/] {escape(outcome.doc_id)}: {escape(outcome.detail)}", soft_wrap=True
        )


_TOLD = (DocumentState.REOPENED, DocumentState.HELD, DocumentState.WITHDRAWN, DocumentState.VANISHED)
