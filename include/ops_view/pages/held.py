"""Plans that the gate holds: what would go, why it waits, and a person's answer.

An answer goes the same road as one at the command line or under Airflow's required actions: into the ledger, by the
same functions, and then `apply_held_plan` computes the plan anew and carries out only what was approved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Depends, Form, HTTPException, Query, Request, Response

from include.domain.documents import DocumentKey
from include.domain.errors import ConfigError, Held, StoreUnavailable, TruecopyError
from include.domain.plan import Action, Change, HeldPlan, PlanKind
from include.ops_view.access import Person
from include.ops_view.open_plan import open_plan
from include.ops_view.paging import Pager
from include.ops_view.view import Entry, View, path_of
from include.services.document import read_document
from include.wiring.application import Application
from include.wiring.held_plans import held_plan, open_plans, reject_held, release_held, run_of
from include.wiring.runs import APPLY_HELD

ENTRY = Entry("Held", "/held")

PAGE_SIZE = 50
SAMPLES = 3
SAMPLE_CHARACTERS = 700

GOING = (Action.DELETE, Action.STAGE, Action.RETIRE, Action.PURGE, Action.ARCHIVE)


@dataclass(frozen=True, slots=True)
class Sample:
    """The beginning of a page that would go, as a reader finds it now; `missing` says why there is none."""

    doc_id: str
    title: str = ""
    url: str = ""
    text: str = ""
    missing: str = ""


def routes(view: View) -> APIRouter:
    router = APIRouter()
    decider = view.decider(APPLY_HELD)

    @router.get("/held")
    def held(request: Request, person: Person = Depends(view.reader)) -> Response:
        application = view.application()
        waiting, broken = [], []
        for source in sorted(application.settings.sources):
            try:
                waiting += [open_plan(application, plan) for plan in open_plans(application, source)]
            except (TruecopyError, OSError, ValueError) as error:
                broken.append((source, str(error)))
        waiting.sort(key=lambda each: each.since)
        return view.page(request, person, "held.html", waiting=waiting, broken=broken)

    @router.get("/held/{source}/{checksum}")
    def one(
        source: str,
        checksum: str,
        request: Request,
        person: Person = Depends(view.reader),
        q: str = "",
        action: str = "",
        page: Annotated[int, Query(ge=1, le=100_000)] = 1,
    ) -> Response:
        application = view.application()
        _known(application, source)
        plan = _standing(application, source, checksum)
        if plan is None:
            return _gone(view, request, person, source, checksum)
        return _shown(view, request, person, plan, q=q, action=action, page=page)

    @router.get("/held/{source}/{checksum}/sample")
    def sample(
        source: str, checksum: str, request: Request, doc: str, person: Person = Depends(view.reader)
    ) -> Response:
        """A part of a page: what one of the plan's documents says."""
        application = view.application()
        _known(application, source)
        plan = _standing(application, source, checksum)
        if plan is None or all(change.doc_id != doc for change in plan.changes):
            raise HTTPException(404, "That document is not part of a plan that is held now.")
        return view.page(request, person, "held_samples.html", samples=_samples(application, source, [doc]))

    @router.post("/held/{source}/{checksum}/approve")
    async def approve(
        source: str,
        checksum: str,
        request: Request,
        person: Person = Depends(decider),
        reason: Annotated[str, Form()] = "",
    ) -> Response:
        refused = await to_thread.run_sync(
            _decide, view, request, person, source, checksum, reason, release_held, "approve"
        )
        if refused is not None:
            return refused
        await _start(view, request, source, checksum)
        return view.back_to(request, path_of("held", source, checksum))

    @router.post("/held/{source}/{checksum}/reject")
    async def reject(
        source: str,
        checksum: str,
        request: Request,
        person: Person = Depends(decider),
        reason: Annotated[str, Form()] = "",
    ) -> Response:
        application = view.application()
        asked = checksum in await to_thread.run_sync(_asked, application, source)
        refused = await to_thread.run_sync(
            _decide, view, request, person, source, checksum, reason, reject_held, "reject"
        )
        if refused is not None:
            return refused
        if asked:  # the question under Airflow's required actions withdraws itself when its run starts over
            await _start(view, request, source, checksum)
        return view.back_to(request, path_of("held", source, checksum))

    return router


