"""Reading one text (a file name, a folder, a title): its versions, and what is left of it without them. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from include.families.calendars import BETWEEN, LEFT, READERS, RIGHT, joined
from include.families.kinds import Version
from include.families.numbering import NUMBERS, STAGES
from include.families.vocabulary import (
    APPROVED_WORDS,
    BACKUP_WORDS,
    COPY_WORDS,
    DRAFT_WORDS,
    FINAL_WORDS,
    LANGUAGE_NAMES,
    LANGUAGES,
    LANGUAGES_OR_WORDS,
    MONTHS,
    OF,
    PARTS,
    PERIOD_WORDS,
    PLATFORMS,
    PROPOSED_WORDS,
    RELEASED_CHANNELS,
    RETIRED_WORDS,
    STANDARDS,
    TOPIC,
    YEARED,
    apart,
)

TAKEN, KEPT = "\x00", "\x01"
"""What stands in a text where a version was read, and where something was found that looks like one and is none."""

_END = r"(?=[\s._,\x00()\[\]-]*$)"
_WORD = re.compile(r"[^\W_]+(?:[.'’][^\W_]+)*")
_DIGIT = re.compile(r"\d")
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_SHORT = "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
_SEAM = re.compile(
    rf"(?<=[a-z])(?=(?:V|Rev|Q|FY)\d|(?:Final|FINAL|Draft|DRAFT|Copy|OLD|{_MONTH}|{_SHORT})(?![a-z])|(?:19|20)\d\d(?!\d))"
    rf"|(?<=\d)(?=(?:Final|FINAL|Draft|DRAFT|Copy|OLD|{_MONTH}|{_SHORT})(?![a-z]))"
    r"|(?<=\d\d)(?=[A-Z][a-z]{3})"
    rf"|{'|'.join(f'(?<={name})(?=[A-Z])' for name in (_MONTH + '|Sept|' + _SHORT.replace('t?', '')).split('|'))}"
)
"""Where a version begins or ends within one word: SalesDeckV2Final, 2019SeptSurvey."""

_NEVER_VERSIONS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{LEFT}(?:{PARTS})[\s._#-]{{0,2}}(?:\d{{1,3}}(?:\.\d{{1,3}})*|[ivxlc]{{1,6}}){RIGHT}(?:\s?(?:of|von|de|/)\s?\d+)?",
        rf"{LEFT}(?:{'|'.join(sorted(STANDARDS, key=len, reverse=True))})"
        rf"(?:[\s/._#-]{{0,2}}(?:dss|27|iec))?[\s/:._#-]{{0,2}}v?\d[\d.]*(?!-?\d\d?(?!\d)){RIGHT}(?:-\d{{3,}})?",
        rf"{LEFT}cve-\d{{4}}-\d+",
        rf"{LEFT}es(?:20)\d\d{RIGHT}",
        rf"{LEFT}(?:{apart(YEARED)})[\s_-](?:19|20)\d\d{RIGHT}(?!-\d)",
        rf"{LEFT}(?:19|20)\d\d-\d{{3,}}{RIGHT}",  # numbers of tenders and cases
        rf"{LEFT}(?:\+?\d{{1,3}}[\s-])?\(?\d{{3}}\)?[\s.-]\d{{3,4}}[\s.-]\d{{4}}{RIGHT}",  # of telephones
        r"\+\d[\d\s-]{6,}\d",
        rf"{LEFT}\d+(?:[.,]\d+)?\s?[x×]\s?\d+(?:[.,]\d+)?{RIGHT}",
        rf"{LEFT}\d+(?:[.,]\d+)?(?:\s?(?:[kmgt]i?b|kg|mm|cm|km|px|dpi|[kmg]?hz|kw|kwh|usd|eur|hrs?|%|€)|[gmvwhk]){RIGHT}",
        r"[$€£]\s?\d[\d.,]*",
        rf"{LEFT}\d{{2,3}}(?:\.\d{{1,3}}){{3}}{RIGHT}",  # of machines
    )
)
_TOPIC = re.compile(
    rf"{LEFT}(?<!how[\s_-])(?:{TOPIC})[\s_-]+(?:[a-z][a-z+#]*[\s_-]+){{0,2}}?v?\d+(?:[._]\d+)*(?:\.x)?{RIGHT}"
    rf"|{LEFT}(?:new[\s_-]in|changes[\s_-]in)[\s_-]+(?:[a-z+#]+[\s_-]+)?v?\d+(?:\.\d+)*(?:\.x)?{RIGHT}"
)
_MOVES = re.compile(r"migrat|upgrad|porting|umstieg|montée de version")
_PLATFORM = re.compile(
    rf"{LEFT}(?:{'|'.join(sorted(PLATFORMS, key=len, reverse=True))})[\s_-]?v?\d+(?:\.\d+)*(?:u\d+)?{RIGHT}"
)
_ANY_NUMBER = re.compile(rf"{LEFT}v?\d+(?:[._]\d+)*(?:\.x)?{RIGHT}")
_MONTH_WORD = re.compile("|".join(sorted(name for name in MONTHS if len(name) > 2)))
_NUMBER_SIGN = re.compile(
    r"\d|edition|auflage|ausgabe|édition|edición|draft|version|revision|rev|[ _-][ivx]+(?:$|[^a-z])"
)
_PERIOD = re.compile(rf"(?<![^\W_])(?:{apart(PERIOD_WORDS)})(?![^\W_])")

_COPIES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^(?:{COPY_WORDS})[\s_-](?:\(?\d+\)?[\s_-])?(?:{OF})[\s_-]+",
        r"[\s_-]*\([^()]*conflict[^()]*\)",
        rf"[\s_-]+\(?(?:{COPY_WORDS}|{apart(BACKUP_WORDS)})\)?[\s_-]?\(?\d{{0,2}}\)?{_END}",
        rf"\s?\(\d{{1,2}}\){_END}",
    )
)
_RETIRED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?<=[\s_.(\[-])(?:{RETIRED_WORDS})[\s_-]?\d{{0,2}}{RIGHT}{_END}",
        rf"^[\s(\[]{{0,2}}(?:{RETIRED_WORDS})(?:[)\]_:]|\s?[-–]\s)",
        rf"[(\[](?:{RETIRED_WORDS})[)\]]",
    )
)
_CHANNEL_WORDS = "|".join(sorted(RELEASED_CHANNELS | {"new", "newest", "updated", "neu", "nouveau", "nuevo"}))
_CHANNEL = re.compile(rf"(?<=[\s_.(\[-])(?:{_CHANNEL_WORDS}){RIGHT}{_END}")
_SURE_LANGUAGES = "|".join(sorted(LANGUAGES - LANGUAGES_OR_WORDS))
_LANGUAGE = re.compile(
    rf"\.(?P<dotted>(?:{'|'.join(sorted(LANGUAGES))})(?:[_-](?:[a-z]{{2}}|han[st]))?){_END}"
    rf"|(?<=[\s_(\[-])(?P<code>(?:{_SURE_LANGUAGES})(?:[_-](?:[a-z]{{2}}|han[st]))?){RIGHT}{_END}"
    rf"|(?<=[\s_(\[-])(?P<name>{'|'.join(LANGUAGE_NAMES)})(?:[\s_-](?:version|edition|fassung))?{RIGHT}{_END}"
)
_SIGNAL = re.compile(
    "|".join(
        (
            COPY_WORDS,
            BACKUP_WORDS,
            RETIRED_WORDS,
            _CHANNEL_WORDS,
            DRAFT_WORDS,
            PROPOSED_WORDS,
            FINAL_WORDS,
            APPROVED_WORDS,
        )
    )
    + rf"|conflict|alpha|beta|rc|\(|{_LANGUAGE.pattern}"
)


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
    """A text while it is read. `work` has neither versions nor what only looks like one, `rest` lacks the versions."""

    work: str
    rest: str

    def take(self, start: int, end: int) -> None:
        self.work = self.work[:start] + TAKEN * (end - start) + self.work[end:]
        self.rest = self.rest[:start] + TAKEN * (end - start) + self.rest[end:]

    def keep(self, start: int, end: int) -> None:
        self.work = self.work[:start] + KEPT * (end - start) + self.work[end:]

    def keep_all(self, patterns: Iterable[re.Pattern[str]]) -> None:
        for pattern in patterns:
            for match in pattern.finditer(self.work):
                self.keep(*match.span())

    def take_first(self, patterns: Iterable[re.Pattern[str]]) -> re.Match[str] | None:
        for pattern in patterns:
            if match := pattern.search(self.work):
                self.take(*match.span())
                return match
        return None


def read(text: str) -> Reading:
    """The versions of a text and what is left of it."""
    return _read(unicodedata.normalize("NFKC", text))


@lru_cache(maxsize=65536)
def _read(text: str) -> Reading:
    lowered = _SEAM.sub(" ", text).lower()
    is_period = _PERIOD.search(lowered) is not None
    being_read = _Text(lowered, lowered)
    copy = being_read.take_first(_COPIES)
    versions = [*_dates(being_read), *_numbers(being_read, is_period=is_period)]
    if not versions and copy is None and not _SIGNAL.search(lowered):
        return Reading(tuple(_WORD.findall(lowered)), is_period=is_period)
    stage = retired = channel = lang = None
    # What stands at the end of a name hides what stands before it: `policy final de`.
    for _ in range(3):
        before = being_read.work
        copy = copy or being_read.take_first(_COPIES)
        lang = lang or being_read.take_first((_LANGUAGE,))
        stage = stage or _stage(being_read)
        retired = retired or being_read.take_first(_RETIRED)
        channel = channel or being_read.take_first((_CHANNEL,))
        if being_read.work == before:
            break
    return Reading(
        tuple(_WORD.findall(being_read.rest.replace(TAKEN, " "))),
        tuple(versions),
        stage,
        copy[0].strip(" _-") if copy else None,
        retired[0].strip(" _-()[].") if retired else None,
        channel[0] if channel else None,
        _language(lang) if lang else None,
        is_period,
    )


def _language(match: re.Match[str]) -> str:
    if match["name"]:
        return LANGUAGE_NAMES[match["name"]]
    return (match["dotted"] or match["code"]).replace("_", "-")


def _dates(text: _Text) -> list[Version]:
    found: list[tuple[int, int, Version]] = []
    if _DIGIT.search(text.work):
        text.keep_all(_NEVER_VERSIONS)
    elif not _MONTH_WORD.search(text.work):
        return []
    for pattern, reader in READERS:
        for match in pattern.finditer(text.work):
            version = reader(match)
            if version is not None:
                text.take(*match.span())
                found.append((*match.span(), version))
    return [version for _, _, version in _ranges(sorted(found, key=lambda each: each[0]), text)]


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


def _numbers(text: _Text, *, is_period: bool) -> list[Version]:
    if not _NUMBER_SIGN.search(text.work):
        return []
    if _MOVES.search(text.work):
        text.keep_all((_ANY_NUMBER,))
    text.keep_all((_TOPIC,))
    if not is_period and _WORD.search(_PLATFORM.sub("", text.work)):
        text.keep_all((_PLATFORM,))
    found: list[tuple[int, Version]] = []
    for pattern, reader in NUMBERS:
        for match in pattern.finditer(text.work):
            version = reader(match)
            if version is not None:
                group = "only" if "only" in pattern.groupindex else 0
                text.take(*match.span(group))
                found.append((match.start(group), version))
    return [version for _, version in sorted(found, key=lambda each: each[0])]


def _stage(text: _Text) -> Version | None:
    for pattern, reader in STAGES:
        if match := pattern.search(text.work):
            text.take(*match.span())
            return reader(match)
    return None
