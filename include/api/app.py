"""The HTTP API: routes, and how what goes wrong is told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

from include.api.answers import Answers
from include.api.counted import Counted, Requests
from include.api.guard import Guard
from include.api.keys import Keyring
from include.api.messages import Alive, Answer, Document, ProblemDetails, Question, Ready
from include.api.problems import MEDIA_TYPE, Problem, later, problem_of
from include.api.readiness import Readiness
from include.api.workers import OverloadedError, Workers
from include.domain.errors import TruecopyError
from include.wiring.metrics import Metrics, metrics_router

DESCRIPTION = "Answers from an index that is kept a true copy of its sources: what holds, since when, and why."


def create_app(answers: Answers, keyring: Keyring | None) -> ASGIApp:
    """`keyring` is None where no key is asked for. Whatever is routed here is behind `Guard`."""
    settings = answers.application.settings.api
    workers = Workers(settings.at_once, settings.waiting)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        workers.close()
        await asyncio.to_thread(answers.close)

    app = FastAPI(
        title="truecopy",
        version="1",
        description=DESCRIPTION,
        docs_url=None,  # the pages load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    app.include_router(_probes(answers))
    bearer = HTTPBearer(auto_error=False)  # for the description; Guard has asked for the key by then
    app.include_router(_routes(answers, workers), dependencies=[Depends(bearer)])
    requests = Requests()
    app.include_router(metrics_router(Metrics(lambda: answers.application, beside=requests.exposition), bearer))
    app.add_exception_handler(HTTPException, _told)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(OverloadedError, _overloaded)
    app.add_exception_handler(TruecopyError, _failed)
    app.add_exception_handler(Exception, _failed)
    guarded: ASGIApp = Guard(app, settings=settings, keyring=keyring)
    if settings.cors_origins:
        guarded = CORSMiddleware(
            guarded,
            allow_origins=settings.cors_origins,
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type"],
        )
    return Counted(guarded, requests)


def _routes(answers: Answers, workers: Workers) -> APIRouter:
    problems: dict[int | str, dict[str, Any]] = {
        status: {"model": ProblemDetails, "content": {MEDIA_TYPE: {}}} for status in (401, 413, 422, 429, 503, 504)
    }
    router = APIRouter(responses=problems)

    @router.post("/retrieve", response_model=Answer)
    async def retrieve(question: Question, request: Request) -> Response:
        """The documents that answer a question, and that hold: with version, address, dates and best chunks."""
        asked_by = request.scope["truecopy.asked_by"]
        return Response(
            await workers.run(lambda: _json(answers.retrieve(question, asked_by=asked_by))),
            media_type="application/json",
        )

    @router.get("/documents/{source}/{doc_id:path}", response_model=Document, responses={404: problems[401]})
    async def document(source: str, doc_id: str) -> Response:
        """The version of a document that readers see now."""
        found = await workers.run(lambda: (read := answers.document(source, doc_id)) and _json(read))
        if found is None:
            return Problem(404, "No such document can be read.").response()
        return Response(found, media_type="application/json")

    return router


def _probes(answers: Answers) -> APIRouter:
    router = APIRouter()
    readiness = Readiness(answers)
    # Threads of their own: a probe must be answered while the others are all at work.
    workers = Workers(1, 50)

    @router.get("/healthz", response_model=Alive)
    async def healthz() -> Response:
        """The process is alive; no more is said."""
        return Response(_json({"status": "alive"}), media_type="application/json")

    @router.get("/readyz", response_model=Ready, responses={503: {"model": Ready}})
    async def readyz(request: Request) -> Response:
        """Whether the index can be read, the embedder works, and the last proven night is not too long ago."""
        try:
            async with asyncio.timeout(answers.wait_seconds):
                checks = await workers.run(readiness.checks)
        except (TimeoutError, OverloadedError):
            checks = None
        if checks is None:
            record = [{"name": "index", "ok": False, "reason": "no answer in time"}]
        else:
            known = request.scope["truecopy.asked_by"] is not None
            record = [
                {"name": each.name, "ok": each.ok, "reason": (known and each.detail) or each.reason} for each in checks
            ]
        ready = all(each["ok"] for each in record)
        return Response(
            _json({"ready": ready, "checks": record}),
            status_code=200 if ready else 503,
            headers={} if ready else {"Retry-After": "10"},
            media_type="application/json",
        )

    return router


def _json(record: dict[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


async def _told(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return Problem(error.status_code, error.detail, error.headers or {}).response()


async def _invalid(_request: Request, error: Exception) -> Response:
    """Where something is wrong and what is allowed, without repeating what was sent."""
    assert isinstance(error, RequestValidationError)
    said = [f"{'.'.join(str(part) for part in each['loc'][1:]) or 'body'}: {each['msg']}" for each in error.errors()]
    return Problem(422, "; ".join(said[:10])).response()


async def _overloaded(_request: Request, _error: Exception) -> Response:
    return later(503, "Too many questions are waiting.", 1).response()


async def _failed(_request: Request, error: Exception) -> Response:
    return problem_of(error).response()
