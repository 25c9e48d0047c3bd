"""What a run does, source by source: the steps that DAG tasks and the command line have in common."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict

from include.domain.errors import ConfigError, ListingNotProven, SourceUnavailable, TruecopyError
from include.domain.manifest import DocumentOutcome, DocumentState, Manifest, RunState
from include.services.erase import erased_in
from include.services.ingest import broken_off, conclude_ingest, find_changed, ingest_documents
from include.services.look_again import look_again
from include.services.reading import Progress
from include.services.reconcile import reconcile
from include.wiring.application import Application

log = logging.getLogger(__name__)

RECONCILE = "reconcile_index"
INGEST = "ingest_documents"
APPLY_HELD = "apply_held_plan"
NIGHTS = (RECONCILE, APPLY_HELD)
"""DAGs whose runs compare the whole source with the whole index."""

WELL = (
    RunState.TRUE,
    RunState.INGESTED,
    RunState.RESOLVED,
    RunState.DETECTED,
    RunState.APPLIED,
    RunState.PLANNED,
)
"""How a run ends that needs nobody."""

FOUND = "0-found"
"""The part that says what an ingest run set out to do."""

MOST_BATCHES = 900
"""Airflow refuses to map over more than 1,024 items; the sources share them."""


class Batch(TypedDict):
    """Documents for one worker. Ids and counts only: this travels through XCom."""

    source: str
    doc_ids: list[str]
    indexed: int
    forced: bool
    part: str


class Summary(TypedDict):
    """A run over one source in a few numbers, for XCom and the command line."""

    source: str
    state: str
    changed: int
    failed: int
    held: str
    reason: str


@dataclass(frozen=True, slots=True)
class Run:
    """Which run this is. `attempt` counts retries; each leaves a manifest of its own, so that none hides what an
    earlier attempt may have removed before it was killed."""

    dag_id: str
    run_id: str
    attempt: int = 1

    @property
    def manifest_id(self) -> str:
        return self.run_id if self.attempt == 1 else f"{self.run_id}.attempt-{self.attempt}"


def log_progress(what: str, done: int, total: int) -> None:
    """Progress as log lines: about twenty over a run, and the last one."""
    step = max(1, total // 20)
    if done == total or done % step == 0:
        log.info("%s %d of %d documents", what, done, total)


def chosen_sources(application: Application, source: str | None) -> list[str]:
    """All configured sources, or the named one. Raises ConfigError for an unknown name."""
    configured = application.settings.sources
    if not source or source == "all":
        return sorted(configured)
    if source not in configured:
        raise ConfigError(f"source {source!r} is not configured; configured are {', '.join(sorted(configured))}")
    return [source]


def reconcile_source(
    application: Application, source: str, run: Run, *, progress: Progress = log_progress, released: bool = False
) -> Manifest:
    """One reconciliation of one source; raises what `services.reconcile` raises.

    A run that cannot even open its index or its source leaves a manifest too.
    """
    with leaving_a_manifest(application, source, run), application.context(source) as context:
        _take_out_what_was_erased(application, source)
        return reconcile(
            context,
            dag_id=run.dag_id,
            run_id=run.manifest_id,
            progress=progress,
            released=released,
            release_run=run.run_id,
        )


def _take_out_what_was_erased(application: Application, source: str) -> None:
    """An index that was restored holds again what was erased since. No gate is asked: a person confirmed it then."""
    with application.store.reading() as index:
        keys = erased_in(index, application.ledger, source)
    if keys:
        log.error("%s: the index holds %d erased documents again; they are taken out", source, len(keys))
        application.bare_store.erasing().erase(keys)


@contextmanager
def leaving_a_manifest(application: Application, source: str, run: Run) -> Iterator[None]:
    """A run that breaks off before its service could leave a manifest leaves one that says why."""
    started_at = application.clock.now()
    try:
        yield
    except Exception as error:
        try:
            application.manifests.load(run.dag_id, run.manifest_id, source)
        except FileNotFoundError:
            application.manifests.save(
                Manifest(
                    run_id=run.manifest_id,
                    dag_id=run.dag_id,
                    source=source,
                    started_at=started_at,
                    finished_at=application.clock.now(),
                    state=RunState.FAILED,
                    reason=f"{type(error).__name__}: {error}",
                    next_step="Run `truecopy doctor`",
                )
            )
        raise


def look_again_at(
    application: Application,
    source: str,
    run: Run,
    doc_ids: Collection[str] | None,
    *,
    progress: Progress = log_progress,
) -> Manifest:
    """Bring the named documents of a source up to date now, or with None all that changed."""
    with application.context(source) as context:
        return look_again(context, doc_ids, dag_id=run.dag_id, run_id=run.manifest_id, progress=progress)


def find_work(
    application: Application, source: str, run: Run, *, doc_ids: Sequence[str] = (), force: bool = False
) -> list[Batch]:
    """The changed documents of a source, packed for workers.

    What was found is written down first: a batch that never reports back is then known to be missing. Raises
    SourceUnavailable or ListingNotProven after leaving a manifest that says so.
    """
    started_at = application.clock.now()
    with application.context(source) as context:
        try:
            changed = find_changed(context, doc_ids=doc_ids, force=force)
        except TruecopyError as error:
            unproven = isinstance(error, (SourceUnavailable, ListingNotProven))
            broken_off(
                context,
                dag_id=run.dag_id,
                run_id=run.run_id,
                started_at=started_at,
                state=RunState.UNPROVEN if unproven else RunState.FAILED,
                reason=str(error),
            )
            raise
        never_reported = "its batch did not report back; the next run takes it up"
        expected = [DocumentOutcome(doc_id, DocumentState.FAILED, never_reported) for doc_id in changed.doc_ids]
        expected += [DocumentOutcome(doc_id, DocumentState.HELD, changed.reason) for doc_id in changed.deferred]
        not_listed = "asked for by id, but the source does not list it; the nightly run decides what becomes of it"
        expected += [DocumentOutcome(doc_id, DocumentState.VANISHED, not_listed) for doc_id in changed.unknown]
        _save_part(application, source, run, FOUND, expected)
    most = max(1, MOST_BATCHES // len(application.settings.sources))
    size = max(application.settings.batch_documents, -(-len(changed.doc_ids) // most))
    return [
        {
            "source": source,
            "doc_ids": list(changed.doc_ids[start : start + size]),
            "indexed": changed.indexed,
            "forced": force,
            "part": f"batch-{start:08d}",
        }
        for start in range(0, len(changed.doc_ids), size)
    ]


def ingest_batch(
    application: Application, batch: Batch, run: Run, *, progress: Progress = log_progress
) -> dict[str, int]:
    """Read and write one batch; the outcomes go to the state root, the counts to the caller."""
    with application.context(batch["source"]) as context:
        outcomes = ingest_documents(
            context, batch["doc_ids"], indexed=batch["indexed"], forced=batch["forced"], progress=progress
        )
    part = _save_part(application, batch["source"], run, batch["part"], outcomes)
    return {state.value: part.count(state) for state in DocumentState if part.count(state)}


def conclude_ingest_of(application: Application, source: str, run: Run, *, started_at: datetime) -> Manifest:
    """Merge what the workers of an ingest run left into the run's manifest."""
    parts = dict(application.manifests.parts(run.dag_id, run.run_id, source))
    with application.context(source) as context:
        if FOUND not in parts:
            try:
                return context.manifests.load(run.dag_id, run.run_id, source)
            except FileNotFoundError:
                reason = "the task that looks for changed documents did not finish; its log says why"
                return broken_off(
                    context,
                    dag_id=run.dag_id,
                    run_id=run.run_id,
                    started_at=started_at,
                    state=RunState.FAILED,
                    reason=reason,
                )
        outcomes = {outcome.doc_id: outcome for outcome in parts.pop(FOUND)}
        outcomes |= {outcome.doc_id: outcome for reported in parts.values() for outcome in reported}
        return conclude_ingest(
            context,
            dag_id=run.dag_id,
            run_id=run.run_id,
            started_at=started_at,
            outcomes=list(outcomes.values()),
            progress=log_progress,
        )


