"""Which documents of a source are decided together: grouped by structure, linked or named a family. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from include.families.grouping import Group
from include.families.links import Statement, Statements
from include.families.members import Member
from include.families.namesakes import namesakes


@dataclass(frozen=True, slots=True)
class Component:
    """Documents that are one family, sorted by id, with everything that made them one. `void` are claims about them
    that were not counted, by whomever. `labels` are the families that a person, or else the documents, name. `hinted`
    is what prose says, where nothing but that ties them."""

    members: tuple[Member, ...]
    groups: tuple[Group, ...]
    links: tuple[Statement, ...]
    disputed: tuple[Statement, ...]
    void: tuple[Statement, ...]
    labels: tuple[str, ...]
    is_labelled_by_hand: bool
    namesakes: tuple[tuple[str, ...], ...] = ()
    hinted: tuple[Statement, ...] = ()


class _Together:
    """Sets that grow together; independent of the order in which they do."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def join(self, one: str, other: str) -> None:
        first, second = sorted((self.top(one), self.top(other)))
        self._above[second] = first

    def top(self, doc_id: str) -> str:
        path = []
        while (above := self._above.get(doc_id, doc_id)) != doc_id:
            path.append(doc_id)
            doc_id = above
        for each in path:
            self._above[each] = doc_id
        return doc_id


def components(members: Sequence[Member], statements: Statements, groups: Sequence[Group]) -> tuple[Component, ...]:
    """Every document in one component, documents that belong to nothing in one of their own. Sorted by first id.

    What a person put into two families is never joined. A claim without force joins its author to a family where that
    is the only one it speaks of, and never two families.
    """
    by_id = {member.key.doc_id: member for member in members}
    one_title = tuple(namesakes(members))
    decided = {doc_id: label for doc_id, member in by_id.items() if (label := _decided_label(member))}
    free = _joined(statements, groups, one_title, by_id, decided, among=by_id.keys())
    labels_in = defaultdict(set)
    for doc_id, label in decided.items():
        labels_in[free.top(doc_id)].add(label)
    split = {top for top, labels in labels_in.items() if len(labels) > 1}
    if split:  # a person put some of them elsewhere: those keep to their own, the others are joined without them
        apart = {doc_id for doc_id in decided if free.top(doc_id) in split}
        free = _joined(statements, groups, one_title, by_id, decided, among=by_id.keys() - apart)
    gathered: dict[str, list[str]] = defaultdict(list)
    for doc_id in sorted(by_id):
        gathered[free.top(doc_id)].append(doc_id)
    return _with_what_made_them(gathered, by_id, statements, groups, one_title, free, decided)


def _joined(
    statements: Statements,
    groups: Sequence[Group],
    one_title: Sequence[tuple[str, ...]],
    by_id: dict[str, Member],
    decided: dict[str, str],
    *,
    among: Iterable[str],
) -> _Together:
    """What belongs together. Documents that are not `among` these are joined by their decided label alone."""
    together, among = _Together(), set(among)
    by_label: dict[Hashable, list[str]] = defaultdict(list)
    for doc_id in sorted(by_id):
        member = by_id[doc_id]
        if doc_id in decided:
            by_label["decided", decided[doc_id], _language(member)].append(doc_id)
        elif member.lineage.family and doc_id in among:
            by_label["stated", member.lineage.family, _language(member)].append(doc_id)
    for first, *others in by_label.values():
        for other in others:
            together.join(first, other)
    for group in groups:
        grouped = [member.key.doc_id for member in group.members if member.key.doc_id in among]
        for other in grouped[1:]:
            together.join(grouped[0], other)
    for statement in (*statements.links, *statements.disputed):
        if statement.older in among and statement.newer in among:
            together.join(statement.older, statement.newer)
    _join_authors(together, statements.void, among)
    _join_loosely(together, one_title, statements.hinted, among)
    return together


def _join_loosely(
    together: _Together, one_title: Sequence[tuple[str, ...]], hinted: Sequence[Statement], among: set[str]
) -> None:
    """Only those that belong to nothing else: neither a title alone nor prose must put a family in doubt."""
    sizes = _sizes(together, among)
    alone = {doc_id for doc_id in among if sizes[together.top(doc_id)] == 1}
    pairs = [tuple(doc_id for doc_id in doc_ids if doc_id in alone) for doc_ids in one_title]
    pairs += [(each.older, each.newer) for each in hinted if {each.older, each.newer} <= alone]
    for first, *others in filter(None, pairs):
        for other in others:
            together.join(first, other)


def _sizes(together: _Together, doc_ids: Iterable[str]) -> Counter[str]:
    return Counter(together.top(doc_id) for doc_id in doc_ids)


def _join_authors(together: _Together, void: Sequence[Statement], among: set[str]) -> None:
    sizes = _sizes(together, among)
    claimed: dict[str, set[str]] = defaultdict(set)
    for statement in void:
        if statement.newer in among and statement.older in among and statement.by_newer:
            claimed[statement.newer].add(together.top(statement.older))
    alone = [
        (author, next(iter(tops)))
        for author, tops in sorted(claimed.items())
        if len(tops) == 1 and sizes[together.top(author)] == 1
    ]
    for author, top in alone:
        together.join(author, top)


def _with_what_made_them(
    gathered: dict[str, list[str]],
    by_id: dict[str, Member],
    statements: Statements,
    groups: Sequence[Group],
    one_title: Sequence[tuple[str, ...]],
    together: _Together,
    decided: dict[str, str],
) -> tuple[Component, ...]:
    """What joined each component. A group that was split counts for every part of it."""
    links = _by_component(statements.links, together, across=False)
    disputed = _by_component(statements.disputed, together, across=False)
    void = _by_component(statements.void, together, across=True)
    hinted = _by_component(statements.hinted, together, across=False)
    groups_of: dict[str, list[Group]] = defaultdict(list)
    for group in groups:
        for top in sorted({together.top(member.key.doc_id) for member in group.members}):
            groups_of[top].append(group)
    titles_of: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for titled in one_title:
        tops = {together.top(doc_id) for doc_id in titled}
        if len(tops) == 1:
            titles_of[tops.pop()].append(titled)
    found = []
    for top, doc_ids in gathered.items():
        by_hand = {decided[doc_id] for doc_id in doc_ids if doc_id in decided}
        stated = {family for doc_id in doc_ids if (family := by_id[doc_id].lineage.family)}
        surer = groups_of[top] or links[top] or disputed[top] or void[top] or by_hand or stated
        found.append(
            Component(
                tuple(by_id[doc_id] for doc_id in doc_ids),
                tuple(groups_of[top]),
                tuple(links[top]),
                tuple(disputed[top]),
                tuple(void[top]),
                tuple(sorted(by_hand or stated)),
                bool(by_hand),
                tuple(titles_of[top]) if len(doc_ids) > 1 else (),
                tuple(hinted[top]) if not surer else (),
            )
        )
    return tuple(sorted(found, key=lambda each: each.members[0].key))


def _by_component(statements: Sequence[Statement], together: _Together, *, across: bool) -> dict[str, list[Statement]]:
    """Statements within a component; with `across` those about one of its documents by one of another as well."""
    found: dict[str, list[Statement]] = defaultdict(list)
    for statement in statements:
        top = together.top(statement.older)
        if across or together.top(statement.newer) == top:
            found[top].append(statement)
    return found


def _decided_label(member: Member) -> str:
    label = member.decided.get("doc_family")
    return label if isinstance(label, str) else ""


def _language(member: Member) -> str:
    return (member.lang or "").casefold().replace("_", "-")
