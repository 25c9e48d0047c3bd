"""A run that sets metadata on somebody's word: first what would be done, then done, with a manifest.

What is shown is computed in the same way as what is applied, and has a checksum. Applied with that checksum it is
exactly what was looked at, or nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from include.domain.documents import Marks
from include.domain.errors import ChangeRefused, ChangeUnderway, ConfigError, Held, Retriable, TruecopyError
from include.domain.inventory import IndexedDocument, IndexInventory
from include.domain.manifest import DocumentOutcome, DocumentState, Manifest, RunState
from include.domain.metadata import Hand, MetadataChange, Patch
from include.domain.payload import marked
from include.planning.choosing import Choice
from include.planning.metadata_rules import shown
from include.services.context import SourceContext
from include.services.marking import Marking
from include.services.metadata_change import (
    hidden,
    look,
    marks_of_change,
    plan_change,
    plan_revert,
    refuse_hiding_too_many,
    unfinished,
)
from include.services.reading import Progress
from include.services.run_record import begun, ended
from include.services.set_metadata import apply_change

SET_METADATA = "set_metadata"
"""The DAG under whose name the manifests are kept, whatever started the run."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants, in one of three forms: one patch for all chosen documents, a patch for each of some
    documents (`words` says where they come from), or a run to be taken back."""

    by: str
    reason: str
    choice: Choice | None = None
    patch: Patch = field(default_factory=dict)
    patches: Mapping[str, Patch] = field(default_factory=dict)
    words: str = ""
    reverts: str = ""
    skip_conflicts: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """What a document's readers see of each changed field, now and then, as text for people."""

    doc_id: str
    chunks: int
    changes: tuple[tuple[str, str, str], ...]

    def __str__(self) -> str:
        return "; ".join(f"{name}: {before} -> {after}" for name, before, after in self.changes)


@dataclass(frozen=True, slots=True)
class MetadataPlan:
    """What a run would do. `chosen` documents fit; of `rows` something changes; of `unfinished` the ledger says it
    already and the index does not; `hidden` will not be found by readers any more. `inventory` is the source as it was
    read for it."""

    change: MetadataChange
    chosen: int
    rows: tuple[Row, ...]
    unfinished: tuple[str, ...]
    hidden: tuple[str, ...]
    inventory: IndexInventory = field(repr=False)

    @property
    def indexed(self) -> int:
        return len(self.inventory.documents)

    @property
    def checksum(self) -> str:
        return self.change.checksum

    @property
    def chunks(self) -> int:
        return sum(row.chunks for row in self.rows)


@dataclass(frozen=True, slots=True)
class Done:
    """A run that came to its end: what was planned, and what the audit counted."""

    manifest: Manifest
    plan: MetadataPlan
    marking: Marking


def plan_run(context: SourceContext, wish: Wish, *, run_id: str) -> MetadataPlan:
    """Everything before the first write. Raises ConfigError for what makes no sense, ChangeRefused for what hides too
    much or was set anew since; changes nothing."""
    inventory = look(context)
    if wish.reverts:
        change = plan_revert(
            context,
            wish.reverts,
            by=wish.by,
            reason=wish.reason,
            new_run_id=run_id,
            skip_conflicts=wish.skip_conflicts,
        )
        chosen = [patch.doc_id for patch in change.patches if patch.doc_id in inventory.documents]
    else:
        patches = _wanted(wish, inventory)
        change = plan_change(
            context,
            patches,
            hand=Hand.PERSON,
            by=wish.by,
            reason=wish.reason,
            selector=wish.choice.words if wish.choice else wish.words,
            run_id=run_id,
            inventory=inventory,
        )
        chosen = list(patches)
    also = unfinished(change, inventory, chosen)
    refuse_hiding_too_many(context, change, inventory, also=also)
    return MetadataPlan(
        change=change,
        chosen=len(chosen),
        rows=tuple(_rows(change, inventory, marks_of_change(context, change))),
        unfinished=tuple(also),
        hidden=tuple(hidden(context, change, inventory, also)),
        inventory=inventory,
    )


def dry_run(context: SourceContext, wish: Wish, *, run_id: str) -> tuple[Manifest, MetadataPlan]:
    """A plan with a manifest that says so. Nothing else is written."""
    manifest = begun(context, SET_METADATA, run_id)
    try:
        plan = plan_run(context, wish, run_id=run_id)
    except BaseException as error:
        _failed(context, manifest, error)
        raise
    manifest = replace(
        ended(context, manifest),
        state=RunState.PLANNED,
        indexed_before=plan.indexed,
        outcomes=tuple(
            DocumentOutcome(row.doc_id, DocumentState.PLANNED, str(row), chunks=row.chunks) for row in plan.rows
        ),
        reason=f"dry run for [{plan.change.selector}]: {len(plan.rows)} documents with {plan.chunks} chunks would be "
        f"changed, checksum {plan.checksum}",
        next_step="run it with dry_run off and this checksum" if plan.rows else "",
    )
    context.manifests.save(manifest)
    return manifest, plan


