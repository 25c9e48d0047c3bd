"""Every place that holds text, vectors or names of documents, in one list; and what looks for those that are missing.

A new place that the product writes belongs into `registry`. The search does not go by the list: it looks at everything
below the roots.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from include.connectors.cache_traces import CacheEntries
from include.domain.documents import DocumentKey
from include.domain.erasure import Erasure, Hit, Receipt, ReceiptState, SearchReport, Target, Trace, erasure_checksum
from include.domain.errors import AuditFailed, ConfigError
from include.domain.manifest import DocumentOutcome, DocumentState, Manifest, RunState
from include.planning.spellings import all_spellings
from include.planning.traces import said
from include.ports.erasing import ErasableIndex, Place, Search
from include.records.byte_search import FileSearch, RemoteSearch
from include.records.ledger_traces import LedgerFiles
from include.records.log_files import LogFiles
from include.records.manifests import RUNS
from include.records.receipts import FileReceipts
from include.records.state_traces import RemovalMarkFiles, StateFiles
from include.services.erase import Everywhere, erase, erase_again, find_targets
from include.wiring.airflow_database import NAME, AirflowDatabase
from include.wiring.application import Application
from include.wiring.runs import Run, leaving_a_manifest

log = logging.getLogger(__name__)

ERASE = "erase_documents"
_SHORTEST_PHRASE = 4
_FOLDERS = {
    "manifests": "manifests",
    "query log": "queries",
    "deliveries": "inbox",
    "evaluations": "evaluations",
    "dates": "dates",
    "traffic": "traffic",
}


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where Airflow is, as far as this process can tell."""

    home: Path | None = None
    logs: Path | None = None
    database: str = ""
    is_airflow: bool = False

    @classmethod
    def of(cls, application: Application, environment: Mapping[str, str] = os.environ) -> Surroundings:
        home = Path(environment["AIRFLOW_HOME"]) if environment.get("AIRFLOW_HOME") else None
        if home is None and Path(".airflow").is_dir():
            home = Path(".airflow")
        given = environment.get("AIRFLOW__LOGGING__BASE_LOG_FOLDER")
        logs = Path(given) if given else home / "logs" if home else None
        database = application.settings.erasure.airflow_database or environment.get(
            "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN", ""
        )
        if database.startswith("airflow-db-not-allowed"):  # what Airflow tells its own tasks
            database = application.settings.erasure.airflow_database
        if not database and home is not None and (home / "airflow.db").is_file():
            database = f"sqlite:///{(home / 'airflow.db').absolute()}"
        running = home is not None or any(name.startswith("AIRFLOW__") for name in environment)
        return cls(home, logs, database, running)


def registry(application: Application, around: Surroundings) -> list[Place]:
    """All places but the index, in the order in which they are cleared."""
    state = application.state
    places: list[Place] = [StateFiles(state, name, folder) for name, folder in _FOLDERS.items()]
    places.append(RemovalMarkFiles(state))
    places.append(LedgerFiles(application.settings.ledger.absolute()))
    places.append(CacheEntries(application.settings.cache.absolute(), _search_of_one))
    if around.logs is not None:
        places.append(LogFiles("Airflow's logs", around.logs))
    if around.home is not None:
        places.append(LogFiles("logs of Airflow's processes", around.home / "logs-of-processes"))
    if around.database:
        places.append(AirflowDatabase(around.database))
    return places


def everywhere(application: Application, around: Surroundings | None = None) -> Everywhere:
    around = around or Surroundings.of(application)
    index: ErasableIndex = application.bare_store.erasing()
    folders = _folders(application, around)
    searches: list[Search] = [FileSearch(folders), _IndexSearch(index)]
    if application.state.local_folder is None:
        searches.append(RemoteSearch("state", application.state))
    unsearched = []
    if around.database:
        searches.append(AirflowDatabase(around.database))
    elif around.is_airflow:
        unsearched.append(f"{NAME}: set `erasure.airflow_database`, or run `truecopy erase` where it can be reached")
    return Everywhere(
        store=application.store,
        index=index,
        places=registry(application, around),
        searches=searches,
        tombstones=application.ledger,
        receipts=FileReceipts(application.state),
        clock=application.clock,
        unsearched=unsearched,
    )


def _folders(application: Application, around: Surroundings) -> dict[str, Path]:
    """What the search looks through, whoever writes there."""
    settings = application.settings
    found = {"ledger": settings.ledger, "cache": settings.cache}
    if (state := application.state.local_folder) is not None:
        found["state"] = state
    scheme, _, rest = settings.store.url.partition(":")
    if scheme in ("edge", "local"):
        found["index"] = Path(rest.removeprefix("//"))
    if around.home is not None:
        found["Airflow's folder"] = around.home
    if around.logs is not None:
        found["Airflow's logs"] = around.logs
    questions = (*settings.evaluation.questions, *filter(None, [settings.evaluation.baseline]))
    found |= {f"questions in {path}": path for path in questions}
    found |= {f"search of {path}": path for path in settings.erasure.search}
    return {name: path.absolute() for name, path in found.items() if path.exists()}


def _search_of_one(entry: Path, traces: Sequence[Trace]) -> SearchReport:
    return FileSearch({"cache": entry}).search(traces)


