"""Not retrieved: nobody was shown the document in a long time, though many questions were answered. Pure.

Silence says little. Most documents of any shelf are asked for seldom, so a document counts as not retrieved only where
it would very likely have been shown if it were asked for at all like others: documents of its source were shown so
often that one asked for `seldom` times as often as the average stays unseen with the probability `by_chance` at most

    exp(-seldom × shown / documents) <= by_chance          shown / documents >= 12 with 0.25 and 0.05

Besides, the log reaches back over the whole window, and the document was there all the time.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from include.domain.dates import from_rfc3339
from include.domain.documents import SEARCHABLE
from include.staleness.evidence import Evidence, Signal
from include.staleness.subject import Subject

NOT_RETRIEVED = 0.35


@dataclass(frozen=True, slots=True)
class Enough:
    """What a log must hold before its silence counts. `most_dropped` is a share of the questions."""

    days: int = 90
    questions: int = 1000
    seldom: float = 0.25
    by_chance: float = 0.05
    most_dropped: float = 0.01

    @property
    def shown_per_document(self) -> float:
        return -math.log(self.by_chance) / self.seldom


ENOUGH = Enough()


@dataclass(frozen=True, slots=True)
class Usage:
    """What was asked of one source and shown of it. `first` is the earliest question, None where there is none."""

    source: str
    first: datetime | None
    until: datetime
    questions: int = 0
    dropped: int = 0
    shown: Mapping[str, int] = field(default_factory=dict)


def read_usage(lines: Iterable[Mapping[str, Any]], source: str, *, until: datetime) -> Usage:
    """From lines of the query log (`records.query_log`), whatever their order. Questions that were asked of other
    sources only are none of this one's; a line that is no question or has no instant is passed over."""
    questions = dropped = 0
    first: datetime | None = None
    shown: Counter[str] = Counter()
    for line in lines:
        moment = _instant(line.get("at"))
        if moment is None or moment > until:
            continue
        if isinstance(lost := line.get("dropped"), int):
            dropped += lost
            continue
        sources = line.get("sources") or ()
        if "shown" not in line or (sources and source not in sources):
            continue
        questions += 1
        first = moment if first is None or moment < first else first
        shown.update({each["doc_id"] for each in line["shown"] if each.get("source") == source})
    return Usage(source, first, until, questions, dropped, shown)


def why_not_enough(usage: Usage | None, documents: int, enough: Enough = ENOUGH) -> str:
    """Why silence says nothing in this source, in numbers; empty where it does. `documents` can be shown."""
    if usage is None or usage.first is None:
        return "no question was recorded"
    days = (usage.until - usage.first) / timedelta(days=1)
    if days < enough.days:
        return f"the log of questions reaches back {days:.0f} days, {enough.days} are needed"
    if usage.questions < enough.questions:
        return f"{usage.questions} questions were recorded, {enough.questions} are needed"
    if usage.dropped > enough.most_dropped * usage.questions:
        return f"{usage.dropped} questions were not recorded, beside {usage.questions} that were"
    mean = sum(usage.shown.values()) / max(1, documents)
    if mean < enough.shown_per_document:
        return f"a document was shown {mean:.1f} times on average, {enough.shown_per_document:.1f} are needed"
    return ""


def not_retrieved(subject: Subject, usage: Usage) -> Evidence | None:
    """For a usage that is enough. Nothing for a document that readers could not be shown all the time."""
    if usage.first is None or subject.status not in SEARCHABLE or usage.shown.get(subject.key.doc_id):
        return None
    if subject.read_at is None or subject.read_at > usage.first:
        return None
    days = (usage.until - usage.first) / timedelta(days=1)
    sentence = f"it was not shown once for {usage.questions} questions in {days:.0f} days"
    return Evidence(Signal.NOT_RETRIEVED, NOT_RETRIEVED, sentence)


def _instant(text: object) -> datetime | None:
    try:
        return from_rfc3339(text) if isinstance(text, str) else None
    except ValueError:
        return None
