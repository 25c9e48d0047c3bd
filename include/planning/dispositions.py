"""What follows from decisions of the review queue, document by document. Pure.

| decided        | what follows                                                                                     |
|----------------|--------------------------------------------------------------------------------------------------|
| approve-purge  | a commit that removes its file, where the source is ours to write; else out of the index, for good |
| archive        | readers do not find it any more                                                                  |
| supersede-link | it is found behind the other                                                                     |
| keep           | readers find it, and the same evidence is not put before anybody again                           |
| extend         | readers find it, and it is left alone until that day                                             |

None of it follows, and the item goes back to open with a note, where the document was protected or changed since, where
that day has passed, where nothing that readers find would be left in its place, and where somebody has taken back what
followed before. A document that is gone leaves nothing to be done.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from include.domain.documents import SEARCHABLE, Marks, Presence
from include.domain.inventory import IndexedDocument
from include.domain.plan import Action, Change
from include.domain.review import Disposition, ReviewItem
from include.planning.review_life import why_changed


class Step(StrEnum):
    """What is done about a document."""

    COMMIT = "commit"  # its file is removed from its source's repository, on a branch
    TAKE_OUT = "take out"  # it leaves the index, and this version is kept out
    ARCHIVE = "archive"
    LINK = "link"
    KEEP = "keep"
    EXTEND = "extend"
    SETTLE = "settle"  # it is gone already
    REOPEN = "reopen"  # the decision does not hold any more
    WAIT = "wait"  # its source, or a sync, comes first


TAKES_AWAY = frozenset({Step.COMMIT, Step.TAKE_OUT, Step.ARCHIVE})
_STEPS = {
    Disposition.ARCHIVE: Step.ARCHIVE,
    Disposition.SUPERSEDE_LINK: Step.LINK,
    Disposition.KEEP: Step.KEEP,
    Disposition.EXTEND: Step.EXTEND,
}
_NO_MARKS = Marks()


@dataclass(frozen=True, slots=True)
class Following:
    """One step, and why it and no other: `why` completes the note of an item that goes back to open. `told` is what
    somebody should know besides. `item` is None for what an earlier run had recorded and not done: it comes in its
    `version`."""

    doc_id: str
    step: Step
    item: ReviewItem | None = None
    why: str = ""
    told: str = ""
    version: str = ""

    @property
    def takes_away(self) -> bool:
        return self.step in TAKES_AWAY

    @property
    def change(self) -> Change:
        """As the gate and people see it."""
        action = Action.ARCHIVE if self.step is Step.ARCHIVE else Action.PURGE
        return Change(self.doc_id, action, self.words, version_before=self.version)

    @property
    def words(self) -> str:
        """Who decided what and why, and what became of it."""
        made = self.item.decision if self.item else None
        said = f"{made.by}: {made} ({made.why})" if made else ""
        return ". ".join(part for part in (said, self.why, self.told) if part)


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a source when its decisions are carried out.

    `documents` are those that the index holds, `marks` what the ledger says of them, `protected` why a person does not
    want them touched. `asked` is what the source says of decided documents that the index does not hold.
    `carried_out` are the words that were carried out before, `committed` those whose commit is still where it was made.
    `is_ours`: the source is a repository of which files may be removed. `today` is a day, 2027-01-31.
    """

    documents: Mapping[str, IndexedDocument]
    marks: Mapping[str, Marks]
    protected: Mapping[str, str]
    today: str
    asked: Mapping[str, Presence] = field(default_factory=dict)
    carried_out: Collection[str] = ()
    committed: Collection[str] = ()
    kept_out: Mapping[str, str] = field(default_factory=dict)
    is_ours: bool = False


