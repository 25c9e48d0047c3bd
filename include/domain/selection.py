"""The only way to say which points a delete or a count means: one document of one source, narrowed further."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from include.domain.documents import DocumentKey, Status
from include.domain.errors import UnsafeSelector


@dataclass(frozen=True, slots=True)
class Selector:
    """Points of exactly one document.

    `older_than`   only points whose fence is not newer than this instant; a point without a readable fence
                   counts as older (it was not written by us). None: whatever the fence.
    `except_ids`   points that are spared.
    `only_ids`     nothing but these points (empty tuple: no such narrowing).
    `status`       only points of this status.
    `fence`        only points written with exactly this `fetched_at`.

    Raises UnsafeSelector when built without a typed document key: a delete can never be wider than a document.
    """

    key: DocumentKey
    older_than: datetime | None = None
    except_ids: tuple[str, ...] = ()
    only_ids: tuple[str, ...] = ()
    status: Status | None = None
    fence: datetime | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.key, DocumentKey):
            raise UnsafeSelector(
                f"a selector needs a DocumentKey, got {self.key!r}: a delete without source and document is refused"
            )
        if self.status is not None and not isinstance(self.status, Status):
            raise UnsafeSelector(
                f"{self.key}: {self.status!r} is not a Status; an unknown state selects nothing safely"
            )
