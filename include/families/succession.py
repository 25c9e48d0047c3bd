"""Which member of a family follows which: by version first, by dates where versions leave it open. Pure.

A version, or a date, orders those that bear one; what bears none is neither newer nor older than they are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from include.domain.dates import EvidencedDate
from include.families.contenders import STATED, Contender, Rank, Tier, trusted
from include.families.versions import Kind, Version, compare

_CRITERIA = (
    STATED,
    *(kind.value for kind in (Kind.NUMBER, Kind.ORDINAL, Kind.DATE, Kind.FISCAL, Kind.SEASON, Kind.STAGE)),
)
_MOST_LEADERS = 20
"""Of more that share the highest version none is the head, whatever else they say."""

_SAYS_WHICH_FIRST = {name: place for place, name in enumerate(_CRITERIA)}


@dataclass(slots=True)
class Succession:
    """`after` names, by doc id, the direct successors with the reason for each. `at_odds`: two ways of ordering name
    different heads; what they say, by doc id."""

    after: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    at_odds: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    why: list[str] = field(default_factory=list)


def by_versions(members: Sequence[Contender]) -> Succession:
    """The succession of one structural family's members by the versions they bear."""
    found = Succession()
    base = max(each.rank for each in members)
    if base[0] is Tier.OVER:
        return found
    remaining: Sequence[Contender] = members
    used: set[str] = set()
    while len(remaining) > 1:
        criterion = _most_telling(remaining, used)
        if criterion is None:
            break
        leaders = _order(remaining, criterion, base, found)
        if not used and len(leaders) <= _MOST_LEADERS:
            _check_others(members, leaders, criterion, base, found)
        used.add(criterion)
        remaining = leaders
    return found


def by_dates(tops: Sequence[Contender]) -> tuple[Contender | None, str]:
    """(the one of these that is newest by its trusted dates, in words why), or None: one date is not known, or two are
    the same as far as they go. An unknown date never wins and never loses."""
    leaders = list(tops)
    for name, dates in _dates(tops):
        if any(each.doc_id not in dates for each in leaders):
            continue
        best = max(leaders, key=lambda each: dates[each.doc_id].value)
        leaders = [each for each in leaders if not _is_later(dates[best.doc_id], dates[each.doc_id])]
        if len(leaders) == 1:
            date = dates[best.doc_id]
            return best, f"its {name} {date.value:%Y-%m-%d} ({date.origin}) is the newest"
    return None, ""


def chain_by_dates(tops: Sequence[Contender], head: Contender) -> dict[str, tuple[str, str]]:
    """(the next one by date, in words why) for each but the head, of which `by_dates` says that it is the newest."""
    for name, dates in _dates(tops):
        if any(each.doc_id not in dates for each in tops):
            continue
        in_order = sorted(tops, key=lambda each: (dates[each.doc_id].value, each.doc_id))
        found = {}
        for place, each in enumerate(in_order):
            date = dates[each.doc_id]
            later = next((one for one in in_order[place + 1 :] if _is_later(dates[one.doc_id], date)), head)
            if each is not head:
                found[each.doc_id] = (later.doc_id, f"{name} {date.value:%Y-%m-%d} comes before its own")
        return found
    return {}


def _dates(members: Sequence[Contender]) -> Iterator[tuple[str, dict[str, EvidencedDate]]]:
    for name in ("effective_date", "created_at"):
        found = {each.doc_id: trusted(getattr(each.member, name)) for each in members}
        yield name.replace("_", " "), {doc_id: date for doc_id, date in found.items() if date is not None}


def is_newer(one: Contender, other: Contender) -> bool | None:
    """Whether one is newer than the other by the first versions that both bear and that can be compared."""
    for criterion in _CRITERIA:
        if (first := one.versions.get(criterion)) and (second := other.versions.get(criterion)):
            order = compare(first, second)
            if order:
                return order > 0
    return None


def _most_telling(members: Sequence[Contender], used: set[str]) -> str | None:
    """The kind of version that most of them bear, two at least."""
    bearing: dict[str, int] = defaultdict(int)
    for each in members:
        for criterion in each.versions:
            bearing[criterion] += criterion not in used
    telling = [criterion for criterion, number in bearing.items() if number > 1]
    return min(telling, key=lambda each: (-bearing[each], _SAYS_WHICH_FIRST.get(each, len(_CRITERIA))), default=None)


