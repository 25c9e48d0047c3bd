"""What the name of a document says: which family it may belong to, and which version it is. Pure.

Nothing here decides. A stem that two documents share proposes a family; `grouping` asks for more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import TypeVar
from urllib.parse import SplitResult, unquote, urlsplit

from include.families.kinds import Kind, Stage, Version
from include.families.numbering import number
from include.families.reading import Reading, read
from include.families.stages import stage
from include.families.vocabulary import (
    AUDIENCES,
    BACKUP_EXTENSIONS,
    DRAFT_FOLDERS,
    EXTENSIONS,
    LANGUAGE_FOLDERS,
    LANGUAGES,
    LANGUAGES_OR_WORDS,
    PERIODS_WHEN_DATED,
    RELEASED_CHANNELS,
    RETIRED_FOLDERS,
    REVISED_WORDS,
    SNAPSHOT_WORDS,
    UNRELEASED_CHANNELS,
    VERSIONED_PARENTS,
)


class Where(StrEnum):
    """Where in a name something was found, most telling first."""

    FILE = "file name"
    FOLDER = "folder"
    TITLE = "title"


class Channel(StrEnum):
    """A name that stands in the place of a version and moves on. Which version it is now, the name does not say."""

    RELEASED = "released"  # latest, stable, current, lts: what readers are sent to
    UNRELEASED = "unreleased"  # master, next, edge: what is being written
    SAID = "said"  # deck-new, deck-latest: a file that calls itself the newest, as it was when it was named


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
    segments, rest, is_address = _segments(doc_id)
    *folders, last = _with_whole_dates(segments)
    parts = [
        _folder(segment, parent, is_first_of_address=is_address and place == 1)
        for place, (parent, segment) in enumerate(zip(("", *folders), folders, strict=False))
    ]
    file = _file(last)
    titled = read(title, is_prose=True)
    versions = [FoundVersion(_placed(version, parts), Where.FILE) for version in file.versions]
    versions += [FoundVersion(version, Where.FOLDER) for part in reversed(parts) for version in part.versions]
    versions += [FoundVersion(version, Where.TITLE) for version in titled.versions]
    everything = (file, *reversed(parts))
    words = {word for part in everything for word in part.words} | set(titled.words)
    return Name(
        stem="/".join(part.stem for part in (*parts, file) if part.stem) + rest,
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
        is_opaque=file.is_opaque or bool(rest),
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """One part of a path, read. `stem` is "" where nothing of it belongs to the family's name."""

    stem: str
    words: tuple[str, ...] = ()
    versions: tuple[Version, ...] = ()
    stage: Version | None = None
    copy: str | None = None
    retired: str | None = None
    channel: Channel | None = None
    channel_name: str | None = None
    lang: str | None = None
    is_period: bool = False
    is_opaque: bool = False


