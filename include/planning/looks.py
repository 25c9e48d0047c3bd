"""Which documents to look at again for the open events of a source, and which events a look settled. Pure.

An event waits for others for a moment (`coalesce`), then one look answers all that are open for its documents. A look
that finds nothing to do proves little: a content system may send the event before its own list shows the change. So
an event is settled by a look that handled its documents, or by one that began at least `settle` after it arrived; until
then it stays open for a second look. What that misses too is the night's. An event that is newer than the look came
while the look began, or through a clock that is ahead of ours: it is looked at without waiting, and twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from include.domain.events import Event
from include.domain.manifest import DocumentOutcome, DocumentState

_WROTE = frozenset(
    {
        DocumentState.CREATED,
        DocumentState.REPLACED,
        DocumentState.REPAIRED,
        DocumentState.REFRESHED,
        DocumentState.DELETED,
        DocumentState.WITHDRAWN,
    }
)


@dataclass(frozen=True, slots=True)
class Look:
    """`doc_ids` is None for the whole source. `events` are those that the look answers."""

    events: tuple[Event, ...]
    doc_ids: frozenset[str] | None


def next_look(events: Sequence[Event], *, now: datetime, coalesce: timedelta, settle: timedelta) -> Look | None:
    """None while nothing is due. Between two looks at a document lies `coalesce` at least."""
    due = [event for event in events if _waited(event, now, settle if event.looked else coalesce)]
    if not due:
        return None
    if any(not event.doc_ids for event in due):
        return Look(tuple(events), None)
    doc_ids = frozenset(doc_id for event in due for doc_id in event.doc_ids)
    return Look(tuple(event for event in events if event.doc_ids and doc_ids.issuperset(event.doc_ids)), doc_ids)


def settled_by(
    look: Look, outcomes: Iterable[DocumentOutcome], *, looked_at: datetime, settle: timedelta
) -> tuple[list[Event], list[Event]]:
    """(settled, to be looked at once more). What the gate leaves to the night is settled here for the documents that
    an event names; it says nothing about an event that names none, since it may have been waiting for long."""
    found = list(outcomes)
    wrote = {outcome.doc_id for outcome in found if outcome.state in _WROTE}
    handled = wrote | {outcome.doc_id for outcome in found if outcome.state is DocumentState.HELD}

    def is_settled(event: Event) -> bool:
        done = handled.issuperset(event.doc_ids) if event.doc_ids else bool(wrote)
        newer = looked_at < event.received_at
        return done or (event.looked if newer else _waited(event, looked_at, settle))

    settled = [event for event in look.events if is_settled(event)]
    return settled, [event for event in look.events if not is_settled(event)]


def _waited(event: Event, now: datetime, long_enough: timedelta) -> bool:
    """One from the future must not wait for our clock to catch up."""
    return now < event.received_at or now - event.received_at >= long_enough
