"""The manifest that a run over one source leaves, whatever happens: saved when it begins, and when it ends."""

from __future__ import annotations

from dataclasses import replace

from include.domain.errors import Retriable
from include.domain.manifest import DocumentOutcome, Manifest, RunState
from include.domain.plan import PlanKind
from include.services.context import SourceContext
from include.services.holding import with_standing_hold


def begun(context: SourceContext, dag_id: str, run_id: str, *, released: bool = False, pipeline: str = "") -> Manifest:
    """A new manifest, saved: a run that is killed while it reads leaves a trace too. `pipeline` is for runs that write
    texts."""
    manifest = Manifest(
        run_id,
        dag_id,
        context.source,
        context.clock.now(),
        RunState.RUNNING,
        released=released,
        pipeline=pipeline,
    )
    context.manifests.save(manifest)
    return manifest


def ended(context: SourceContext, manifest: Manifest, kind: PlanKind = PlanKind.CONTENT) -> Manifest:
    """The manifest of a run that ends now, with what waits for a person. Not saved: its state is not known yet."""
    return replace(with_standing_hold(context.ledger, manifest, kind), finished_at=context.clock.now())


def broke_off(
    context: SourceContext, manifest: Manifest, error: BaseException, kind: PlanKind = PlanKind.CONTENT
) -> None:
    """Save that the run failed, why, and what to do next."""
    context.manifests.save(
        replace(
            ended(context, manifest, kind),
            state=RunState.FAILED,
            reason=f"{type(error).__name__}: {error}",
            next_step="A retry may help" if isinstance(error, Retriable) else "Run `truecopy doctor`",
        )
    )


def by_document(*outcomes: DocumentOutcome) -> tuple[DocumentOutcome, ...]:
    """As a manifest lists them."""
    return tuple(sorted(outcomes, key=lambda outcome: outcome.doc_id))
