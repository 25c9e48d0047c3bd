"""How long documents of a type stay right, and the two signals that follow from it: expired and aged. Pure.

| what is known                                                              | evidence                            |
|----------------------------------------------------------------------------|-------------------------------------|
| the source's own expiry date has passed                                    | an anchor, strong enough alone      |
| the same, but it was edited since, or expires before it was written        | a doubt                             |
| the same, but the date is of low trust                                     | a doubt                             |
| older than its type allows, by the latest date that can be trusted         | a doubt, stronger the older it is   |
| the same, by a date of low trust                                           | a weak sign                         |
| no date, one that nobody vouches for, one still to come, a type without limit | nothing                          |

Age counts from the latest of: when it came into force, was written, was edited, was found right by a reviewer. So a
document that somebody looked at is young again, and one that may have been edited later is not called old: a later
date that cannot be trusted may still be right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from include.domain.dates import EvidencedDate, Trust, shown
from include.families.standing import is_evergreen
from include.staleness.evidence import Evidence, Signal
from include.staleness.subject import Subject

EXPIRED = 0.95
DOUBTFUL = 0.6
AGED = 0.5
AGED_TWICE = 0.6
AGED_BY_A_WEAK_DATE = 0.3

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Ageing:
    """What is known of content types, by their names in lower case.

    `never` holds types that never grow old and are never proposed (core facts). `days` is after how many days a
    document of a type should be looked at again; types that it does not name have `default`, None: no limit.
    """

    never: frozenset[str] = frozenset()
    days: Mapping[str, int] = field(default_factory=dict)
    default: int | None = None

    def __post_init__(self) -> None:
        limits = [*self.days.values(), *([] if self.default is None else [self.default])]
        if any(limit < 1 for limit in limits):
            raise ValueError(f"a type of content is looked at again after one day or more, got {sorted(limits)}")
        if both := self.never & set(self.days):
            raise ValueError(f"{', '.join(sorted(both))}: either never or after some days")

    def limit(self, content_type: str) -> int | None:
        """Days, or None where nothing of this type grows old."""
        name = content_type.casefold()
        return None if name in self.never else self.days.get(name, self.default)

    def never_expires(self, subject: Subject) -> bool:
        return subject.content_type.casefold() in self.never or is_evergreen(
            subject.stated_status, subject.content_type
        )


def expired(subject: Subject, *, now: datetime) -> Evidence | None:
    """The day that the source states has passed, the whole of it."""
    date = subject.expires_at
    if date is None or not date.is_trusted or date.end >= now:
        return None
    facts = {"expires_at": shown(date.value, date.precision)}
    sentence = f"it expired on {facts['expires_at']}, says its source ({date.origin})"
    if doubt := _contradicted(subject, date):
        return Evidence(Signal.EXPIRED, DOUBTFUL, f"{sentence}; but {doubt}", facts=facts)
    if date.trust is not Trust.HIGH:
        return Evidence(Signal.EXPIRED, DOUBTFUL, f"{sentence}, a date of low trust", facts=facts)
    return Evidence(Signal.EXPIRED, EXPIRED, sentence, anchor=True, facts=facts)


def _contradicted(subject: Subject, expiry: EvidencedDate) -> str:
    for verb, date in (("written", subject.created_at), ("in force", subject.effective_date)):
        if date and date.is_trusted and date.value > expiry.end:
            return f"it was {verb} later, on {shown(date.value, date.precision)}"
    edited = subject.updated_at
    if edited and edited.is_trusted and edited.value > expiry.end:
        return f"it was edited since, on {shown(edited.value, edited.precision)}"
    return ""


def aged(subject: Subject, ageing: Ageing, *, now: datetime) -> Evidence | None:
    """Older than its content type allows."""
    limit = ageing.limit(subject.content_type)
    known = [date for date in (subject.effective_date, subject.created_at, subject.updated_at) if date is not None]
    trusted = [date for date in known if date.is_trusted]
    if limit is None or not trusted:
        return None
    latest = max(trusted, key=lambda date: (date.end, date.trust is Trust.HIGH))
    if any(date.end > latest.end for date in known if not date.is_trusted):
        return None
    since, origin, day = latest.end, latest.origin, shown(latest.value, latest.precision)
    reviewed = subject.care.reviewed_at
    if reviewed is not None and reviewed > since:
        since, origin, day = reviewed, "a person's review", f"{reviewed:%Y-%m-%d}"
    age = (now - since) / _DAY
    if age <= limit:
        return None
    is_weak = origin == latest.origin and latest.trust is not Trust.HIGH
    strength = AGED_BY_A_WEAK_DATE if is_weak else AGED_TWICE if age > 2 * limit else AGED
    trust = ", a date of low trust" if is_weak else ""
    sentence = (
        f"it is {age:.0f} days old, by {origin} {day}{trust}; its type, {subject.content_type}, is to be looked at "
        f"again after {limit}"
    )
    facts = {"since": day, "content_type": subject.content_type, "limit_days": str(limit)}
    return Evidence(Signal.AGED, strength, sentence, facts=facts)
