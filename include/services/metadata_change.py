"""What a change of metadata is, before anything is written: worked out from the ledger and the index, and judged.

A change is the difference between what a hand's record says and what it should say. It is refused as a whole: for a
value that makes no sense, for marks that contradict each other, for hiding more documents than may be deleted.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Protocol

from include.domain.dates import rfc3339
from include.domain.documents import Marks
from include.domain.errors import ChangeRefused, ConfigError
from include.domain.inventory import IndexInventory
from include.domain.metadata import DETECTORS, MARKS, DocumentPatch, Hand, MetadataChange, Patch
from include.planning.inspection import inspect, with_marks
from include.planning.metadata_rules import (
    hidden_by,
    marked_now,
    marks_after,
    patches_of,
    taken_back,
    what_contradicts,
    what_is_wrong,
)
from include.services.context import SourceContext
from include.services.hiding import why_not_to_hide

_NAMED = 10
"""Documents that a message names; the manifest has all."""


class MayHide(Protocol):
    """What a gate has approved to be hidden from readers."""

    @property
    def hidden(self) -> frozenset[str]: ...


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
    approved: MayHide | None = None,
) -> None:
    """Raises ChangeRefused when a change hides more documents than the limits of deletions allow, those aside that the
    gate has approved."""
    doubtful = set(hidden(context, change, inventory, also)) - (approved.hidden if approved else frozenset())
    if why := why_not_to_hide(context, doubtful, inventory, run_id=change.run_id):
        raise ChangeRefused(why, source=context.source, hidden=len(doubtful))


def _marks_after(context: SourceContext, patches: Collection[DocumentPatch], hand: Hand) -> dict[str, Marks]:
    return marks_after(patches, hand, {each: context.ledger.decided(context.source, each) for each in Hand})
