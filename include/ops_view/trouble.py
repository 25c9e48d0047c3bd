"""When something is wrong: errors as pages, and what is served while the pages themselves cannot be made.

Imports none of the pages: one of them may be what is broken.
"""

from __future__ import annotations

from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request, Response
from fastapi.exception_handlers import http_exception_handler, request_validation_exception_handler
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse
from starlette.exceptions import HTTPException as StarletteHTTPException

from include.domain.errors import TruecopyError
from include.ops_view.access import Access, Person
from include.ops_view.guard import HEADERS
from include.ops_view.view import STATIC, View
from include.wiring.application import Application


def explain_errors(app: FastAPI, view: View) -> None:
    """Errors as pages for whoever asks for pages; as before for scripts and for the senders of webhooks."""

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, StarletteHTTPException)
        if "text/html" in request.headers.get("accept", ""):
            return view.refused(request, error.status_code, str(error.detail))
        return await http_exception_handler(request, error)

    async def misread(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        if "text/html" in request.headers.get("accept", ""):
            wrong = ", ".join(".".join(map(str, each["loc"][1:])) for each in error.errors())
            return view.refused(request, 422, f"The address or the form of this page has no valid value for {wrong}.")
        return await request_validation_exception_handler(request, error)

    async def trouble(request: Request, error: Exception) -> Response:
        return view.trouble(request, error)

    app.add_exception_handler(StarletteHTTPException, refused)
    app.add_exception_handler(RequestValidationError, misread)
    app.add_exception_handler(TruecopyError, trouble)
    app.add_exception_handler(Exception, trouble)


def apology(error: Exception) -> FastAPI:
    """What is served while the app cannot be made: to readers a page that says why, to the senders of webhooks a 503,
    so that they try again."""
    from include.wiring.access import AirflowAccess

    return apologising(AirflowAccess(), error)


def apologising(access: Access, error: Exception) -> FastAPI:
    def never() -> Application:
        raise error

    view = View(access, never)
    made = FastAPI(openapi_url=None, redirect_slashes=False)
    made.include_router(files(), dependencies=[Depends(view.reader)])

    @made.get("/{path:path}")
    def page(path: str, request: Request, person: Person = Depends(view.reader)) -> Response:
        return view.trouble(request, error)

    @made.api_route("/{path:path}", methods=["POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"])
    def unavailable(path: str) -> Response:
        return Response(status_code=503)

    explain_errors(made, view)
    return made


def files() -> APIRouter:
    """Styles and scripts of the pages."""
    router = APIRouter()
    known = {path.relative_to(STATIC).as_posix(): path for path in STATIC.rglob("*") if path.is_file()}
    kept = {**HEADERS, "cache-control": "private, max-age=31536000, immutable"}

    @router.get("/static/{version}/{name:path}")
    def static(version: str, name: str) -> Response:
        """Only what lay in the folder when the server started; `version` changes with it."""
        if name not in known:
            raise HTTPException(404, "There is no such file.")
        return FileResponse(known[name], headers=kept)

    return router
