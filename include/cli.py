"""`truecopy`: the same services as the DAGs, for a terminal.

Exit codes: 0 the index is true · 1 the run failed · 2 wrong call or settings · 3 something is held for a person ·
4 the listing proves nothing · 5 single documents failed. With several sources the most serious one counts.
Nothing here deletes without the gate.
"""

from __future__ import annotations

import getpass
import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from include.domain.errors import ConfigError, Held, ListingNotProven, SourceUnavailable, TruecopyError
from include.domain.manifest import Manifest, RunState
from include.ranking.explain import explained, explained_intent
from include.ranking.intent import IntentKind
from include.ranking.metrics import averages
from include.records.question_sets import save_evaluations
from include.services.diagnose import Health, diagnose
from include.services.judging import prepare
from include.terminal import (
    err,
    out,
    print_diagnosis,
    print_evaluation,
    print_explanation,
    print_manifest,
    print_outcomes,
    print_plan,
    print_retrieval,
    print_status,
    print_step_zero,
    progress_bar,
)
from include.wiring import evaluation, runs
from include.wiring.application import Application, Secrets
from include.wiring.health import checks
from include.wiring.held_plans import release_held
from include.wiring.nights import alerts_of, last_success_of
from include.wiring.nights import nights as nights_of

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__)
EXIT: dict[RunState, int] = {
    RunState.TRUE: 0,
    RunState.INGESTED: 0,
    RunState.FAILED: 1,
    RunState.RUNNING: 1,
    RunState.HELD: 3,
    RunState.UNPROVEN: 4,
    RunState.DEGRADED: 5,
}
_SEVERITY = (
    RunState.FAILED,
    RunState.RUNNING,
    RunState.HELD,
    RunState.UNPROVEN,
    RunState.DEGRADED,
    RunState.INGESTED,
    RunState.TRUE,
)

Source = Annotated[str, typer.Argument(help="a source, or all")]
Json = Annotated[bool, typer.Option("--json", help="print JSON instead of tables")]


def application() -> Application:
    return Application.from_environment(os.environ, _LazySecrets())


class _LazySecrets:
    """Airflow is imported only when the settings name a connection: it costs seconds."""

    def _airflow(self) -> Secrets:
        from include.wiring.connections import ConnectionSecrets

        return ConnectionSecrets()

    def credentials(self, conn_id: str) -> Any:
        return self._airflow().credentials(conn_id)

    def password(self, conn_id: str) -> str:
        return self._airflow().password(conn_id)

    def webhook_secrets(self, conn_id: str) -> Sequence[str]:
        return self._airflow().webhook_secrets(conn_id)


def _explained(command: Callable[..., None]) -> Callable[..., None]:
    """Our errors become one line and an exit code; anything else is a bug and keeps its traceback."""

    @wraps(command)
    def run(*arguments: Any, **options: Any) -> None:
        try:
            command(*arguments, **options)
        except ConfigError as error:
            err.print(f"[red]{escape(str(error))}[/red]")
            raise typer.Exit(2) from error
        except Held as error:
            err.print(f"[red]{escape(str(error))}[/red]")
            raise typer.Exit(3) from error
        except (SourceUnavailable, ListingNotProven) as error:
            err.print(f"[red]{escape(str(error))}[/red]")
            raise typer.Exit(4) from error
        except TruecopyError as error:
            err.print(f"[red]{escape(str(error))}[/red]")
            raise typer.Exit(1) from error

    return run


@app.callback()
def _main(verbose: Annotated[bool, typer.Option("--verbose", "-v", help="log what is done")] = False) -> None:
    logging.basicConfig(level=logging.INFO if verbose else logging.ERROR, format="%(levelname)s %(message)s")


@app.command()
@_explained
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
@_explained
def sync(
    source: Source = "all",
    doc_id: Annotated[list[str] | None, typer.Option(help="only this document; may be repeated")] = None,
    force: Annotated[bool, typer.Option(help="also documents whose version did not change")] = False,
    json_: Json = False,
) -> None:
    """Bring new and changed documents into the index. Removes nothing."""

    def one(application_: Application, name: str) -> Manifest:
        with progress_bar(name) as progress:
            run = _new_run(runs.INGEST)
            return runs.ingest_source(application_, name, run, doc_ids=doc_id or (), force=force, progress=progress)

    _run_all(source, one, json_=json_)


