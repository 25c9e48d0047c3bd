"""Candidates for the trash can: what waits, one of them beside what replaces it, and a person's decision.

A decision goes the road of `truecopy review`: recorded in the ledger by the same functions, in the name of whoever is
logged in, on the evidence that was on the screen. Who comes second is told what the first one said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Form, HTTPException, Query, Request, Response

from include.domain.errors import ConfigError, DecisionConflict, Retriable, TruecopyError
from include.domain.review import Disposition, Queue, ReviewItem
from include.ops_view.access import Person
from include.ops_view.paging import Pager
from include.ops_view.view import Entry, View, path_of
from include.services.apply_dispositions import APPLY
from include.services.reviewing import Word, surest_first
from include.staleness.diff import side_by_side
from include.staleness.evidence import Signal
from include.wiring.application import Application
from include.wiring.review import candidate_of, decide_for_person, queue_of, settled_of

ENTRY = Entry("Review", "/review")

DECIDES = APPLY
"""Who may start this DAG, which carries decisions out, may decide."""

PAGE_SIZE = 50
LEFT_ALONE = timedelta(days=180)

State = Literal["open", "decided", "settled"]
STATES: tuple[State, ...] = ("open", "decided", "settled")


@dataclass(frozen=True, slots=True)
class Choice:
    """A disposition as it is offered. `key` chooses it; `follows` means that the evidence is reason enough for it."""

    disposition: Disposition
    key: str
    label: str
    meaning: str
    follows: bool


CHOICES = (
    Choice(Disposition.APPROVE_PURGE, "p", "Purge", "take it away for good", follows=True),
    Choice(Disposition.KEEP, "y", "Keep", "it is right; it does not come back for the same evidence", follows=False),
    Choice(Disposition.ARCHIVE, "a", "Archive", "readers no longer find it, and it stays where it is", follows=True),
    Choice(Disposition.SUPERSEDE_LINK, "l", "Link", "something else is to be read instead", follows=True),
    Choice(Disposition.EXTEND, "e", "Extend", "leave it alone until a day", follows=False),
)


@dataclass(frozen=True, slots=True)
class Filter:
    """Which candidates are meant. Empty fields choose all."""

    source: str = ""
    q: str = ""
    signal: str = ""

    def chooses(self, item: ReviewItem) -> bool:
        wanted = self.q.casefold()
        texts = (item.doc_id, item.title, item.url, item.replacement)
        return (
            (not self.source or item.source == self.source)
            and (not self.signal or any(each.signal == self.signal for each in item.evidence))
            and (not wanted or any(wanted in text.casefold() for text in texts))
        )

    @property
    def query(self) -> dict[str, str]:
        """For links that keep it."""
        named = {"among": self.source, "q": self.q, "signal": self.signal}
        return {name: value for name, value in named.items() if value}


def asked_filter(among: str = "", q: str = "", signal: str = "") -> Filter:
    """From the query of a page. `among` is a source; in a page's path `source` is another word."""
    return Filter(among, q.strip(), signal)


Chosen = Annotated[Filter, Depends(asked_filter)]


@dataclass(frozen=True, slots=True)
class Shelf:
    """The items of all sources in one state, in the order in which people look at them, and what cannot be read.
    `counts` are those of each state; what was settled is counted only where it is asked for, for it gets ever more."""

    items: Sequence[ReviewItem]
    unreadable: Sequence[str]
    counts: Mapping[str, int] = field(default_factory=dict)


