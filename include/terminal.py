"""What the command line prints: plans, manifests, states, progress."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from include.domain.manifest import DocumentState, Manifest, RunState
from include.domain.plan import Change
from include.ports import Hit
from include.services.diagnose import Diagnosis, Health
from include.services.judging import Judged
from include.services.reading import Progress as Report

out = Console()
err = Console(stderr=True)

_COLOUR = {
    RunState.TRUE.value: "green",
    RunState.INGESTED.value: "green",
    RunState.DEGRADED.value: "yellow",
    RunState.RUNNING.value: "yellow",
}
_MARK = {Health.OK: "[green]✓[/]", Health.WARNING: "[yellow]![/]", Health.BROKEN: "[red]✗[/]"}


@contextmanager
def progress_bar(source: str) -> Iterator[Report]:
    """Progress on the error stream, one bar per stage, gone when done; silent where no one watches."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True) as bar:
        stages: dict[str, TaskID] = {}

        def report(what: str, done: int, total: int) -> None:
            if what not in stages:
                stages[what] = bar.add_task(f"{source}: {what}", total=total)
            bar.update(stages[what], completed=done, total=total)

        yield report


def print_plan(source: str, judged: Judged) -> None:
    _print_changes(f"{source}: would be done now", judged.verdict.allowed)
    _print_changes(f"{source}: held (plan {judged.verdict.checksum})", judged.verdict.held)
    for hold in judged.verdict.holds:
        out.print(f"[red]{escape(hold.message)}[/]")
    for outcome in judged.reading.outcomes:
        out.print(f"[yellow]{escape(outcome.doc_id)}: {escape(outcome.detail)}[/]")
    if not judged.plan.changes:
        out.print(f"[green]{source}: the index equals the source ({judged.plan.listed_documents} documents)[/]")


def _print_changes(title: str, changes: Sequence[Change]) -> None:
    if not changes:
        return
    table = Table(title=title, title_justify="left")
    for column in ("change", "document", "why"):
        table.add_column(column, overflow="fold")  # an id that is cut short cannot be approved
    for change in changes:
        goes = f" → {change.moved_to}" if change.moved_to else ""
        table.add_row(change.action.value, escape(change.doc_id + goes), escape(change.reason))
    out.print(table)


def print_manifest(manifest: Manifest) -> None:
    out.print(f"[bold]{manifest.source}[/] {_state(manifest.state.value)}  [dim]{escape(manifest.run_id)}[/]")
    if manifest.proof:
        out.print(f"  listing: {escape(manifest.proof.detail) or f'{manifest.proof.seen} documents'}")
    for title, found in (("found", manifest.found), ("remaining", manifest.remaining)):
        if found:
            counts = f"{found.orphan} orphan, {found.stale} stale, {found.partial} partial, {found.missing} missing"
            out.print(f"  {title}: {counts}")
    states = ", ".join(f"{manifest.count(state)} {state.value}" for state in DocumentState if manifest.count(state))
    holds = f"the index holds {manifest.documents} documents in {manifest.chunks} chunks"
    out.print(f"  done: {states or 'nothing to do'}; {holds}")
    if manifest.reason:
        out.print(f"  [red]{escape(manifest.reason)}[/]")
    if manifest.next_step:
        out.print(f"  next: {escape(manifest.next_step)}")


def print_outcomes(manifest: Manifest, limit: int) -> None:
    for outcome in manifest.outcomes[:limit]:
        out.print(f"  {outcome.state.value:<10} {escape(outcome.doc_id)}  [dim]{escape(outcome.detail)}[/]")
    if len(manifest.outcomes) > limit:
        out.print(f"  … and {len(manifest.outcomes) - limit} more (--limit)")


def print_status(rows: Sequence[dict[str, Any]]) -> None:
    """`rows` as `truecopy status --json` prints them."""
    table = Table("source", "state", "proven", "documents", "chunks", "orphan", "stale", "partial", "missing", "held")
    for row in rows:
        left = row["remaining"] or {}
        table.add_row(
            row["source"],
            _state(row["state"]),
            (row["proven_at"] or "never")[:16],
            *(_number(row[key]) for key in ("documents", "chunks")),
            *(_number(left.get(key)) for key in ("orphan", "stale", "partial", "missing")),
            row["held"] or "-",
        )
    out.print(table)
    for row in rows:
        for alert in row["alerts"]:
            out.print(f"[red]{alert['name']}[/] {escape(alert['message'])}")


def print_hits(hits: Sequence[Hit]) -> None:
    for hit in hits:
        version = str(hit.payload["doc_version"])[:12]
        where = f"{hit.payload['source']}:{hit.payload['doc_id']} · version {version}"
        out.print(f"[bold]{hit.score:.3f}[/] {escape(str(hit.payload['title']))}  [dim]{escape(where)}[/]")
        out.print(f"      [blue]{escape(str(hit.payload['url']))}[/]")
        out.print(f"      {escape(' '.join(str(hit.payload['text']).split())[:240])}")


def print_diagnosis(diagnosis: Diagnosis) -> None:
    out.print(f"{_MARK[diagnosis.health]} [bold]{escape(diagnosis.subject)}[/]: {escape(diagnosis.finding)}")
    if diagnosis.advice:
        out.print(f"    {escape(diagnosis.advice)}")


def _state(state: str) -> str:
    return f"[{_COLOUR.get(state, 'red')}]{state}[/]"


def _number(value: int | None) -> str:
    return "?" if value is None else str(value)
