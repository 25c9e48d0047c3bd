"""What looks out of date: the detector's plan, its run, and documents brought back."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from include.cli.command import (
    EXIT,
    By,
    Json,
    OneSource,
    Reason,
    Source,
    app,
    application,
    explained,
    new_run,
    run_all,
    speaker,
)
from include.domain.manifest import Manifest, RunState
from include.services.detect_stale import DETECT
from include.services.judging_staging import PlannedStaging
from include.services.metadata_run import SET_METADATA
from include.staleness.diff import summary
from include.staleness.evidence import Candidate
from include.terminal import out, print_manifest, progress_bar
from include.wiring import runs
from include.wiring import staleness as wiring
from include.wiring.application import Application


@app.command()
@explained
def detect(
    source: Source = "all",
    apply: Annotated[
        bool, typer.Option("--apply", help="renew the review queue and stage; without it nothing is changed")
    ] = False,
    show: Annotated[int, typer.Option(min=0, help="candidates to list")] = 20,
    json_: Json = False,
) -> None:
    """Show which documents look out of date, with all that speaks against them; with --apply put them before people,
    and hide the clearest ones until somebody has looked."""

    def one(application_: Application, name: str) -> Manifest:
        with progress_bar(name) as progress:
            return wiring.detect_source(application_, name, new_run(DETECT), progress=progress)

    if apply:
        run_all(source, one, json_=json_)
    application_ = application()
    looked = [
        (name, *wiring.look_at_stale(application_, name, new_run(DETECT)))
        for name in runs.chosen_sources(application_, source)
    ]
    if json_:
        out.print_json(data=[_record(manifest, planned) for _, manifest, planned in looked])
    else:
        for name, manifest, planned in looked:
            _print(name, manifest, planned, show)
    if any(planned.verdict.held for _, _, planned in looked):
        raise typer.Exit(EXIT[RunState.HELD])


@app.command()
@explained
def restore(
    source: OneSource,
    doc_ids: Annotated[list[str], typer.Argument(help="staged documents by id")],
    reason: Reason,
    by: By = "",
    json_: Json = False,
) -> None:
    """Show staged documents to readers again. They come back as candidates for other evidence only."""
    with progress_bar(source) as progress:
        manifest = wiring.restore_documents(
            application(),
            source,
            new_run(SET_METADATA),
            doc_ids,
            by=speaker(by),
            reason=reason,
            progress=progress,
        )
    if json_:
        restored = [outcome.doc_id for outcome in manifest.outcomes]
        out.print_json(data={**runs.summary(manifest), "run_id": manifest.run_id, "restored": restored})
    else:
        print_manifest(manifest)


def _record(manifest: Manifest, planned: PlannedStaging) -> dict[str, Any]:
    detection = planned.found.detection
    counts = manifest.candidates
    return {
        **runs.summary(manifest),
        "examined": detection.examined,
        "would_stage": [each.change.doc_id for each in planned.plan.staged],
        "would_restore": [each.change.doc_id for each in planned.plan.changes if not each.hides],
        "would_wait": [each.change.doc_id for each in planned.verdict.held],
        "checksum": planned.verdict.checksum,
        "candidates": [_candidate_record(each) for each in detection.candidates],
        "spared": {each.key.doc_id: each.why for each in detection.spared},
        "not_judged": {signal.value: why for signal, why in detection.not_judged.items()},
        "unreadable": [str(each) for each in planned.found.queue.unreadable],
        "feedback": {name: asdict(each) for name, each in counts.feedback.items()} if counts else {},
    }


def _candidate_record(candidate: Candidate) -> dict[str, Any]:
    return {
        "doc_id": candidate.key.doc_id,
        "proposal": candidate.proposal.value,
        "score": candidate.score,
        "arithmetic": candidate.arithmetic,
        "replacement": candidate.replacement.doc_id if candidate.replacement else "",
        "fingerprint": candidate.fingerprint,
        "evidence": [
            {
                "signal": each.signal.value,
                "strength": each.strength,
                "anchor": each.anchor,
                "sentence": each.sentence,
                "facts": dict(each.facts),
            }
            for each in candidate.evidence
        ],
    }


def _print(name: str, manifest: Manifest, planned: PlannedStaging, show: int) -> None:
    detection, verdict = planned.found.detection, planned.verdict
    out.print(
        f"[bold]{name}[/]: {len(detection.candidates)} of {detection.examined} documents look out of date; "
        f"{len(planned.plan.staged)} would be staged, {len(detection.spared)} are left alone because somebody wants it "
        "so"
    )
    for candidate in detection.candidates[:show]:
        first, *lines = summary(candidate).splitlines()
        out.print(f"  [bold]{escape(first)}[/]")
        for line in lines:
            out.print(f"    {escape(line)}")
    if len(detection.candidates) > show:
        out.print(f"  … and {len(detection.candidates) - show} more (--show, --json)")
    back = [each.change for each in planned.plan.changes if not each.hides]
    if back:
        table = Table("comes back", "why")
        for change in back:
            table.add_row(escape(change.doc_id), escape(change.reason))
        out.print(table)
    for signal, why in detection.not_judged.items():
        out.print(f"  [dim]{signal.value} is not used: {escape(why)}[/]")
    for spoilt in planned.found.queue.unreadable:
        out.print(f"  [red]{escape(str(spoilt))}[/]")
    for hold in verdict.holds:
        out.print(f"  [red]{escape(hold.message)}[/]")
    if manifest.next_step:
        out.print(f"  nothing was changed; to do it: {escape(manifest.next_step)}", soft_wrap=True)
