"""`truecopy set-meta` on a real repository, the embedded index and the Git ledger: shown, applied, taken back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from include.domain.documents import DocumentKey
from include.wiring.application import Application
from tests.dags.live import Repository, use_settings
from tests.unit.test_cli import run

PAGES = {
    **{f"policies/2023/page-{number:02}.md": f"# Page {number}\n\nText {number}.\n\nMore.\n" for number in range(11)},
    "policies/2024/page.md": "---\ndate: 2024-02-01\n---\n\n# New\n\nText.\n",
}
BY_PATH = ("--where", "path=policies/2023/*")


def filled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Application:
    environment = use_settings(monkeypatch, folder)
    Repository(folder / "handbook").commit(PAGES)
    assert run("reconcile")[0] == 0
    return Application.from_environment(environment)


@pytest.fixture
def handbook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Application:
    return filled(tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    """One for all tests that change nothing."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        yield filled(tmp_path_factory.mktemp("untouched"), monkeypatch)


def set_meta(*arguments: str) -> tuple[int, Any]:
    return run("set-meta", "handbook", *arguments, "--json")


def said(application: Application, doc_id: str, name: str) -> set[object]:
    key = DocumentKey("handbook", doc_id)
    with application.store.reading() as index:
        return {chunk.status if name == "status" else chunk.metadata.get(name) for chunk in index.chunks_of([key])[key]}


def test_a_dry_run_is_the_default_and_says_exactly_what_would_be_done(untouched: Application) -> None:
    code, plan = set_meta(*BY_PATH, "--set", "created_at=2023-04-01")
    assert code == 0
    assert (plan["chosen"], plan["documents"], len(plan["rows"])) == (11, 11, 11)
    assert plan["chunks"] == sum(row["chunks"] for row in plan["rows"]) >= 11
    before = plan["rows"][0]["changes"]["created_at"]["before"]
    assert plan["rows"][0]["changes"]["created_at"] == {"before": before, "after": "2023-04-01"}
    assert said(untouched, "policies/2023/page-00.md", "created_at") != {"2023-04-01T00:00:00.000000Z"}
    assert untouched.manifests.latest("handbook", dag_id="set_metadata") == []
    code, text = run("set-meta", "handbook", *BY_PATH, "--set", "created_at=2023-04-01", "--show", "2")
    assert code == 0
    for part in ("11 documents chosen (path=policies/2023/*)", "and 9 more", f"--checksum {plan['checksum']}"):
        assert part in " ".join(text.split())


def test_what_was_shown_is_applied_recorded_and_taken_back(handbook: Application) -> None:
    page = "policies/2023/page-00.md"
    asked = (*BY_PATH, "--set", "created_at=2023-04-01", "--set", "doc_family=policies")
    before = said(handbook, page, "created_at")
    _, plan = set_meta(*asked)
    code, wrong = run("set-meta", "handbook", *asked, "--apply", "--checksum", "0000", "--reason", "import date")
    assert code == 3
    assert plan["checksum"] in wrong
    code, done = set_meta(*asked, "--apply", "--checksum", plan["checksum"], "--reason", "import date", "--by", "Ada")
    assert (code, done["state"], done["changed"]) == (0, "true", 11)
    assert done["audit"] == {"before": plan["chunks"], "touched": plan["chunks"], "after": plan["chunks"]}
    assert said(handbook, page, "created_at") == {"2023-04-01T00:00:00.000000Z"}
    assert said(handbook, page, "doc_family") == {"policies"}

    change = handbook.ledger.recorded("handbook", done["run_id"])
    assert change is not None
    assert (change.by, change.reason, change.selector) == ("Ada", "import date", "path=policies/2023/*")
    code, shown = run("show-run", "handbook", done["run_id"], "--json")
    assert (code, shown["state"], len(shown["outcomes"])) == (0, "true", 11)
    assert (shown["documents"], shown["dag_id"]) == (12, "set_metadata")
    assert "created_at:" in shown["outcomes"][0]["detail"]

    assert set_meta(*asked)[1]["documents"] == 0, "it says so already"
    code, night = run("reconcile", "--json")
    assert (code, night[0]["state"], night[0]["changed"]) == (0, "true", 0)

    code, back = set_meta("--revert", done["run_id"])
    assert (code, back["documents"]) == (0, 11)
    assert said(handbook, page, "doc_family") == {"policies"}, "a dry run, too"
    code, _ = set_meta("--revert", done["run_id"], "--apply", "--reason", "it was right before")
    assert code == 0
    assert said(handbook, page, "created_at") == before
    assert said(handbook, page, "doc_family") == {None}


