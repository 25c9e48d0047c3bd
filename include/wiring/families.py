"""Runs of the resolver, one source at a time: what its DAG and the command line have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from include.domain.manifest import Manifest
from include.domain.metadata import MetadataChange
from include.services.family_answers import Answer, family_named, patches_of_answer
from include.services.family_plan import ALL_FAMILIES, Scope
from include.services.judging_families import Planned
from include.services.metadata_run import SET_METADATA, Wish, apply_run
from include.services.reading import Progress
from include.services.resolve_canonical import RESOLVE, look_at_families, mark_families, mark_released
from include.services.resolving import Resolved, resolve_families
from include.wiring.application import Application
from include.wiring.kept_runs import kept_run
from include.wiring.runs import Run, log_progress


def family_scope(family: str = "") -> Scope:
    """All families, or the one of this name."""
    return Scope(f"family {family}", family=family, is_part=True) if family else ALL_FAMILIES


def look_at_source(application: Application, source: str, run: Run, *, family: str = "") -> tuple[Manifest, Planned]:
    """A dry run. Raises what `services.resolve_canonical` raises, after its manifest is saved."""
    with kept_run(application, source, run, RESOLVE) as (context, run_id):
        return look_at_families(context, family_scope(family), run_id=run_id)


def resolve_source(
    application: Application,
    source: str,
    run: Run,
    *,
    family: str = "",
    changed_only: bool = False,
    max_changes: int | None = None,
    progress: Progress = log_progress,
) -> Manifest:
    """Mark what no limit holds. Raises what `services.resolve_canonical` raises, after its manifest is saved."""
    with kept_run(application, source, run, RESOLVE) as (context, run_id):
        return mark_families(
            context,
            family_scope(family),
            run_id=run_id,
            progress=progress,
            changed_only=changed_only,
            max_changes=max_changes,
        )


def resolve_as_asked(application: Application, source: str, run: Run, params: Mapping[str, Any]) -> Manifest:
    """What the parameters of the DAG say. A dry run unless they say otherwise."""
    if params["dry_run"]:
        return look_at_source(application, source, run, family=params["family"])[0]
    return resolve_source(
        application,
        source,
        run,
        family=params["family"],
        changed_only=params["changed_only"],
        max_changes=params["max_changes"],
    )


def mark_released_families(
    application: Application, source: str, run: Run, *, progress: Progress = log_progress
) -> Manifest:
    """Mark exactly what a person released. Raises ApprovalRefused when it is not that any more."""
    with kept_run(application, source, run, RESOLVE) as (context, run_id):
        return mark_released(context, run_id=run_id, release_run=run.run_id, progress=progress)


def families_of(application: Application, source: str) -> Resolved:
    """The families as the resolver sees them now. Nothing is written."""
    with application.context(source) as context:
        return resolve_families(context)


def decide_for_person(
    application: Application,
    source: str,
    answer: Answer,
    run: Run,
    *,
    by: str,
    reason: str,
    progress: Progress = log_progress,
) -> MetadataChange:
    """Record a person's answer, and let the resolver follow it at once in this family. Returns what was recorded."""
    with kept_run(application, source, run, SET_METADATA) as (context, run_id):
        family = family_named(resolve_families(context), answer.family)
        wish = Wish(by, reason, patches=patches_of_answer(family, answer), words=f"the answer for {answer.family}")
        done = apply_run(context, wish, run_id=run_id, progress=progress)
        scope = Scope(f"family {answer.family}, decided", doc_ids=frozenset(family.members), is_part=True)
        # The ledger keeps one change for each run: what follows from the answer is another one.
        mark_families(context, scope, run_id=f"{run_id}.resolve", progress=progress)
    return done.plan.change
