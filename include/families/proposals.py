"""Which documents structure takes for versions of one thing: by path, by title, by their folder. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

from include.domain.documents import DocumentKey
from include.families.kinds import Kind, Stage
from include.families.members import Member
from include.families.named import Named, name_of
from include.families.names import ANY, Channel, Name, Where, without_extension
from include.families.vocabulary import GENERIC_NAMES, SNAPSHOT_WORDS

EXCHANGED = 2
"""Words by which the titles of two customers differ in one template: "Mutual NDA Acme Inc", "Mutual NDA Globex Ltd"."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """What structure proposed and something spoke against; shown to a person, never acted on. Sorted doc ids."""

    source: str
    family: str
    doc_ids: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """Documents that structure takes for one family, sorted by key."""

    family: str
    documents: tuple[Named, ...]
    why: str
    living: frozenset[DocumentKey] = frozenset()

    @property
    def source(self) -> str:
        return self.documents[0].member.key.source

    @property
    def is_period(self) -> bool:
        """Half of them are enough: that each stays true is the assumption that hides nothing."""
        return 2 * sum(document.name.is_period for document in self.documents) >= len(self.documents)

    @property
    def doc_ids(self) -> tuple[str, ...]:
        return tuple(document.doc_id for document in self.documents)


def proposals(members: Sequence[Member]) -> tuple[list[Proposal], list[Rejected]]:
    """What structure proposes, no document twice, and what it proposes and takes back. Input order changes nothing."""
    documents = [Named(member, name_of(member)) for member in sorted(members, key=lambda member: member.key)]
    rejected: list[Rejected] = []
    by_path = _with_the_living(list(_by_path(documents, rejected)), documents)
    return list(_by_title(by_path, documents, rejected)), rejected


def _by_path(documents: Sequence[Named], rejected: list[Rejected]) -> Iterator[Proposal]:
    stems: dict[Hashable, list[Named]] = defaultdict(list)
    for document in documents:
        if not document.name.is_opaque:
            # SalesDeck-v2 and sales_deck v3 are one name.
            stem = document.name.stem.replace("-", "")
            stems[document.member.key.source, stem, document.name.lang].append(document)
    for bucket in stems.values():
        if len(bucket) > 1 and _tells_versions_apart(bucket):
            for lot in _apart(bucket, rejected):
                if len(lot) > 1 and _tells_versions_apart(lot):
                    why = f"{lot[0].name.stem}: the same name but for its version"
                    yield from _of_one_thing(Proposal(_label(lot, lot[0].name.stem), tuple(lot), why), rejected)


def _tells_versions_apart(documents: Sequence[Named]) -> bool:
    """Whether anything in these names says that they are versions. A moving name alone (`docs/main/`) may be a name
    like any other; beside a version or another such name it is none."""
    names = [document.name for document in documents]
    if len({name.channel_name for name in names} - {None}) > 1:
        return True
    if any(
        any(found.where is not Where.TITLE for found in name.versions) or name.copy or name.retired for name in names
    ):
        return True
    # products and teams are called Alpha and Beta; beside what has neither name, they are stages
    return any(name.stage for name in names) and not all(
        name.stage and name.stage.stage in (Stage.ALPHA, Stage.BETA) for name in names
    )


def _apart(bucket: Sequence[Named], rejected: list[Rejected]) -> Iterator[list[Named]]:
    """By language, by stated family, by audience. What does not say its language or family goes with the only one that
    is said; an audience that is not named is everybody."""
    for in_language in _split(bucket, lambda document: document.lang):
        for stated in _split(in_language, lambda document: document.stated):
            if all(document.name.is_period for document in stated):
                yield stated
                continue
            audiences: dict[tuple[str, ...], list[Named]] = defaultdict(list)
            for document in stated:
                audiences[document.name.audience].append(document)
            if len(audiences) > 1:
                for_whom = " / ".join(", ".join(audience) or "everybody" for audience in sorted(audiences))
                rejected.append(_rejection(stated, f"by their titles they are for others: {for_whom}"))
            yield from audiences.values()


def _split(documents: Sequence[Named], what: Callable[[Named], str]) -> Iterator[list[Named]]:
    lots: dict[str, list[Named]] = defaultdict(list)
    for document in documents:
        lots[what(document)].append(document)
    if len(lots) == 2 and "" in lots:
        yield list(documents)
    else:
        yield from lots.values()


def _label(documents: Sequence[Named], stem: str) -> str:
    """The name of a family; of no two that `_apart` made of one bucket the same."""
    lang = max(document.lang for document in documents)
    stated = max(document.stated for document in documents)
    said = {word.removesuffix("s") for word in re.split("[-/]", stem)}
    beyond = [word for word in documents[0].name.audience if word not in said]
    return (
        stem + (f"@{lang}" if lang else "") + (f"={stated}" if stated else "") + "".join(f"+{each}" for each in beyond)
    )


def _rejection(documents: Sequence[Named], why: str) -> Rejected:
    stem = documents[0].name.stem
    return Rejected(documents[0].member.key.source, stem, tuple(sorted(each.doc_id for each in documents)), why)


def _of_one_thing(proposal: Proposal, rejected: list[Rejected]) -> Iterator[Proposal]:
    """The proposal without documents whose titles name another thing than most of them: Acme, Globex.

    A file name that says nothing (`proposal-v2`) leaves it to the title what the text is about. One that says it is
    contradicted only where one title is the other with a word or two exchanged: subtitles change with every edition.
    Not asked where titles say less than names do: of periods (minutes are called by what was discussed) and in trees
    of versions, where pages are renamed.
    """
    is_generic = proposal.documents[0].name.stem.rpartition("/")[2] in GENERIC_NAMES
    if (proposal.is_period and not is_generic) or any(is_in_a_tree(document.name) for document in proposal.documents):
        yield proposal
        return
    titles = Counter(document.name.title_stem for document in proposal.documents if document.name.title_stem)
    usual = min(titles, key=lambda title: (-titles[title], title), default="")
    same: list[Named] = []
    other: list[Named] = []
    for document in proposal.documents:
        is_other = _name_different_things(document.name.title_stem, usual, is_generic=is_generic)
        (other if is_other else same).append(document)
    if other:
        said = sorted({document.name.title_stem for document in other})
        rejected.append(
            _rejection(proposal.documents, f"their titles name different things: {usual} / {', '.join(said)}")
        )
    # With half of them called otherwise nobody knows which is meant.
    if len(same) > 1 and 2 * len(same) > len(proposal.documents):
        yield replace(proposal, documents=tuple(same))


def is_in_a_tree(name: Name) -> bool:
    is_numbered = any(
        found.where is Where.FOLDER and found.version.kind in (Kind.NUMBER, Kind.ORDINAL) for found in name.versions
    )
    return is_numbered or name.moves_on


def _name_different_things(one: str, other: str, *, is_generic: bool) -> bool:
    words, others = set(one.split("-")), set(other.split("-"))
    only_here, only_there = words - others, others - words
    if not (one and other and only_here and only_there):
        return False
    return is_generic or (bool(words & others) and max(len(only_here), len(only_there)) <= EXCHANGED)


def _with_the_living(proposals: list[Proposal], documents: Sequence[Named]) -> list[Proposal]:
    """Adds to a folder of snapshots (changelogs/0.1.x.md, review-drafts/2018-06.bs) the document that lives on beside
    it: the one of its name, or else the only one of its format. Docusaurus keeps what is being written in docs/, beside
    versioned_docs/."""
    grouped = {document.member.key for proposal in proposals for document in proposal.documents}
    beside: dict[tuple[str, str, str], list[Named]] = defaultdict(list)
    by_stem: dict[tuple[str, str, str], list[Named]] = defaultdict(list)
    for document in documents:
        if document.member.key not in grouped and not document.name.versions:
            source = document.member.key.source
            folder, _, file = document.doc_id.rpartition("/")
            beside[source, folder, file.rpartition(".")[2]].append(document)
            by_stem[source, document.name.stem, document.lang].append(document)
    joined: list[Proposal] = []
    for proposal in proposals:
        first = proposal.documents[0]
        living: list[Named] = []
        if "versioned_docs/" in first.doc_id:
            living = by_stem[proposal.source, first.name.stem.replace(f"/{ANY}", "", 1), first.lang]
            living = [Named(each.member, replace(each.name, channel=Channel.UNRELEASED)) for each in living]
        elif first.name.stem.endswith(f"/{ANY}") and "/" in first.doc_id:
            living = _living(first, beside)
        if len(living) == 1 and living[0].member.key not in grouped:
            grouped.add(living[0].member.key)
            all_of_them = sorted((*proposal.documents, *living), key=lambda each: each.member.key)
            why = f"{proposal.why}; {living[0].doc_id} lives on beside them"
            proposal = Proposal(proposal.family, tuple(all_of_them), why, frozenset({living[0].member.key}))
        joined.append(proposal)
    return joined


def _living(snapshot: Named, beside: dict[tuple[str, str, str], list[Named]]) -> list[Named]:
    path, _, file = snapshot.doc_id.rpartition("/")
    parent, _, folder = path.rpartition("/")
    near = beside[snapshot.member.key.source, parent, file.rpartition(".")[2]]
    same_name = [
        each for each in near if _singular(without_extension(each.doc_id.rpartition("/")[2])) == _singular(folder)
    ]
    if same_name or not set(folder.lower().replace("_", "-").split("-")) & SNAPSHOT_WORDS:
        return same_name
    return near


def _singular(word: str) -> str:
    return word.lower().removesuffix("s")


def _by_title(proposals: list[Proposal], documents: Sequence[Named], rejected: list[Rejected]) -> Iterator[Proposal]:
    """Puts together what has one title but for its version, and nothing else that says it is another thing."""
    grouped = {document.member.key for proposal in proposals for document in proposal.documents}
    alone = [Proposal(each.name.stem, (each,), "") for each in documents if each.member.key not in grouped]
    titles: dict[Hashable, list[Proposal]] = defaultdict(list)
    for unit in (*proposals, *alone):
        first = unit.documents[0]
        stems = {document.name.title_stem for document in unit.documents}
        if len(stems) == 1 and first.name.title_stem:
            titles[unit.source, first.name.title_stem, first.lang, first.stated, first.name.audience].append(unit)
        elif len(unit.documents) > 1:
            yield unit
    for units in titles.values():
        yield from _of_one_title(units, rejected)


def _of_one_title(units: list[Proposal], rejected: list[Rejected]) -> Iterator[Proposal]:
    if len(units) == 1 or not any(_titles_bear_versions(unit) for unit in units):
        yield from (unit for unit in units if len(unit.documents) > 1)
        return
    by_name: dict[tuple[str, frozenset[str]], list[Proposal]] = defaultdict(list)
    for unit in units:
        by_name[unit.documents[0].folder, unit.documents[0].own_words].append(unit)
    if len(by_name) > 1 and not all(unit.is_period for unit in units):
        where = sorted({unit.documents[0].name.stem for unit in units})
        title = units[0].documents[0].name.title_stem
        everything = [document for unit in units for document in unit.documents]
        rejected.append(_rejection(everything, f"one title ({title}) under other names: {', '.join(where[:5])}"))
    for same in by_name.values():
        everything = sorted((each for unit in same for each in unit.documents), key=lambda each: each.member.key)
        if len(same) == 1 or not any(_titles_bear_versions(unit) for unit in same):
            yield from (unit for unit in same if len(unit.documents) > 1)
            continue
        title, folder = everything[0].name.title_stem, everything[0].folder
        label = _label(everything, f'{folder}/"{title}"' if folder else f'"{title}"')
        living = frozenset(key for unit in same for key in unit.living)
        yield Proposal(label, tuple(everything), f"{title}: the same title but for its version", living)


def _titles_bear_versions(unit: Proposal) -> bool:
    return any(
        document.name.stage or any(found.where is Where.TITLE for found in document.name.versions)
        for document in unit.documents
    )
