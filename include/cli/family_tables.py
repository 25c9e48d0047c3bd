"""Families on a terminal: what the resolver would mark, all families of a source, one family as a tree."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.markup import escape
from rich.padding import Padding
from rich.tree import Tree

from include.domain.documents import Status
from include.domain.plan import Action
from include.families.members import FamilyDecision, Link, Outcome, Relation
from include.families.proposals import Rejected
from include.planning.retirement import FamilyChange
from include.services.judging_families import Planned
from include.services.resolving import IndexedMember, Resolved
from include.terminal import out

_SHOWN = 10
"""Documents of a rejected proposal that are listed."""


def family_record(decision: FamilyDecision, resolved: Resolved) -> dict[str, Any]:
    """A family for programs: decision, members with what the index says of them now, links and options with reasons."""
    return {
        "family": decision.family,
        "relation": decision.relation.value,
        "outcome": decision.outcome.value,
        "current": decision.current,
        "canonical": decision.canonical,
        "members": [_member_record(doc_id, decision, resolved.documents[doc_id]) for doc_id in decision.members],
        "links": [
            {"newer": link.newer, "older": link.older, "evidence": list(link.evidence)} for link in decision.links
        ],
        "options": [{"doc_id": option.doc_id, "evidence": list(option.evidence)} for option in decision.options],
        "why": list(decision.why),
    }


def _member_record(doc_id: str, decision: FamilyDecision, indexed: IndexedMember) -> dict[str, Any]:
    member, said = indexed.member, indexed.said
    return {
        "doc_id": doc_id,
        "title": member.title,
        "url": member.url,
        "version": decision.versions.get(doc_id, ""),
        "date": _date(indexed),
        "pinned": member.pinned,
        "status": said.get("status"),
        "is_current": said.get("is_current"),
        "is_canonical": said.get("is_canonical"),
        "superseded_by": list(_ids(said.get("superseded_by"))),
    }


def print_family_plan(source: str, planned: Planned) -> None:
    """The families that would be marked, those that a person has to decide, and what the gate says."""
    decisions = {decision.family: decision for decision in planned.resolved.decisions}
    for title, changes in (
        (f"{source}: would be marked now", planned.verdict.allowed),
        (f"{source}: held (plan {planned.verdict.checksum})", planned.verdict.held),
    ):
        _print_changes(title, changes, decisions)
    for hold in planned.verdict.holds:
        out.print(f"[red]{escape(hold.message)}[/]")
    ambiguous = [each for each in planned.resolved.decisions if each.outcome is Outcome.AMBIGUOUS]
    if ambiguous:
        out.print(f"[bold underline]{source}: for a person to decide[/]")
    for decision in ambiguous:
        _print_question(decision, planned.resolved)
    plan = planned.plan
    touched = sum(bool(family.family) for family in plan.families)
    decided = len(planned.resolved.decisions) - len(ambiguous)
    out.print(
        f"{source}: {plan.indexed_documents} documents, {decided + len(ambiguous)} families: {touched} to be marked "
        f"({plan.retirements} more documents superseded), {len(ambiguous)} for a person to decide"
    )
    if plan.changes:
        out.print(f"  next: truecopy resolve {source} --apply")
    if planned.verdict.held:
        out.print(
            f"  then: truecopy approve {source} {planned.verdict.checksum} --reason …, for what is held", soft_wrap=True
        )


def _print_changes(title: str, changes: Sequence[FamilyChange], decisions: Mapping[str, FamilyDecision]) -> None:
    if not changes:
        return
    out.print(f"[bold underline]{escape(title)}[/]")
    for change in changes:
        decision = decisions.get(change.family)
        if decision is None:
            for each in change.changes:
                back = "superseded no longer" if each.action is Action.RESTORE else "its marks are taken away"
                out.print(f"[bold]{escape(each.doc_id)}[/]  {back}")
                _print_below(each.reason)
        else:
            out.print(_summary(decision, len(change.retired)))
            _print_below("; ".join(decision.why))


def _print_below(text: str) -> None:
    out.print(Padding(f"[dim]{escape(text)}[/]", (0, 0, 0, 4), expand=False))


def _summary(decision: FamilyDecision, retired: int | None = None) -> str:
    """A family on one line: what holds, what is authoritative if that is another, how many are superseded."""
    older = len({link.older for link in decision.links})
    parts = [f"current [green]{escape(decision.current)}[/]"] if decision.current else []
    if decision.canonical and decision.canonical != decision.current:
        parts.append(f"canonical [green]{escape(decision.canonical)}[/]")
    parts.append(f"{older} superseded" + (f" ({retired} new)" if retired and retired != older else ""))
    if decision.relation is Relation.PERIODS:
        parts.append("each holds for its own time")
    return f"[bold]{escape(decision.family)}[/]  {' · '.join(parts)}"


def _print_question(decision: FamilyDecision, resolved: Resolved) -> None:
    out.print(f"[yellow]{escape(decision.family)} is ambiguous[/]: {escape('; '.join(decision.why))}")
    for option in decision.options:
        said = "; ".join(option.evidence) or _facts(option.doc_id, decision, resolved.documents[option.doc_id])
        out.print(f"  [bold]{escape(option.doc_id)}[/]: {escape(said)}")
    command = shlex.join(["truecopy", "decide", decision.source, decision.family])
    out.print(f"  [dim]{escape(command)} --head … --reason …[/]")


def print_families(resolved: Resolved) -> None:
    """One line for each decided family, then the questions."""
    ambiguous = [each for each in resolved.decisions if each.outcome is Outcome.AMBIGUOUS]
    for decision in resolved.decisions:
        if decision.outcome is Outcome.DECIDED:
            out.print(f"{_summary(decision)}  [dim]of {len(decision.members)}[/]")
    for decision in ambiguous:
        _print_question(decision, resolved)
    out.print(
        f"{resolved.source}: {len(resolved.decisions)} families among {len(resolved.documents)} documents, "
        f"{len(ambiguous)} for a person to decide"
    )
    if resolved.rejected:
        out.print(
            f"  {len(resolved.rejected)} more by their names alone: truecopy families {resolved.source} --rejected"
        )


def rejected_record(rejected: Rejected) -> dict[str, Any]:
    return {"family": rejected.family, "doc_ids": list(rejected.doc_ids), "why": rejected.why}


def print_rejected(source: str, rejected: Sequence[Rejected]) -> None:
    """What names propose as a family, and why it is none."""
    for each in rejected:
        out.print(f"[bold]{escape(each.family)}[/]  [dim]{len(each.doc_ids)} documents[/]")
        _print_below(each.why)
        for doc_id in each.doc_ids[:_SHOWN]:
            out.print(f"    {escape(doc_id)}")
        if len(each.doc_ids) > _SHOWN:
            out.print(f"    [dim]and {len(each.doc_ids) - _SHOWN} more; --json lists all[/]")
    out.print(f"{source}: {len(rejected)} families that names propose are none")


def print_family(decision: FamilyDecision, resolved: Resolved) -> None:
    """Each head, and below it everything that it supersedes, step by step, with the evidence for each link."""
    is_open = decision.outcome is Outcome.AMBIGUOUS
    outcome = "[yellow]ambiguous[/]" if is_open else "decided"
    tree = Tree(f"[bold]{escape(decision.family)}[/] · {decision.relation.value} · {outcome}")
    for reason in decision.why if not is_open else ():
        tree.add(f"[dim]{escape(reason)}[/]")
    older: dict[str, list[Link]] = defaultdict(list)
    for link in sorted(decision.links, key=lambda link: link.older):
        older[link.newer].append(link)
    replaced = {link.older for link in decision.links}
    placed: set[str] = set()
    # Heads first. What is left over then hangs in a circle, and is shown all the same.
    for doc_id in sorted(decision.members, key=lambda each: (each in replaced, each != decision.current, each)):
        if doc_id not in placed:
            branch = tree.add(_line(doc_id, decision, resolved.documents[doc_id]))
            for link in _below(doc_id, older, placed):
                branch.add(_line(link.older, decision, resolved.documents[link.older], link))
    out.print(tree)
    if is_open:
        _print_question(decision, resolved)


def _below(head: str, older: Mapping[str, Sequence[Link]], placed: set[str]) -> Iterator[Link]:
    """The links that lead down from a document, nearest first, each document once."""
    waiting = [head]
    placed.add(head)
    while waiting:
        for link in older.get(waiting.pop(0), ()):
            if link.older not in placed:
                placed.add(link.older)
                waiting.append(link.older)
                yield link


def _line(doc_id: str, decision: FamilyDecision, indexed: IndexedMember, link: Link | None = None) -> str:
    holders = (("current", decision.current), ("canonical", decision.canonical))
    roles = " · ".join(name for name, holder in holders if holder == doc_id)
    parts = [f"[bold]{escape(doc_id)}[/] [green]{roles}[/]" if roles else escape(doc_id)]
    parts += ["[cyan]pinned[/]"] if indexed.member.pinned else []
    parts += [f"[dim]{escape(_facts(doc_id, decision, indexed))}[/]"]
    if link:
        parts.append(f"\n  superseded by {escape(link.newer)}: {escape('; '.join(link.evidence))}")
    status = str(indexed.said.get("status", "unknown"))
    if (status == Status.SUPERSEDED) != bool(link):
        parts.append(f"\n  [yellow]the index says {escape(status)}[/]")
    return " ".join(parts)


def _facts(doc_id: str, decision: FamilyDecision, indexed: IndexedMember) -> str:
    version = decision.versions.get(doc_id, "")
    return " · ".join(part for part in (indexed.member.title, version, _date(indexed)) if part)


def _date(indexed: IndexedMember) -> str:
    date = indexed.member.effective_date or indexed.member.created_at
    return f"{date.value:%Y-%m-%d}" if date else ""


def _ids(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()
