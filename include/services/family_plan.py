"""From the resolver's decisions to the marks that have to change, family by family, with the reason for each document.

What the resolver recorded earlier (`recorded`) is what it takes back or replaces; a person's marks are never touched:

    documents of a decided family      get the marks of the decision, all of them
    documents of an ambiguous family   keep what was recorded, as long as every document it names is in the family still
    archived documents                 keep what was recorded: nobody sees them, and they may come back
    documents that a person holds      keep what was recorded, where they would be superseded
    all others                         lose what was recorded: their family fell apart, or they are not indexed any more

Pure, but for `context.SourceContext`, whose ledger knows what was recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace

from include.domain.documents import Status
from include.domain.metadata import DocumentPatch, Hand, MetadataChange, Patch, marks_of, merged
from include.domain.plan import Action, Change
from include.families.members import FamilyDecision, Outcome
from include.families.resolve import patches
from include.planning.retirement import FamilyChange, FamilyPlan
from include.services.context import SourceContext
from include.services.metadata_change import plan_change
from include.services.protecting import held_now
from include.services.resolving import Resolved

RESOLVER = "resolver"
_NOTHING: Patch = {}


@dataclass(frozen=True, slots=True)
class Scope:
    """Which families a run may mark: all, the one of this name, or those with one of these documents. `words` say so
    for the record. `is_part`: somebody asked for these alone, so that nothing follows about the others."""

    words: str = "all families"
    family: str = ""
    doc_ids: frozenset[str] | None = None
    is_part: bool = False

    def covers(self, families: Iterable[str], doc_ids: Iterable[str]) -> bool:
        if self.family:
            return self.family in families
        return self.doc_ids is None or not self.doc_ids.isdisjoint(doc_ids)


ALL_FAMILIES = Scope()


def plan_families(
    context: SourceContext, resolved: Resolved, scope: Scope, *, run_id: str
) -> tuple[FamilyPlan, MetadataChange]:
    """The plan for the gate, and the change that it is about. Both are empty when every mark is as it should be."""
    recorded = context.ledger.decided(context.source, Hand.RESOLVER)
    held = held_now(context.ledger, context.source, context.clock.now())
    wanted = wanted_marks(resolved, recorded, held.keys())
    change = plan_change(
        context,
        {doc_id: _from_to(recorded.get(doc_id, _NOTHING), wanted[doc_id]) for doc_id in sorted(wanted)},
        hand=Hand.RESOLVER,
        by=RESOLVER,
        reason="what the documents say of themselves, their names and dates; see the manifest of this run",
        selector=scope.words,
        run_id=run_id,
    )
    by_family = _grouped(change.patches, resolved, recorded, scope)
    others = {hand: context.ledger.decided(context.source, hand) for hand in (Hand.PERSON, Hand.DETECTOR)}
    described = _Described(resolved, others, recorded, wanted)
    families = tuple(
        FamilyChange(family, tuple(described.change(patch.doc_id) for patch in each), tuple(each))
        for family, each in by_family
    )
    kept = tuple(patch for _, each in by_family for patch in each)
    return FamilyPlan(context.source, families, len(resolved.documents)), replace(change, patches=kept)


def wanted_marks(resolved: Resolved, recorded: Mapping[str, Patch], held: Set[str] = frozenset()) -> dict[str, Patch]:
    """What the resolver's record should say, of every document that it speaks of now or has spoken of, but for those
    that a person holds."""
    wanted: dict[str, Patch] = dict.fromkeys(recorded, _NOTHING)
    wanted |= {doc_id: recorded[doc_id] for doc_id in resolved.hidden & recorded.keys()}
    for decision in resolved.decisions:
        if decision.outcome is Outcome.DECIDED:
            wanted |= patches(decision)
            continue
        for doc_id in recorded.keys() & set(decision.members):
            if _named(recorded[doc_id]) <= set(decision.members):
                wanted[doc_id] = recorded[doc_id]
    for doc_id in held & wanted.keys():
        before = recorded.get(doc_id, _NOTHING)
        if wanted[doc_id].get("superseded_by") and not before.get("superseded_by"):
            wanted[doc_id] = before
    return wanted


def _named(marks: Patch) -> set[str]:
    """The documents that these marks link to."""
    links = (*_ids(marks.get("supersedes")), *_ids(marks.get("superseded_by")))
    return set(links)


def _ids(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()


def _from_to(recorded: Patch, wanted: Patch) -> Patch:
    return {**dict.fromkeys(recorded), **wanted}


def _grouped(
    changed: Iterable[DocumentPatch], resolved: Resolved, recorded: Mapping[str, Patch], scope: Scope
) -> list[tuple[str, list[DocumentPatch]]]:
    """The patches by family, sorted by their first document; of families outside of the scope none. A document that no
    decided family has is alone."""
    decided = {
        doc_id: decision
        for decision in resolved.decisions
        if decision.outcome is Outcome.DECIDED
        for doc_id in decision.members
    }
    together: dict[str, list[DocumentPatch]] = {}
    alone: list[tuple[str, list[DocumentPatch]]] = []
    for patch in changed:
        decision = decided.get(patch.doc_id)
        before = recorded.get(patch.doc_id, _NOTHING).get("doc_family")
        if decision is None:
            if scope.covers([str(before)], [patch.doc_id]):
                alone.append(("", [patch]))
        elif scope.covers([decision.family, str(before)], decision.members):
            together.setdefault(decision.family, []).append(patch)
    return sorted([*together.items(), *alone], key=lambda each: each[1][0].doc_id)


class _Described:
    """Says of each document what becomes of it and why."""

    def __init__(
        self,
        resolved: Resolved,
        others: Mapping[Hand, Mapping[str, Patch]],
        recorded: Mapping[str, Patch],
        wanted: Mapping[str, Patch],
    ) -> None:
        self._resolved = resolved
        self._others, self._recorded, self._wanted = others, recorded, wanted
        self._decision = {doc_id: each for each in resolved.decisions for doc_id in each.members}
        self._links = {
            (link.newer, link.older): link.evidence for decision in resolved.decisions for link in decision.links
        }

    def change(self, doc_id: str) -> Change:
        before, after = self._status(doc_id, self._recorded), self._status(doc_id, self._wanted)
        action = Action.MARK
        if doc_id in self._resolved.documents and before is not after:
            if before is Status.PUBLISHED:
                action = Action.RETIRE
            elif after is Status.PUBLISHED:
                action = Action.RESTORE
        return Change(doc_id, action, self._reason(doc_id))

    def _status(self, doc_id: str, resolver: Mapping[str, Patch]) -> Status:
        person, detector = (self._others[hand].get(doc_id, _NOTHING) for hand in (Hand.PERSON, Hand.DETECTOR))
        return marks_of(merged(person, resolver.get(doc_id, _NOTHING), detector)).status

    def _reason(self, doc_id: str) -> str:
        wanted, decision = self._wanted[doc_id], self._decision.get(doc_id)
        if decision is None or decision.outcome is Outcome.AMBIGUOUS:
            return self._why_none(doc_id, decision)
        newer = _ids(wanted.get("superseded_by"))
        if newer:
            return "; ".join(f"superseded by {each}{self._evidence(each, doc_id)}" for each in newer)
        return f"{_role(doc_id, decision)}: {'; '.join(decision.why)}"

    def _evidence(self, newer: str, older: str) -> str:
        evidence = self._links.get((newer, older), ())
        return f": {'; '.join(evidence)}" if evidence else ""

    def _why_none(self, doc_id: str, decision: FamilyDecision | None) -> str:
        if doc_id not in self._resolved.documents:
            return "it is not in the index any more"
        lost = sorted(_named(self._recorded[doc_id]) - self._resolved.documents.keys())
        named = f": {', '.join(lost)} is not in the index any more" if lost else ""
        if decision is None:
            return f"it has no other versions any more{named}"
        return f"its family {decision.family} is ambiguous now and the earlier mark does not fit{named}"


def _role(doc_id: str, decision: FamilyDecision) -> str:
    roles = [
        word for word, holder in (("current", decision.current), ("canonical", decision.canonical)) if holder == doc_id
    ]
    return f"{' and '.join(roles) or 'a member'} of {decision.family}"
