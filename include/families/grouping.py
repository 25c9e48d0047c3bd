"""Which documents are one family: structure proposes, similarity confirms, never similarity alone. Pure.

| two documents of one source                                            | are proposed as one family      |
|------------------------------------------------------------------------|---------------------------------|
| path and file name are the same but for versions, stages, copies       | yes                             |
| titles are, with a version, the file names add no words of their own   | yes                             |
| one is the living document of a folder of snapshots                    | yes (CHANGELOG.md, changelogs/) |
| another language, audience, product line or stated family              | never                           |
| the same title in folders of other names: two customers, two teams     | no, a person is told            |
| titles that each name what the other does not: Acme - offer, Globex …  | no, a person is told            |
| only alike                                                             | never                           |

Time is near-linear: documents are looked up by their stems and compared with two others of their family at most.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from include.domain.documents import DocumentKey
from include.families.members import Member
from include.families.named import Named
from include.families.names import Name
from include.families.proposals import Proposal, Rejected, is_in_a_tree, proposals

Alike = Callable[[DocumentKey, DocumentKey], float]
"""Cosine similarity of two documents' vectors; NaN where one has none."""


@dataclass(frozen=True, slots=True)
class Needed:
    """Cosine that confirms what structure proposes. Of the bundled embedder, by the beginnings of 2,573 pages of two
    real sites: neighbours in the history of one page have 0.79 or more in 95 of 100 cases, two pages drawn at random
    0.64 or less. Another embedder may need other values.

    `revisions`: versions in file names and titles. `folders`: the same page in trees of versions, where path and name
    say more than the text of a page that was rewritten. `periods`: minutes of two weeks share little but their form,
    and nothing replaces them.
    """

    revisions: float = 0.6
    folders: float = 0.4
    periods: float = 0.25


NEEDED = Needed()


@dataclass(frozen=True, slots=True)
class Group:
    """Documents of one source that are versions of the same thing, in one language, for one audience.

    `family` is its name, the same whatever the order of input and of no other group of the source. `members` are
    sorted by key, `names` are what was read of each, in the same order. `living` are doc ids of those that bear no
    version and move on where the others are fixed (`latest/`, CHANGELOG.md beside changelogs/0.1.x.md): which version
    they are now, names do not say. `why` says in words what proposed and what confirmed it. `is_period`: each member
    stays true for its own time.
    """

    source: str
    family: str
    lang: str | None
    audience: tuple[str, ...]
    is_period: bool
    members: tuple[Member, ...]
    names: tuple[Name, ...]
    living: tuple[str, ...]
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Groups:
    """Sorted by source and family. A document is in one found group at most."""

    found: tuple[Group, ...]
    rejected: tuple[Rejected, ...]


def group(members: Sequence[Member], alike: Alike, needed: Needed = NEEDED) -> Groups:
    """Families of these documents. The order of `members` changes nothing."""
    return confirmed(proposals(members), alike, needed)


def confirmed(by_structure: tuple[Sequence[Proposal], Sequence[Rejected]], alike: Alike, needed: Needed) -> Groups:
    """What similarity leaves of `proposals`; `alike` is asked for the same pairs each time."""
    proposed, rejected = by_structure[0], list(by_structure[1])
    found = [each for proposal in proposed if (each := _confirmed(proposal, alike, needed, rejected)) is not None]
    return Groups(
        tuple(sorted(found, key=lambda each: (each.source, each.family))),
        tuple(sorted(rejected, key=lambda each: (each.source, each.family, each.doc_ids))),
    )


def _confirmed(proposal: Proposal, alike: Alike, needed: Needed, rejected: list[Rejected]) -> Group | None:
    """The part of a proposal whose texts are alike: each with its neighbour in the order of versions, or with the one
    in the middle. What is not goes its own way, and a person is told."""
    threshold = _threshold(proposal, needed)
    in_order = sorted(proposal.documents, key=_turn)
    middle = in_order[len(in_order) // 2]
    pairs = [*pairwise(in_order), *((middle, each) for each in in_order if each is not middle)]
    lots = _Lots(document.member.key for document in in_order)
    best: dict[DocumentKey, float] = defaultdict(lambda: -1.0)
    for one, other in pairs:
        cosine = _cosine(one.member, other.member, alike)
        if cosine >= threshold:
            lots.join(one.member.key, other.member.key)
        for each in (one, other):
            best[each.member.key] = max(best[each.member.key], cosine)
    largest = lots.largest()
    left_out = [document for document in proposal.documents if document.member.key not in largest]
    if left_out:
        told = ", ".join(f"{each.doc_id} {best[each.member.key]:.2f}" for each in left_out[:5])
        why = f"{proposal.why}; but the texts are not alike ({told}; {threshold:.2f} is needed)"
        rejected.append(Rejected(proposal.source, proposal.family, proposal.doc_ids, why))
    kept = [document for document in proposal.documents if document.member.key in largest]
    if len(kept) < 2:
        return None
    lowest = min(best[document.member.key] for document in kept)
    return Group(
        source=proposal.source,
        family=proposal.family,
        lang=max(document.lang for document in kept) or None,
        audience=kept[0].name.audience,
        is_period=proposal.is_period,
        members=tuple(document.member for document in kept),
        names=tuple(document.name for document in kept),
        living=tuple(each.doc_id for each in kept if each.member.key in proposal.living or each.name.moves_on),
        why=(proposal.why, f"their texts are alike: {lowest:.2f} or more, {threshold:.2f} is needed"),
    )


def _threshold(proposal: Proposal, needed: Needed) -> float:
    if proposal.is_period:
        return needed.periods
    in_trees = all(
        is_in_a_tree(document.name) for document in proposal.documents if document.member.key not in proposal.living
    )
    return needed.folders if in_trees and not proposal.living else needed.revisions


def _turn(document: Named) -> tuple[str, str, tuple[tuple[int | str, ...], ...], DocumentKey]:
    """Versions of one kind side by side, in their order; only to decide which texts are compared."""
    version = document.name.version
    if version is None:
        return "", "", (), document.member.key
    return version.kind.value, version.line, version.low, document.member.key


def _cosine(one: Member, other: Member, alike: Alike) -> float:
    """-1 where one of them has no vector: nothing is confirmed by what is not there."""
    if one.content_hash and one.content_hash == other.content_hash:
        return 1.0
    cosine = alike(one.key, other.key)
    return -1.0 if math.isnan(cosine) else cosine


class _Lots:
    """Sets of documents that grow together."""

    def __init__(self, keys: Iterable[DocumentKey]) -> None:
        self._above = {key: key for key in keys}

    def _top(self, key: DocumentKey) -> DocumentKey:
        while self._above[key] != key:
            self._above[key] = self._above[self._above[key]]
            key = self._above[key]
        return key

    def join(self, one: DocumentKey, other: DocumentKey) -> None:
        first, second = sorted((self._top(one), self._top(other)))
        self._above[second] = first

    def largest(self) -> frozenset[DocumentKey]:
        """Of two that are equally large neither: nobody knows which of them the name means."""
        lots: dict[DocumentKey, list[DocumentKey]] = defaultdict(list)
        for key in self._above:
            lots[self._top(key)].append(key)
        sizes = Counter(len(lot) for lot in lots.values())
        size = max(sizes)
        if sizes[size] > 1:
            return frozenset()
        return frozenset(next(lot for lot in lots.values() if len(lot) == size))
