"""Registers truecopy with Airflow: the ops view at /truecopy/, behind Airflow's login and as an entry of its menu;
webhooks at /truecopy/hooks/<source>, open to sources that sign what they send.

Every Airflow process loads this file, tasks too. So nothing is imported here that costs; the app is made when the API
server is first asked for something below /truecopy.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from airflow.configuration import conf
from airflow.plugins_manager import AirflowPlugin

log = logging.getLogger(__name__)

PREFIX = "/truecopy"

TRIED_AGAIN_AFTER_SECONDS = 10.0
"""Anybody can send requests; each must not read the settings again and fill the log with why they are wrong."""


def _below() -> str:
    """The path at which this Airflow is served, for one behind a proxy."""
    return urlsplit(conf.get("api", "base_url", fallback="") or "").path.rstrip("/")


class Truecopy:
    """An ASGI app that is made at the first request, away from the event loop. If it cannot be made, it answers 503,
    the log says why, and it is tried again a little later; everything else in Airflow goes on."""

    def __init__(self) -> None:
        self._app: Any = None
        self._making = asyncio.Lock()
        self._try_again_at = float("-inf")

    async def __call__(
        self,
        scope: MutableMapping[str, Any],
        receive: Callable[[], Awaitable[Any]],
        send: Callable[[Any], Awaitable[None]],
    ) -> None:
        async with self._making:
            if self._app is None and time.monotonic() >= self._try_again_at:
                try:
                    self._app = await asyncio.to_thread(self._make)
                except Exception:
                    self._try_again_at = time.monotonic() + TRIED_AGAIN_AFTER_SECONDS
                    log.exception("truecopy's routes cannot be served")
        if self._app is not None:
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await send({"type": "http.response.start", "status": 503, "headers": [(b"content-length", b"0")]})
            await send({"type": "http.response.body", "body": b""})

    @staticmethod
    def _make() -> Any:
        from include.ops_view.served import app

        return app()


class TruecopyPlugin(AirflowPlugin):
    name = "truecopy"
    fastapi_apps = [{"app": Truecopy(), "url_prefix": PREFIX, "name": "truecopy"}]  # noqa: RUF012
    external_views = [  # noqa: RUF012
        {
            "name": "truecopy",  # the menu cuts what is longer than eleven characters
            "href": f"{_below()}{PREFIX}/",
            "destination": "nav",
            "url_route": "truecopy",
            "nav_top_level": True,
        }
    ]
