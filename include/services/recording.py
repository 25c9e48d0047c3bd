"""What became of decisions, into the ledger and the outcomes of a run: recorded, settled, back to open.

What a decision asks for is one commit in the ledger, in the name of who decided. People's protection is read again
before each: a pin or a hold that was set since the decision wins, and the item goes back to open.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from include.domain.consequence import Consequence
from include.domain.dates import rfc3339
from include.domain.documents import FetchedDocument, Status
from include.domain.errors import (
    ChangeRefused,
    DecisionConflict,
    DocumentGone,
    DocumentNotPublic,
    Skippable,
    SourceUnavailable,
)
from include.domain.inventory import IndexInventory
from include.domain.manifest import DocumentOutcome, DocumentState
from include.domain.metadata import Hand, MetadataChange, Patch
from include.domain.review import Applied, Decision, KeptOut, Protection
from include.planning.dispositions import Following, Step
from include.services.context import SourceContext
from include.services.metadata_change import plan_change
from include.services.protecting import why_protected

STAGED: Patch = {"status": Status.STAGED.value}
NOT_STAGED: Patch = {"status": None}


class Recording:
    """Of one run over one source. `outcomes` are those that have become true, `marked` the documents of which the
    ledger says something else than before. `inventory` is the index as the run found it."""

    def __init__(self, context: SourceContext, inventory: IndexInventory, *, run_id: str) -> None:
        self._context = context
        self.inventory = inventory
        self.run_id = run_id
        self.marked: set[str] = set()
        self.outcomes: list[DocumentOutcome] = []

    def reopen(self, notes: Mapping[str, str]) -> None:
        """Back to open, by doc id with the reason."""
        if not notes:
            return
        source, named = self._context.source, ", ".join(sorted(notes))
        self._context.ledger.reopen(source, notes, message=f"Decide again, of {source}: {named}")
        self.outcomes.extend(
            DocumentOutcome(doc_id, DocumentState.REOPENED, f"decide again: {why}") for doc_id, why in notes.items()
        )

    def read(self, each: Following) -> FetchedDocument | None:
        """The document as its source has it now, if that is the version that was decided about."""
        try:
            fetched = self._context.connector.fetch(each.doc_id)
        except (DocumentGone, DocumentNotPublic):
            self.outcomes.append(DocumentOutcome(each.doc_id, DocumentState.VANISHED, LEFT))
            return None
        except (SourceUnavailable, Skippable) as error:
            why = f"not asked whether its source has the version that was decided about: {error}"
            self.outcomes.append(DocumentOutcome(each.doc_id, DocumentState.FAILED, why))
            return None
        if fetched.version == each.version:
            return fetched
        if each.item is not None:
            self.reopen({each.doc_id: "its source has another version of it since"})
        return None

    def settle(
        self,
        each: Following,
        state: DocumentState | None,
        detail: str,
        *,
        changes: tuple[MetadataChange, ...] = (),
        hold: Protection | None = None,
        kept_out: KeptOut | None = None,
    ) -> bool:
        """Done, and out of the queue. Returns whether it is; no outcome where the caller has yet to learn it."""
        applied = applied_of(each)
        branch, commit, pushed_at = (applied.branch, applied.commit, applied.pushed_at) if applied else ("", "", "")
        applied = Applied(rfc3339(self._context.clock.now()), self.run_id, detail, branch, commit, pushed_at)
        return self.record(each, applied, state, detail, changes=changes, hold=hold, kept_out=kept_out)

    def record(
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
        if (each.takes_away or each.step is Step.LINK) and (why := self.protected().get(each.doc_id, "")):
            made = f"; the branch {applied.branch} removes it, do not merge that" if applied.branch else ""
            self.reopen({each.doc_id: f"{why}{made}"})
            return False
        try:
            self._context.ledger.carry_out(Consequence(item, changes, hold, kept_out, settles=settles))
        except (ChangeRefused, DecisionConflict) as error:
            self.outcomes.append(DocumentOutcome(each.doc_id, DocumentState.WITHDRAWN, str(error)))
            return False
        self.marked.update(patch.doc_id for change in changes for patch in change.patches)
        if state is not None:
            self.outcomes.append(DocumentOutcome(each.doc_id, state, f"{each.words}; {detail}"))
        return True

    def protected(self) -> Mapping[str, str]:
        """Read anew each time: people pin and hold while runs are at work."""
        context = self._context
        return why_protected(context.ledger, context.source, context.clock.now())

    def staged(self, each: Following, patch: Patch) -> tuple[MetadataChange, ...]:
        """The detector's mark on a document, set or taken away; none where it says so already."""
        return self.planned(each, Hand.DETECTOR, {each.doc_id: patch})

    def planned(self, each: Following, hand: Hand, patches: Mapping[str, Patch]) -> tuple[MetadataChange, ...]:
        """None where the ledger says so already. Raises ConfigError for marks that make no sense together."""
        made = decision_of(each)
        assert each.item is not None
        change = plan_change(
            self._context,
            patches,
            hand=hand,
            by=made.by,
            reason=made.why,
            selector=f"decided in review: {made} for {each.doc_id}",
            run_id=f"{self.run_id}.{each.item.word}{'' if hand is Hand.PERSON else f'.{hand.value}'}",
            inventory=self.inventory,
        )
        return (change,) if change.patches else ()


LEFT = "its source does not publish it any more; the next night takes it out of the index, and then it is settled"


def decision_of(each: Following) -> Decision:
    assert each.item is not None
    assert each.item.decision is not None
    return each.item.decision


def applied_of(each: Following) -> Applied | None:
    return each.item.applied if each.item else None
