"""The review queue of a source: read, and a person's word put on a candidate."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

from include.domain.documents import Status
from include.domain.review import Queue, Recorded, ReviewItem
from include.services.protecting import not_indexed
from include.services.reviewing import Word, decide_candidate, decide_candidates
from include.wiring.application import Application


def queue_of(application: Application, source: str) -> Queue:
    return application.ledger.candidates(source)


def settled_of(application: Application, source: str) -> Queue:
    """Those whose decision was carried out."""
    return application.ledger.settled(source)


def staged_in(application: Application, source: str) -> frozenset[str]:
    """Documents that readers do not find until somebody has looked, as the ledger says it."""
    marks = application.ledger.marks(source)
    return frozenset(doc_id for doc_id, each in marks.items() if each.status is Status.STAGED)


def candidate_of(application: Application, source: str, doc_id: str) -> ReviewItem:
    """Raises what `ports.ReviewQueue.candidate` raises."""
    return application.ledger.candidate(source, doc_id)


def decide_for_person(application: Application, source: str, doc_id: str, word: Word) -> ReviewItem:
    """Raises what `services.reviewing.decide_candidate` raises."""
    return decide_candidate(
        application.ledger,
        source,
        doc_id,
        word,
        now=application.clock.now(),
        missing=partial(_missing, application, source),
    )


def decide_many(application: Application, source: str, items: Sequence[ReviewItem], word: Word) -> Recorded:
    """Raises what `services.reviewing.decide_candidates` raises."""
    return decide_candidates(
        application.ledger,
        source,
        items,
        word,
        now=application.clock.now(),
        missing=partial(_missing, application, source),
    )


def _missing(application: Application, source: str, doc_ids: Collection[str]) -> Collection[str]:
    with application.context(source) as context:
        return not_indexed(context, doc_ids)
