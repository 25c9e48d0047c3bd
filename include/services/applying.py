"""Carry out what the gate approved: writes first, deletions last."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from include.domain.manifest import DocumentOutcome, DocumentState
from include.domain.plan import Action
from include.planning.gate import ApprovedPlan
from include.services.context import SourceContext
from include.services.judging import Judged
from include.services.marking import session_size, write_versions
from include.services.reading import Progress, Reading
from include.services.removal import ask_source, delete_documents

_SAME_VERSION = frozenset({Action.REPAIR, Action.REBUILD, Action.REFRESH})
"""Why a new version was written needs no words."""


def apply_plan(
    context: SourceContext,
    approved: ApprovedPlan,
    judged: Judged,
    outcomes: list[DocumentOutcome],
    *,
    progress: Progress,
) -> int:
    """Outcomes are appended as they become true, so that a run that breaks off can tell what it did. Returns for how
    many removals the source was asked. Creations come before deletions: a renamed document finds its vectors under
    the old name."""
    writes = [
        change.doc_id
        for change in approved.changes
        if change.action is not Action.DELETE and change.doc_id in judged.reading.contents
    ]
    not_landed = set(writes)
    why = {change.doc_id: change.reason for change in approved.changes if change.action in _SAME_VERSION}
    for written in _write(context, writes, judged.reading, progress):
        outcomes.extend(replace(each, detail=each.detail or why.get(each.doc_id, "")) for each in written)
        not_landed -= {outcome.doc_id for outcome in written if outcome.state is not DocumentState.FAILED}
    asked = ask_source(context, approved, not_landed=not_landed, listing=judged.listing, progress=progress)
    outcomes.extend(asked.kept)
    for deleted in delete_documents(context, asked, progress=progress):
        outcomes.extend(deleted)
    return asked.questions


def _write(
    context: SourceContext, doc_ids: list[str], reading: Reading, progress: Progress
) -> Iterator[list[DocumentOutcome]]:
    done = 0
    for batch in reading.spool.batches(doc_ids, session_size(context, len(doc_ids))):
        written = write_versions(context, batch)
        done += len(batch)
        progress("write", done, len(doc_ids))
        yield written
