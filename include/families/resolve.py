"""Which document of each family holds, and what it replaces. Pure; the order of the input changes nothing.

    documents -> groups by structure (`grouping`), statements put together (`links`)
              -> families (`components`) -> each one decided, or ambiguous (`decisions`)
              -> patches (`marks`)

Order of the signals: a person's decisions, explicit links, versions, effective dates, created dates. A signal that is
missing says nothing. What is left open goes to a person with both sides' evidence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime

from include.domain.documents import DocumentKey
from include.families.components import Component, components
from include.families.contenders import Contender, contender, kin_of, standing_among, standing_by_itself
from include.families.decisions import decide
from include.families.grouping import NEEDED, Group, Groups, Needed, group
from include.families.links import read_statements
from include.families.marks import patches
from include.families.members import FamilyDecision, Member, label_of
from include.families.names import Name, read_name
from include.families.standing import Standing

__all__ = ["patches", "resolve", "resolve_grouped"]

Alike = Callable[[DocumentKey, DocumentKey], float]


def resolve(
    members: Sequence[Member], alike: Alike, *, now: datetime | None = None, needed: Needed = NEEDED
) -> tuple[FamilyDecision, ...]:
    """The families of these documents, sorted by source and name; a document that belongs to nothing is in none.

    `alike` is the cosine similarity of two documents' vectors, `needed` what confirms a family. `now` (UTC): a document
    whose effective date is still to come is not current yet; without it every effective date counts as reached. Raises
    ValueError for a document that is named twice.
    """
    by_source: dict[str, dict[str, Member]] = defaultdict(dict)
    for member in members:
        if by_source[member.key.source].setdefault(member.key.doc_id, member) is not member:
            raise ValueError(f"{member.key} is named twice: one document has one state")
    return tuple(
        decision
        for source in sorted(by_source)
        for own in (tuple(by_source[source].values()),)
        for decision in resolve_grouped(own, group(own, alike, needed), now=now)
    )


def resolve_grouped(
    members: Sequence[Member], grouped: Groups, *, now: datetime | None = None
) -> tuple[FamilyDecision, ...]:
    """The families of one source's documents, of which structure and similarity have said their part."""
    members, groups = sorted(members, key=lambda member: member.key), grouped.found
    stands = _Standings(members, groups, now)
    statements = read_statements(members, stands)
    found = [
        component
        for component in components(members, statements, groups)
        if len(component.members) > 1 or component.members[0].key.doc_id in statements.open_ends
    ]
    decided = (
        decide(
            component,
            name,
            [stands.contender(member) for member in component.members],
            statements,
        )
        for component, name in zip(found, _names(found), strict=True)
    )
    return tuple(
        sorted((decision for decision in decided if decision is not None), key=lambda decision: decision.family)
    )


class _Standings:
    """`links.Stands` of a source's documents. Reading a name costs more than all the rest, and few documents without a
    group need theirs."""

    def __init__(self, members: Sequence[Member], groups: Sequence[Group], now: datetime | None) -> None:
        self._members = {member.key.doc_id: member for member in members}
        self._names = {
            member.key.doc_id: name for made in groups for member, name in zip(made.members, made.names, strict=True)
        }
        self._groups = {member.key.doc_id: made for made in groups for member in made.members}
        self._kin = {made.family: kin_of(made) for made in groups}
        self._now = now

    def now(self, doc_id: str) -> Standing:
        return standing_among(self._members[doc_id], self._name(doc_id), self._now)

    def by_itself(self, doc_id: str) -> Standing:
        return standing_by_itself(self._members[doc_id], self._name(doc_id), self._now)

    def contender(self, member: Member) -> Contender:
        doc_id = member.key.doc_id
        group = self._groups.get(doc_id)
        kin = self._kin[group.family] if group else label_of(member)
        return contender(member, self.now(doc_id), self._name(doc_id), group, kin)

    def _name(self, doc_id: str) -> Name:
        if doc_id not in self._names:
            self._names[doc_id] = read_name(doc_id, self._members[doc_id].title)
        return self._names[doc_id]


def _names(found: Sequence[Component]) -> list[str]:
    """A name for each: the one that is stated, with its language where several share it; else the group's, else the
    first document's. No two are alike."""
    wanted = [_name(component) for component in found]
    taken: dict[str, int] = defaultdict(int)
    for name in wanted:
        taken[name] += 1
    return [
        name if taken[name] == 1 else f"{name} ({component.members[0].key.doc_id})"
        for name, component in zip(wanted, found, strict=True)
    ]


def _name(component: Component) -> str:
    if component.labels:
        lang = component.members[0].lang
        return component.labels[0] if component.is_labelled_by_hand or not lang else f"{component.labels[0]} ({lang})"
    if component.groups:
        return min(group.family for group in component.groups)
    return component.members[0].key.doc_id
