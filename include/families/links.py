"""What the documents of a source say about replacing one another, put together and judged. Pure.

| who says that B replaces A | A is          | B is                          | taken as                         |
|----------------------------|---------------|-------------------------------|----------------------------------|
| a person                   | any           | any                           | a link                           |
| anybody else               | kept or linked by a person | any              | no claim: the person has said    |
| A, or both                 | not in force  | any                           | a link: A says so of itself      |
| A, or both                 | in force      | in force, or replaced in turn | a link                           |
| A, or both                 | in force      | a draft, put off, given up    | disputed: a person has to say    |
| B alone                    | any           | given up (withdrawn, a joke)  | no claim                         |
| B alone                    | any           | in force, or replaced in turn | a link                           |
| B alone                    | put off, given up | a draft, put off          | a link, unless one that is in    |
|                            |               |                               | force replaces A already         |
| B alone                    | in force, a draft | a draft, put off          | no claim: B is not approved yet  |

What the prose says (`Lineage` hints) is none of these: of two documents that hold and of which nothing else is said, it
is asked about (`hinted`).

In force includes what says nothing of its state. A document that says of itself that it is superseded and names
nobody, or only documents that are not here, has an open end: a person has to say by what.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Protocol

from include.families.members import Member
from include.families.names import read_name
from include.families.references import References
from include.families.standing import Standing, is_evergreen, standing_of


class _Verdict(Enum):
    LINK = auto()
    DISPUTED = auto()
    VOID = auto()


@dataclass(frozen=True, slots=True)
class Statement:
    """`newer` is said to replace `older`; both are doc ids. `said` are the statements in words."""

    newer: str
    older: str
    by_newer: bool = False
    by_older: bool = False
    by_person: bool = False
    said: tuple[str, ...] = ()


class Stands(Protocol):
    """How documents stand, by doc id."""

    def now(self, doc_id: str) -> Standing:
        """As a person decided, else by itself."""
        ...

    def by_itself(self, doc_id: str) -> Standing:
        """What its claims weigh: that a person retired a draft later makes them no truer."""
        ...


@dataclass(frozen=True, slots=True)
class Statements:
    """Everything that was said of one source's documents, sorted.

    `links` hold, `disputed` need a person, `void` claims have no force and say why. `open_ends` are documents that are
    superseded by nobody known, `unresolved` are references without a document; each with what it says, by doc id.
    `hinted` is what prose says beside all that: a reason to ask, never a link.
    """

    links: tuple[Statement, ...] = ()
    disputed: tuple[Statement, ...] = ()
    void: tuple[Statement, ...] = ()
    open_ends: Mapping[str, str] = field(default_factory=dict)
    unresolved: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    hinted: tuple[Statement, ...] = ()


def read_statements(members: Sequence[Member], stands: Stands) -> Statements:
    """The statements of these documents of one source, judged."""
    by_id = {member.key.doc_id: member for member in members}
    references = References(members)
    said, unresolved, missing = _gathered(members, by_id, references)
    replaced = {older for (_, older), statement in said.items() if statement.by_older}
    kept = {member.key.doc_id: why for member in members if (why := _kept_by_a_person(member))}
    decided = {pair for pair, statement in said.items() if statement.by_person}
    judged: dict[_Verdict, list[Statement]] = {verdict: [] for verdict in _Verdict}
    for statement in said.values():
        verdict, why = _judged(statement, stands, replaced, kept, decided)
        judged[verdict].append(replace(statement, said=(*statement.said, why)) if why else statement)
    links, rivals = _without_rivals(judged[_Verdict.LINK], stands)
    disputed, void = judged[_Verdict.DISPUTED], [*judged[_Verdict.VOID], *rivals]
    successors = {statement.older for statement in (*links, *disputed)}
    open_ends = {doc_id: why for doc_id, why in _open_ends(members, missing) if doc_id not in successors}
    hints = _hints(members, by_id, references)
    hinted = [each for each in hints if _is_open(each, stands, by_id, successors)]
    return Statements(_sorted(links), _sorted(disputed), _sorted(void), open_ends, unresolved, _sorted(hinted))


def _gathered(
    members: Sequence[Member], by_id: Mapping[str, Member], references: References
) -> tuple[dict[tuple[str, str], Statement], dict[str, tuple[str, ...]], dict[str, list[str]]]:
    """(statements by newer and older, unresolved references by who makes them, successors that are not here)."""
    said: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    unresolved: dict[str, list[str]] = defaultdict(list)
    missing: dict[str, list[str]] = defaultdict(list)
    for member in members:
        doc_id, lineage = member.key.doc_id, member.lineage
        for reference, is_successor in (
            *((each, True) for each in lineage.superseded_by),
            *((each, False) for each in lineage.supersedes),
        ):
            verb = "is superseded by" if is_successor else "supersedes"
            target = references.find(reference, member)
            why = target.why
            if target.doc_id is not None and not _one_language(member, by_id[target.doc_id]):
                why = f"{reference!r} is {target.doc_id}, in another language"
            if why:
                unresolved[doc_id].append(f"says that it {verb} {reference!r}: {why}")
                if is_successor:
                    missing[doc_id].append(reference)
            elif target.doc_id and target.doc_id != doc_id:
                pair = (target.doc_id, doc_id) if is_successor else (doc_id, target.doc_id)
                said[pair].append(("older" if is_successor else "newer", f"{doc_id} says that it {verb} {reference!r}"))
        for newer in _texts(member.decided.get("superseded_by")):
            if newer in by_id and newer != doc_id:
                said[newer, doc_id].append(("person", f"a person decided that {newer} supersedes {doc_id}"))
        for older in _texts(member.decided.get("supersedes")):
            if older in by_id and older != doc_id:
                said[doc_id, older].append(("person", f"a person decided that {doc_id} supersedes {older}"))
    statements = {
        (newer, older): Statement(
            newer,
            older,
            by_newer=any(who == "newer" for who, _ in each),
            by_older=any(who == "older" for who, _ in each),
            by_person=any(who == "person" for who, _ in each),
            said=tuple(sorted({words for _, words in each})),
        )
        for (newer, older), each in said.items()
    }
    return statements, {doc_id: tuple(sorted(each)) for doc_id, each in sorted(unresolved.items())}, missing


def _hints(members: Sequence[Member], by_id: Mapping[str, Member], references: References) -> list[Statement]:
    """What prose says of two documents of one language that are here, each pair once."""
    said: dict[tuple[str, str], set[str]] = defaultdict(set)
    for member in members:
        doc_id, lineage = member.key.doc_id, member.lineage
        for hints, is_successor in ((lineage.hints_superseded_by, True), (lineage.hints_supersedes, False)):
            for hint in hints:
                target = references.find(hint.reference, member).doc_id
                if target is not None and target != doc_id and _one_language(member, by_id[target]):
                    pair = (target, doc_id) if is_successor else (doc_id, target)
                    said[pair].add(f"the text of {doc_id} says: {hint.sentence}")
    return [Statement(newer, older, said=tuple(sorted(words))) for (newer, older), words in sorted(said.items())]


def _is_open(hint: Statement, stands: Stands, by_id: Mapping[str, Member], followed: AbstractSet[str]) -> bool:
    """Whether nothing surer answers it: no statement says what follows the older one, it is not given up, the newer one
    holds, and no person spoke of either. One that is superseded by nobody known may be told by whom."""
    newer, older = stands.now(hint.newer), stands.now(hint.older)
    if hint.older in followed or not newer.holds or not (older.holds or older is Standing.SUPERSEDED):
        return False
    return not any(_is_answered(by_id[doc_id]) for doc_id in (hint.newer, hint.older))


def _is_answered(member: Member) -> bool:
    """Whether a person has said anything of its place, or it is not to be replaced."""
    answers = ("doc_family", "is_current", "is_canonical", "status", "supersedes", "superseded_by")
    return any(member.decided.get(name) is not None for name in answers) or bool(_kept_by_a_person(member))


def _judged(
    statement: Statement,
    stands: Stands,
    replaced: set[str],
    kept: Mapping[str, str],
    decided: set[tuple[str, str]],
) -> tuple[_Verdict, str]:
    """The verdict and why. `replaced` are documents that name a successor, `kept` those that a person spoke of,
    `decided` the links, (newer, older), that a person made."""
    newer, older = stands.now(statement.newer), stands.now(statement.older)
    if statement.by_person:
        return _Verdict.LINK, ""
    if statement.older in kept:
        return _Verdict.VOID, kept[statement.older]
    if (statement.older, statement.newer) in decided:
        return _Verdict.VOID, f"a person decided that {statement.older} supersedes {statement.newer}"
    if statement.by_older:
        if not older.holds or newer.holds or newer is Standing.SUPERSEDED or statement.newer in replaced:
            return _Verdict.LINK, ""
        return _Verdict.DISPUTED, f"{statement.newer} is {newer.value}, {statement.older} is {older.value}"
    newer = stands.by_itself(statement.newer)
    if newer is Standing.RETIRED:
        return _Verdict.VOID, f"{statement.newer} is {newer.value}: what it claims has no force"
    if newer.holds or newer is Standing.SUPERSEDED or not (older.holds or older is Standing.PENDING):
        return _Verdict.LINK, ""
    return _Verdict.VOID, f"{statement.newer} is {newer.value}: until it is approved, {statement.older} stays"


def _without_rivals(links: Sequence[Statement], stands: Stands) -> tuple[list[Statement], list[Statement]]:
    """(links that stay, claims that give way): a draft that nothing followed is no successor beside one in force."""
    followed = {statement.older for statement in links}
    approved = {statement.older for statement in links if stands.now(statement.newer).holds}
    kept, given_way = [], []
    for statement in links:
        is_own_claim = not (statement.by_older or statement.by_person)
        is_draft = (
            stands.now(statement.newer) in (Standing.PENDING, Standing.STALLED) and statement.newer not in followed
        )
        if is_own_claim and is_draft and statement.older in approved:
            why = (
                f"{statement.newer} is {stands.now(statement.newer).value}, and one in force replaces {statement.older}"
            )
            given_way.append(replace(statement, said=(*statement.said, why)))
        else:
            kept.append(statement)
    return kept, given_way


def _open_ends(members: Sequence[Member], missing: Mapping[str, Sequence[str]]) -> Iterable[tuple[str, str]]:
    for member in members:
        doc_id = member.key.doc_id
        if _kept_by_a_person(member) or "status" in member.decided:
            continue
        if absent := missing.get(doc_id):
            yield doc_id, f"{doc_id} says that it is superseded by {', '.join(map(repr, absent))}, which is not here"
        elif standing_of(member.lineage.status) is Standing.SUPERSEDED:
            yield doc_id, f"{doc_id} says that it is {member.lineage.status!r} and names no successor"


def _kept_by_a_person(member: Member) -> str:
    """Why nothing but a person's own word replaces this document; empty where anything may."""
    doc_id, decided = member.key.doc_id, member.decided
    if member.pinned:
        return f"{doc_id} is pinned"
    if is_evergreen(member.lineage.status, member.content_type):
        return f"{doc_id} is evergreen"
    if decided.get("is_current") is True or decided.get("status") == "published":
        return f"a person decided that {doc_id} holds"
    if _texts(decided.get("superseded_by")):
        return f"a person decided what supersedes {doc_id}"
    return ""


def _one_language(one: Member, other: Member) -> bool:
    """Whether nothing says that they are in two: `en` may be `en-US`, `pt-BR` is not `pt-PT`."""
    first, second = map(_language, (one, other))
    return not first or not second or f"{first}-".startswith(f"{second}-") or f"{second}-".startswith(f"{first}-")


def _language(member: Member) -> str:
    lang = member.lang or read_name(member.key.doc_id, member.title).lang or ""
    return lang.casefold().replace("_", "-")


def _sorted(statements: Iterable[Statement]) -> tuple[Statement, ...]:
    return tuple(sorted(statements, key=lambda each: (each.older, each.newer)))


def _texts(value: object) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list | tuple) else ()
