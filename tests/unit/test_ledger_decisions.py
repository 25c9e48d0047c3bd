"""What two hands have decided, on disk and in memory: sparse files, one commit a change, and who changed what."""

from __future__ import annotations

import errno
import multiprocessing
import os
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from include.domain.documents import Marks, Status
from include.domain.errors import ChangeRefused, ChangeUnderway, ConfigError
from include.domain.metadata import DocumentPatch, Hand, MetadataChange, Patch
from include.ports import Ledger
from include.records.entry_lines import EntryError, read_entries, read_list, write_entries, write_list
from include.records.ledger import GitLedger
from tests.fakes.records import FakeLedger

APRIL, MAY = "2023-04-01T00:00:00.000000Z", "2023-05-01T00:00:00.000000Z"


@pytest.fixture(params=["git", "memory"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Ledger:
    return GitLedger(tmp_path / "ledger") if request.param == "git" else FakeLedger()


def change(
    *patches: tuple[str, Patch, Patch], run_id: str = "run-1", hand: Hand = Hand.PERSON, **fields: str
) -> MetadataChange:
    bare = MetadataChange(
        run_id=run_id,
        source="handbook",
        hand=hand,
        by="Ada Lovelace",
        reason="the decks are older than they look",
        at="2026-11-30T02:00:00.000000Z",
        selector="created_at = ingestion",
        patches=tuple(DocumentPatch(*patch) for patch in patches),
    )
    return replace(bare, **fields)  # type: ignore[arg-type]


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True).stdout


def hand_file(folder: Path, text: str, name: str = "marks/handbook.yaml") -> GitLedger:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return GitLedger(folder)


# -- both ledgers --


def test_a_change_is_in_the_marks_and_remembered_with_the_values_before(ledger: Ledger) -> None:
    first = change(("deck", {"created_at": None, "pinned": None}, {"created_at": APRIL, "pinned": True}))
    ledger.record(first)
    assert ledger.marks("handbook") == {"deck": Marks(pinned=True, metadata={"created_at": APRIL})}
    assert ledger.decided("handbook", Hand.PERSON) == {"deck": {"created_at": APRIL, "pinned": True}}
    assert ledger.decided("handbook", Hand.RESOLVER) == {}
    assert ledger.marks("helpcenter") == {}
    assert ledger.recorded("handbook", "run-1") == first
    assert ledger.recorded("handbook", "run-2") is None
    assert ledger.recorded("helpcenter", "run-1") is None


def test_a_value_that_is_taken_away_leaves_no_entry_behind(ledger: Ledger) -> None:
    ledger.record(change(("deck", {"created_at": None, "title": None}, {"created_at": APRIL, "title": "Deck"})))
    ledger.record(change(("deck", {"created_at": APRIL}, {"created_at": None}), run_id="run-2"))
    assert ledger.decided("handbook", Hand.PERSON) == {"deck": {"title": "Deck"}}
    ledger.record(change(("deck", {"title": "Deck"}, {"title": None}), run_id="run-3"))
    assert ledger.decided("handbook", Hand.PERSON) == {}
    assert ledger.marks("handbook") == {}


def test_two_hands_write_apart_and_the_person_s_word_counts(ledger: Ledger) -> None:
    resolved = {"status": "superseded", "superseded_by": ("newer",), "is_current": False, "doc_family": "decks"}
    ledger.record(
        change(
            ("deck", dict.fromkeys(resolved), resolved),
            ("other", {"doc_family": None}, {"doc_family": "decks"}),
            run_id="resolve-1",
            hand=Hand.RESOLVER,
        )
    )
    ledger.record(change(("deck", {"pinned": None}, {"pinned": True})))
    assert ledger.decided("handbook", Hand.RESOLVER)["deck"] == resolved
    assert ledger.marks("handbook") == {
        "deck": Marks(pinned=True, doc_family="decks"),
        "other": Marks(doc_family="decks"),
    }


def test_a_run_that_is_recorded_already_and_still_holds_is_left_as_it_is(ledger: Ledger) -> None:
    first = change(("deck", {"created_at": None}, {"created_at": APRIL}))
    ledger.record(first)
    ledger.record(replace(first, at="2026-12-01T02:00:00.000000Z"))
    assert ledger.recorded("handbook", "run-1") == first


@pytest.mark.parametrize(
    "after", [{"created_at": APRIL}, {"title": "Another"}], ids=["what was taken back", "something else"]
)
def test_a_run_that_would_change_something_under_a_used_id_is_told_so(after: Patch, ledger: Ledger) -> None:
    ledger.record(change(("deck", {"created_at": None}, {"created_at": APRIL})))
    ledger.record(change(("deck", {"created_at": APRIL}, {"created_at": None}), run_id="rolled back"))
    with pytest.raises(ChangeRefused, match="run run-1 has changed metadata already"):
        ledger.record(change(("deck", dict.fromkeys(after), after)))
    assert ledger.decided("handbook", Hand.PERSON) == {}


def test_a_change_that_begins_with_another_value_than_stands_there_is_refused_whole(ledger: Ledger) -> None:
    ledger.record(change(("deck", {"created_at": None}, {"created_at": APRIL})))
    late = change(
        ("page", {"pinned": None}, {"pinned": True}), ("deck", {"created_at": None}, {"created_at": MAY}), run_id="late"
    )
    with pytest.raises(ChangeRefused, match="deck: created_at"):
        ledger.record(late)
    assert ledger.decided("handbook", Hand.PERSON) == {"deck": {"created_at": APRIL}}
    assert ledger.recorded("handbook", "late") is None
    same = change(("deck", {"created_at": None}, {"created_at": APRIL}), run_id="the same again")
    ledger.record(same)
    assert ledger.recorded("handbook", "the same again") == same


def test_of_one_source_one_run_at_a_time_changes_metadata(ledger: Ledger) -> None:
    with ledger.changing("handbook", "run-1"):
        with pytest.raises(ChangeUnderway, match="run-1"), ledger.changing("handbook", "run-2"):
            raise AssertionError("two at once")
        with ledger.changing("helpcenter", "run-3"):
            pass
        ledger.record(change(("deck", {"pinned": None}, {"pinned": True})))
    with ledger.changing("handbook", "run-2"):
        pass


# -- files that people edit --


def test_the_file_that_people_edit_may_be_any_yaml_and_values_are_what_was_typed(tmp_path: Path) -> None:
    ledger = hand_file(
        tmp_path,
        "# the editors' own marks\n"
        "guide:\n  status: archived\n  pinned: yes\n  superseded_by: [newer]\n  doc_family: ~\n"
        "0123: {is_canonical: true, family_version: 1.10}\n"
        "2024-01-31: {created_at: 2023-04-01, title: 'null'}\n"
        "empty: {}\n",
    )
    assert ledger.marks("handbook") == {
        "guide": Marks(status=Status.ARCHIVED, pinned=True, superseded_by=("newer",)),
        "0123": Marks(is_canonical=True, family_version="1.10"),
        "2024-01-31": Marks(metadata={"created_at": APRIL, "title": "null"}),
    }
    assert ledger.marks("helpcenter") == {}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("guide: {status: gone}", "guide: status is 'gone'; allowed is published, superseded or archived"),
        ("guide: {pined: 5}", "guide: 'pined' is not a field"),
        ("guide: {created_at: 01/04/2023}", "guide: created_at is '01/04/2023'; allowed is a day"),
        ("guide: {metadata: {title: x}}", "guide: 'metadata' is not a field"),
        ("guide: pinned", "guide: fields are due"),
        ("guide: {pinned: true}\nguide: {title: x}", "'guide' is there twice"),
        ("guide: {pinned: true, pinned: false}", "'pinned' is there twice"),
        ('"guide": {"pinned": true}\n"guide": {"title": "x"}', "'guide' is there twice"),
        ("? [a]\n: {pinned: true}", "a name must be text"),
        ("guide: [", "line 2"),
        ("- a list", "must map names"),
        ("", "write {} for none"),
        ("a: {pinned: 1}\nb: {pinned: 2}", "a: pinned is '1'.*b: pinned is '2'"),
    ],
)
def test_a_mistake_in_it_is_an_error_that_says_where_and_what_is_allowed(text: str, named: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=rf"marks/handbook\.yaml.*{named}") as raised:
        hand_file(tmp_path, text).marks("handbook")
    assert "git revert" in str(raised.value)