class _IndexSearch:
    """Search. What the points of every collection say, whatever the engine packs into its files."""

    name = "index"

    def __init__(self, index: ErasableIndex) -> None:
        self._index = index

    def search(self, traces: Sequence[Trace]) -> SearchReport:
        needles = {data.decode("utf-8", "replace") for data, name in all_spellings(traces).items() if name == "utf-8"}
        hits = set()
        for payload in self._index.points_everywhere():
            texts = "\n".join(said(payload))
            if any(needle in texts for needle in needles):
                hits.add(Hit("index", "points", "payload"))
        return SearchReport(hits=tuple(hits))


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody asks for: documents by id, address, or what they say; or a reviewed list of them."""

    by: str
    rule: str
    keys: tuple[DocumentKey, ...] = ()
    urls: tuple[str, ...] = ()
    find: tuple[str, ...] = ()
    requested: bool = False
    source: str = ""
    phrases: tuple[str, ...] = ()


def plan_erasure(application: Application, asked: Asked) -> list[Target]:
    """What would be erased. Changes nothing. Raises ConfigError when nothing was asked for, or is of no source."""
    if not (asked.keys or asked.urls or asked.find or asked.requested):
        raise ConfigError(
            "say what to erase: a source and documents, --url, --find with a phrase, --requested, or --from a list"
        )
    targets = find_targets(
        everywhere(application),
        keys=asked.keys,
        urls=asked.urls,
        phrases=asked.find,
        requested=asked.requested,
        source=asked.source,
    )
    for source in sorted({target.key.source for target in targets if not target.chunks}):
        # A source that was taken out of the settings may have left something all the same; a slip has not.
        if source not in application.settings.sources and not application.state.names(f"{RUNS}/{source}"):
            known = ", ".join(sorted(application.settings.sources))
            raise ConfigError(f"source {source!r} is not configured and has left nothing; configured are {known}")
    return targets


def carry_out(
    application: Application,
    run: Run,
    asked: Asked,
    keys: Sequence[DocumentKey],
    *,
    confirmed: str,
    progress: Callable[[str], None],
) -> Receipt:
    """Erase exactly these documents. Leaves a receipt, and a manifest for each source; these name no document, and
    the gate's window does not count them: a person confirmed each by name."""
    if not asked.rule.strip():
        raise ConfigError("an erasure needs a rule: the request or the law that it follows, without a name in it")
    if short := [phrase for phrase in (*asked.phrases, *asked.find) if len(phrase.strip()) < _SHORTEST_PHRASE]:
        raise ConfigError(f"{len(short)} phrases have fewer than {_SHORTEST_PHRASE} characters; they stand everywhere")
    # A phrase that led to the documents is looked for too: what they were found by must not be found again.
    erasure = Erasure(tuple(sorted(set(keys))), asked.by, asked.rule, (*asked.phrases, *asked.find))
    started_at = application.clock.now()
    receipt = erase(everywhere(application), erasure, confirmed=confirmed, progress=progress)
    for source in receipt.sources:
        with leaving_a_manifest(application, source, run):
            application.manifests.save(_manifest(application, source, run, receipt, started_at))
    return receipt


def _manifest(application: Application, source: str, run: Run, receipt: Receipt, started_at: datetime) -> Manifest:
    complete = receipt.state is ReceiptState.COMPLETE
    marks = [each.mark for each in application.ledger.tombstones() if each.source == source]
    outcomes = [
        DocumentOutcome(mark, DocumentState.DELETED, "erased") for mark in sorted(set(marks) & set(receipt.marks))
    ]
    return Manifest(
        run_id=run.manifest_id,
        dag_id=ERASE,
        source=source,
        started_at=started_at,
        finished_at=application.clock.now(),
        state=RunState.TRUE if complete else RunState.DEGRADED,
        outcomes=tuple(outcomes),
        released=True,
        reason="" if complete else f"the erasure is partial: {'; '.join(receipt.open)}",
        next_step="" if complete else f"See the receipt {receipt.erasure_id}; then the same erasure again",
    )


def lift(application: Application, key: DocumentKey, *, by: str, why: str) -> bool:
    """Let an erased document in again, by name."""
    return application.ledger.lift(key, by=by, why=why)


def erase_what_came_back(application: Application) -> int:
    """After a restore of the index: take out what tombstones say was erased. Returns the number of points."""
    return erase_again(everywhere(application))


def erase_as_asked(application: Application, run: Run, params: Mapping[str, Any], *, by: str) -> dict[str, Any]:
    """What the parameters of the DAG say; a dry run unless they say otherwise, and then the checksum is due."""
    source = str(params["source"])
    asked = Asked(
        by=by,
        rule=str(params["rule"]),
        keys=tuple(DocumentKey(source, str(doc_id)) for doc_id in params["doc_ids"]),
        urls=tuple(map(str, params["urls"])),
        requested=bool(params["requested"]),
    )
    targets = plan_erasure(application, asked)
    keys = [target.key for target in targets]
    found: dict[str, Any] = {
        "documents": len(keys),
        "chunks": sum(each.chunks for each in targets),
        "checksum": erasure_checksum(keys),
    }
    log.info("%(documents)d documents with %(chunks)d chunks were found; their checksum is %(checksum)s", found)
    if params["dry_run"]:
        return {"state": "dry run", **found}
    receipt = carry_out(application, run, asked, keys, confirmed=str(params["checksum"]), progress=lambda _: None)
    return {"state": receipt.state.value, "receipt": receipt.erasure_id, "open": len(receipt.open), **found}


def fail_unless_complete(application: Application, run: Run) -> None:
    """The DAG's run is as red as its receipt: raises AuditFailed with what is open. A dry run left no manifest."""
    for source in application.settings.sources:
        left = application.manifests.latest(source, dag_id=ERASE, limit=1)
        if left and left[0].run_id.startswith(run.run_id) and left[0].state is not RunState.TRUE:
            manifest = left[0]
            raise AuditFailed(f"{source}: {manifest.reason}. {manifest.next_step}", source=source)
