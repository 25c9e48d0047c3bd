"""What runs remember of their own work: manifests, fences of removed documents, dates that many share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from include.domain.documents import DocumentKey
from include.domain.manifest import DocumentOutcome, Manifest, Removal
from include.domain.provenance import DateCluster


class Manifests(Protocol):
    """Append-only record of runs."""

    def save(self, manifest: Manifest) -> None:
        """Write or replace the manifest of (dag, run, source). Atomic: a reader sees the old or the new one."""
        ...

    def load(self, dag_id: str, run_id: str, source: str) -> Manifest:
        """Raises FileNotFoundError when that run left no manifest for the source."""
        ...

    def save_part(self, manifest: Manifest, part: str) -> None:
        """Outcomes of one of several workers of a run, under a name of its own."""
        ...

    def parts(self, dag_id: str, run_id: str, source: str) -> Mapping[str, Sequence[DocumentOutcome]]:
        """The outcomes that each worker of a run left so far, by the part's name, in the order of names."""
        ...

    def newest_first(
        self, source: str, dag_ids: Sequence[str] = (), *, until: datetime | None = None
    ) -> Iterator[Manifest]:
        """The source's manifests, of these DAGs or of all, read one by one as they are asked for.

        `until` leaves out runs that began later: a clock that was wrong once must not own the word "newest".
        """
        ...

    def comparisons(self, source: str, *, until: datetime) -> Iterator[Manifest]:
        """Manifests of the runs that compared the whole source with the index (`found` is set), newest first, as in
        `newest_first`. However many other runs lie between them, those are not read."""
        ...

    def latest(self, source: str, *, dag_id: str | None = None, limit: int = 1) -> Sequence[Manifest]:
        """Newest first."""
        ...

    def removals(self, source: str, since: datetime) -> Sequence[Removal]:
        """Removals of every DAG since then, released ones left out, killed runs counted with their plan. Takes time for
        the runs that could remove something, not for all."""
        ...


class RemovalMarks(Protocol):
    """Fences of removed documents: a read that began before the removal must not write after it."""

    def put(self, key: DocumentKey, fence: datetime) -> None: ...

    def fence_of(self, key: DocumentKey) -> datetime | None: ...


class DateClusters(Protocol):
    """Dates that too many documents of a source share, as the last look at the whole source found them."""

    def of(self, source: str) -> Sequence[DateCluster]: ...

    def put(self, source: str, clusters: Sequence[DateCluster]) -> None:
        """In place of what was known of the source."""
        ...
