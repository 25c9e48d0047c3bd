"""A person's word on a candidate of the review queue: looked up, checked, recorded. Nothing is carried out here; that
is done by `services.apply_dispositions`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from include.domain.dates import rfc3339
from include.domain.errors import ConfigError
from include.domain.review import Decision, Disposition, Recorded, ReviewItem, Said
from include.ports import ReviewQueue


@dataclass(frozen=True, slots=True)
class Word:
    """What somebody says of a candidate, as it was typed. An empty `superseded_by` means the replacement that the
    evidence names; an empty `fingerprint`, the evidence that is in the queue now."""

    disposition: Disposition
    by: str
    reason: str
    until: str = ""
    superseded_by: str = ""
    fingerprint: str = ""
    overrule: bool = False


Missing = Callable[[Collection[str]], Collection[str]]
"""Which of these documents the index does not hold."""


def decide_candidate(
    queue: ReviewQueue, source: str, doc_id: str, word: Word, *, now: datetime, missing: Missing
) -> ReviewItem:
    """Record a person's word, a commit in that person's name; the index is left as it is, and is looked into for a
    successor only: nobody's word waits for a run that is at work.

    Raises ConfigError for a document that is no candidate, a word that lacks something, a day that has passed and a
    successor that is not in the index; DecisionConflict as `ports.ReviewQueue.decide` says.
    """
    item = queue.candidate(source, doc_id)
    decision = decision_on(item, word, now=now)
    if decision.superseded_by and missing([decision.superseded_by]):
        raise ConfigError(f"{source}: {decision.superseded_by} is not in the index; nothing was recorded. Check its id")
    fingerprint = word.fingerprint or item.fingerprint
    return queue.decide(source, doc_id, decision, fingerprint=fingerprint, overrule=word.overrule)


def decide_candidates(
    queue: ReviewQueue, source: str, items: Sequence[ReviewItem], word: Word, *, now: datetime, missing: Missing
) -> Recorded:
    """Record one word on all of these items as they were seen, in one commit. What cannot be recorded of one is said of
    it and keeps no other from being recorded. Raises ConfigError when that is so of all of them."""
    said, refused = [], {}
    for item in items:
        try:
            said.append(Said(item.doc_id, decision_on(item, word, now=now), item.fingerprint))
        except ConfigError as error:
            refused[item.doc_id] = str(error)
    if successors := {each.decision.superseded_by for each in said} - {""}:
        unknown = set(missing(successors))
        refused |= {
            each.doc_id: f"{source}: {each.decision.superseded_by} is not in the index"
            for each in said
            if each.decision.superseded_by in unknown
        }
        said = [each for each in said if each.doc_id not in refused]
    if refused and not said:
        raise ConfigError(f"{next(iter(refused.values()))}; nothing was recorded of {len(refused)} candidates")
    what = said[0].doc_id if len(said) == 1 else f"{len(said)} documents"
    message = f"Decide {word.disposition} for {what} of {source}\n\n{word.reason}"
    recorded = queue.decide_all(source, said, by=word.by, message=message)
    return replace(recorded, refused={**refused, **recorded.refused})


def decision_on(item: ReviewItem, word: Word, *, now: datetime) -> Decision:
    """Raises ConfigError for a word that lacks something, a day that has passed and a document behind itself."""
    named = f"{item.source}: {item.doc_id}"
    links = word.disposition is Disposition.SUPERSEDE_LINK
    successor = word.superseded_by or (item.replacement if links else "")
    if links and not successor:
        raise ConfigError(
            f"{item.source}: the evidence on {item.doc_id} names no replacement; say which with --superseded-by"
        )
    try:
        decision = Decision(
            word.disposition,
            word.by.strip(),
            word.reason.strip(),
            at=rfc3339(now),
            until=word.until,
            superseded_by=successor,
        )
    except ValueError as error:
        raise ConfigError(f"{named}: {error}") from error
    if decision.until and decision.until <= now.date().isoformat():
        raise ConfigError(f"{named}: until is {decision.until}, which has passed; allowed is a later day")
    if successor == item.doc_id:
        raise ConfigError(f"{named} cannot be superseded by itself; name another document")
    return decision


def surest_first(items: Iterable[ReviewItem]) -> list[ReviewItem]:
    """The order in which people look at candidates: the surest first, of those the oldest."""
    return sorted(items, key=lambda item: (-item.score, item.since, item.doc_id))


def carried_out_with(source: str) -> str:
    """The command that carries out what was decided about documents of this source."""
    return f"truecopy apply-dispositions {source} --apply"
