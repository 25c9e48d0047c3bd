"""Dates and periods as names write them: calendar, fiscal, seasons. Pure.

A date that can be read in two ways (03-04-2026) or that lacks its year (June, Q3) is a date all the same, an unsure one:
its stretch covers every reading, so nothing is ordered by a guess. Texts are in lower case.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone

from include.families.kinds import Kind, Place, Version
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

_FIRST: Place = ((0,),)
_LAST: Place = ((9999,),)


def joined(one: Version, other: Version, text: str) -> Version | None:
    """From one date to the other: 201801-201807. None where the second does not come later."""
    if one.kind is not other.kind or one.line != other.line or not (one.is_sure and other.is_sure):
        return None
    if one.low < other.low and one.high < other.high:
        return Version(one.kind, text, one.low, other.high, one.line)
    return None


BETWEEN = re.compile(r"\s?(?:-|--|–|—|_|\.\.|to|until|through|thru|bis|au|hasta)\s?")
"""What joins two dates to a range."""


def _calendar(text: str, first: date, last: date, *, is_sure: bool = True) -> Version:
    return Version(
        Kind.DATE,
        text,
        ((first.year, first.month, first.day, 0),),
        ((last.year, last.month, last.day, 1439),),
        is_sure=is_sure,
    )


def _day(year: int, month: int, day: int) -> date | None:
    return date(year, month, day) if 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1] else None


def _on(text: str, day: date | None) -> Version | None:
    return _calendar(text, day, day) if day else None


def _months(text: str, year: int, first: int, last: int, *, is_sure: bool = True) -> Version:
    return _calendar(text, date(year, first, 1), date(year, last, monthrange(year, last)[1]), is_sure=is_sure)


def _of_no_year(text: str) -> Version:
    return Version(Kind.DATE, text, _FIRST, _LAST, is_sure=False)


def _year(digits: str) -> int:
    """Two digits are of this century up to 49, of the last one from 80 on; 0 for what is no year."""
    if len(digits) == 4:
        return int(digits)
    short = int(digits)
    return 2000 + short if short < 50 else 1900 + short if short >= 80 else 0


def _instant(match: re.Match[str]) -> Version | None:
    day = _day(int(match[1]), int(match[2]), int(match[3]))
    if day is None:
        return None
    hour, minute, second = int(match["hour"]), int(match["minute"]), int(match["second"] or 0)
    zone = (match["zone"] or "").strip()
    offset = timedelta()
    if zone[:1] in ("+", "-"):
        offset = timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:])) * (-1 if zone[0] == "-" else 1)
    if offset >= timedelta(hours=24) or offset <= timedelta(hours=-24):
        return None
    at = datetime(day.year, day.month, day.day, hour, minute, second, tzinfo=timezone(offset)).astimezone(UTC)
    place: Place = ((at.year, at.month, at.day, at.hour * 60 + at.minute, at.second),)
    return Version(Kind.DATE, match[0], place, place)


def _year_first(match: re.Match[str]) -> Version | None:
    return _on(match[0], _day(int(match[1]), int(match[3]), int(match[4])))


def _year_last(match: re.Match[str]) -> Version | None:
    """14-06-2026 and 06-14-2026 have one reading, 03-04-2026 has two, 05-05-2026 says the same in both."""
    one, other, year = int(match[1]), int(match[3]), int(match[4])
    return _readings(match[0], {_day(year, other, one), _day(year, one, other)})


def _two_digit_year(match: re.Match[str]) -> Version | None:
    """14-06-26 may be of 2014 or of 2026; one that has a single reading is sure."""
    one, two, three = (int(match[place]) for place in (1, 3, 4))
    readings = (
        {_day(_year(f"{three:02}"), two, one), _day(_year(f"{three:02}"), one, two)} if _year(match[4]) else set()
    )
    if _year(match[1]):
        readings.add(_day(_year(match[1]), two, three))
    return _readings(match[0], readings)


def _readings(text: str, readings: set[date | None]) -> Version | None:
    days = sorted(day for day in readings if day)
    return _calendar(text, days[0], days[-1], is_sure=len(days) == 1) if days else None


def _list_of_months(match: re.Match[str]) -> Version | None:
    months = [int(month) for month in re.findall(r"\d\d", match[2])]
    if months != sorted(set(months)):
        return None
    return _months(match[0], int(match[1]), months[0], months[-1])


def _year_month(match: re.Match[str]) -> Version:
    return _months(match[0], int(match[1]), int(match[2]), int(match[2]))


def _month_year(match: re.Match[str]) -> Version:
    """06-2026 is a month. 6/2026 may as well be the sixth issue of the year."""
    if len(match[1]) == 1:
        return _months(match[0], int(match[2]), 1, 12, is_sure=False)
    return _months(match[0], int(match[2]), int(match[1]), int(match[1]))


def _days_month_year(match: re.Match[str]) -> Version | None:
    year, month = int(match[4]), MONTHS[match[3]]
    last = _day(year, month, int(match[2]))
    first = _day(year, month, int(match[1])) if match[1] else last
    return _calendar(match[0], first, last) if first and last and first <= last else None


def _month_day_year(match: re.Match[str]) -> Version | None:
    return _on(match[0], _day(int(match[3]), MONTHS[match[1]], int(match[2])))


def _year_month_day_named(match: re.Match[str]) -> Version | None:
    return _on(match[0], _day(int(match[1]), MONTHS[match[2]], int(match[3])))


def _named_months_year(match: re.Match[str]) -> Version | None:
    first, last = MONTHS[match[1] or match[2]], MONTHS[match[2]]
    return _months(match[0], int(match[3]), first, last) if first <= last else None


def _year_named_month(match: re.Match[str]) -> Version:
    return _months(match[0], int(match[1]), MONTHS[match[2]], MONTHS[match[2]])


def _named_month_short_year(match: re.Match[str]) -> Version | None:
    """Jan26 and Jan '26 are of 2026. "Jan 26" and jan-26 may be a day."""
    year = _year(match[3])
    if not year:
        return None
    if match[2] in ("", "'") or int(match[3]) > 31 or match[2].endswith("'"):
        return _months(match[0], year, MONTHS[match[1]], MONTHS[match[1]])
    return _of_no_year(match[0])


