"""A person's word on a candidate of the review queue: looked up, checked, recorded. Nothing is carried out here: what a
decision asks for is done by hand, with the command that `by_hand` names.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from include.domain.dates import rfc3339
from include.domain.errors import ConfigError
from include.domain.review import Decision, Disposition, ReviewItem
from include.services.context import SourceContext
from include.services.protecting import not_indexed


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


def decide_candidate(context: SourceContext, doc_id: str, word: Word) -> ReviewItem:
    """Record a person's word, a commit in that person's name; the index is left as it is.

    Raises ConfigError for a document that is no candidate, a word that lacks something, a day that has passed and a
    successor that is not in the index; DecisionConflict as `ports.ReviewQueue.decide` says.
    """
    source, today = context.source, context.clock.now()
    item = context.ledger.candidate(source, doc_id)
    links = word.disposition is Disposition.SUPERSEDE_LINK
    successor = word.superseded_by or (item.replacement if links else "")
    if links and not successor:
        raise ConfigError(f"{source}: the evidence on {doc_id} names no replacement; say which with --superseded-by")
    try:
        decision = Decision(
            word.disposition,
            word.by.strip(),
            word.reason.strip(),
            at=rfc3339(today),
            until=word.until,
            superseded_by=successor,
        )
    except ValueError as error:
        raise ConfigError(f"{source}: {doc_id}: {error}") from error
    if decision.until and decision.until <= today.date().isoformat():
        raise ConfigError(f"{source}: {doc_id}: until is {decision.until}, which has passed; allowed is a later day")
    if successor == doc_id:
        raise ConfigError(f"{source}: {doc_id} cannot be superseded by itself; name another document")
    if successor and not_indexed(context, [successor]):
        raise ConfigError(f"{source}: {successor} is not in the index; nothing was recorded. Check its id")
    fingerprint = word.fingerprint or item.fingerprint
    return context.ledger.decide(source, doc_id, decision, fingerprint=fingerprint, overrule=word.overrule)


def by_hand(source: str, doc_id: str, decision: Decision) -> str:
    """The command that carries the decision out; this version does not do it by itself. Of a purge it is the first
    half: readers no longer find the document, and whoever owns it deletes it in its source."""
    document, why = shlex.quote(doc_id), shlex.quote(decision.why)
    chosen = f"truecopy set-meta {source} --where {shlex.quote(f'doc_id={doc_id}')}"
    match decision.disposition:
        case Disposition.KEEP:
            return f"truecopy restore {source} {document} --reason {why}"
        case Disposition.ARCHIVE | Disposition.APPROVE_PURGE:  # for good: its source is not ours to write
            return f"{chosen} --set status=archived --apply --reason {why}"
        case Disposition.SUPERSEDE_LINK:
            successor = shlex.quote(f"superseded_by={decision.superseded_by}")
            return f"{chosen} --set status=superseded --set {successor} --apply --reason {why}"
        case Disposition.EXTEND:
            return f"truecopy hold {source} {document} --until {decision.until} --reason {why}"
