"""Past runs for those who look at many of them: what each manifest says, without the outcome of each document, and
these page by page. Reads only. What was read is kept as long as it is true."""

from __future__ import annotations

import io
import threading
import time
from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from include.domain.manifest import DocumentOutcome, DocumentState, RunHead
from include.records.manifests import RunName, head_of, outcomes_of, run_folder, run_names
from include.records.state import StateRoot

_KEPT = 5_000

_SETTLED_AFTER = timedelta(days=2)
"""The alarms of a night are written into its manifest after its end; later only an erasure writes there."""

_BELIEVED_FOR_SECONDS = 300.0
"""How long that is believed of a manifest which cannot be asked whether it changed."""


@dataclass(frozen=True, slots=True)
class LostRun:
    """A run whose manifest cannot be read. `problem` says why."""

    source: str
    dag_id: str
    run_id: str
    started_at: datetime
    problem: str


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Some outcomes of a run: `documents` of the `found` that were asked for, of `total`."""

    documents: Sequence[DocumentOutcome]
    found: int
    total: int


@dataclass(frozen=True, slots=True)
class _Kept:
    stamp: tuple[int, int, int] | None
    head: RunHead
    read_at: float

    def may_be_believed(self) -> bool:
        """Where a file cannot be asked whether it changed, its age tells that it hardly will."""
        ended = self.head.manifest.finished_at
        settled = ended is not None and datetime.now(UTC) - ended > _SETTLED_AFTER
        return settled and time.monotonic() - self.read_at < _BELIEVED_FOR_SECONDS


class PastRuns:
    """Safe for many threads."""

    def __init__(self, state: StateRoot) -> None:
        self._state = state
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._using = threading.Lock()

    def names(self, source: str, dag_ids: Collection[str] = ()) -> list[RunName]:
        """Of these DAGs or of all, newest first. Costs one listing, reads nothing."""
        names = run_names(self._state, source)
        names.reverse()
        return [name for name in names if not dag_ids or unquote(name.dag) in dag_ids]

    def head(self, source: str, name: RunName) -> RunHead | LostRun:
        try:
            return self._head(f"manifests/{name.dag}/{name.run}/{source}/manifest.json")
        except FileNotFoundError:
            problem = "its manifest is not there any more"
        except (ValueError, TypeError, AttributeError) as error:
            problem = f"its manifest is damaged: {str(error).splitlines()[0][:200]}"
        return LostRun(source, unquote(name.dag), unquote(name.run), name.started, problem)

    def heads(self, source: str, names: Sequence[RunName]) -> list[RunHead]:
        """Those that can be read."""
        return [head for name in names if isinstance(head := self.head(source, name), RunHead)]

    def of(self, dag_id: str, run_id: str, source: str) -> RunHead:
        """Raises FileNotFoundError where there is none, ValueError where it is damaged."""
        return self._head(f"{run_folder(dag_id, run_id, source)}/manifest.json")

    def outcomes(
        self,
        dag_id: str,
        run_id: str,
        source: str,
        *,
        search: str = "",
        states: Collection[DocumentState] = (),
        offset: int = 0,
        limit: int = 50,
    ) -> Outcomes:
        """Outcomes in the order of the manifest. `search` is looked for in document and detail, whatever its case.
        Raises FileNotFoundError, and ValueError for a damaged file."""
        chosen = table = self._table(dag_id, run_id, source)
        if states:
            chosen = chosen.filter(pc.is_in(chosen["state"], pa.array([state.value for state in states])))
        if search:
            where = [pc.match_substring(chosen[name], search, ignore_case=True) for name in ("doc_id", "detail")]
            chosen = chosen.filter(pc.or_(*where))
        return Outcomes(outcomes_of(chosen.slice(offset, limit)), chosen.num_rows, table.num_rows)

    def outcome_of(self, dag_id: str, run_id: str, source: str, doc_id: str) -> DocumentOutcome | None:
        """What became of one document. Raises FileNotFoundError, and ValueError for a damaged file."""
        table = self._table(dag_id, run_id, source)
        found = outcomes_of(table.filter(pc.equal(table["doc_id"], doc_id)))
        return found[0] if found else None

    def _table(self, dag_id: str, run_id: str, source: str) -> pa.Table:
        path = f"{run_folder(dag_id, run_id, source)}/documents.parquet"
        try:
            return pq.read_table(io.BytesIO(self._state.read(path)))
        except pa.ArrowException as error:
            raise ValueError(f"{path} is damaged: {error}") from error

    def _head(self, path: str) -> RunHead:
        stamp = self._state.stamp(path)
        with self._using:
            kept = self._kept.get(path)
            if kept is not None:
                self._kept.move_to_end(path)
        if kept is not None and (kept.stamp == stamp if stamp is not None else kept.may_be_believed()):
            return kept.head
        head = head_of(self._state.read(path))
        with self._using:
            self._kept[path] = _Kept(stamp, head, time.monotonic())
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return head
