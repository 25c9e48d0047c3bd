"""Dates as people and programs write them, read strictly: each form is named here, none is guessed. Pure.

| written                                              | read as                                               |
|------------------------------------------------------|-------------------------------------------------------|
| `2026-03-01`, `20260301`, `2026/3/1`, `2026年3月1日`    | that calendar day, on every machine                   |
| `2026-03-01T09:30+01:00`, `2026-03-01 9:30 UTC`      | that instant; without an offset in the source's zone  |
| `Sun, 01 Mar 2026 09:30:00 +0100` (RFC 2822)         | the same                                              |
| `Sun Mar 01 2026 09:30:00 GMT+0100 (CET)` (JavaScript) | the same                                            |
| `1 March 2026`, `13-Jun-2000`, `March 1st, 2026`     | that day; the names of seven languages                |
| `26/03/2018`, `3/23/2017`                            | that day: only one of the numbers can be a month      |
| `05/02/2018`                                         | nothing, unless the source declares the order         |
| `March 2026`, `2026-03`, `03/2026`; `2026`           | that month; that year; never a day of it              |
| `10/04/18`, `2014-19-19`, `yesterday`, `(fill me in` | nothing, and said so                                  |
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from enum import StrEnum

from include.domain.dates import Precision, read_iso


class DateOrder(StrEnum):
    """Which number comes first where both could be a month."""

    DAY_FIRST = "dmy"
    MONTH_FIRST = "mdy"


@dataclass(frozen=True, slots=True)
class Conventions:
    """How a source writes dates, where the writing alone does not tell. `zone` is that of instants without an offset;
    `zone_is_declared` says that somebody named it."""

    order: DateOrder | None = None
    zone: tzinfo = UTC
    zone_is_declared: bool = False


PLAIN = Conventions()


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """`value` is UTC, the first instant of what was written. `is_zoned`: it is known which instant that is."""

    value: datetime
    precision: Precision
    is_zoned: bool = True


class UnreadDate(ValueError):
    """What stands there is no date that is read; the message says why."""


class AmbiguousDate(UnreadDate):
    """Day and month cannot be told apart."""


class PlaceholderDate(UnreadDate):
    """Somebody was meant to put a date there."""


_NAMES = (
    "january jan januar jänner janvier janv enero gennaio janeiro januari",
    "february feb febr februar février févr fevrier febrero febbraio fevereiro februari",
    "march mar märz maerz mrz mars marzo março marco maart",
    "april apr avril avr abril aprile",
    "may mai mayo maggio maio mei",
    "june jun juni juin junio giugno junho",
    "july jul juli juillet juil julio luglio julho",
    "august aug août aout agosto augustus",
    "september sep sept septembre septiembre settembre setembro",
    "october oct oktober okt octobre octubre ottobre outubro",
    "november nov novembre noviembre novembro",
    "december dec dezember dez décembre déc decembre diciembre dicembre dezembro",
)
"""English, German, French, Spanish, Italian, Portuguese, Dutch: no name stands for two months."""

_MONTHS = {name: number for number, names in enumerate(_NAMES, start=1) for name in names.split()}
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

_MONTH = "(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\b\.?"
_WEEKDAY = r"(?:(?P<weekday>mon|tue|wed|thu|fri|sat|sun)(?:day|s|sday|nesday|rs|rsday|urday)?\b\.?,?\s+)?"
_TIME = (
    r"(?:,?\s+(?:at\s+)?(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d))?"
    r"(?:\s*(?P<offset>Z|(?:GMT|UTC)?[-+]\d\d:?\d\d|(?:UTC?|GMT)(?![-+\d]))\b(?:\s*\([A-Z][A-Za-z ]{1,40}(?:\)|$))?)?)?"
)
_DAY_NUMBER = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|\.|º)?"
_YEAR = r"(?P<year>\d{4})(?!\d)"
_ISO_INSTANT = re.compile(
    r"\d{4}-\d\d-\d\d[T \t]+\d\d?:\d\d(?::\d\d(?:[.,]\d+)?)?(?:[ \t]*(?:Z|UTC|GMT|[-+]\d\d(?::?\d\d)?)(?!\w))?", re.I
)
_FORMS: tuple[re.Pattern[str], ...] = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_WEEKDAY}{_DAY_NUMBER}(?:\s+(?:of|de))?[-\s]\s*{_MONTH},?(?:\s+de)?[-\s]\s*{_YEAR}{_TIME}",
        rf"{_WEEKDAY}{_MONTH}\s+{_DAY_NUMBER}(?:,\s*|\s+){_YEAR}{_TIME}",
        rf"{_MONTH}(?:,?\s+(?:de\s+)?|-){_YEAR}",
        r"(?P<year>\d{4})年(?P<month_number>\d{1,2})月(?:(?P<day>\d{1,2})日)?",
        r"(?P<year>\d{4})([-/.])(?P<month_number>\d{1,2})\2(?P<day>\d{1,2})(?![\d-])",
        r"(?P<year>\d{4})[-/](?P<month_number>\d{1,2})(?![\d/.-])",
        r"(?P<month_number>\d{1,2})/(?P<year>\d{4})(?![\d/])",
    )
)
_NUMBERS = re.compile(r"(?P<first>\d{1,2})([-/.])(?P<second>\d{1,2})\2(?P<year>\d{4})(?!\d)")
_SHORT_YEAR = re.compile(r"\d{1,2}([-/.])\d{1,2}\1\d\d(?!\d)")
_BASIC = re.compile(r"\d{8}(?:T\d{4,6}(?:Z|[-+]\d{4})?)?")
_ONLY_YEAR = re.compile(r"\d{4}")
_PLACEHOLDER = re.compile(
    r"[<{\[]\s*(?:[{%<]|\.?[a-z$])|^\W*\(\s*[a-z]|\byyyy\b|\bdd?\W+mm?\b"
    r"|\btb[adc]\b|\bto ?do\b|\bfill\b|\binsert\b|^[xX?_./-]+$",
    re.IGNORECASE,
)


def read_date(text: str, conventions: Conventions = PLAIN) -> WrittenDate:
    """The date that `text` is, the whole of it. Raises UnreadDate, in words that say what is wrong."""
    whole, text = text, text.strip().strip("\"'“”()").strip()
    if not text:
        raise UnreadDate("nothing is written")
    try:
        value, precision, is_zoned = read_iso(text, zone=conventions.zone)
    except ValueError:
        pass
    else:
        return WrittenDate(value, precision, is_zoned or conventions.zone_is_declared)
    if _ONLY_YEAR.fullmatch(text):
        return WrittenDate(_utc(int(text), 1, 1), Precision.YEAR)
    found = find_date(text, conventions)
    if found is None or text[found[1] :].strip():
        if _PLACEHOLDER.search(whole):
            raise PlaceholderDate("somebody was to fill it in")
        raise UnreadDate("no form of a date that is read")
    return found[0]


def find_date(text: str, conventions: Conventions = PLAIN) -> tuple[WrittenDate, int] | None:
    """The date that `text` begins with, and where it ends; None if it begins with none. A year alone is none here.

    Raises UnreadDate for what has the form of a date and is none that can be told.
    """
    if iso := _ISO_INSTANT.match(text):
        try:
            value, precision, is_zoned = read_iso(iso[0].replace(",", ".").upper(), zone=conventions.zone)
        except ValueError as error:
            raise UnreadDate("no instant of the calendar") from error
        return WrittenDate(value, precision, is_zoned or conventions.zone_is_declared), iso.end()
    for form in _FORMS:
        if written := form.match(text):
            return _of_names(written, conventions), written.end()
    if numbers := _NUMBERS.match(text):
        return _of_numbers(numbers, conventions.order), numbers.end()
    if _SHORT_YEAR.match(text):
        raise AmbiguousDate("a year of two digits")
    if (basic := _BASIC.match(text)) and not text[basic.end() : basic.end() + 1].isalnum():
        try:
            value, precision, is_zoned = read_iso(basic[0], zone=conventions.zone)
        except ValueError:
            return None  # eight digits may be anything
        return WrittenDate(value, precision, is_zoned or conventions.zone_is_declared), basic.end()
    return None


def _of_names(written: re.Match[str], conventions: Conventions) -> WrittenDate:
    part: Callable[[str], str | None] = written.groupdict().get
    month = _MONTHS[name.lower()] if (name := part("month")) else int(part("month_number") or 0)
    year, day = int(part("year") or 0), part("day")
    if day is None:
        return WrittenDate(_utc(year, month, 1), Precision.MONTH)
    value = _utc(year, month, int(day))
    if (weekday := part("weekday")) and _WEEKDAYS[value.weekday()] != weekday.lower():
        raise UnreadDate(f"that day is no {weekday}")
    if not (hour := part("hour")):
        return WrittenDate(value, Precision.DAY)
    try:
        local = value.replace(
            hour=int(hour),
            minute=int(part("minute") or 0),
            second=int(part("second") or 0),
            tzinfo=_zone(part("offset")) or conventions.zone,
        )
        is_zoned = part("offset") is not None or conventions.zone_is_declared
        return WrittenDate(local.astimezone(UTC), Precision.INSTANT, is_zoned)
    except (ValueError, OverflowError) as error:
        raise UnreadDate("no instant of the calendar") from error


def _zone(offset: str | None) -> tzinfo | None:
    if offset is None:
        return None
    offset = offset.upper().removeprefix("GMT").removeprefix("UTC")
    if offset[:1] not in ("+", "-"):
        return UTC
    digits = offset[1:].replace(":", "")
    minutes = int(digits[:2]) * 60 + int(digits[2:])
    return timezone(timedelta(minutes=-minutes if offset[0] == "-" else minutes))


def _of_numbers(numbers: re.Match[str], order: DateOrder | None) -> WrittenDate:
    first, second, year = int(numbers["first"]), int(numbers["second"]), int(numbers["year"])
    if first <= 12 and second <= 12 and first != second and order is None:
        raise AmbiguousDate("the source does not declare `date_order`")
    day_first = first > 12 or (second <= 12 and order is not DateOrder.MONTH_FIRST)
    day, month = (first, second) if day_first else (second, first)
    return WrittenDate(_utc(year, month, day), Precision.DAY)


def _utc(year: int, month: int, day: int) -> datetime:
    try:
        return datetime(year, month, day, tzinfo=UTC)
    except ValueError as error:
        raise UnreadDate("no day of the calendar") from error
