"""Real families of real repositories: the order of their names, and which member is current.

Printed with `pytest -s`. What names cannot tell is unknown; what they tell is never wrong.
"""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest

from include.domain.documents import DocumentKey
from include.families.grouping import Group, group
from include.families.members import Member
from include.families.names import Channel, Name, read_name
from include.families.versions import compare, parse_version

DATA = Path(__file__).parents[3] / "shared/data"
FAMILIES = DATA / "families/families.jsonl"
REGISTER = DATA / "supersession/xeps.versions.jsonl"
ORDERED = ("version", "period", "per-version")

needs_families = pytest.mark.skipif(not FAMILIES.exists(), reason=f"real families are not at {FAMILIES}")
needs_register = pytest.mark.skipif(not REGISTER.exists(), reason=f"the register's versions are not at {REGISTER}")


def read_families() -> list[dict]:
    return [json.loads(line) for line in FAMILIES.read_text(encoding="utf-8").splitlines()] if FAMILIES.exists() else []


def members_of(family: dict) -> list[Member]:
    """In true order. The release schedules are told apart by their titles alone."""
    members = []
    for member in family["true_order"]:
        names = member["name"] if isinstance(member["name"], list) else [member["name"]]
        title = f"Python {member['key']} Release Schedule" if "release schedule" in family["family"] else ""
        members += [Member(DocumentKey("real", name), title, "") for name in names]
    return members


def newest(found: Group) -> str | None:
    """The member that lives on, else the one that is newer than every other; None where names leave it open."""
    names = {member.key.doc_id: name for member, name in zip(found.members, found.names, strict=True)}
    living = [doc_id for doc_id in found.living if names[doc_id].channel is not Channel.UNRELEASED]
    if living:
        return living[0] if len(living) == 1 else None
    for doc_id, name in names.items():
        if all(other is name or order(other, name) == -1 for other in names.values()):
            return doc_id
    return None


def order(one: Name, other: Name) -> int | None:
    return compare(one.version, other.version) if one.version and other.version else None


@needs_families
@pytest.mark.parametrize("family", read_families(), ids=lambda family: family["family"])
def test_names_never_contradict_the_true_order_or_name_another_current_member(family: dict) -> None:
    members = members_of(family)
    names = [read_name(member.key.doc_id, member.title) for member in members]
    answers = [order(one, other) for one, other in combinations(names, 2)]
    groups = group(members, lambda _one, _other: 1.0).found
    current = [newest(found) for found in groups]
    print(
        f"\n{family['family'][:48]:48} {family['relation']:11} in order {answers.count(-1):5} of {len(answers):5},"
        f" against it {answers.count(1)}; families {len(groups)}; current {', '.join(map(str, current)) or '-'}"
    )
    assert 1 not in answers
    if family["relation"] not in ORDERED:
        assert groups == ()
        return
    assert all(found.is_period == (family["relation"] != "version") for found in groups)
    if len(groups) == 1:
        assert len(groups[0].members) == len(members)
        # Of schedules each is current for its own release; the newest of them is all that names can say.
        assert current == (family["current"] or [members[-1].key.doc_id])


@needs_families
def test_every_pair_of_the_real_families_that_has_versions_is_in_order() -> None:
    """But for one spring that two kinds of minutes cover: q1-2_2018 and 201801-201807."""
    open_pairs = 0
    for family in read_families():
        if family["relation"] in ORDERED:
            names = [read_name(member.key.doc_id, member.title) for member in members_of(family)]
            versioned = [name for name in names if name.version is not None]
            open_pairs += [order(*pair) for pair in combinations(versioned, 2)].count(None)
    assert open_pairs == 1


@needs_register
def test_the_versions_of_a_register_are_read_and_in_order() -> None:
    """XEP-0015 began again at 0.1 after its 1.0."""
    pairs = 0
    against = []
    for line in REGISTER.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        versions = [parse_version(each["version"]) for each in entry["newest_first"]]
        assert all(versions), entry["family"]
        answers = [compare(newer, older) for newer, older in combinations(versions, 2)]
        pairs += len(answers)
        against += [entry["family"] for answer in answers if answer == -1]
    print(f"\n{pairs} pairs of versions, {len(against)} against the register's own order")
    assert set(against) == {"XEP-0015"}
