"""ERASURE-GAP: erased data survives somewhere, or comes back.

A canary flows through every path that exists, is erased, and is looked for by this file's own search, which knows the
product as little as an auditor would: it reads every byte, unpacks what is packed, and asks git for every object.
"""

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from include.domain.documents import DocumentKey
from include.domain.erasure import Ending, PlaceReport, Receipt, ReceiptState, erasure_checksum
from include.domain.errors import ApprovalRefused, ConfigError
from include.domain.events import Event
from include.domain.manifest import RunState
from include.domain.review import Finding, Protection, ReviewItem
from include.records.query_log import AskedQuestion, QueryLog, Shown
from include.records.state_traces import StateFiles
from include.services import erase as erasing
from include.services.erased import WithoutErased
from include.settings import load_settings
from include.wiring import erasure
from include.wiring.application import Application
from include.wiring.erasure import Asked, Surroundings
from include.wiring.runs import RECONCILE, Run, reconcile_source
from tests.builders import no_progress
from tests.dags.live import Repository, settings

WORD, TITLE = "zirkonquartz-7f3a9c41", "The case of Jane Doe"
JANE = DocumentKey("handbook", "people/jane-doe.md")
PAGE = (
    f"# {TITLE}\n\nJane lives at Elm Street 14 and her file is {WORD}.\n\n## Pay\n\nShe earns 4711 shillings a week.\n"
)
CANARIES = (WORD, TITLE, "Elm Street 14 and her file", "4711 shillings a week", "people/jane-doe.md")
OTHERS = {f"rules/page-{number:02}.md": f"# Rule {number}\n\nRule number {number} is kept.\n" for number in range(12)}
RULE = "GDPR art. 17, request 2026-114"


