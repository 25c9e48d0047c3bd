"""One decision on many candidates: shown with their number, recorded when the person has typed that number, as one
commit a source. What somebody decided meanwhile stays, and is named."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Request, Response

from include.domain.errors import ConfigError, Retriable
from include.domain.review import ReviewItem
from include.ops_view.access import Person
from include.ops_view.pages.review import CHOICES, DECIDES, Filter, asked_filter, shelf_of, word_of
from include.ops_view.view import View
from include.services.reviewing import Word
from include.wiring.application import Application
from include.wiring.review import candidate_of, decide_many

ENTRY = None

LISTED = 50

Seen = tuple[str, str, str]
"""Source, document, and the fingerprint of the evidence that was on the screen."""


def routes(view: View) -> APIRouter:
    router = APIRouter()
    decider = view.decider(DECIDES)

    @router.post("/review-many")
    def look(
        request: Request,
        item: Annotated[list[str], Form()] = [],  # noqa: B006 (FastAPI copies it)
        everything: Annotated[bool, Form()] = False,
        among: Annotated[str, Form()] = "",
        q: Annotated[str, Form()] = "",
        signal: Annotated[str, Form()] = "",
        disposition: Annotated[str, Form()] = "",
        reason: Annotated[str, Form()] = "",
        until: Annotated[str, Form()] = "",
        person: Person = Depends(decider),
    ) -> Response:
        """What would be recorded; nothing is yet."""
        chosen = asked_filter(among, q, signal)
        application = view.application()
        if everything:
            seen = [(each.source, each.doc_id, each.fingerprint) for each in shelf_of(application, chosen).items]
        else:
            seen = _read(f"[{','.join(item)}]")
        typed = {"disposition": disposition, "reason": reason, "until": until, "superseded_by": ""}
        return _asked(view, request, person, seen, typed, chosen)

    @router.post("/review-many/record")
    def record(
        request: Request,
        items: Annotated[str, Form()],
        count: Annotated[str, Form()] = "",
        among: Annotated[str, Form()] = "",
        q: Annotated[str, Form()] = "",
        signal: Annotated[str, Form()] = "",
        disposition: Annotated[str, Form()] = "",
        reason: Annotated[str, Form()] = "",
        until: Annotated[str, Form()] = "",
        person: Person = Depends(decider),
    ) -> Response:
        chosen = asked_filter(among, q, signal)
        seen = _read(items)
        typed = {"disposition": disposition, "reason": reason, "until": until, "superseded_by": ""}
        if count.strip() != str(len(seen)):
            problem = f"You typed {count.strip() or 'nothing'}; these are {len(seen)}. Nothing was recorded."
            return _asked(view, request, person, seen, typed, chosen, problem=problem)
        application = view.application()
        try:
            recorded, refused = _record(application, seen, word_of(typed, person))
        except (ConfigError, Retriable) as error:
            status = 503 if isinstance(error, Retriable) else 422
            return _asked(view, request, person, seen, typed, chosen, problem=str(error), status=status)
        status = 409 if refused else 200
        return view.page(
            request,
            person,
            "review_recorded.html",
            status,
            recorded=recorded,
            refused=refused,
            disposition=disposition,
            chosen=chosen,
        )

    return router


def _asked(
    view: View,
    request: Request,
    person: Person,
    seen: Sequence[Seen],
    typed: dict[str, str],
    chosen: Filter,
    *,
    problem: str = "",
    status: int = 200,
) -> Response:
    application = view.application()
    choice = next((each for each in CHOICES if each.disposition == typed["disposition"]), None)
    if not seen or choice is None or not typed["reason"].strip():
        lacking = "choose candidates" if not seen else "choose a decision" if choice is None else "say why"
        raise HTTPException(422, f"Nothing was recorded: {lacking}, then try again.")
    listed = [each for name in seen[:LISTED] if (each := _found(application, name)) is not None]
    return view.page(
        request,
        person,
        "review_many.html",
        422 if problem and status == 200 else status,
        seen=seen,
        listed=listed,
        choice=choice,
        typed=typed,
        chosen=chosen,
        problem=problem,
    )


def _record(application: Application, seen: Sequence[Seen], word: Word) -> tuple[list[ReviewItem], dict[str, str]]:
    """What was recorded, and why others were not, by source and document. Raises ConfigError when nothing was for a
    reason that is in the word."""
    recorded: list[ReviewItem] = []
    refused: dict[str, str] = {}
    by_source: dict[str, list[ReviewItem]] = defaultdict(list)
    for name in seen:
        source, doc_id, fingerprint = name
        if (item := _found(application, name)) is None:
            refused[f"{source}: {doc_id}"] = f"{source}: {doc_id} is no candidate any more"
        else:
            by_source[source].append(replace(item, fingerprint=fingerprint))
    for source, items in by_source.items():
        done = decide_many(application, source, items, word)
        recorded += done.items
        refused |= {f"{source}: {doc_id}": why for doc_id, why in done.refused.items()}
    return recorded, refused


def _found(application: Application, name: Seen) -> ReviewItem | None:
    source, doc_id, _ = name
    if source not in application.settings.sources:
        return None
    try:
        return candidate_of(application, source, doc_id)
    except ConfigError:
        return None


def _read(text: str) -> list[Seen]:
    """Raises HTTPException for what no page of ours sends."""
    try:
        rows = json.loads(text)
        if not all(
            isinstance(row, list) and len(row) == 3 and all(isinstance(one, str) for one in row) for row in rows
        ):
            raise ValueError(text)
    except (ValueError, TypeError, RecursionError):
        raise HTTPException(422, "The list of candidates cannot be read. Nothing was recorded; choose again.") from None
    return [(row[0], row[1], row[2]) for row in rows]