def test_an_edit_by_hand_counts_at_once_and_survives_the_next_change(tmp_path: Path) -> None:
    ledger = hand_file(tmp_path, "guide: {pinned: true}\n")
    assert ledger.marks("handbook")["guide"].pinned
    hand_file(tmp_path, "guide: {pinned: true, title: By hand}\n")
    assert ledger.marks("handbook")["guide"].metadata == {"title": "By hand"}
    ledger.record(change(("deck", {"pinned": None}, {"pinned": True})))
    assert yaml.safe_load((tmp_path / "marks" / "handbook.yaml").read_text()) == {
        "deck": {"pinned": True},
        "guide": {"pinned": True, "title": "By hand"},
    }
    assert git(tmp_path, "status", "--porcelain") == ""


# -- git --


def test_a_change_is_one_commit_with_author_reason_and_checksum_and_one_line_a_document(tmp_path: Path) -> None:
    ledger = GitLedger(tmp_path)
    made = change(*[(f"page-{number:03}", {"pinned": None}, {"pinned": True}) for number in range(200)])
    ledger.record(made)
    assert git(tmp_path, "rev-list", "--count", "HEAD").strip() == "1"
    message = git(tmp_path, "log", "--format=%an|%B")
    assert message.startswith("Ada Lovelace|Set pinned of 200 documents in handbook")
    for part in ("the decks are older than they look", "Run: run-1", f"Checksum: {made.checksum}"):
        assert part in message
    ledger.record(change(("page-007", {"pinned": True}, {"pinned": False}), run_id="run-2"))
    diff = git(tmp_path, "diff", "--numstat", "HEAD~1", "--", "marks/handbook.yaml")
    assert diff.split()[:2] == ["1", "1"]


