"""How many requests there were, by route and status, and how long they took: for Prometheus, of this process."""

from __future__ import annotations

import time

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

disable_created_metrics()  # type: ignore[no-untyped-call] # a series beside each series, for when it began

ROUTES = ("retrieve", "documents", "healthz", "readyz", "metrics")
OTHER = "other"
"""Whatever else is asked for: addresses are chosen by strangers, and each would be a series of its own."""

NO_ANSWER = "499"
"""The caller went away before there was an answer."""

_SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Requests:
    """Counts since the process began. Safe for many threads."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        labels, registry = ["route", "status"], self._registry
        self._number = Counter("truecopy_api_requests", "requests that were answered", labels, registry=registry)
        self._seconds = Histogram(
            "truecopy_api_seconds", "until the answer was sent", ["route"], buckets=_SECONDS, registry=registry
        )
        for route in ROUTES:  # an increase from nothing to one is none to Prometheus
            for status in ("200", "500", "503", "504"):
                self._number.labels(route, status)

    def count(self, path: str, status: str, seconds: float) -> None:
        first = path.strip("/").partition("/")[0]
        route = first if first in ROUTES else OTHER
        self._number.labels(route, status).inc()
        self._seconds.labels(route).observe(seconds)

    def exposition(self) -> bytes:
        return generate_latest(self._registry)


class Counted:
    """ASGI. Around everything else, so that what is refused is counted too."""

    def __init__(self, app: ASGIApp, requests: Requests) -> None:
        self._app = app
        self._requests = requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status, began = NO_ANSWER, time.monotonic()

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = str(message["status"])
            await send(message)

        try:
            await self._app(scope, receive, watched)
        finally:
            self._requests.count(scope["path"], status, time.monotonic() - began)