def routes(view: View) -> APIRouter:
    router = APIRouter()

    @router.get("/review")
    def review(
        request: Request,
        chosen: Chosen,
        person: Person = Depends(view.reader),
        state: State = "open",
        page: Annotated[int, Query(ge=1, le=100_000)] = 1,
        after: str = "",
        of: str = "",
    ) -> Response:
        application = view.application()
        shelf = shelf_of(application, chosen, state)
        items = shelf.items[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
        more, total = len(shelf.items) > page * PAGE_SIZE, len(shelf.items)
        pager = Pager(("review",), {"state": state, **chosen.query}, page, PAGE_SIZE, len(items), more, total)
        return view.page(
            request,
            person,
            "review.html",
            items=items,
            pager=pager,
            total=total,
            shelf=shelf,
            state=state,
            states=STATES,
            chosen=chosen,
            sources=sorted(application.settings.sources),
            signals=[each.value for each in Signal],
            choices=CHOICES,
            decides=DECIDES,
            recorded=_standing(application, of, after),
            until=(application.clock.now() + LEFT_ALONE).date().isoformat(),
        )

    @router.get("/review/{source}/{doc_id:path}")
    def one(
        source: str,
        doc_id: str,
        request: Request,
        chosen: Chosen,
        person: Person = Depends(view.reader),
        after: str = "",
        of: str = "",
    ) -> Response:
        application = view.application()
        return _shown(view, request, person, source, doc_id, chosen, recorded=_standing(application, of, after))

    @router.post("/review/{source}/{doc_id:path}")
    def decide(
        source: str,
        doc_id: str,
        request: Request,
        chosen: Chosen,
        disposition: Annotated[str, Form()] = "",
        reason: Annotated[str, Form()] = "",
        until: Annotated[str, Form()] = "",
        superseded_by: Annotated[str, Form()] = "",
        fingerprint: Annotated[str, Form()] = "",
        overrule: Annotated[bool, Form()] = False,
        person: Person = Depends(view.decider(DECIDES)),
    ) -> Response:
        application = view.application()
        typed = {"disposition": disposition, "reason": reason, "until": until, "superseded_by": superseded_by}
        onwards = _onwards(application, chosen, source, doc_id)
        try:
            word = word_of(typed, person, fingerprint=fingerprint, overrule=overrule)
            decide_for_person(application, source, doc_id, word)
        except DecisionConflict as error:
            return _shown(view, request, person, source, doc_id, chosen, typed=typed, conflict=str(error), status=409)
        except (ConfigError, Retriable) as error:
            status = 503 if isinstance(error, Retriable) else 422
            return _shown(view, request, person, source, doc_id, chosen, typed=typed, problem=str(error), status=status)
        return view.back_to(request, onwards, **chosen.query, of=source, after=doc_id)

    return router


def shelf_of(application: Application, chosen: Filter, state: State = "open") -> Shelf:
    """A source whose records cannot be read keeps no other from being shown."""
    found: dict[State, list[ReviewItem]] = {name: [] for name in STATES}
    unreadable: list[str] = []
    for source in [chosen.source] if chosen.source else sorted(application.settings.sources):
        try:
            queue = queue_of(application, source)
            past = settled_of(application, source) if state == "settled" else Queue(source)
        except (TruecopyError, OSError, ValueError) as error:
            unreadable.append(f"{source}: {error}")
            continue
        unreadable += [str(each) for each in (*queue.unreadable, *past.unreadable)]
        found["open"] += filter(chosen.chooses, queue.open)
        found["decided"] += filter(chosen.chooses, queue.decided)
        found["settled"] += filter(chosen.chooses, past.items)
    items = surest_first(found["open"]) if state == "open" else sorted(found[state], key=_decided_at, reverse=True)
    read = [name for name in STATES if name != "settled" or state == "settled"]
    return Shelf(items, unreadable, {name: len(found[name]) for name in read})


def word_of(typed: Mapping[str, str], person: Person, *, fingerprint: str = "", overrule: bool = False) -> Word:
    """Raises ConfigError for a disposition that is none. A field that belongs to another one is left out: it may have
    been filled in before the person thought again."""
    try:
        disposition = Disposition(typed["disposition"])
    except ValueError:
        raise ConfigError("Say what is to become of it: choose one of the five.") from None
    return Word(
        disposition,
        person.name,
        " ".join(typed["reason"].split()),
        typed["until"] if disposition is Disposition.EXTEND else "",
        typed["superseded_by"].strip() if disposition is Disposition.SUPERSEDE_LINK else "",
        fingerprint,
        overrule,
    )


def _shown(
    view: View,
    request: Request,
    person: Person,
    source: str,
    doc_id: str,
    chosen: Filter,
    *,
    typed: Mapping[str, str] | None = None,
    conflict: str = "",
    problem: str = "",
    recorded: ReviewItem | None = None,
    status: int = 200,
) -> Response:
    application = view.application()
    item, is_settled = _item(application, source, doc_id)
    waiting = shelf_of(application, chosen).items
    place = next((at for at, each in enumerate(waiting) if _is(each, source, doc_id)), None)
    return view.page(
        request,
        person,
        "review_item.html",
        status,
        item=item,
        is_settled=is_settled,
        sides=side_by_side(item.diff),
        place=place,
        waiting=len(waiting),
        before=waiting[place - 1] if place else None,
        following=_following(waiting, source, doc_id),
        chosen=chosen,
        choices=CHOICES,
        decides=DECIDES,
        typed=typed or dict.fromkeys(("disposition", "reason", "until", "superseded_by"), ""),
        conflict=conflict,
        problem=problem,
        recorded=recorded,
        until=(application.clock.now() + LEFT_ALONE).date().isoformat(),
        path_to=lambda other: f"{path_of('review', other.source, other.doc_id, **chosen.query)}",
    )


def _item(application: Application, source: str, doc_id: str) -> tuple[ReviewItem, bool]:
    """The one in the queue, else the last that was settled, and whether it is that. Raises HTTPException."""
    if source not in application.settings.sources:
        raise HTTPException(404, f"There is no source {source!r} in the settings.")
    try:
        return candidate_of(application, source, doc_id), False
    except ConfigError as error:
        past = [each for each in settled_of(application, source).items if each.doc_id == doc_id]
        if not past:
            raise HTTPException(404, str(error)) from None
        return past[-1], True


def _standing(application: Application, source: str, doc_id: str) -> ReviewItem | None:
    """What was just decided, as the ledger has it; None where it says nothing."""
    if not doc_id or source not in application.settings.sources:
        return None
    try:
        item = candidate_of(application, source, doc_id)
    except ConfigError:
        return None
    return item if item.decision else None


def _onwards(application: Application, chosen: Filter, source: str, doc_id: str) -> str:
    """Where a person goes on after a decision: to the next candidate, or back to the list of none."""
    following = _following(shelf_of(application, chosen).items, source, doc_id)
    return path_of("review", following.source, following.doc_id) if following else "/review"


def _following(waiting: Sequence[ReviewItem], source: str, doc_id: str) -> ReviewItem | None:
    """The next of those that wait, the first after the last; None where there is no other."""
    place = next((at for at, each in enumerate(waiting) if _is(each, source, doc_id)), -1)
    others = [*waiting[place + 1 :], *waiting[: max(place, 0)]]
    return others[0] if others else None


def _is(item: ReviewItem, source: str, doc_id: str) -> bool:
    return item.source == source and item.doc_id == doc_id


def _decided_at(item: ReviewItem) -> tuple[str, str]:
    return (item.applied.at if item.applied else item.decision.at if item.decision else "", item.doc_id)
