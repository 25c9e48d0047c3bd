"""Change the metadata of documents in place, on the word of a person, the resolver or the detector.

    plan -> limits -> ledger (one commit) -> every chunk -> audit -> done
                                                              `-> red: the old values in the ledger, every chunk again

The ledger is written first. From then on whatever writes a document writes the new values, and a run that is killed is
finished by the next one like it, or by the night, which compare the index with the ledger. Nothing is read from the
source, nothing is embedded, no text changes.

The audit reads the whole source again, every point of it. The chunks that the chosen documents had, those that the
store counted under the writes, and those that now say field by field what the ledger says must be the same number; and
no other document may have changed.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import replace

from include.domain.dates import rfc3339
from include.domain.documents import DocumentKey
from include.domain.errors import AuditFailed
from include.domain.inventory import IndexInventory
from include.domain.metadata import MetadataChange
from include.planning.inspection import inspect, with_marks
from include.planning.marking_audit import MarkedDocument, agrees, audit, fence_moved, new_flaws
from include.planning.metadata_rules import taken_back
from include.services.context import SourceContext
from include.services.marking import Marking, mark_documents, marking_of
from include.services.metadata_change import MayHide, look, plan_revert, refuse_hiding_too_many
from include.services.reading import Progress

_NAMED = 10
"""Documents that a message names; the manifest has all."""

_PATIENCE_SECONDS = (0.05, 0.5)
"""What an ingest run may need from publishing a version to looking at the ledger again."""

_ATTEMPTS = 4
"""How often documents are marked again that an ingest run wrote while they were marked."""


def apply_change(
    context: SourceContext,
    change: MetadataChange,
    *,
    also: Collection[str] = (),
    approved: MayHide | None = None,
    before: IndexInventory | None = None,
    progress: Progress,
) -> Marking:
    """Record a change and bring it into every chunk, audited. `also` are documents to be brought in without a change.
    What the gate has `approved` to be hidden is not judged a second time. `before` is the source as the caller has
    just read it (see `look`); without it, it is read.

    Raises ChangeUnderway while another run changes this source, ChangeRefused when the ledger says something else by
    now or too many documents would be hidden: nothing is changed then. Raises AuditFailed when the index does not say
    afterwards what it should: the ledger has the old values then, and every chunk that could be set back too. Raises
    StoreBusy or StoreUnavailable with the change recorded; the same call again finishes it. With nothing to do, nothing
    is read either.
    """
    if not change.patches and not also:
        return marking_of({}, 0)
    with context.ledger.changing(context.source, change.run_id):
        before = before or look(context)
        refuse_hiding_too_many(context, change, before, also=also, approved=approved)
        if change.patches:
            context.ledger.record(change)
        doc_ids = {*(patch.doc_id for patch in change.patches), *also}
        try:
            return _brought_in(context, doc_ids, before, progress=progress)
        except AuditFailed as failure:
            raise _rolled_back(context, change, doc_ids, before, failure, progress=progress) from failure


def revert(
    context: SourceContext, run_id: str, *, by: str, reason: str, new_run_id: str, progress: Progress
) -> Marking:
    """Take a run's change back; raises what `plan_revert` and `apply_change` raise."""
    change = plan_revert(context, run_id, by=by, reason=reason, new_run_id=new_run_id)
    return apply_change(context, change, progress=progress)


