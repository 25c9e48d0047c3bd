"""Why an answer is what it is: the ranking of a question with every part of every score, and what was left out by
what. Through the one retrieval service, so that `truecopy search --explain` says the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response

from include.domain.errors import Retriable, Skippable, TruecopyError
from include.ops_view.access import Person
from include.ops_view.view import Entry, View
from include.ranking.arrange import below_first
from include.ranking.blend import Weights
from include.ranking.explain import explained, explained_intent
from include.ranking.intent import IntentKind
from include.services.retrieval import Retrieval
from include.wiring.application import Application
from include.wiring.explaining import explain_question

ENTRY = Entry("Explain", "/explain")

PARTS = ("similarity", "recency", "canonical", "pinned", "period")
LEGS = {"dense": "meaning", "bm25": "words"}
MOST_SHOWN = 50
MOST_BELOW = 25
"""So many of those that stand behind the shown ones are on the page; the rest is one click away."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A part of a score as a picture: where it begins and how long it is, in shares of 100, and how much of its weight
    it is."""

    name: str
    value: float
    at: float
    length: float
    share: float


@dataclass(frozen=True, slots=True)
class Row:
    """One candidate. `record` is as in `ranking.explain`. `legs` are those of its best chunk; a leg that did not find
    it is left out."""

    record: Mapping[str, Any]
    bars: Sequence[Bar]

    @property
    def legs(self) -> Mapping[str, Mapping[str, Any]]:
        chunks = self.record["chunks"]
        return chunks[0]["legs"] if chunks else {}

    @property
    def words(self) -> str:
        """What the bar shows, for those who do not see it."""
        parts = ", ".join(f"{bar.name} {bar.value:.3f}" for bar in self.bars if bar.value)
        return f"{self.record['score']:.3f}: {parts or 'nothing'}"


@dataclass(frozen=True, slots=True)
class Ranking:
    """An answered question. `counted` are the parts of the score that count with this intent, with their weights.
    `suppressed` are not shown for a reason of their own, `below` because others stand before them."""

    intent: Mapping[str, Any]
    counted: Mapping[str, float]
    shown: Sequence[Row]
    suppressed: Sequence[Row]
    below: Sequence[Row]

    @property
    def found(self) -> int:
        return len(self.shown) + len(self.suppressed) + len(self.below)


def routes(view: View) -> APIRouter:
    router = APIRouter()

    @router.get("/explain")
    def explain(
        request: Request,
        person: Person = Depends(view.reader),
        q: str = "",
        source: str = "",
        intent: str = "",
        as_of: str = "",
        limit: Annotated[int, Query(ge=1, le=MOST_SHOWN)] = 5,
        everything: bool = False,
    ) -> Response:
        application = view.application()
        ranking, problem, status = None, "", 200
        if q.strip():
            try:
                ranking = _ranking(application, q, source=source, intent=intent, as_of=as_of.strip(), limit=limit)
            except TruecopyError as error:
                problem = str(error)
                status = 422 if isinstance(error, Skippable) else 503 if isinstance(error, Retriable) else 500
        return view.page(
            request,
            person,
            "explain.html",
            status,
            q=q,
            source=source,
            intent=intent,
            as_of=as_of,
            limit=limit,
            everything=everything,
            ranking=ranking,
            problem=problem,
            sources=sorted(application.settings.sources),
            kinds=[kind.value for kind in IntentKind],
            legs=LEGS,
            most_below=MOST_BELOW,
            longest=application.settings.api.longest_query,
        )

    return router


def _ranking(application: Application, q: str, *, source: str, intent: str, as_of: str, limit: int) -> Ranking:
    if source and source not in application.settings.sources:
        raise Skippable(
            f"there is no source {source[:80]!r}; there are {', '.join(sorted(application.settings.sources))}"
        )
    if intent and intent not in set(IntentKind):
        raise Skippable(f"there is no intent {intent[:80]!r}; there are {', '.join(IntentKind)}")
    retrieval = explain_question(
        application,
        q,
        limit=limit,
        sources=[source] if source else sorted(application.settings.sources),
        intent=IntentKind(intent) if intent else None,
        as_of=as_of or None,
    )
    return ranking_of(retrieval, application.policy.weights[retrieval.intent.kind], limit)


def ranking_of(retrieval: Retrieval, weights: Weights, limit: int) -> Ranking:
    weight = {name: float(getattr(weights, name)) for name in PARTS}
    records, below = explained(retrieval.placed), below_first(limit)
    widest = max([sum(record["parts"].values()) for record in records] + [record["score"] for record in records] + [0])
    rows = [Row(record, _bars(record["parts"], weight, widest)) for record in records]
    return Ranking(
        explained_intent(retrieval.intent),
        {name: weight[name] for name in PARTS if weight[name]},
        shown=[row for row in rows if row.record["shown"]],
        suppressed=[row for row in rows if row.record["suppressed"] not in ("", below)],
        below=[row for row in rows if row.record["suppressed"] == below],
    )


def _bars(parts: Mapping[str, float], weight: Mapping[str, float], widest: float) -> list[Bar]:
    bars, at = [], 0.0
    for name in PARTS:
        length = 100 * parts[name] / widest if widest > 0 else 0.0
        bars.append(Bar(name, parts[name], at, length, 100 * parts[name] / weight[name] if weight[name] else 0.0))
        at += length
    return bars
