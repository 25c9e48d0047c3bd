"""Dates as evidence: a value, how exact it is, where it came from and how far it can be trusted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from enum import StrEnum

FIRST_YEAR = 1971
"""What is dated before it is a zero that stands for no date, in whatever time zone."""

AHEAD = timedelta(hours=14)
"""So far ahead of UTC may the place be where a calendar day was written."""


class Precision(StrEnum):
    """How exact a date is. Its value is the first instant of the period, in UTC: `2024` is 2024-01-01 and `year`."""

    YEAR = "year"
    MONTH = "month"
    DAY = "day"
    INSTANT = "instant"


class Trust(StrEnum):
    HIGH = "high"
    LOW = "low"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class EvidencedDate:
    """A date with its provenance. `value` is UTC and aware; `origin` names the field it was read from."""

    value: datetime
    precision: Precision
    origin: str
    trust: Trust

    def __post_init__(self) -> None:
        if self.value.tzinfo is None:
            raise ValueError(f"{self.origin}: {self.value!r} has no time zone")

    @property
    def end(self) -> datetime:
        """The last instant that the date may mean."""
        return last_instant(self.value, self.precision)

    @property
    def is_trusted(self) -> bool:
        return self.trust in (Trust.HIGH, Trust.LOW)


def last_instant(value: datetime, precision: Precision) -> datetime:
    """Of the period that begins at `value`."""
    try:
        if precision is Precision.YEAR:
            value = value.replace(year=value.year + 1)
        elif precision is Precision.MONTH:
            value = (value.replace(day=1) + timedelta(days=32)).replace(day=1)
        elif precision is Precision.DAY:
            value += timedelta(days=1)
        return value if precision is Precision.INSTANT else value - timedelta(microseconds=1)
    except (ValueError, OverflowError):  # the last period of the calendar
        return datetime.max.replace(tzinfo=value.tzinfo)


def shown(value: datetime, precision: Precision) -> str:
    """For people, no more exact than it is: `2024`, `2024-05`, `2024-05-06`, `2024-05-06 07:08 UTC`."""
    text = value.astimezone(UTC).isoformat(sep=" ", timespec="minutes")
    digits = {Precision.YEAR: 4, Precision.MONTH: 7, Precision.DAY: 10, Precision.INSTANT: 16}[precision]
    return f"{text[:digits]} UTC" if precision is Precision.INSTANT else text[:digits]


_DAY = re.compile(r"\d{4}-?(?:\d{2}-?\d{2}|W\d{2}-?\d)")  # every way in which ISO 8601 writes a calendar day
_WEEK = re.compile(r"\d{4}-?W\d{2}")  # Python reads its Monday, which nobody wrote
# What YAML and Jekyll take for an instant and ISO 8601 does not: one digit of an hour, a space before the zone, UTC.
_LOOSE = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt \t]+(\d\d?)(:\d\d(?::\d\d(?:\.\d+)?)?)[ \t]*([Zz]|UTC|GMT|[-+]\d\d(?::?\d\d)?)?"
)


_BEGINS_INSTANT = re.compile(r"(?:\d{4}-\d\d-\d\d|\d{8}|\d{4}-?W\d\d-?\d)[Tt ]\d")


def read_iso(text: str, *, zone: tzinfo = UTC) -> tuple[datetime, Precision, bool]:
    """(UTC, precision, whether an offset is written) of a calendar day or an instant in ISO 8601.

    A calendar day is midnight UTC on every machine, wherever it was written. An instant without an offset is one of
    `zone`. Raises ValueError for anything else.
    """
    text = text.strip()
    if _WEEK.fullmatch(text):
        raise ValueError("a week is no day")
    if _DAY.fullmatch(text):
        return datetime.combine(date.fromisoformat(text), datetime.min.time(), UTC), Precision.DAY, False
    if loose := _LOOSE.fullmatch(text):
        day, hour, rest, offset = loose.groups()
        text = f"{day}T{hour.zfill(2)}{rest}{'Z' if offset in ('UTC', 'GMT', 'z') else offset or ''}"
    if not _BEGINS_INSTANT.match(text):  # Python takes any character before the hour, a digit of a longer number too
        raise ValueError("no day and hour")
    value = datetime.fromisoformat(text)
    is_zoned = value.tzinfo is not None
    try:
        return (value if is_zoned else value.replace(tzinfo=zone)).astimezone(UTC), Precision.INSTANT, is_zoned
    except OverflowError as error:  # the first or last day of the calendar, moved to UTC
        raise ValueError("no instant of the calendar") from error


def parse_date(
    text: object, *, origin: str, now: datetime, trust: Trust = Trust.HIGH, zone: tzinfo = UTC
) -> EvidencedDate | None:
    """A day or an instant in ISO 8601; anything else is unknown (`None`), never guessed. `zone` is that of instants
    without an offset.

    Zero dates (before 1971: an unset field) and dates in the future are unknown. A calendar day may be the next one:
    it has begun already in the east.
    """
    if not isinstance(text, str):
        return None
    try:
        value, precision, _ = read_iso(text, zone=zone)
    except ValueError:
        return None
    is_future = value - now > (AHEAD if precision is Precision.DAY else timedelta(0))
    if value.year < FIRST_YEAR or is_future:
        return None
    return EvidencedDate(value, precision, origin, trust)


def rfc3339(moment: datetime) -> str:
    """The one spelling of an instant that is stored: UTC, microseconds, `Z`."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def from_rfc3339(text: str) -> datetime:
    """Inverse of `rfc3339`. Raises ValueError for anything that is not an instant with an offset."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text!r} has no time zone")
    return moment.astimezone(UTC)