def test_a_change_can_be_undone_with_git_revert(tmp_path: Path) -> None:
    ledger = GitLedger(tmp_path)
    ledger.record(change(("deck", {"created_at": None}, {"created_at": APRIL})))
    ledger.record(change(("deck", {"created_at": APRIL}, {"created_at": MAY}), run_id="run-2"))
    git(tmp_path, "-c", "user.name=x", "-c", "user.email=x@x", "revert", "--no-edit", "HEAD")
    assert ledger.decided("handbook", Hand.PERSON) == {"deck": {"created_at": APRIL}}
    assert ledger.recorded("handbook", "run-2") is None


@pytest.mark.parametrize("run_id", ["manual__2026-11-30T02:00:00+00:00", "../../etc", "x" * 300, "-- --amend", "ü/~"])
def test_any_run_id_has_a_file_of_its_own(run_id: str, tmp_path: Path) -> None:
    ledger = GitLedger(tmp_path)
    made = change(("deck", {"pinned": None}, {"pinned": True}), run_id=run_id)
    ledger.record(made)
    assert ledger.recorded("handbook", run_id) == made
    assert ledger.recorded("handbook", run_id + "x") is None
    assert {path.parts[0] for path in map(Path, git(tmp_path, "ls-files").splitlines())} == {"changes", "marks"}


