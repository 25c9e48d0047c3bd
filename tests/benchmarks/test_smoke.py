"""The benchmark's own column, on few documents: so that it cannot rot. Figures are not judged here."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from tests.benchmarks import ranking, readers
from tests.benchmarks.__main__ import install_peers, prepare
from tests.benchmarks.audit import Stored, audit
from tests.benchmarks.corpus import Corpus, Page, load
from tests.benchmarks.report import Column, markdown, scenario_table, summary
from tests.benchmarks.worker import Bench, Result

WORDS = ("reconcile", "inventory", "published", "documents", "retention", "connector", "listing", "refunds")


@pytest.fixture(scope="module")
def pages() -> Corpus:
    """Thirty documents, each long enough to be edited in the middle."""
    made = {}
    for number in range(30):
        sections = (
            f"## Part {part}\n\n" + " ".join(f"{WORDS[(number + part * i) % 8]} {number} {i}" for i in range(40))
            for part in range(1, 6)
        )
        doc_id = f"guide/page-{number:02}.md"
        made[doc_id] = Page(doc_id, f"Page {number}", f"# Page {number}\n\n" + "\n\n".join(sections) + "\n")
    return made


@pytest.fixture(scope="module")
def results(pages: Corpus, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    given = prepare(pages)
    folder = tmp_path_factory.mktemp("bench")
    # Scenario 14 dies in a process of its own, which takes seconds to start; kill -9 has tests of its own.
    short = type(given)(given.scenarios[:-1], given.chunks)
    return {result.number: result for result in Bench("truecopy", short, folder).results()}


def test_the_index_is_exact_after_every_scenario(results: dict[str, Result]) -> None:
    assert {result.title: result.found for result in results.values() if not result.exact} == {}
    assert len(results) == 13


def test_only_what_changed_is_embedded(results: dict[str, Result]) -> None:
    for number in ("1", "3", "13"):
        assert results[number].embedded == results[number].minimum > 0
    for number in ("2", "4", "6", "7", "8", "11"):
        assert results[number].embedded == 0


def test_the_report_names_a_tool_that_is_missing_and_shows_the_others(results: dict[str, Result]) -> None:
    columns = [Column("truecopy", "", tuple(results.values())), Column("other", "", (), "not installed: no wheel")]
    console = Console(record=True, width=120)
    console.print(scenario_table(columns))
    for line in summary(columns, []):
        console.print(line)
    text = console.export_text()
    assert "| 1 initial ingest |" in markdown(columns, [])
    assert "other: not installed: no wheel" in text
    assert "truecopy: exact after 13 of 13 scenarios" in text


def test_the_audit_sees_what_is_missing_orphaned_stale_double_and_torn() -> None:
    old, new = {"a": ("one", "two"), "b": ("three",)}, {"a": ("one", "TWO"), "b": ("three",)}

    def stored(*chunks: tuple[str, str]) -> list[Stored]:
        return [Stored(doc_id, text, "") for doc_id, text in chunks]

    whole = stored(("a", "one"), ("a", "two"), ("b", "three"))
    assert audit(whole, [old]).exact
    assert audit(whole, [new, old]).exact
    assert str(audit(whole, [new])) == "1 missing, 1 stale or double"
    assert str(audit([*whole, *stored(("gone", "x"))], [old])) == "1 orphaned"
    assert str(audit([*whole, *stored(("b", "three"))], [old])) == "1 stale or double"
    assert audit(stored(("a", "one"), ("b", "three")), [old, new]).torn == 1
    assert audit([*whole, *stored(("a", "one"), ("a", "TWO"))], [old, new]).torn == 0


def test_a_folder_without_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    with pytest.raises(ValueError, match="no readable text file"):
        load(tmp_path)


def test_peers_that_cannot_be_installed_are_a_reason_and_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder can be made below a file")
    monkeypatch.setattr("tests.benchmarks.__main__.PEERS", tmp_path / "file" / "peers")
    assert install_peers().startswith("not installed: ")


@pytest.mark.slow
def test_readers_beside_an_ingest_meet_no_error_and_no_mixed_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert readers.main(["--documents", "10", "--readers", "3", "--seconds", "1", "--timeout", "60"]) == 0
    assert "one question alone" in capsys.readouterr().out


def test_the_readers_see_an_answer_of_two_editions() -> None:
    page = "# Page\n\nfirst part\n\n```\ncode\n```\n\nlast part\n"
    old, new = (readers._edition(page, "page.md", number) for number in (0, 1))
    assert old.count("(edition 0 of page.md)") == 2
    assert not readers._is_mixed({"chunks": [{"text": old}, {"text": old}]})
    assert readers._is_mixed({"chunks": [{"text": old}, {"text": new}]})


def test_ranking_is_measured_and_fails_the_run_only_against_a_limit(capsys: pytest.CaptureFixture[str]) -> None:
    few = ["--documents", "20", "--runs", "2"]
    assert ranking.main(few) == 0
    assert ranking.main([*few, "--limit-ms", "10000"]) == 0
    assert ranking.main([*few, "--limit-ms", "0.001"]) == 1
    assert "one title for all" in capsys.readouterr().out
