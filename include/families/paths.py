"""The parts of a path or an address: which are names, and which a version, a language, a place of old ones. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from urllib.parse import SplitResult, unquote, urlsplit

from include.families.kinds import Stage, Version
from include.families.numbering import number
from include.families.reading import Reading, read
from include.families.stages import stage
from include.families.vocabulary import (
    BACKUP_EXTENSIONS,
    DRAFT_FOLDERS,
    EXTENSIONS,
    LANGUAGE_FOLDERS,
    LANGUAGES,
    LANGUAGES_OR_WORDS,
    RELEASED_CHANNELS,
    RETIRED_FOLDERS,
    UNRELEASED_CHANNELS,
    VERSIONED_PARENTS,
)


class Channel(StrEnum):
    """A name that stands in the place of a version and moves on. Which version it is now, the name does not say."""

    RELEASED = "released"  # latest, stable, current, lts: what readers are sent to
    UNRELEASED = "unreleased"  # master, next, edge: what is being written
    SAID = "said"  # deck-new, deck-latest: a file that calls itself the newest, as it was when it was named


@dataclass(frozen=True, slots=True)
class Part:
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


@dataclass(frozen=True, slots=True)
class Path:
    """A path or an address, read. `query` is that of an address, with its question mark."""

    folders: tuple[Part, ...]
    file: Part
    query: str = ""


def read_path(doc_id: str) -> Path:
    """Never fails: what is neither a path nor an address is a file name."""
    segments, query, is_address = _segments(doc_id)
    *folders, last = _with_whole_dates(segments)
    parts = (
        _folder(segment, parent, is_first_of_address=is_address and place == 1)
        for place, (parent, segment) in enumerate(zip(("", *folders), folders, strict=False))
    )
    return Path(tuple(parts), _file(last), query)


ANY = "*"
"""Stands for a folder or file name that was nothing but a version."""

_OPAQUE = re.compile(r"\d+|[0-9a-f]{16,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
YEAR = r"(?:19[89]|20[0-4])\d|fy[ -]?(?:\d{4}|\d\d)"
_YEAR = re.compile(YEAR, re.IGNORECASE)
_YEAR_AND_MONTH = re.compile(r"\d{4}-\d\d")
_MAY_BEGIN_A_DATE = re.compile(r"\d{4}|fy", re.IGNORECASE)
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
    if not any(map(_MAY_BEGIN_A_DATE.match, segments)):
        return segments
    whole: list[str] = []
    for segment in segments:
        bare = _unmarked(segment)[0]
        if whole and _YEAR.fullmatch(whole[-1]) and _PART_OF_YEAR.fullmatch(bare):
            whole[-1] = f"{whole[-1]}-{bare}" if bare.isdigit() else f"{whole[-1]} {bare}"
        elif whole and _YEAR_AND_MONTH.fullmatch(whole[-1]) and _DAY.fullmatch(bare):
            whole[-1] = f"{whole[-1]}-{bare}"
        else:
            whole.append(segment)
    return whole


@lru_cache(maxsize=65536)
def _folder(segment: str, parent: str, *, is_first_of_address: bool) -> Part:
    bare = segment.lower()
    if bare == "versioned_docs":  # Docusaurus: docs/ with its versions
        return Part("docs")
    if bare in RETIRED_FOLDERS:
        return Part("", retired=segment)
    if bare in DRAFT_FOLDERS:
        return Part("", stage=stage(bare, Stage.DRAFT))
    if bare in RELEASED_CHANNELS | UNRELEASED_CHANNELS:
        return Part(ANY, channel=_channel(bare, parent), channel_name=bare)
    if _is_language(bare, parent, is_first_of_address=is_first_of_address):
        return Part("", lang=bare.replace("_", "-"))
    if _BARE.fullmatch(bare) and parent.lower() in VERSIONED_PARENTS:
        return Part(ANY, versions=(number(bare, bare),))
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


def _file(segment: str) -> Part:
    bare, backup = _unmarked(segment)
    if _OPAQUE.fullmatch(segment):
        return Part(segment.lower(), is_opaque=True)
    if bare.lower() in ("index", "_index"):
        return Part("", copy=backup)
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


def _part(reading: Reading) -> Part:
    names_a_version = reading.versions or reading.stage or reading.channel or reading.copy or reading.retired
    return Part(
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
