"""The ops view over a real state root and a real ledger, with made-up nights, and somebody in place of Airflow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from fastapi import FastAPI, HTTPException, Request

from include.domain.date_candidates import DateField
from include.domain.dates import rfc3339
from include.domain.errors import StoreUnavailable
from include.domain.inventory import Proof
from include.domain.manifest import DocumentOutcome, DocumentState, Findings, Manifest, RunState
from include.domain.plan import Action, Change, HeldPlan, Hold, HoldReason, checksum
from include.domain.provenance import DateReport, DateShare
from include.ops_view.served import ops_view
from include.ops_view.trouble import explain_errors
from include.settings import Settings
from include.wiring.application import Application

ROLES = {"viewer": frozenset({"read"}), "editor": frozenset({"read", "start"}), "nobody": frozenset[str]()}


@dataclass
class FakeAccess:
    """Airflow's answers, by role; who asks stands in a header. `started` is what was started by whom, `problem` why
    nothing can be."""

    started: list[tuple[str, str, str, Mapping[str, object]]] = field(default_factory=list)
    problem: str = ""

    @staticmethod
    def login(request: Request) -> str:
        if "x-user" not in request.headers:
            raise HTTPException(401, "Not authenticated")
        return request.headers["x-user"]

    def may_read(self, user: Any, dag_id: str) -> bool:
        return "read" in ROLES[user]

    def may_start(self, user: Any, dag_id: str) -> bool:
        return "start" in ROLES[user]

    def name(self, user: Any) -> str:
        return f"the {user}"

    async def start(self, request: Request, dag_id: str, run_id: str, inputs: Mapping[str, object]) -> None:
        if self.problem:
            raise StoreUnavailable(self.problem)
        self.started.append((request.headers["x-user"], dag_id, run_id, inputs))


def without_index(application: Application, folder: Path) -> Application:
    """The same installation, its index in a folder that is not there: `folder`/none."""
    store = application.settings.store.model_copy(update={"url": f"edge:{folder}/none"})
    return replace(application, settings=application.settings.model_copy(update={"store": store}))


def application_in(folder: Path, *sources: str) -> Application:
    chosen = {source: {"kind": "git_markdown"} for source in sources}
    return Application(
        Settings.model_validate(
            {"sources": chosen, "state": str(folder / "state"), "ledger": str(folder / "state" / "ledger")}
        )
    )


def served(application: Application, access: FakeAccess) -> FastAPI:
    """As in Airflow: mounted below /truecopy."""
    inner, outer = (FastAPI(openapi_url=None, redirect_slashes=False) for _ in range(2))
    view, pages = ops_view(access, lambda: application)
    inner.include_router(pages)
    explain_errors(inner, view)
    outer.mount("/truecopy", inner)
    return outer


def hours_ago(hours: float) -> datetime:
    return datetime.now(UTC) - timedelta(hours=hours)


def a_night(source: str, hours: float, state: RunState = RunState.TRUE, **fields: Any) -> Manifest:
    """A reconciliation that began so many hours ago and took 90 seconds."""
    began = hours_ago(hours)
    documents = fields.get("documents", 120) or 120
    made = Manifest(
        run_id=f"scheduled__{began:%Y-%m-%dT%H:%M:%S}+00:00",
        dag_id="reconcile_index",
        source=source,
        started_at=began,
        finished_at=began + timedelta(seconds=90),
        state=state,
        proof=Proof(True, True, documents, detail=f"{documents} documents at commit 4f2a91c"),
        found=Findings(stale=2, missing=1),
        remaining=Findings(),
        documents=documents,
        chunks=documents * 4,
        foreign_points=0,
        indexed_before=documents - 1,
        outcomes=(
            DocumentOutcome("new.md", DocumentState.CREATED, chunks=4, embedded=4, minimum=4, version="v1"),
            DocumentOutcome("changed.md", DocumentState.REPLACED, chunks=5, embedded=2, reused=3, minimum=2),
        ),
        dates=DateReport(
            documents,
            (
                DateShare(DateField.CREATED, "git", "high", documents - 30),
                DateShare(DateField.CREATED, "git", "low", 20),
                DateShare(DateField.CREATED, "", "", 10),
            ),
        ),
    )
    return replace(made, **fields)


def a_held_plan(source: str, *, hours: float = 30, documents: int = 3, first: str = "old-0.md") -> HeldPlan:
    names = [first, *(f"old-{number}.md" for number in range(1, documents))]
    changes = tuple(Change(name, Action.DELETE, "absent from the listing", version_before="v1") for name in names)
    return HeldPlan(
        source,
        checksum(source, changes),
        changes,
        (Hold(HoldReason.DELETION_LIMIT, f"{source}: {documents} of 20 documents would go, the limit is 10 %"),),
        20,
        rfc3339(hours_ago(hours)),
        "scheduled__night",
    )
