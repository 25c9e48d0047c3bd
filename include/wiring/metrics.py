"""Every gauge of an installation, at the moment somebody asks: what Prometheus scrapes."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from fastapi import APIRouter, Depends, Response

from include.domain.errors import StoreUnavailable
from include.domain.manifest import Gauge
from include.telemetry.exposition import CONTENT_TYPE, exposition
from include.telemetry.reception import reception_gauges
from include.telemetry.scraping import scrape_gauge
from include.wiring.application import Application
from include.wiring.evaluation import gauges_of_last_evaluation
from include.wiring.nights import current_gauges, reception_at

log = logging.getLogger(__name__)

KEPT_SECONDS = 10.0
"""Whoever asks in between gets the last answer: a flood of scrapes must not become a flood of reads."""

WAITS_SECONDS = 5.0
"""So long a scrape waits for another one that reads. Where the state root hangs, threads must not pile up behind it."""


class Metrics:
    """Safe for many threads."""

    def __init__(
        self,
        application: Callable[[], Application],
        *,
        beside: Callable[[], bytes] = bytes,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`application` may raise while the settings are wrong; it is asked again each time. `beside` is what the
        process says of itself, in the same format."""
        self._application = application
        self._beside = beside
        self._clock = clock
        self._reading = threading.Lock()
        self._kept: tuple[float, bytes] | None = None

    def text(self) -> bytes:
        """The text format of Prometheus. What cannot be read is left out and counted, the rest is told all the same.

        Raises StoreUnavailable when another scrape has not come back, ConfigError while the settings are wrong.
        """
        application = self._application()
        if not self._reading.acquire(timeout=WAITS_SECONDS):
            raise StoreUnavailable(
                f"an earlier scrape has been reading {application.state} for more than {WAITS_SECONDS:g} s; "
                "look at the state root"
            )
        try:
            if self._kept is None or self._clock() - self._kept[0] >= KEPT_SECONDS:
                text = exposition(every_gauge(application))
                self._kept = (self._clock(), text)
            return self._kept[1] + self._beside()
        finally:
            self._reading.release()


def every_gauge(application: Application) -> Iterator[Gauge]:
    """Never raises for what is wrong with one source: `truecopy.scrape_failed` says that something is."""
    sources = sorted(application.settings.sources)
    yield scrape_gauge("truecopy.sources", len(sources))
    for source in sources:
        yield from _readable(
            source, partial(current_gauges, application, source), partial(_events, application, source)
        )
    yield from _readable("", partial(gauges_of_last_evaluation, application))


def _events(application: Application, source: str) -> list[Gauge]:
    reception = reception_at(application, source)
    return reception_gauges(reception, application.clock.now()) if reception else []


def _readable(source: str, *parts: Callable[[], list[Gauge]]) -> Iterator[Gauge]:
    failed = False
    for part in parts:
        try:
            yield from part()
        except Exception as error:  # noqa: BLE001 (whatever it is, it must not hide the other sources)
            failed = True
            log.warning(
                "gauges of %s are left out of a scrape: %s: %s", source or "the evaluation", type(error).__name__, error
            )
    yield scrape_gauge("truecopy.scrape_failed", failed, source)


def metrics_router(metrics: Metrics, guard: Callable[..., Any]) -> APIRouter:
    """GET /metrics behind `guard`, a FastAPI dependency that lets the caller pass or raises."""
    router = APIRouter(dependencies=[Depends(guard)])

    @router.get("/metrics")
    def metrics_text() -> Response:
        return Response(metrics.text(), media_type=CONTENT_TYPE, headers={"cache-control": "no-store"})

    return router
