"""One family decided: who is its head, who replaces whom, or why a person has to say. Pure.

Explicit links come first, then versions, then trusted dates among what is left (`families.succession`). Whatever stays
open makes the family ambiguous: two heads, a circle, a link against the order of versions, a successor that is not
approved, one that is not here, nobody alive.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from include.domain.metadata import MARKS
from include.families.components import Component
from include.families.contenders import Contender, Tier, are_entries_of_a_register
from include.families.evidence import about, notes, why_a_family
from include.families.links import Statements
from include.families.members import FamilyDecision, Link, Option, Outcome, Relation
from include.families.standing import Standing, is_stated_canonical
from include.families.succession import by_dates, by_versions, chain_by_dates, circle, is_newer, levels


@dataclass(slots=True)
class _Order:
    """What follows what in one family. `after` holds the direct successors of each, with reasons; `stated` are the
    pairs (older, newer) that somebody stated."""

    after: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=lambda: defaultdict(dict))
    stated: set[tuple[str, str]] = field(default_factory=set)
    why: list[str] = field(default_factory=list)


class _Ambiguous(Exception):
    """Carries the options, by doc id, and why a person has to say."""

    def __init__(self, why: str, options: Mapping[str, Iterable[str]]) -> None:
        super().__init__(why)
        self.options = options


def decide(
    component: Component, family: str, members: Sequence[Contender], statements: Statements
) -> FamilyDecision | None:
    """The decision about these documents, None where there is nothing to decide."""
    contenders = {each.doc_id: each for each in members}
    open_ends = {
        each.doc_id: statements.open_ends[each.doc_id] for each in members if each.doc_id in statements.open_ends
    }
    if len(members) == 1 and not open_ends:
        return None
    if (
        not component.links
        and not component.disputed
        and not open_ends
        and not component.hinted
        and all(each.tier is Tier.OVER for each in members)
    ):
        return None  # nobody holds and nobody says who follows: there is nothing to mark
    periods = bool(component.groups) and all(group.is_period for group in component.groups)
    relation = Relation.PERIODS if periods else Relation.REVISIONS
    why = [*why_a_family(component), *notes(component, statements)]
    order = _Order()
    try:
        head = _head(component, members, order, open_ends)
        canonical = _canonical(members, head, relation)
    except _Ambiguous as ambiguous:
        why.append(str(ambiguous))
        options = tuple(
            Option(doc_id, tuple(about(contenders[doc_id], component, said)))
            for doc_id, said in sorted(ambiguous.options.items())
        )
        return _decision(component, family, relation, members, None, None, (), options, why)
    if not (component.links or component.groups or component.labels or component.void):
        return None  # one title alone makes nobody the head of anything
    why += order.why
    links = tuple(
        Link(newer, older, reasons)
        for older, newers in sorted(order.after.items())
        for newer, reasons in sorted(newers.items())
        if relation is Relation.REVISIONS or (older, newer) in order.stated
    )
    if (steps := levels(order.after, [each.doc_id for each in members])) > 1 and relation is Relation.REVISIONS:
        why.append(f"the longest chain has {steps} links")
    decided = _decision(component, family, relation, members, head, canonical, links, (), why)
    return replace(decided, beside=tuple(each.doc_id for each in members if _is_beside(each, head, order)))


def _head(component: Component, members: Sequence[Contender], order: _Order, open_ends: Mapping[str, str]) -> Contender:
    """The one member that holds; fills `order`. Raises _Ambiguous."""
    by_id = {each.doc_id: each for each in members}
    chosen = [each for each in members if each.member.decided.get("is_current") is True]
    if component.disputed and not chosen:
        raise _Ambiguous(
            "what they say of one another contradicts how they stand: " + "; ".join(component.disputed[0].said),
            {doc_id: () for each in component.disputed for doc_id in (each.newer, each.older)},
        )
    if component.hinted and not chosen:
        raise _Ambiguous(
            "only a sentence of prose says that one of them replaces another",
            {each.doc_id: () for each in members},
        )
    for link in component.links:
        order.after[link.older][link.newer] = link.said
        order.stated.add((link.older, link.newer))
    _follow_versions(component, members, order)
    if ring := circle(by_id, order.after):
        said = {doc_id: [reason for each in order.after[doc_id].values() for reason in each] for doc_id in ring}
        raise _Ambiguous(f"{len(ring)} documents follow one another in a circle", said)
    tops = _tops(component, members, order)
    if len(chosen) > 1:
        raise _Ambiguous(f"a person decided for {len(chosen)} of them", {each.doc_id: () for each in chosen})
    head = chosen[0] if chosen else _one_of(tops, order)
    if head.doc_id in open_ends:
        raise _Ambiguous(open_ends[head.doc_id], {each.doc_id: () for each in (head, *tops)})
    _follow_head(members, head, order)
    for doc_id, says in open_ends.items():
        if not order.after.get(doc_id):
            raise _Ambiguous(says, {head.doc_id: (), doc_id: ()})
    return head


def _follow_versions(component: Component, members: Sequence[Contender], order: _Order) -> None:
    """Adds who follows by version to what is stated. Raises _Ambiguous where versions are at odds with themselves."""
    by_id = {each.doc_id: each for each in members}
    families: dict[str, list[Contender]] = defaultdict(list)
    for each in members:
        families[each.kin].append(each)
    for kin, family in sorted(families.items()):
        is_named = any(each.kin != each.group for each in family)
        if not kin or len(family) < 2 or (not is_named and are_entries_of_a_register(family)):
            continue
        found = by_versions(family)
        if found.at_odds:
            raise _Ambiguous("two ways of telling versions name different heads", found.at_odds)
        for older, newers in found.after.items():
            stated = [newer for newer in order.after.get(older, ()) if (older, newer) in order.stated]
            if not stated and not _stays(by_id[older]):
                for newer, reason in newers.items():
                    order.after[older][newer] = (reason,)
    for link in component.links:
        first, last = by_id[link.older], by_id[link.newer]
        same = first.kin and first.kin == last.kin
        if same and not link.by_person and is_newer(first, last):
            raise _Ambiguous(
                f"{first.doc_id} bears the higher version ({first.version} above {last.version}), and yet: "
                + "; ".join(link.said),
                {first.doc_id: (), last.doc_id: ()},
            )


def _stays(each: Contender) -> bool:
    """Whether nothing but a stated link replaces it."""
    decided = each.member.decided
    return each.is_left_alone or decided.get("status") == "published" or decided.get("is_current") is True


def _tops(component: Component, members: Sequence[Contender], order: _Order) -> list[Contender]:
    """Members of the best standing that nothing follows, and drafts that are said to replace something: a register may
    use what it calls a draft. Not those whose only claim has no force. Raises _Ambiguous where all is over."""
    last = [each for each in members if not order.after.get(each.doc_id)]
    said_to_replace = {newer for _, newer in order.stated}
    claim_only = {each.newer for each in component.void} - said_to_replace
    first = [each for each in last if each.tier is Tier.LIVE or each.doc_id not in claim_only]
    last = first if any(each.tier is not Tier.OVER for each in first) else last
    best = max(each.rank for each in last)
    if best[0] is Tier.OVER:
        raise _Ambiguous("nobody among them holds", {each.doc_id: () for each in last})
    return [
        each
        for each in last
        if each.rank == best or (each.tier is Tier.PENDING < best[0] and each.doc_id in said_to_replace)
    ]


def _one_of(tops: Sequence[Contender], order: _Order) -> Contender:
    """The head among documents that nothing follows. Raises _Ambiguous."""
    left = _without_identical_copies(tops)
    if len(left) > 1:  # what is pinned stands beside the others and does not keep them from having a head
        left = [each for each in left if not each.is_left_alone] or left
    living = [each for each in left if each.is_living]
    # where `stable/` and `latest/` stand side by side, the first is what was released, the second may be anything
    living = [each for each in living if each.name.channel_name == "stable"] or living
    if len(left) > 1 and len(living) == 1:
        left = living
        order.why.append(f"{left[0].doc_id} lives on beside the others")
    if len(left) == 1:
        return left[0]
    if (newest := _newest(left, order)) is not None:
        return newest
    why = "are as new as one another, or nobody can tell"
    if _are_a_fork(left, order):
        why = "are each said to replace something, and neither replaces the other"
    elif are_entries_of_a_register(left):
        why = "are entries of a register with one title, and none says that it replaces another"
    raise _Ambiguous(f"{len(left)} documents {why}", {each.doc_id: () for each in left})


def _newest(left: Sequence[Contender], order: _Order) -> Contender | None:
    """The newest by its dates, among documents of one structural family of which dates can tell: not the branches of a
    fork, and no copy, which is always made later."""
    groups = {each.group for each in left}
    if len(groups) > 1 or "" in groups or any(each.is_copy for each in left):
        return None
    if _are_a_fork(left, order) or are_entries_of_a_register(left):
        return None
    newest, why = by_dates(left)
    if newest is None or any(is_newer(each, newest) for each in left):
        return None
    order.why.append(f"{newest.doc_id}: {why}")
    for older, (later, reason) in chain_by_dates(left, newest).items():
        order.after[older][later] = (reason,)
    return newest


def _without_identical_copies(tops: Sequence[Contender]) -> list[Contender]:
    originals = {each.member.content_hash for each in tops if not each.is_copy and each.member.content_hash}
    return [each for each in tops if not (each.is_copy and each.member.content_hash in originals)]


def _are_a_fork(tops: Sequence[Contender], order: _Order) -> bool:
    """Whether two of them are said to replace something: the ends of two branches, however far back they parted."""
    return len({each.doc_id for each in tops} & {newer for _, newer in order.stated}) > 1


def _follow_head(members: Sequence[Contender], head: Contender, order: _Order) -> None:
    """Links to the head of its group what no version and no date put behind another: what its own name or state says is
    put away, and what is fixed where the head lives on. Raises _Ambiguous for one that is superseded and yet newer."""
    for each in members:
        if each is head or order.after.get(each.doc_id) or not each.kin or each.kin != head.kin or _stays(each):
            continue
        newer = is_newer(each, head)
        if each.standing is Standing.SUPERSEDED and newer:
            says = f"says that it is {each.member.lineage.status!r}" if each.member.lineage.status else "is put away"
            raise _Ambiguous(
                f"{each.doc_id} {says}, and bears a higher version than {head.doc_id}",
                {each.doc_id: (), head.doc_id: ()},
            )
        if newer is not None or each.is_copy:
            continue
        if each.standing is Standing.SUPERSEDED or each.name.retired is not None:
            order.after[each.doc_id][head.doc_id] = ("its name or its state says that it is put away",)
        elif head.is_living and each.rank == head.rank and not each.is_living:
            order.after[each.doc_id][head.doc_id] = (f"{head.doc_id} lives on beside it",)


def _is_beside(each: Contender, head: Contender, order: _Order) -> bool:
    """Whether nothing is known of the two but that others are linked to both. What holds beside a head that a person
    chose is what that person left out."""
    if each is head or order.after.get(each.doc_id):
        return False
    is_kin = bool(each.kin) and each.kin == head.kin
    return not is_kin or (head.member.decided.get("is_current") is True and each.tier is Tier.LIVE)


def _canonical(members: Sequence[Contender], head: Contender, relation: Relation) -> Contender | None:
    """The authoritative member: a person's, else the pinned one, else the one that says so, else the head. Of periods
    none is, unless somebody says so. Raises _Ambiguous for two that a person chose."""
    chosen = [each for each in members if each.member.decided.get("is_canonical") is True]
    if len(chosen) > 1:
        raise _Ambiguous(f"a person made {len(chosen)} of them canonical", {each.doc_id: () for each in chosen})
    stated = [each for each in members if is_stated_canonical(each.member.lineage.status)]
    for some in (chosen, [each for each in members if each.is_left_alone], stated):
        if len(some) == 1:
            return some[0]
    return head if relation is Relation.REVISIONS else None


def _decision(
    component: Component,
    family: str,
    relation: Relation,
    members: Sequence[Contender],
    head: Contender | None,
    canonical: Contender | None,
    links: tuple[Link, ...],
    options: tuple[Option, ...],
    why: Sequence[str],
) -> FamilyDecision:
    return FamilyDecision(
        source=component.members[0].key.source,
        family=family,
        relation=relation,
        outcome=Outcome.AMBIGUOUS if head is None else Outcome.DECIDED,
        members=tuple(each.doc_id for each in members),
        versions={each.doc_id: each.version for each in members if each.version},
        current=head.doc_id if head else None,
        canonical=canonical.doc_id if canonical else None,
        links=links,
        options=options,
        why=tuple(dict.fromkeys(why)),
        by_hand={each.doc_id: fields for each in members if (fields := _by_hand(each))},
    )


def _by_hand(each: Contender) -> tuple[str, ...]:
    if each.is_left_alone:
        return tuple(MARKS)
    return tuple(sorted(name for name, value in each.member.decided.items() if name in MARKS and value is not None))
