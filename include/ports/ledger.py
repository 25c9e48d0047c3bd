"""People's decisions: metadata, held plans and their releases, families that nobody could decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from include.domain.documents import Marks
from include.domain.metadata import Hand, MetadataChange, Patch
from include.domain.plan import HeldPlan, PlanKind, Release
from include.families.review import FamilyReview
from include.ports.review import CarryingOut, KeepingOut, Protections, ReviewQueue


class Ledger(ReviewQueue, Protections, KeepingOut, CarryingOut, Protocol):
    """People's decisions, each a commit with author and reason."""

    def marks(self, source: str) -> Mapping[str, Marks]:
        """What holds of each document, by doc_id: a person's word and the resolver's, as `metadata.merged` says.
        Documents without a decision are left out. Raises ConfigError for a file that was spoilt by hand."""
        ...

    def decided(self, source: str, hand: Hand) -> Mapping[str, Patch]:
        """What one hand alone has written, in the spelling of `metadata.value_of`, without Nones."""
        ...

    def record(self, change: MetadataChange) -> None:
        """Write a change: all of it or nothing. What its run recorded already, and still holds, is left as it is.

        Raises ChangeRefused when what it begins with is no longer what the hand's record says, and when its run has
        recorded another change, or one that was taken back since.
        """
        ...

    def recorded(self, source: str, run_id: str) -> MetadataChange | None:
        """The change that a run made, or None."""
        ...

    def changing(self, source: str, run_id: str) -> AbstractContextManager[None]:
        """Held while a run records a change and brings it into the index: of one source one at a time. Raises
        ChangeUnderway, which names the other run."""
        ...

    def hold(self, plan: HeldPlan) -> HeldPlan:
        """Record a held plan as the source's open one of its kind. The first_held_at of an open one is kept."""
        ...

    def held(self, source: str, kind: PlanKind = PlanKind.CONTENT) -> HeldPlan | None: ...

    def open_requests(self, source: str, kind: PlanKind = PlanKind.CONTENT) -> Mapping[str, str]:
        """Checksums that a person was asked about and has not answered, with the instant (RFC 3339) of asking."""
        ...

    def open_request(self, source: str, checksum: str, asked_at: str, kind: PlanKind = PlanKind.CONTENT) -> None:
        """A person was asked about this plan."""
        ...

    def close_request(self, source: str, checksum: str) -> None:
        """The question was answered, or is moot."""
        ...

    def reject(self, source: str, checksum: str, by: str, why: str) -> None:
        """A person declined this plan, of whichever kind. It stays held. Raises ApprovalRefused when none such is."""
        ...

    def clear_held(self, source: str, why: str, kind: PlanKind = PlanKind.CONTENT) -> None:
        """The cause is gone or the plan was applied; the history stays in git."""
        ...

    def review(self, source: str, families: Sequence[FamilyReview]) -> Sequence[FamilyReview]:
        """These families of the source, and no others, wait for a person's word. One that did already keeps its
        `since`. Returns what is recorded, sorted by family."""
        ...

    def reviews(self, source: str) -> Sequence[FamilyReview]:
        """The families that wait for a person's word, sorted by family."""
        ...

    def release(self, release: Release) -> None: ...

    def find_release(self, source: str, checksum: str) -> Release | None: ...

    def use_release(self, release: Release, run_id: str) -> Release:
        """Mark used, before anything is applied. Raises ApprovalRefused if another run used it."""
        ...
