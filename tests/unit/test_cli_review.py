"""`truecopy review` over a real ledger and index: what waits, one candidate, decisions, and what is refused."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from include.records.review_queue import candidate_path
from include.wiring.application import Application
from tests.dags.live import Repository
from tests.unit.test_cli import run
from tests.unit.test_cli_families import deck, payloads, repository

__all__ = ["repository"]

NEWEST = "decks/sales-deck-v10.md"
OLDER = ["decks/sales-deck-v2.md", "decks/sales-deck-v9.md"]
ONE = OLDER[0]


@pytest.fixture
def library(repository: Repository) -> Repository:
    """Two older decks in the queue, both staged."""
    repository.commit({f"decks/sales-deck-v{number}.md": deck(str(number)) for number in (2, 9, 10)})
    run("sync")
    assert run("resolve", "handbook", "--apply", "--json")[0] == 0
    assert run("detect", "handbook", "--apply", "--json")[0] == 0
    return repository


def ledger() -> Path:
    return Application.from_environment(os.environ).settings.ledger


def git(*arguments: str) -> str:
    command = ["git", "-C", str(ledger()), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def last_commit() -> str:
    return git("log", "-1", "--format=%an: %s / %b")


def decide(
    disposition: str, *more: str, doc_id: str = ONE, by: str = "Ada", reason: str = "it's old"
) -> tuple[int, Any]:
    return run("review", "handbook", doc_id, "--decide", disposition, "--reason", reason, "--by", by, "--json", *more)


def test_the_list_says_what_waits_since_when_and_why(library: Repository) -> None:
    code, (queue,) = run("review", "handbook", "--json")
    assert (code, queue["source"], queue["decided"], queue["unreadable"]) == (0, "handbook", [], [])
    assert sorted(each["doc_id"] for each in queue["open"]) == OLDER
    for each in queue["open"]:
        assert (each["title"], each["proposal"], each["replacement"]) == ("Sales deck", "stage", NEWEST)
        assert (each["score"], each["age_days"]) == (0.95, 0)
        assert NEWEST in each["evidence"][0]["sentence"]
    code, text = run("review")
    assert code == 0
    assert "2 candidates to decide, 0 decided" in text
    assert all(doc_id in text for doc_id in (*OLDER, NEWEST))


def test_one_candidate_is_shown_with_evidence_arithmetic_and_diff(library: Repository) -> None:
    code, item = run("review", "handbook", ONE, "--json")
    assert (code, item["doc_id"], item["decision"]) == (0, ONE, None)
    code, text = run("review", "handbook", ONE)
    assert code == 0
    for said in (item["arithmetic"], item["fingerprint"], item["evidence"][0]["sentence"], *item["diff"].splitlines()):
        assert said in text
    assert "hidden from readers until you decide" in text
    assert "--decide approve-purge|keep|archive|supersede-link|extend" in text


def test_a_decision_is_a_commit_in_the_persons_name_and_changes_nothing_in_the_index(library: Repository) -> None:
    before = payloads()
    code, item = decide("archive")
    assert (code, item["decision"]["disposition"], item["decision"]["by"]) == (0, "archive", "Ada")
    assert last_commit() == f"Ada: Decide archive for {ONE} of handbook / it's old"
    assert payloads() == before
    _, (queue,) = run("review", "handbook", "--json")
    assert [each["doc_id"] for each in queue["open"]] == OLDER[1:]
    assert [each["doc_id"] for each in queue["decided"]] == [ONE]
    code, text = run("review", "handbook")
    assert f"{ONE}: archive, said Ada on " in text
    assert "carried out with `truecopy apply-dispositions handbook --apply`" in text


def test_the_second_of_two_words_is_told_the_first_and_may_overrule_it(library: Repository) -> None:
    assert decide("keep")[0] == 0
    assert decide("keep", by="Bob")[1]["decision"]["by"] == "Ada", "the same word again changes nothing"
    code, message = decide("archive", by="Bob")
    assert code == 3
    assert "Ada decided keep on " in message
    code, item = decide("archive", "--overrule", by="Bob")
    assert (code, item["decision"]["by"]) == (0, "Bob")
    assert "Bob overruled it with archive" in item["notes"][-1]


def test_a_word_on_other_evidence_than_was_seen_is_refused(library: Repository) -> None:
    _, item = run("review", "handbook", ONE, "--json")
    code, message = decide("keep", "--fingerprint", "another")
    assert (code, "the evidence is another than the one that you saw" in message) == (3, True)
    assert run("review", "handbook", ONE, "--json")[1]["decision"] is None
    assert decide("keep", "--fingerprint", item["fingerprint"])[0] == 0


WRONG_CALLS = [
    (("handbook", "pages/page-01.md"), "pages/page-01.md is no candidate; `truecopy review handbook` lists them"),
    (("handbook", "nothing.md", "--decide", "keep", "--reason", "x"), "nothing.md is no candidate"),
    (("nowhere",), "'nowhere' is not configured; configured are handbook"),
    (("all", ONE), "name it"),
    (("handbook", "--decide", "keep", "--reason", "x"), "a decision is about one document"),
    (("handbook", ONE, "--reason", "x"), "nothing is decided without --decide"),
    (("handbook", "--all"), "nothing is decided without --decide"),
    (("handbook", "--signal", "aged"), "say --all"),
    (("handbook", ONE, "--all", "--decide", "keep", "--reason", "x"), "leave out the document"),
    (("handbook", ONE, "--decide", "keep"), "why is ''"),
    (("handbook", ONE, "--decide", "extend", "--reason", "x"), "until is ''; allowed is a day"),
    (("handbook", ONE, "--decide", "extend", "--reason", "x", "--until", "2001-01-01"), "which has passed"),
    (("handbook", ONE, "--decide", "keep", "--reason", "x", "--until", "2099-01-01"), "belongs to extend only"),
    (
        ("handbook", ONE, "--decide", "supersede-link", "--reason", "x", "--superseded-by", "gone.md"),
        "gone.md is not in the index",
    ),
    (("handbook", ONE, "--decide", "supersede-link", "--reason", "x", "--superseded-by", ONE), "by itself"),
]


def test_a_wrong_call_says_what_is_wrong_and_records_nothing(library: Repository) -> None:
    before = last_commit()
    for arguments, said in WRONG_CALLS:
        code, message = run("review", *arguments)
        assert code == 2, arguments
        assert said in " ".join(message.split()), arguments
        assert last_commit() == before, arguments


def test_a_spoilt_file_is_named_and_the_others_are_listed(library: Repository) -> None:
    path = candidate_path("handbook", ONE)
    file = ledger() / path
    file.write_text(file.read_text(encoding="utf-8").replace("proposal: stage", "proposal: burn"), encoding="utf-8")
    code, (queue,) = run("review", "handbook", "--json")
    assert (code, [each["doc_id"] for each in queue["open"]]) == (5, OLDER[1:])
    (spoilt,) = queue["unreadable"]
    assert spoilt == f"{path}: proposal is 'burn'; allowed are stage, review"
    for more in ((), ("--decide", "keep", "--reason", "x")):
        code, message = run("review", "handbook", ONE, *more)
        assert (code, path in message, "proposal is 'burn'" in message) == (2, True, True)
    assert "proposal: burn" in file.read_text(encoding="utf-8")


def test_what_a_source_wrote_controls_no_terminal(library: Repository) -> None:
    file = ledger() / candidate_path("handbook", ONE)
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("title: Sales deck", 'title: "Sales\\e[31m deck [bold]"'), encoding="utf-8")
    for arguments in (("review", "handbook"), ("review", "handbook", ONE)):
        code, shown = run(*arguments)
        assert code == 0
        assert "\x1b" not in shown
        assert "[31m deck [bold]" in shown
