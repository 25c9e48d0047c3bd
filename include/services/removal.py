"""Remove documents that the source no longer has: ask, mark, delete, count.

The only caller of the index's delete for whole documents, and it takes an `ApprovedPlan` only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from include.domain.dates import rfc3339
from include.domain.documents import DocumentKey, Presence
from include.domain.manifest import DocumentOutcome, DocumentState
from include.domain.plan import Action, Change
from include.domain.selection import Selector
from include.planning.fences import newest_fence
from include.planning.gate import ApprovedPlan
from include.ports import Index
from include.services.context import SourceContext
from include.services.reading import Progress
from include.services.wrong_clocks import chunks_with_honest_fences


@dataclass(frozen=True, slots=True)
class _Confirmed:
    """A deletion that the source confirmed when it was asked for the document by id."""

    change: Change
    asked_at: datetime
    presence: Presence


def remove_documents(
    context: SourceContext, approved: ApprovedPlan, *, not_landed: Collection[str], progress: Progress
) -> Iterator[list[DocumentOutcome]]:
    """Carry out the deletions of an approved plan; one outcome each, batch by batch.

    `not_landed` are documents whose writing failed in this run: what moved there is kept under its old name. A deletion
    that the source does not confirm is kept too: unknown is never absent. Questions go out before the index is opened.
    """
    outcomes: list[DocumentOutcome] = []
    confirmed: list[_Confirmed] = []
    deletions = [change for change in approved.changes if change.action is Action.DELETE]
    for number, change in enumerate(deletions, start=1):
        if change.moved_to in not_landed:
            why = f"its text moved to {change.moved_to}, which could not be written yet"
            outcomes.append(_kept(change, why))
        else:
            asked_at = context.clock.now()
            presence = context.connector.probe(change.doc_id)
            if presence.confirms_absence:
                confirmed.append(_Confirmed(change, asked_at, presence))
            else:
                why = f"absent from the listing, but asked by id the source says {presence.value}; nothing was deleted"
                outcomes.append(_kept(change, why))
        progress("ask", number, len(deletions))
    yield outcomes
    done = 0
    remaining = iter(confirmed)
    while batch := list(islice(remaining, context.batch_documents)):
        yield _delete(context, batch)
        done += len(batch)
        progress("delete", done, len(confirmed))


def _delete(context: SourceContext, batch: Iterable[_Confirmed]) -> list[DocumentOutcome]:
    outcomes = []
    with context.store.writing() as index:
        for confirmed in batch:
            outcomes.append(_delete_one(context, index, confirmed))
    return outcomes


def _delete_one(context: SourceContext, index: Index, confirmed: _Confirmed) -> DocumentOutcome:
    change = confirmed.change
    key = DocumentKey(context.source, change.doc_id)
    chunks_with_honest_fences(index, [key], now=context.clock.now())
    fence = confirmed.asked_at
    # The mark comes first: a writer that is under way finds it, whichever of the two is faster.
    context.removal_marks.put(key, fence)
    index.delete(Selector(key, older_than=fence))
    if index.count(Selector(key)):
        left = index.chunks_of([key])[key]
        newest = newest_fence(left)
        if newest is not None and newest > fence:
            return DocumentOutcome(change.doc_id, DocumentState.WITHDRAWN, "it was published again meanwhile")
        why = f"the delete left {len(left)} points behind; the next run tries again"
        return DocumentOutcome(change.doc_id, DocumentState.FAILED, why, version=change.version_before)
    evidence = f"{change.reason}; asked by id at {rfc3339(confirmed.asked_at)}: {confirmed.presence.value}"
    if change.moved_to:
        evidence = f"moved to {change.moved_to}; {evidence}"
    return DocumentOutcome(change.doc_id, DocumentState.DELETED, evidence, version=change.version_before)


def _kept(change: Change, why: str) -> DocumentOutcome:
    return DocumentOutcome(change.doc_id, DocumentState.KEPT, why, version=change.version_before)
