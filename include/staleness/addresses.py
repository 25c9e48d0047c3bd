"""Address gone: the source lists a document whose page answers that there is none, or that it is not public. Pure.

What pages answer is known from the nights, which read those that are new or changed; no page is asked for this alone.
It is a sign and no proof: the source itself still lists the document. Where a large share of the pages is gone, the
addresses are made wrongly, or the site has moved, and no page is suspected.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from include.domain.documents import Presence
from include.staleness.evidence import Evidence, Signal
from include.staleness.subject import Subject

ADDRESS_GONE = 0.6
SETTLED = timedelta(days=3)
"""Gone for so long; a page that is away during a deployment comes back."""

LOOKS_BACK = timedelta(days=14)
"""So old may the nights be that are looked at; what was gone before is gone since then."""

MOST_GONE_PERCENT = 20


@dataclass(frozen=True, slots=True)
class Answer:
    """What the page of a document answers, and since when without a break."""

    presence: Presence
    since: datetime


@dataclass(frozen=True, slots=True)
class Night:
    """A run that compared a whole source with the index. `gone` are documents that were listed and not delivered, by
    their doc ids; `unread` those that could not be read for another reason."""

    at: datetime
    gone: frozenset[str] = frozenset()
    unread: frozenset[str] = frozenset()


def answers_of(nights: Iterable[Night], doc_ids: Collection[str], *, now: datetime) -> Mapping[str, Answer] | None:
    """What the pages of these documents answer, by doc id; None when no night has looked lately. `nights` come newest
    first, and no more of them are taken than it needs."""
    recent = (night for night in nights if night.at <= now)
    newest = next(recent, None)
    if newest is None or now - newest.at > LOOKS_BACK:
        return None
    answers = {
        doc_id: Answer(Presence.UNKNOWN if doc_id in newest.unread else Presence.PRESENT, newest.at)
        for doc_id in doc_ids
    }
    gone = newest.gone & answers.keys()
    night: Night | None = newest
    while gone and night is not None and now - night.at <= LOOKS_BACK:
        answers |= {doc_id: Answer(Presence.GONE, night.at) for doc_id in gone}
        night = next(recent, None)
        gone = gone & night.gone if night else gone
    return answers


def why_not_believed(answers: Mapping[str, Answer]) -> str:
    """Why the answers of one source's pages say nothing, in numbers; empty where they do. By doc id."""
    gone = sum(answer.presence is Presence.GONE for answer in answers.values())
    there = sum(answer.presence is Presence.PRESENT for answer in answers.values())
    if not there:
        return f"none of {len(answers)} pages answered that it is there"
    if gone * 100 > MOST_GONE_PERCENT * (gone + there):
        return f"{gone} of {gone + there} pages are gone, more than {MOST_GONE_PERCENT} %: the addresses may be wrong"
    return ""


def address_gone(subject: Subject, answers: Mapping[str, Answer], *, now: datetime) -> Evidence | None:
    """For answers that are believed."""
    answer = answers.get(subject.key.doc_id)
    if answer is None or answer.presence is not Presence.GONE or now - answer.since < SETTLED:
        return None
    sentence = (
        f"its source lists it, and its page {subject.url} answers every night since {answer.since:%Y-%m-%d} that it is "
        "gone or not public"
    )
    return Evidence(Signal.ADDRESS_GONE, ADDRESS_GONE, sentence, facts={"url": subject.url})
