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
from datetime import UTC, datetime
from functools import wraps
from typing import Annotated, Any

import typer
from rich.markup import escape

from include.domain.errors import ConfigError, Held, ListingNotProven, SourceUnavailable, TruecopyError
from include.domain.manifest import Manifest, RunState
from include.terminal import err, out, print_manifest
from include.wiring.application import Application, Secrets
from include.wiring.runs import Run, chosen_sources, summary

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__)
EXIT: dict[RunState, int] = {
    RunState.TRUE: 0,
    RunState.INGESTED: 0,
    RunState.RESOLVED: 0,
    RunState.DETECTED: 0,
    RunState.APPLIED: 0,
    RunState.PLANNED: 0,
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
    RunState.PLANNED,
    RunState.INGESTED,
    RunState.DETECTED,
    RunState.APPLIED,
    RunState.RESOLVED,
    RunState.TRUE,
)

Source = Annotated[str, typer.Argument(help="a source, or all")]
OneSource = Annotated[str, typer.Argument(help="a source")]
Json = Annotated[bool, typer.Option("--json", help="print JSON instead of tables")]
Reason = Annotated[str, typer.Option(help="why; it becomes part of the record")]
By = Annotated[str, typer.Option(help="who says so")]


def speaker(by: str) -> str:
    """Who is named in the record: the login, where nobody was."""
    return by or getpass.getuser()


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


def explained(command: Callable[..., None]) -> Callable[..., None]:
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


def run_all(source: str, one: Callable[[Application, str], Manifest], *, json_: bool) -> None:
    """Run every chosen source; one that breaks off does not keep the others from running."""
    application_ = application()
    manifests, errors = [], []
    for name in chosen_sources(application_, source):
        try:
            manifests.append(one(application_, name))
        except Exception as error:  # noqa: BLE001 (one source must not keep the others from running)
            errors.append(error)
    for failed in errors if manifests else errors[1:]:  # the first is raised below, and printed where it is caught
        err.print(f"[red]{escape(str(failed) or type(failed).__name__)}[/red]")
    if json_:
        out.print_json(data=[summary(manifest) for manifest in manifests])
    else:
        for manifest in manifests:
            print_manifest(manifest)
    if errors and not manifests:
        raise errors[0]
    raise typer.Exit(exit_code([*(manifest.state for manifest in manifests), *(RunState.FAILED for _ in errors)]))


def exit_code(states: Sequence[RunState]) -> int:
    return EXIT[min(states, key=_SEVERITY.index)]


def new_run(dag_id: str) -> Run:
    return Run(dag_id, f"cli__{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%f}__{os.getpid()}")
