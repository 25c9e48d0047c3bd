"""Every page with example data and without Airflow, for those who work on them:

python -m tests.ops_preview [viewer|editor]
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

import uvicorn

from tests.ops_library import library
from tests.ops_pages import FakeAccess, served

Scope = MutableMapping[str, Any]


def as_somebody(app: Callable[..., Awaitable[None]], role: str) -> Callable[..., Awaitable[None]]:
    """A browser says nothing of who looks: everybody is of this role."""

    async def asked(scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            scope["headers"] = [*scope["headers"], (b"x-user", role.encode())]
        await app(scope, receive, send)

    return asked


def main(role: str = "editor", port: str = "0") -> None:
    with tempfile.TemporaryDirectory() as folder:
        application = library(Path(folder), editions=40)
        app = as_somebody(served(application, FakeAccess()), role)
        config = uvicorn.Config(app, port=int(port), log_level="info", access_log=False)
        uvicorn.Server(config).run()


if __name__ == "__main__":
    main(*sys.argv[1:])
