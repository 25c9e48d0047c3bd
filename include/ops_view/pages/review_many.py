"""One decision on many candidates: shown with their number, recorded when the person has typed that number, as one
commit a source. What somebody decided meanwhile stays, and is named."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be recorded of many, as it was typed, and the filter that they were chosen under."""

    typed: Mapping[str, str]
    chosen: Filter


def what_is_asked(
    disposition: Annotated[str, Form()] = "",
    reason: Annotated[str, Form()] = "",
    until: Annotated[str, Form()] = "",
    among: Annotated[str, Form()] = "",
    q: Annotated[str, Form()] = "",
    signal: Annotated[str, Form()] = "",
) -> Asked:
    """A successor is what the evidence of each names: there is no one for all."""
    typed = {"disposition": disposition, "reason": reason, "until": until, "superseded_by": ""}
    return Asked(typed, asked_filter(among, q, signal))


def routes(view: View) -> APIRouter:
    router = APIRouter()
    decider = view.decider(DECIDES)

    @router.post("/review-many")
    def look(
        request: Request,
        item: Annotated[list[str], Form()] = [],  # noqa: B006 (FastAPI copies it)
        everything: Annotated[bool, Form()] = False,
        asked: Asked = Depends(what_is_asked),
        person: Person = Depends(decider),
    ) -> Response:
        """What would be recorded; nothing is yet."""
        if everything:
            items = shelf_of(view.application(), asked.chosen).items
            seen = [(each.source, each.doc_id, each.fingerprint) for each in items]
        else:
            seen = _read(f"[{','.join(item)}]")
        return _confirming(view, request, person, seen, asked)

    @router.post("/review-many/record")
    def record(
        request: Request,
        items: Annotated[str, Form()],
        count: Annotated[str, Form()] = "",
        asked: Asked = Depends(what_is_asked),
        person: Person = Depends(decider),
    ) -> Response:
        seen, typed_count = _read(items), count.strip()
        if typed_count != str(len(seen)):
            problem = f"You typed {typed_count or 'nothing'}; these are {len(seen)}. Nothing was recorded."
            return _confirming(view, request, person, seen, asked, problem=problem)
        try:
            recorded, refused = _record(view.application(), seen, word_of(asked.typed, person))
        except (ConfigError, Retriable) as error:
            status = 503 if isinstance(error, Retriable) else 422
            return _confirming(view, request, person, seen, asked, problem=str(error), status=status)
        return view.page(
            request,
            person,
            "review_recorded.html",
            409 if refused else 200,
            recorded=recorded,
            refused=refused,
            disposition=asked.typed["disposition"],
            chosen=asked.chosen,
        )

    return router


def _confirming(
    view: View,
    request: Request,
    person: Person,
    seen: Sequence[Seen],
    asked: Asked,
    *,
    problem: str = "",
    status: int = 200,
) -> Response:
    application = view.application()
    choice = next((each for each in CHOICES if each.disposition == asked.typed["disposition"]), None)
    if not seen or choice is None or not asked.typed["reason"].strip():
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
        typed=asked.typed,
        chosen=asked.chosen,
        problem=problem,
    )


def _record(application: Application, seen: Sequence[Seen], word: Word) -> tuple[list[ReviewItem], dict[str, str]]:
    """What was recorded, and why others were not, by source and document. Raises ConfigError and Retriable when that
    keeps everything from being recorded."""
    recorded: list[ReviewItem] = []
    refused: dict[str, str] = {}
    by_source: dict[str, list[ReviewItem]] = defaultdict(list)
    for name in seen:
        source, doc_id, fingerprint = name
        if (item := _found(application, name)) is None:
            refused[f"{source}: {doc_id}"] = f"{source}: {doc_id} is no candidate any more"
        else:
            by_source[source].append(replace(item, fingerprint=fingerprint))
    problem: ConfigError | Retriable | None = None
    for source, items in by_source.items():
        try:
            done = decide_many(application, source, items, word)
        except (ConfigError, Retriable) as error:  # what was recorded of other sources stays recorded, and is told
            problem = error
            refused |= {f"{source}: {item.doc_id}": str(error) for item in items}
            continue
        recorded += done.items
        refused |= {f"{source}: {doc_id}": why for doc_id, why in done.refused.items()}
    if problem is not None and not recorded:
        raise problem
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
