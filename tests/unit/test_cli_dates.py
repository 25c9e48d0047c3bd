"""`truecopy dates`: a table that is read in seconds, JSON with the same numbers, and one document in full."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.dags.live import Repository, use_settings
from tests.unit.test_cli import run

PAGES = {
    "dated.md": "---\ndate: 2024-05-06\nlastmod: 2025-01-02\n---\n# Dated\n\nalpha\n",
    "ambiguous.md": "---\ndate: 05/02/2018\n---\n# Ambiguous\n\nbeta\n",
    "minutes-2015-05-27.md": "# Minutes\n\ngamma\n",
    "policy.md": "# Policy\n\nEffective 1 March 2024, refunds are possible.\n\nLast updated: 3 May 2025\n",
}


@pytest.fixture
def handbook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    use_settings(monkeypatch, tmp_path)
    repository = Repository(tmp_path / "handbook")
    repository.commit(PAGES)
    assert run("sync")[0] == 0
    return repository


def test_the_report_says_for_every_document_where_its_dates_are_from(handbook: Repository) -> None:
    code, reports = run("dates", "--json")
    assert code == 0
    report = reports["handbook"]
    assert (report["documents"], report["trusted_created"]) == (4, 4)
    created = {
        (one["origin"], one["trust"]): one["documents"] for one in report["shares"] if one["date"] == "created_at"
    }
    assert created == {("front matter date", "high"): 1, ("file name", "low"): 1, ("git first commit", "low"): 2}
    assert sum(one["documents"] for one in report["shares"] if one["date"] == "updated_at") == 4
    doubts = {one["doubt"]: one["example"] for one in report["anomalies"]}
    assert doubts["day and month cannot be told apart"] == "ambiguous.md"
    assert doubts["an older date is stated"] == "minutes-2015-05-27.md"
    code, table = run("dates", "handbook")
    assert code == 0
    assert "handbook: 4 of 4 documents have a trusted creation date" in table
    assert "created, day and month cannot be told apart: 1, for example ambiguous.md" in table


def test_one_document_is_shown_with_what_was_passed_over(handbook: Repository) -> None:
    code, shown = run("dates", "handbook", "--doc-id", "ambiguous.md", "--json")
    assert code == 0
    assert shown["dates"]["created_at"]["origin"] == "git first commit"
    assert shown["notes"] == [
        "created: front matter date 05/02/2018 passed over: day and month cannot be told apart "
        "(the source does not declare `date_order`)"
    ]
    code, table = run("dates", "handbook", "--doc-id", "policy.md")
    assert code == 0
    assert "effective" in table
    assert "2024-03-01" in table


def test_a_date_that_a_person_set_stands_above_the_one_it_replaces(handbook: Repository) -> None:
    chosen = ("--where", "doc_id=ambiguous.md", "--set", "created_at=2018-02-05", "--apply", "--reason", "it is known")
    assert run("set-meta", "handbook", *chosen)[0] == 0
    shown = run("dates", "handbook", "--doc-id", "ambiguous.md", "--json")[1]
    assert shown["dates"]["created_at"]["origin"] == "git first commit"
    assert list(shown["set_over"]) == ["created_at"]
    assert shown["set_over"]["created_at"]["value"].startswith("2018-02-05")
    table = run("dates", "handbook", "--doc-id", "ambiguous.md")[1]
    assert table.index("ledger") < table.index("git first commit")
    assert "low, replaced" in table
    assert run("dates", "handbook", "--doc-id", "dated.md", "--json")[1]["set_over"] == {}


def test_an_unknown_document_or_source_is_a_wrong_call(handbook: Repository) -> None:
    assert run("dates", "handbook", "--doc-id", "nope.md")[0] == 2
    assert run("dates", "nope")[0] == 2


def test_looking_changes_nothing(handbook: Repository) -> None:
    run("reconcile")
    run("dates")
    code, night = run("reconcile", "--json")
    assert (code, night[0]["changed"]) == (0, 0)
