"""Dates and periods in a text: which spellings there are, and in which order they are tried. Pure; texts are in lower
case."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

from include.families import days
from include.families.days import day_of, months_of, of_no_year, on_day, stretch, year_of
from include.families.kinds import Kind, Version
from include.families.vocabulary import MONTHS, SEASONS

LEFT = r"(?<![a-z0-9à-ÿ])(?<!\d[.,])"
RIGHT = r"(?![a-z0-9à-ÿ])(?![.,]\d)"
"""A version stands between these. Letters of other scripts may touch it: 2026年6月, 议程2026."""

_Y = r"((?:19[89]|20[0-4])\d)"
_YY = r"'?((?:19[89]|20[0-4])\d|\d\d)"
_M = r"(0?[1-9]|1[0-2])"
_MM = r"(0[1-9]|1[0-2])"
_D = r"(0?[1-9]|[12]\d|3[01])"
_DD = r"(0[1-9]|[12]\d|3[01])"
_DAY = r"(0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th|er|\.|º|ª)?"
_GAP = r"(?:[\s._/-]|,\s?|\s?(?:of|de|del|di)\s)"
_TIME = (
    r"(?:[t_\s-]|\s?(?:at|um)\s)(?P<hour>[01]\d|2[0-3])[:.h-]?(?P<minute>[0-5]\d)(?:[:.-]?(?P<second>[0-5]\d))?(?:[.,]\d+)?"
    r"(?P<zone>\s?(?:z|utc|gmt)|[+-]\d\d:?\d\d)?"
)
_QUARTER = r"(?:q|quarter[\s_-]|qtr[\s_-]?|quartal[\s_-]|trimestre[\s_-])([1-4])"
_HALF = r"(?:h|half[\s_-]|halbjahr[\s_-]|semestre[\s_-])([12])"
_PART = rf"(?:{_QUARTER}|{_HALF}|([1-4])q|([12])h|([1-4])\.\s?quartal|([12])\.\s?halbjahr)"


def joined(one: Version, other: Version, text: str) -> Version | None:
    """From one date to the other: 201801-201807. None where the second does not come later."""
    if one.kind is not other.kind or one.line != other.line or not (one.is_sure and other.is_sure):
        return None
    if one.low < other.low and one.high < other.high:
        return Version(one.kind, text, one.low, other.high, one.line)
    return None


BETWEEN = re.compile(r"\s?(?:-|--|–|—|_|\.\.|to|until|through|thru|bis|au|hasta)\s?")
"""What joins two dates to a range."""


def _part_of_year(found: tuple[str | None, ...]) -> tuple[int, int]:
    """First and last quarter, of the groups of `_PART`."""
    quarter, half = found[0] or found[2] or found[4], found[1] or found[3] or found[5]
    if quarter:
        return int(quarter), int(quarter)
    return (1, 2) if half == "1" else (3, 4)


def _part_year(match: re.Match[str]) -> Version | None:
    first, last = _part_of_year(match.groups()[:6])
    year = year_of(match[7])
    return months_of(match[0], year, 3 * first - 2, 3 * last) if year else None


def _year_part(match: re.Match[str]) -> Version:
    first, last = _part_of_year(match.groups()[1:])
    return months_of(match[0], int(match[1]), 3 * first - 2, 3 * last)


def _quarters_year(match: re.Match[str]) -> Version | None:
    first, last = int(match[1]), int(match[2])
    return months_of(match[0], int(match[3]), 3 * first - 2, 3 * last) if first < last else None


def _fiscal(match: re.Match[str]) -> Version | None:
    """FY26 and FY25/26 are written by people who count differently: each is a line of its own."""
    part = match["before"] or match["after"]
    year, split = year_of(match["year"]), match["split"]
    if not year or (split and int(split) % 100 != (year + 1) % 100):
        return None
    first, last = 1, 4
    if part:
        digit = int(re.sub(r"\D", "", part))
        first, last = (digit, digit) if "q" in part else (2 * digit - 1, 2 * digit)
    return Version(Kind.FISCAL, match[0], ((year, first),), ((year, last),), line="split year" if split else "")


def _week(match: re.Match[str]) -> Version | None:
    year, week = int(match["year"] or match["year_after"]), int(match["week"] or match["week_before"])
    try:
        monday = date.fromisocalendar(year, week, 1)
    except ValueError:  # no year has a week 54, most have no week 53
        return None
    return stretch(match[0], monday, monday + timedelta(days=6))


def _season(match: re.Match[str]) -> Version | None:
    year = year_of(match[2] or match[3])
    if not year:
        return None
    season = SEASONS[match[1] or match[4]]
    # Winter 2025 began in December 2024 or in December 2025: it covers the year.
    low, high = (0, 4) if season == 0 else (season, season)
    return Version(Kind.SEASON, match[0], ((4 * year + low,),), ((4 * year + high,),))


def _east_asian(match: re.Match[str]) -> Version | None:
    year, month, day = int(match[1]), match[2], match[3]
    if day:
        return on_day(match[0], day_of(year, int(month), int(day)))
    if month:
        return months_of(match[0], year, int(month), int(month)) if 1 <= int(month) <= 12 else None
    return months_of(match[0], year, 1, 12)


def _years(match: re.Match[str]) -> Version | None:
    """2024-2026, 2024/25."""
    first, last = int(match[1]), int(match[2])
    if len(match[2]) == 2:
        if last != (first + 1) % 100:
            return None
        last = first + 1
    return stretch(match[0], date(first, 1, 1), date(last, 12, 31)) if first < last else None


def _whole_year(match: re.Match[str]) -> Version:
    return months_of(match[0], int(match[1]), 1, 12)


def _unplaced(match: re.Match[str]) -> Version | None:
    """A quarter of an unnamed year, unless it numbers a question."""
    return None if _ASKS.search(match.string) else of_no_year(match[0])


_ASKS = re.compile(r"faq|question|quiz|frage|pregunta")


_MONTH = rf"({'|'.join(sorted(MONTHS, key=len, reverse=True))})\.?"
_FULL_MONTH = "|".join(sorted((name for name in MONTHS if len(name) > 4), key=len, reverse=True))
_SEASON = "|".join(sorted(SEASONS, key=len, reverse=True))
_FISCAL_YEAR = (
    r"(?:fy|fiscal[\s_-]year|fiscal|gj|geschäftsjahr)[\s_-]?'?(?P<year>\d{4}|\d\d)(?:[/-](?P<split>\d{4}|\d\d)(?!\d))?"
)
_WEEK = r"(?:w|kw|week|woche|semaine|semana)[\s_-]?"
_ALONE = r"(?![-/.]?\d)(?![a-zà-ÿ])"

_YEAR, _MONTH_NAME, _ANY_DIGIT = 1, 2, 4
_SIGNS = (
    (_YEAR, re.compile(r"(?:19|20)\d\d")),
    (_MONTH_NAME, re.compile("|".join(sorted(MONTHS)))),
    (_ANY_DIGIT, re.compile(r"\d")),
)
_Reader = Callable[[re.Match[str]], Version | None]
_READERS: tuple[tuple[int, re.Pattern[str], _Reader], ...] = tuple(
    (needs, re.compile(pattern), read)
    for needs, pattern, read in (
        (_YEAR, rf"{LEFT}{_Y}[-._/]?{_MM}[-._/]?{_DD}{_TIME}{RIGHT}", days.instant),
        (
            _YEAR,
            rf"{LEFT}{_Y}{_MM}{_DD}(?P<hour>[01]\d|2[0-3])(?P<minute>[0-5]\d)(?P<second>[0-5]\d)?(?P<zone>z?){RIGHT}",
            days.instant,
        ),
        (
            _YEAR | _MONTH_NAME,
            rf"{LEFT}(?:{_D}\.?\s?[-–]\s?)?{_DAY}{_GAP}{{0,2}}{_MONTH}{_GAP}{{0,2}}{_Y}{RIGHT}",
            days.days_month_year,
        ),
        (_YEAR | _MONTH_NAME, rf"{LEFT}{_MONTH}{_GAP}{{0,2}}{_DAY}{_GAP}{{1,2}}{_Y}{RIGHT}", days.month_day_year),
        (_YEAR | _MONTH_NAME, rf"{LEFT}{_Y}{_GAP}{{0,2}}{_MONTH}{_GAP}{{0,2}}{_DAY}{RIGHT}", days.year_month_day_named),
        (_YEAR, rf"{LEFT}v?{_Y}([-._/\s]){_M}\2{_D}{RIGHT}", days.year_first),
        (_YEAR, rf"{LEFT}v?{_Y}(){_MM}{_DD}{RIGHT}", days.year_first),
        (_YEAR, rf"{LEFT}(\d\d?)([-._/\s])(\d\d?)\2{_Y}{RIGHT}", days.year_last),
        (_ANY_DIGIT, rf"{LEFT}(\d\d)([-/])(\d\d)\2(\d\d){RIGHT}", days.two_digit_year),
        (
            _YEAR,
            rf"{LEFT}{_Y}[-._]((?:0[1-9]|1[0-2])(?:[,+&]\s?(?:0[1-9]|1[0-2]))+)(?![a-z0-9])",
            days.list_of_months,
        ),
        (
            _YEAR,
            rf"{LEFT}(?:(?P<year>(?:19|20)\d\d)[\s_-]?{_WEEK}(?P<week>\d\d?)"
            rf"|{_WEEK}(?P<week_before>\d\d?)[\s_/,-]{{0,2}}(?P<year_after>(?:19|20)\d\d)){RIGHT}",
            _week,
        ),
        (
            _ANY_DIGIT,
            rf"{LEFT}(?:(?P<before>q[1-4]|h[12]|[1-4]q|[12]h)[\s_.,-]{{0,2}})?{_FISCAL_YEAR}"
            rf"(?:[\s_.,-]{{0,2}}(?P<after>q[1-4]|h[12]|[1-4]q|[12]h))?{RIGHT}",
            _fiscal,
        ),
        (_YEAR, rf"{LEFT}q([1-4])\s?[-–]\s?q?([1-4])[\s_./-]?{_Y}{RIGHT}", _quarters_year),
        (_ANY_DIGIT, rf"{LEFT}{_PART}[\s_./-]{{0,2}}{_YY}{RIGHT}", _part_year),
        (_YEAR, rf"{LEFT}{_Y}[\s_./-]{{0,2}}{_PART}{RIGHT}", _year_part),
        (_YEAR, r"(?<!\d)(\d{4})\s?[年년]\s?(?:(\d{1,2})\s?[月월]\s?(?:(\d{1,2})\s?[日일号號])?)?", _east_asian),
        (
            _YEAR | _MONTH_NAME,
            rf"{LEFT}(?:{_MONTH}\s?[-–/&]\s?)?{_MONTH}{_GAP}{{0,2}}'?{_Y}{RIGHT}",
            days.named_months_year,
        ),
        (_YEAR | _MONTH_NAME, rf"{LEFT}{_Y}{_GAP}{{0,2}}{_MONTH}{RIGHT}", days.year_named_month),
        (_YEAR, rf"{LEFT}v?{_Y}[-._/]{_MM}{_ALONE}", days.year_month),
        (_YEAR, rf"{LEFT}v?{_Y}\.{_M}{_ALONE}", days.year_month),
        (_YEAR, rf"{LEFT}{_Y}{_MM}(?![a-z0-9à-ÿ])(?![.,]\d)", days.year_month),
        (_YEAR, rf"{LEFT}(?<!\d[-/]){_M}[-._/]{_Y}{_ALONE}", days.month_year),
        (
            _ANY_DIGIT,
            rf"{LEFT}(?:({_SEASON})(?:[\s_'’-]|\sof\s){{0,2}}{_YY}|{_Y}[\s_-]{{0,2}}({_SEASON})){RIGHT}",
            _season,
        ),
        (_ANY_DIGIT | _MONTH_NAME, rf"{LEFT}{_DAY}[\s_-]?{_MONTH}[\s_-]?'?(\d\d){RIGHT}", days.day_month_short_year),
        (_ANY_DIGIT | _MONTH_NAME, rf"{LEFT}{_MONTH}([\s_.-]?'?)(\d\d){RIGHT}", days.named_month_short_year),
        (_YEAR, rf"{LEFT}(?<!\d[-/]){_Y}\s?[-–/]\s?((?:19|20)?\d\d){_ALONE}", _years),
        (_YEAR, rf"{LEFT}(?<!\d[-/.]){_Y}{_ALONE}", _whole_year),
        (
            _ANY_DIGIT | _MONTH_NAME,
            rf"{LEFT}{_DAY}[\s_-]?{_MONTH}{RIGHT}|{LEFT}{_MONTH}[\s_-]{_DAY}{RIGHT}",
            _unplaced,
        ),
        (_MONTH_NAME, rf"(?<=\w[\s_,(-])(?:{_FULL_MONTH}|june?|july?|juni|juli|may)(?=\s?[)\]]?$)", _unplaced),
        (_ANY_DIGIT, rf"(?<=\w[\s_,(-])(?:{_QUARTER}|[1-4]q){RIGHT}|^(?:{_QUARTER}|[1-4]q)(?=[\s_-]+\w)", _unplaced),
    )
)
"""In order of how much they say: what one has read is no longer there for the next. The first number says what a text
must hold to be worth the attempt."""


_Readers = tuple[tuple[re.Pattern[str], _Reader], ...]
_FOR: tuple[_Readers, ...] = tuple(
    tuple((pattern, read) for needs, pattern, read in _READERS if holds & needs == needs)
    for holds in range(1 + sum(sign for sign, _ in _SIGNS))
)


def readers_for(text: str) -> _Readers:
    """The spellings that may occur in this text, most telling first."""
    return _FOR[sum(sign for sign, pattern in _SIGNS if pattern.search(text))]
