"""What a commit says of the dates of a file that it added or changed. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from include.connectors.git_log import Commit
from include.domain.date_candidates import DateCandidate, DateField, Doubt, Rank
from include.domain.dates import FIRST_YEAR, EvidencedDate, Precision, Trust

MOST_BIRTHS = 20
"""A commit that adds more files of one kind than this is an import. Measured (docs/DATES.md): of files born among up to
ten, two thirds and more were written within a month of their commit; among eleven to twenty a quarter, above that one
in thirty."""

MOST_CHANGES = 100
"""A commit that changes more files than this is a reformat: its date says little of one of them."""

_CLOCKS_DIFFER = timedelta(days=1)
_EARLIEST = datetime.min.replace(tzinfo=UTC)
_LATEST = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Noted:
    """What a commit says of a file: when, by its author and its committer, and how many files it did the same to.
    None is a date that no calendar has."""

    authored: datetime | None
    committed: datetime | None
    files: int

    @classmethod
    def of(cls, commit: Commit, files: int) -> Noted:
        return cls(_moment(commit.author_date), _moment(commit.commit_date), files)

    def began(self) -> datetime:
        return self.authored or self.committed or _LATEST

    def ended(self) -> datetime:
        return self.committed or self.authored or _EARLIEST


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def birth(noted: Noted | None, shallow: bool) -> list[DateCandidate]:
    """What the commit that added a file says of its creation. The author knows best when a text was written; a date
    after the commit itself is one of a wrong clock, unless the commit's own was never set."""
    if noted is None:
        return []
    authored = _candidate(DateField.CREATED, "git first commit", noted.authored, Trust.LOW)
    committed = _candidate(DateField.CREATED, "git first commit, committer", noted.committed, Trust.LOW)
    is_set = noted.committed is not None and noted.committed.year >= FIRST_YEAR
    if noted.authored and noted.committed and is_set and noted.authored > noted.committed + _CLOCKS_DIFFER:
        authored = [one.doubted(Doubt.TOO_LATE, "its author dates it after the commit") for one in authored]
    births = [*authored, *committed]
    if shallow:
        return [one.doubted(Doubt.SHALLOW, "its oldest commit seems to have added every file") for one in births]
    if noted.files > MOST_BIRTHS:
        return [one.doubted(Doubt.BULK, f"born in a commit of {noted.files} files") for one in births]
    return births


def last_change(noted: Noted | None, shallow: bool) -> list[DateCandidate]:
    """What the last commit that changed a file says of its last change."""
    if noted is None:
        return []
    trust = Trust.LOW if noted.files > MOST_CHANGES else Trust.HIGH
    committed = _candidate(DateField.UPDATED, "git last commit", noted.committed, trust)
    authored = _candidate(DateField.UPDATED, "git last commit, author", noted.authored, trust)
    changes = [*committed, *authored]
    return [one.doubted(Doubt.SHALLOW, "it may be much older") for one in changes] if shallow else changes


def _candidate(field: DateField, origin: str, moment: datetime | None, trust: Trust) -> list[DateCandidate]:
    if moment is None:
        return []
    return [DateCandidate(field, Rank.GIT, origin, EvidencedDate(moment, Precision.INSTANT, origin, trust))]
