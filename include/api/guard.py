"""What every request passes before anything is done for it. Closed by default: a path that is not named in `OPEN` asks
for a key, whether there is a route behind it or not.

    host -> key -> rate -> size of the body, while it is read -> time
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

from anyio import CapacityLimiter, to_thread
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from include.api.keys import Keyring
from include.api.problems import Problem, later
from include.api.rates import Buckets
from include.settings import ApiSettings

log = logging.getLogger(__name__)

OPEN = frozenset({"/healthz", "/readyz", "/openapi.json"})
"""Paths that need no key. They tell nothing of the content."""

NOBODY = "local"
"""The name of whoever asks without a key, where none is asked for."""

LOCAL_HOSTS = frozenset({"127.0.0.1", "localhost"})


class Guard:
    """ASGI. `keyring` is None where no key is asked for; then only this machine's own names are answered to, or a
    website could reach us through a browser, by a name that leads here."""

    def __init__(self, app: ASGIApp, *, settings: ApiSettings, keyring: Keyring | None) -> None:
        self._app = app
        self._settings = settings
        self._keyring = keyring
        self._buckets = Buckets(settings.requests_per_minute, settings.burst)
        self._one_look = CapacityLimiter(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        problem: Problem | None
        try:
            async with asyncio.timeout(self._settings.timeout_seconds):
                problem = await self._refusal(scope)
                if problem is None:
                    await self._app(scope, self._limited(receive), watched)
        except TimeoutError:
            problem = later(504, f"No answer within {self._settings.timeout_seconds:g} seconds.", 1)
        except Exception as error:
            # It was answered and logged where it was caught; here it only must not reach the server's own log again.
            if not started:
                log.error("a request failed before it was handled", exc_info=error)
            problem = Problem(500, "The log of the service says more.")
        if problem is not None and not started:
            await problem.response()(scope, receive, send)

    async def _refusal(self, scope: Scope) -> Problem | None:
        headers = _headers(scope)
        declared = headers.get("content-length", "0")
        if not declared.isdecimal() or len(declared) > 12 or int(declared) > self._settings.max_bytes:
            return Problem(413, f"At most {self._settings.max_bytes} bytes are read.")
        if self._keyring is None:
            if headers.get("host", "").rpartition(":")[0] not in LOCAL_HOSTS and headers.get("host") not in LOCAL_HOSTS:
                return Problem(403, "Without keys only requests to 127.0.0.1 or localhost are answered.")
            scope["truecopy.asked_by"] = NOBODY
            return None
        scope["truecopy.asked_by"] = holder = await self._holder(self._keyring, headers)
        if scope["path"] in OPEN:
            return None
        if holder is None:
            challenge = {"WWW-Authenticate": 'Bearer realm="truecopy"'}
            return Problem(401, "Send a valid key as `Authorization: Bearer <key>`.", challenge)
        if wait := self._buckets.take(holder):
            return later(429, f"This key may ask {self._settings.requests_per_minute:g} times a minute.", wait)
        return None

    async def _holder(self, keyring: Keyring, headers: Mapping[str, str]) -> str | None:
        if keyring.is_due:
            await to_thread.run_sync(keyring.refresh, limiter=self._one_look)
        scheme, _, key = headers.get("authorization", "").partition(" ")
        return keyring.holder(key.strip()) if scheme.lower() == "bearer" and key.strip() else None

    def _limited(self, receive: Receive) -> Receive:
        read = 0

        async def limited() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > self._settings.max_bytes:
                raise HTTPException(413, f"At most {self._settings.max_bytes} bytes are read.")
            return message

        return limited


def _headers(scope: Scope) -> dict[str, str]:
    """By lower-case name. One that is sent twice is joined, and then fits nothing."""
    headers: dict[str, str] = {}
    for name, value in scope["headers"]:
        text, key = value.decode("latin-1"), name.decode("latin-1").lower()
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    return headers