def follow(decided: Iterable[ReviewItem], known: Known) -> tuple[Following, ...]:
    """One step for each decided item, sorted by document, and for each document that is still in the index in the
    version that was taken out of it."""
    items = {item.doc_id: item for item in decided if item.decision is not None}
    leaving = {doc_id for doc_id, item in items.items() if _takes_away(item)}
    steps = [_step(item, known, leaving) for item in items.values()]
    steps += [
        Following(doc_id, Step.TAKE_OUT, why="it was taken out of the index, and is still there", version=version)
        for doc_id, version in known.kept_out.items()
        if doc_id not in items and doc_id in known.documents and known.documents[doc_id].version == version
    ]
    return tuple(sorted(steps, key=lambda each: each.doc_id))


def newest_readable(doc_id: str, known: Known, leaving: Collection[str] = ()) -> str:
    """The end of the chain that begins here, or the last of it that readers find; empty when they find none."""
    way: dict[str, None] = {}
    while doc_id and doc_id not in way:
        way[doc_id] = None
        onward = [each for each in known.marks.get(doc_id, _NO_MARKS).superseded_by if each in known.documents]
        doc_id = min(onward, default="")
    readable = [each for each in way if _is_readable(each, known) and each not in leaving]
    return readable[-1] if readable else ""


def _takes_away(item: ReviewItem) -> bool:
    assert item.decision is not None
    return item.decision.disposition in (Disposition.APPROVE_PURGE, Disposition.ARCHIVE)


def _is_readable(doc_id: str, known: Known) -> bool:
    document = known.documents.get(doc_id)
    return document is not None and bool(document.version) and document.status in SEARCHABLE


def _step(item: ReviewItem, known: Known, leaving: Collection[str]) -> Following:
    doc_id = item.doc_id
    document = known.documents.get(doc_id)
    if document is None or not document.version:
        return _step_of_absent(item, known.asked.get(doc_id, Presence.UNKNOWN))
    if why := _why_not(item, document, known, leaving):
        return Following(doc_id, Step.REOPEN, item, why)
    assert item.decision is not None
    purges = item.decision.disposition is Disposition.APPROVE_PURGE
    if purges and item.waits_for_source and item.word in known.committed:
        return Following(doc_id, Step.WAIT, item, "its source has not taken up the commit yet")
    step = (Step.COMMIT if known.is_ours else Step.TAKE_OUT) if purges else _STEPS[item.decision.disposition]
    return Following(doc_id, step, item, told=_told(item, known, leaving), version=item.doc_version)


def _step_of_absent(item: ReviewItem, answer: Presence) -> Following:
    if answer.confirms_absence:
        why = "its source has taken up the commit" if item.waits_for_source else "it is gone from its source already"
        return Following(item.doc_id, Step.SETTLE, item, why)
    return Following(item.doc_id, Step.WAIT, item, "the index does not hold it; a sync has to bring it in first")


def _why_not(item: ReviewItem, document: IndexedDocument, known: Known, leaving: Collection[str]) -> str:
    """Why nothing follows from a decision any more; empty where it still does."""
    made = item.decision
    assert made is not None
    if item.word in known.carried_out and not item.waits_for_source:
        begun = made.disposition is Disposition.APPROVE_PURGE and known.is_ours
        branch = "; a branch that removes it may be there still, do not merge that" if begun else ""
        return f"it was carried out, and somebody has taken that back{branch}"
    if why := why_changed(item, document.content_hash):
        return why
    if made.disposition is Disposition.EXTEND and made.until <= known.today:
        return "that day has passed"
    if made.disposition in (Disposition.KEEP, Disposition.EXTEND):
        return ""
    if item.doc_id in known.protected:
        return known.protected[item.doc_id]
    if document.version != item.doc_version:
        return "its source has another version of it since"
    instead = made.superseded_by or item.replacement
    if instead and not newest_readable(instead, known, leaving):
        state = known.documents[instead].status if instead in known.documents else "not in the index"
        return f"{instead}, which was to be read instead, is {state} by now"
    return ""


def _told(item: ReviewItem, known: Known, leaving: Collection[str]) -> str:
    assert item.decision is not None
    instead = item.decision.superseded_by or item.replacement
    newest = newest_readable(instead, known, leaving) if instead else ""
    return f"{instead} was replaced by {newest} since" if newest and newest != instead else ""