def apply_run(context: SourceContext, wish: Wish, *, run_id: str, checksum: str = "", progress: Progress) -> Done:
    """Plan and carry out; with a `checksum` only exactly what it was made of. Always leaves a manifest.

    Raises, with that manifest saved, what `plan_run` and `set_metadata.apply_change` raise, and ChangeRefused when the
    plan computed now is another than the one that was looked at.
    """
    manifest = begun(context, SET_METADATA, run_id)
    try:
        plan = plan_run(context, wish, run_id=run_id)
        if checksum and plan.checksum != checksum and plan.rows:
            raise ChangeRefused(
                f"{context.source}: the plan computed now is {plan.checksum} ({len(plan.rows)} documents), not "
                f"{checksum}: index or ledger changed since you looked. Nothing was changed; look at the new one",
                source=context.source,
                computed=plan.checksum,
            )
        manifest = replace(manifest, indexed_before=plan.indexed, planned_removals=len(plan.hidden))
        # If this process is killed now, the window counts what it may have hidden.
        context.manifests.save(manifest)
        marking = apply_change(context, plan.change, also=plan.unfinished, before=plan.inventory, progress=progress)
    except BaseException as error:
        _failed(context, manifest, error)
        raise
    manifest = replace(
        ended(context, manifest),
        state=RunState.TRUE,
        outcomes=tuple(_outcomes(plan, marking)),
        documents=len(marking.left.documents) if marking.left else None,
        chunks=marking.left.points if marking.left else None,
    )
    context.manifests.save(manifest)
    return Done(manifest, plan, marking)


def _wanted(wish: Wish, inventory: IndexInventory) -> Mapping[str, Patch]:
    if wish.choice is None:
        if not wish.patches:
            raise ConfigError(f"{inventory.source}: nothing says which documents are meant")
        return wish.patches
    return dict.fromkeys((document.doc_id for document in wish.choice.of(inventory.documents)), wish.patch)


def _rows(change: MetadataChange, inventory: IndexInventory, after: Mapping[str, Marks]) -> list[Row]:
    rows = []
    for patch in change.patches:
        document = inventory.documents.get(patch.doc_id)
        if document is None or not document.version:
            rows.append(
                Row(patch.doc_id, 0, tuple((name, "-", shown(name, value)) for name, value in patch.after.items()))
            )
            continue
        rows.append(Row(patch.doc_id, document.chunks, _changes(document, after[patch.doc_id], patch.after)))
    return rows


def _changes(document: IndexedDocument, marks: Marks, fields: Patch) -> tuple[tuple[str, str, str], ...]:
    now = {**document.metadata, "status": document.status}
    then = {**marked(document.metadata, marks), "status": marks.status.value}
    return tuple((name, shown(name, now.get(name)), shown(name, then.get(name))) for name in sorted(fields))


def _outcomes(plan: MetadataPlan, marking: Marking) -> list[DocumentOutcome]:
    outcomes = []
    hidden_now = set(plan.hidden)
    for row in plan.rows:
        if row.doc_id in marking.chunks:
            state = DocumentState.HIDDEN if row.doc_id in hidden_now else DocumentState.MARKED
            outcomes.append(DocumentOutcome(row.doc_id, state, str(row), chunks=marking.chunks[row.doc_id]))
        else:
            why = f"not in the index; recorded for when it comes back: {row}"
            outcomes.append(DocumentOutcome(row.doc_id, DocumentState.VANISHED, why))
    why = "its chunks did not say what the ledger says"
    outcomes += [
        DocumentOutcome(doc_id, DocumentState.REPAIRED, why, chunks=marking.chunks[doc_id])
        for doc_id in plan.unfinished
        if doc_id in marking.chunks
    ]
    return sorted(outcomes, key=lambda outcome: outcome.doc_id)


def _failed(context: SourceContext, manifest: Manifest, error: BaseException) -> None:
    # A ledger that takes a change and then no commit says it all the same, to every run after this one.
    is_recorded = context.ledger.recorded(context.source, manifest.run_id) is not None
    untouched = isinstance(error, Held | ConfigError | ChangeUnderway) and not is_recorded
    next_step = "Run `truecopy doctor`"
    if untouched:
        next_step = "Nothing was changed"
    elif isinstance(error, Retriable | ConfigError):
        next_step = "The same call again finishes what was begun"
    context.manifests.save(
        replace(
            ended(context, manifest),
            state=RunState.FAILED,
            planned_removals=0 if untouched else manifest.planned_removals,
            reason=str(error) if isinstance(error, TruecopyError) else f"{type(error).__name__}: {error}",
            next_step=next_step,
        )
    )
