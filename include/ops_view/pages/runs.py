"""Every run that left a manifest, and one of them in full: proof, plan, gate, outcome per document, cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import APIRouter, Depends, HTTPException, Query, Request, Response

from include.domain.manifest import DocumentState, Manifest, RunHead, RunState
from include.ops_view.access import Person
from include.ops_view.paging import Pager
from include.ops_view.view import Entry, View, path_of
from include.planning.limits import Limits
from include.records.past_runs import LostRun
from include.wiring.application import Application
from include.wiring.standing import recent_runs
from include.wiring.what_changed import what_changed

ENTRY = Entry("Runs", "/runs")

PAGE_SIZE = 50
LOST = "lost"
STATES = (*(state.value for state in RunState), LOST)

Page = Annotated[int, Query(ge=1, le=100_000)]


@dataclass(frozen=True, slots=True)
class Row:
    """One run over one source in the list."""

    head: RunHead | LostRun

    @property
    def manifest(self) -> Manifest | None:
        return self.head.manifest if isinstance(self.head, RunHead) else None

    @property
    def state(self) -> str:
        return self.manifest.state.value if self.manifest else LOST

    @property
    def path(self) -> str:
        named = self.manifest or self.head
        assert isinstance(named, (Manifest, LostRun))
        return path_of("runs", named.dag_id, named.run_id, named.source)

    @property
    def took(self) -> timedelta | None:
        return took(self.manifest) if self.manifest else None

    @property
    def done(self) -> str:
        """`3 created, 1 deleted`."""
        if not isinstance(self.head, RunHead):
            return ""
        counts = ((state, self.head.count(state)) for state in DocumentState)
        return ", ".join(f"{number} {state.value}" for state, number in counts if number)


@dataclass(frozen=True, slots=True)
class Removals:
    """The arithmetic of the gate for one kind of loss: `number` of `documents` against `percent`."""

    word: str
    number: int
    documents: int | None
    percent: float

    @property
    def share(self) -> float | None:
        return 100.0 * self.number / self.documents if self.documents else None


@dataclass(frozen=True, slots=True)
class Asked:
    """Which outcomes of a run are looked for: words in document or detail, a state, and which page of them."""

    q: str = ""
    state: str = ""
    page: Page = 1


def routes(view: View) -> APIRouter:
    router = APIRouter()

    @router.get("/runs")
    def runs(
        request: Request,
        person: Person = Depends(view.reader),
        source: str = "",
        dag: str = "",
        state: str = "",
        page: Page = 1,
    ) -> Response:
        application = view.application()
        sources = sorted(application.settings.sources)
        chosen = [source] if source in sources else sources if not source else []
        found, more = recent_runs(
            application.past_runs,
            chosen,
            [dag] if dag else [],
            [state] if state else [],
            (page - 1) * PAGE_SIZE,
            PAGE_SIZE,
        )
        return view.page(
            request,
            person,
            "runs.html",
            rows=[Row(head) for head in found],
            pager=Pager(("runs",), {"source": source, "dag": dag, "state": state}, page, PAGE_SIZE, len(found), more),
            sources=sources,
            dags=sorted({unquote(name.dag) for each in sources for name in application.past_runs.names(each)}),
            states=STATES,
            source=source,
            dag=dag,
            state=state,
        )

    @router.get("/runs/{dag_id}/{run_id}")
    def run_of_all(dag_id: str, run_id: str, request: Request, person: Person = Depends(view.reader)) -> Response:
        """Where Airflow's link leads: it does not know about sources. All attempts of the run are listed."""
        application = view.application()
        found = []
        for source in sorted(application.settings.sources):
            for name in application.past_runs.names(source, [dag_id]):
                if unquote(name.run).split(".attempt-")[0] == run_id:
                    found.append(Row(application.past_runs.head(source, name)))
        if len(found) == 1:
            return view.back_to(request, found[0].path)
        return view.page(request, person, "run_sources.html", dag_id=dag_id, run_id=run_id, rows=found)

    @router.get("/runs/{dag_id}/{run_id}/{source}")
    def run(
        dag_id: str,
        run_id: str,
        source: str,
        request: Request,
        person: Person = Depends(view.reader),
        asked: Asked = Depends(),
    ) -> Response:
        application = view.application()
        head = _head(application, dag_id, run_id, source)
        limits = application.settings.limits_of(source)
        return view.page(
            request,
            person,
            "run.html",
            head=head,
            manifest=head.manifest,
            took=took(head.manifest),
            gate=gate(head, limits),
            limits=limits,
            window=removed_before(application, head, limits),
            **_outcomes(application, head, asked),
        )

    @router.get("/runs/{dag_id}/{run_id}/{source}/outcomes")
    def outcomes(
        dag_id: str,
        run_id: str,
        source: str,
        request: Request,
        person: Person = Depends(view.reader),
        asked: Asked = Depends(),
    ) -> Response:
        """A part of the page above, for its filter."""
        application = view.application()
        head = _head(application, dag_id, run_id, source)
        found = _outcomes(application, head, asked)
        return view.page(request, person, "run_outcomes.html", head=head, manifest=head.manifest, **found)

    @router.get("/runs/{dag_id}/{run_id}/{source}/changed")
    def changed(
        dag_id: str, run_id: str, source: str, doc: str, request: Request, person: Person = Depends(view.reader)
    ) -> Response:
        """A part of a page: what the run changed in one document."""
        application = view.application()
        outcome = application.past_runs.outcome_of(dag_id, run_id, source, doc)
        if outcome is None:
            raise HTTPException(404, f"The run says nothing of {doc}.")
        diff, why_not = what_changed(application, source, outcome)
        return view.page(request, person, "run_changed.html", lines=diff.splitlines(), why_not=why_not, doc=doc)

    return router


