"""What is remembered of alike dates, in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from include.domain.provenance import DateCluster


@dataclass
class FakeDateClusters:
    found: dict[str, tuple[DateCluster, ...]] = field(default_factory=dict)

    def of(self, source: str) -> Sequence[DateCluster]:
        return self.found.get(source, ())

    def put(self, source: str, clusters: Sequence[DateCluster]) -> None:
        self.found[source] = tuple(clusters)