def _order(members: Sequence[Contender], criterion: str, base: Rank, found: Succession) -> list[Contender]:
    """Links each to the next higher of the base rank; the base rank's members that nothing follows."""
    lines: dict[tuple[Kind, str], list[Contender]] = defaultdict(list)
    for each in members:
        if version := each.versions.get(criterion):
            lines[version.kind, version.line].append(each)
    for line in lines.values():
        line.sort(key=lambda each: (each.versions[criterion].low, each.versions[criterion].high, each.doc_id))
        eligible = [each for each in line if each.rank == base]
        start = 0
        for each in line:
            mine = each.versions[criterion]
            while start < len(eligible) and eligible[start].versions[criterion].low <= mine.low:
                start += 1
            following = _next(eligible, start, mine, criterion)
            for other in following:
                why = f"{criterion} {mine} comes before {other.versions[criterion]}"
                found.after[each.doc_id].setdefault(other.doc_id, why)
    return [each for each in members if each.rank == base and not found.after.get(each.doc_id)]


def _next(eligible: Sequence[Contender], start: int, mine: Version, criterion: str) -> list[Contender]:
    """The first that is newer, and those that are as new as it."""
    following: list[Contender] = []
    for other in eligible[start:]:
        theirs = other.versions[criterion]
        if following:
            if compare(theirs, following[0].versions[criterion]) != 0:
                break
            following.append(other)
        elif compare(theirs, mine) == 1:
            following.append(other)
    return following


def _check_others(
    members: Sequence[Contender], leaders: Sequence[Contender], criterion: str, base: Rank, found: Succession
) -> None:
    """Whether another kind of version calls something newer than what this one puts first."""
    for other in _CRITERIA:
        if other in (criterion, Kind.STAGE.value):
            continue
        for leader in leaders:
            if (mine := leader.versions.get(other)) is None or criterion not in leader.versions:
                continue
            for each in members:
                theirs = each.versions.get(other)
                if each.rank == base and theirs is not None and compare(theirs, mine) == 1 and each not in leaders:
                    first, second = leader.versions[criterion], each.versions.get(criterion)
                    if second is None:
                        continue
                    found.at_odds[leader.doc_id].append(f"{criterion} {first} is above {second}")
                    found.at_odds[each.doc_id].append(f"{other} {theirs} is above {mine}")


def _is_later(one: EvidencedDate, other: EvidencedDate) -> bool:
    """Whether one begins after the other has ended: a day lasts a day, a year a year."""
    return one.value > other.end


def circle(doc_ids: Iterable[str], after: Mapping[str, Collection[str]]) -> list[str]:
    """The documents that follow one another in a circle, sorted; those that merely lead into it left out."""
    rest = set(doc_ids)
    waiting = {doc_id: len(after.get(doc_id, ())) for doc_id in rest}
    before: dict[str, list[str]] = defaultdict(list)
    for older in sorted(rest):
        for newer in after.get(older, ()):
            before[newer].append(older)
    ready = [doc_id for doc_id, number in waiting.items() if number == 0]
    while ready:
        doc_id = ready.pop()
        rest.discard(doc_id)
        for older in before[doc_id]:
            waiting[older] -= 1
            if waiting[older] == 0:
                ready.append(older)
    while leading := {doc_id for doc_id in rest if rest.isdisjoint(before[doc_id])}:
        rest -= leading
    return sorted(rest)


def levels(after: Mapping[str, Collection[str]], doc_ids: Iterable[str]) -> int:
    """Steps of the longest chain of successors among these; they do not run in a circle."""
    known: dict[str, int] = {}
    for start in sorted(doc_ids):
        stack = [start]
        while stack:
            at = stack[-1]
            waiting = [each for each in after.get(at, ()) if each not in known]
            if waiting:
                stack += waiting
                continue
            known[stack.pop()] = max((known[each] + 1 for each in after.get(at, ())), default=0)
    return max(known.values(), default=0)
