"""Days and months as names write them. Pure; texts are in lower case.

A date that has two readings (03-04-2026) or lacks its year (14 June) is a date all the same, an unsure one: its
stretch covers every reading, so nothing is ordered by a guess.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import UTC, date, datetime, timedelta, timezone

from include.families.kinds import Kind, Place, Version
from include.families.vocabulary import MONTHS

_FIRST: Place = ((0,),)
_LAST: Place = ((9999,),)


def stretch(text: str, first: date, last: date, *, is_sure: bool = True) -> Version:
    return Version(
        Kind.DATE,
        text,
        ((first.year, first.month, first.day, 0),),
        ((last.year, last.month, last.day, 86399),),
        is_sure=is_sure,
    )


def day_of(year: int, month: int, day: int) -> date | None:
    return date(year, month, day) if 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1] else None


def on_day(text: str, day: date | None) -> Version | None:
    return stretch(text, day, day) if day else None


def months_of(text: str, year: int, first: int, last: int, *, is_sure: bool = True) -> Version:
    return stretch(text, date(year, first, 1), date(year, last, monthrange(year, last)[1]), is_sure=is_sure)


def of_no_year(text: str) -> Version:
    return Version(Kind.DATE, text, _FIRST, _LAST, is_sure=False)


def year_of(digits: str) -> int:
    """Two digits are of this century up to 49, of the last one from 80 on; 0 for what is no year."""
    if len(digits) == 4:
        return int(digits)
    short = int(digits)
    return 2000 + short if short < 50 else 1900 + short if short >= 80 else 0


def instant(match: re.Match[str]) -> Version | None:
    """2026-06-14T1200: that minute, UTC unless it says otherwise."""
    day = day_of(int(match[1]), int(match[2]), int(match[3]))
    if day is None:
        return None
    second = int(match["second"] or 0)
    zone = (match["zone"] or "").strip()
    offset = timedelta()
    if zone[:1] in ("+", "-"):
        offset = timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:])) * (-1 if zone[0] == "-" else 1)
    if abs(offset) >= timedelta(hours=24):
        return None
    written = datetime(
        day.year, day.month, day.day, int(match["hour"]), int(match["minute"]), second, tzinfo=timezone(offset)
    )
    at = written.astimezone(UTC)
    seconds = at.hour * 3600 + at.minute * 60 + at.second
    last = seconds if match["second"] else seconds + 59
    place = (at.year, at.month, at.day)
    return Version(Kind.DATE, match[0], ((*place, seconds),), ((*place, last),))


def year_first(match: re.Match[str]) -> Version | None:
    return on_day(match[0], day_of(int(match[1]), int(match[3]), int(match[4])))


def year_last(match: re.Match[str]) -> Version | None:
    """14-06-2026 and 06-14-2026 have one reading, 03-04-2026 has two, 05-05-2026 says the same in both."""
    one, other, year = int(match[1]), int(match[3]), int(match[4])
    return _readings(match[0], {day_of(year, other, one), day_of(year, one, other)})


def two_digit_year(match: re.Match[str]) -> Version | None:
    """14-06-26 may be of 2014 or of 2026; one that has a single reading is sure."""
    one, two, three = (int(match[place]) for place in (1, 3, 4))
    readings = (
        {day_of(year_of(f"{three:02}"), two, one), day_of(year_of(f"{three:02}"), one, two)}
        if year_of(match[4])
        else set()
    )
    if year_of(match[1]):
        readings.add(day_of(year_of(match[1]), two, three))
    return _readings(match[0], readings)


def _readings(text: str, readings: set[date | None]) -> Version | None:
    days = sorted(day for day in readings if day)
    return stretch(text, days[0], days[-1], is_sure=len(days) == 1) if days else None


def list_of_months(match: re.Match[str]) -> Version | None:
    months = [int(month) for month in re.findall(r"\d\d", match[2])]
    if months != sorted(set(months)):
        return None
    return months_of(match[0], int(match[1]), months[0], months[-1])


def year_month(match: re.Match[str]) -> Version:
    return months_of(match[0], int(match[1]), int(match[2]), int(match[2]))


def month_year(match: re.Match[str]) -> Version:
    """06-2026 is a month. 6/2026 may as well be the sixth issue of the year."""
    if len(match[1]) == 1:
        return months_of(match[0], int(match[2]), 1, 12, is_sure=False)
    return months_of(match[0], int(match[2]), int(match[1]), int(match[1]))


def days_month_year(match: re.Match[str]) -> Version | None:
    year, month = int(match[4]), MONTHS[match[3]]
    last = day_of(year, month, int(match[2]))
    first = day_of(year, month, int(match[1])) if match[1] else last
    return stretch(match[0], first, last) if first and last and first <= last else None


def month_day_year(match: re.Match[str]) -> Version | None:
    return on_day(match[0], day_of(int(match[3]), MONTHS[match[1]], int(match[2])))


def year_month_day_named(match: re.Match[str]) -> Version | None:
    return on_day(match[0], day_of(int(match[1]), MONTHS[match[2]], int(match[3])))


def named_months_year(match: re.Match[str]) -> Version | None:
    first, last = MONTHS[match[1] or match[2]], MONTHS[match[2]]
    return months_of(match[0], int(match[3]), first, last) if first <= last else None


def year_named_month(match: re.Match[str]) -> Version:
    return months_of(match[0], int(match[1]), MONTHS[match[2]], MONTHS[match[2]])


def named_month_short_year(match: re.Match[str]) -> Version | None:
    """Jan26 and Jan '26 are of 2026. "Jan 26" and jan-26 may be a day."""
    year = year_of(match[3])
    if not year:
        return None
    if match[2] in ("", "'") or int(match[3]) > 31 or match[2].endswith("'"):
        return months_of(match[0], year, MONTHS[match[1]], MONTHS[match[1]])
    return of_no_year(match[0])


def day_month_short_year(match: re.Match[str]) -> Version | None:
    """14-Jun-26: with a named month nobody puts two digits of a year first."""
    year = year_of(match[3])
    return on_day(match[0], day_of(year, MONTHS[match[2]], int(match[1]))) if year else None
