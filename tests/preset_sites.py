"""A content system behind each preset: a dozen published documents, a connector over real HTTP, an index and nights."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from include.connectors.http_json import HttpJsonConnector
from include.connectors.http_options import HttpJsonOptions
from include.connectors.registry import check
from include.domain.documents import Status
from include.domain.manifest import Manifest
from include.services.context import SourceContext
from tests.builders import context_of, night
from tests.connector_sources import TurnableClock, http_server
from tests.fakes.cms_editors import CmsModel
from tests.fakes.cms_models import MODELS
from tests.fakes.index import FakeIndexStore, FakePoint

LIVING = 12  # one removal of twelve is below the limit of 10 %
FAST = {"retries": 1, "requests_per_second": 1000, "burst": 1000}


@dataclass
class TickingClock(TurnableClock):
    """Each look is a little later, so that no two reads of a source share a fence."""

    def now(self) -> datetime:
        self.elapsed += 1e-5
        return super().now()

    def turn(self, hours: float) -> None:
        self.elapsed += 3600 * hours


@dataclass
class Site:
    """A model with a dozen published documents and `one`, which the test is about."""

    cms: CmsModel
    connector: HttpJsonConnector
    context: SourceContext
    store: FakeIndexStore
    clock: TickingClock
    nights: int = 0

    @property
    def one(self) -> str:
        return self.cms.name(7)

    def night(self) -> Manifest:
        self.clock.turn(hours=24)
        self.nights += 1
        return night(self.context, f"night-{self.nights}")

    def indexed(self) -> dict[str, tuple[str, object, object]]:
        """Text, address and title of each document that the index shows."""
        found: dict[str, list[FakePoint]] = {}
        for point in self.store.points.values():
            if point.payload["status"] == Status.PUBLISHED:
                found.setdefault(str(point.payload["doc_id"]), []).append(point)
        return {
            doc_id: (
                "\n".join(sorted(str(point.payload["text"]) for point in points)),
                points[0].payload["url"],
                points[0].payload["title"],
            )
            for doc_id, points in found.items()
        }


def as_anybody(preset: str) -> str | None:
    """The credential of one who sees what everybody sees: none where the API is open, else the reader's key."""
    return None if preset == "zendesk_guide" else "right"


@contextmanager
def site_of(preset: str, *, key: str | None = "right", cms: CmsModel | None = None, **overlay: Any) -> Iterator[Site]:
    """A site on a model, served while the block lasts."""
    cms = cms or MODELS[preset](TickingClock())
    with http_server(cms.answer) as url:
        yield site_at(url, cms, key=key, **overlay)


def site_at(url: str, cms: CmsModel, *, key: str | None, **overlay: Any) -> Site:
    """A site whose dozen documents are published now, read by a user of the preset who has this key."""
    clock = cms.clock
    assert isinstance(clock, TickingClock)
    for number in range(LIVING):
        cms.write(cms.name(number), f"text of {number}")
        cms.publish(cms.name(number))
    clock.turn(hours=1)
    given = {"preset": cms.preset, "base_url": f"{url}{cms.path}", "http": FAST, **laid_over(cms.overlay, overlay)}
    options = check("http_json", "cms", given)
    assert isinstance(options, HttpJsonOptions)
    credentials = cms.credentials(key) if key else None
    connector = HttpJsonConnector("cms", options, clock=clock, credentials=credentials, pace=clock)
    store = FakeIndexStore()
    return Site(cms, connector, context_of(connector, store=store, clock=clock), store, clock)


def laid_over(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    both = {
        key: laid_over(below[key], above[key]) for key in below.keys() & above.keys() if isinstance(above[key], dict)
    }
    return {**below, **above, **both}
