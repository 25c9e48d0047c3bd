"""Which changes of metadata make sense. Pure: what the ledger would say afterwards, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from include.domain.dates import rfc3339
from include.domain.documents import SEARCHABLE, Marks, Status
from include.domain.inventory import IndexInventory
from include.domain.manifest import Removal
from include.domain.metadata import OVERRIDABLE, SETTABLE, DocumentPatch, Hand, Patch, Shape, marks_of, merged, value_of
from include.planning.limits import Limits, Loss, Past

_PAST = ("created_at", "updated_at")
_HIDDEN = frozenset(Status) - SEARCHABLE
_NO_MARKS = Marks()


def patches_of(wanted: Mapping[str, Patch], decided: Mapping[str, Patch]) -> tuple[DocumentPatch, ...]:
    """What one hand's record has to change to say what is wanted; what it says already is left out.

    `wanted` has values as people or the resolver write them, None for what is taken away. Raises ValueError, with
    every value that is wrong, by document.
    """
    patches, problems = [], []
    for doc_id, fields in sorted(wanted.items()):
        has = decided.get(doc_id, {})
        after: dict[str, object] = {}
        for name, said in sorted(fields.items()):
            try:
                value = None if said is None and name in SETTABLE else value_of(name, said)
            except ValueError as error:
                problems.append(f"{doc_id}: {error}")
                continue
            if has.get(name) != value:
                after[name] = value
        if after:
            patches.append(DocumentPatch(doc_id, {name: has.get(name) for name in after}, after))
    if problems:
        raise ValueError("; ".join(problems))
    return tuple(patches)


def marks_after(
    patches: Iterable[DocumentPatch], hand: Hand, decided: Mapping[Hand, Mapping[str, Patch]]
) -> dict[str, Marks]:
    """What the ledger would say of the patched documents. `decided` is what each hand has written so far."""
    marks = {}
    for patch in patches:
        said = {each: decided[each].get(patch.doc_id, {}) for each in Hand}
        said[hand] = {name: value for name, value in {**said[hand], **patch.after}.items() if value is not None}
        marks[patch.doc_id] = marks_of(merged(*said.values()))
    return marks


def what_is_wrong(
    patches: Sequence[DocumentPatch],
    after: Mapping[str, Marks],
    *,
    others: Mapping[str, Marks],
    known: Collection[str],
    now: datetime,
) -> list[str]:
    """Why a person's patches make no sense, one sentence each.

    `after` is what would hold of the patched documents, `others` what holds of all, `known` are the documents that
    the index holds. A document that is named as another's successor has to exist, nothing follows itself, however many
    steps away, and what is superseded says by what. Nobody creates or updates anything tomorrow.
    """
    problems = []
    latest = rfc3339(now + timedelta(days=1))  # today, wherever that is
    for patch in patches:
        doc_id = patch.doc_id
        if doc_id not in known:
            problems.append(f"{doc_id} is not in the index")
        for name in ("supersedes", "superseded_by"):
            linked = patch.after.get(name)
            for other in linked if isinstance(linked, tuple) else ():
                if other == doc_id:
                    problems.append(f"{doc_id}: {name} names itself")
                elif other not in known:
                    problems.append(f"{doc_id}: {name} names {other}, which is not in the index")
        problems.extend(
            f"{doc_id}: {name} {value} is in the future"
            for name in _PAST
            if isinstance(value := patch.after.get(name), str) and value > latest
        )
    return [*problems, *what_contradicts(patches, after, others=others)]


def what_contradicts(
    patches: Sequence[DocumentPatch], after: Mapping[str, Marks], *, others: Mapping[str, Marks]
) -> list[str]:
    """Where status and successors would not fit together, one sentence each. It holds for a run that is taken back as
    well: what was said before it may not fit what others have said since."""
    problems = []
    for patch in patches:
        doc_id, marks = patch.doc_id, after[patch.doc_id]
        if not patch.after.keys() & {"status", "superseded_by"}:
            continue
        if marks.status is Status.SUPERSEDED and not marks.superseded_by:
            problems.append(f"{doc_id}: superseded by what? Set superseded_by too")
        if marks.status is Status.PUBLISHED and marks.superseded_by:
            problems.append(
                f"{doc_id}: superseded_by names {', '.join(marks.superseded_by)}, but its status is published. "
                "Set status=superseded, or unset superseded_by"
            )
        if circle := _circle(doc_id, {**others, **after}):
            problems.append(
                f"{doc_id}: superseded_by leads back to it: {' -> '.join(circle)}. Where the resolver made one of "
                "these links, `truecopy decide` says which document holds"
            )
    return problems


def _circle(start: str, marks: Mapping[str, Marks]) -> tuple[str, ...]:
    """The way from a document over its successors back to it; empty if there is none, or it is one step long."""
    ways: list[tuple[str, ...]] = [(start,)]
    seen = {start}
    while ways:
        way = ways.pop()
        for successor in marks.get(way[-1], _NO_MARKS).superseded_by:
            if successor == start and len(way) > 1:
                return (*way, start)
            if successor not in seen:
                seen.add(successor)
                ways.append((*way, successor))
    return ()


def marked_now(doc_ids: Iterable[str], marks: Mapping[str, Marks]) -> dict[str, Marks]:
    """What the ledger says of these documents; of one without a decision what holds of any."""
    return {doc_id: marks.get(doc_id, _NO_MARKS) for doc_id in doc_ids}


def hidden_by(after: Mapping[str, Marks], inventory: IndexInventory) -> list[str]:
    """Documents that readers find now and would not any more, by id."""
    documents = inventory.documents
    return sorted(
        doc_id
        for doc_id, marks in after.items()
        if marks.status in _HIDDEN and doc_id in documents and documents[doc_id].status in SEARCHABLE
    )


def why_too_many_hidden(
    source: str, hidden: Collection[str], shown: int, limits: Limits, history: Iterable[Removal], *, now: datetime
) -> str:
    """Hiding is a loss like a deletion, and has its limits; empty when they allow it. Exactly at a limit passes.

    The base is what readers find, `shown`: with what is hidden already the limits would grow by what they let through.
    """
    loss = Loss(len(hidden), shown, Past.within(history, limits, now, hidden), limits)
    if loss.is_over:
        return (
            f"{source}: {loss.count} of {shown} documents would be hidden, {loss.share}, the limit is "
            f"{limits.deletion_percent:g} %. Nothing was changed. Choose fewer; or take them down at the source, and "
            "the night's plan asks a person"
        )
    if loss.is_over_in_window:
        return (
            f"{source}: {loss.count} documents would be hidden now, and {loss.past} in the last {limits.window_days} "
            f"days: {loss.window_share} of {loss.window_base} documents, the limit is {limits.window_percent:g} %. "
            "Nothing was changed. Wait, choose fewer, or take them down at the source"
        )
    return ""


def taken_back(
    patches: Sequence[DocumentPatch], decided: Mapping[str, Patch]
) -> tuple[tuple[DocumentPatch, ...], list[str]]:
    """The patches that undo these, and what cannot be undone because somebody set it to another value since.

    A field that has its old value again is passed over.
    """
    back, conflicts = [], []
    for patch in patches:
        has = decided.get(patch.doc_id, {})
        before: dict[str, object] = {}
        after: dict[str, object] = {}
        for name, value in patch.after.items():
            now, old = has.get(name), patch.before[name]
            if now == old:
                continue
            if now == value:
                before[name], after[name] = now, old
            else:
                conflicts.append(f"{patch.doc_id}: {name} was set to {value!r} and is {now!r} by now")
        if after:
            back.append(DocumentPatch(patch.doc_id, before, after))
    return tuple(back), conflicts


def shown(name: str, value: object) -> str:
    """A value for people: `-` for none, dates without the zeros."""
    if value is None or value == ():
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "-"
    return str(value).removesuffix("T00:00:00.000000Z") if OVERRIDABLE.get(name) is Shape.DATE else str(value)
