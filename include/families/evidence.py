"""What a decision says for itself: why these are a family, what was not counted, what speaks for each head. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from include.families.components import Component
from include.families.contenders import Contender, trusted
from include.families.links import Statement, Statements


def why_a_family(component: Component) -> Iterator[str]:
    """What made these documents one family."""
    for label in component.labels:
        yield f"{'a person named' if component.is_labelled_by_hand else 'they name'} the family {label}"
    for group in component.groups:
        yield from group.why
    for doc_ids in component.namesakes:
        yield f"entries of a register with one title: {', '.join(doc_ids)}"
    for each in component.hinted:
        yield from each.said
    if component.links:
        number = len(component.links)
        yield f"{number} link{'s are' if number > 1 else ' is'} stated"


def notes(component: Component, statements: Statements) -> Iterator[str]:
    """Claims that were not counted, and references that lead nowhere."""
    for each in component.void:
        yield "not counted: " + "; ".join(each.said)
    for member in component.members:
        yield from (f"{member.key.doc_id} {each}" for each in statements.unresolved.get(member.key.doc_id, ()))


def about(each: Contender, component: Component, said: Iterable[str]) -> Iterator[str]:
    """What speaks for and against one option."""
    yield from said
    if each.member.lineage.status:
        yield f"says that it is {each.member.lineage.status!r}"
    if each.version:
        yield f"version {each.version}"
    for name, date in (("effective", each.member.effective_date), ("created", each.member.created_at)):
        if date is not None:
            doubt = "" if trusted(date) else f", of {date.trust.value} trust"
            yield f"{name} {date.value:%Y-%m-%d} ({date.origin}{doubt})"
    for statement in _of(component, each.doc_id):
        yield from statement.said


def _of(component: Component, doc_id: str) -> Iterator[Statement]:
    for statement in (*component.links, *component.disputed, *component.void, *component.hinted):
        if doc_id in (statement.newer, statement.older):
            yield statement
