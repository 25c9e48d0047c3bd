"""Families from a real repository to the answer: ingested, resolved, found, decided by a person, taken back."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from include.wiring.application import Application
from tests.dags.live import Repository, use_settings
from tests.unit.test_cli import run

PAGES = {f"pages/page-{number:02}.md": f"# Page {number}\n\nThe number is {number * 37}.\n" for number in range(40)}
SAYS = "The deck for customers says what we sell: three plans, one price list, and how to reach us."


def deck(version: str, front_matter: str = "") -> str:
    head = f"---\n{front_matter}\n---\n" if front_matter else ""
    return f"{head}# Sales deck\n\n{SAYS}\n\nThis is state {version} of it.\n"


NAMED = {f"decks/sales-deck-v{number}.md": deck(str(number)) for number in (2, 9, 10)}
STATED = {
    "decks/spring.md": deck("spring", "superseded_by: decks/summer.md"),
    "decks/summer.md": deck("summer", "superseded_by: decks/autumn.md"),
    "decks/autumn.md": deck("autumn"),
}


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    use_settings(monkeypatch, tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    made = Repository(tmp_path / "handbook")
    made.commit(PAGES)
    return made


def shown(*arguments: str) -> dict[str, dict[str, Any]]:
    code, answer = run("search", *arguments, "--json")
    assert code == 0
    return {each["doc_id"]: each for each in answer["candidates"]}


def payloads() -> dict[str, dict[str, object]]:
    """Everything the index says, by point."""
    application = Application.from_environment(os.environ)
    with application.store.reading() as index:
        return {
            chunk.point_id: {"status": chunk.status, "fetched_at": str(chunk.fetched_at), **chunk.metadata}
            for chunk in index.scan("handbook")
        }


@pytest.mark.parametrize(
    ("decks", "newest"), [(NAMED, "decks/sales-deck-v10.md"), (STATED, "decks/autumn.md")], ids=["named", "stated"]
)
def test_three_decks_without_a_mark_become_one_answer(
    repository: Repository, decks: dict[str, str], newest: str
) -> None:
    repository.commit(decks)
    run("sync")
    before = payloads()

    code, (dry,) = run("resolve", "handbook", "--json")
    assert (code, dry["state"], dry["would_change"], dry["would_supersede"]) == (0, "planned", 3, 2)
    assert payloads() == before
    (family,) = dry["families"]
    assert (family["outcome"], family["current"], family["canonical"]) == ("decided", newest, newest)
    assert all(link["evidence"] for link in family["links"])

    code, (applied,) = run("resolve", "handbook", "--apply", "--json")
    assert (code, applied["state"], applied["changed"]) == (0, "resolved", 3)
    latest = shown("latest sales deck")
    assert next(iter(latest)) == newest
    assert not (decks.keys() - {newest}) & latest.keys(), "the newest stands in their place"
    plain = shown("the deck for customers says what we sell")
    assert next(iter(plain)) == newest
    assert decks.keys() <= shown("all sales decks", "--intent", "history", "--limit", "10").keys()

    run_id = run("show-run", "handbook", "--json")[1]["run_id"]
    code, _ = run("set-meta", "handbook", "--revert", run_id, "--reason", "wrong", "--apply")
    assert code == 0
    assert payloads() == before


def test_families_are_shown_as_tables_as_a_tree_and_as_json(repository: Repository) -> None:
    repository.commit(NAMED)
    run("sync")
    code, table = run("resolve", "handbook")
    assert code == 0
    for part in ("would be marked now", "current decks/sales-deck-v10.md · 2 superseded", "resolve handbook --apply"):
        assert part in table, part
    run("resolve", "handbook", "--apply")
    code, table = run("resolve", "handbook")
    assert "would be marked" not in table
    code, tree = run("families", "handbook", "decks/sales-deck-v9.md")
    assert code == 0
    assert tree.index("sales-deck-v10.md") < tree.index("sales-deck-v9.md") < tree.index("sales-deck-v2.md")
    assert "current · canonical" in tree
    assert "superseded by decks/sales-deck-v10.md" in tree
    assert "the index says" not in tree
    code, (record,) = run("families", "handbook", "decks/sales-deck-v9.md", "--json")
    by_id = {member["doc_id"]: member for member in record["members"]}
    assert by_id["decks/sales-deck-v9.md"]["status"] == "superseded"
    assert by_id["decks/sales-deck-v9.md"]["superseded_by"] == ["decks/sales-deck-v10.md"]
    assert run("families", "handbook")[0] == 0
    code, refusal = run("families", "handbook", "pages/page-01.md")
    assert (code, "belongs to no family" in refusal) == (2, True)


def test_a_held_collapse_is_shown_declined_approved_and_applied(repository: Repository) -> None:
    repository.commit({f"decks/sales-deck-v{number}.md": deck(str(number)) for number in range(1, 11)})
    run("sync")
    code, (held,) = run("resolve", "handbook", "--apply", "--json")
    assert (code, held["state"], held["changed"]) == (3, "held", 0)
    checksum = held["held"]
    code, status = run("status", "--json")
    assert any(alert["name"] == "families_held" for row in status for alert in row["alerts"])
    assert run("resolve", "handbook")[0] == 3
    assert run("plan", "handbook", "--json")[1]["handbook"]["families_held"] == checksum

    code, refusal = run("reject", "handbook", "0" * 16, "--reason", "no")
    assert (code, "is not held" in refusal) == (2, True)
    assert run("reject", "handbook", checksum, "--reason", "let me look")[0] == 0
    assert run("resolve", "handbook", "--apply", "--json")[1][0]["held"] == checksum
    code, (applied,) = run("approve", "handbook", checksum, "--reason", "looked", "--by", "Ada", "--json")
    assert (code, applied["state"], applied["changed"]) == (0, "resolved", 10)
    assert next(iter(shown("latest sales deck"))) == "decks/sales-deck-v10.md"
    assert run("approve", "handbook", checksum, "--reason", "again")[0] == 2


def test_a_person_decides_what_the_resolver_cannot(repository: Repository) -> None:
    forks = {
        "decks/sales-deck-v1.md": deck("1"),
        "decks/by-ada.md": deck("Ada", "supersedes: decks/sales-deck-v1.md"),
        "decks/by-bob.md": deck("Bob", "supersedes: decks/sales-deck-v1.md"),
    }
    repository.commit(forks)
    run("sync")
    code, table = run("resolve", "handbook", "--apply")
    assert (code, "1 family is ambiguous" in " ".join(table.split())) == (0, True)
    code, table = run("families", "handbook")
    assert "is ambiguous" in table
    (family,) = [each for each in run("families", "handbook", "--json")[1] if each["outcome"] == "ambiguous"]
    name = family["family"]
    assert {option["doc_id"] for option in family["options"]} == {"decks/by-ada.md", "decks/by-bob.md"}

    assert run("decide", "handbook", name, "--reason", "x")[0] == 2
    code, refusal = run("decide", "handbook", name, "--head", "pages/page-01.md", "--reason", "x")
    assert (code, "is not in it" in refusal) == (2, True)
    code, said = run("decide", "handbook", name, "--head", "decks/by-bob.md", "--reason", "Bob is right", "--json")
    assert (code, said["documents"]) == (0, sorted(forks))
    (family,) = run("families", "handbook", "decks/by-ada.md", "--json")[1]
    assert (family["outcome"], family["current"]) == ("decided", "decks/by-bob.md")
    assert next(iter(shown("latest sales deck"))) == "decks/by-bob.md"
    code, (again,) = run("resolve", "handbook", "--apply", "--json")
    assert (code, again["changed"]) == (0, 0), "the resolver follows the person"
    assert not list(Path(repository.folder.parent / "state" / "ledger").glob("review/*/families/*.yaml"))


def test_a_person_says_that_documents_are_no_family(repository: Repository) -> None:
    repository.commit(NAMED)
    run("sync")
    run("resolve", "handbook", "--apply")
    (family,) = run("families", "handbook", "--json")[1]
    code, _ = run("decide", "handbook", family["family"], "--not-a-family", "--reason", "three products")
    assert code == 0
    assert run("families", "handbook", "--json")[1] == []
    assert {said["status"] for said in payloads().values()} == {"published"}
    assert NAMED.keys() <= shown("sales deck", "--limit", "10").keys()


def test_what_only_names_take_for_a_family_is_shown_and_enough_is_what_the_settings_say(
    repository: Repository, tmp_path: Path
) -> None:
    other = "# Sales deck\n\nHow the canteen is cleaned: floors on Monday, windows in May, ovens never alone.\n"
    repository.commit({"decks/sales-deck-v1.md": deck("1"), "decks/sales-deck-v2.md": other})
    run("sync")
    assert run("families", "handbook", "--json") == (0, [])
    code, (rejected,) = run("families", "handbook", "--rejected", "--json")
    assert (code, rejected["doc_ids"]) == (0, ["decks/sales-deck-v1.md", "decks/sales-deck-v2.md"])
    assert "0.60 is needed" in rejected["why"]

    file = Path(os.environ["TRUECOPY_CONFIG"])
    file.write_text(f"{file.read_text()}\nfamilies: {{alike_revisions: -1}}\n")
    code, (family,) = run("families", "handbook", "--json")
    assert (code, family["current"]) == (0, "decks/sales-deck-v2.md")
    assert run("families", "handbook", "--rejected", "--json") == (0, [])
