"""The command line on a real repository and the embedded index: what it prints, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from include.cli import app
from tests.dags.live import Repository, use_settings

PAGES = {f"page-{number:02}.md": f"# Page {number}\n\nThe number is {number * 37}.\n" for number in range(12)}


@pytest.fixture
def handbook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    use_settings(monkeypatch, tmp_path)
    repository = Repository(tmp_path / "handbook")
    repository.commit(PAGES)
    return repository


def run(*arguments: str) -> tuple[int, Any]:
    """Exit code, and the JSON that was printed (or the text, if it is none)."""
    result = CliRunner().invoke(app, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    try:
        return result.exit_code, json.loads(result.stdout)
    except json.JSONDecodeError:
        return result.exit_code, result.output


def test_a_new_installation_is_planned_synced_and_found_true(handbook: Repository) -> None:
    code, plan = run("plan", "--json")
    assert code == 0
    assert len(plan["handbook"]["allowed"]) == len(PAGES)
    assert run("status", "--json")[1][0]["state"] == "never reconciled"

    code, synced = run("sync", "--json")
    assert (code, synced[0]["state"], synced[0]["changed"]) == (0, "ingested", len(PAGES))
    code, night = run("reconcile", "--json")
    assert (code, night[0]["state"], night[0]["changed"]) == (0, "true", 0)
    code, status = run("status", "--json")
    assert (code, status[0]["documents"]) == (0, len(PAGES))
    assert status[0]["remaining"] == {"orphan": 0, "stale": 0, "partial": 0, "missing": 0, "outdated": 0, "drifted": 0}


def test_search_prints_version_and_address(handbook: Repository) -> None:
    run("sync")
    code, answer = run("search", "the number of page 7", "--json", "--limit", "3")
    assert code == 0
    assert answer["intent"]["kind"] == "plain"
    assert len(answer["candidates"]) == 3
    assert {"doc_id", "doc_version", "url", "status", "created_at", "score"} <= answer["candidates"][0].keys()


def test_an_explained_search_accounts_for_every_candidate(handbook: Repository) -> None:
    run("sync")
    code, answer = run("search", "the latest page 7", "--json", "--limit", "2", "--explain")
    assert code == 0
    shown, others = answer["candidates"][:2], answer["candidates"][2:]
    assert [each["shown"] for each in shown] == [True, True]
    assert all(each["suppressed"] for each in others)
    for each in answer["candidates"]:
        assert each["score"] == pytest.approx(sum(each["parts"].values())) or each["notes"]
    code, table = run("search", "the latest page 7", "--limit", "2", "--explain")
    assert code == 0
    assert "latest: says" in table
    assert "below the first 2" in " ".join(table.split())


def test_the_caller_of_a_search_may_say_what_is_wanted(handbook: Repository) -> None:
    run("sync")
    assert run("search", "page 7", "--json", "--intent", "history")[1]["intent"]["kind"] == "history"
    assert run("search", "page 7", "--intent", "yesterday")[0] == 2


def test_a_held_plan_ends_with_3_and_only_its_own_checksum_releases_it(handbook: Repository) -> None:
    run("reconcile")
    handbook.commit(remove=["page-01.md", "page-02.md"])
    code, held = run("reconcile", "--json")
    assert (code, held[0]["state"]) == (3, "held")
    checksum = held[0]["held"]
    assert run("plan")[0] == 3

    code, message = run("approve", "handbook", "0000000000000000", "--reason", "looked at it")
    assert code == 2
    assert checksum in message
    assert run("approve", "handbook", checksum, "--reason", " ")[0] == 2

    code, applied = run("approve", "handbook", checksum, "--reason", "they were merged", "--json")
    assert (code, applied[0]["state"], applied[0]["changed"]) == (0, "true", 2)
    assert run("approve", "handbook", checksum, "--reason", "once more")[0] == 2, "nothing is held any more"


def test_a_source_that_is_not_there_ends_with_4_and_deletes_nothing(handbook: Repository, tmp_path: Path) -> None:
    run("reconcile")
    handbook.folder.rename(tmp_path / "unmounted")
    code, night = run("reconcile", "--json")
    assert (code, night[0]["state"], night[0]["changed"]) == (4, "unproven", 0)
    assert run("status", "--json")[1][0]["documents"] == len(PAGES)
    assert run("plan")[0] == 4


def test_a_document_that_cannot_be_read_ends_with_5_and_is_named(handbook: Repository) -> None:
    handbook.commit({"bad.md": "---\ntitle: [unclosed\n---\n\nText.\n"})
    code, night = run("reconcile", "--json")
    assert (code, night[0]["failed"]) == (5, 1)
    code, manifest = run("show-run", "handbook", "--json")
    assert code == 0
    assert [each["doc_id"] for each in manifest["outcomes"] if each["state"] == "failed"] == ["bad.md"]


def test_show_run_prints_proof_and_outcomes(handbook: Repository) -> None:
    run("reconcile")
    code, text = run("show-run", "handbook", "--limit", "2")
    assert code == 0
    for part in ("12 documents", "created", "0 orphan", "and 10 more"):
        assert part in text
    assert run("show-run", "handbook", "no-such-run")[0] == 2


def test_wrong_names_and_wrong_settings_end_with_2_and_say_what_is_allowed(
    handbook: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, message = run("reconcile", "nope")
    assert code == 2
    assert "configured are handbook" in message
    (tmp_path / "wrong.yaml").write_text("sources: {Bad Name: {kind: git_markdown}}\nlimits: {deletion_percent: 200}\n")
    monkeypatch.setenv("TRUECOPY_CONFIG", str(tmp_path / "wrong.yaml"))
    code, message = run("status")
    assert code == 2
    assert "limits.deletion_percent = 200" in message
    monkeypatch.setenv("TRUECOPY_CONFIG", str(tmp_path / "absent.yaml"))
    code, message = run("status")
    assert code == 2
    assert "absent.yaml" in message


def test_doctor_is_green_on_a_good_installation_and_names_what_is_broken(handbook: Repository, tmp_path: Path) -> None:
    run("reconcile")
    code, found = run("doctor", "--json")
    assert code == 0
    assert {each["subject"] for each in found} >= {
        "state root",
        "ledger",
        "embedder",
        "index",
        "clock",
        "source handbook",
    }
    assert list((tmp_path / "state" / "doctor").iterdir()) == []
    handbook.folder.rename(tmp_path / "unmounted")
    code, found = run("doctor", "--json")
    assert code == 1
    broken = [each for each in found if each["health"] == "broken"]
    assert [each["subject"] for each in broken] == ["source handbook"]
    assert broken[0]["advice"]


def test_an_unknown_document_id_is_reported_and_nothing_is_done(handbook: Repository) -> None:
    run("sync")
    code, synced = run("sync", "handbook", "--doc-id", "no-such-page.md", "--json")
    assert code == 0
    assert synced[0]["changed"] == 1
    _, manifest = run("show-run", "handbook", "--json")
    assert manifest["outcomes"][0]["state"] == "vanished"
    assert "does not list it" in manifest["outcomes"][0]["detail"]
