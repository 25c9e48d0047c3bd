"""Webhooks of one installation: everything they need, and nothing that is heavy to import.

The API server receives with it, and the DAG asks it every minute whether there is anything to do.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Protocol

from include.hooks.receiver import Door, Receiver
from include.planning.looks import Look, next_look
from include.ports import Clock, Inbox
from include.records.inbox import FileInbox
from include.records.ledger import GitLedger
from include.records.state import StateRoot
from include.records.traffic import FileTraffic
from include.settings import Settings, WebhookSettings, load_settings
from include.telemetry.reception import OVER, Reception
from include.wiring.clock import SystemClock

FOLLOW = "follow_events"
"""The DAG that looks at what events name."""

SECRETS_ARE_KEPT_SECONDS = 30.0
"""A flood of forged requests must not become a flood of questions to a secrets backend."""

SWEPT_EVERY_SECONDS = 3600.0

LONGEST_PAUSE = timedelta(minutes=15)
SHORTEST_PAUSE = timedelta(minutes=1)


class WebhookSecrets(Protocol):
    def webhook_secrets(self, conn_id: str) -> Sequence[str]:
        """The shared secret, and the one it replaces while both are in use. Raises ConfigError for an unknown
        connection."""
        ...


@dataclass(frozen=True)
class Hooks:
    settings: Settings
    secrets: WebhookSecrets
    clock: Clock = field(default_factory=SystemClock)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], secrets: WebhookSecrets) -> Hooks:
        """Raises ConfigError."""
        path = Path(environment.get("TRUECOPY_CONFIG") or "config/truecopy.yaml")
        return cls(load_settings(path, environment), secrets)

    @cached_property
    def state(self) -> StateRoot:
        return StateRoot(self.settings.state)

    @cached_property
    def inbox(self) -> FileInbox:
        return FileInbox(self.state, self.clock, GitLedger(self.settings.ledger.absolute()))

    @cached_property
    def traffic(self) -> FileTraffic:
        return FileTraffic(self.state, self.clock)

    @cached_property
    def webhooks(self) -> Mapping[str, WebhookSettings]:
        """By source, of those that have one."""
        return {name: each.webhook for name, each in sorted(self.settings.sources.items()) if each.webhook}

    def receiver(self, stored: Callable[[float], None]) -> Receiver:
        return Receiver(
            {source: Door.of(webhook) for source, webhook in self.webhooks.items()},
            inbox=self.inbox,
            traffic=self.traffic,
            secrets=_KeptSecrets(self.secrets.webhook_secrets),
            clock=self.clock,
            stored=stored,
        )

    def due(self) -> list[str]:
        """Sources with events that a look should answer now."""
        now = self.clock.now()
        return [source for source, webhook in self.webhooks.items() if due_look(self.inbox, source, webhook, now)]

    def chores(self) -> Callable[[], None]:
        """To be called every few seconds: writes down what was counted, and once an hour forgets what is old enough;
        an object store takes money for each look into a folder."""
        sweep_at = float("-inf")

        def tidy() -> None:
            nonlocal sweep_at
            self.traffic.flush()
            if time.monotonic() >= sweep_at:
                self.traffic.sweep()
                self.inbox.sweep()
                sweep_at = time.monotonic() + SWEPT_EVERY_SECONDS

        return tidy


def due_look(inbox: Inbox, source: str, webhook: WebhookSettings, now: datetime) -> Look | None:
    """What to look at now; None while nothing is due, or after a look that failed a moment ago."""
    until = inbox.postponed_until(source)
    if until is not None and now < until <= now + LONGEST_PAUSE:  # a later one was set by a wrong clock
        return None
    coalesce, settle = timedelta(seconds=webhook.coalesce_seconds), timedelta(seconds=webhook.settle_seconds)
    return next_look(inbox.open(source), now=now, coalesce=coalesce, settle=settle)


def pause_after_failure(look: Look, now: datetime) -> datetime:
    """Until when to leave a source alone that could not be looked at: the longer its events wait, the longer."""
    waited = now - min(event.received_at for event in look.events)
    return now + min(LONGEST_PAUSE, max(SHORTEST_PAUSE, waited / 2))


def receptions(inbox: Inbox, traffic: FileTraffic, sources: Iterable[str], now: datetime) -> list[Reception]:
    """One for each source. The counts are read once for all of them."""
    counts = traffic.since(now - OVER)
    return [Reception(source, counts.get(source, {}), inbox.waiting(source)) for source in sources]


class _KeptSecrets:
    """Secrets are looked up again after a while, so that a new one counts without a restart."""

    def __init__(self, look_up: Callable[[str], Sequence[str]]) -> None:
        self._look_up = look_up
        self._lock = threading.Lock()
        self._kept: dict[str, tuple[float, Sequence[str] | Exception]] = {}

    def __call__(self, conn_id: str) -> Sequence[str]:
        with self._lock:  # one looks it up, the others wait for the answer
            looked_up_at, found = self._kept.get(conn_id, (float("-inf"), ()))
            if time.monotonic() - looked_up_at > SECRETS_ARE_KEPT_SECONDS:
                try:
                    found = tuple(self._look_up(conn_id))
                except Exception as error:  # noqa: BLE001 (kept as well, and raised for everybody who asks)
                    found = error
                self._kept[conn_id] = (time.monotonic(), found)
        if isinstance(found, Exception):
            # Each raise adds its frames to those before, and they hold what was sent: a flood would fill the memory.
            raise found.with_traceback(None)
        return found
