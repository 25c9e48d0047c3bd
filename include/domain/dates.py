"""Dates as evidence: a value, how exact it is, where it came from and how far it can be trusted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum


class Precision(StrEnum):
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


_DAY = re.compile(r"\d{4}-?(?:\d{2}-?\d{2}|W\d{2}-?\d)")  # every way in which ISO 8601 writes a calendar day
_WEEK = re.compile(r"\d{4}-?W\d{2}")  # Python reads its Monday, which nobody wrote


def parse_date(text: object, *, origin: str, now: datetime, trust: Trust = Trust.HIGH) -> EvidencedDate | None:
    """Read an ISO 8601 date or instant; anything else is unknown (`None`), never guessed.

    A calendar date is midnight UTC with day precision on every machine. An instant without an offset is
    read as UTC. Zero dates (before 1971: an unset field) and dates in the future are unknown.
    """
    if not isinstance(text, str) or not text.strip():
        return None
    text = text.strip()
    if _WEEK.fullmatch(text):
        return None
    try:
        if _DAY.fullmatch(text):
            value = datetime.combine(date.fromisoformat(text), datetime.min.time(), UTC)
            precision = Precision.DAY
        else:
            value = datetime.fromisoformat(text)
            precision = Precision.INSTANT
        value = value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    if value.year < 1971 or value > now:
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
