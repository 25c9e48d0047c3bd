"""What waits for a person, document by document, and what people hold back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

from include.domain.consequence import Consequence
from include.domain.review import Decision, KeptOut, Protection, Queue, Recorded, ReviewItem, Said


class ReviewQueue(Protocol):
    """Candidates that wait for a person, and those that a person has settled. A file that was spoilt by hand is named,
    left as it is, and spoils no other."""

    def candidates(self, source: str) -> Queue:
        """Open and decided items."""
        ...

    def candidate(self, source: str, doc_id: str) -> ReviewItem:
        """The open or decided item of one document, without a look at the others. Raises ConfigError when there is
        none, and names its file when that cannot be read."""
        ...

    def settled(self, source: str) -> Queue:
        """Items whose decision was carried out, the earliest first; of one document there may be several."""
        ...

    def renew(self, source: str, renewed: Callable[[Queue], Iterable[ReviewItem]], *, message: str) -> Queue:
        """Put in place of all readable items what `renewed` makes of them, in one commit; none is written over what
        somebody decides meanwhile. `renewed` is called alone among writers, so it must be quick and write nothing.
        Returns the queue as it is afterwards. An item for the document of an unreadable file is left out."""
        ...

    def decide(
        self, source: str, doc_id: str, decision: Decision, *, fingerprint: str, overrule: bool = False
    ) -> ReviewItem:
        """Record a person's word on an open item, a commit in that person's name. `fingerprint` is that of the evidence
        that the person saw. The same word again changes nothing.

        Raises DecisionConflict, which names the other, when somebody decided otherwise before (`overrule` puts the new
        word in its place), or when the evidence is another by now; ConfigError when there is no such item, or its file
        cannot be read.
        """
        ...

    def decide_all(self, source: str, words: Sequence[Said], *, by: str, message: str) -> Recorded:
        """Record one person's words on many open items, in one commit in the name of `by`. Those that `decide` would
        refuse are left as they are and are named; they keep no other from being recorded."""
        ...

    def reopen(self, source: str, notes: Mapping[str, str], *, message: str) -> Queue:
        """Take the decisions on these items back to open, each with a note that says why, in one commit. Items without
        a decision are left as they are. Returns the queue as it is afterwards."""
        ...

    def settle(self, source: str, items: Sequence[ReviewItem], *, by: str, message: str) -> None:
        """Move decided items out of the queue, in one commit in the name of `by`; each says in `applied` what was done.
        Settling an item twice is fine. Raises DecisionConflict, and moves none, when the decision on one of them is
        another by now."""
        ...


class Protections(Protocol):
    """What people hold: nothing may happen to it by itself until a day."""

    def holds(self, source: str) -> Mapping[str, Protection]:
        """By doc id, those that have run out included. Raises ConfigError for a file that was spoilt by hand."""
        ...

    def protect(self, source: str, changes: Mapping[str, Protection | None], *, by: str, message: str) -> None:
        """Hold these documents, None to let one go, in one commit in the name of `by`."""
        ...


class KeepingOut(Protocol):
    """What people have taken out of the index, whose source goes on listing it."""

    def kept_out(self, source: str) -> Mapping[str, KeptOut]:
        """By doc id. Raises ConfigError for a file that was spoilt by hand."""
        ...

    def let_in(self, source: str, versions: Mapping[str, str]) -> None:
        """These versions, by doc id, are in the index: those of them that are another than the one that was taken out
        are kept out no longer."""
        ...


class CarryingOut(Protocol):
    """What was decided, made true in the ledger."""

    def carry_out(self, what: Consequence) -> None:
        """Record everything that follows from a decision, in one commit in the name of who made it; reverting that
        commit takes all of it back. Carrying out twice is fine.

        Raises DecisionConflict when the decision is another by now, or the item left the queue some other way, and
        ChangeRefused when its marks are: nothing is recorded then.
        """
        ...

    def carried_out(self, source: str) -> frozenset[str]:
        """The `ReviewItem.word` of every decision that ever was, those included that somebody took back."""
        ...
