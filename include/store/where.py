"""Conditions on points, in words that both engines are given in their own types. Pure.

The engines' own filters read an empty list of conditions as "everything", and one of them silently matches nothing
for a Python bool. So no other module builds them: adapters translate these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from include.domain.documents import SEARCHABLE, Status
from include.domain.errors import UnsafeSelector
from include.domain.selection import Selector
from include.store.points import point_ids


@dataclass(frozen=True, slots=True)
class Is:
    """The field has exactly this value."""

    field: str
    value: str | int | bool


@dataclass(frozen=True, slots=True)
class OneOf:
    """The field has one of these values; with no values nothing matches."""

    field: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Within:
    """The instant is in this range, both ends included. An absent or unreadable instant is in no range."""

    field: str
    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class After:
    """The instant is later than this one. An absent or unreadable instant is never later."""

    field: str
    moment: datetime


@dataclass(frozen=True, slots=True)
class HasId:
    """The point is one of these."""

    ids: tuple[str, ...]


Condition = Is | OneOf | Within | After | HasId


@dataclass(frozen=True, slots=True)
class Where:
    """All of `must` and none of `must_not`. Without conditions: every point; only reads accept that."""

    must: tuple[Condition, ...] = ()
    must_not: tuple[Condition, ...] = ()


def selected(selector: Selector) -> Where:
    """The points of a selector.

    Raises UnsafeSelector for anything that is not a Selector of one named document: the last look before an engine
    deletes.
    """
    if not isinstance(selector, Selector):
        raise UnsafeSelector(f"only a Selector names points, got {type(selector).__name__}; nothing was done")
    source, doc_id = selector.key.source, selector.key.doc_id
    if not (isinstance(source, str) and source and isinstance(doc_id, str) and doc_id):
        raise UnsafeSelector(f"a selector needs source and document as text, got {selector.key!r}; nothing was done")
    must: list[Condition] = [Is("source", source), Is("doc_id", doc_id)]
    must_not: list[Condition] = []
    if selector.status is not None:
        must.append(Is("status", selector.status.value))
    if selector.fence is not None:
        must.append(Within("fetched_at", selector.fence, selector.fence))
    if selector.only_ids:
        must.append(HasId(tuple(point_ids(selector.only_ids))))
    if selector.older_than is not None:
        # "Not newer" instead of "older or equal": a point without a readable fence is then selected too.
        must_not.append(After("fetched_at", selector.older_than))
    if selector.except_ids:
        must_not.append(HasId(tuple(point_ids(selector.except_ids))))
    return Where(tuple(must), tuple(must_not))


def searchable(
    sources: Sequence[str],
    statuses: Sequence[Status],
    doc_ids: Sequence[str] = (),
    newer_than: datetime | None = None,
) -> Where:
    """What a search may return; without statuses the searchable ones, so that a forgotten filter leaks nothing."""
    must: list[Condition] = [OneOf("status", tuple(sorted(Status(status).value for status in statuses or SEARCHABLE)))]
    if sources:
        must.append(OneOf("source", tuple(sources)))
    if doc_ids:
        must.append(OneOf("doc_id", tuple(doc_ids)))
    if newer_than is not None:
        must.append(After("created_at", newer_than))
    return Where(tuple(must))
