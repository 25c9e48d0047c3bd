"""How things stand: every source, and the installation itself."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import typer

from include.cli.command import Json, app, application, exit_code, explained
from include.domain.manifest import RunState
from include.services.diagnose import Health, diagnose
from include.terminal import out, print_diagnosis, print_status
from include.wiring.health import checks
from include.wiring.nights import alerts_of, last_success_of
from include.wiring.nights import nights as nights_of


@app.command()
@explained
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
    raise typer.Exit(exit_code([RunState(state) if state in set(RunState) else RunState.FAILED for state in states]))


@app.command()
@explained
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
