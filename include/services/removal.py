"""Remove documents that the source no longer has: ask, mark, delete, count.

The only caller of the index's delete for whole documents. It takes an `ApprovedPlan`, or documents that people decided
to take out one by one, and a gate approved.

| the source, asked for the document by id       | what becomes of it                                        |
|------------------------------------------------|-----------------------------------------------------------|
| gone, not public, moved                        | deleted, with the answer as evidence                      |
| present                                        | kept: the listing and the page contradict each other      |
| unknown (no clear answer, no living canary)    | kept: unknown is never absent                             |
| not asked, a large sample was, all were absent | deleted: vouched for by the proven listing and the sample |
| not asked, the source stopped answering        | kept                                                      |
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from include.domain.dates import rfc3339
from include.domain.documents import DocumentKey, Presence
from include.domain.inventory import Listing
from include.domain.manifest import DocumentOutcome, DocumentState
from include.domain.plan import Action, Change
from include.domain.selection import Selector
from include.planning.dispositions import Step
from include.planning.fences import newest_fence
from include.planning.gate import ApprovedPlan
from include.planning.purging import ApprovedDispositions
from include.ports import Index
from include.services.context import SourceContext
from include.services.reading import GIVE_UP_AFTER, Progress
from include.services.wrong_clocks import chunks_with_honest_fences


@dataclass(frozen=True, slots=True)
class _Confirmed:
    """A deletion that may be carried out. `fence` is the moment from which the document was known to be absent."""

    change: Change
    fence: datetime
    evidence: str


@dataclass(frozen=True, slots=True)
class Asked:
    """What the source said. Only `ask_source` and `as_people_decided` make one, so nothing is deleted that it was not
    asked about."""

    confirmed: tuple[_Confirmed, ...]
    kept: tuple[DocumentOutcome, ...]
    questions: int


def ask_source(
    context: SourceContext,
    approved: ApprovedPlan,
    *,
    not_landed: Collection[str],
    listing: Listing,
    progress: Progress,
) -> Asked:
    """Ask the source by id for the documents that an approved plan removes, before the index is opened.

    More than `context.removal_questions` of them are asked for by a random sample of that size. One answer in it that
    is not a clear absence, and every document is asked for; so it is where the source declared no total, because then
    nothing else vouches for those that are not asked for. `not_landed` are documents whose writing failed in this
    run: what moved there is kept under its old name.
    """
    removals = [change for change in approved.changes if change.action is Action.DELETE]
    kept = [
        _kept(change, f"its text moved to {change.moved_to}, which could not be written yet")
        for change in removals
        if change.moved_to in not_landed
    ]
    deletions = [change for change in removals if change.moved_to not in not_landed]
    most = len(deletions) if listing.proof.declared_total is None else context.removal_questions
    sample = deletions if len(deletions) <= most else random.sample(deletions, most)
    answers = _Answers(context, progress, len(deletions))
    answers.ask(sample)
    asked_for = set(sample)
    rest = [change for change in deletions if change not in asked_for]
    vouched: list[_Confirmed] = []
    if answers.kept:
        answers.ask(rest)
    else:
        why = f"not asked by id: {len(sample)} of {len(deletions)} were, chosen at random, and all are absent"
        vouched = [_Confirmed(change, listing.listed_at, why) for change in rest]
    return Asked((*answers.confirmed, *vouched), (*kept, *answers.kept), answers.questions)


def as_people_decided(approved: ApprovedDispositions, asked_at: Mapping[str, datetime]) -> Asked:
    """Documents to be taken out of the index though their source lists them: those of an approved plan of which it was
    asked, at these instants, whether it still has the version that was decided about."""
    why = "its source has the version that was decided about, and is not ours to write"
    due = [each for each in approved.of(Step.TAKE_OUT) if each.doc_id in asked_at]
    confirmed = tuple(_Confirmed(each.change, asked_at[each.doc_id], why) for each in due)
    return Asked(confirmed, (), len(confirmed))


class _Answers:
    """Collects answers, and stops asking a source that has stopped answering."""

    def __init__(self, context: SourceContext, progress: Progress, total: int) -> None:
        self._context = context
        self._progress = progress
        self._unknown_in_a_row = 0
        self._total = total
        self.questions = 0
        self.confirmed: list[_Confirmed] = []
        self.kept: list[DocumentOutcome] = []

    def ask(self, changes: Sequence[Change]) -> None:
        for change in changes:
            if self._unknown_in_a_row >= GIVE_UP_AFTER:
                why = f"not asked by id: the source gave no clear answer {GIVE_UP_AFTER} times in a row"
                self.kept.append(_kept(change, f"{why}; nothing was deleted"))
                continue
            asked_at = self._context.clock.now()
            presence = self._context.connector.probe(change.doc_id)
            self.questions += 1
            self._unknown_in_a_row = self._unknown_in_a_row + 1 if presence is Presence.UNKNOWN else 0
            if presence.confirms_absence:
                evidence = f"asked by id at {rfc3339(asked_at)}: {presence.value}"
                self.confirmed.append(_Confirmed(change, asked_at, evidence))
            else:
                why = f"absent from the listing, but asked by id the source says {presence.value}; nothing was deleted"
                self.kept.append(_kept(change, why))
            self._progress("ask", self.questions, self._total)


def delete_documents(context: SourceContext, asked: Asked, *, progress: Progress) -> Iterator[list[DocumentOutcome]]:
    """Carry out the confirmed deletions; one outcome each, batch by batch."""
    done = 0
    remaining = iter(asked.confirmed)
    while batch := list(islice(remaining, context.batch_documents)):
        yield _delete(context, batch)
        done += len(batch)
        progress("delete", done, len(asked.confirmed))


def _delete(context: SourceContext, batch: Iterable[_Confirmed]) -> list[DocumentOutcome]:
    outcomes = []
    with context.store.writing() as index:
        for confirmed in batch:
            outcomes.append(_delete_one(context, index, confirmed))
    return outcomes


def _delete_one(context: SourceContext, index: Index, confirmed: _Confirmed) -> DocumentOutcome:
    change, fence = confirmed.change, confirmed.fence
    key = DocumentKey(context.source, change.doc_id)
    chunks_with_honest_fences(index, [key], now=context.clock.now())
    # The mark comes first: a writer that is under way finds it, whichever of the two is faster.
    context.removal_marks.put(key, fence)
    index.delete(Selector(key, older_than=fence))
    if index.count(Selector(key)):
        left = index.chunks_of([key])[key]
        newest = newest_fence(left)
        if newest is not None and newest > fence:
            return DocumentOutcome(change.doc_id, DocumentState.WITHDRAWN, "it was published again meanwhile")
        why = f"the delete left {len(left)} points behind; the next run tries again"
        return DocumentOutcome(change.doc_id, DocumentState.FAILED, why, version=change.version_before)
    evidence = f"{change.reason}; {confirmed.evidence}"
    if change.moved_to:
        evidence = f"moved to {change.moved_to}; {evidence}"
    return DocumentOutcome(change.doc_id, DocumentState.DELETED, evidence, version=change.version_before)


def _kept(change: Change, why: str) -> DocumentOutcome:
    return DocumentOutcome(change.doc_id, DocumentState.KEPT, why, version=change.version_before)
