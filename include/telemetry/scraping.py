"""Gauges about the answer to a scrape itself. They exist only there: what cannot be read sends nothing by itself."""

from __future__ import annotations

from include.domain.manifest import Gauge

SCRAPE_GAUGES: dict[str, str] = {
    "truecopy.sources": "configured sources",
    "truecopy.scrape_failed": "1 if something of the source could not be read for this answer, else 0",
    "truecopy.manifests_unreadable": "records of runs that cannot be read, newer than those that are told here",
}


def scrape_gauge(name: str, value: float, source: str = "") -> Gauge:
    return Gauge(name, float(value), source, SCRAPE_GAUGES[name])
