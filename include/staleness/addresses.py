"""Address gone: the source lists a document whose page answers that there is none. Pure.

It is a sign and no proof: the source itself still lists the document. Where a large share of the pages is gone, the
addresses are made wrongly, or the site has moved, and no page is suspected.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from include.domain.documents import Presence
from include.staleness.evidence import Evidence, Signal
from include.staleness.subject import Subject

ADDRESS_GONE = 0.6
SETTLED = timedelta(days=3)
"""Gone for so long; a page that is away during a deployment comes back."""

MOST_GONE_PERCENT = 20


@dataclass(frozen=True, slots=True)
class Answer:
    """What the page of a document answers, and since when without a break."""

    presence: Presence
    since: datetime


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
    sentence = f"its page {subject.url} answers that it is gone, since {answer.since:%Y-%m-%d}"
    return Evidence(Signal.ADDRESS_GONE, ADDRESS_GONE, sentence, facts={"url": subject.url})