def ingest_source(
    application: Application,
    source: str,
    run: Run,
    *,
    doc_ids: Sequence[str] = (),
    force: bool = False,
    progress: Progress = log_progress,
) -> Manifest:
    """Find, ingest and conclude in one process."""
    started_at = application.clock.now()
    for batch in find_work(application, source, run, doc_ids=doc_ids, force=force):
        ingest_batch(application, batch, run, progress=progress)
    return conclude_ingest_of(application, source, run, started_at=started_at)


def _save_part(
    application: Application, source: str, run: Run, part: str, outcomes: Sequence[DocumentOutcome]
) -> Manifest:
    manifest = Manifest(
        run_id=run.run_id,
        dag_id=run.dag_id,
        source=source,
        started_at=application.clock.now(),
        state=RunState.RUNNING,
        outcomes=tuple(outcomes),
    )
    application.manifests.save_part(manifest, part)
    return manifest


def summary(manifest: Manifest) -> Summary:
    return {
        "source": manifest.source,
        "state": manifest.state.value,
        "changed": len(manifest.outcomes)
        - manifest.count(DocumentState.HELD, DocumentState.KEPT, DocumentState.PLANNED),
        "failed": manifest.count(DocumentState.FAILED),
        "held": manifest.held_checksum,
        "reason": manifest.reason,
    }


def manifests_of(application: Application, sources: Sequence[str], run: Run) -> dict[str, Manifest | None]:
    """The newest manifest that any attempt of this run left for each source."""
    found: dict[str, Manifest | None] = {}
    for source in sources:
        recent = application.manifests.latest(source, dag_id=run.dag_id, limit=5)
        found[source] = next((m for m in recent if m.run_id.split(".attempt-")[0] == run.run_id), None)
    return found


def verdict(manifests: dict[str, Manifest | None]) -> list[str]:
    """Why a run over several sources is not green, one sentence per source; empty when it is."""
    sentences = []
    for source, manifest in sorted(manifests.items()):
        if manifest is None:
            sentences.append(f"{source}: the run left no manifest; its task was killed or never ran")
        elif manifest.state is RunState.RUNNING:
            sentences.append(f"{source}: the run was killed before it ended; the next one takes up the rest")
        elif manifest.state not in WELL:
            sentences.append(f"{source}: {manifest.state.value}: {manifest.reason} {manifest.next_step}")
    return sentences
