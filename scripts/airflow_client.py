"""Talks to Airflow over its REST API: for the demo and the tests, which drive a real installation."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote

import requests

FINISHED: Final = frozenset({"success", "failed"})

# The process of a task that began to wait is noticed to have ended up to [workers] min_heartbeat_interval later (5 s by
# default, 2 s in airflow_local). An answer before that finds the task queued again when its first end is reported:
# the scheduler takes it for a crash and fails it.
SETTLE_BEFORE_ANSWER: Final = 5.0


class AirflowRequestError(RuntimeError):
    """Airflow refused a request or kept failing; `status` is the HTTP status, 0 if there was no answer."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(slots=True)
class AirflowClient:
    """One account's view of one Airflow.

    A 5xx or a broken connection is tried again, up to `attempts` times: on SQLite the server answers 500 when two
    writes meet, and nothing is wrong then. All calls raise AirflowRequestError when that did not help.
    """

    url: str
    user: str
    password: str
    attempts: int = 8
    _session: requests.Session = field(default_factory=requests.Session, repr=False)

    def health(self) -> dict[str, Any]:
        """What the server says of its components; needs no login."""
        return dict(self._call("GET", "monitor/health"))

    def wait_for_dag(self, dag_id: str, *, timeout: float = 90.0) -> None:
        """Return when the DAG has been parsed. Raises TimeoutError, with the import errors, when it never is."""

        def parsed() -> bool:
            return self._call("GET", f"dags/{quote(dag_id)}", absent_is_none=True) is not None

        def explain() -> str:
            errors = self._call("GET", "importErrors")["import_errors"]
            return "; ".join(f"{e['filename']}: {e['stack_trace']}" for e in errors) or "no import errors"

        _wait(parsed, timeout, lambda: f"DAG {dag_id} has not been parsed after {timeout:.0f} s: {explain()}")

    def unpause(self, dag_id: str) -> None:
        self._call("PATCH", f"dags/{quote(dag_id)}", {"is_paused": False})

    def trigger(self, dag_id: str, run_id: str, conf: Mapping[str, object] | None = None) -> str:
        """Start a run under an id of the caller's choice and return that id.

        The id makes it safe to try again: when an attempt failed with a 5xx but was stored all the same, the next
        one meets 409 and that is the success. A 409 on the very first attempt is an error: the id was used before.
        """
        body = {"dag_run_id": run_id, "logical_date": None, "conf": dict(conf or {})}
        self._call("POST", f"dags/{quote(dag_id)}/dagRuns", body, repeated_conflict_is_success=True)
        return run_id

    def run(self, dag_id: str, run_id: str) -> dict[str, Any]:
        return dict(self._call("GET", _run(dag_id, run_id)))

    def wait(
        self,
        dag_id: str,
        run_id: str,
        *,
        timeout: float = 180.0,
        watch: Callable[[dict[str, str]], None] = lambda states: None,
    ) -> str:
        """Wait for the end of a run; returns `success` or `failed`.

        `watch` is called with `{task: state}` whenever a state changes. Raises TimeoutError that states them.
        """
        seen: dict[str, str] = {}

        def ended() -> bool:
            nonlocal seen
            state = self.run(dag_id, run_id)["state"]
            states = self.task_states(dag_id, run_id)
            if states != seen:
                seen = states
                watch(states)
            return state in FINISHED

        _wait(ended, timeout, lambda: f"{dag_id} {run_id} has not ended after {timeout:.0f} s: {seen}")
        return str(self.run(dag_id, run_id)["state"])

    def task_instances(self, dag_id: str, run_id: str) -> list[dict[str, Any]]:
        """All task instances of a run, mapped ones singly."""
        found: list[dict[str, Any]] = []
        while True:
            page = self._call("GET", f"{_run(dag_id, run_id)}/taskInstances?limit=100&offset={len(found)}")
            found += page["task_instances"]
            if len(found) >= page["total_entries"] or not page["task_instances"]:
                return found

    def task_states(self, dag_id: str, run_id: str) -> dict[str, str]:
        """`{task: state}`; a mapped instance is called `task[index]`, a state not decided yet is `none`."""
        return {
            one["task_id"] + (f"[{one['map_index']}]" if one["map_index"] >= 0 else ""): one["state"] or "none"
            for one in self.task_instances(dag_id, run_id)
        }

    def set_task_state(self, dag_id: str, run_id: str, task_id: str, state: str) -> None:
        """What a person does with "mark as success": the task is not run, its state is overwritten."""
        self._call("PATCH", f"{_run(dag_id, run_id)}/taskInstances/{quote(task_id)}", {"new_state": state})

    def xcom(self, dag_id: str, run_id: str, task_id: str, *, key: str = "return_value", map_index: int = -1) -> Any:
        """What a task returned. Raises AirflowRequestError with status 404 when it returned nothing."""
        path = f"{_run(dag_id, run_id)}/taskInstances/{quote(task_id)}/xcomEntries/{quote(key)}"
        return self._call("GET", f"{path}?map_index={map_index}&deserialize=true")["value"]

    def questions(self, dag_id: str = "~", run_id: str = "~") -> list[dict[str, Any]]:
        """Tasks that wait for a person now. (Unanswered questions of tasks that ended otherwise are left out.)"""
        wanted = "response_received=false&state=awaiting_input&limit=100"
        return list(self._call("GET", f"{_run(dag_id, run_id)}/hitlDetails?{wanted}")["hitl_details"])

    def wait_for_question(self, dag_id: str, run_id: str, *, timeout: float = 120.0) -> dict[str, Any]:
        """The first question of a run, as soon as it is asked. Raises TimeoutError with the states of the tasks."""
        _wait(
            lambda: bool(self.questions(dag_id, run_id)),
            timeout,
            lambda: f"{dag_id} {run_id} asked nothing within {timeout:.0f} s: {self.task_states(dag_id, run_id)}",
        )
        return self.questions(dag_id, run_id)[0]

    def answer(
        self, dag_id: str, run_id: str, task_id: str, choice: str, *, inputs: Mapping[str, object] | None = None
    ) -> None:
        """Answer a waiting task, like a person would: some seconds after it asked (see SETTLE_BEFORE_ANSWER)."""
        self.wait_for_question(dag_id, run_id)
        time.sleep(SETTLE_BEFORE_ANSWER)
        self._call(
            "PATCH",
            f"{_run(dag_id, run_id)}/taskInstances/{quote(task_id)}/-1/hitlDetails",
            {"chosen_options": [choice], "params_input": dict(inputs or {})},
            repeated_conflict_is_success=True,
        )

    def _call(
        self,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        *,
        absent_is_none: bool = False,
        repeated_conflict_is_success: bool = False,
    ) -> Any:
        problem, status = "", 0
        for attempt in range(self.attempts):
            if attempt:
                time.sleep(min(0.25 * 2**attempt, 5.0))
            try:
                if "Authorization" not in self._session.headers and path != "monitor/health":
                    self._log_in()
                reply = self._session.request(method, f"{self.url}/api/v2/{path}", json=body, timeout=30)
            except requests.RequestException as error:
                problem, status = str(error), 0
                continue
            problem, status = f"HTTP {reply.status_code}: {reply.text[:500]}", reply.status_code
            if status >= 500:
                continue
            if status == 401:
                self._session.headers.pop("Authorization", None)  # the token has expired: log in and try again
                continue
            if status == 404 and absent_is_none:
                return None
            if status == 409 and attempt and repeated_conflict_is_success:
                return None
            if not reply.ok:
                break
            return reply.json() if reply.content else None
        raise AirflowRequestError(f"{method} {path} as {self.user}: {problem}", status)

    def _log_in(self) -> None:
        reply = self._session.post(
            f"{self.url}/auth/token", json={"username": self.user, "password": self.password}, timeout=30
        )
        if reply.status_code == 401:
            raise AirflowRequestError(f"{self.url} does not know {self.user!r} with this password", 401)
        reply.raise_for_status()
        self._session.headers["Authorization"] = f"Bearer {reply.json()['access_token']}"


def _run(dag_id: str, run_id: str) -> str:
    return f"dags/{quote(dag_id, safe='~')}/dagRuns/{quote(run_id, safe='~')}"


def _wait(done: Callable[[], bool], timeout: float, message: Callable[[], str]) -> None:
    deadline = time.monotonic() + timeout
    while not done():
        if time.monotonic() > deadline:
            raise TimeoutError(message())
        time.sleep(0.5)