def found_below(*folders: Path) -> set[str]:
    """Where a canary stands, by a search of our own."""
    needles = [spelt for word in CANARIES for spelt in (word.encode(), word.encode("utf-16-le"))]
    found = set()
    for folder in folders:
        for file in sorted(folder.rglob("*")):
            if not file.is_file():
                continue
            data = [file.read_bytes(), str(file.relative_to(folder)).encode()]
            if file.suffix == ".gz":
                data.append(gzip.decompress(data[0]))
            if file.suffix == ".parquet":
                data.append(json.dumps(pq.read_table(file).to_pylist(), default=str).encode())
            if any(needle in each for each in data for needle in needles):
                found.add(str(file.relative_to(folder)))
        for git in folder.rglob("objects"):
            command = ["git", f"--git-dir={git.parent}", "cat-file", "--batch", "--batch-all-objects"]
            if any(needle in subprocess.run(command, capture_output=True, check=True).stdout for needle in needles):
                found.add(f"objects of {git.parent.relative_to(folder)}")
    return found


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installation in whose every place the canary is."""
    folder = tmp_path_factory.mktemp("pristine") / "home"
    folder.mkdir()
    Repository(folder / "handbook").commit({**OTHERS, JANE.doc_id: PAGE})
    application = opened(folder)
    assert (
        reconcile_source(application, "handbook", Run(RECONCILE, "first"), progress=no_progress).state is RunState.TRUE
    )
    fill(folder, application)
    return folder


@pytest.fixture
def home(pristine: Path, tmp_path: Path) -> Path:
    shutil.copytree(pristine, tmp_path / "home", symlinks=True)
    return tmp_path / "home"


def opened(folder: Path) -> Application:
    path, environment = settings(folder, ("handbook",))
    return Application(load_settings(path, environment), file=str(path))


def fill(folder: Path, application: Application) -> None:
    """What people and other parts of the product leave behind of the document."""
    log = QueryLog(application.state, application.clock, form="plain")
    shown = (Shown("handbook", JANE.doc_id, "v1", 0.9), Shown("handbook", "rules/page-01.md", "v1", 0.5))
    log.record(AskedQuestion("r1", application.clock.now(), "desk", f"who is {WORD}", "plain", (), 5, shown, 2, 3.0))
    log.close()
    application.inbox.put(
        Event("handbook", "k1", application.clock.now(), (JANE.doc_id,), "updated"), remembered_days=1
    )
    application.state.write("evaluations/set/1.json", json.dumps({"questions": [{"text": f"about {WORD}"}]}).encode())
    ledger = application.ledger
    ledger.protect(
        "handbook",
        {JANE.doc_id: Protection("2030-01-01", f"{TITLE} is asked for", "ada", "2026-01-01")},
        by="ada",
        message="Hold",
    )
    finding = Finding("duplicate", 0.9, f"says {WORD} too", "f1")
    item = ReviewItem("handbook", JANE.doc_id, "stage", 0.9, "", (finding,), "f1", "2026-01-01", "v1", "h", TITLE)
    other = replace(item, doc_id="rules/page-02.md", title="Rule 2", replacement=JANE.doc_id, diff=f"+ {PAGE}")
    ledger.renew("handbook", lambda queue: [item, other], message=f"Propose {JANE.doc_id}")
    ledger.renew("handbook", lambda queue: [replace(item, title=f"{TITLE} II"), other], message="Again")
    airflow = folder / "airflow"
    (airflow / "logs" / "run").mkdir(parents=True)
    (airflow / "logs" / "run" / "1.log").write_text(f'{{"event": "read {JANE.doc_id}"}}\nfailed at {WORD}\nfine\n')
    with closing(sqlite3.connect(airflow / "airflow.db")) as database, database:
        database.execute("CREATE TABLE xcom (id INTEGER PRIMARY KEY, value JSON)")
        database.execute("CREATE TABLE rendered_task_instance_fields (id INTEGER PRIMARY KEY, rendered_fields JSON)")
        database.execute("CREATE TABLE dag_run (id INTEGER PRIMARY KEY, dag_id VARCHAR(250), conf JSON)")
        database.execute("INSERT INTO xcom VALUES (1, ?)", [json.dumps({"doc_ids": [JANE.doc_id], "pad": "x" * 9000})])
        database.execute("INSERT INTO xcom VALUES (2, ?)", [json.dumps({"doc_ids": ["rules/page-01.md"]})])
        database.execute("INSERT INTO rendered_task_instance_fields VALUES (1, ?)", [json.dumps({"params": PAGE})])
        database.execute(
            "INSERT INTO dag_run VALUES (1, 'ingest', ?)", [json.dumps({"doc_ids": [JANE.doc_id], "n": 3})]
        )
    database.close()


def around(folder: Path) -> Surroundings:
    airflow = folder / "airflow"
    return Surroundings(airflow, airflow / "logs", f"sqlite:///{airflow / 'airflow.db'}", True)


def erase(
    folder: Path, *keys: DocumentKey, phrases: tuple[str, ...] = (), application: Application | None = None
) -> Receipt:
    """As the command does it, with the Airflow of this test."""
    application = application or opened(folder)
    wanted = keys or (JANE,)
    request = erasing.Erasure(tuple(wanted), "ada", RULE, phrases)
    everywhere = erasure.everywhere(application, around(folder))
    return erasing.erase(everywhere, request, confirmed=erasure_checksum(wanted), progress=lambda _: None)


def test_the_canary_is_everywhere_before(pristine: Path) -> None:
    found = found_below(pristine / "state", pristine / "airflow")
    for place in ("manifests/", "queries/", "inbox/", "evaluations/", "index/", "ledger/review/", "ledger/protection/"):
        assert any(place in each for each in found), place
    assert {"objects of ledger/.git", "logs/run/1.log", "airflow.db"} <= found


@pytest.fixture(scope="module")
def erased(pristine: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Receipt]:
    """An installation after the erasure, to be looked at only."""
    folder = shutil.copytree(pristine, tmp_path_factory.mktemp("erased") / "home", symlinks=True)
    return folder, erase(folder)


def test_an_erased_document_is_found_nowhere_and_does_not_come_back(
    erased: tuple[Path, Receipt], tmp_path: Path
) -> None:
    folder, receipt = erased
    assert receipt.state is ReceiptState.COMPLETE, receipt.open
    assert found_below(folder / "state", folder / "airflow") == set()
    reports = {each.place: each for each in receipt.places}
    assert {name for name, each in reports.items() if each.ending is Ending.CLEARED} == {
        *(
            "index",
            "ledger",
            "manifests",
            "query log",
            "deliveries",
            "evaluations",
            "Airflow's logs",
            "Airflow's database",
        )
    }
    assert (reports["index"].before, reports["index"].after) == (1, 0)
    assert receipt.search.phrases > 3
    # The page is still at the source. The night comes, and the same erasure again.
    home = shutil.copytree(folder, tmp_path / "home", symlinks=True)
    night = reconcile_source(opened(home), "handbook", Run(RECONCILE, "after"), progress=no_progress)
    assert (night.state, night.documents) == (RunState.TRUE, len(OTHERS))
    again = erase(home)
    assert again.state is ReceiptState.COMPLETE, again.open
    assert sum(each.before for each in again.places) == 0
    assert found_below(home / "state", home / "airflow") == set()


def test_what_is_not_of_the_document_stays_as_it_was(pristine: Path, erased: tuple[Path, Receipt]) -> None:
    folder, _ = erased
    application = opened(folder)
    first = opened(pristine).manifests.load(RECONCILE, "first", "handbook")
    after = application.manifests.load(RECONCILE, "first", "handbook")
    assert [each for each in after.outcomes if not each.doc_id.startswith("erased-")] == [
        each for each in first.outcomes if each.doc_id != JANE.doc_id
    ]
    assert len(after.outcomes) == len(first.outcomes)
    (line,) = list(QueryLog(application.state, application.clock).since(application.clock.now() - timedelta(hours=2)))
    assert [each["doc_id"] for each in line["shown"]][1] == "rules/page-01.md"
    assert (folder / "airflow" / "logs" / "run" / "1.log").read_text().endswith("\nfine\n")
    with closing(sqlite3.connect(folder / "airflow" / "airflow.db")) as database:
        (ours, kept) = database.execute("SELECT value FROM xcom").fetchall()
        assert json.loads(ours[0])["doc_ids"] == [erased[1].marks[0]]
        assert json.loads(kept[0]) == {"doc_ids": ["rules/page-01.md"]}
        assert json.loads(database.execute("SELECT conf FROM dag_run").fetchall()[0][0])["n"] == 3
    history = subprocess.run(
        ["git", "log", "--format=%an %s"], cwd=folder / "state" / "ledger", capture_output=True, text=True, check=True
    ).stdout
    assert "ada Hold" in history
    assert "Propose" in history


def test_the_receipt_can_be_printed_and_says_nothing_of_the_document(erased: tuple[Path, Receipt]) -> None:
    folder, receipt = erased
    below = folder / "state" / "erasures" / receipt.erasure_id
    page = (below / "receipt.html").read_text()
    for said in ("ada", RULE, receipt.checksum, "Complete", receipt.marks[0], "Airflow&#x27;s database"):
        assert said in page, said
    assert json.loads((below / "receipt.json").read_text())["state"] == "complete"
    assert found_below(below) == set()


class BrokenPlace:
    def __init__(self, name: str) -> None:
        self.name = name

    def clear(self, traces: object) -> PlaceReport:
        raise OSError(f"disk of {WORD}")


class BrokenIndex:
    def __init__(self, index: object) -> None:
        self._index = index

    def erase(self, keys: object) -> PlaceReport:
        raise OSError(f"disk of {WORD}")

    def __getattr__(self, name: str) -> object:
        return getattr(self._index, name)


@pytest.mark.parametrize(
    "broken", [pytest.param(("index",), marks=pytest.mark.slow), ("manifests", "ledger", "Airflow's database")], ids=str
)
def test_a_place_that_fails_makes_the_receipt_partial_and_is_named(home: Path, broken: tuple[str, ...]) -> None:
    stray = home / "state" / "debug" / "dump.json.gz"
    stray.parent.mkdir()
    stray.write_bytes(gzip.compress(json.dumps({"said": PAGE}).encode()))
    (home / "state" / "debug" / "people-jane-doe-md.txt").write_text("nothing")
    everywhere = erasure.everywhere(opened(home), around(home))
    places = [BrokenPlace(each.name) if each.name in broken else each for each in everywhere.places]
    index = BrokenIndex(everywhere.index) if "index" in broken else everywhere.index
    request = erasing.Erasure((JANE,), "ada", RULE)
    everywhere = replace(everywhere, places=places, index=index)  # type: ignore[arg-type]
    receipt = erasing.erase(everywhere, request, confirmed=request.checksum, progress=lambda _: None)
    assert receipt.state is ReceiptState.PARTIAL
    for place in broken:
        assert any(each.startswith(f"{place}: it could not be cleared") for each in receipt.open), receipt.open
    where = {hit.place: hit.where for hit in receipt.search.hits}
    assert where.keys() >= {"state" if each == "manifests" else each for each in broken} - {"Airflow's database"}
    # What nobody registered is found too, and named without its text.
    assert {hit.where for hit in receipt.search.hits} >= {"debug/dump.json.gz", "debug/…"}
    assert found_below(home / "state" / "erasures") == set()


def test_an_index_restored_from_an_older_copy_loses_the_document_again(
    pristine: Path, erased: tuple[Path, Receipt], tmp_path: Path
) -> None:
    home = shutil.copytree(erased[0], tmp_path / "home", symlinks=True)
    shutil.rmtree(home / "state" / "index")
    shutil.copytree(pristine / "state" / "index", home / "state" / "index")
    application = opened(home)
    reconcile_source(application, "handbook", Run(RECONCILE, "after"), progress=no_progress)
    with application.store.reading() as index:
        assert not index.chunks_of([JANE])[JANE]  # the night takes it away from readers
    shutil.rmtree(home / "state" / "index")
    shutil.copytree(pristine / "state" / "index", home / "state" / "index")
    application = opened(home)
    assert erasure.erase_what_came_back(application) == 1  # and this from the files, before readers are let in
    assert found_below(home / "state" / "index") == set()
    assert erasure.erase_what_came_back(application) == 0
    assert erasure.lift(application, JANE, by="ada", why="it was the wrong Jane")
    night = reconcile_source(application, "handbook", Run(RECONCILE, "lifted"), progress=no_progress)
    assert night.documents == len(OTHERS) + 1


class Killed(BaseException):
    pass


def kill(*_: object) -> None:
    raise Killed


def test_an_erasure_killed_at_any_step_is_finished_by_the_same_command(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for step in ("_hidden", "_traces", "_cleared", "_IndexPlace"):
        with monkeypatch.context() as patch:
            patch.setattr(erasing, step, kill)
            with pytest.raises(Killed):
                erase(home)
        assert opened(home).ledger.tombstone_of(JANE) is not None
    receipt = erase(home)
    assert receipt.state is ReceiptState.COMPLETE, receipt.open
    assert found_below(home / "state", home / "airflow") == set()


@pytest.mark.slow
def test_one_that_is_killed_when_the_text_is_gone_says_what_it_could_not_look_for(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(erasing, "_searched", kill)
        with pytest.raises(Killed):
            erase(home)
    receipt = erase(home)
    assert receipt.state is ReceiptState.PARTIAL
    assert "phrases that you know" in receipt.open[0]
    receipt = erase(home, phrases=(WORD, TITLE))
    assert receipt.state is ReceiptState.COMPLETE, receipt.open
    assert found_below(home / "state", home / "airflow") == set()


def test_nothing_is_erased_unless_exactly_these_documents_were_confirmed(pristine: Path) -> None:
    application = opened(pristine)
    request = erasing.Erasure((JANE,), "ada", RULE)
    everywhere = erasure.everywhere(application, around(pristine))
    for confirmed in ("", erasure_checksum([DocumentKey("handbook", "rules/page-01.md")])):
        with pytest.raises(ApprovalRefused):
            erasing.erase(everywhere, request, confirmed=confirmed, progress=lambda _: None)
    assert application.ledger.tombstones() == []
    with pytest.raises(ConfigError, match="rule"):
        erasure.carry_out(
            application, Run("cli", "1"), Asked("ada", " "), [JANE], confirmed=request.checksum, progress=lambda _: None
        )


def test_documents_are_found_by_a_phrase_an_address_and_an_id(pristine: Path) -> None:
    application = opened(pristine)
    by_phrase = erasure.plan_erasure(application, Asked("ada", RULE, find=("elm  STREET\n14",)))
    assert [each.key for each in by_phrase] == [JANE]
    assert by_phrase[0].chunks == 1
    by_url = erasure.plan_erasure(application, Asked("ada", RULE, urls=(by_phrase[0].url,)))
    assert [each.key for each in by_url] == [JANE]
    gone = DocumentKey("handbook", "long/gone.md")
    by_id = erasure.plan_erasure(application, Asked("ada", RULE, keys=(gone,)))
    assert [(each.key, each.chunks) for each in by_id] == [(gone, 0)]


# -- each guard is seen to be needed --


@pytest.fixture(params=["tombstones", "copy of the index", "history of the ledger", "files of the state", "search"])
def without(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], bool]:
    """Takes a guard away; what it returns says whether the damage is done."""
    match request.param:
        case "tombstones":
            monkeypatch.setattr(WithoutErased, "_is_erased", lambda self, doc_id: False)
            monkeypatch.setattr(WithoutErased, "_refuse", lambda self, doc_id: None)
            monkeypatch.setattr("include.services.erased.ErasedMarks.fence_of", lambda self, key: None)

            def damaged(home: Path) -> bool:
                reconcile_source(opened(home), "handbook", Run(RECONCILE, "after"), progress=no_progress)
                return bool(found_below(home / "state"))
        case "copy of the index":
            monkeypatch.setattr(
                "include.store.edge_erasure.EdgeErasure.erase", lambda self, keys: PlaceReport("index", Ending.CLEARED)
            )

            def damaged(home: Path) -> bool:
                return any(each.startswith("index/") for each in found_below(home / "state"))
        case "history of the ledger":
            monkeypatch.setattr("include.records.ledger_traces.rewritten", lambda *_, **__: 0)

            def damaged(home: Path) -> bool:
                return "objects of ledger/.git" in found_below(home / "state")
        case "files of the state":
            monkeypatch.setattr(StateFiles, "clear", lambda self, traces: PlaceReport(self.name, Ending.NOTHING))

            def damaged(home: Path) -> bool:
                return any(each.startswith("manifests/") for each in found_below(home / "state"))
        case "search":
            monkeypatch.setattr("include.records.byte_search._unpacked", lambda *_: iter(()))

            def damaged(home: Path) -> bool:
                receipt = json.loads(next((home / "state" / "erasures").glob("*/receipt.json")).read_text())
                return receipt["state"] == "complete"

    return damaged


@pytest.mark.slow
def test_without_its_guard_the_damage_is_done(home: Path, without: Callable[[Path], bool]) -> None:
    stray = home / "state" / "debug" / "dump.json.gz"
    stray.parent.mkdir()
    stray.write_bytes(gzip.compress(PAGE.encode()))
    erase(home)
    assert without(home)
