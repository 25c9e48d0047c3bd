"""The webhooks inside Airflow's API server: their settings, and how a run is started from here.

The API server may use Airflow's database; tasks may not, and have no reason to import this.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Any

from airflow.api.common.trigger_dag import trigger_dag
from airflow.exceptions import DagRunAlreadyExists
from airflow.models import DagModel, DagRun
from airflow.utils.session import create_session
from airflow.utils.state import DagRunState
from airflow.utils.types import DagRunTriggeredByType
from fastapi import APIRouter, FastAPI
from sqlalchemy import select

from include.hooks.bell import Bell
from include.wiring.connections import hooks
from include.wiring.hooks import FOLLOW
from include.wiring.web import create_app

log = logging.getLogger(__name__)


def webhooks(login: Any, pages: APIRouter) -> FastAPI:
    """With the pages behind `login`. Raises ConfigError."""
    served = hooks()
    bell = Bell(start_following, served.chores())
    made = create_app(served, bell, login=login, pages=pages)
    bell.awake()
    return made


def start_following() -> None:
    """Start one run that looks at what the open events name; nothing if one waits to start, or the DAG is paused.

    Two processes that do this in the same second start one run: it is called after the second.
    """
    with create_session() as session:
        paused = session.scalar(select(DagModel.is_paused).where(DagModel.dag_id == FOLLOW))
        queued = session.scalar(
            select(DagRun.id).where(DagRun.dag_id == FOLLOW, DagRun.state == DagRunState.QUEUED).limit(1)
        )
    if paused is None or paused or queued is not None:
        return
    try:
        trigger_dag(
            dag_id=FOLLOW,
            run_id=f"webhook__{datetime.now(UTC):%Y-%m-%dT%H:%M:%S}",
            triggered_by=DagRunTriggeredByType.REST_API,
            triggering_user_name="webhook",
        )
    except DagRunAlreadyExists:
        log.debug("another process has just started that run")
