"""What follows from a decision, in the ledger and in memory: one commit, done once, and undone by its revert."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from include.domain.consequence import Consequence
from include.domain.errors import ChangeRefused, ConfigError, DecisionConflict
from include.domain.metadata import DocumentPatch, Hand, MetadataChange
from include.domain.review import Applied, Decision, KeptOut, Protection, ReviewItem
from include.ports import Ledger
from include.records.ledger import GitLedger
from tests.unit.test_review_queue import DAY, SOURCE, candidate, file_of, git, keep, ledger, on_disk, purge, put

__all__ = ["ledger", "on_disk"]

JANUARY = "decks/january.md"
DONE = Applied(DAY, "run-1", "hidden from readers")
UNTIL = "2027-01-01T00:00:00.000000Z"
OUT = KeptOut("v1", "c1", "nobody needs it", "bob", DAY)


def decided(ledger: Ledger, decision: Decision | None = None, doc_id: str = JANUARY) -> ReviewItem:
    put(ledger, *(each for each in ledger.candidates(SOURCE).items if each.doc_id != doc_id), candidate(doc_id))
    item = ledger.decide(SOURCE, doc_id, decision or purge(), fingerprint="f1")
    return replace(item, applied=DONE)


def archive(doc_id: str = JANUARY, run_id: str = "run-1", hand: Hand = Hand.PERSON) -> MetadataChange:
    patch = DocumentPatch(doc_id, {"status": None}, {"status": "archived"})
    return MetadataChange(run_id, SOURCE, hand, "bob", "nobody needs it", DAY, "a decision", (patch,))


def commits(tmp_path: Path) -> list[str]:
    return git(tmp_path, "log", "--format=%an: %s").splitlines()


def test_everything_that_follows_from_a_decision_is_there_and_the_item_is_settled(ledger: Ledger) -> None:
    item = decided(ledger)
    hold = Protection(UNTIL, "an audit", "bob", DAY)
    ledger.carry_out(Consequence(item, (archive(),), hold, OUT))
    assert ledger.candidates(SOURCE).items == ()
    assert ledger.settled(SOURCE).items == (item,)
    assert ledger.marks(SOURCE)[JANUARY].status == "archived"
    assert ledger.recorded(SOURCE, "run-1") == archive()
    assert (ledger.holds(SOURCE), ledger.kept_out(SOURCE)) == ({JANUARY: hold}, {JANUARY: OUT})
    assert ledger.carried_out(SOURCE) == {item.word}
    assert ledger.carried_out("other") == frozenset()


def test_it_is_one_commit_of_who_decided_with_what_and_why(on_disk: GitLedger, tmp_path: Path) -> None:
    item = decided(on_disk)
    before = len(commits(tmp_path))
    on_disk.carry_out(Consequence(item, (archive(),), kept_out=OUT))
    assert commits(tmp_path)[0] == f"bob: Carry out approve-purge for {JANUARY} of {SOURCE}"
    assert len(commits(tmp_path)) == before + 1
    body = git(tmp_path, "log", "-1", "--format=%b")
    assert "nobody needs it\n\nhidden from readers\n\nDecided-By: bob on 2026-03-01\nRun: run-1\n" in body
    assert git(tmp_path, "status", "--porcelain") == ""


def test_carrying_out_twice_is_carrying_out_once(ledger: Ledger) -> None:
    item = decided(ledger)
    ledger.carry_out(Consequence(item, (archive(),)))
    ledger.carry_out(Consequence(replace(item, applied=Applied(UNTIL, "run-2", "again")), (archive(run_id="run-2"),)))
    assert ledger.settled(SOURCE).items == (item,)
    assert ledger.recorded(SOURCE, "run-2") is None


def test_a_decision_that_is_another_by_now_is_not_carried_out(ledger: Ledger) -> None:
    item = decided(ledger)
    ledger.decide(SOURCE, JANUARY, keep(), fingerprint="f1", overrule=True)
    with pytest.raises(DecisionConflict, match="another by now"):
        ledger.carry_out(Consequence(item, (archive(),)))
    assert (ledger.marks(SOURCE), len(ledger.candidates(SOURCE).decided)) == ({}, 1)


def test_marks_that_are_others_by_now_leave_the_item_as_it_was(ledger: Ledger) -> None:
    item = decided(ledger)
    ledger.record(archive(run_id="another"))
    stale = DocumentPatch(JANUARY, {"status": "published"}, {"status": "superseded"})
    with pytest.raises(ChangeRefused):
        ledger.carry_out(Consequence(item, (replace(archive(), patches=(stale,)),)))
    assert [each.doc_id for each in ledger.candidates(SOURCE).decided] == [JANUARY]


def test_what_waits_for_its_source_stays_in_the_queue_and_is_settled_later(ledger: Ledger) -> None:
    item = replace(decided(ledger), applied=Applied(DAY, "run-1", "on a branch", "truecopy/purge", "c0ffee" * 6))
    ledger.carry_out(Consequence(item, settles=False))
    (standing,) = ledger.candidates(SOURCE).decided
    assert (standing, standing.waits_for_source) == (item, True)
    ledger.carry_out(Consequence(replace(item, applied=replace(DONE, branch="truecopy/purge"))))
    assert (ledger.candidates(SOURCE).items, len(ledger.settled(SOURCE).items)) == ((), 1)


def test_another_word_on_what_waits_for_its_source_tells_of_the_branch(ledger: Ledger) -> None:
    item = replace(decided(ledger), applied=Applied(DAY, "run-1", "on a branch", "truecopy/purge", "c0ffee" * 6))
    ledger.carry_out(Consequence(item, settles=False))
    changed = ledger.decide(SOURCE, JANUARY, keep(), fingerprint="f1", overrule=True)
    assert (changed.applied, changed.waits_for_source) == (None, False)
    assert "The branch truecopy/purge still removes it (c0ffeec0ffee): do not merge that." in changed.notes[-1]


def test_reverting_its_commit_takes_back_everything_and_what_was_carried_out_is_known(
    on_disk: GitLedger, tmp_path: Path
) -> None:
    item = decided(on_disk)
    on_disk.carry_out(Consequence(item, (archive(),), Protection(UNTIL, "an audit", "bob", DAY), OUT))
    git(tmp_path, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "revert", "--no-edit", "HEAD")
    assert (on_disk.marks(SOURCE), on_disk.holds(SOURCE), on_disk.kept_out(SOURCE)) == ({}, {}, {})
    (standing,) = on_disk.candidates(SOURCE).decided
    assert (standing.word, on_disk.settled(SOURCE).items) == (item.word, ())
    assert on_disk.carried_out(SOURCE) == {item.word}


def test_a_version_that_was_taken_out_is_let_in_when_it_is_another(ledger: Ledger) -> None:
    ledger.carry_out(Consequence(decided(ledger), kept_out=OUT))
    ledger.let_in(SOURCE, {JANUARY: "v1", "other.md": "v2"})
    assert ledger.kept_out(SOURCE) == {JANUARY: OUT}
    ledger.let_in(SOURCE, {JANUARY: "v2"})
    assert ledger.kept_out(SOURCE) == {}


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda text: text.replace('"doc_version": "v1"', '"doc_version": ""'), f"{JANUARY}: doc_version is"),
        (lambda text: text.replace("doc_version", "version"), f"{JANUARY}: due are doc_version, content_hash"),
        (lambda text: text + "{", "line 2"),
    ],
)
def test_a_spoilt_file_of_what_is_kept_out_is_named_with_what_is_wrong(
    on_disk: GitLedger, tmp_path: Path, spoil: Callable[[str], str], said: str
) -> None:
    on_disk.carry_out(Consequence(decided(on_disk), kept_out=OUT))
    file = tmp_path / "ledger/kept_out" / f"{SOURCE}.yaml"
    file.write_text(spoil(file.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(ConfigError, match=str(file)) as raised:
        on_disk.kept_out(SOURCE)
    assert said in str(raised.value)


def test_a_word_by_hand_without_an_instant_keeps_the_one_at_which_it_was_first_read(
    on_disk: GitLedger, tmp_path: Path
) -> None:
    put(on_disk, candidate())
    file = file_of(tmp_path)
    text = file.read_text(encoding="utf-8")
    word = "decision: {disposition: archive, by: Ada, why: old}"
    file.write_text(text.replace("decision: null", word), encoding="utf-8")
    git(tmp_path, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qam", "a pull request")
    on_disk.renew(SOURCE, lambda queue: queue.items, message="As read")
    before = on_disk.candidate(SOURCE, JANUARY).word
    os.utime(file, (1, 1))  # as a checkout would
    assert on_disk.candidate(SOURCE, JANUARY).word == before


class Killed(BaseException):
    """The process is gone."""


@pytest.mark.parametrize("writes", range(4))
def test_a_writer_that_is_killed_anywhere_is_made_up_for_and_nothing_is_there_twice(
    on_disk: GitLedger, tmp_path: Path, writes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = decided(on_disk)
    what = Consequence(item, (archive(),), kept_out=OUT)
    left = [writes]
    write = on_disk._repository.write

    def dying(path: str, text: str) -> None:
        if not left[0]:
            raise Killed
        left[0] -= 1
        write(path, text)

    monkeypatch.setattr(on_disk._repository, "write", dying)
    monkeypatch.setattr(on_disk._repository, "commit", lambda *_: (_ for _ in ()).throw(Killed))
    with pytest.raises(Killed):
        on_disk.carry_out(what)
    fresh = GitLedger(tmp_path / "ledger")
    again = replace(item, applied=Applied(UNTIL, "run-2", "again"))
    rest = () if fresh.marks(SOURCE) else (archive(run_id="run-2"),)
    fresh.carry_out(Consequence(again, rest, kept_out=OUT))
    assert fresh.marks(SOURCE)[JANUARY].status == "archived"
    assert (fresh.kept_out(SOURCE), fresh.candidates(SOURCE).items) == ({JANUARY: OUT}, ())
    assert len(fresh.settled(SOURCE).items) == 1
    assert not file_of(tmp_path).exists()
    assert git(tmp_path, "status", "--porcelain") == ""
