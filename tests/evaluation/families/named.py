"""Families that are known by their names alone (`families.jsonl`), and which docs version was the latest at a date.

All families of one repository are resolved together, as one source, so that one may be taken for another. Texts are not
given, and titles only where a register has them: similarity confirms whatever structure proposes.

| relation of the truth | what is right                                                                          |
|-----------------------|----------------------------------------------------------------------------------------|
| version               | one family of revisions, the current one its head, links along the true order          |
| period, per-version   | one family of periods, without links; the current one, where the truth knows one       |
| twins, series         | no link between any two of them                                                        |
| instance              | the current one is head, or among the options; nothing is linked where there is none   |
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from include.domain.documents import DocumentKey
from include.families.members import FamilyDecision, Member, Outcome, Relation
from include.families.resolve import resolve
from tests.evaluation.families.registers import DATA, Shown, register


@dataclass(frozen=True)
class NamedFamily:
    name: str
    relation: str
    repository: str
    order: tuple[frozenset[str], ...]
    current: frozenset[str]

    @property
    def members(self) -> frozenset[str]:
        return frozenset().union(*self.order)


@dataclass(frozen=True)
class Verdict:
    """What became of one family: `right`, `in review` (with the true head among the options, where it has one),
    `apart` (its members were not put together) or `wrong`; `why` says more."""

    family: NamedFamily
    outcome: str
    why: str
    links: int = 0
    wrong_links: tuple[str, ...] = ()


def named_families() -> tuple[NamedFamily, ...]:
    lines = (DATA / "families" / "families.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(_family(json.loads(line)) for line in lines)


def judge_families() -> list[Verdict]:
    families = named_families()
    by_repository: dict[str, list[NamedFamily]] = defaultdict(list)
    for family in families:
        by_repository[family.repository].append(family)
    verdicts = []
    for repository, theirs in by_repository.items():
        names = sorted({name for family in theirs for name in family.members})
        decisions = resolve([_member(repository, name) for name in names], lambda _one, _other: 1.0)
        verdicts += [_judge(family, decisions) for family in theirs]
    return sorted(verdicts, key=lambda verdict: verdict.family.name)


def latest_by_date() -> Iterator[tuple[str, str, str | None]]:
    """(date, the docs version that the site called latest, the one that the resolver calls current), of the folders
    that were there then, and `master`, which is being written. A date is left out on which the latest had no folder."""
    (crossplane,) = (family for family in named_families() if family.repository == "crossplane/docs")
    rows = (DATA / "families" / "families.jsonl").read_text(encoding="utf-8").splitlines()
    order = next(row for row in map(json.loads, rows) if row["family"] == crossplane.name)["true_order"]
    for line in (DATA / "families" / "crossplane-latest.jsonl").read_text(encoding="utf-8").splitlines():
        said = json.loads(line)
        there = [row["name"] for row in order if row["first_commit"] <= said["date"][:10]]
        if f"content/v{said['latest']}/" not in there:
            continue
        members = [_member("crossplane/docs", _page(name)) for name in (*there, "content/master/")]
        decided = resolve(members, lambda _one, _other: 1.0)
        current = decided[0].current if decided else members[0].key.doc_id if len(there) == 1 else None
        yield said["date"][:10], said["latest"], current and current.split("/")[1].removeprefix("v")


def _family(row: dict[str, object]) -> NamedFamily:
    order = row["true_order"]
    assert isinstance(order, list)
    assert isinstance(row["current"], list)
    return NamedFamily(
        str(row["family"]),
        str(row["relation"]),
        str(row["repo"]),
        tuple(frozenset(map(_page, names if isinstance(names := each["name"], list) else [names])) for each in order),
        frozenset(map(_page, row["current"])),
    )


def _page(name: str) -> str:
    """A folder stands for one page in it."""
    return f"{name}install.md" if name.endswith("/") else name


def _member(repository: str, name: str) -> Member:
    return Member(DocumentKey(repository, name), _known_titles().get(name, ""), f"https://{repository}/{name}")


@cache
def _known_titles() -> dict[str, str]:
    registers = ("peps", "adr-moj-cloud-platform")
    return {member.key.doc_id: member.title for name in registers for member in register(name, Shown.NOTHING).members}


def _judge(family: NamedFamily, decisions: tuple[FamilyDecision, ...]) -> Verdict:
    about = [decision for decision in decisions if len(family.members & set(decision.members)) > 1]
    place = {name: at for at, names in enumerate(family.order) for name in names}
    links = [
        (link.newer, link.older)
        for decision in about
        for link in decision.links
        if link.newer in place or link.older in place
    ]
    may_link = family.relation in ("version", "instance")
    wrong = tuple(
        f"{newer} over {older}"
        for newer, older in links
        if not may_link or newer not in place or older not in place or place[newer] <= place[older]
    )
    if wrong:
        return Verdict(family, "wrong", f"{len(wrong)} wrong links", len(links), wrong)
    if family.relation in ("twins", "series") or (family.relation == "instance" and not family.current and not about):
        return Verdict(family, "right", "nothing replaces anything", len(links))
    whole = [decision for decision in about if family.members <= set(decision.members)]
    if not whole:
        seen = sorted((len(family.members & set(decision.members)) for decision in about), reverse=True)
        return Verdict(family, "apart", f"{len(family.members)} members, together {seen or 'none'}", len(links))
    (decision,) = whole
    if decision.outcome is Outcome.AMBIGUOUS:
        options = {option.doc_id for option in decision.options}
        is_there = not family.current or bool(family.current & options)
        return Verdict(family, "in review" if is_there else "wrong", "; ".join(decision.why[-1:]))
    expected = Relation.REVISIONS if may_link else Relation.PERIODS
    if decision.relation is not expected:
        return Verdict(family, "wrong", f"taken for {decision.relation.value}", len(links))
    if family.current and decision.current not in family.current:
        return Verdict(family, "wrong", f"current: {decision.current}, not {', '.join(family.current)}", len(links))
    return Verdict(family, "right", f"current: {decision.current}", len(links))