def _brought_in(
    context: SourceContext, chosen: Collection[str], before: IndexInventory, *, progress: Progress
) -> Marking:
    """Mark these documents and read everything back. Raises AuditFailed."""
    marked: dict[str, MarkedDocument] = {}
    due = set(chosen)
    for _ in range(_ATTEMPTS):
        marked |= mark_documents(context, due, progress=progress)
        after = look(context)
        # What somebody wrote meanwhile is looked at again; what nobody wrote must be as it was left.
        due = {
            doc_id
            for doc_id in due & marked.keys() & after.documents.keys()
            if fence_moved(before, after, doc_id) and not agrees(after.documents[doc_id])
        }
        if not due:
            break
    after = _looked_again(context, after, marked)
    removed = _removed(context, before, after)
    found = audit(before, after, marked, chosen=chosen, removed=removed)
    if not found.is_clean:
        problems = {**found.chosen, **found.others}
        named = "; ".join(f"{doc_id}: {problem}" for doc_id, problem in list(problems.items())[:_NAMED])
        raise AuditFailed(
            f"{context.source}: of {found.before} chunks of {len(marked)} documents the store took {found.touched}, "
            f"and {found.after} say what was set; {len(found.chosen)} documents are not as they should be, and "
            f"{len(found.others)} others changed that nobody chose: {named}",
            source=context.source,
            problems=problems,
        )
    still_there = {doc_id: each for doc_id, each in marked.items() if doc_id not in removed}
    return replace(
        marking_of(still_there, found.after, after),
        before=found.before,
        touched=found.touched,
        chunks={doc_id: after.documents[doc_id].chunks for doc_id in still_there},
    )


def _looked_again(context: SourceContext, after: IndexInventory, marked: Collection[str]) -> IndexInventory:
    """The same, with those marked documents read once more that do not say what they should: an ingest run may have
    been between two of its writes, and sets them right itself. Nothing is written again: what a store has not taken
    stays untaken, and turns the run red."""
    documents = dict(after.documents)
    for pause in _PATIENCE_SECONDS:
        due = [doc_id for doc_id in marked if doc_id in documents and not agrees(documents[doc_id])]
        if not due:
            break
        time.sleep(pause)
        with context.store.reading() as index:
            stored = index.chunks_of([DocumentKey(context.source, doc_id) for doc_id in due])
        found = inspect(context.source, (chunk for chunks in stored.values() for chunk in chunks))
        documents |= with_marks(found, context.ledger.marks(context.source)).documents
    return replace(after, documents=documents)


def _removed(context: SourceContext, before: IndexInventory, after: IndexInventory) -> set[str]:
    """Documents that are gone because somebody removed them, and said so, since they were read."""
    removed = set()
    for doc_id, document in before.documents.items():
        if doc_id not in after.documents:
            fence = context.removal_marks.fence_of(DocumentKey(context.source, doc_id))
            if fence is not None and (document.fetched_at is None or fence >= document.fetched_at):
                removed.add(doc_id)
    return removed


def _rolled_back(
    context: SourceContext,
    change: MetadataChange,
    chosen: Collection[str],
    before: IndexInventory,
    failure: AuditFailed,
    *,
    progress: Progress,
) -> AuditFailed:
    """Put the recorded old values back; the failure, with what became of that."""
    patches, _ = taken_back(change.patches, context.ledger.decided(context.source, change.hand))
    if patches:
        back = replace(
            change,
            run_id=f"{change.run_id}.rolled-back",
            by="truecopy",
            reason=f"the audit of run {change.run_id} failed: {failure}",
            at=rfc3339(context.clock.now()),
            patches=patches,
            reverts=change.run_id,
        )
        context.ledger.record(back)
    problems = failure.facts["problems"]
    assert isinstance(problems, dict)
    touched = {*chosen, *problems}
    mark_documents(context, touched, progress=progress)
    after = look(context)
    left = sorted(
        doc_id
        for doc_id in touched & after.documents.keys()
        if not agrees(after.documents[doc_id]) or new_flaws(before, after, doc_id)
    )
    then = (
        f"{len(left)} documents still say otherwise ({', '.join(left[:_NAMED])}); the next night sets them right, if "
        "the store lets it"
        if left
        else "every document says so"
    )
    ledger = "The old values are in the ledger again" if change.patches else "The ledger says what it said"
    return AuditFailed(
        f"{failure}. {ledger}; {then}. Run `truecopy doctor`, then look at the store",
        **failure.facts,
    )
