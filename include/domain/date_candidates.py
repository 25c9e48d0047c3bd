"""One date that speaks for a document: what stands where, and whether it is to be believed. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum

from include.domain.dates import EvidencedDate, Precision, Trust, shown
from include.domain.written_dates import (
    PLAIN,
    AmbiguousDate,
    Conventions,
    PlaceholderDate,
    UnreadDate,
    WrittenDate,
    read_date,
)

_LONGEST_SHOWN = 40


class DateField(StrEnum):
    CREATED = "created_at"
    UPDATED = "updated_at"
    EFFECTIVE = "effective_date"
    EXPIRES = "expires_at"

    @property
    def word(self) -> str:
        """As people call it."""
        return self.value.partition("_")[0]


class Rank(IntEnum):
    """Where a date comes from, the most trusted first."""

    FRONT_MATTER = 1
    CMS = 2
    GIT = 3
    FILE_NAME = 4
    TEXT = 5


class Doubt(StrEnum):
    """Why a date is not taken for what it says. The words are counted, shown and documented."""

    UNREADABLE = "no date that is read"
    AMBIGUOUS = "day and month cannot be told apart"
    PLACEHOLDER = "a placeholder"
    UNSET = "never set"
    FUTURE = "lies in the future"
    FETCH = "stamped by the fetch"
    CONFLICT = "stated differently twice"
    SHALLOW = "shallow clone"
    BULK = "bulk import"
    TOO_LATE = "later than the last change"
    TOO_EARLY = "earlier than the creation"
    OLDER_STATED = "an older date is stated"

    @property
    def keeps_value(self) -> bool:
        """Whether it is a date all the same, worth showing."""
        return self in (Doubt.SHALLOW, Doubt.BULK, Doubt.TOO_LATE, Doubt.TOO_EARLY, Doubt.OLDER_STATED)


@dataclass(frozen=True, slots=True)
class DateCandidate:
    """One date that speaks for a document, or what stands in its place.

    `origin` names the very field it was read from. `date` is None where none could be read; `written` is the source's
    own spelling then. `is_zoned` is False for an instant whose time zone nobody stated. `detail` belongs to the doubt.
    """

    field: DateField
    rank: Rank
    origin: str
    date: EvidencedDate | None
    written: str = ""
    is_zoned: bool = True
    doubt: Doubt | None = None
    detail: str = ""

    def doubted(self, doubt: Doubt, detail: str = "") -> DateCandidate:
        """The same under a doubt, unless there is one already. Without a value where the doubt leaves none."""
        if self.doubt is not None:
            return self
        date = replace(self.date, trust=Trust.UNKNOWN) if self.date and doubt.keeps_value else None
        written = self.written or (shown(self.date.value, self.date.precision) if self.date else "")
        return replace(self, date=date, written=written, doubt=doubt, detail=detail)

    @property
    def shown(self) -> str:
        text = shown(self.date.value, self.date.precision) if self.date else " ".join(self.written.split())
        return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 3]}..."


def place_of(origin: str) -> str:
    """Without what was told apart within it: author and committer date the same commit."""
    return origin.partition(",")[0]


def stated(
    field: DateField,
    rank: Rank,
    origin: str,
    text: object,
    *,
    conventions: Conventions = PLAIN,
    trust: Trust = Trust.HIGH,
) -> DateCandidate | None:
    """What a source says in a field. None where it says nothing; a candidate under doubt where it is no date."""
    if text is None or text == "" or isinstance(text, bool):
        return None
    written = str(text).strip()
    if not written:
        return None
    unread = DateCandidate(field, rank, origin, None, written)
    if not isinstance(text, str):
        return unread.doubted(Doubt.UNREADABLE, "a number, and nobody says of what")
    try:
        return found(field, rank, origin, read_date(written, conventions), written=written, trust=trust)
    except UnreadDate as error:
        return unread.doubted(_doubt_of(error, written), str(error))


def found(
    field: DateField, rank: Rank, origin: str, date: WrittenDate, *, written: str = "", trust: Trust = Trust.HIGH
) -> DateCandidate:
    """A date that was read already."""
    evidence = EvidencedDate(date.value, date.precision, origin, trust)
    is_zoned = date.is_zoned or date.precision is not Precision.INSTANT
    return DateCandidate(field, rank, origin, evidence, written, is_zoned)


def _doubt_of(error: UnreadDate, written: str) -> Doubt:
    if written.startswith(("0000-", "0001-", "-0001-")):  # the last is what PHP makes of the first
        return Doubt.UNSET
    if isinstance(error, PlaceholderDate):
        return Doubt.PLACEHOLDER
    return Doubt.AMBIGUOUS if isinstance(error, AmbiguousDate) else Doubt.UNREADABLE
