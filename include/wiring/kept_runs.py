"""Runs over one source whose manifests are kept under the name of one DAG, whatever started them: that DAG, another one
or the command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from include.domain.manifest import Manifest, RunState
from include.planning.fences import CLOCK_TOLERANCE
from include.services.context import SourceContext
from include.wiring.application import Application
from include.wiring.runs import Run, leaving_a_manifest


def under(run: Run, dag_id: str) -> Run:
    """The same run under the DAG's name."""
    return replace(run, dag_id=dag_id)


@contextmanager
def kept_run(application: Application, source: str, run: Run, dag_id: str) -> Iterator[tuple[SourceContext, str]]:
    """The open source, and the id under which the run's manifest is kept. One that breaks off here leaves one too."""
    kept = under(run, dag_id)
    with leaving_a_manifest(application, source, kept), application.context(source) as context:
        yield context, kept.manifest_id


def latest_kept(application: Application, source: str, dag_id: str) -> Manifest | None:
    """The newest run under this name that came to an end and was no dry run."""
    past = application.manifests.newest_first(source, (dag_id,), until=application.clock.now() + CLOCK_TOLERANCE)
    return next((each for each in past if each.state not in (RunState.PLANNED, RunState.RUNNING)), None)
