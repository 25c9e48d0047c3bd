"""Gauges as Prometheus reads them, and as plain StatsD names them: one number, one name, whichever way it leaves.

rag.orphan_docs.found of docs-site   airflow.rag.orphan_docs.found,source=docs-site   StatsD with tags, OpenTelemetry
                                     airflow.rag.orphan_docs.found.docs_site          plain StatsD, which has no tags
                                     rag_orphan_docs_found{source="docs-site"}        Prometheus
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from include.domain.manifest import Gauge

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_]")


def prometheus_name(name: str) -> str:
    return _slug(name)


def tags_of(gauge: Gauge) -> dict[str, str]:
    """Empty for a number that belongs to no source and has no labels."""
    return {**({"source": gauge.source} if gauge.source else {}), **dict(gauge.labels)}


def plain_name(gauge: Gauge) -> str:
    """With the values of the tags as its end, or the sources would overwrite each other."""
    return ".".join((gauge.name, *map(_slug, tags_of(gauge).values())))


def exposition(gauges: Iterable[Gauge]) -> bytes:
    """The text format 0.0.4. Of two gauges with one name and the same labels the later one counts."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Told(gauges))
    return generate_latest(registry)


class _Told(Collector):
    def __init__(self, gauges: Iterable[Gauge]) -> None:
        self._gauges = {(gauge.name, gauge.source, gauge.labels): gauge for gauge in gauges}

    def collect(self) -> Iterator[Metric]:
        by_name: dict[str, list[Gauge]] = {}
        for gauge in self._gauges.values():
            by_name.setdefault(gauge.name, []).append(gauge)
        for name, same in sorted(by_name.items()):
            # A label with an empty value is to Prometheus one that is not there.
            labels = list(dict.fromkeys(label for gauge in same for label in tags_of(gauge)))
            family = GaugeMetricFamily(prometheus_name(name), same[0].help or name, labels=labels)
            for gauge in same:
                tags = tags_of(gauge)
                family.add_metric([tags.get(label, "") for label in labels], gauge.value)
            yield family


def _slug(text: str) -> str:
    return _NOT_IN_A_NAME.sub("_", text)
