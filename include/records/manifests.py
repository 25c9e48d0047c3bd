"""Manifests on the state root.

    manifests/<dag>/<run>/<source>/manifest.json      everything about the run, and the documents that need attention
    manifests/<dag>/<run>/<source>/documents.parquet  the outcome of every document
    manifests/by-source/<source>/<started>~<dag>~<run>   an empty file: the order of a source's runs, without a database
    manifests/comparisons-by-source/…                 the same for runs that compared the whole source with the index
    manifests/removals-by-source/…                    the same for runs that were allowed to remove or retire something

The last two are there because a source with webhooks has thousands of runs a week, and the gate asks for few of them.
Run ids and DAG ids are percent-encoded in names.
"""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import TypeAdapter

from include.domain.dates import from_rfc3339, rfc3339
from include.domain.manifest import DocumentOutcome, DocumentState, Manifest, Removal, RunHead
from include.ports.erasing import Tombstones
from include.records.names import file_name
from include.records.state import StateRoot

log = logging.getLogger(__name__)

RUNS = "manifests/by-source"
_COMPARISONS = "manifests/comparisons-by-source"
_REMOVALS = "manifests/removals-by-source"
_MANIFEST = TypeAdapter(Manifest)
_ATTENTION = (
    DocumentState.FAILED,
    DocumentState.KEPT,
    DocumentState.HELD,
    DocumentState.VANISHED,
    DocumentState.WITHDRAWN,
)
_DOCUMENTS = pa.schema(
    [
        ("doc_id", pa.string()),
        ("state", pa.string()),
        ("detail", pa.string()),
        ("version", pa.string()),
        ("chunks", pa.int64()),
        ("embedded", pa.int64()),
        ("reused", pa.int64()),
        ("minimum", pa.int64()),
        ("version_before", pa.string()),
    ]
)


class RunName(NamedTuple):
    """A run of a source by the names of its folders, which are its ids as records.names spells them."""

    started: datetime
    dag: str
    run: str


