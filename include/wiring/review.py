"""The review queue of a source: read, and a person's word put on a candidate."""

from __future__ import annotations

from include.domain.review import Queue, ReviewItem
from include.services.reviewing import Word, decide_candidate
from include.wiring.application import Application


def queue_of(application: Application, source: str) -> Queue:
    return application.ledger.candidates(source)


def candidate_of(application: Application, source: str, doc_id: str) -> ReviewItem:
    """Raises what `ports.ReviewQueue.candidate` raises."""
    return application.ledger.candidate(source, doc_id)


def decide_for_person(application: Application, source: str, doc_id: str, word: Word) -> ReviewItem:
    """Raises what `services.reviewing.decide_candidate` raises."""
    with application.context(source) as context:
        return decide_candidate(context, doc_id, word)