ANY = "*"
_OPAQUE = re.compile(r"\d+|[0-9a-f]{16,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_YEAR = re.compile(r"(?:19[89]|20[0-4])\d|fy[ -]?(?:\d{4}|\d\d)", re.IGNORECASE)
_PART_OF_YEAR = re.compile(r"[qh][1-4]|(?:0[1-9]|1[0-2])", re.IGNORECASE)
_DAY = re.compile(r"(?:0[1-9]|[12]\d|3[01])")
_LOCALE = re.compile(r"([a-z]{2})(?:[_-](?:[a-z]{2}|han[st]))?")
_BARE = re.compile(r"\d{1,3}")


def _segments(doc_id: str) -> tuple[list[str], str, bool]:
    """The parts of a path or an address, at least one; the query of an address, which may be all that names a page
    (?p=123); whether it is an address, whose first part is the host."""
    if (address := _address(doc_id)) is not None:
        host = (address.hostname or "").removeprefix("www.")
        query = f"?{address.query}" if address.query else ""
        return [host, *(unquote(part) for part in address.path.split("/") if part)], query, True
    return [part for part in re.split(r"[/\\]", doc_id) if part] or [doc_id], "", False


def _address(doc_id: str) -> SplitResult | None:
    try:
        return urlsplit(doc_id) if "://" in doc_id else None
    except ValueError:  # http://[ is none
        return None


def _with_whole_dates(segments: list[str]) -> list[str]:
    """2026/06/14 is one date."""
    whole: list[str] = []
    for segment in segments:
        bare = _unmarked(segment)[0]
        if whole and _YEAR.fullmatch(whole[-1]) and _PART_OF_YEAR.fullmatch(bare):
            whole[-1] = f"{whole[-1]}-{bare}" if bare.isdigit() else f"{whole[-1]} {bare}"
        elif whole and re.fullmatch(r"\d{4}-\d\d", whole[-1]) and _DAY.fullmatch(bare):
            whole[-1] = f"{whole[-1]}-{bare}"
        else:
            whole.append(segment)
    return whole


@lru_cache(maxsize=65536)
def _folder(segment: str, parent: str, *, is_first_of_address: bool) -> _Part:
    bare = segment.lower()
    if bare == "versioned_docs":  # Docusaurus: docs/ with its versions
        return _Part("docs")
    if bare in RETIRED_FOLDERS:
        return _Part("", retired=segment)
    if bare in DRAFT_FOLDERS:
        return _Part("", stage=stage(bare, Stage.DRAFT))
    if bare in RELEASED_CHANNELS | UNRELEASED_CHANNELS:
        return _Part(ANY, channel=_channel(bare, parent), channel_name=bare)
    if _is_language(bare, parent, is_first_of_address=is_first_of_address):
        return _Part("", lang=bare.replace("_", "-"))
    if _BARE.fullmatch(bare) and parent.lower() in VERSIONED_PARENTS:
        return _Part(ANY, versions=(number(bare, bare),))
    part = _part(read(segment))
    if part.words:
        return replace(part, channel=None, channel_name=None)
    return part if part.versions or part.channel else replace(part, stem="")


def _channel(name: str, parent: str) -> Channel:
    # Docusaurus keeps under `current` what is being written.
    if name in UNRELEASED_CHANNELS or parent == "docusaurus-plugin-content-docs":
        return Channel.UNRELEASED
    return Channel.RELEASED


def _is_language(segment: str, parent: str, *, is_first_of_address: bool) -> bool:
    match = _LOCALE.fullmatch(segment)
    if match is None or match[1] not in LANGUAGES:
        return False
    is_sure = match[1] not in LANGUAGES_OR_WORDS or len(segment) > 2
    return is_sure or is_first_of_address or parent.lower() in LANGUAGE_FOLDERS


def _file(segment: str) -> _Part:
    bare, backup = _unmarked(segment)
    if _OPAQUE.fullmatch(segment):
        return _Part(segment.lower(), is_opaque=True)
    if bare.lower() in ("index", "_index"):
        return _Part("", copy=backup)
    part = _part(read(bare))
    return replace(part, copy=part.copy or backup)


def _unmarked(segment: str) -> tuple[str, str | None]:
    """Without what says how it is stored; and whether that says that it is a copy."""
    backup = None
    bare = segment.removesuffix("~")
    if bare != segment:
        backup = "~"
    while (dot := bare.rfind(".")) > 0:
        ending = bare[dot + 1 :].lower()
        if ending in BACKUP_EXTENSIONS:
            backup = ending
        elif ending not in EXTENSIONS:
            break
        bare = bare[:dot]
    return bare, backup


def without_extension(file: str) -> str:
    return _unmarked(file)[0]


def _part(reading: Reading) -> _Part:
    names_a_version = reading.versions or reading.stage or reading.channel or reading.copy or reading.retired
    return _Part(
        "-".join(reading.words) or (ANY if names_a_version else ""),
        reading.words,
        reading.versions,
        reading.stage,
        reading.copy,
        reading.retired,
        Channel.SAID if reading.channel else None,
        reading.channel,
        reading.lang,
        reading.is_period,
    )


def _placed(version: Version, folders: list[_Part]) -> Version:
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


def _is_period(file: _Part, folders: list[_Part], titled: Reading) -> bool:
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
    return is_dated and bool(named) and named[-1] in PERIODS_WHEN_DATED


_Found = TypeVar("_Found")


def _first(found: Iterator[_Found | None]) -> _Found | None:
    return next((each for each in found if each is not None), None)
