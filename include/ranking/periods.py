"""Dates and periods that a question names. Nothing is guessed: 03/04 is no date, "may" needs a word in front of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from include.ranking.vocabulary import Vocabulary

_YEAR = re.compile(r"(?:19|20)\d{2}")
_ISO_DAY = re.compile(r"((?:19|20)\d{2})-(\d{2})-(\d{2})")
_ISO_MONTH = re.compile(r"((?:19|20)\d{2})-(\d{2})")
_QUARTER = re.compile(r"q([1-4])")
_DAY_OF_MONTH = re.compile(r"(\d{1,2})(?:st|nd|rd|th|\.)?")
_FISCAL = re.compile(r"fy\s?'?((?:20)?\d{2})")
_WHOLE = re.compile(r"\d{1,2}")


@dataclass(frozen=True, slots=True)
class Period:
    """From `start` (inclusive) to `end` (exclusive), UTC. `words` is how the question put it. `is_relative`: it was
    named by its distance from now ("last month"), and so needs no other word to place it in time."""

    start: datetime
    end: datetime
    words: str
    is_relative: bool = False

    def __post_init__(self) -> None:
        if self.start >= self.end:
            raise ValueError(f"{self.words}: a period ends after it starts, got {self.start} to {self.end}")

    def __contains__(self, moment: object) -> bool:
        return isinstance(moment, datetime) and self.start <= moment < self.end


def read_period(words: list[str], vocabulary: Vocabulary, *, now: datetime) -> tuple[Period, int] | None:
    """(the period at the beginning of these words, how many of them name it), or None.

    Understood: 2024-05-01, 2024-05, 2024, May 2024, 1 May 2024, May 1 2024, May, Q3, Q3 2024, last month, two years
    ago. A month, quarter or day without a year is the last one that has begun by `now`.
    """
    for read in (_iso, _day_month_year, _month_year, _quarter, _bare_year, _relative):
        found = read(words, vocabulary, now)
        if found is not None:
            (start, end), count = found
            return Period(start, end, " ".join(words[:count]), is_relative=read is _relative), count
    return None


def calendar_period(text: str) -> Period:
    """The day, month or year that is written as in ISO 8601: 2024-05-01, 2024-05, 2024. Raises ValueError."""
    span = _iso([text], _NO_WORDS, _NEVER) or _bare_year([text], _NO_WORDS, _NEVER)
    if span is None:
        raise ValueError(f"{text!r} is no day (2024-05-01), month (2024-05) or year (2024)")
    (start, end), _ = span
    return Period(start, end, text)


_NO_WORDS = Vocabulary()
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)
"""Written dates depend on neither."""

_Span = tuple[datetime, datetime]
_Found = tuple[_Span, int] | None


def _iso(words: list[str], _vocabulary: Vocabulary, _now: datetime) -> _Found:
    if words and (match := _ISO_DAY.fullmatch(words[0])):
        day = _instant(int(match[1]), int(match[2]), int(match[3]))
        return ((day, day + timedelta(days=1)), 1) if day else None
    if words and (match := _ISO_MONTH.fullmatch(words[0])):
        span = _month(int(match[1]), int(match[2]))
        return (span, 1) if span else None
    return None


def _day_month_year(words: list[str], vocabulary: Vocabulary, now: datetime) -> _Found:
    for month_at, day_at in ((0, 1), (1, 0)):
        if len(words) < 2 or words[month_at] not in vocabulary.months:
            continue
        match = _DAY_OF_MONTH.fullmatch(words[day_at])
        if match is None:
            continue
        month, day = vocabulary.months[words[month_at]], int(match[1])
        if len(words) > 2 and _YEAR.fullmatch(words[2]):
            start, count = _instant(int(words[2]), month, day), 3
        else:
            this = _instant(now.year, month, day)
            start, count = (this if this is None or this <= now else _instant(now.year - 1, month, day)), 2
        if start:
            return (start, start + timedelta(days=1)), count
    return None


def _month_year(words: list[str], vocabulary: Vocabulary, now: datetime) -> _Found:
    if not words or words[0] not in vocabulary.months:
        return None
    month = vocabulary.months[words[0]]
    if len(words) > 1 and _YEAR.fullmatch(words[1]):
        span = _month(int(words[1]), month)
        return (span, 2) if span else None
    year = now.year if month <= now.month else now.year - 1
    span = _month(year, month)
    return (span, 1) if span else None


def _quarter(words: list[str], _vocabulary: Vocabulary, now: datetime) -> _Found:
    """Calendar quarters. A fiscal year (Q3 FY26) is another calendar in every company and names no period here."""
    if not words or not (match := _QUARTER.fullmatch(words[0])):
        return None
    if len(words) > 1 and _FISCAL.match(words[1]):
        return None
    month = 3 * int(match[1]) - 2
    if len(words) > 1 and _YEAR.fullmatch(words[1]):
        year, count = int(words[1]), 2
    else:
        year, count = (now.year if month <= now.month else now.year - 1), 1
    return (datetime(year, month, 1, tzinfo=UTC), _months_on(year, month, 3)), count


def _bare_year(words: list[str], _vocabulary: Vocabulary, _now: datetime) -> _Found:
    if not words or not _YEAR.fullmatch(words[0]):
        return None
    year = int(words[0])
    return (datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)), 1


def _relative(words: list[str], vocabulary: Vocabulary, now: datetime) -> _Found:
    for phrase in sorted(vocabulary.last, key=len, reverse=True):
        parts = phrase.split()
        if words[: len(parts)] == parts and len(words) > len(parts):
            unit = vocabulary.units.get(words[len(parts)])
            if unit:
                return _units_back(now, unit, 1), len(parts) + 1
    if len(words) >= 3 and words[2] in vocabulary.ago and (unit := vocabulary.units.get(words[1])):
        count = vocabulary.numbers.get(words[0]) or (int(words[0]) if _WHOLE.fullmatch(words[0]) else 0)
        if count:
            return _units_back(now, unit, count), 3
    return None


def _units_back(now: datetime, unit: str, count: int) -> _Span:
    """The calendar unit that lies `count` units before the present one."""
    today = datetime(now.year, now.month, now.day, tzinfo=UTC)
    if unit == "day":
        return today - timedelta(days=count), today - timedelta(days=count - 1)
    if unit == "week":
        monday = today - timedelta(days=today.weekday() + 7 * count)
        return monday, monday + timedelta(days=7)
    if unit == "year":
        return datetime(now.year - count, 1, 1, tzinfo=UTC), datetime(now.year - count + 1, 1, 1, tzinfo=UTC)
    length = 3 if unit == "quarter" else 1
    first = now.month - (now.month - 1) % length
    start = _months_on(now.year, first, -length * count)
    return start, _months_on(start.year, start.month, length)


def _month(year: int, month: int) -> _Span | None:
    start = _instant(year, month, 1)
    return (start, _months_on(year, month, 1)) if start else None


def _months_on(year: int, month: int, count: int) -> datetime:
    years, months = divmod(year * 12 + month - 1 + count, 12)
    return datetime(years, months + 1, 1, tzinfo=UTC)


def _instant(year: int, month: int, day: int) -> datetime | None:
    try:
        return datetime(year, month, day, tzinfo=UTC)
    except ValueError:  # 31 February is no date
        return None
