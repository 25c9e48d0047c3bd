"""Pins and holds of one source, on a person's word."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from include.domain.review import Protection
from include.services.metadata_run import SET_METADATA, Done
from include.services.protecting import hold, let_go, pin, why_protected
from include.services.reading import Progress
from include.wiring.application import Application
from include.wiring.kept_runs import kept_run
from include.wiring.runs import Run, chosen_sources, log_progress


def pin_documents(
    application: Application,
    source: str,
    run: Run,
    doc_ids: Collection[str],
    *,
    by: str,
    reason: str,
    pinned: bool = True,
    progress: Progress = log_progress,
) -> Done:
    """Raises what `services.protecting.pin` raises, after its manifest is saved."""
    with kept_run(application, source, run, SET_METADATA) as (context, run_id):
        return pin(context, doc_ids, by=by, reason=reason, run_id=run_id, pinned=pinned, progress=progress)


def hold_documents(
    application: Application, source: str, doc_ids: Collection[str], *, until: str, by: str, reason: str
) -> Mapping[str, Protection]:
    with application.context(source) as context:
        return hold(context, doc_ids, until=until, by=by, reason=reason)


def let_documents_go(
    application: Application, source: str, doc_ids: Collection[str], *, by: str, reason: str
) -> Collection[str]:
    with application.context(source) as context:
        return let_go(context, doc_ids, by=by, reason=reason)


def protected_documents(application: Application, source: str) -> Mapping[str, str]:
    """Why each protected document is so, sorted by id."""
    (source,) = chosen_sources(application, source)
    return dict(sorted(why_protected(application.ledger, source, application.clock.now()).items()))
