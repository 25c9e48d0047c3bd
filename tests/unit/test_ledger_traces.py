"""An erased document leaves the ledger and its whole history; what is not about it can be read as before."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from include.domain.documents import DocumentKey
from include.domain.erasure import Ending, PlaceReport, Trace
from include.domain.metadata import DocumentPatch, Hand, MetadataChange
from include.domain.plan import Action, Change, HeldPlan, Hold, HoldReason
from include.domain.review import Protection
from include.records.ledger import GitLedger
from include.records.ledger_traces import LedgerFiles

TITLE = "The long and winding case of Jane Doe and the garden of her neighbour at number 14"
TELLING = DocumentKey("handbook", "people/jane-doe.md")
ORDINARY = DocumentKey("handbook", "faq")


def trace_of(key: DocumentKey) -> Trace:
    telling = key == TELLING
    return Trace(key, "erased-1", (key.doc_id,) if telling else (), (TITLE,), (TITLE,), id_is_telling=telling)


def a_change(run_id: str, doc_id: str, title: str) -> MetadataChange:
    patches = (
        DocumentPatch(doc_id, {"title": None, "pinned": None}, {"title": title, "pinned": True}),
        DocumentPatch(f"rules/{run_id}", {"pinned": None}, {"pinned": True}),
    )
    return MetadataChange(run_id, "handbook", Hand.PERSON, "ada", f"for {TITLE}", "2026-03-01", "by id", patches)


@pytest.fixture(params=[TELLING, ORDINARY], ids=["telling", "ordinary"])
def filled(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[GitLedger, DocumentKey]:
    key: DocumentKey = request.param
    ledger = GitLedger(tmp_path)
    ledger.record(a_change("one", key.doc_id, TITLE))
    ledger.record(replace(a_change("two", "rules/other", "Faq"), source="site"))
    until = "2030-01-01T00:00:00.000000Z"
    ledger.protect("handbook", {key.doc_id: Protection(until, TITLE, "ada", until)}, by="ada", message=f"Hold {TITLE}")
    ledger.protect("handbook", {"rules/one": Protection(until, "faq", "ada", until)}, by="ada", message="Hold another")
    changes = (Change(key.doc_id, Action.DELETE, f"{TITLE} is gone"), Change("rules/one", Action.DELETE, "gone"))
    holds = (Hold(HoldReason.DELETION_LIMIT, f"2 of 9 documents, one of them {TITLE}, are no longer listed there"),)
    ledger.hold(HeldPlan("handbook", "0" * 16, changes, holds, 9, "2026-03-01", "run"))
    ledger.clear_held("handbook", "looked at")
    ledger.hold(HeldPlan("handbook", "1" * 16, changes, holds, 9, "2026-03-01", "run"))
    return ledger, key


def everything(folder: Path) -> str:
    """Every file and every object of git, as text, with white space as one space."""
    command = ["git", "cat-file", "--batch", "--batch-all-objects"]
    objects = subprocess.run(command, cwd=folder, capture_output=True, check=True).stdout
    files = [file.read_bytes() for file in folder.rglob("*") if file.is_file() and "objects" not in file.parts]
    return " ".join(b"\n".join([objects, *files]).decode("utf-8", "replace").split())


def clear(ledger: GitLedger, key: DocumentKey, folder: Path) -> PlaceReport:
    return LedgerFiles(folder).clear([trace_of(key)])


def test_nothing_of_it_is_left_in_any_commit(filled: tuple[GitLedger, DocumentKey], tmp_path: Path) -> None:
    ledger, key = filled
    assert TITLE in everything(tmp_path)
    report = clear(ledger, key, tmp_path)
    assert report.ending is Ending.CLEARED
    left = everything(tmp_path)
    assert TITLE not in left
    assert f'"{key.doc_id}": {{' not in left
    assert f"doc_id: {key.doc_id}" not in left
    if key == TELLING:
        assert key.doc_id not in left
    assert clear(ledger, key, tmp_path).ending is Ending.NOTHING


def test_what_is_not_about_it_is_read_as_before(filled: tuple[GitLedger, DocumentKey], tmp_path: Path) -> None:
    ledger, key = filled
    before, commits = ledger.decided("site", Hand.PERSON), count_commits(tmp_path)
    clear(ledger, key, tmp_path)
    again = GitLedger(tmp_path)
    assert again.decided("site", Hand.PERSON) == before
    assert again.decided("handbook", Hand.PERSON) == {"rules/one": {"pinned": True}}
    recorded = again.recorded("handbook", "one")
    assert recorded is not None
    assert [patch.doc_id for patch in recorded.patches] == ["rules/one"]
    assert recorded.reason == "for erased-1"
    assert list(again.holds("handbook")) == ["rules/one"]
    assert again.holds("handbook")["rules/one"].reason == "faq"
    held = again.held("handbook")
    assert held is not None
    assert [change.doc_id for change in held.changes] == ["erased-1", "rules/one"]
    assert held.holds[0].message == "2 of 9 documents, one of them erased-1, are no longer listed there"
    assert count_commits(tmp_path) == commits + 1
    again.protect("handbook", {"rules/two": again.holds("handbook")["rules/one"]}, by="eve", message="Hold one more")
    status = subprocess.run(["git", "status", "--porcelain"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert status.stdout == ""


def test_remotes_of_the_ledger_are_named(tmp_path: Path) -> None:
    ledger = GitLedger(tmp_path)
    ledger.record(a_change("one", TELLING.doc_id, TITLE))
    subprocess.run(["git", "remote", "add", "backup", "/nowhere"], cwd=tmp_path, check=True)
    report = clear(ledger, TELLING, tmp_path)
    assert report.ending is Ending.OPEN
    assert "backup" in report.open


def count_commits(folder: Path) -> int:
    command = ["git", "rev-list", "--count", "HEAD"]
    return int(subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout)
