"""Whether questions can be answered now, and from an index that was proven true not long ago."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta

from include.api.answers import Answers
from include.wiring.nights import last_success_of

log = logging.getLogger(__name__)

KEPT_SECONDS = 10.0
"""Whoever asks in between gets the last answer: a flood of probes must not become a flood of reads."""


@dataclass(frozen=True, slots=True)
class Checked:
    """`reason` is for everybody, `detail` for those who have a key."""

    name: str
    reason: str = ""
    detail: str = ""

    @property
    def ok(self) -> bool:
        return not self.reason


class Readiness:
    """Used by many threads at once."""

    def __init__(self, answers: Answers, clock: Callable[[], float] = time.monotonic) -> None:
        self._answers = answers
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: tuple[float, tuple[Checked, ...]] | None = None

    def checks(self) -> tuple[Checked, ...]:
        """Every check, whatever the others found. May take as long as a request waits for the index."""
        with self._lock:
            if self._kept is None or self._clock() - self._kept[0] > KEPT_SECONDS:
                self._kept = (self._clock(), tuple(self._made()))
            return self._kept[1]

    def _made(self) -> Iterator[Checked]:
        acts: tuple[tuple[str, str, Callable[[], str]], ...] = (
            ("embedder", "the embedder does not work", self._embedder),
            ("index", "the index cannot be read", self._index),
            ("nights", "the index was not proven true lately", self._nights),
        )
        for name, reason, act in acts:
            try:
                detail = act()
            except Exception as error:  # noqa: BLE001 (whatever it is, we are not ready)
                detail = str(error) or type(error).__name__
            if detail:
                log.warning("not ready: %s: %s", name, detail)
            yield Checked(name, reason if detail else "", detail)

    def _embedder(self) -> str:
        self._answers.application.embedder.embed(["truecopy"])
        return ""

    def _index(self) -> str:
        with self._answers.readers.reading() as index:
            points = index.count_points()
        return "" if points else "the index is empty; run `truecopy sync`"

    def _nights(self) -> str:
        application = self._answers.application
        hours = application.settings.api.fresh_hours
        if hours is None:
            return ""
        now, late = application.clock.now(), []
        for source in sorted(application.settings.sources):
            success = last_success_of(application, source)
            if success is None or success.finished_at is None:
                late.append(f"{source}: never")
            elif (age := now - success.finished_at) > timedelta(hours=hours):
                late.append(f"{source}: {age.total_seconds() / 3600:.0f} hours ago")
        return f"last night that succeeded: {', '.join(late)}; run `truecopy status`" if late else ""
