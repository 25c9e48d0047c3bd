"""`truecopy erase` on a real repository, the embedded index and the Git ledger: found, reviewed, confirmed, lifted."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from include.wiring.application import Application
from tests.dags.live import Repository, use_settings
from tests.unit.test_cli import run

PAGES = {
    **{f"rules/page-{number}.md": f"# Rule {number}\n\nRule {number} is kept.\n" for number in range(4)},
    "people/jane-doe.md": "# Jane\n\nJane Doe lives at Elm Street 14.\n",
    "people/slip.md": "---\nstatus: erase\n---\n\n# Slip\n\nPublished by mistake.\n",
    "people/letters.md": "# Letters\n\nA letter to Jane Doe, Elm Street.\n",
}


@pytest.fixture
def handbook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Application:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("AIRFLOW")]:  # the DAG tests' own
        monkeypatch.delenv(name)
    environment = use_settings(monkeypatch, tmp_path)
    Repository(tmp_path / "handbook").commit(PAGES)
    assert run("sync")[0] == 0
    return Application.from_environment(environment)


def indexed(application: Application) -> set[Any]:
    with application.store.reading() as index:
        return {chunk.doc_id for chunk in index.scan("handbook")}


def test_a_search_is_reviewed_confirmed_and_carried_out(handbook: Application, tmp_path: Path) -> None:
    file = tmp_path / "jane.yaml"
    code, _ = run("erase", "--find", "jane doe", "--rule", "art. 17", "--write", str(file))
    assert code == 0
    listed = yaml.safe_load(file.read_text())
    assert [each["doc_id"] for each in listed["documents"]] == ["people/jane-doe.md", "people/letters.md"]
    listed["documents"].pop()
    file.write_text(yaml.safe_dump(listed))

    code, shown = run("erase", "--from", str(file), "--json")
    assert (code, len(shown["documents"])) == (0, 1)
    assert indexed(handbook) == PAGES.keys()
    assert run("erase", "--from", str(file), "--confirm", "0123456789abcdef")[0] == 3
    assert indexed(handbook) == PAGES.keys()

    code, receipt = run("erase", "--from", str(file), "--by", "ada", "--confirm", shown["checksum"], "--json")
    assert (code, receipt["state"], receipt["open"]) == (0, "complete", [])
    assert (receipt["by"], receipt["rule"]) == ("ada", "art. 17")
    assert indexed(handbook) == PAGES.keys() - {"people/jane-doe.md"}
    (manifest,) = handbook.manifests.latest("handbook", dag_id="erase_documents")
    assert [(each.doc_id, each.state.value) for each in manifest.outcomes] == [(receipt["marks"][0], "deleted")]
    assert handbook.manifests.removals("handbook", manifest.started_at) == []

    run("sync")
    assert indexed(handbook) == PAGES.keys() - {"people/jane-doe.md"}
    assert run("erase", "handbook", "people/jane-doe.md", "--lift", "--rule", "another Jane")[0] == 0
    run("sync")
    assert indexed(handbook) == PAGES.keys()


def test_a_call_that_says_nothing_or_too_much_is_refused(handbook: Application, tmp_path: Path) -> None:
    assert run("erase")[0] == 2
    assert run("erase", "nowhere", "a.md")[0] == 2
    code, shown = run("erase", "handbook", "people/jane-doe.md", "--json")
    assert code == 0
    assert run("erase", "handbook", "people/jane-doe.md", "--confirm", shown["checksum"])[0] == 2  # no rule
    assert run("erase", "--from", str(tmp_path / "none.yaml"))[0] == 2
    code, asked_for = run("erase", "--requested", "--json")
    assert (code, [each["doc_id"] for each in asked_for["documents"]]) == (0, ["people/slip.md"])
    assert indexed(handbook) == PAGES.keys()