def _part_of_year(found: tuple[str | None, ...]) -> tuple[int, int]:
    """First and last quarter, of the groups of `_PART`."""
    quarter, half = found[0] or found[2] or found[4], found[1] or found[3] or found[5]
    if quarter:
        return int(quarter), int(quarter)
    return (1, 2) if half == "1" else (3, 4)


def _part_year(match: re.Match[str]) -> Version | None:
    first, last = _part_of_year(match.groups()[:6])
    year = _year(match[7])
    return _months(match[0], year, 3 * first - 2, 3 * last) if year else None


def _year_part(match: re.Match[str]) -> Version:
    first, last = _part_of_year(match.groups()[1:])
    return _months(match[0], int(match[1]), 3 * first - 2, 3 * last)


def _quarters_year(match: re.Match[str]) -> Version | None:
    first, last = int(match[1]), int(match[2])
    return _months(match[0], int(match[3]), 3 * first - 2, 3 * last) if first < last else None


def _fiscal(match: re.Match[str]) -> Version | None:
    """FY26 and FY25/26 are written by people who count differently: each is a line of its own."""
    part = match["before"] or match["after"]
    year, split = _year(match["year"]), match["split"]
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
    return _calendar(match[0], monday, monday + timedelta(days=6))


def _season(match: re.Match[str]) -> Version | None:
    year = _year(match[2] or match[3])
    if not year:
        return None
    season = SEASONS[match[1] or match[4]]
    # Winter 2025 began in December 2024 or in December 2025: it covers the year.
    low, high = (0, 4) if season == 0 else (season, season)
    return Version(Kind.SEASON, match[0], ((4 * year + low,),), ((4 * year + high,),))


def _east_asian(match: re.Match[str]) -> Version | None:
    year, month, day = int(match[1]), match[2], match[3]
    if day:
        return _on(match[0], _day(year, int(month), int(day)))
    if month:
        return _months(match[0], year, int(month), int(month)) if 1 <= int(month) <= 12 else None
    return _months(match[0], year, 1, 12)


def _years(match: re.Match[str]) -> Version | None:
    """2024-2026, 2024/25."""
    first, last = int(match[1]), int(match[2])
    if len(match[2]) == 2:
        if last != (first + 1) % 100:
            return None
        last = first + 1
    return _calendar(match[0], date(first, 1, 1), date(last, 12, 31)) if first < last else None


def _whole_year(match: re.Match[str]) -> Version:
    return _months(match[0], int(match[1]), 1, 12)


def _unplaced(match: re.Match[str]) -> Version | None:
    """A quarter of an unnamed year, unless it numbers a question."""
    return None if _ASKS.search(match.string) else _of_no_year(match[0])


_ASKS = re.compile(r"faq|question|quiz|frage|pregunta")


_SEASON = "|".join(sorted(SEASONS, key=len, reverse=True))
_MONTH = rf"({'|'.join(sorted(MONTHS, key=len, reverse=True))})\.?"
_FULL_MONTH = "|".join(sorted((name for name in MONTHS if len(name) > 4), key=len, reverse=True))
_FISCAL_YEAR = (
    r"(?:fy|fiscal[\s_-]year|fiscal|gj|geschäftsjahr)[\s_-]?'?(?P<year>\d{4}|\d\d)(?:[/-](?P<split>\d{4}|\d\d)(?!\d))?"
)
_WEEK = r"(?:w|kw|week|woche|semaine|semana)[\s_-]?"
_ALONE = r"(?![-/.]?\d)(?![a-zà-ÿ])"

READERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Version | None]], ...] = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (rf"{LEFT}{_Y}[-._/]?{_MM}[-._/]?{_DD}{_TIME}{RIGHT}", _instant),
        (rf"{LEFT}(?:{_D}\.?\s?[-–]\s?)?{_DAY}{_GAP}{{0,2}}{_MONTH}{_GAP}{{0,2}}{_Y}{RIGHT}", _days_month_year),
        (rf"{LEFT}{_MONTH}{_GAP}{{0,2}}{_DAY}{_GAP}{{1,2}}{_Y}{RIGHT}", _month_day_year),
        (rf"{LEFT}{_Y}{_GAP}{{0,2}}{_MONTH}{_GAP}{{0,2}}{_DAY}{RIGHT}", _year_month_day_named),
        (rf"{LEFT}{_Y}([-._/\s]){_M}\2{_D}{RIGHT}", _year_first),
        (rf"{LEFT}{_Y}(){_MM}{_DD}{RIGHT}", _year_first),
        (rf"{LEFT}(\d\d?)([-._/\s])(\d\d?)\2{_Y}{RIGHT}", _year_last),
        (rf"{LEFT}(\d\d)([-/])(\d\d)\2(\d\d){RIGHT}", _two_digit_year),
        (rf"{LEFT}{_Y}[-._]((?:0[1-9]|1[0-2])(?:[,+&]\s?(?:0[1-9]|1[0-2]))+)(?![a-z0-9])", _list_of_months),
        (
            rf"{LEFT}(?:(?P<year>(?:19|20)\d\d)[\s_-]?{_WEEK}(?P<week>\d\d?)"
            rf"|{_WEEK}(?P<week_before>\d\d?)[\s_/,-]{{0,2}}(?P<year_after>(?:19|20)\d\d)){RIGHT}",
            _week,
        ),
        (
            rf"{LEFT}(?:(?P<before>q[1-4]|h[12])[\s_.,-]{{0,2}})?{_FISCAL_YEAR}(?:[\s_.,-]{{0,2}}(?P<after>q[1-4]|h[12]))?{RIGHT}",
            _fiscal,
        ),
        (rf"{LEFT}q([1-4])\s?[-–]\s?q?([1-4])[\s_./-]?{_Y}{RIGHT}", _quarters_year),
        (rf"{LEFT}{_PART}[\s_./-]{{0,2}}{_YY}{RIGHT}", _part_year),
        (rf"{LEFT}{_Y}[\s_./-]{{0,2}}{_PART}{RIGHT}", _year_part),
        (r"(?<!\d)(\d{4})\s?[年년]\s?(?:(\d{1,2})\s?[月월]\s?(?:(\d{1,2})\s?[日일号號])?)?", _east_asian),
        (rf"{LEFT}(?:{_MONTH}\s?[-–/&]\s?)?{_MONTH}{_GAP}{{0,2}}'?{_Y}{RIGHT}", _named_months_year),
        (rf"{LEFT}{_Y}{_GAP}{{0,2}}{_MONTH}{RIGHT}", _year_named_month),
        (rf"{LEFT}{_Y}[-._/]{_MM}{_ALONE}", _year_month),
        (rf"{LEFT}{_Y}\.{_M}{_ALONE}", _year_month),
        (rf"{LEFT}{_Y}{_MM}(?![a-z0-9à-ÿ])(?![.,]\d)", _year_month),
        (rf"{LEFT}(?<!\d[-/]){_M}[-._/]{_Y}{_ALONE}", _month_year),
        (rf"{LEFT}(?:({_SEASON})(?:[\s_'’-]|\sof\s){{0,2}}{_YY}|{_Y}[\s_-]{{0,2}}({_SEASON})){RIGHT}", _season),
        (rf"{LEFT}{_MONTH}([\s_.-]?'?)(\d\d){RIGHT}", _named_month_short_year),
        (rf"{LEFT}(?<!\d[-/]){_Y}\s?[-–/]\s?((?:19|20)?\d\d){_ALONE}", _years),
        (rf"{LEFT}(?<!\d[-/.]){_Y}{_ALONE}", _whole_year),
        (rf"{LEFT}{_DAY}[\s_-]?{_MONTH}{RIGHT}|{LEFT}{_MONTH}[\s_-]{_DAY}{RIGHT}", _unplaced),
        (rf"(?<=\w[\s_,(-])(?:{_FULL_MONTH}|june?|july?|may)(?=\s?[)\]]?$)", _unplaced),
        (rf"{LEFT}(?:{_QUARTER}){RIGHT}", _unplaced),
    )
)
"""In order of how much they say: what one has read is no longer there for the next."""
