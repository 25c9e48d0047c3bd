"""Runs that bring sources into the index, and their manifests."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from include.cli.command import Json, Source, app, application, explained, new_run, run_all
from include.domain.errors import ConfigError
from include.domain.manifest import Manifest
from include.terminal import out, print_manifest, print_outcomes, progress_bar
from include.wiring import runs
from include.wiring.application import Application


@app.command()
@explained
def sync(
    source: Source = "all",
    doc_id: Annotated[list[str] | None, typer.Option(help="only this document; may be repeated")] = None,
    force: Annotated[bool, typer.Option(help="also documents whose version did not change")] = False,
    json_: Json = False,
) -> None:
    """Bring new and changed documents into the index. Removes nothing."""

    def one(application_: Application, name: str) -> Manifest:
        with progress_bar(name) as progress:
            run = new_run(runs.INGEST)
            return runs.ingest_source(application_, name, run, doc_ids=doc_id or (), force=force, progress=progress)

    run_all(source, one, json_=json_)


@app.command()
@explained
def reconcile(source: Source = "all", json_: Json = False) -> None:
    """Make the index equal to the source: the nightly run, now. Deletions pass the gate."""

    def one(application_: Application, name: str) -> Manifest:
        with progress_bar(name) as progress:
            return runs.reconcile_source(application_, name, new_run(runs.RECONCILE), progress=progress)

    run_all(source, one, json_=json_)


@app.command("show-run")
@explained
def show_run(
    source: Annotated[str, typer.Argument(help="a source")],
    run_id: Annotated[str, typer.Argument(help="a run id; empty: the newest run of any kind")] = "",
    limit: Annotated[int, typer.Option(help="so many documents at most")] = 50,
    json_: Json = False,
) -> None:
    """Print the manifest of one run: proof, plan, verdict, outcome per document."""
    application_ = application()
    runs.chosen_sources(application_, source)
    recent = application_.manifests.latest(source, limit=1 if not run_id else 1000)
    manifest = next((each for each in recent if not run_id or each.run_id == run_id), None)
    if manifest is None:
        raise ConfigError(f"{source}: no manifest of run {run_id or '(any)'}; `truecopy status` names the newest runs")
    if json_:
        out.print_json(data=asdict(manifest), default=str)
        return
    print_manifest(manifest)
    print_outcomes(manifest, limit)
