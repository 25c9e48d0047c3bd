"""Runs that carry out what people decided, one source at a time: what the DAG and the command line have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from include.domain.manifest import Manifest
from include.services.apply_dispositions import APPLY, apply_dispositions, apply_released, look_at_dispositions
from include.services.judging_dispositions import PlannedDispositions
from include.services.reading import Progress
from include.wiring.application import Application
from include.wiring.kept_runs import kept_run
from include.wiring.runs import Run, log_progress


def look_at_decisions(application: Application, source: str, run: Run) -> tuple[Manifest, PlannedDispositions]:
    """A dry run. Raises what `services.apply_dispositions` raises, after its manifest is saved."""
    with kept_run(application, source, run, APPLY) as (context, run_id):
        return look_at_dispositions(context, run_id=run_id)


def apply_decisions(application: Application, source: str, run: Run, *, progress: Progress = log_progress) -> Manifest:
    """Carry out what no limit holds. Raises what `services.apply_dispositions` raises, after its manifest is saved."""
    with kept_run(application, source, run, APPLY) as (context, run_id):
        return apply_dispositions(context, run_id=run_id, progress=progress)


def apply_as_asked(
    application: Application, source: str, run: Run, params: Mapping[str, Any], *, by_schedule: bool
) -> Manifest:
    """What the parameters of the DAG say. A dry run unless they say otherwise, or by schedule, the settings."""
    applies = application.settings.review.apply_daily if by_schedule else not params["dry_run"]
    if applies:
        return apply_decisions(application, source, run)
    return look_at_decisions(application, source, run)[0]


def apply_what_was_released(
    application: Application, source: str, run: Run, *, progress: Progress = log_progress
) -> Manifest:
    """Carry out exactly what a person released. Raises ApprovalRefused when it is not that any more."""
    with kept_run(application, source, run, APPLY) as (context, run_id):
        return apply_released(context, run_id=run_id, release_run=run.run_id, progress=progress)
