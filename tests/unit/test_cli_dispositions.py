"""`truecopy apply-dispositions` on a real repository, ledger and index: three decks, from the finding to the undo."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

from include.records.review_queue import candidate_path
from include.wiring.application import Application
from tests.dags.live import Repository
from tests.unit.test_cli import run
from tests.unit.test_cli_families import repository
from tests.unit.test_cli_review import NEWEST, OLDER, decide, git, ledger, library

__all__ = ["library", "repository"]

ONE, TWO = OLDER
IDENTITY = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")


def in_source(repository: Repository, *arguments: str) -> str:
    command = ["git", *IDENTITY, "-C", str(repository.folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def apply() -> str:
    code, text = run("apply-dispositions", "handbook", "--apply")
    assert code == 0, text
    return " ".join(text.split())


def command_in(text: str) -> list[str]:
    """The command that was told, to be copied."""
    return shlex.split(text.partition("To bring it in: `")[2].partition("`")[0])


def statuses(doc_id: str) -> set[str]:
    """Of every chunk; empty where the index does not hold the document."""
    application = Application.from_environment(os.environ)
    with application.store.reading() as index:
        return {str(chunk.status) for chunk in index.scan("handbook") if chunk.doc_id == doc_id}


def test_of_three_decks_the_older_two_are_purged_by_one_commit_and_a_revert_brings_them_back(
    library: Repository,
) -> None:
    # Found: both are staged, and the evidence names the newest.
    assert statuses(ONE) == statuses(TWO) == {"staged_for_review"}
    _, (queue,) = run("review", "handbook", "--json")
    assert {each["replacement"] for each in queue["open"]} == {NEWEST}

    # Decided: two people want them gone. Nothing happens by itself.
    assert decide("approve-purge", doc_id=ONE, by="Ada")[0] == 0
    assert decide("approve-purge", doc_id=TWO, by="Bob", reason="the new one says it all")[0] == 0
    tip, branch = in_source(library, "rev-parse", "HEAD"), in_source(library, "symbolic-ref", "HEAD")
    code, (dry,) = run("apply-dispositions", "handbook", "--json")
    assert (code, {each["step"] for each in dry["steps"]}) == (0, {"commit"})
    assert in_source(library, "for-each-ref").count("\n") == 0

    # Carried out: one commit in a clone; the repository, its checkout and its branch are as they were.
    told = apply()
    assert (in_source(library, "rev-parse", "HEAD"), in_source(library, "symbolic-ref", "HEAD")) == (tip, branch)
    assert in_source(library, "status", "--porcelain") == ""
    assert statuses(ONE) == statuses(TWO) == {"staged_for_review"}

    assert "To bring it in: `git -C" in run("review", "handbook", "--list")[1]

    # Merged by whoever owns the repository, with the command that was told.
    program, *arguments = command_in(told)
    assert program == "git"
    subprocess.run(["git", *IDENTITY, *arguments], capture_output=True, check=True)
    commit = in_source(library, "rev-parse", "HEAD")
    assert in_source(library, "rev-list", f"{tip}..HEAD") == commit
    assert in_source(library, "diff", "--name-status", tip, commit).splitlines() == [f"D\t{ONE}", f"D\t{TWO}"]
    said = " ".join(in_source(library, "log", "-1", "--format=%B").split())
    for words in (f"superseded by {NEWEST}", "Decided by Ada on", "it's old", "Decided by Bob on", "says it all"):
        assert words in said
    assert run("reconcile", "handbook", "--json")[0] == 0
    assert statuses(ONE) == statuses(TWO) == set()
    apply()
    _, (queue,) = run("review", "handbook", "--json")
    assert (queue["open"], queue["decided"]) == ([], [])

    # Taken back: a revert in the repository and a sync.
    in_source(library, "revert", "--no-edit", commit)
    assert run("sync", "handbook", "--json")[0] == 0
    for doc_id in OLDER:
        assert statuses(doc_id) in ({"published"}, {"superseded"})


def kept_out_of_the_index_only(tmp_path: Path) -> None:
    file = Path(os.environ["TRUECOPY_CONFIG"])
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("kind: git_markdown,", "kind: git_markdown, purge: {commit: false},"), "utf-8")


DECISIONS: list[tuple[str, tuple[str, ...], str]] = [
    ("keep", (), "superseded"),
    ("archive", (), "archived"),
    ("supersede-link", (), "superseded"),
    ("extend", ("--until", "2099-01-31"), "superseded"),
    ("approve-purge", (), ""),
]


def test_every_decision_is_a_commit_and_its_revert_and_a_sync_undo_it(library: Repository, tmp_path: Path) -> None:
    kept_out_of_the_index_only(tmp_path)
    before = statuses(ONE)
    for disposition, more, status in DECISIONS:
        code, item = decide(disposition, *more, by="Ada")
        assert code == 0, item
        apply()
        assert statuses(ONE) == ({status} if status else set()), disposition
        assert git("log", "-1", "--format=%an") == "Ada"
        assert git("log", "-1", "--format=%s").startswith(f"Carry out {disposition}")

        git(*IDENTITY, "revert", "--no-edit", "HEAD")
        assert run("sync", "handbook", "--json")[0] == 0
        back = statuses(ONE)
        assert back == (before if status else {"superseded"}), disposition
        # What was taken back is not done again: it waits for a person, with a note.
        apply()
        assert statuses(ONE) == back
        _, shown = run("review", "handbook", ONE, "--json")
        assert shown["decision"] is None
        assert "Ada decided" in shown["notes"][-1]
    application = Application.from_environment(os.environ)
    assert (application.ledger.kept_out("handbook"), application.ledger.holds("handbook")) == ({}, {})


def test_a_held_plan_is_shown_and_approved_like_every_other(
    library: Repository,
) -> None:
    file = Path(os.environ["TRUECOPY_CONFIG"])
    file.write_text(f"{file.read_text(encoding='utf-8')}limits: {{deletion_percent: 3}}\n", encoding="utf-8")
    for doc_id in OLDER:
        assert decide("archive", doc_id=doc_id)[0] == 0
    code, text = run("apply-dispositions", "handbook", "--apply")
    assert (code, "would be purged or archived, as people decided one by one" in " ".join(text.split())) == (3, True)
    assert run("apply-dispositions", "handbook")[0] == 3
    _, text = run("plan", "handbook")
    assert "dispositions held (plan " in " ".join(text.split())
    checksum = text.partition("(plan ")[2].partition(")")[0]
    assert statuses(ONE) == {"staged_for_review"}
    code, text = run("approve", "handbook", checksum, "--reason", "a big clean-up", "--by", "Ada")
    assert (code, statuses(ONE), statuses(TWO)) == (0, {"archived"}, {"archived"})


def test_a_spoilt_file_is_named_with_its_line_and_the_others_are_carried_out(library: Repository) -> None:
    assert decide("archive", doc_id=TWO)[0] == 0
    path = candidate_path("handbook", ONE)
    file = ledger() / path
    file.write_text(f"{file.read_text(encoding='utf-8')}decision: {{disposition: [", encoding="utf-8")
    code, text = run("apply-dispositions", "handbook", "--apply")
    said = " ".join(text.split())
    assert (code, path in said, "line " in said) == (5, True, True)
    assert statuses(TWO) == {"archived"}
