"""What every page has: the installation, the person, templates, the way back after a decision, and pages for errors."""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import Depends, HTTPException, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from include.domain.errors import ConfigError, Held, Retriable, TruecopyError
from include.ops_view.access import Access, Person
from include.ops_view.guard import HEADERS, same_origin
from include.ops_view.shown import FILTERS
from include.wiring.application import Application
from include.wiring.runs import RECONCILE

log = logging.getLogger(__name__)

HERE = Path(__file__).parent
STATIC = HERE / "static"


@dataclass(frozen=True, slots=True)
class Entry:
    """A page's place in the menu. `path` is below the ops view, as in its routes."""

    label: str
    path: str


class View:
    """Shared by all pages of one process."""

    def __init__(self, access: Access, make: Callable[[], Application], entries: tuple[Entry, ...] = ()) -> None:
        """`make` is called at the first page, and again until it succeeds: settings may be wrong for a while."""
        self.access = access
        self._make = make
        self._entries = entries
        self._application: Application | None = None
        self._making = threading.Lock()
        self.reader = self._reader()

    def application(self) -> Application:
        """The installation. Raises ConfigError while its settings are wrong."""
        with self._making:
            if self._application is None:
                self._application = self._make()
            return self._application

    def _reader(self) -> Callable[..., Person]:
        access = self.access

        def reader(user: Any = Depends(access.login)) -> Person:
            if not access.may_read(user, RECONCILE):
                raise HTTPException(403, f"You may not see the runs of {RECONCILE}. Ask who runs this Airflow.")
            return Person(access.name(user), lambda dag_id: access.may_start(user, dag_id))

        return reader

    def decider(self, dag_id: str) -> Callable[..., Person]:
        """A dependency for routes that change something: from our own pages, by somebody who may start `dag_id`."""
        reader = self.reader

        def decider(person: Person = Depends(reader), _: None = Depends(same_origin)) -> Person:
            if not person.decides(dag_id):
                raise HTTPException(403, f"Only who may start {dag_id} may decide here.")
            return person

        return decider

    def page(self, request: Request, person: Person | None, template: str, status: int = 200, **facts: Any) -> Response:
        """A page, or a part of one for a script that puts it in place. `facts` are the names in the template."""
        root = request.scope.get("root_path", "")
        facts |= {
            "root": root,
            "airflow": root.removesuffix("/truecopy"),
            "here": request.url.path.removeprefix(root) or "/",
            "person": person,
            "entries": self._entries,
            "static": f"{root}/static/{self.static_version}",
        }
        text = self.templates.get_template(template).render(facts)
        return HTMLResponse(text, status, headers=HEADERS)

    def back_to(self, request: Request, path: str, **said: str) -> Response:
        """After a change: the browser fetches `path`, and going back sends nothing twice. `said` is its query."""
        query = f"?{urlencode(said)}" if said else ""
        return RedirectResponse(f"{request.scope.get('root_path', '')}{path}{query}", 303, headers=HEADERS)

    def trouble(self, request: Request, error: Exception) -> Response:
        """The page for an error that is nobody's mistake in a URL."""
        if isinstance(error, TruecopyError):
            status = 409 if isinstance(error, Held) else 503 if isinstance(error, (Retriable, ConfigError)) else 500
            return self.page(request, None, "trouble.html", status, title=_TITLES[status], message=str(error))
        log.error("%s %s", request.method, request.url.path, exc_info=error)
        message = "Something unforeseen happened. The log of Airflow's API server says what; `truecopy doctor` may too."
        return self.page(request, None, "trouble.html", 500, title=_TITLES[500], message=message)

    def refused(self, request: Request, status: int, message: str) -> Response:
        title = _TITLES.get(status, "This cannot be shown")
        return self.page(request, None, "trouble.html", status, title=title, message=message)

    @cached_property
    def templates(self) -> Environment:
        made = Environment(
            loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
        )
        made.filters |= FILTERS
        made.globals["path_of"] = path_of
        return made

    @cached_property
    def static_version(self) -> str:
        """Part of the address of every file, so that browsers may keep them for ever."""
        digest = hashlib.sha256()
        for path in sorted(STATIC.rglob("*")):
            if path.is_file():
                digest.update(path.read_bytes())
        return digest.hexdigest()[:12]


def path_of(*parts: str, **query: Any) -> str:
    """A path with each part quoted whole, slashes too, and what is set of `query`."""
    path = "".join(f"/{quote(part, safe='')}" for part in parts)
    chosen = {name: value for name, value in query.items() if value not in ("", None, [])}
    return f"{path}?{urlencode(chosen, doseq=True)}" if chosen else path


_TITLES: Mapping[int, str] = {
    401: "You are not logged in",
    403: "This is not for you to do",
    404: "There is nothing here",
    409: "This waits for another look",
    500: "This went wrong",
    503: "This cannot be read right now",
}
