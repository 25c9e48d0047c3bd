"""What follows from one decision in review, recorded together. Pure data."""

from __future__ import annotations

from dataclasses import dataclass

from include.domain.metadata import MetadataChange
from include.domain.review import Decision, KeptOut, Protection, ReviewItem


@dataclass(frozen=True, slots=True)
class Consequence:
    """`item` is the decided item with `applied` set. `changes` are those of metadata, each by another hand, `hold` and
    `kept_out` are about its document. `settles`: that is all, and the item leaves the queue; otherwise it waits there
    for its source. Raises ValueError for an item that is not decided, or of which nothing is said to be done."""

    item: ReviewItem
    changes: tuple[MetadataChange, ...] = ()
    hold: Protection | None = None
    kept_out: KeptOut | None = None
    settles: bool = True

    def __post_init__(self) -> None:
        if self.item.decision is None or self.item.applied is None:
            raise ValueError(f"{self.item.source}: {self.item.doc_id} was not decided, or nothing was done")

    @property
    def decision(self) -> Decision:
        assert self.item.decision is not None
        return self.item.decision
