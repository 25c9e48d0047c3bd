"""Runs of the detector, one source at a time: what its DAG and the command line have in common."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from include.domain.manifest import Manifest
from include.records.query_log import QueryLog
from include.services.bringing_back import bring_back
from include.services.context import SourceContext
from include.services.detect_stale import DETECT, look_for_stale, stage_released, stage_stale
from include.services.detecting import Policy
from include.services.judging_staging import PlannedStaging
from include.services.metadata_run import SET_METADATA
from include.services.reading import Progress
from include.staleness.usage import Usage, read_usage
from include.wiring.application import Application
from include.wiring.kept_runs import kept_run
from include.wiring.runs import Run, log_progress


def look_at_stale(application: Application, source: str, run: Run) -> tuple[Manifest, PlannedStaging]:
    """A dry run. Raises what `services.detect_stale` raises, after its manifest is saved."""
    with _detecting(application, source, run) as (context, policy, usage, run_id):
        return look_for_stale(context, policy, usage, run_id=run_id)


def detect_source(application: Application, source: str, run: Run, *, progress: Progress = log_progress) -> Manifest:
    """Renew the queue and stage what no limit holds. Raises what `services.detect_stale` raises, after its manifest is
    saved."""
    with _detecting(application, source, run) as (context, policy, usage, run_id):
        return stage_stale(context, policy, usage, run_id=run_id, progress=progress)


def detect_as_asked(application: Application, source: str, run: Run, params: Mapping[str, Any]) -> Manifest:
    """What the parameters of the DAG say."""
    if params["dry_run"]:
        return look_at_stale(application, source, run)[0]
    return detect_source(application, source, run)


def stage_what_was_released(
    application: Application, source: str, run: Run, *, progress: Progress = log_progress
) -> Manifest:
    """Stage exactly what a person released. Raises ApprovalRefused when it is not that any more."""
    with _detecting(application, source, run) as (context, policy, usage, run_id):
        return stage_released(context, policy, usage, run_id=run_id, release_run=run.run_id, progress=progress)


def restore_documents(
    application: Application,
    source: str,
    run: Run,
    doc_ids: Collection[str],
    *,
    by: str,
    reason: str,
    progress: Progress = log_progress,
) -> Manifest:
    """Raises what `services.bringing_back.bring_back` raises, after its manifest is saved."""
    with kept_run(application, source, run, SET_METADATA) as (context, run_id):
        return bring_back(context, doc_ids, by=by, reason=reason, run_id=run_id, progress=progress)


@contextmanager
def _detecting(
    application: Application, source: str, run: Run
) -> Iterator[tuple[SourceContext, Policy, Usage | None, str]]:
    """What every look of the detector needs, and the id under which its manifest is kept."""
    with kept_run(application, source, run, DETECT) as (context, run_id):
        yield context, policy_of(application, source), usage_of(application, source), run_id


def policy_of(application: Application, source: str) -> Policy:
    chosen = application.settings.staleness
    return Policy(
        ageing=chosen.ageing(),
        links=application.settings.sources[source].links_are_complete,
        compare=chosen.compare_texts,
        enough=chosen.enough(),
    )


def usage_of(application: Application, source: str) -> Usage | None:
    """What was asked and shown within the window that silence is judged by; None where questions are not recorded."""
    chosen = application.settings.api.query_log
    if not chosen.enabled:
        return None
    now = application.clock.now()
    log = QueryLog(application.state, application.clock, form="none", keep_days=chosen.keep_days)
    lines = log.since(now - timedelta(days=application.settings.staleness.unseen_days + 1))
    return read_usage(lines, source, until=now)
