"""Taking an erased document out of the files below the state root: runs keep their counts, and lose its name.

Manifests and their Parquet, the query log, deliveries of webhooks, evaluations: a row about the document stays a row,
under the mark of its tombstone. What is not changed is not written. A line that another process appends to the same
file in the same millisecond may be lost.
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from include.domain.erasure import Ending, PlaceReport, Trace
from include.planning.scrubbing import Scrubber
from include.records.removal_marks import mark_path
from include.records.state import StateRoot


class StateFiles:
    """Implements ports.erasing.Place for the files below one folder of the state root."""

    def __init__(self, state: StateRoot, name: str, folder: str) -> None:
        self._state = state
        self._folder = folder
        self.name = name

    def clear(self, traces: Sequence[Trace]) -> PlaceReport:
        scrubber = Scrubber(traces)
        before = after = 0
        for path in self._state.walk(self._folder):
            source = _source_of(path, traces)
            try:
                data = self._state.read(path)
            except FileNotFoundError:
                continue
            clean = _clean(path, data, scrubber, source)
            if clean != data:
                before += 1
                self._state.write(path, clean)
                after += _clean(path, self._state.read(path), scrubber, source) != clean
        return PlaceReport(self.name, Ending.CLEARED if before else Ending.NOTHING, before=before, after=after)


class RemovalMarkFiles:
    """Implements ports.erasing.Place for the fences of removed documents, whose names are hashes that can be guessed.
    The tombstone is the fence from now on."""

    name = "removal marks"

    def __init__(self, state: StateRoot) -> None:
        self._state = state

    def clear(self, traces: Sequence[Trace]) -> PlaceReport:
        before = 0
        for trace in traces:
            try:
                self._state.remove(mark_path(trace.key))
            except FileNotFoundError:
                continue
            before += 1
        return PlaceReport(self.name, Ending.CLEARED if before else Ending.NOTHING, before=before)


def _source_of(path: str, traces: Sequence[Trace]) -> str:
    """The source that a file is about, as its place says; another name than any of ours where it is about another."""
    parts = {PurePosixPath(path).stem, *PurePosixPath(path).parts}
    return next((trace.key.source for trace in traces if trace.key.source in parts), "\0")


def _clean(path: str, data: bytes, scrubber: Scrubber, source: str) -> bytes:
    """The data themselves where there is nothing to clear. A file that is not what its name says is taken as text."""
    suffix = PurePosixPath(path).suffix
    if suffix != ".parquet" and not scrubber.concerns(data):
        return data
    try:
        match suffix:
            case ".json":
                return _json(data, scrubber, source)
            case ".jsonl":
                lines = [_json(line, scrubber, source) if line.strip() else line for line in data.split(b"\n")]
                return b"\n".join(lines)
            case ".parquet":
                return _parquet(data, scrubber, source)
    except (ValueError, TypeError, pa.ArrowException):
        pass
    return scrubber.bytes(data)


def _json(data: bytes, scrubber: Scrubber, source: str) -> bytes:
    record: Any = json.loads(data)
    clean = scrubber.record(record, source=source)
    if clean == record:
        return data
    indent = 1 if b"\n" in data.strip() else None
    return json.dumps(clean, indent=indent, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _parquet(data: bytes, scrubber: Scrubber, source: str) -> bytes:
    table = pq.read_table(io.BytesIO(data))
    texts = "\n".join(str(each) for column in table.columns if pa.types.is_string(column.type) for each in column)
    if not scrubber.concerns(texts.encode("utf-8", "surrogatepass")):
        return data
    rows = table.to_pylist()
    clean = scrubber.record(rows, source=source)
    if clean == rows:
        return data
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(clean, schema=table.schema), buffer)
    return buffer.getvalue()