def test_a_table_gives_each_document_its_own_date(handbook: Application, tmp_path: Path) -> None:
    table = tmp_path / "dates.csv"
    table.write_text(
        "doc_id,created_at\npolicies/2023/page-00.md,2023-01-05\npolicies/2023/page-01.md,2023-02-06\n",
        encoding="utf-8",
    )
    code, done = set_meta("--file", str(table), "--apply", "--reason", "dates of the old share")
    assert (code, done["changed"]) == (0, 2)
    assert said(handbook, "policies/2023/page-01.md", "created_at") == {"2023-02-06T00:00:00.000000Z"}
    table.write_text("doc_id,created_at\npolicies/2023/page-00.md,06/02/2023\nnope.md,2023-01-01\n", encoding="utf-8")
    code, text = run("set-meta", "handbook", "--file", str(table), "--apply", "--reason", "x")
    assert code == 2
    assert "line 2: created_at is '06/02/2023'" in " ".join(text.split())


@pytest.mark.parametrize(
    ("arguments", "code", "named"),
    [
        (["--set", "pinned=true"], 2, "to mean all of the source, say so: --all"),
        ([], 2, "say what to do, in one way"),
        ([*BY_PATH], 2, "nothing is set or unset"),
        ([*BY_PATH, "--set", "pinned=true", "--revert", "x"], 2, "in one way"),
        ([*BY_PATH, "--set", "created_at=1.4.2023"], 2, "created_at is '1.4.2023'"),
        ([*BY_PATH, "--set", "status=superseded", "--set", "superseded_by=no.md"], 2, "names no.md, which is not in"),
        (["--where", "lang=", "--set", "pinned=true"], 2, "allowed are doc_id="),
        (["--where", "path=nothing/*", "--set", "pinned=true"], 2, "no document of 12 fits"),
        (["--all", "--set", "status=archived"], 3, "12 of 12 documents would be hidden, 100.0 %, the limit is 10 %"),
        (["--revert", "no-such-run"], 2, "the ledger has no change by run no-such-run"),
    ],
)
def test_what_is_refused_says_why_and_changes_nothing(
    arguments: list[str], code: int, named: str, untouched: Application
) -> None:
    found, text = run("set-meta", "handbook", *arguments, "--apply", "--reason", "why")
    assert (found, named in " ".join(text.split())) == (code, True), text
    assert untouched.ledger.marks("handbook") == {}
    assert said(untouched, "policies/2023/page-00.md", "status") == {"published"}


def test_a_change_needs_a_reason_and_a_source_of_its_own(untouched: Application) -> None:
    code, text = run("set-meta", "handbook", *BY_PATH, "--set", "pinned=true", "--apply")
    assert (code, "a person and a reason" in text) == (2, True)
    code, text = run("set-meta", "all", *BY_PATH, "--set", "pinned=true")
    assert (code, "name one source of handbook" in text) == (2, True)


def test_a_refused_run_leaves_a_manifest_and_the_nights_know_nothing_of_it(untouched: Application) -> None:
    run("set-meta", "handbook", "--all", "--set", "status=archived", "--apply", "--reason", "why")
    (manifest,) = untouched.manifests.latest("handbook", dag_id="set_metadata", limit=1)
    assert (manifest.state, manifest.next_step) == ("failed", "Nothing was changed")
    assert run("status", "--json")[1][0]["state"] == "true"
