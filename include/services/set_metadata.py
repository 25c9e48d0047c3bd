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
from collections.abc import Collection, Mapping
from dataclasses import replace

from include.domain.dates import rfc3339
from include.domain.documents import DocumentKey, Marks
from include.domain.errors import AuditFailed, ChangeRefused, ConfigError
from include.domain.inventory import IndexInventory
from include.domain.metadata import DETECTORS, MARKS, DocumentPatch, Hand, MetadataChange, Patch
from include.planning.inspection import inspect, with_marks
from include.planning.marking_audit import MarkedDocument, agrees, audit, fence_moved, new_flaws
from include.planning.metadata_rules import (
    hidden_by,
    marked_now,
    marks_after,
    patches_of,
    taken_back,
    what_contradicts,
    what_is_wrong,
)
from include.planning.staging import ApprovedStaging
from include.services.context import SourceContext
from include.services.hiding import why_not_to_hide
from include.services.marking import Marking, mark_documents, marking_of
from include.services.reading import Progress

_NAMED = 10
"""Documents that a message names; the manifest has all."""

_PATIENCE_SECONDS = (0.05, 0.5)
"""What an ingest run may need from publishing a version to looking at the ledger again."""

_ATTEMPTS = 4
"""How often documents are marked again that an ingest run wrote while they were marked."""


def look(context: SourceContext) -> IndexInventory:
    """Every stored point of the source, compared with the ledger as it is now."""
    with context.store.reading() as index:
        inventory = inspect(context.source, index.scan(context.source))
    return with_marks(inventory, context.ledger.marks(context.source))


def plan_change(
    context: SourceContext,
    patches: Mapping[str, Patch],
    *,
    hand: Hand,
    by: str,
    reason: str,
    selector: str,
    run_id: str,
    inventory: IndexInventory | None = None,
) -> MetadataChange:
    """What the hand's record has to change to say this; what it says already is left out. Writes nothing.

    `patches` maps doc_id to fields, None takes a field away. Raises ConfigError, with everything that is wrong: a
    value, a document that is not there, a person's marks that make no sense together.
    """
    if not by.strip() or not reason.strip():
        raise ConfigError(f"{context.source}: a change of metadata needs a person and a reason")
    decided = context.ledger.decided(context.source, hand)
    try:
        planned = patches_of(patches, decided)
    except ValueError as error:
        raise ConfigError(f"{context.source}: {error}. Nothing was changed") from error
    problems = []
    if hand is not Hand.PERSON:
        allowed = DETECTORS if hand is Hand.DETECTOR else MARKS.keys()
        problems = [
            f"{each.doc_id}: {name} is not for the {hand} to set"
            for each in planned
            for name in each.after.keys() - allowed
        ]
    elif planned:
        inventory = inventory or look(context)
        problems = what_is_wrong(
            planned,
            _marks_after(context, planned, hand),
            others=context.ledger.marks(context.source),
            known={doc_id for doc_id, document in inventory.documents.items() if document.version},
            now=context.clock.now(),
        )
    if problems:
        raise ConfigError(
            f"{context.source}: {len(problems)} problems, nothing was changed: {'; '.join(problems[:_NAMED])}",
            source=context.source,
            problems=problems,
        )
    return MetadataChange(
        run_id=run_id,
        source=context.source,
        hand=hand,
        by=by.strip(),
        reason=reason.strip(),
        at=rfc3339(context.clock.now()),
        selector=selector,
        patches=planned,
    )


def plan_revert(
    context: SourceContext, run_id: str, *, by: str, reason: str, new_run_id: str, skip_conflicts: bool = False
) -> MetadataChange:
    """The change that takes a run's change back. Raises ConfigError for a run that changed nothing here, ChangeRefused
    with every value that somebody has set since: they stay, and with `skip_conflicts` the others are taken back; also
    when what was said before the run does not fit what was said since."""
    change = context.ledger.recorded(context.source, run_id)
    if change is None:
        raise ConfigError(
            f"{context.source}: the ledger has no change by run {run_id}; its folder changes/{context.source} has a "
            "file for each"
        )
    patches, conflicts = taken_back(change.patches, context.ledger.decided(context.source, change.hand))
    if conflicts and not skip_conflicts:
        raise ChangeRefused(
            f"{context.source}: {len(conflicts)} values of run {run_id} were set anew since: "
            f"{'; '.join(conflicts[:_NAMED])}. Nothing was changed. Take the later run back first, or leave these out "
            "(--skip-conflicts)",
            source=context.source,
            conflicts=conflicts,
        )
    after = _marks_after(context, patches, change.hand)
    if problems := what_contradicts(patches, after, others=context.ledger.marks(context.source)):
        raise ChangeRefused(
            f"{context.source}: without run {run_id} {len(problems)} documents would contradict what was said since: "
            f"{'; '.join(problems[:_NAMED])}. Nothing was changed. Take the later run back first, or set them anew",
            source=context.source,
            problems=problems,
        )
    planned = plan_change(
        context, {}, hand=change.hand, by=by, reason=reason, selector=f"run {run_id}", run_id=new_run_id
    )
    return replace(planned, patches=patches, reverts=run_id)


def unfinished(change: MetadataChange, inventory: IndexInventory, chosen: Collection[str]) -> list[str]:
    """Chosen documents of which the ledger says what is wanted and the index does not: a run was killed in between."""
    changing = {patch.doc_id for patch in change.patches}
    drifted = {doc_id for doc_id, document in inventory.documents.items() if document.drift}
    return sorted(doc_id for doc_id in chosen if doc_id in drifted and doc_id not in changing)


def marks_of_change(context: SourceContext, change: MetadataChange) -> dict[str, Marks]:
    """What would hold of the documents of a change."""
    return _marks_after(context, change.patches, change.hand)


def hidden(
    context: SourceContext, change: MetadataChange, inventory: IndexInventory, also: Collection[str] = ()
) -> list[str]:
    """Documents that readers would not find any more after this change, those included that are `also` brought in."""
    marks = context.ledger.marks(context.source)
    return hidden_by({**marked_now(also, marks), **marks_of_change(context, change)}, inventory)


def refuse_hiding_too_many(
    context: SourceContext,
    change: MetadataChange,
    inventory: IndexInventory,
    *,
    also: Collection[str] = (),
    approved: ApprovedStaging | None = None,
) -> None:
    """Raises ChangeRefused when a change hides more documents than the limits of deletions allow, those aside that the
    gate has approved."""
    doubtful = set(hidden(context, change, inventory, also)) - (approved.hidden if approved else frozenset())
    if why := why_not_to_hide(context, len(doubtful), inventory, run_id=change.run_id):
        raise ChangeRefused(why, source=context.source, hidden=len(doubtful))


def apply_change(
    context: SourceContext,
    change: MetadataChange,
    *,
    also: Collection[str] = (),
    approved: ApprovedStaging | None = None,
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


def _marks_after(context: SourceContext, patches: Collection[DocumentPatch], hand: Hand) -> dict[str, Marks]:
    return marks_after(patches, hand, {each: context.ledger.decided(context.source, each) for each in Hand})


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
    return AuditFailed(
        f"{failure}. The old values are in the ledger again; {then}. Run `truecopy doctor`, then look at the store",
        **failure.facts,
    )