@app.command()
@_explained
def reconcile(source: Source = "all", json_: Json = False) -> None:
    """Make the index equal to the source: the nightly run, now. Deletions pass the gate."""

    def one(application_: Application, name: str) -> Manifest:
        with progress_bar(name) as progress:
            return runs.reconcile_source(application_, name, _new_run(runs.RECONCILE), progress=progress)

    _run_all(source, one, json_=json_)


@app.command()
@_explained
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
            run = _new_run(runs.APPLY_HELD)
            return runs.reconcile_source(application_, name, run, progress=progress, released=True)

    _run_all(source, one, json_=json_)


@app.command()
@_explained
def status(json_: Json = False) -> None:
    """Is each source's index true right now, since when, and what waits for a person."""
    application_ = application()
    rows: list[dict[str, Any]] = []
    for name in sorted(application_.settings.sources):
        nights = nights_of(application_, name)
        latest = nights[0] if nights else None
        success = last_success_of(application_, name)
        rows.append(
            {
                "source": name,
                "state": latest.state.value if latest else "never reconciled",
                "finished_at": latest.finished_at.isoformat() if latest and latest.finished_at else None,
                "proven_at": success.finished_at.isoformat() if success and success.finished_at else None,
                "documents": latest.documents if latest else None,
                "chunks": latest.chunks if latest else None,
                "remaining": asdict(latest.remaining) if latest and latest.remaining else None,
                "held": latest.held_checksum if latest else "",
                "reason": latest.reason if latest else "run `truecopy reconcile`",
                "alerts": [asdict(alert) for alert in alerts_of(application_, name)],
            }
        )
    if json_:
        out.print_json(data=rows)
    else:
        print_status(rows)
    states = [row["state"] for row in rows]
    # A source that was never reconciled is not true.
    raise typer.Exit(_exit_code([RunState(state) if state in set(RunState) else RunState.FAILED for state in states]))


@app.command("show-run")
@_explained
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


@app.command()
@_explained
def search(
    query: Annotated[str, typer.Argument(help="a question")],
    source: Annotated[str, typer.Option(help="a source, or all")] = "all",
    limit: Annotated[int, typer.Option(min=1, max=200, help="documents to show")] = 5,
    intent: Annotated[IntentKind | None, typer.Option(help="what is wanted, whatever the question says")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="every candidate, with every part of its score")] = False,
    json_: Json = False,
) -> None:
    """Answer a question from the index: the documents that hold, with version, address and date."""
    application_ = application()
    sources = runs.chosen_sources(application_, source)
    retrieval = application_.retrieve(query, limit=limit, sources=sources, intent=intent)
    if json_:
        placed = retrieval.placed if explain else retrieval.shown
        out.print_json(data={"intent": explained_intent(retrieval.intent), "candidates": explained(placed)})
    elif explain:
        print_explanation(retrieval)
    else:
        print_retrieval(retrieval)


@app.command()
@_explained
def evaluate(
    questions: Annotated[list[Path] | None, typer.Argument(help="question sets; default: of the settings")] = None,
    against: Annotated[Path | None, typer.Option(help="a saved run to compare with; default: of the settings")] = None,
    save: Annotated[Path | None, typer.Option(help="write this run to a file: the next baseline")] = None,
    json_: Json = False,
) -> None:
    """Ask questions with known answers. Red when a stale answer appears or a metric falls by more than its noise."""
    application_ = application()
    with progress_bar("questions") as progress:
        sets = evaluation.question_sets(application_, questions or ())
        judged = evaluation.evaluate_sets(application_, sets, baseline=against, progress=progress)
    if save:
        save_evaluations(save, [each.evaluation for each in judged])
    if json_:
        out.print_json(
            data=[
                {
                    "set": each.evaluation.name,
                    "metrics": each.evaluation.averages,
                    "before": each.before.averages if each.before else None,
                    "by_intent": {name: averages(group) for name, group in each.evaluation.by_intent.items()},
                    "failures": [asdict(outcome) for outcome in each.evaluation.failures],
                    "dropped": list(each.dropped),
                    "red": list(each.red),
                }
                for each in judged
            ]
        )
    else:
        for each in judged:
            print_evaluation(each.evaluation, each.before, each.red, each.dropped)
    if any(each.red for each in judged):
        raise typer.Exit(1)


