"""What came through a source's door, as gauges and alarms. Pure, like those of the manifests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from include.domain.events import REFUSALS, Reason, Waiting
from include.domain.manifest import Gauge
from include.telemetry.alerts import Alert

OVER = timedelta(hours=24)
WAITING_TOO_LONG = timedelta(minutes=15)
FEW_REFUSALS = 10
"""So many a day come from whoever tries addresses on the internet; they are an alarm only if nothing else comes."""


EVENT_GAUGES: dict[str, str] = {
    "truecopy.events_accepted": "webhook deliveries accepted within 24 hours",
    "truecopy.events_replayed": "copies of accepted deliveries within 24 hours; they change nothing",
    "truecopy.events_refused": "deliveries refused within 24 hours: forged, with another secret, or our side failed",
    "truecopy.events_open": "accepted events that no look has settled yet",
    "truecopy.oldest_event_age_seconds": "how long the oldest of them waits; 0 when none does",
}
EVENT_ALERTS: dict[str, str] = {
    "events_refused": "webhook deliveries are refused: forged, the secret is not the sender's, or our side failed",
    "events_waiting": "accepted events have not been looked at for 15 minutes",
}
"""Documented like those of the manifests, in docs/OPERATIONS.md."""


@dataclass(frozen=True, slots=True)
class Reception:
    """A source's deliveries of the last 24 hours by what became of them, and the events that wait for a look."""

    source: str
    counts: Mapping[Reason, int]
    waiting: Waiting

    @property
    def accepted(self) -> int:
        return self.counts.get(Reason.ACCEPTED, 0)

    @property
    def refused(self) -> Mapping[Reason, int]:
        return {reason: number for reason, number in sorted(self.counts.items()) if reason in REFUSALS and number}

    def waited(self, now: datetime) -> timedelta:
        oldest = self.waiting.oldest
        return max(timedelta(), now - oldest) if oldest else timedelta()


def reception_gauges(reception: Reception, now: datetime) -> list[Gauge]:
    values = {
        "truecopy.events_accepted": reception.accepted,
        "truecopy.events_replayed": reception.counts.get(Reason.REPLAYED, 0),
        "truecopy.events_refused": sum(reception.refused.values()),
        "truecopy.events_open": reception.waiting.events,
        "truecopy.oldest_event_age_seconds": reception.waited(now).total_seconds(),
    }
    return [Gauge(name, float(value), reception.source, EVENT_GAUGES[name]) for name, value in values.items()]


def reception_alerts(reception: Reception, now: datetime) -> list[Alert]:
    """Both kinds keep the index true only by night: events that are refused, and events that nobody answers."""
    source, found = reception.source, []
    refused = sum(reception.refused.values())
    if refused and (refused > FEW_REFUSALS or not reception.accepted):
        why = ", ".join(f"{number} {reason.value}" for reason, number in reception.refused.items())
        found.append(
            Alert(
                "events_refused",
                source,
                f"{source}: {refused} deliveries were refused within 24 hours ({why}), {reception.accepted} accepted. "
                "Either somebody forges them, or the secret or scheme is not the sender's: `truecopy doctor`. "
                "Those called unavailable failed on our side: the log of the API server",
            )
        )
    if reception.waited(now) > WAITING_TOO_LONG:
        minutes = reception.waited(now).total_seconds() / 60
        found.append(
            Alert(
                "events_waiting",
                source,
                f"{source}: {reception.waiting.events} events wait, the oldest for {minutes:.0f} minutes. Look at the "
                "last run of follow_events: it is paused, its pool has no free slot, or the source cannot be read",
            )
        )
    return found