class FileManifests:
    """Implements ports.Manifests."""

    def __init__(self, state: StateRoot, tombstones: Tombstones | None = None) -> None:
        """With `tombstones` a run that was at work when a document was erased does not name it at its end."""
        self._state = state
        self._tombstones = tombstones

    def save(self, manifest: Manifest) -> None:
        manifest = self._nameless(manifest)
        folder = run_folder(manifest.dag_id, manifest.run_id, manifest.source)
        self._state.write(f"{folder}/documents.parquet", _to_parquet(manifest.outcomes))

        record = _MANIFEST.dump_python(replace(manifest, outcomes=()), mode="json")
        record["attention"] = [asdict(o) for o in manifest.outcomes if o.state in _ATTENTION]
        head = RunHead.of(manifest)
        record["documents_by_state"] = {state.value: number for state, number in head.counts.items()}
        record["chunks_of_all"] = {"embedded": head.embedded, "reused": head.reused, "minimum": head.minimum}
        self._state.write(f"{folder}/manifest.json", json.dumps(record, indent=1, ensure_ascii=False).encode())
        orders = [RUNS]
        if manifest.found is not None:
            orders.append(_COMPARISONS)
        if manifest.planned_removals or manifest.planned_retirements or not manifest.removal.is_none:
            orders.append(_REMOVALS)
        for order in orders:
            self._state.write(f"{order}/{manifest.source}/{_order(manifest)}", b"")

    def load(self, dag_id: str, run_id: str, source: str) -> Manifest:
        """Raises FileNotFoundError when that run left no manifest for the source."""
        return self._read(run_folder(dag_id, run_id, source))

    def save_part(self, manifest: Manifest, part: str) -> None:
        folder = run_folder(manifest.dag_id, manifest.run_id, manifest.source)
        outcomes = self._nameless(manifest).outcomes
        self._state.write(f"{folder}/parts/{file_name(part)}.parquet", _to_parquet(outcomes))

    def parts(self, dag_id: str, run_id: str, source: str) -> Mapping[str, Sequence[DocumentOutcome]]:
        folder = f"{run_folder(dag_id, run_id, source)}/parts"
        names = self._state.names(folder)
        return {unquote(name.removesuffix(".parquet")): self._outcomes(f"{folder}/{name}") for name in names}

    def newest_first(
        self, source: str, dag_ids: Sequence[str] = (), *, until: datetime | None = None
    ) -> Iterator[Manifest]:
        wanted = {file_name(dag_id) for dag_id in dag_ids}
        runs = [run for run in self._runs(source) if not wanted or run.dag in wanted]
        return self._newest_first(runs, source, until)

    def comparisons(self, source: str, *, until: datetime) -> Iterator[Manifest]:
        return self._newest_first(self._runs(source, _COMPARISONS), source, until)

    def latest(self, source: str, *, dag_id: str | None = None, limit: int = 1) -> Sequence[Manifest]:
        return list(islice(self.newest_first(source, (dag_id,) if dag_id else ()), limit))

    def removals(self, source: str, since: datetime) -> Sequence[Removal]:
        removals = []
        for run in self._runs(source, _REMOVALS):
            # A run may have removed long after it started, hence the day of grace in this cheap first look.
            if (since - run.started).total_seconds() > 86_400:
                continue
            manifest = self._readable(run, source)
            if manifest is None or manifest.released:
                continue
            if not manifest.removal.is_none:
                removals.append(manifest.removal)
        return removals

    def _nameless(self, manifest: Manifest) -> Manifest:
        if self._tombstones is None:
            return manifest
        named = [each.doc_id for each in manifest.outcomes] + [each.doc_id for each in manifest.held]
        marks = self._tombstones.marks_among(manifest.source, named)
        if not marks:
            return manifest
        outcomes = tuple(
            replace(each, doc_id=marks[each.doc_id], detail="erased") if each.doc_id in marks else each
            for each in manifest.outcomes
        )
        held = tuple(
            replace(each, doc_id=marks[each.doc_id]) if each.doc_id in marks else each for each in manifest.held
        )
        return replace(manifest, outcomes=outcomes, held=held)

    def _newest_first(self, runs: Sequence[RunName], source: str, until: datetime | None) -> Iterator[Manifest]:
        for run in reversed(runs):
            if until is not None and run.started > until:
                continue
            manifest = self._readable(run, source)
            if manifest is not None:
                yield manifest

    def _runs(self, source: str, order: str = RUNS) -> list[RunName]:
        return run_names(self._state, source, order)

    def _readable(self, run: RunName, source: str) -> Manifest | None:
        """None for a record that was tidied away or damaged: one lost record must not stop the nights after it."""
        folder = f"manifests/{run.dag}/{run.run}/{source}"
        try:
            return self._read(folder)
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, pa.ArrowException) as error:
            log.warning("%s cannot be read and is passed over: %s", folder, error)
            return None

    def _read(self, folder: str) -> Manifest:
        head = head_of(self._state.read(f"{folder}/manifest.json"))
        return replace(head.manifest, outcomes=tuple(self._outcomes(f"{folder}/documents.parquet")))

    def _outcomes(self, path: str) -> list[DocumentOutcome]:
        return outcomes_of(pq.read_table(io.BytesIO(self._state.read(path))))


def run_names(state: StateRoot, source: str, order: str = RUNS) -> list[RunName]:
    """Oldest first. A file that is none of ours is passed over."""
    runs = []
    for name in state.names(f"{order}/{source}"):
        try:
            started, dag, run = name.split("~", 2)
            runs.append(RunName(from_rfc3339(unquote(started)), dag, run))
        except ValueError:
            log.warning("%s/%s/%s is no run's name; it is passed over", order, source, name)
    return sorted(runs)


def head_of(data: bytes) -> RunHead:
    """What a manifest.json says. Raises ValueError for one that is damaged."""
    record = json.loads(data)
    beside = {name: record.pop(name, None) or {} for name in ("attention", "documents_by_state", "chunks_of_all")}
    counts = {DocumentState(state): number for state, number in beside["documents_by_state"].items()}
    return RunHead(_MANIFEST.validate_python(record), counts, **beside["chunks_of_all"])


def outcomes_of(table: pa.Table) -> list[DocumentOutcome]:
    return [DocumentOutcome(**{**row, "state": DocumentState(row["state"])}) for row in table.to_pylist()]


def runrun_folder(dag_id: str, run_id: str, source: str) -> str:
    """Where one run over one source left its files."""
    return f"manifests/{file_name(dag_id)}/{file_name(run_id)}/{source}"


def _to_parquet(outcomes: Sequence[DocumentOutcome]) -> bytes:
    table = pa.Table.from_pylist([asdict(outcome) for outcome in outcomes], schema=_DOCUMENTS)
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    return buffer.getvalue()


def run_folder(dag_id: str, run_id: str, source: str) -> str:
    """Where one run over one source left its files."""
    return f"manifests/{file_name(dag_id)}/{file_name(run_id)}/{source}"


def _order(manifest: Manifest) -> str:
    return "~".join((file_name(rfc3339(manifest.started_at)), file_name(manifest.dag_id), file_name(manifest.run_id)))
