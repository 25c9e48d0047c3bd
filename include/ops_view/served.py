"""Everything below /truecopy in Airflow's API server: webhooks, and the pages behind the login."""

from __future__ import annotations

import os
from collections.abc import Callable

from fastapi import APIRouter, Depends, FastAPI

from include.ops_view.access import Access
from include.ops_view.pages import PAGES
from include.ops_view.trouble import explain_errors, files
from include.ops_view.view import View
from include.wiring.application import Application
from include.wiring.metrics import Metrics, metrics_router


def app() -> FastAPI:
    """Inside Airflow's API server. Raises ConfigError while the settings of the webhooks are wrong."""
    from include.wiring.access import AirflowAccess
    from include.wiring.connections import ConnectionSecrets
    from include.wiring.served import webhooks

    access = AirflowAccess()
    view, pages = ops_view(access, lambda: Application.from_environment(os.environ, ConnectionSecrets()))
    made = webhooks(access.login, pages)
    explain_errors(made, view)
    return made


def ops_view(access: Access, make: Callable[[], Application]) -> tuple[View, APIRouter]:
    """All pages, every one of them for readers only."""
    view = View(access, make, tuple(page.ENTRY for page in PAGES if page.ENTRY))
    router = APIRouter(dependencies=[Depends(view.reader)])
    for page in PAGES:
        router.include_router(page.routes(view))
    router.include_router(files())
    router.include_router(metrics_router(Metrics(view.application), view.reader))
    return view, router