async def _start(view: View, request: Request, source: str, checksum: str) -> None:
    """Start the run that reads the answer in the ledger. Raises StoreUnavailable."""
    asked = {"source": source, "checksum": checksum}
    try:
        await view.access.start(request, APPLY_HELD, run_of(source, checksum), asked)
    except StoreUnavailable as error:
        raise StoreUnavailable(
            f"Your answer about plan {checksum} of {source} is recorded, but nothing has acted on it yet. {error}",
            source=source,
            checksum=checksum,
        ) from error


def _decide(
    view: View,
    request: Request,
    person: Person,
    source: str,
    checksum: str,
    reason: str,
    record: Any,
    word: str,
) -> Response | None:
    """Record an answer; or the page that says why it was not."""
    application = view.application()
    _known(application, source)
    plan = _standing(application, source, checksum)
    if plan is None:
        return _gone(view, request, person, source, checksum, answered=word)
    said = open_plan(application, plan).release
    if said is not None and (word == "approve" or said.used_by_run):
        # Somebody was first. Starting the run over would break off what it is doing.
        return view.back_to(request, path_of("held", source, checksum))
    if not reason.strip():
        problem = "Say why: the reason becomes part of the record. Nothing was decided."
        return _shown(view, request, person, plan, problem=problem, status=422)
    try:
        record(application, source, checksum, by=person.name, why=reason)
    except (ConfigError, Held):  # it was replaced or answered in this very moment
        return _gone(view, request, person, source, checksum, answered=word)
    return None


def _shown(
    view: View,
    request: Request,
    person: Person,
    plan: HeldPlan,
    *,
    q: str = "",
    action: str = "",
    page: int = 1,
    problem: str = "",
    status: int = 200,
) -> Response:
    application = view.application()
    found = [change for change in plan.changes if _matches(change, q, action)]
    changes = found[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
    pager = Pager(
        ("held", plan.source, plan.checksum),
        {"q": q, "action": action},
        page,
        PAGE_SIZE,
        len(changes),
        len(found) > page * PAGE_SIZE,
        len(found),
    )
    going = [change.doc_id for change in plan.changes if change.action in GOING] or [
        change.doc_id for change in plan.changes
    ]
    spread = going[:: max(1, len(going) // SAMPLES)][:SAMPLES]  # from the whole list, not its first letter
    return view.page(
        request,
        person,
        "held_plan.html",
        status,
        open=open_plan(application, plan),
        changes=changes,
        pager=pager,
        q=q,
        action=action,
        samples=spread,
        problem=problem,
    )


def _gone(view: View, request: Request, person: Person, source: str, checksum: str, *, answered: str = "") -> Response:
    """The page for a plan that is not the held one (any more), with those that are. An answer to it was refused."""
    application = view.application()
    now = [open_plan(application, plan) for plan in open_plans(application, source)]
    release = application.ledger.find_release(source, checksum)
    if release is None and not answered and not now:
        raise HTTPException(404, f"No plan {checksum} of {source} is held, and none was approved under that name.")
    return view.page(
        request,
        person,
        "held_gone.html",
        409 if answered else 200,
        source=source,
        checksum=checksum,
        release=release,
        now=now,
        answered=answered,
    )


def _samples(application: Application, source: str, doc_ids: Sequence[str]) -> list[Sample]:
    try:
        return [_sample(application, source, doc_id) for doc_id in doc_ids]
    except (TruecopyError, OSError) as error:
        return [Sample(doc_id, missing=f"The index cannot be read right now: {error}") for doc_id in doc_ids]


def _sample(application: Application, source: str, doc_id: str) -> Sample:
    found = read_document(application.impatient_store, DocumentKey(source, doc_id))
    if found is None:
        return Sample(doc_id, missing="Readers do not find it in the index.")
    text = "\n\n".join(chunk.text or "" for chunk in found.chunks)
    cut = f"{text[:SAMPLE_CHARACTERS].rstrip()} …" if len(text) > SAMPLE_CHARACTERS else text
    return Sample(doc_id, found.described.title, found.described.url, cut)


def _standing(application: Application, source: str, checksum: str) -> HeldPlan | None:
    try:
        return held_plan(application, source, checksum)
    except ConfigError:
        return None


def _asked(application: Application, source: str) -> set[str]:
    return {checksum for kind in PlanKind for checksum in application.ledger.open_requests(source, kind)}


def _known(application: Application, source: str) -> None:
    if source not in application.settings.sources:
        raise HTTPException(404, f"There is no source {source!r} in the settings.")


def _matches(change: Change, q: str, action: str) -> bool:
    wanted = q.casefold()
    return (not action or change.action.value == action) and (
        not wanted or wanted in change.doc_id.casefold() or wanted in change.reason.casefold()
    )
