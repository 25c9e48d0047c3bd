"""Carry out what a gate approved of the decisions of the review queue: the ledger first, then index and source.

    back to open -> gone -> commit in the source's repository -> out of the index -> marks -> every chunk, audited

See `recording` for what becomes of the items.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from include.domain.dates import from_rfc3339, rfc3339
from include.domain.documents import FetchedDocument, Status
from include.domain.errors import (
    ConfigError,
    SourceUnavailable,
)
from include.domain.manifest import DocumentOutcome, DocumentState
from include.domain.metadata import Hand, MetadataChange, Patch
from include.domain.purge import PurgeCommit
from include.domain.review import Applied, Decision, KeptOut, Protection
from include.planning.dispositions import Following, Step
from include.planning.purge_message import purge_message
from include.planning.purging import ApprovedDispositions
from include.services.context import SourceContext
from include.services.reading import Progress
from include.services.recording import LEFT, NOT_STAGED, STAGED, Recording, applied_of, decision_of
from include.services.removal import as_people_decided, delete_documents
from include.services.set_metadata import apply_change


class CarryingOut:
    """One run's way through what was approved. What has become true by then is in `into`, so that a run that breaks off
    can tell what it did."""

    def __init__(self, context: SourceContext, approved: ApprovedDispositions, into: Recording) -> None:
        self._context = context
        self._approved = approved
        self._into = into

    def carry_out(self, lagging: Sequence[str], progress: Progress) -> None:
        """Raises what `set_metadata.apply_change` raises, with what was decided in the ledger; the next run, or any
        sync, brings it into the index."""
        self._into.reopen({each.doc_id: each.why for each in self._approved.of(Step.REOPEN)})
        for each in self._approved.of(Step.SETTLE):
            self._into.settle(each, DocumentState.SETTLED, each.why, changes=self._into.staged(each, NOT_STAGED))
        self._commit()
        self._push()
        self._take_out(progress)
        for each in self._approved.of(Step.ARCHIVE, Step.LINK, Step.KEEP, Step.EXTEND):
            self._mark(each)
        self._bring_in(lagging, progress)

    # -- out of a source that is ours to write --

    def _commit(self) -> None:
        purging, due = self._context.purging, {each.doc_id: each for each in self._approved.of(Step.COMMIT)}
        read = {doc_id: fetched for doc_id, each in due.items() if (fetched := self._into.read(each)) is not None}
        if purging is None or not read:
            return
        protected = self._into.protected()
        self._into.reopen({doc_id: protected[doc_id] for doc_id in read if doc_id in protected})
        files = {doc_id: fetched.body for doc_id, fetched in read.items() if doc_id not in protected}
        if not files:
            return
        purged = [due[doc_id] for doc_id in sorted(files)]
        at = max(from_rfc3339(decision_of(each).at) for each in purged)
        try:
            made = purging.propose(files, message=purge_message(self._context.source, purged), at=at)
        except (ConfigError, SourceUnavailable) as error:
            self._into.outcomes.extend(DocumentOutcome(each, DocumentState.FAILED, str(error)) for each in files)
            return
        self._into.reopen(dict.fromkeys(made.changed, "its source has another version of it since"))
        self._into.outcomes.extend(DocumentOutcome(each, DocumentState.VANISHED, LEFT) for each in made.missing)
        for doc_id in made.removed:
            self._propose(due[doc_id], made)

    def _propose(self, each: Following, made: PurgeCommit) -> None:
        now = rfc3339(self._context.clock.now())
        where = f"commit {made.commit[:12]} on branch {made.branch} of {made.repository}"
        detail = f"its removal is {where}. To bring it in: {made.next_step}"
        applied = Applied(now, self._into.run_id, detail, made.branch, made.commit, now if made.pushed else "")
        if made.problem:
            detail = f"{detail}. It could not be pushed: {made.problem}"
        state = DocumentState.FAILED if made.problem else DocumentState.PURGED
        self._into.record(each, applied, state, detail, changes=self._into.staged(each, STAGED), settles=False)

    def _push(self) -> None:
        """What an earlier run could not push, each branch once."""
        purging = self._context.purging
        waiting = [each for each in self._approved.of(Step.WAIT) if each.item and each.item.waits_for_source]
        if purging is None or not purging.pushes:
            return
        by_branch: dict[str, list[Following]] = defaultdict(list)
        for each in waiting:
            if (applied := applied_of(each)) and applied.branch and not applied.pushed_at:
                by_branch[applied.branch].append(each)
        for branch, those in by_branch.items():
            problem = purging.push(branch)
            for each in those:
                applied = applied_of(each)
                assert applied is not None
                if problem:
                    detail = f"{applied.detail}. It could not be pushed: {problem}"
                    self._into.outcomes.append(DocumentOutcome(each.doc_id, DocumentState.FAILED, detail))
                else:
                    pushed = replace(applied, pushed_at=rfc3339(self._context.clock.now()))
                    self._into.record(
                        each, pushed, DocumentState.PURGED, f"the branch {branch} is pushed", settles=False
                    )

    # -- out of the index --

    def _take_out(self, progress: Progress) -> None:
        asked_at: dict[str, datetime] = {}
        for each in self._approved.of(Step.TAKE_OUT):
            moment = self._context.clock.now()
            fetched = self._into.read(each)
            if fetched is None:
                continue
            if each.item is None or self._keep_out(each, fetched, moment):
                asked_at[each.doc_id] = moment
        for deleted in delete_documents(self._context, as_people_decided(self._approved, asked_at), progress=progress):
            self._into.outcomes.extend(deleted)

    def _keep_out(self, each: Following, fetched: FetchedDocument, moment: datetime) -> bool:
        item = each.item
        assert item is not None
        made = decision_of(each)
        mark = KeptOut(fetched.version, item.content_hash, made.why, made.by, rfc3339(moment))
        detail = "it leaves the index, and is kept out until its source changes it"
        return self._into.settle(each, None, detail, changes=self._into.staged(each, NOT_STAGED), kept_out=mark)

    # -- marks --

    def _mark(self, each: Following) -> None:
        made = decision_of(each)
        hold = None
        person: dict[str, Patch] = {}
        match each.step:
            case Step.ARCHIVE:
                state, detail = DocumentState.HIDDEN, "archived: readers do not find it any more"
                person = {each.doc_id: {"status": Status.ARCHIVED.value}}
            case Step.LINK:
                state, detail = DocumentState.MARKED, f"it is found behind {made.superseded_by}"
                person = self._linked(each.doc_id, made.superseded_by)
            case Step.EXTEND:
                state, detail = DocumentState.RESTORED, f"it is left alone until {made.until}"
                hold = self._hold(each.doc_id, made)
            case _:
                state, detail = DocumentState.RESTORED, "kept: it does not come back for the same evidence"
        shown = self._into.staged(each, NOT_STAGED)
        if state is DocumentState.RESTORED and not shown:
            state = DocumentState.SETTLED  # readers have found it all the time
        try:
            changes = (*self._into.planned(each, Hand.PERSON, person), *shown)
        except ConfigError as error:
            self._into.reopen({each.doc_id: str(error)})
            return
        if self._into.settle(each, state, detail, changes=changes, hold=hold):
            self._into.marked.update(person)

    def _linked(self, doc_id: str, successor: str) -> dict[str, Patch]:
        """The link, both ways; whatever else the successor supersedes stays."""
        marks = self._context.ledger.marks(self._context.source)
        others = marks[successor].supersedes if successor in marks else ()
        return {
            doc_id: {"status": Status.SUPERSEDED.value, "superseded_by": (successor,)},
            successor: {"supersedes": tuple(sorted({*others, doc_id}))},
        }

    def _hold(self, doc_id: str, made: Decision) -> Protection | None:
        """None where it is held longer already."""
        until = f"{made.until}T00:00:00.000000Z"
        standing = self._context.ledger.holds(self._context.source).get(doc_id)
        if standing is not None and standing.held_until >= until:
            return None
        return Protection(until, made.why, made.by, rfc3339(self._context.clock.now()))

    def _bring_in(self, lagging: Sequence[str], progress: Progress) -> None:
        """What the ledger says by now, into every chunk. A document that is not in the index is passed over."""
        late = [doc_id for doc_id in lagging if doc_id not in self._into.marked]
        due = sorted({*self._into.marked, *late} & self._into.inventory.documents.keys())
        if not due:
            return
        nothing = MetadataChange(
            run_id=self._into.run_id,
            source=self._context.source,
            hand=Hand.PERSON,
            by="truecopy",
            reason="what was decided in review",
            at=rfc3339(self._context.clock.now()),
            selector="documents with a decision",
            patches=(),
        )
        apply_change(self._context, nothing, also=due, approved=self._approved, progress=progress)
        why = "its chunks did not say what the ledger says"
        self._into.outcomes.extend(DocumentOutcome(doc_id, DocumentState.REPAIRED, why) for doc_id in late)
