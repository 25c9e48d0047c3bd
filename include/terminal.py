"""What the command line prints: plans, manifests, states, progress."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from include.domain.manifest import DocumentState, Manifest, RunState
from include.domain.plan import Change
from include.ranking.blend import Scored
from include.ranking.evaluation import Evaluation
from include.ranking.metrics import METRICS, averages
from include.services.diagnose import Diagnosis, Health
from include.services.judging import Judged
from include.services.reading import Progress as Report
from include.services.retrieval import Retrieval

out = Console()
err = Console(stderr=True)

_COLOUR = {
    RunState.TRUE.value: "green",
    RunState.INGESTED.value: "green",
    RunState.RESOLVED.value: "green",
    RunState.DETECTED.value: "green",
    RunState.APPLIED.value: "green",
    RunState.PLANNED.value: "green",
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
    if drifted := sum(bool(document.drift) for document in judged.inventory.documents.values()):
        out.print(f"{source}: {drifted} documents are not as the ledger decides; they would be set right in place")
    elif not judged.plan.changes:
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
            beside = f", {found.outdated} outdated, {found.drifted} drifted" if found.outdated or found.drifted else ""
            out.print(f"  {title}: {counts}{beside}")
    states = ", ".join(f"{manifest.count(state)} {state.value}" for state in DocumentState if manifest.count(state))
    if manifest.families:
        of = manifest.families
        holds = f"{of.decided} families decided, {of.ambiguous} ambiguous; {of.superseded} documents superseded"
    elif manifest.documents is not None:
        holds = f"the index holds {manifest.documents} documents in {manifest.chunks} chunks"
    else:
        holds = ""  # a run that did not count them
    out.print(f"  done: {'; '.join(filter(None, (states or 'nothing to do', holds)))}")
    if manifest.reason:
        out.print(f"  [red]{escape(manifest.reason)}[/]")
    if manifest.next_step:
        out.print(f"  next: {escape(manifest.next_step)}", soft_wrap=True)


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


def print_retrieval(retrieval: Retrieval) -> None:
    """The shown documents, each with the chunk that fits best."""
    _print_intent(retrieval)
    for placed in retrieval.shown:
        candidate, date = placed.scored.candidate, placed.scored.recency_found.date
        where = f"{candidate.key} · version {candidate.version[:12]} · {date.shown}"
        out.print(f"[bold]{placed.place}[/] {escape(candidate.title)}  [dim]{escape(where)}[/]")
        if placed.notice:
            out.print(f"      [yellow]{escape(placed.notice)}[/]")
        out.print(f"      [blue]{escape(candidate.url)}[/]")
        for chunk in candidate.chunks[:1]:
            out.print(f"      {escape(' '.join(chunk.text.split())[:240])}")
    if not retrieval.shown:
        out.print("nothing was found")


def print_explanation(retrieval: Retrieval) -> None:
    """Every candidate: where it stands, what its score is made of, and why it is not shown."""
    _print_intent(retrieval)
    for placed in retrieval.placed:
        scored, date = placed.scored, placed.scored.recency_found.date
        mark = f"[bold]{placed.place:>3}[/]" if placed.is_shown else "  [red]·[/]"
        out.print(f"{mark} {escape(scored.candidate.title)}  [dim]{escape(str(scored.candidate.key))}[/]")
        dated = f"{date.shown}, {date.origin}, trust {date.trust}" if date.value else date.note
        legs = scored.candidate.chunks[0].legs if scored.candidate.chunks else {}
        ranks = "".join(f" · {name} {_leg(leg.rank, leg.score)}" for name, leg in sorted(legs.items()))
        out.print(f"      [bold]{scored.score:.3f}[/] = {_sum(scored)}  [dim]{escape(dated)}{ranks}[/]")
        for note in (*scored.notes, placed.notice):
            if note:
                out.print(f"      [yellow]{escape(note)}[/]")
        if placed.suppressed:
            out.print(f"      [red]not shown: {escape(placed.suppressed)}[/]")


def _sum(scored: Scored) -> str:
    parts = {
        "similarity": scored.similarity,
        "recency": scored.recency,
        "canonical": scored.canonical,
        "pinned": scored.pinned,
        "period": scored.period,
    }
    return " + ".join(f"{name} {part:.3f}" for name, part in parts.items() if part) or "0"


def _print_intent(retrieval: Retrieval) -> None:
    intent = retrieval.intent
    out.print(f"[dim]{intent.kind.value}: {escape('; '.join(intent.reasons))}[/]")


def print_diagnosis(diagnosis: Diagnosis) -> None:
    out.print(f"{_MARK[diagnosis.health]} [bold]{escape(diagnosis.subject)}[/]: {escape(diagnosis.finding)}")
    if diagnosis.advice:
        out.print(f"    {escape(diagnosis.advice)}")


def _state(state: str) -> str:
    return f"[{_COLOUR.get(state, 'red')}]{state}[/]"


def _number(value: int | None) -> str:
    return "?" if value is None else str(value)


def print_evaluation(
    after: Evaluation, before: Evaluation | None, red: Sequence[str], dropped: Sequence[str], failures: int = 20
) -> None:
    """Every metric for the set and each intent, what it was before, the questions that failed, and why it is red."""
    table = Table("questions", *(name.replace("_", " ") for name in METRICS), title=after.name, title_justify="left")
    earlier = before.by_intent if before else {}
    table.add_row(f"all ({len(after.outcomes)})", *_measured(after.averages, before.averages if before else {}))
    for intent, outcomes in after.by_intent.items():
        measured = _measured(averages(outcomes), averages(earlier.get(intent, ())))
        table.add_row(f"{intent} ({len(outcomes)})", *measured)
    out.print(table)
    for outcome in after.failures[:failures]:
        stale = f"; outdated: {', '.join(outcome.stale)}" if outcome.stale else ""
        read = f"; read as {outcome.read_as}" if outcome.read_as not in ("", outcome.intent.value) else ""
        out.print(
            f"  failed {escape(outcome.question)} ({outcome.intent.value}): {escape(outcome.first + stale + read)}"
        )
    if len(after.failures) > failures:
        out.print(f"  … and {len(after.failures) - failures} more (--json)")
    if dropped:
        out.print(f"  [yellow]{len(dropped)} questions of the baseline are gone or changed and were not compared[/]")
    for reason in red:
        out.print(f"[red]{escape(reason)}[/]")


def _measured(now: Mapping[str, float], before: Mapping[str, float]) -> list[str]:
    cells = []
    for name in METRICS:
        if name not in now:
            cells.append("-")
        elif name in before and round(before[name], 3) != round(now[name], 3):
            cells.append(f"{before[name]:.3f} → {now[name]:.3f}")
        else:
            cells.append(f"{now[name]:.3f}")
    return cells


def print_step_zero(record: Mapping[str, Any], path: str, limit: int = 40) -> None:
    """`record` as `services.step_zero.recorded` makes it."""
    out.print(f"[dim]{record['intent']}: {escape('; '.join(record['reasons']))}[/]")
    table = Table("similar", "dense", "bm25", "place", "document", "version", "dated", "status", "why")
    for each in record["versions"][:limit]:
        table.add_row(
            str(each["fused_rank"]),
            _leg(each["dense_rank"], each["dense_score"]),
            _leg(each["bm25_rank"], each["bm25_score"]),
            "-" if each["place"] is None else f"{each['place']}{'' if each['shown'] else ' (not shown)'}",
            escape(f"{each['source']}:{each['doc_id']}"),
            escape(each["doc_version"][:12]),
            each["created_at"][:10] or "unknown",
            each["status"],
            escape(each["why"]),
        )
    out.print(table)
    if len(record["versions"]) > limit:
        out.print(f"… and {len(record['versions']) - limit} more, in the saved file")
    out.print(f"saved: {escape(path)} below the state root")


def _leg(rank: int | None, score: float | None) -> str:
    return "-" if score is None else f"#{'?' if rank is None else rank} ({score:.3f})"
