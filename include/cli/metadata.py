"""Metadata changed in place, on a person's word: shown first, applied when told to, taken back by run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from include.cli.command import By, Json, app, application, explained, new_run, speaker
from include.planning.assigning import assigned
from include.services.metadata_run import SET_METADATA, Done, MetadataPlan
from include.terminal import out, print_manifest, progress_bar
from include.wiring import metadata, runs


@app.command("set-meta")
@explained
def set_meta(
    source: Annotated[str, typer.Argument(help="a source")],
    where: Annotated[
        list[str] | None,
        typer.Option(
            help="which documents: doc_id=, path= (a pattern), url= (its beginning), content_type=, lang=, status=, "
            "doc_family=, created_at=unknown, created_at<2024-01-01, created_at>=2023-01-01; repeat it to narrow down"
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="all documents of the source")] = False,
    set_: Annotated[list[str] | None, typer.Option("--set", help="field=value; may be repeated")] = None,
    unset: Annotated[list[str] | None, typer.Option(help="field whose mark or override goes; may be repeated")] = None,
    file: Annotated[Path | None, typer.Option(help="a table of patches by document, .csv or .yaml")] = None,
    revert: Annotated[str, typer.Option(help="take back what this run changed")] = "",
    skip_conflicts: Annotated[
        bool, typer.Option("--skip-conflicts", help="of a run to take back, leave what was set anew since")
    ] = False,
    apply: Annotated[bool, typer.Option("--apply", help="do it; without it nothing is changed")] = False,
    checksum: Annotated[str, typer.Option(help="apply only what was shown with this checksum")] = "",
    reason: Annotated[str, typer.Option(help="why; it becomes part of the record. Needed to apply")] = "",
    by: By = "",
    show: Annotated[int, typer.Option(min=0, help="documents to list")] = 20,
    json_: Json = False,
) -> None:
    """Set metadata of chosen documents on all their chunks, without reading or embedding anything. A dry run unless
    --apply is given."""
    asked = metadata.Asked(
        by=speaker(by),
        reason=reason if apply else reason or "dry run",
        where=tuple(where or ()),
        everything=everything,
        patch=assigned(set_ or (), unset or ()) if set_ or unset else {},
        table=file,
        reverts=revert,
        skip_conflicts=skip_conflicts,
    )
    application_ = application()
    run = new_run(SET_METADATA)
    if not apply:
        _print_plan(source, metadata.plan_metadata(application_, source, run, asked), show, json_=json_)
        return
    with progress_bar(source) as progress:
        done = metadata.set_metadata_of(application_, source, run, asked, checksum=checksum, progress=progress)
    _print_done(source, done, json_=json_)


def _print_plan(source: str, plan: MetadataPlan, show: int, *, json_: bool) -> None:
    if json_:
        out.print_json(data=_record(plan))
        return
    out.print(
        f"[bold]{source}[/]: {plan.chosen} documents chosen ({escape(plan.change.selector)}), {len(plan.rows)} with "
        f"{plan.chunks} chunks would change"
    )
    if plan.rows:
        table = Table("document", "chunks", "change")
        for row in plan.rows[:show]:
            table.add_row(escape(row.doc_id), str(row.chunks), escape(str(row)))
        out.print(table)
    if len(plan.rows) > show:
        out.print(f"  … and {len(plan.rows) - show} more (--show, --json)")
    if plan.hidden:
        out.print(f"  [yellow]{len(plan.hidden)} of them would no longer be found by readers[/]")
    if plan.unfinished:
        out.print(f"  {len(plan.unfinished)} more do not say yet what the ledger says; they are brought in too")
    if plan.rows or plan.unfinished:
        out.print(f"  nothing was changed; to do it: the same with --apply --checksum {plan.checksum}", soft_wrap=True)


def _print_done(source: str, done: Done, *, json_: bool) -> None:
    manifest, marking = done.manifest, done.marking
    counted = {"before": marking.before, "touched": marking.touched, "after": marking.after}
    if json_:
        out.print_json(
            data={**runs.summary(manifest), "run_id": manifest.run_id, **_record(done.plan), "audit": counted}
        )
        return
    print_manifest(manifest)
    out.print(f"  audit: {', '.join(f'{chunks} chunks {when}' for when, chunks in counted.items())}")
    if done.plan.rows:
        out.print(
            f"  to take it back: truecopy set-meta {source} --revert {escape(manifest.run_id)} --apply --reason …",
            soft_wrap=True,
        )


def _record(plan: MetadataPlan) -> dict[str, object]:
    return {
        "chosen": plan.chosen,
        "documents": len(plan.rows),
        "chunks": plan.chunks,
        "checksum": plan.checksum,
        "hidden": list(plan.hidden),
        "unfinished": list(plan.unfinished),
        "rows": [
            {
                "doc_id": row.doc_id,
                "chunks": row.chunks,
                "changes": {name: {"before": before, "after": after} for name, before, after in row.changes},
            }
            for row in plan.rows
        ],
    }
