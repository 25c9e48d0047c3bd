"""Who asks, and what Airflow lets them do: for pages that Airflow's API server serves beside its own.

All of it is Airflow's own code for its own routes. A change of these internals fails here, at import, and then nothing
of ours is served: closed, not open.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
from airflow.api_fastapi.app import cached_app, get_auth_manager
from airflow.api_fastapi.auth.managers.models.resource_details import DagAccessEntity, DagDetails
from airflow.api_fastapi.core_api.security import get_user
from airflow.configuration import conf
from airflow.models import DagModel
from fastapi import Request

from include.domain.errors import StoreUnavailable

_ANSWERS_WITHIN_SECONDS = 60.0


class AirflowAccess:
    """Implements ops_view.access.Access."""

    login = staticmethod(get_user)

    def may_read(self, user: Any, dag_id: str) -> bool:
        return self._may("GET", user, dag_id)

    def may_start(self, user: Any, dag_id: str) -> bool:
        return self._may("POST", user, dag_id)

    def name(self, user: Any) -> str:
        return str(user.get_name())

    async def start(self, request: Request, dag_id: str, run_id: str, inputs: Mapping[str, object]) -> None:
        """Start this run, or start it over if it exists, as the person who sent `request`: through Airflow's own API,
        inside this process, so that Airflow checks the permission and writes its audit log. Raises StoreUnavailable
        with what Airflow answered."""
        runs = f"/api/v2/dags/{quote(dag_id, safe='')}/dagRuns"
        body = {"dag_run_id": run_id, "logical_date": None, "conf": dict(inputs)}
        one = f"{runs}/{quote(run_id, safe='')}"
        async with _airflow(request) as airflow:
            answer = await airflow.get(one)
            if answer.status_code == httpx.codes.NOT_FOUND:
                answer = await airflow.post(runs, json=body)
            elif answer.is_success:
                over = {"dry_run": False, "only_failed": False, "run_on_latest_version": True}
                answer = await airflow.post(f"{one}/clear", json=over)
        if answer.is_error:
            raise StoreUnavailable(
                f"Airflow did not start run {run_id} of {dag_id}: it answered {answer.status_code} "
                f"{answer.text[:300]}. Start {dag_id} in Airflow, with this configuration: {json.dumps(dict(inputs))}",
                dag_id=dag_id,
                status=answer.status_code,
            )

    def _may(self, method: Any, user: Any, dag_id: str) -> bool:
        details = DagDetails(id=dag_id, team_name=DagModel.get_team_name(dag_id))
        allowed: bool = get_auth_manager().is_authorized_dag(
            method=method, access_entity=DagAccessEntity.RUN, details=details, user=user
        )
        return allowed


def _airflow(request: Request) -> httpx.AsyncClient:
    """Airflow's API as the sender of `request` sees it, with the same credentials and nothing else of the request."""
    kept = {name: value for name in ("authorization", "cookie") if (value := request.headers.get(name))}
    base = conf.get("api", "base_url", fallback="") or "/"
    sub_path = urlsplit(base).path.rstrip("/")
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app=cached_app(), root_path=sub_path),
        base_url="http://airflow",
        headers=kept,
        timeout=_ANSWERS_WITHIN_SECONDS,
    )
