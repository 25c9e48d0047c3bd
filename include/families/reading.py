"""Reading one text (a file name, a folder, a title): its versions, and what is left of it without them. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from include.families.calendars import BETWEEN, LEFT, RIGHT, joined, readers_for
from include.families.kinds import Stage, Version
from include.families.lookalikes import ANY_NUMBER, IS_ABOUT_MOVING, NAMES, PLATFORM, TOPICS
from include.families.numbering import NUMBERS, WITHOUT_DIGITS
from include.families.stages import STAGES
from include.families.vocabulary import (
    APPROVED_WORDS,
    BACKUP_WORDS,
    BEFORE_DATES,
    COPY_WORDS,
    DRAFT_WORDS,
    FINAL_WORDS,
    LANGUAGE_NAMES,
    LANGUAGES,
    LANGUAGES_OR_WORDS,
    NEWEST_WORDS,
    OF,
    PERIOD_WORDS,
    PROPOSED_WORDS,
    PUT_BEFORE,
    RELEASED_CHANNELS,
    RETIRED_WORDS,
    apart,
)

TAKEN, KEPT = "\x00", "\x01"
"""What stands in a text where a version was read, and where something was found that looks like one and is none."""

_END = r"(?=[\s._,\x00()\[\]-]*$)"
_SETS_APART = frozenset("-–—:,;|()[]_/") | {TAKEN}
_WORD = re.compile(r"[^\W_]+(?:[.'’][^\W_]+)*")
_TOKEN = re.compile(r"[^\W\d_]+")

_MIXED = re.compile(r"[a-z\d][A-Z]|[a-z](?:19|20)\d\d")
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_SHORT = "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec"
_SEAM = re.compile(
    rf"(?<=[a-z])(?=(?:V|Rev|Q|FY)\d|(?:Final|FINAL|Draft|DRAFT|Copy|OLD|{_MONTH}|{_SHORT})(?![a-z])|(?:19|20)\d\d(?!\d))"
    rf"|(?<=\d)(?=(?:Final|FINAL|Draft|DRAFT|Copy|OLD|{_MONTH}|{_SHORT})(?![a-z]))|(?<=\d\d)(?=[A-Z][a-z]{{3}})"
    rf"|{'|'.join(f'(?<={name})(?=[A-Z])' for name in f'{_MONTH}|{_SHORT}'.split('|'))}"
)
"""Where a version begins or ends within one word: SalesDeckV2Final, 2019SeptSurvey."""

_DIGIT = re.compile(r"\d")
_LEADS_TO_A_DATE = re.compile(
    rf"{LEFT}(?:{apart('|'.join(sorted(BEFORE_DATES.split('|'), key=len, reverse=True)))})[\s_.:-]{{0,2}}(?={TAKEN})"
)
_PERIOD = re.compile(rf"(?<![^\W_])(?:{apart(PERIOD_WORDS)})(?![^\W_])")

_COPIES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^(?:(?:{COPY_WORDS})[\s_-](?:\(?\d+\)?[\s_-])?(?:{OF})[\s_-]+)+",
        r"[\s_-]*\([^()]*conflict[^()]*\)",
        rf"[\s_-]+\(?(?:{COPY_WORDS}|{apart(BACKUP_WORDS)})\)?[\s_-]?\(?\d{{0,2}}\)?{_END}",
        rf"\s?\(\d{{1,2}}\){_END}",
    )
)
_RETIRED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?<=[\s_.(\[-])(?:{RETIRED_WORDS})[\s_-]?\d{{0,2}}{RIGHT}{_END}",
        rf"^[\s(\[]{{0,2}}(?:{RETIRED_WORDS})(?:[)\]:]|\s?[–]\s|\s-\s)",
        rf"^(?:{PUT_BEFORE})_",
        rf"[(\[](?:{RETIRED_WORDS})[)\]]",
    )
)
_NEWEST = "|".join(sorted(RELEASED_CHANNELS | NEWEST_WORDS))
_CHANNEL = re.compile(rf"(?<=[\s_.(\[-])(?<!what.s.)(?<!whats.)(?<!what.is.)(?:{_NEWEST}){RIGHT}{_END}")
_REGION = r"(?:[_-](?:[a-z]{2}|han[st]))?"
_LANGUAGE = re.compile(
    rf"\.(?P<dotted>(?:{'|'.join(sorted(LANGUAGES))}){_REGION}){_END}"
    rf"|(?<=[\s_(\[-])(?P<code>(?:{'|'.join(sorted(LANGUAGES - LANGUAGES_OR_WORDS))}){_REGION}){RIGHT}{_END}"
    rf"|(?<=[\s_(\[-])(?P<name>{'|'.join(LANGUAGE_NAMES)})(?:[\s_-](?:version|edition|fassung))?{RIGHT}{_END}"
)
_SIGNALS = frozenset(
    word
    for words in (
        COPY_WORDS,
        BACKUP_WORDS,
        RETIRED_WORDS,
        _NEWEST,
        DRAFT_WORDS,
        PROPOSED_WORDS,
        FINAL_WORDS,
        APPROVED_WORDS,
    )
    for word in re.split(r"[| ]", words)
).union(LANGUAGES, LANGUAGE_NAMES, ("conflict", "conflicted", "alpha", "beta", "rc", "candidate", "finalfinal"))


@dataclass(frozen=True, slots=True)
class Reading:
    """One text as read. `words`: what is left of it, in lower case; numbers that are no versions among them."""

    words: tuple[str, ...]
    versions: tuple[Version, ...] = ()
    stage: Version | None = None
    copy: str | None = None
    retired: str | None = None
    channel: str | None = None
    lang: str | None = None
    is_period: bool = False


@dataclass(slots=True)
class _Text:
    """A text while it is read. `rest` lacks what was taken as a version or a mark, `work` also what looks like one."""

    work: str
    rest: str
    is_prose: bool = False

    def take(self, start: int, end: int) -> None:
        self.work = self.work[:start] + TAKEN * (end - start) + self.work[end:]
        self.rest = self.rest[:start] + TAKEN * (end - start) + self.rest[end:]

    def keep(self, pattern: re.Pattern[str]) -> None:
        self.work = pattern.sub(lambda match: KEPT * len(match[0]), self.work)

    def take_first(self, patterns: Iterable[re.Pattern[str]]) -> re.Match[str] | None:
        for pattern in patterns:
            if (match := pattern.search(self.work)) and self.is_a_mark(match):
                self.take(*match.span())
                return match
        return None

    def is_a_mark(self, match: re.Match[str]) -> bool:
        """In a title a mark is set apart: "Travel policy - draft", not "Writing a draft", not "Learning German"."""
        before = self.work[: match.start()].rstrip()
        return not self.is_prose or not before or before[-1] in _SETS_APART or match[0].lstrip()[:1] in _SETS_APART

    def words(self) -> tuple[str, ...]:
        return tuple(_WORD.findall(self.rest.replace(TAKEN, " ")))


def read(text: str, *, is_prose: bool = False) -> Reading:
    """The versions of a text and what is left of it. `is_prose`: its words are set apart, manylinux2010 is one."""
    return _read(unicodedata.normalize("NFKC", text), is_prose=is_prose)


@lru_cache(maxsize=65536)
def _read(written: str, *, is_prose: bool) -> Reading:
    lowered = (_SEAM.sub(" ", written) if not is_prose and _MIXED.search(written) else written).lower()
    is_period = _PERIOD.search(lowered) is not None
    text = _Text(lowered, lowered, is_prose)
    has_marks = "(" in lowered or not _SIGNALS.isdisjoint(_TOKEN.findall(lowered))
    copy = text.take_first(_COPIES) if has_marks else None  # before dates: a conflicted copy bears that of the conflict
    versions = (*_dates(text), *_numbers(text, is_period=is_period))
    if not has_marks:
        return Reading(text.words(), versions, is_period=is_period)
    stage = retired = channel = lang = None
    # What stands at the end of a name hides what stands before it: `policy final de`.
    for _ in range(3):
        before = text.work
        copy = copy or text.take_first(_COPIES)
        lang = lang or text.take_first((_LANGUAGE,))
        stage = stage or _stage(text)
        retired = retired or text.take_first(_RETIRED)
        channel = channel or text.take_first((_CHANNEL,))
        if text.work == before:
            break
    return Reading(
        text.words(),
        versions,
        stage,
        copy[0].strip(" _-") if copy else None,
        retired[0].strip(" _-()[].:–") if retired else None,
        channel[0] if channel else None,
        _language(lang) if lang else None,
        is_period,
    )


def _language(match: re.Match[str]) -> str:
    if match["name"]:
        return LANGUAGE_NAMES[match["name"]]
    return (match["dotted"] or match["code"]).replace("_", "-")


def _dates(text: _Text) -> list[Version]:
    if _DIGIT.search(text.work):
        text.keep(NAMES)
    found: list[tuple[int, int, Version]] = []
    for pattern, reader in readers_for(text.work):
        for match in pattern.finditer(text.work):
            version = reader(match)
            if version is not None:
                text.take(*match.span())
                found.append((*match.span(), version))
    versions = [version for _, _, version in _ranges(sorted(found, key=lambda each: each[0]), text)]
    if versions and (leading := _LEADS_TO_A_DATE.search(text.work)):
        text.take(*leading.span())
    return versions


def _ranges(found: list[tuple[int, int, Version]], text: _Text) -> list[tuple[int, int, Version]]:
    """Two dates with a dash between them are one stretch."""
    ranges: list[tuple[int, int, Version]] = []
    for start, end, version in found:
        if ranges and BETWEEN.fullmatch(text.work, ranges[-1][1], start):
            first_start, first_end, first = ranges[-1]
            between = text.rest[first_end:start]
            whole = joined(first, version, f"{first.text}{between}{version.text}")
            if whole is not None:
                text.take(first_end, start)
                ranges[-1] = (first_start, end, whole)
                continue
        ranges.append((start, end, version))
    return ranges


def _numbers(text: _Text, *, is_period: bool) -> Iterable[Version]:
    readers = WITHOUT_DIGITS
    if _DIGIT.search(text.work):
        readers = (*NUMBERS, *WITHOUT_DIGITS)
        if IS_ABOUT_MOVING.search(text.work):
            text.keep(ANY_NUMBER)
        text.keep(TOPICS)
        # "Ubuntu 22.04" by itself and the release notes of Python 3.12 are of that version; what helps to install
        # something on it is not.
        if not is_period and _WORD.search(PLATFORM.sub("", text.work)):
            text.keep(PLATFORM)
    found: list[tuple[int, Version]] = []
    for pattern, reader in readers:
        for match in pattern.finditer(text.work):
            version = reader(match)
            if version is not None and not (_is_a_first_draft(version) and not text.is_a_mark(match)):
                group = "only" if "only" in pattern.groupindex else 0
                text.take(*match.span(group))
                found.append((match.start(group), version))
    return (version for _, version in sorted(found, key=lambda each: each[0]))


def _is_a_first_draft(version: Version) -> bool:
    return version.stage is Stage.DRAFT and not any(char.isdigit() for char in version.text)


def _stage(text: _Text) -> Version | None:
    for pattern, reader in STAGES:
        if match := text.take_first((pattern,)):
            return reader(match)
    return None
