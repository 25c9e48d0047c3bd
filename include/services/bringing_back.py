"""Undo the staging of documents at once, on a person's word, and remember it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from include.domain.dates import rfc3339
from include.domain.errors import ConfigError, TruecopyError
from include.domain.manifest import DocumentOutcome, DocumentState, Manifest, RunState
from include.domain.metadata import Hand
from include.domain.review import Applied, Decision, Disposition
from include.planning.review_life import decided
from include.services.context import SourceContext
from include.services.marking import Marking
from include.services.metadata_change import plan_change
from include.services.metadata_run import SET_METADATA
from include.services.reading import Progress
from include.services.run_record import begun, ended
from include.services.set_metadata import apply_change


def bring_back(
    context: SourceContext, doc_ids: Collection[str], *, by: str, reason: str, run_id: str, progress: Progress
) -> Manifest:
    """Show these documents to readers again. It is remembered as `keep`: the detector comes back to them with other
    evidence only. Always leaves a manifest, and returns it.

    Raises ConfigError for a document that is neither staged nor a candidate, DecisionConflict when somebody decided
    otherwise about one: nothing is changed then. Raises what `set_metadata.apply_change` raises.
    """
    manifest = begun(context, SET_METADATA, run_id)
    try:
        marking = _bring_back(context, sorted(set(doc_ids)), by=by, reason=reason, run_id=run_id, progress=progress)
    except BaseException as error:
        context.manifests.save(
            replace(
                ended(context, manifest),
                state=RunState.FAILED,
                reason=str(error) if isinstance(error, TruecopyError) else f"{type(error).__name__}: {error}",
                next_step="The same call again finishes what was begun",
            )
        )
        raise
    manifest = replace(
        ended(context, manifest),
        state=RunState.TRUE,
        outcomes=tuple(
            DocumentOutcome(doc_id, DocumentState.RESTORED, reason, chunks=marking.chunks[doc_id])
            for doc_id in sorted(marking.written)
        ),
        documents=len(marking.left.documents) if marking.left else None,
        chunks=marking.left.points if marking.left else None,
    )
    context.manifests.save(manifest)
    return manifest


def _bring_back(
    context: SourceContext, doc_ids: list[str], *, by: str, reason: str, run_id: str, progress: Progress
) -> Marking:
    source, now = context.source, rfc3339(context.clock.now())
    staged, queue = context.ledger.decided(source, Hand.DETECTOR), context.ledger.candidates(source)
    if unknown := [each for each in doc_ids if each not in staged and queue.find(each) is None]:
        raise ConfigError(
            f"{source}: {', '.join(unknown)} is neither staged nor a candidate; nothing was changed. "
            f"`truecopy detect {source}` shows what is"
        )
    named = ", ".join(doc_ids)
    change = plan_change(
        context,
        {doc_id: {"status": None} for doc_id in doc_ids},
        hand=Hand.DETECTOR,
        by=by,
        reason=reason,
        selector=f"restore {named}",
        run_id=run_id,
    )
    try:
        keep = Decision(Disposition.KEEP, change.by, change.reason, at=now)
    except ValueError as error:
        raise ConfigError(f"{source}: {error}") from error
    asked = [item for item in queue.items if item.doc_id in doc_ids]
    for item in asked:  # all are looked at before the first is decided
        decided(item, keep, fingerprint=item.fingerprint, overrule=False)
    kept = [context.ledger.decide(source, item.doc_id, keep, fingerprint=item.fingerprint) for item in asked]
    # Before the marks: a run of the detector in between must not stage them again.
    applied = Applied(now, run_id, "brought back for readers")
    done = [replace(item, applied=applied) for item in kept]
    context.ledger.settle(source, done, by=by, message=f"Restore {named} of {source}\n\n{reason}")
    return apply_change(context, change, also=doc_ids, progress=progress)