@pytest.mark.parametrize("last", ["changes", "marks"])
def test_of_a_writer_that_was_killed_before_its_commit_all_remains_or_nothing(
    last: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Readers go by the file with the marks: what they saw happened is committed, what they never saw never was."""
    ledger = GitLedger(tmp_path)
    page = {"page": {"pinned": True}}
    ledger.record(change(("page", {"pinned": None}, {"pinned": True}), run_id="before"))
    killed = change(("deck", {"created_at": None}, {"created_at": APRIL}))
    write = ledger._repository.write

    def dying(path: str, text: str) -> None:
        write(path, text)
        if path.startswith(last):
            raise KeyboardInterrupt

    monkeypatch.setattr(ledger._repository, "write", dying)
    with pytest.raises(KeyboardInterrupt):
        ledger.record(killed)

    next_one = GitLedger(tmp_path)
    seen = next_one.decided("handbook", Hand.PERSON)
    with next_one.changing("handbook", "run-2"):
        assert next_one.decided("handbook", Hand.PERSON) == seen
    assert git(tmp_path, "status", "--porcelain") == ""
    if last == "changes":
        assert seen == page
        assert next_one.recorded("handbook", "run-1") is None
        next_one.record(killed)
    assert next_one.decided("handbook", Hand.PERSON) == {"deck": {"created_at": APRIL}, **page}
    assert next_one.recorded("handbook", "run-1") == killed
    author, subject = git(tmp_path, "log", "-1", "--format=%an|%s").strip().split("|")
    assert (author, subject) == ("Ada Lovelace", "Set created_at of 1 documents in handbook")


@pytest.mark.parametrize("full", [".lock", "marks/handbook.tmp", ".git/alone-changing-handbook"])
def test_a_ledger_that_takes_no_file_is_named_as_such_and_keeps_what_it_said(
    full: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = GitLedger(tmp_path)
    ledger.record(change(("page", {"pinned": None}, {"pinned": True}), run_id="before"))
    opened = Path.open

    def on_a_full_disk(path: Path, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        if mode != "r" and str(path.relative_to(tmp_path)).startswith(full):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return opened(path, mode, *arguments, **options)

    monkeypatch.setattr(Path, "open", on_a_full_disk)
    with (
        pytest.raises(ConfigError, match=rf"ledger {tmp_path} cannot be written: No space left on device"),
        ledger.changing("handbook", "run-1"),
    ):
        ledger.record(change(("deck", {"pinned": None}, {"pinned": True})))
    monkeypatch.undo()
    assert not list(tmp_path.rglob("*.tmp"))
    with GitLedger(tmp_path).changing("handbook", "run-2"):
        assert GitLedger(tmp_path).recorded("handbook", "run-1") is None
        assert GitLedger(tmp_path).decided("handbook", Hand.PERSON) == {"page": {"pinned": True}}


def test_a_merge_that_a_person_has_not_finished_is_not_committed_for_them(tmp_path: Path) -> None:
    ledger = GitLedger(tmp_path)
    ledger.record(change(("page", {"pinned": None}, {"pinned": True})))
    note, author = tmp_path / "note.txt", ("-c", "user.name=x", "-c", "user.email=x@x")
    for branch, text in (("theirs", "one"), ("ours", "another")):
        git(tmp_path, "checkout", "-q", "-b", branch, ledger_start(tmp_path))
        note.write_text(text)
        git(tmp_path, "add", "-A")
        git(tmp_path, *author, "commit", "-q", "-m", text)
    head = git(tmp_path, "rev-parse", "HEAD")
    subprocess.run(["git", "-C", str(tmp_path), *author, "merge", "-q", "theirs"], capture_output=True, check=False)
    with pytest.raises(ConfigError, match=r"a merge is unfinished in note\.txt"):
        ledger.record(change(("deck", {"pinned": None}, {"pinned": True}), run_id="run-2"))
    assert git(tmp_path, "rev-parse", "HEAD") == head
    note.write_text("both")  # resolved, and to be committed still
    git(tmp_path, "add", "-A")
    with pytest.raises(ConfigError, match=r"a merge is unfinished\. Commit it or `git merge --abort`"):
        ledger.record(change(("deck", {"pinned": None}, {"pinned": True}), run_id="run-2"))
    git(tmp_path, "merge", "--abort")
    ledger.record(change(("deck", {"pinned": None}, {"pinned": True}), run_id="run-2"))


def ledger_start(folder: Path) -> str:
    """The first commit."""
    return git(folder, "rev-list", "--max-parents=0", "HEAD").strip()


def _hold(folder: Path, run_id: str, seconds: float) -> str:
    try:
        with GitLedger(folder).changing("handbook", run_id):
            time.sleep(seconds)
            return "held"
    except ChangeUnderway as error:
        return str(error)


def test_of_two_processes_the_second_is_told_which_run_is_at_it_and_a_killed_one_blocks_nobody(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    holder = spawn.Process(target=_hold, args=(tmp_path, "the first run", 60))
    holder.start()
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and "the first run" not in (said := _hold(tmp_path, "the second", 0)):
        time.sleep(0.05)
    assert said.startswith("handbook: run the first run is changing metadata"), said
    holder.kill()
    holder.join()
    assert _hold(tmp_path, "the third", 0) == "held"


def test_a_file_is_read_again_only_when_it_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = hand_file(tmp_path, "guide: {pinned: true}\n")
    first = ledger.marks("handbook")
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: (_ for _ in ()).throw(AssertionError("read again")))
    assert ledger.marks("handbook") is first
    monkeypatch.undo()
    path = tmp_path / "marks" / "handbook.yaml"
    before = path.stat()
    path.write_text("guide: {pinned: off }\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    assert path.stat().st_size == before.st_size
    assert not ledger.marks("handbook")["guide"].pinned


# -- lines --

names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
values = st.one_of(st.booleans(), st.text(st.characters(exclude_categories=["Cs"])), st.lists(names, max_size=3))
entries = st.dictionaries(names, st.dictionaries(names, values, max_size=3), max_size=5)


@given(entries)
def test_what_is_written_in_lines_is_read_back_by_us_and_by_any_yaml_reader(
    written: dict[str, dict[str, object]],
) -> None:
    text = write_entries(written)
    assert read_entries(text) == written
    assert yaml.safe_load(text) == written
    assert len(text.split("\n")) == max(1, len(written)) + 1


def test_a_name_longer_than_yaml_takes_on_one_line_is_written_on_its_own() -> None:
    written = {"https://example.org/" + "x" * 3000: {"pinned": True}, "short": {"pinned": False}}
    text = write_entries(written)
    assert read_entries(text) == yaml.safe_load(text) == written


@given(st.dictionaries(st.sampled_from(["by", "reason"]), names, min_size=1), st.lists(entries, max_size=4))
def test_a_list_with_a_heading_is_read_back(heading: dict[str, str], rows: list[dict[str, object]]) -> None:
    text = write_list(heading, "patches", rows)
    assert read_list(text, "patches") == (heading, rows)
    assert yaml.safe_load(text) == {**heading, "patches": rows or None}


def test_a_damaged_change_is_an_error_and_never_an_empty_one(tmp_path: Path) -> None:
    ledger = GitLedger(tmp_path)
    ledger.record(change(("deck", {"pinned": None}, {"pinned": True})))
    path = tmp_path / "changes" / "handbook" / "run-1.yaml"
    whole = path.read_text()
    for damaged in (whole[:-5], whole.replace("patches:", "patch:"), whole.replace('"person"', '"nobody"'), ""):
        path.write_text(damaged)
        with pytest.raises(ConfigError, match=r"run-1\.yaml"):
            ledger.recorded("handbook", "run-1")
    with pytest.raises(EntryError):
        read_list("by: 1\n", "patches")
