"""The trash can from a real repository to the answer: three decks, staged, decided, brought back, protected."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from include.records.review_queue import candidate_path
from include.wiring.application import Application
from tests.dags.live import Repository
from tests.unit.test_cli import run
from tests.unit.test_cli_families import PAGES, deck, payloads, repository, shown

__all__ = ["repository"]

DECKS = {f"decks/sales-deck-v{number}.md": deck(str(number)) for number in (2, 9, 10)}
NEWEST = "decks/sales-deck-v10.md"
OLDER = sorted(DECKS.keys() - {NEWEST})


@pytest.fixture
def library(repository: Repository) -> Repository:
    repository.commit(DECKS)
    run("sync")
    code, _ = run("resolve", "handbook", "--apply", "--json")
    assert code == 0
    return repository


def ledger() -> Path:
    return Application.from_environment(os.environ).settings.ledger


def log() -> list[str]:
    done = subprocess.run(
        ["git", "-C", str(ledger()), "log", "--format=%an: %s"], capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_the_two_older_of_three_decks_are_staged_with_evidence_naming_the_newest(library: Repository) -> None:
    before, tree = payloads(), sorted(path.name for path in library.folder.rglob("*.md"))
    code, (dry,) = run("detect", "handbook", "--json")
    assert (code, dry["would_stage"], dry["would_wait"]) == (0, OLDER, [])
    assert payloads() == before
    for each in dry["candidates"]:
        assert each["replacement"] == NEWEST
        assert NEWEST in each["evidence"][0]["sentence"]
        assert "1 − (1 − 0.95) = 0.950, stage" in each["arithmetic"]

    code, (applied,) = run("detect", "handbook", "--apply", "--json")
    assert (code, applied["state"], applied["changed"]) == (0, "detected", 2)
    after = payloads()
    staged = {point for point in after if after[point]["status"] == "staged_for_review"}
    assert staged
    assert {point for point in after if after[point] != before[point]} == staged
    assert all({**after[point], "status": "superseded"} == before[point] for point in staged)
    assert not set(OLDER) & shown("sales deck").keys()
    assert sorted(path.name for path in library.folder.rglob("*.md")) == tree
    for doc_id in OLDER:
        text = (ledger() / candidate_path("handbook", doc_id)).read_text(encoding="utf-8")
        assert f"document: {doc_id}\n" in text
        assert f"+++ {NEWEST}" in text
        assert "This is state" in text

    code, (again,) = run("detect", "handbook", "--apply", "--json")
    assert (code, again["changed"]) == (0, 0)
    assert run("reconcile")[0] == 0
    assert payloads() == after, "a night leaves what is staged as it is"


def test_one_command_brings_a_document_back_and_it_stays(library: Repository) -> None:
    before = payloads()
    run("detect", "handbook", "--apply", "--json")
    code, done = run("restore", "handbook", OLDER[0], "--reason", "the board quotes it", "--by", "Ada", "--json")
    assert (code, done["restored"]) == (0, [OLDER[0]])
    assert log()[0].startswith("Ada: ")
    run("detect", "handbook", "--apply", "--json")
    now = payloads()
    assert {point for point in now if now[point] != before[point]} == {
        point for point in now if now[point]["status"] == "staged_for_review"
    }
    code, message = run("restore", "handbook", NEWEST, "--reason", "x")
    assert code == 2
    assert "neither staged nor a candidate" in str(message)


def test_a_run_is_taken_back_by_its_id(library: Repository) -> None:
    before = payloads()
    run("detect", "handbook", "--apply", "--json")
    run_id = Application.from_environment(os.environ).manifests.latest("handbook", dag_id="detect_stale")[0].run_id
    code, _ = run("set-meta", "handbook", "--revert", run_id, "--apply", "--reason", "wrong", "--json")
    assert (code, payloads()) == (0, before)


def test_reverting_the_commit_of_the_staging_and_a_night_bring_the_documents_back(library: Repository) -> None:
    before = payloads()
    run("detect", "handbook", "--apply", "--json")
    (number,) = [n for n, line in enumerate(log()) if line.startswith("detector: Set status of 2 documents")]
    revert = ["git", "-C", str(ledger()), "-c", "user.name=Ada", "-c", "user.email=a@b", "revert", "--no-edit"]
    subprocess.run([*revert, f"HEAD~{number}"], check=True, capture_output=True)
    assert run("reconcile")[0] == 0
    assert {point: each["status"] for point, each in payloads().items()} == {
        point: each["status"] for point, each in before.items()
    }


def test_pins_and_holds_are_commits_and_keep_the_detector_off(library: Repository) -> None:
    code, _ = run("pin", "handbook", OLDER[0], "--reason", "the contract names it", "--by", "Ada")
    assert code == 0
    code, _ = run("hold", "handbook", OLDER[1], "--until", "2099-01-01", "--reason", "an audit", "--by", "Bob")
    assert code == 0
    assert log()[0] == f"Bob: Hold {OLDER[1]} of handbook until 2099-01-01"
    code, why = run("protected", "handbook", "--json")
    assert why == {OLDER[0]: "it is pinned", OLDER[1]: "it is held until 2099-01-01: an audit"}
    _, (dry,) = run("detect", "handbook", "--json")
    assert (dry["would_stage"], dry["candidates"]) == ([], [])

    assert run("unpin", "handbook", OLDER[0], "--reason", "it ran out")[0] == 0
    assert run("release-hold", "handbook", OLDER[1], "--reason", "it is over")[0] == 0
    _, (dry,) = run("detect", "handbook", "--json")
    assert dry["would_stage"] == OLDER
    for wrong in (
        ("hold", "handbook", OLDER[0], "--until", "soon", "--reason", "x"),
        ("hold", "handbook", "nothing.md", "--until", "2099-01-01", "--reason", "x"),
        ("pin", "handbook", "nothing.md", "--reason", "x"),
        ("release-hold", "handbook", OLDER[0], "--reason", "x"),
    ):
        assert run(*wrong)[0] == 2, wrong


def test_what_is_shown_on_a_terminal_says_everything(library: Repository) -> None:
    code, text = run("detect", "handbook")
    assert code == 0
    assert "2 of 43 documents look out of date; 2 would be staged" in text
    assert f"superseded by {NEWEST}" in text
    assert "near_duplicate" not in text or "is not used" in text
    assert "to do it: `truecopy detect handbook --apply`" in text
    assert len(PAGES) == 40


def test_a_held_staging_is_in_the_plan_of_its_source(library: Repository) -> None:
    with Path(os.environ["TRUECOPY_CONFIG"]).open("a", encoding="utf-8") as file:
        file.write("limits: {deletion_percent: 1}\n")
    code, (held,) = run("detect", "handbook", "--apply", "--json")
    assert (code, held["state"]) == (3, "held")
    code, plan = run("plan", "handbook", "--json")
    assert (code, plan["handbook"]["staging_held"], plan["handbook"]["families_held"]) == (3, held["held"], "")
    code, text = run("plan", "handbook")
    assert code == 3
    assert f"staging held (plan {held['held']})" in text
    assert "2 documents to be hidden until somebody has looked" in text
    assert f"truecopy detect handbook, then truecopy approve handbook {held['held']}" in text
