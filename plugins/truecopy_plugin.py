"""Registers truecopy with Airflow: the ops view at /truecopy/, behind Airflow's login and as an entry of its menu; a
link from each task of ours to its run there; webhooks at /truecopy/hooks/<source>, open to sources that sign what they
send.

Every Airflow process loads this file, tasks too. So nothing is imported here that costs; the app is made when the API
server is first asked for something below /truecopy.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import quote, urlsplit

from airflow.configuration import conf
from airflow.plugins_manager import AirflowPlugin
from airflow.sdk import BaseOperatorLink

log = logging.getLogger(__name__)

PREFIX = "/truecopy"

TRIED_AGAIN_AFTER_SECONDS = 10.0
"""Anybody can send requests; each must not read the settings again and fill the log with why they are wrong."""


BROKEN = b"truecopy cannot be loaded. The log of Airflow's API server says why."
"""For everybody, logged in or not: it says nothing else."""


def _below() -> str:
    """The path at which this Airflow is served, for one behind a proxy."""
    return urlsplit(conf.get("api", "base_url", fallback="") or "").path.rstrip("/")


class RunInOpsView(BaseOperatorLink):
    """From a task to what its run did. Airflow asks for every task of every DAG; it shows nothing where there is no
    link."""

    name = "truecopy"

    def get_link(self, operator: Any, *, ti_key: Any) -> str:
        dag = operator.get_dag()
        if dag is None or "truecopy" not in dag.tags:
            return None  # type: ignore[return-value] (an empty link would be shown as a button that does nothing)
        # Airflow shows in its frame whatever path follows the name of the view.
        run = f"{quote(ti_key.dag_id, safe='')}/{quote(ti_key.run_id, safe='')}"
        return f"{_below()}/plugin/truecopy{_below()}{PREFIX}/runs/{run}"


class Truecopy:
    """An ASGI app that is made at the first request, away from the event loop. If it cannot be made, it answers 503,
    the log says why, and to whom is logged in a page; it is tried again a little later. Everything else in Airflow goes
    on."""

    def __init__(self) -> None:
        self._app: Any = None
        self._apology: Any = None
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
                except Exception as error:
                    self._try_again_at = time.monotonic() + TRIED_AGAIN_AFTER_SECONDS
                    log.exception("truecopy's routes cannot be served")
                    self._apology = await asyncio.to_thread(self._explain, error)
        answering = self._app or self._apology
        if answering is not None:
            await answering(scope, receive, send)
        elif scope["type"] == "http":
            headers = [(b"content-type", b"text/plain"), (b"content-length", str(len(BROKEN)).encode())]
            await send({"type": "http.response.start", "status": 503, "headers": headers})
            await send({"type": "http.response.body", "body": BROKEN})

    @staticmethod
    def _make() -> Any:
        from include.ops_view.served import app

        return app()

    @staticmethod
    def _explain(error: Exception) -> Any:
        try:
            from include.ops_view.trouble import apology

            return apology(error)
        except Exception:
            log.exception("nor can a page that says why")
            return None


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
    global_operator_extra_links = [RunInOpsView()]  # noqa: RUF012
