"""Compare what the source publishes with what the index holds.

| source lists it | index holds it                           | change                          |
|-----------------|------------------------------------------|---------------------------------|
| yes             | no, or nothing readable                  | create                          |
| yes             | no, a person took this version out of it | none                            |
| yes             | another version                          | replace                         |
| yes             | same version, with flaws                 | repair                          |
| yes             | same version, whole, other pipeline      | rebuild                         |
| yes             | same, metadata read by other settings    | refresh                         |
| yes             | same, a date has come since it was read  | refresh                         |
| yes             | same, read by the same settings          | none                            |
| unreadable      | anything                                 | none: unknown is neither change |
| no              | yes, or debris                           | delete, only if absence is proven |
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from include.domain.date_candidates import Doubt
from include.domain.dating import told_by
from include.domain.errors import ListingNotProven
from include.domain.inventory import IndexedDocument, IndexInventory, ListedDocument, Listing
from include.domain.manifest import Findings
from include.domain.plan import Action, Change, Plan

_DAY = re.compile(r"\b\d{4}-\d{2}-\d{2}")
_TWO_DAYS = timedelta(days=2)  # then a day is over in every time zone


def why_unproven(listing: Listing) -> str:
    """Why nothing may be concluded from this listing; empty when absence is proven.

    An empty listing is never proof, whatever the source declares: a lost table, a narrowed credential and an
    unmounted folder all look like it.
    """
    proof = listing.proof
    if not listing.documents:
        return proof.problem or "the source lists 0 documents, and an empty listing proves nothing"
    if proof.complete:
        return ""
    if proof.problem:
        return proof.problem
    if not proof.scope_verified:
        return "the credential's scope was not verified, so hidden documents would look absent"
    if not proof.end_reached:
        return f"the end of the listing was not reached after {proof.seen} documents"
    return f"the source declares {proof.declared_total} documents, {proof.seen} were seen"


def diff(listing: Listing, inventory: IndexInventory, *, pipeline: str, read_with: str) -> Plan:
    """Every change that would make the index true. Raises ListingNotProven unless absence is proven."""
    unproven = why_unproven(listing)
    if unproven:
        raise ListingNotProven(
            f"{listing.source}: listing not proven, nothing is planned: {unproven}. "
            f"{len(listing.documents)} documents were listed, {len(inventory.documents)} are indexed",
            source=listing.source,
            listed=len(listing.documents),
            indexed=len(inventory.documents),
        )
    orphans = (
        Change(
            doc_id,
            Action.DELETE,
            "absent from a complete listing",
            version_before=indexed.version,
            content_before=indexed.content_hash,
        )
        for doc_id, indexed in inventory.documents.items()
        if doc_id not in listing.documents
    )
    changes = sorted([*presence_changes(listing, inventory, pipeline=pipeline, read_with=read_with), *orphans])
    return Plan(listing.source, tuple(changes), len(inventory.documents), len(listing.documents), listing.proof)


def presence_changes(listing: Listing, inventory: IndexInventory, *, pipeline: str, read_with: str) -> list[Change]:
    """The part of the comparison that needs no proof: what the source does list. Never a deletion."""
    changes = []
    for listed in listing.documents.values():
        indexed, out = inventory.documents.get(listed.doc_id), inventory.kept_out.get(listed.doc_id)
        change = _change_of(listed, indexed, pipeline, read_with, listing.listed_at)
        if change is not None and not (change.action is Action.CREATE and listed.version == out):
            changes.append(change)
    return sorted(changes)


def due_by_day(changes: Iterable[Change]) -> list[Change]:
    """What a run between nights takes up. To read a whole source again for its metadata is the night's, which sees
    every text before it judges."""
    return [change for change in changes if change.action is not Action.REFRESH]


def _change_of(
    listed: ListedDocument, indexed: IndexedDocument | None, pipeline: str, read_with: str, now: datetime
) -> Change | None:
    if listed.unreadable:
        return None
    if indexed is None or not indexed.version:
        reason = "absent from the index" if indexed is None else "no readable version in the index"
        return Change(listed.doc_id, Action.CREATE, reason, version_after=listed.version)
    if indexed.version != listed.version:
        action, reason = Action.REPLACE, "the source has another version"
    elif indexed.flaws:
        action, reason = Action.REPAIR, "; ".join(indexed.flaws)
    elif indexed.pipeline != pipeline:
        action, reason = Action.REBUILD, f"made by pipeline {indexed.pipeline}, configured is {pipeline}"
    elif indexed.metadata.get("read_with") != read_with:
        action, reason = Action.REFRESH, "its metadata was read by other settings than those configured now"
    elif _has_come(indexed, now):
        action, reason = Action.REFRESH, "a date of it lay in the future when it was read, and has come"
    else:
        return None
    return Change(
        listed.doc_id,
        action,
        reason,
        version_before=indexed.version,
        version_after=listed.version,
        content_before=indexed.content_hash,
    )


def _has_come(indexed: IndexedDocument, now: datetime) -> bool:
    """Has a date come, since the document was read, that was passed over for lying in the future?"""
    notes = indexed.metadata.get("date_notes")
    due = [_well_over(note) for note in notes] if isinstance(notes, list) else []
    return any(day is not None and day < now and (indexed.fetched_at or day) <= day for day in due)


def _well_over(note: object) -> datetime | None:
    """When the date of such a note lies in the past for sure. Only one in figures, year first, can be told."""
    told = told_by(note) if isinstance(note, str) else None
    days = _DAY.findall(str(note)) if told is not None and told[1] is Doubt.FUTURE else []
    try:
        return datetime.fromisoformat(days[-1]).replace(tzinfo=UTC) + _TWO_DAYS if days else None
    except (ValueError, OverflowError):
        return None


def with_contents(plan: Plan, contents: Mapping[str, str]) -> Plan:
    """The plan with the text that each change would write (`{doc_id: content_hash}`), renames recognised.

    A rename is a deletion whose text the same plan creates under another id. Twins are paired in sorted order, each
    deletion with one creation, so that the same plan always gets the same pairs.
    """
    read = [replace(change, content_after=contents.get(change.doc_id, "")) for change in plan.changes]
    created: dict[str, list[str]] = defaultdict(list)
    for change in read:
        if change.action is Action.CREATE and change.content_after:
            created[change.content_after].append(change.doc_id)
    moved: dict[str, str] = {}
    for change in read:
        if change.action is Action.DELETE and created.get(change.content_before):
            moved[change.doc_id] = created[change.content_before].pop(0)
    origin = {new: old for old, new in moved.items()}
    changes = tuple(
        replace(change, moved_to=moved.get(change.doc_id, ""))
        if change.action is Action.DELETE
        else replace(change, moved_from=origin.get(change.doc_id, "") if change.action is Action.CREATE else "")
        for change in read
    )
    return replace(plan, changes=changes)


def findings(plan: Plan, inventory: IndexInventory) -> Findings:
    """The comparison in numbers, for gauges. A document can be stale and partial at once; it counts as both."""
    listed_partial = sum(
        bool(inventory.documents[change.doc_id].flaws)
        for change in plan.changes
        if change.doc_id in inventory.documents and change.action is not Action.DELETE
    )
    return Findings(
        orphan=len(plan.removals),
        stale=len(plan.of(Action.REPLACE)),
        partial=listed_partial,
        missing=len(plan.of(Action.CREATE)),
        outdated=len(plan.of(Action.REBUILD, Action.REFRESH)),
        drifted=sum(bool(document.drift) for document in inventory.documents.values()),
    )
