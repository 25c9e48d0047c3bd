"""Carry out what a gate approved of the decisions of the review queue: the ledger first, then index and source.

    back to open -> gone -> commit in the source's repository -> out of the index -> marks -> every chunk, audited

What a decision asks for is one commit in the ledger, in the name of who decided. People's protection is read again
before each: a pin or a hold that was set since the decision wins, and the item goes back to open.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from include.domain.consequence import Consequence
from include.domain.dates import from_rfc3339, rfc3339
from include.domain.documents import FetchedDocument, Status
from include.domain.errors import (
    ChangeRefused,
    ConfigError,
    DecisionConflict,
    DocumentGone,
    DocumentNotPublic,
    Skippable,
    SourceUnavailable,
)
from include.domain.inventory import IndexInventory
from include.domain.manifest import DocumentOutcome, DocumentState
from include.domain.metadata import Hand, MetadataChange, Patch
from include.domain.purge import PurgeCommit
from include.domain.review import Applied, Decision, KeptOut, Protection
from include.planning.dispositions import Following, Step
from include.planning.purge_message import purge_message
from include.planning.purging import ApprovedDispositions
from include.services.context import SourceContext
from include.services.metadata_change import plan_change
from include.services.protecting import why_protected
from include.services.reading import Progress
from include.services.removal import as_people_decided, delete_documents
from include.services.set_metadata import apply_change

_STAGED: Patch = {"status": Status.STAGED.value}
_NOT_STAGED: Patch = {"status": None}


class CarryingOut:
    """One run's way through what was approved. `outcomes` are those that have become true, so that a run that breaks
    off can tell what it did."""

    def __init__(
        self, context: SourceContext, approved: ApprovedDispositions, inventory: IndexInventory, *, run_id: str
    ) -> None:
        self._context = context
        self._approved = approved
        self._inventory = inventory
        self._run_id = run_id
        self._marked: set[str] = set()
        self.outcomes: list[DocumentOutcome] = []

    def carry_out(self, lagging: Sequence[str], progress: Progress) -> None:
        """Raises what `set_metadata.apply_change` raises, with what was decided in the ledger; the next run, or any
        sync, brings it into the index."""
        self._reopen({each.doc_id: each.why for each in self._approved.of(Step.REOPEN)})
        for each in self._approved.of(Step.SETTLE):
            self._settle(each, DocumentState.SETTLED, each.why, changes=self._staged(each, _NOT_STAGED))
        self._commit()
        self._push()
        self._take_out(progress)
        for each in self._approved.of(Step.ARCHIVE, Step.LINK, Step.KEEP, Step.EXTEND):
            self._mark(each)
        self._bring_in(lagging, progress)

    # -- back to open --

    def _reopen(self, notes: Mapping[str, str]) -> None:
        if not notes:
            return
        source, named = self._context.source, ", ".join(sorted(notes))
        self._context.ledger.reopen(source, notes, message=f"Decide again, of {source}: {named}")
        self.outcomes.extend(
            DocumentOutcome(doc_id, DocumentState.REOPENED, f"decide again: {why}") for doc_id, why in notes.items()
        )

    # -- out of a source that is ours to write --

    def _commit(self) -> None:
        purging, due = self._context.purging, {each.doc_id: each for each in self._approved.of(Step.COMMIT)}
        read = {doc_id: fetched for doc_id, each in due.items() if (fetched := self._read(each)) is not None}
        if purging is None or not read:
            return
        protected = self._protected()
        self._reopen({doc_id: protected[doc_id] for doc_id in read if doc_id in protected})
        files = {doc_id: fetched.body for doc_id, fetched in read.items() if doc_id not in protected}
        if not files:
            return
        purged = [due[doc_id] for doc_id in sorted(files)]
        at = max(from_rfc3339(_decision(each).at) for each in purged)
        try:
            made = purging.propose(files, message=purge_message(self._context.source, purged), at=at)
        except (ConfigError, SourceUnavailable) as error:
            self.outcomes.extend(DocumentOutcome(each, DocumentState.FAILED, str(error)) for each in files)
            return
        self._reopen(dict.fromkeys(made.changed, "its source has another version of it since"))
        self.outcomes.extend(DocumentOutcome(each, DocumentState.VANISHED, _LEFT) for each in made.missing)
        for doc_id in made.removed:
            self._propose(due[doc_id], made)

    def _propose(self, each: Following, made: PurgeCommit) -> None:
        now = rfc3339(self._context.clock.now())
        where = f"commit {made.commit[:12]} on branch {made.branch} of {made.repository}"
        detail = f"its removal is {where}. To bring it in: {made.next_step}"
        applied = Applied(now, self._run_id, detail, made.branch, made.commit, now if made.pushed else "")
        if made.problem:
            detail = f"{detail}. It could not be pushed: {made.problem}"
        state = DocumentState.FAILED if made.problem else DocumentState.PURGED
        self._record(each, applied, state, detail, changes=self._staged(each, _STAGED), settles=False)

    def _push(self) -> None:
        """What an earlier run could not push, each branch once."""
        purging = self._context.purging
        waiting = [each for each in self._approved.of(Step.WAIT) if each.item and each.item.waits_for_source]
        if purging is None or not purging.pushes:
            return
        by_branch: dict[str, list[Following]] = defaultdict(list)
        for each in waiting:
            if (applied := _applied(each)) and applied.branch and not applied.pushed_at:
                by_branch[applied.branch].append(each)
        for branch, those in by_branch.items():
            problem = purging.push(branch)
            for each in those:
                applied = _applied(each)
                assert applied is not None
                if problem:
                    detail = f"{applied.detail}. It could not be pushed: {problem}"
                    self.outcomes.append(DocumentOutcome(each.doc_id, DocumentState.FAILED, detail))
                else:
                    pushed = replace(applied, pushed_at=rfc3339(self._context.clock.now()))
                    self._record(each, pushed, DocumentState.PURGED, f"the branch {branch} is pushed", settles=False)

    # -- out of the index --

    def _take_out(self, progress: Progress) -> None:
        asked_at: dict[str, datetime] = {}
        for each in self._approved.of(Step.TAKE_OUT):
            moment = self._context.clock.now()
            fetched = self._read(each)
            if fetched is None:
                continue
            if each.item is None or self._keep_out(each, fetched, moment):
                asked_at[each.doc_id] = moment
        for deleted in delete_documents(self._context, as_people_decided(self._approved, asked_at), progress=progress):
            self.outcomes.extend(deleted)

    def _keep_out(self, each: Following, fetched: FetchedDocument, moment: datetime) -> bool:
        item = each.item
        assert item is not None
        made = _decision(each)
        mark = KeptOut(fetched.version, item.content_hash, made.why, made.by, rfc3339(moment))
        detail = "it leaves the index, and is kept out until its source changes it"
        return self._settle(each, None, detail, changes=self._staged(each, _NOT_STAGED), kept_out=mark)

    # -- marks --

    def _mark(self, each: Following) -> None:
        made = _decision(each)
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
        shown = self._staged(each, _NOT_STAGED)
        if state is DocumentState.RESTORED and not shown:
            state = DocumentState.SETTLED  # readers have found it all the time
        try:
            changes = (*self._planned(each, Hand.PERSON, person), *shown)
        except ConfigError as error:
            self._reopen({each.doc_id: str(error)})
            return
        if self._settle(each, state, detail, changes=changes, hold=hold):
            self._marked.update(person)

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

    def _staged(self, each: Following, patch: Patch) -> tuple[MetadataChange, ...]:
        """The detector's mark on a document, set or taken away; none where it says so already."""
        return self._planned(each, Hand.DETECTOR, {each.doc_id: patch})

    def _planned(self, each: Following, hand: Hand, patches: Mapping[str, Patch]) -> tuple[MetadataChange, ...]:
        made = _decision(each)
        assert each.item is not None
        change = plan_change(
            self._context,
            patches,
            hand=hand,
            by=made.by,
            reason=made.why,
            selector=f"decided in review: {made} for {each.doc_id}",
            run_id=f"{self._run_id}.{each.item.word}{'' if hand is Hand.PERSON else f'.{hand.value}'}",
            inventory=self._inventory,
        )
        return (change,) if change.patches else ()

    def _bring_in(self, lagging: Sequence[str], progress: Progress) -> None:
        """What the ledger says by now, into every chunk. A document that is not in the index is passed over."""
        late = [doc_id for doc_id in lagging if doc_id not in self._marked]
        due = sorted({*self._marked, *late} & self._inventory.documents.keys())
        if not due:
            return
        nothing = MetadataChange(
            run_id=self._run_id,
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
        self.outcomes.extend(DocumentOutcome(doc_id, DocumentState.REPAIRED, why) for doc_id in late)

    # -- what all of them need --

    def _read(self, each: Following) -> FetchedDocument | None:
        """The document as its source has it now, if that is the version that was decided about."""
        try:
            fetched = self._context.connector.fetch(each.doc_id)
        except (DocumentGone, DocumentNotPublic):
            self.outcomes.append(DocumentOutcome(each.doc_id, DocumentState.VANISHED, _LEFT))
            return None
        except (SourceUnavailable, Skippable) as error:
            why = f"not asked whether its source has the version that was decided about: {error}"
            self.outcomes.append(DocumentOutcome(each.doc_id, DocumentState.FAILED, why))
            return None
        if fetched.version == each.version:
            return fetched
        if each.item is not None:
            self._reopen({each.doc_id: "its source has another version of it since"})
        return None

    def _settle(
        self,
        each: Following,
        state: DocumentState | None,
        detail: str,
        *,
        changes: tuple[MetadataChange, ...] = (),
        hold: Protection | None = None,
        kept_out: KeptOut | None = None,
    ) -> bool:
        applied = _applied(each)
        branch, commit, pushed_at = (applied.branch, applied.commit, applied.pushed_at) if applied else ("", "", "")
        applied = Applied(rfc3339(self._context.clock.now()), self._run_id, detail, branch, commit, pushed_at)
        return self._record(each, applied, state, detail, changes=changes, hold=hold, kept_out=kept_out)

    def _record(
        self,
        each: Following,
        applied: Applied,
        state: DocumentState | None,
        detail: str,
        *,
        changes: tuple[MetadataChange, ...] = (),
        hold: Protection | None = None,
        kept_out: KeptOut | None = None,
        settles: bool = True,
    ) -> bool:
        """Into the ledger, unless somebody protects the document by now. Returns whether it is there."""
        assert each.item is not None
        item = replace(each.item, applied=applied)
        if (each.takes_away or each.step is Step.LINK) and (why := self._protected().get(each.doc_id, "")):
            made = f"; the branch {applied.branch} removes it, do not merge that" if applied.branch else ""
            self._reopen({each.doc_id: f"{why}{made}"})
            return False
        try:
            self._context.ledger.carry_out(Consequence(item, changes, hold, kept_out, settles=settles))
        except (ChangeRefused, DecisionConflict) as error:
            self.outcomes.append(DocumentOutcome(each.doc_id, DocumentState.WITHDRAWN, str(error)))
            return False
        self._marked.update(patch.doc_id for change in changes for patch in change.patches)
        if state is not None:
            self.outcomes.append(DocumentOutcome(each.doc_id, state, f"{each.words}; {detail}"))
        return True

    def _protected(self) -> Mapping[str, str]:
        context = self._context
        return why_protected(context.ledger, context.source, context.clock.now())


_LEFT = "its source does not publish it any more; the next sync takes it out of the index, and then it is settled"


def _decision(each: Following) -> Decision:
    assert each.item is not None
    assert each.item.decision is not None
    return each.item.decision


def _applied(each: Following) -> Applied | None:
    return each.item.applied if each.item else None