def took(manifest: Manifest) -> timedelta | None:
    return manifest.finished_at - manifest.started_at if manifest.finished_at else None


def gate(head: RunHead, limits: Limits) -> list[Removals]:
    """What the run wanted to take away, against the limit of its source as it is set now. What it was allowed counts
    with what it was refused."""
    manifest = head.manifest
    refused = sum(change.action == "delete" for change in manifest.held)
    rows = []
    if manifest.planned_removals or refused or manifest.indexed_before is not None:
        number = manifest.planned_removals + refused
        rows.append(Removals("removals", number, manifest.indexed_before, limits.deletion_percent))
    if manifest.planned_retirements:
        rows.append(
            Removals("retirements", manifest.planned_retirements, manifest.indexed_before, limits.deletion_percent)
        )
    return rows


def removed_before(application: Application, head: RunHead, limits: Limits) -> int | None:
    """Documents that other runs removed within the window before this one; None for a run that judged no removals."""
    manifest = head.manifest
    if manifest.indexed_before is None:
        return None
    since = manifest.started_at - timedelta(days=limits.window_days)
    past = application.manifests.removals(manifest.source, since)
    return sum(each.documents for each in past if since <= each.at < manifest.started_at)


def _head(application: Application, dag_id: str, run_id: str, source: str) -> RunHead:
    if source not in application.settings.sources:
        raise HTTPException(404, f"There is no source {source!r} in the settings.")
    try:
        return application.past_runs.of(dag_id, run_id, source)
    except FileNotFoundError:
        raise HTTPException(404, f"Run {run_id} of {dag_id} left no manifest for {source}.") from None
    except (ValueError, TypeError, AttributeError) as error:
        raise HTTPException(500, f"The manifest of run {run_id} of {dag_id} for {source} is damaged: {error}") from None


def _outcomes(application: Application, head: RunHead, asked: Asked) -> dict[str, Any]:
    manifest, q, state, page = head.manifest, asked.q, asked.state, asked.page
    states: Sequence[DocumentState] = [DocumentState(state)] if state in set(DocumentState) else []
    problem = ""
    try:
        found = application.past_runs.outcomes(
            manifest.dag_id,
            manifest.run_id,
            manifest.source,
            search=q,
            states=states,
            offset=(page - 1) * PAGE_SIZE,
            limit=PAGE_SIZE,
        )
        documents, number, total = found.documents, found.found, found.total
    except (OSError, ValueError) as error:
        documents, number, total, problem = (), 0, 0, f"The outcomes of this run cannot be read: {error}"
    path = ("runs", manifest.dag_id, manifest.run_id, manifest.source)
    pager = Pager(path, {"q": q, "state": state}, page, PAGE_SIZE, len(documents), page * PAGE_SIZE < number, number)
    counts = {each.value: head.count(each) for each in DocumentState if head.count(each)}
    return {
        "outcomes": documents,
        "pager": pager,
        "total": total,
        "q": q,
        "state": state,
        "counts": counts,
        "outcomes_problem": problem,
        "path": path,
    }
