"""What the pages need to know of the person who looks at them. Airflow's answers are in include.wiring.access."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from fastapi import Request


class Access(Protocol):
    @property
    def login(self) -> Callable[..., Any]:
        """A FastAPI dependency that gives the user, or answers 401."""
        ...

    def may_read(self, user: Any, dag_id: str) -> bool:
        """Whether this user may see the runs of a DAG."""
        ...

    def may_start(self, user: Any, dag_id: str) -> bool:
        """Whether this user may start a run of it."""
        ...

    def name(self, user: Any) -> str: ...

    async def start(self, request: Request, dag_id: str, run_id: str, inputs: Mapping[str, object]) -> None:
        """Start this run, or start it over if it exists, with the rights of the person who sent `request`. Raises
        StoreUnavailable when Airflow does not."""
        ...


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who is logged in and may read. `decides` asks whether a button that starts `dag_id` is for them."""

    name: str
    decides: Callable[[str], bool]
