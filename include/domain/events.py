"""What a source tells us unasked: a hint that something changed. Never what it changed to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Event:
    """One accepted delivery: look at these documents again; without any, look at the whole source.

    `key` is the delivery's own, so that a second copy of it is the same event. `name` is what the sender calls the
    event, for people; it decides nothing. `looked` is set once a look found nothing to do: the source may lag behind
    its own event, so a second look is due a little later.
    """

    source: str
    key: str
    received_at: datetime
    doc_ids: tuple[str, ...] = ()
    name: str = ""
    looked: bool = False


@dataclass(frozen=True, slots=True)
class Waiting:
    """Events of a source that no look has settled yet."""

    events: int = 0
    oldest: datetime | None = None


class Reason(StrEnum):
    """What became of a delivery, and why. The names are counted, shown and documented."""

    ACCEPTED = "accepted"
    REPLAYED = "replayed"  # the same delivery again: nothing is stored
    UNKNOWN_SOURCE = "unknown_source"  # no such source, or one without a webhook
    OVERSIZED = "oversized"
    UNFINISHED = "unfinished"  # the body did not arrive whole, or not in time
    NO_SECRET = "no_secret"  # our side has no usable secret: everything is refused
    UNSIGNED = "unsigned"
    FORGED = "forged"
    STALE = "stale"  # signed, but outside the time window
    MALFORMED = "malformed"  # signed, but not what the source should send
    UNAVAILABLE = "unavailable"  # the inbox could not be written; the sender should try again


REFUSALS = frozenset(Reason) - {Reason.ACCEPTED, Reason.REPLAYED}
"""Nothing is known of what the request was about: it is not the source's, the two sides disagree about how to talk, or
our side failed (UNAVAILABLE)."""