@app.command()
@_explained
def baseline(
    query: Annotated[str, typer.Argument(help="the question whose answer is wrong")],
    top: Annotated[int, typer.Option(min=1, max=10_000, help="chunks that each leg brings in")] = 1_000,
    source: Annotated[str, typer.Option(help="a source, or all")] = "all",
    json_: Json = False,
) -> None:
    """Step 0: the same question with nothing left out. Where every version stands, hidden ones too; saved."""
    application_ = application()
    sources = runs.chosen_sources(application_, source)
    record, path = evaluation.step_zero(application_, query, top=top, sources=sources)
    if json_:
        out.print_json(data={**record, "saved": path})
    else:
        print_step_zero(record, path)


@app.command()
@_explained
def serve(
    host: Annotated[str, typer.Option(help="address to listen at; default: of the settings")] = "",
    port: Annotated[int | None, typer.Option(min=0, max=65_535, help="default: of the settings")] = None,
    without_keys: Annotated[bool, typer.Option(help="answer everybody, on 127.0.0.1 only")] = False,
) -> None:
    """Answer questions over HTTP, from this process, until it is stopped."""
    from include.api.serving import serve as listen  # a web server that no other command needs

    application_ = application()
    chosen = application_.settings.api
    listen(
        application_,
        host=host or chosen.host,
        port=chosen.port if port is None else port,
        keys=os.environ.get("TRUECOPY_API_KEYS", ""),
        without_keys=without_keys,
        query_key=os.environ.get("TRUECOPY_QUERY_KEY", ""),
    )


@app.command()
@_explained
def mcp() -> None:
    """Offer search, explain and document as tools (Model Context Protocol), over standard input and output."""
    from include.api.serving import serve_tools

    serve_tools(application(), query_key=os.environ.get("TRUECOPY_QUERY_KEY", ""))


@app.command()
@_explained
def doctor(json_: Json = False) -> None:
    """Check settings, connections, store, embedder and clock, and say what to do."""
    found = []
    for diagnosis in diagnose(checks(application())):
        found.append(diagnosis)
        if not json_:
            print_diagnosis(diagnosis)
    if json_:
        out.print_json(data=[asdict(diagnosis) for diagnosis in found])
    if any(diagnosis.health is Health.BROKEN for diagnosis in found):
        raise typer.Exit(1)


def _run_all(source: str, one: Callable[[Application, str], Manifest], *, json_: bool) -> None:
    """Run every chosen source; one that breaks off does not keep the others from running."""
    application_ = application()
    manifests, errors = [], []
    for name in runs.chosen_sources(application_, source):
        try:
            manifests.append(one(application_, name))
        except Exception as error:  # noqa: BLE001 (one source must not keep the others from running)
            errors.append(error)
            err.print(f"[red]{escape(str(error) or type(error).__name__)}[/red]")
    if json_:
        out.print_json(data=[runs.summary(manifest) for manifest in manifests])
    else:
        for manifest in manifests:
            print_manifest(manifest)
    if errors and not manifests:
        raise errors[0]
    raise typer.Exit(_exit_code([*(manifest.state for manifest in manifests), *(RunState.FAILED for _ in errors)]))


def _exit_code(states: Sequence[RunState]) -> int:
    return EXIT[min(states, key=_SEVERITY.index)]


def _new_run(dag_id: str) -> runs.Run:
    return runs.Run(dag_id, f"cli__{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%f}__{os.getpid()}")


if __name__ == "__main__":
    app()
