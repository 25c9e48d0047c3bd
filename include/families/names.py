"""What the name of a document says: which family it may belong to, and which version it is. Pure.

Nothing here decides. A stem that two documents share proposes a family; `grouping` asks for more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from include.families.kinds import Kind, Stage, Version
from include.families.paths import ANY, YEAR, Channel, Part, read_path, without_extension
from include.families.reading import Reading, read
from include.families.vocabulary import (
    AUDIENCES,
    PERIOD_ENDINGS,
    PERIODS_WHEN_DATED,
    REVISED_WORDS,
    SNAPSHOT_WORDS,
)

__all__ = ["ANY", "Channel", "FoundVersion", "Name", "Where", "read_name", "without_extension"]


class Where(StrEnum):
    """Where in a name something was found, most telling first."""

    FILE = "file name"
    FOLDER = "folder"
    TITLE = "title"


@dataclass(frozen=True, slots=True)
class FoundVersion:
    version: Version
    where: Where


@dataclass(frozen=True, slots=True)
class Name:
    """A document's name, read.

    stem        path and file name without what tells versions apart: lower case, NFKC, words joined by "-"; "*" stands
                for a folder or file name that was nothing but a version (docs/*/install). Numbers that are identity
                stay in it (pep-0101)
    title_stem  the title in the same way; "" without a title
    versions    every version found: the file name's first, then folders, then the title; unsure ones last
    stage       draft, final … named beside the version; compared by `compare` (final < final-final)
    copy        the marker as written ("copy of", "(1)", "bak"), None for an original
    retired     the marker by which a name says that it is put away (old, archive, deprecated), else None
    channel     it bears a moving name where others have a version; `channel_name` is that name
    lang        as the name says it (guide.de.md, /fr/): BCP 47 in lower case, else None
    audience    words that keep families apart (internal, partner, enterprise, emea), sorted, in the singular
    is_period   each member stays true for its own time or release (annual report, minutes, release notes)
    is_opaque   the last part of the id is a number or a hash: only the title names the document
    """

    stem: str
    title_stem: str
    versions: tuple[FoundVersion, ...] = ()
    stage: Version | None = None
    copy: str | None = None
    retired: str | None = None
    channel: Channel | None = None
    channel_name: str | None = None
    lang: str | None = None
    audience: tuple[str, ...] = ()
    is_period: bool = False
    is_opaque: bool = False

    @property
    def version(self) -> Version | None:
        """The one to compare by first; None where the name bears none."""
        return self.versions[0].version if self.versions else None

    def of_kind(self, kind: Kind) -> Version | None:
        """The first version of this kind."""
        return next((found.version for found in self.versions if found.version.kind is kind), None)

    @property
    def moves_on(self) -> bool:
        """Whether its place is filled anew with every version (latest/, master/)."""
        return self.channel in (Channel.RELEASED, Channel.UNRELEASED)

    @property
    def is_unfinished(self) -> bool:
        """Whether it says of itself that it is a draft or comes before its release. `final` takes no such word back:
        a final release candidate is a release candidate."""
        stages = [found.version.stage for found in self.versions] + [self.stage.stage if self.stage else None]
        return any(stage is not None and stage is not Stage.FINAL for stage in stages)


def read_name(doc_id: str, title: str) -> Name:
    """What id and title say. Never fails: a name without any sign is its own stem."""
    path = read_path(doc_id)
    parts, file = path.folders, path.file
    titled = read(title, is_prose=True)
    versions = [FoundVersion(_placed(version, parts), Where.FILE) for version in file.versions]
    versions += [FoundVersion(version, Where.FOLDER) for part in reversed(parts) for version in part.versions]
    versions += [FoundVersion(version, Where.TITLE) for version in titled.versions]
    everything = (file, *reversed(parts))
    words = {word for part in everything for word in part.words} | set(titled.words)
    return Name(
        stem="/".join(part.stem for part in (*parts, file) if part.stem) + path.query,
        title_stem="-".join(titled.words),
        versions=tuple(sorted(versions, key=lambda found: not found.version.is_sure)),
        stage=_first(part.stage for part in everything) or titled.stage,
        copy=_first(part.copy for part in everything) or titled.copy,
        retired=_first(part.retired for part in everything) or titled.retired,
        channel=_first(part.channel for part in everything),
        channel_name=_first(part.channel_name for part in everything),
        lang=_first(part.lang for part in everything) or titled.lang,
        audience=tuple(sorted({word.removesuffix("s") for word in words & AUDIENCES})),
        is_period=_is_period(file, parts, titled),
        is_opaque=file.is_opaque or bool(path.query),
    )


_YEAR = re.compile(YEAR, re.IGNORECASE)


def _placed(version: Version, folders: Sequence[Part]) -> Version:
    """FY26/Q3-deck is of the third quarter of FY26: a folder may say the year that the file name leaves out."""
    if version.is_sure:
        return version
    for part in reversed(folders):
        for of_year in part.versions:
            if of_year.kind in (Kind.DATE, Kind.FISCAL) and (year := _YEAR.match(of_year.text)):
                whole = read(f"{version.text} {year[0]}")
                if not whole.words and len(whole.versions) == 1:
                    return whole.versions[0]
    return version


def _is_period(file: Part, folders: Sequence[Part], titled: Reading) -> bool:
    """A template for minutes is none, and neither is a guide to annual reports; minutes of the policy council are."""
    named = file.words or titled.words
    if named and (named[-1] in REVISED_WORDS or (len(named) > 2 and named[0] in REVISED_WORDS)):
        return False
    if file.is_period or titled.is_period or any(part.is_period for part in folders):
        return True
    if file.stem == ANY and file.versions and folders:
        kinds = {version.kind for version in file.versions}
        where = set(folders[-1].words)
        # Named by nothing but its day: an entry of a journal, unless the folder says that it holds versions. Named by
        # nothing but its number, among releases: notes on that release.
        if kinds == {Kind.DATE}:
            return not where & SNAPSHOT_WORDS
        return bool(where & {"release", "releases"})
    is_dated = any(version.kind in (Kind.DATE, Kind.FISCAL) for part in (file, *folders) for version in part.versions)
    return is_dated and bool(named) and (named[-1] in PERIODS_WHEN_DATED or named[-1].endswith(PERIOD_ENDINGS))


_Found = TypeVar("_Found")


def _first(found: Iterator[_Found | None]) -> _Found | None:
    return next((each for each in found if each is not None), None)
