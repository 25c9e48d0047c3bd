"""What people protect: pins and holds."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from include.cli.command import By, Json, OneSource, Reason, app, application, explained, new_run, speaker
from include.services.metadata_run import SET_METADATA
from include.terminal import out, progress_bar
from include.wiring import protection as wiring

Documents = Annotated[list[str], typer.Argument(help="documents by id")]


@app.command()
@explained
def pin(source: OneSource, doc_ids: Documents, reason: Reason, by: By = "") -> None:
    """Never down-rank, stage, supersede or purge these documents by itself, until they are unpinned. The next resolve
    makes a pinned document the canonical one of its family."""
    _pin(source, doc_ids, reason, by, pinned=True)


@app.command()
@explained
def unpin(source: OneSource, doc_ids: Documents, reason: Reason, by: By = "") -> None:
    """Take pins away."""
    _pin(source, doc_ids, reason, by, pinned=False)


def _pin(source: str, doc_ids: list[str], reason: str, by: str, *, pinned: bool) -> None:
    with progress_bar(source) as progress:
        done = wiring.pin_documents(
            application(),
            source,
            new_run(SET_METADATA),
            doc_ids,
            by=speaker(by),
            reason=reason,
            pinned=pinned,
            progress=progress,
        )
    changed = [row.doc_id for row in done.plan.rows]
    word = "pinned" if pinned else "unpinned"
    out.print(f"{source}: {len(changed)} {word}{_named(changed)}; {len(doc_ids) - len(changed)} were so already")


@app.command()
@explained
def hold(
    source: OneSource,
    doc_ids: Documents,
    until: Annotated[str, typer.Option(help="a day, 2027-01-31, or an instant with its offset")],
    reason: Reason,
    by: By = "",
) -> None:
    """Leave these documents alone until a day: none is staged, superseded or purged by itself before it."""
    made = wiring.hold_documents(application(), source, doc_ids, until=until, by=speaker(by), reason=reason)
    already = len(set(doc_ids)) - len(made)
    out.print(f"{source}: {len(made)} held until {escape(until)}{_named(made)}; {already} were held as long already")


@app.command("release-hold")
@explained
def release_hold(source: OneSource, doc_ids: Documents, reason: Reason, by: By = "") -> None:
    """End holds before their day."""
    ended = list(wiring.let_documents_go(application(), source, doc_ids, by=speaker(by), reason=reason))
    out.print(f"{source}: {len(ended)} holds ended{_named(ended)}")


@app.command()
@explained
def protected(source: OneSource, json_: Json = False) -> None:
    """List what people protect, and why."""
    found = wiring.protected_documents(application(), source)
    if json_:
        out.print_json(data=dict(found))
        return
    table = Table("document", "why")
    for doc_id, why in found.items():
        table.add_row(escape(doc_id), escape(why))
    out.print(table if found else f"{source}: nothing is pinned or held")


def _named(doc_ids: object) -> str:
    names = ", ".join(map(str, doc_ids)) if isinstance(doc_ids, list | dict) else ""
    return f": {escape(names)}" if names else ""
