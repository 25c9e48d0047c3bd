"""Is each index true right now: a card a source, and a page for each with the trend of every gauge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from fastapi import APIRouter, Depends, HTTPException, Request, Response

from include.domain.date_candidates import DateField
from include.domain.dates import from_rfc3339
from include.domain.manifest import Findings, Manifest
from include.domain.plan import HeldPlan
from include.ops_view.access import Person
from include.ops_view.charts import Chart, chart_of
from include.ops_view.shown import span
from include.ops_view.view import Entry, View
from include.telemetry.gauges import GAUGES
from include.telemetry.standing import Truth
from include.wiring.application import Application
from include.wiring.standing import Standing, standing_of, trend

ENTRY = Entry("Overview", "/")

HEADLINE = {
    Truth.TRUE: "True",
    Truth.DEGRADED: "True, not whole",
    Truth.HELD: "Waits for a person",
    Truth.DOUBTFUL: "Not proven last night",
    Truth.AGED: "Not proven for {}",
    Truth.NEVER: "Never proven",
}
ORDER = tuple(reversed(Truth))
"""The worst first: that is what somebody came for."""

ON_A_CARD = ("rag.docs", "rag.chunks", "rag.stale_docs.found", "rag.orphan_docs.found")
FOUND = ("orphan", "stale", "partial", "missing")


@dataclass(frozen=True, slots=True)
class Held:
    """What waits for a person, as a card names it."""

    plan: HeldPlan
    since: datetime


@dataclass(frozen=True, slots=True)
class DateTrust:
    """Documents of a source by how far their creation date can be trusted. The shares are of `documents`, 0 to 1."""

    documents: int
    high: int
    low: int

    @property
    def unknown(self) -> int:
        return self.documents - self.high - self.low

    @property
    def parts(self) -> list[tuple[str, int, float, float]]:
        """Name, documents, where its bar begins and how long it is, in shares of 100."""
        parts, at = [], 0.0
        for name, number in (("high", self.high), ("low", self.low), ("unknown", self.unknown)):
            length = 100.0 * number / self.documents
            parts.append((name, number, at, length))
            at += length
        return parts


@dataclass(frozen=True, slots=True)
class Card:
    standing: Standing
    headline: str
    proven_at: datetime | None
    counted: Manifest | None
    left: Findings | None
    held: Sequence[Held]
    dates: DateTrust | None
    charts: Sequence[Chart]

    @property
    def source(self) -> str:
        return self.standing.source


def routes(view: View) -> APIRouter:
    router = APIRouter()

    @router.get("/")
    def overview(request: Request, person: Person = Depends(view.reader)) -> Response:
        application = view.application()
        cards = [card_of(application, source) for source in application.settings.sources]
        cards.sort(key=lambda card: (ORDER.index(card.standing.truth), card.source))
        fine = sum(card.standing.truth is Truth.TRUE for card in cards)
        return view.page(request, person, "overview.html", cards=cards, fine=fine, now=application.clock.now())

    @router.get("/sources/{source}")
    def source_page(source: str, request: Request, person: Person = Depends(view.reader)) -> Response:
        application = view.application()
        if source not in application.settings.sources:
            raise HTTPException(404, f"There is no source {source!r} in the settings.")
        card = card_of(application, source)
        charts = charts_of(card.standing, tuple(GAUGES), application.clock.now())
        return view.page(request, person, "source.html", card=card, charts=charts)

    return router


def card_of(application: Application, source: str) -> Card:
    standing, now = standing_of(application, source), application.clock.now()
    proven_at = standing.proven.finished_at if standing.proven else None
    # A night that broke off has counted nothing; the newest that did says how much there is.
    counted = next((head.manifest for head in standing.nights if head.manifest.documents is not None), None)
    return Card(
        standing,
        HEADLINE[standing.truth].format(span(now - proven_at) if proven_at else "a day"),
        proven_at,
        counted,
        counted.remaining if counted else None,
        [Held(plan, from_rfc3339(plan.first_held_at)) for plan in standing.held],
        date_trust(counted),
        charts_of(standing, ON_A_CARD, now),
    )


def charts_of(standing: Standing, names: Sequence[str], now: datetime) -> list[Chart]:
    told = trend(standing, now)
    return [chart_of(name, GAUGES[name], told[name]) for name in names if name in told]


def date_trust(manifest: Manifest | None) -> DateTrust | None:
    """None where no run has counted dates, or there is no document."""
    if manifest is None or manifest.dates is None or not manifest.dates.documents:
        return None
    shares = [each for each in manifest.dates.shares if each.field is DateField.CREATED]
    high, low = (sum(each.documents for each in shares if each.trust == trust) for trust in ("high", "low"))
    return DateTrust(manifest.dates.documents, high, low)
