"""What the plugin serves below /truecopy: one open door for the sources, everything else behind Airflow's login.

Mounted apps inherit no authentication from Airflow. So the app refuses to be built with a route that neither asks for
a login nor is named in `OPEN`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from datetime import datetime
from functools import partial
from typing import Any

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.requests import ClientDisconnect
from starlette.routing import BaseRoute

from include.domain.events import Reason
from include.hooks.bell import Bell
from include.hooks.delivery import Delivery
from include.hooks.receiver import Answer, Receiver
from include.telemetry.reception import Reception
from include.wiring.hooks import Hooks, receptions

OPEN = frozenset({"/hooks/{source}"})
"""Routes without Airflow's login. They prove otherwise who is speaking."""

AT_ONCE = 8
"""Deliveries that are written at a time: a flood must not take all threads of the API server."""

BODY_WITHIN_SECONDS = 10.0


def create_app(hooks: Hooks, bell: Bell, *, login: Any, pages: APIRouter | None = None) -> FastAPI:
    """`login` is Airflow's dependency that identifies the user or answers 401; `pages` are put behind it. Raises
    RuntimeError for an open route that is not meant to be one."""
    app = FastAPI(title="truecopy", docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)
    app.include_router(_doors(hooks.receiver(bell.ring)))
    app.include_router(_behind_login(hooks), dependencies=[Depends(login)])
    if pages is not None:
        app.include_router(pages, dependencies=[Depends(login)])
    forgotten = open_routes(app.routes, login) - OPEN
    if forgotten:
        raise RuntimeError(f"routes without a login: {', '.join(sorted(forgotten))}; name them in OPEN or protect them")
    return app


def open_routes(routes: Iterable[BaseRoute], login: Any) -> set[str]:
    """Paths of all routes that do not ask for the login, whatever kind of route they are."""
    return {
        str(getattr(route, "path", route))
        for route in routes
        if not (isinstance(route, APIRoute) and _asks_for(route.dependant, login))
    }


def _asks_for(dependant: Dependant, login: Any) -> bool:
    return any(each.call is login or _asks_for(each, login) for each in dependant.dependencies)


def _doors(receiver: Receiver) -> APIRouter:
    router = APIRouter()
    threads = CapacityLimiter(AT_ONCE)

    @router.post("/hooks/{source}")
    async def deliver(source: str, request: Request) -> Response:
        answer = await _answer(receiver, threads, source, request)
        return Response(status_code=answer.status)

    return router


async def _answer(receiver: Receiver, threads: CapacityLimiter, source: str, request: Request) -> Answer:
    most = receiver.most_bytes(source, request.headers.get("content-length"))
    if isinstance(most, Answer):
        return most
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_WITHIN_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > most:
                    return receiver.refuse(source, Reason.OVERSIZED)
    except (TimeoutError, ClientDisconnect):
        return receiver.refuse(source, Reason.UNFINISHED)
    sent = Delivery(_path(request), _headers(request), bytes(body), request.method)
    return await to_thread.run_sync(partial(receiver.receive, source, sent), limiter=threads)


def _path(request: Request) -> str:
    query = request.scope["query_string"]
    return str(request.scope["raw_path"].decode("latin-1") + (f"?{query.decode('latin-1')}" if query else ""))


def _headers(request: Request) -> dict[str, str]:
    """By lower-case name. One that is sent twice is joined: what was signed was sent once."""
    headers: dict[str, str] = {}
    for name, value in request.headers.items():
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


def _behind_login(hooks: Hooks) -> APIRouter:
    router = APIRouter()

    @router.get("/events")
    def events() -> dict[str, Any]:
        """What came through each door within 24 hours, and what waits."""
        now = hooks.clock.now()
        return {each.source: _shown(each, now) for each in receptions(hooks.inbox, hooks.traffic, hooks.webhooks, now)}

    return router


def _shown(reception: Reception, now: datetime) -> dict[str, Any]:
    return {
        "accepted": reception.accepted,
        "refused": reception.refused,
        "open": reception.waiting.events,
        "oldest_seconds": round(reception.waited(now).total_seconds()),
    }
