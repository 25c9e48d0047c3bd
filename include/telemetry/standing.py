"""Where a source stands: whether its index is true right now, in one word, from its last nights. Pure."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from include.domain.manifest import Manifest, RunState
from include.telemetry.alerts import STALE_AFTER


class Truth(StrEnum):
    """From best to worst. Only the first two mean that a reader may rely on the index today."""

    TRUE = "true"  # the last night proved it, within the time that a night may take to come
    DEGRADED = "degraded"  # so it did, but for single documents that failed and keep their last good version
    HELD = "held"  # something waits for a person; the rest is true
    DOUBTFUL = "doubtful"  # proven not long ago, and the last night could not prove it again
    AGED = "aged"  # nothing has proven it for more than a day
    NEVER = "never"  # nothing ever has


def truth(latest: Manifest | None, proven: Manifest | None, *, now: datetime) -> Truth:
    """`latest` is the newest night that ended, `proven` the newest that made the index true."""
    if latest is None:
        return Truth.NEVER
    if now - (latest.finished_at or latest.started_at) > STALE_AFTER:
        return Truth.AGED if proven else Truth.NEVER
    if latest.held:
        return Truth.HELD
    if latest.state is RunState.TRUE:
        return Truth.TRUE
    if latest.state is RunState.DEGRADED:
        return Truth.DEGRADED
    if proven is None or proven.finished_at is None:
        return Truth.NEVER
    return Truth.AGED if now - proven.finished_at > STALE_AFTER else Truth.DOUBTFUL
