"""Manifests on the state root.

    manifests/<dag>/<run>/<source>/manifest.json      everything about the run, and the documents that need attention
    manifests/<dag>/<run>/<source>/documents.parquet  the outcome of every document
    manifests/by-source/<source>/<started>~<dag>~<run>   an empty file: the order of a source's runs, without a database

Run ids and DAG ids are percent-encoded in names.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from itertools import islice
from urllib.parse import quote, unquote

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import TypeAdapter

from include.domain.dates import from_rfc3339, rfc3339
from include.domain.manifest import DocumentOutcome, DocumentState, Manifest, Removal, RunState
from include.records.state import StateRoot

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
    ]
)


class FileManifests:
    """Implements ports.Manifests."""

    def __init__(self, state: StateRoot) -> None:
        self._state = state

    def save(self, manifest: Manifest) -> None:
        folder = _folder(manifest.dag_id, manifest.run_id, manifest.source)
        self._state.write(f"{folder}/documents.parquet", _to_parquet(manifest.outcomes))

        record = _MANIFEST.dump_python(replace(manifest, outcomes=()), mode="json")
        record["attention"] = [asdict(o) for o in manifest.outcomes if o.state in _ATTENTION]
        record["documents_by_state"] = {
            state.value: manifest.count(state) for state in DocumentState if manifest.count(state)
        }
        self._state.write(f"{folder}/manifest.json", json.dumps(record, indent=1, ensure_ascii=False).encode())
        self._state.write(f"manifests/by-source/{manifest.source}/{_order(manifest)}", b"")

    def load(self, dag_id: str, run_id: str, source: str) -> Manifest:
        """Raises FileNotFoundError when that run left no manifest for the source."""
        return self._read(_folder(dag_id, run_id, source))

    def save_part(self, manifest: Manifest, part: str) -> None:
        folder = _folder(manifest.dag_id, manifest.run_id, manifest.source)
        self._state.write(f"{folder}/parts/{_name(part)}.parquet", _to_parquet(manifest.outcomes))

    def parts(self, dag_id: str, run_id: str, source: str) -> Mapping[str, Sequence[DocumentOutcome]]:
        folder = f"{_folder(dag_id, run_id, source)}/parts"
        names = self._state.names(folder)
        return {unquote(name.removesuffix(".parquet")): self._outcomes(f"{folder}/{name}") for name in names}

    def newest_first(self, source: str, dag_ids: Sequence[str] = ()) -> Iterator[Manifest]:
        for _, dag, run in reversed(self._runs(source)):
            if not dag_ids or dag in dag_ids:
                try:
                    yield self._read(_folder(dag, run, source))
                except FileNotFoundError:
                    continue  # tidied away by somebody; the others still count

    def latest(self, source: str, *, dag_id: str | None = None, limit: int = 1) -> Sequence[Manifest]:
        return list(islice(self.newest_first(source, (dag_id,) if dag_id else ()), limit))

    def removals(self, source: str, since: datetime) -> Sequence[Removal]:
        removals = []
        for started, dag, run in self._runs(source):
            # A run may have removed long after it started, hence the day of grace in this cheap first look.
            if (since - started).total_seconds() > 86_400:
                continue
            manifest = self._read(_folder(dag, run, source))
            documents = _removed(manifest)
            if documents and not manifest.released:
                removals.append(Removal(manifest.finished_at or manifest.started_at, documents, run))
        return removals

    def _runs(self, source: str) -> list[tuple[datetime, str, str]]:
        runs = []
        for name in self._state.names(f"manifests/by-source/{source}"):
            started, dag, run = name.split("~", 2)
            runs.append((from_rfc3339(unquote(started)), unquote(dag), unquote(run)))
        return sorted(runs)

    def _read(self, folder: str) -> Manifest:
        record = json.loads(self._state.read(f"{folder}/manifest.json"))
        record.pop("attention", None)
        record.pop("documents_by_state", None)
        manifest: Manifest = _MANIFEST.validate_python(record)
        return replace(manifest, outcomes=tuple(self._outcomes(f"{folder}/documents.parquet")))

    def _outcomes(self, path: str) -> list[DocumentOutcome]:
        rows = pq.read_table(io.BytesIO(self._state.read(path))).to_pylist()
        return [DocumentOutcome(**{**row, "state": DocumentState(row["state"])}) for row in rows]


def _to_parquet(outcomes: Sequence[DocumentOutcome]) -> bytes:
    table = pa.Table.from_pylist([asdict(outcome) for outcome in outcomes], schema=_DOCUMENTS)
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    return buffer.getvalue()


def _removed(manifest: Manifest) -> int:
    # A run that was killed or broke off cannot say what it removed; whatever it was allowed to counts as removed.
    if manifest.state in (RunState.RUNNING, RunState.FAILED):
        return manifest.planned_removals
    return manifest.count(DocumentState.DELETED)


def _folder(dag_id: str, run_id: str, source: str) -> str:
    return f"manifests/{_name(dag_id)}/{_name(run_id)}/{source}"


def _order(manifest: Manifest) -> str:
    return "~".join((_name(rfc3339(manifest.started_at)), _name(manifest.dag_id), _name(manifest.run_id)))


def _name(text: str) -> str:
    return quote(text, safe="").replace("~", "%7E")
