"""The documents of one family as contenders for its head: how each stands and which versions it bears. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum

from include.domain.dates import EvidencedDate, Trust
from include.families.grouping import Group
from include.families.members import Member, label_of
from include.families.names import Channel, Name, Where
from include.families.standing import Standing, is_evergreen, standing_of
from include.families.versions import Version, parse_version


class Tier(IntEnum):
    """What holds comes before what is on its way, and that before what was put off. What is over is never the head."""

    OVER = 0
    STALLED = 1
    PENDING = 2
    LIVE = 3


Rank = tuple[Tier, bool]
"""A tier, and whether nothing in the name sets it apart from what readers are meant to find."""

STATED = "stated version"

_ENTRY = re.compile(r"([a-z]{2,9})-?0*(\d{1,6})")

_TIERS = {Standing.PENDING: Tier.PENDING, Standing.STALLED: Tier.STALLED}


@dataclass(frozen=True, slots=True)
class Contender:
    """One member.

    group       the structural family that it is in, "" for none: only within one do dates decide
    kin         what its versions are compared within: the family that it is named, else the group
    is_living   it bears no version and moves on where the others are fixed (`latest/`, a living standard)
    versions    by what they are: the stated one, then one of each kind in its name
    """

    member: Member
    standing: Standing
    name: Name
    group: str
    kin: str
    is_living: bool
    versions: Mapping[str, Version]

    @property
    def doc_id(self) -> str:
        return self.member.key.doc_id

    @property
    def tier(self) -> Tier:
        if self.member.decided.get("is_current") is True:
            return Tier.LIVE
        if self.standing.is_over or self.member.decided.get("is_current") is False:
            return Tier.OVER
        return _TIERS.get(self.standing, Tier.LIVE)

    @property
    def rank(self) -> Rank:
        """Of one tier what is finished comes first: `published` may stand on every page, on those of `main/` too."""
        chosen = self.member.decided.get("is_current") is True
        set_apart = self.name.is_unfinished or self.name.channel is Channel.UNRELEASED or self.name.retired is not None
        return self.tier, chosen or not set_apart

    @property
    def version(self) -> str:
        """Its version as a person would name it; empty where it bears none."""
        decided = self.member.decided.get("family_version")
        if isinstance(decided, str) and decided:
            return decided
        if self.member.lineage.version:
            return self.member.lineage.version
        return str(self.name.version) if self.name.version else ""

    @property
    def is_left_alone(self) -> bool:
        return self.member.pinned or is_evergreen(self.member.lineage.status, self.member.content_type)

    @property
    def is_copy(self) -> bool:
        return self.name.copy is not None

    @property
    def entry(self) -> tuple[str, int] | None:
        """Its place in a register, where its file is named by nothing else: `pep-0427.rst` is (pep, 427)."""
        if any(found.where is not Where.TITLE for found in self.name.versions):
            return None
        found = _ENTRY.fullmatch(self.name.stem.rpartition("/")[2])
        return (found[1], int(found[2])) if found else None


def contender(member: Member, standing: Standing, name: Name, group: Group | None, kin: str) -> Contender:
    is_living = group is not None and member.key.doc_id in group.living and name.channel is not Channel.UNRELEASED
    return Contender(member, standing, name, group.family if group else "", kin, is_living, _versions(member, name))


def kin_of(group: Group) -> str:
    """The family that one of the group is named, else the group's own name."""
    return next(filter(None, map(label_of, group.members)), group.family)


def are_entries_of_a_register(members: Sequence[Contender]) -> bool:
    """Whether each bears its own number in one register. Such documents replace one another by saying so: two versions
    of a title may both be in use. Periods are only put in order, and are none."""
    entries = {each.entry for each in members}
    registers = {entry[0] for entry in entries if entry is not None}
    if len(entries) < 2 or None in entries or len(registers) != 1:
        return False
    return not any(each.name.is_period for each in members)


def standing_among(member: Member, name: Name, now: datetime | None) -> Standing:
    """How a document stands: as a person decided, else by itself."""
    match member.decided.get("status"):
        case "archived":
            return Standing.RETIRED
        case "superseded":
            return Standing.SUPERSEDED
        case "published":
            return Standing.IN_FORCE
    return standing_by_itself(member, name, now)


def standing_by_itself(member: Member, name: Name, now: datetime | None) -> Standing:
    """How a document stands as it says of itself, else as its name says. `now`: what is in force only later is not
    yet."""
    stated = standing_of(member.lineage.status)
    effective = member.effective_date
    if stated.holds and now is not None and effective is not None and effective.is_trusted and effective.value > now:
        return Standing.PENDING
    if stated is not Standing.UNKNOWN:
        return stated
    if name.retired is not None:
        return Standing.SUPERSEDED
    if name.is_unfinished or name.channel is Channel.UNRELEASED:
        return Standing.PENDING
    return stated


def trusted(date: EvidencedDate | None) -> EvidencedDate | None:
    """The date if it may decide what replaces what: of high trust. A first commit or a file name is too little."""
    return date if date is not None and date.trust is Trust.HIGH else None


def _versions(member: Member, name: Name) -> dict[str, Version]:
    found: dict[str, Version] = {}
    decided = member.decided.get("family_version")
    by_hand = isinstance(decided, str) and bool(decided)
    text = str(decided) if by_hand else member.lineage.version
    stated = parse_version(text) if text else None
    if stated is not None:
        found[STATED] = stated
    if by_hand:
        return found if stated is None else found | {stated.kind.value: stated}
    for each in name.versions:
        found.setdefault(each.version.kind.value, each.version)
    if name.stage is not None:
        found.setdefault(name.stage.kind.value, name.stage)
    return found
