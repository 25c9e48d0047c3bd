"""Erasing documents: what would go, a list to review, the erasure itself, and what lets a document in again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from include.cli.command import By, Json, app, application, explained, new_run, speaker
from include.domain.documents import DocumentKey
from include.domain.erasure import Receipt, ReceiptState, Target, erasure_checksum
from include.domain.errors import ConfigError
from include.records.erasure_lists import ErasureList, read_list, write_list
from include.records.receipts import FileReceipts
from include.terminal import err, out
from include.wiring import erasure
from include.wiring.application import Application


@app.command()
@explained
def erase(
    source: Annotated[str, typer.Argument(help="the source of the documents")] = "",
    doc_ids: Annotated[list[str] | None, typer.Argument(help="documents by id")] = None,
    url: Annotated[list[str] | None, typer.Option(help="documents by address; may be repeated")] = None,
    find: Annotated[list[str] | None, typer.Option(help="documents that say this, such as a name")] = None,
    requested: Annotated[
        bool,
        typer.Option("--requested", help="documents that say so themselves: `status: erase` in their front matter"),
    ] = False,
    write: Annotated[Path | None, typer.Option(help="write what was found to this file, for review")] = None,
    from_: Annotated[Path | None, typer.Option("--from", help="a list that was reviewed")] = None,
    confirm: Annotated[str, typer.Option(help="the checksum of the documents shown; without it nothing is done")] = "",
    rule: Annotated[str, typer.Option(help="the request or law that this follows; kept, so without any name")] = "",
    by: By = "",
    phrase: Annotated[list[str] | None, typer.Option(help="look for this too afterwards; not kept")] = None,
    lift: Annotated[bool, typer.Option("--lift", help="let these erased documents in again; --rule says why")] = False,
    after_restore: Annotated[
        bool, typer.Option("--after-restore", help="take out of a restored index what was erased before")
    ] = False,
    json_: Json = False,
) -> None:
    """Remove every trace of documents, and write a receipt of it. Shows what would go, unless --confirm is given."""
    application_ = application()
    if after_restore:
        out.print(f"{erasure.erase_what_came_back(application_)} points of erased documents were taken out again")
        return
    reviewed = read_list(from_) if from_ else ErasureList(())
    if from_ and (source or url or find or requested):
        raise ConfigError("--from is a list of its own: take out or add documents there, and name none beside it")
    asked = erasure.Asked(
        by=speaker(by),
        rule=rule or reviewed.rule,
        keys=reviewed.keys or tuple(DocumentKey(source, doc_id) for doc_id in doc_ids or ()),
        urls=tuple(url or ()),
        find=tuple(find or ()),
        requested=requested,
        source=source,
        phrases=(*(phrase or ()), *reviewed.phrases),
    )
    if lift:
        _lift(application_, asked)
        return
    targets = erasure.plan_erasure(application_, asked)
    keys = [target.key for target in targets]
    if write is not None:
        write_list(write, targets, rule=asked.rule, phrases=(*asked.phrases, *asked.find))
        out.print(f"{len(targets)} documents are listed in {escape(str(write))}; nothing was erased", soft_wrap=True)
        return
    if not confirm:
        _print_targets(targets, json_=json_)
        return
    receipt = erasure.carry_out(
        application_, new_run(erasure.ERASE), asked, keys, confirmed=confirm, progress=_said_aloud
    )
    _print_receipt(application_, receipt, json_=json_)
    if receipt.state is not ReceiptState.COMPLETE:
        raise typer.Exit(5)


def _lift(application_: Application, asked: erasure.Asked) -> None:
    if not asked.keys or not asked.rule:
        raise ConfigError("to lift an erasure name its source and documents, and say why with --rule")
    for key in asked.keys:
        done = erasure.lift(application_, key, by=asked.by, why=asked.rule)
        out.print(f"{key} {'is let in again by the next run' if done else 'was not erased'}", markup=False)


def _said_aloud(step: str) -> None:
    err.print(f"[dim]{escape(step)}[/dim]")


def _print_targets(targets: Sequence[Target], *, json_: bool) -> None:
    checksum = erasure_checksum(target.key for target in targets)
    if json_:
        out.print_json(
            data={
                "checksum": checksum,
                "documents": [{**asdict(each), "key": None, **asdict(each.key)} for each in targets],
            }
        )
        return
    table = Table("source", "document", "title", "chunks", "why")
    for each in targets:
        table.add_row(*map(escape, (each.key.source, each.key.doc_id, each.title, str(each.chunks), each.why)))
    out.print(table)
    if not targets:
        out.print("nothing was found; a document that the index does not hold can be named by its id")
        return
    out.print(
        f"nothing was erased; to erase these {len(targets)} documents: the same with --rule … --confirm {checksum}",
        soft_wrap=True,
    )


def _print_receipt(application_: Application, receipt: Receipt, *, json_: bool) -> None:
    if json_:
        out.print_json(data=asdict(receipt))
        return
    table = Table("place", "outcome", "before", "after", "unit")
    for each in receipt.places:
        table.add_row(each.place, each.ending.value, str(each.before), str(each.after), each.unit)
    out.print(table)
    search = receipt.search
    out.print(f"searched {search.files} files, {search.bytes:,} bytes, for {search.phrases} phrases")
    out.print(f"[bold]{receipt.state.value}[/]")
    for remains in receipt.open:
        out.print(f"  open: {escape(remains)}", soft_wrap=True)
    out.print(f"receipt: {escape(FileReceipts(application_.state).save(receipt))}", soft_wrap=True)
