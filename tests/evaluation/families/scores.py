"""What the resolver said of a register, against the truth: links, heads, and where the undecided rest went."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from include.families.members import FamilyDecision, Outcome
from include.families.resolve import resolve
from tests.evaluation.families.likeness import Likeness
from tests.evaluation.families.registers import Pair, Register, Shown, leads_to, register


@dataclass(frozen=True)
class Score:
    """Of one register. Links and documents are named by the register's ids.

    right, wrong_pairs links that were made; a right one follows the true claims in one step or more; `wrong` in words
    found, missed      true claims with a link of their own, and those without
    in_review          of what was missed: both documents wait for a person, the true head among the options
    heads_right/wrong  heads of decided families of which the truth knows one
    heads_in_review    families with a true head that wait for a person with it among the options
    heads_unseen       families with a true head of which the resolver says nothing
    forks_in_review    claims of which a person has to say, with both sides among the options; `forks_decided` others
    unjudged           decided families of which the truth says nothing
    """

    register: str
    shown: Shown
    right: frozenset[Pair]
    wrong_pairs: frozenset[Pair]
    wrong: tuple[str, ...]
    found: frozenset[Pair]
    missed: frozenset[Pair]
    in_review: frozenset[Pair]
    heads_right: frozenset[str]
    heads_wrong: tuple[str, ...]
    heads_in_review: frozenset[str]
    heads_unseen: frozenset[str]
    forks_in_review: frozenset[Pair]
    forks_decided: frozenset[Pair]
    unjudged: tuple[str, ...]
    open_ends: int

    @property
    def precision(self) -> float | None:
        made = len(self.right) + len(self.wrong)
        return len(self.right) / made if made else None

    @property
    def recall(self) -> float | None:
        true = len(self.found) + len(self.missed)
        return len(self.found) / true if true else None


@cache
def score(name: str, shown: Shown) -> Score:
    """What the resolver makes of one register, seeing so much of its headers."""
    made = register(name, shown)
    decisions = resolve(made.members, Likeness(made.texts))
    truth, ids = made.truth, made.ids
    links = {(ids[link.newer], ids[link.older]): (decision, link) for decision in decisions for link in decision.links}
    right = {pair for pair in links if truth.leads_to(pair[1], pair[0])}
    wrong = tuple(
        f"{newer} over {older} in {decision.family}: {'; '.join(link.evidence)}"
        for (newer, older), (decision, link) in sorted(links.items())
        if (newer, older) not in right
    )
    # what leads from the older to the newer over documents in between is found as well
    reached = {pair for pair in truth.true if leads_to(links, pair[1], pair[0])}
    waiting = _waiting(made, decisions)
    missed = truth.true - reached
    heads_right, heads_wrong, unjudged = _heads(made, decisions)
    with_head = {family for family, heads in truth.heads.items() if heads}
    in_review = {
        family for family in with_head if any(truth.heads[family] & options for _, options in waiting)
    } - heads_right
    return Score(
        register=name,
        shown=shown,
        right=frozenset(right),
        wrong_pairs=frozenset(links.keys() - right),
        wrong=wrong,
        found=frozenset(reached),
        missed=frozenset(missed),
        in_review=frozenset(
            (newer, older)
            for newer, older in missed
            if any({newer, older} <= members and _head_of(made, newer) & options for members, options in waiting)
        ),
        heads_right=frozenset(heads_right),
        heads_wrong=heads_wrong,
        heads_in_review=frozenset(in_review),
        heads_unseen=frozenset(with_head - heads_right - in_review - {family for family, _ in _wrong(made, decisions)}),
        forks_in_review=frozenset(pair for pair in truth.forked if any(pair[0] in options for _, options in waiting)),
        forks_decided=truth.forked & links.keys(),
        unjudged=unjudged,
        open_ends=sum(len(decision.members) == 1 for decision in decisions),
    )


def _waiting(made: Register, decisions: tuple[FamilyDecision, ...]) -> list[tuple[set[str], set[str]]]:
    """(members, options) of each ambiguous family."""
    return [
        ({made.ids[each] for each in decision.members}, {made.ids[option.doc_id] for option in decision.options})
        for decision in decisions
        if decision.outcome is Outcome.AMBIGUOUS
    ]


def _head_of(made: Register, doc_id: str) -> frozenset[str]:
    families = [family for family, members in made.truth.families.items() if doc_id in members]
    return frozenset().union(*(made.truth.heads[family] for family in families))


def _heads(made: Register, decisions: tuple[FamilyDecision, ...]) -> tuple[set[str], tuple[str, ...], tuple[str, ...]]:
    right: set[str] = set()
    unjudged = []
    for decision in decisions:
        if decision.current is None:
            continue
        head = made.ids[decision.current]
        families = _families(made, decision)
        right |= {family for family in families if head in made.truth.heads[family]}
        if not families:
            unjudged.append(f"{decision.family}: {head} of {len(decision.members)}, {decision.relation.value}")
    wrong = tuple(
        f"{family}: {head}, not {', '.join(sorted(made.truth.heads[family]))}"
        for family, head in _wrong(made, decisions)
    )
    return right, wrong, tuple(unjudged)


def _wrong(made: Register, decisions: tuple[FamilyDecision, ...]) -> list[tuple[str, str]]:
    return [
        (family, made.ids[decision.current])
        for decision in decisions
        if decision.current is not None
        for family in _families(made, decision)
        if made.ids[decision.current] not in made.truth.heads[family]
    ]


def _families(made: Register, decision: FamilyDecision) -> list[str]:
    """The true families that a decision is about: two of their documents are in it, or its head is in one."""
    members = {made.ids[each] for each in decision.members}
    return [family for family, theirs in sorted(made.truth.families.items()) if len(members & theirs) > 1]
