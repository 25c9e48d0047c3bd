"""The life of the review queue, in the ledger and in memory: decisions, conflicts, hand edits, 1,000 items."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from include.domain.errors import ConfigError, DecisionConflict
from include.domain.review import Applied, Decision, Disposition, Finding, Protection, Queue, ReviewItem, Said
from include.planning.review_life import renewed
from include.ports import Ledger
from include.records.ledger import GitLedger
from include.records.review_queue import candidate_path
from tests.fakes.records import FakeLedger

SOURCE = "handbook"
DAY = "2026-03-01T00:00:00.000000Z"


def finding(signal: str = "superseded", **changes: object) -> Finding:
    made = Finding(
        signal,
        0.95,
        "the resolver says that it is superseded by decks/march.md",
        "aa11" * 4,
        anchor=True,
        facts={"superseded_by": "decks/march.md"},
        replacement="decks/march.md",
    )
    return replace(made, **changes)


def candidate(doc_id: str = "decks/january.md", **changes: object) -> ReviewItem:
    made = ReviewItem(
        source=SOURCE,
        doc_id=doc_id,
        proposal="stage",
        score=0.95,
        arithmetic="superseded 0.95: 1 − (1 − 0.95) = 0.950, stage.",
        evidence=(finding(),),
        fingerprint="f1",
        since=DAY,
        doc_version="v1",
        content_hash="c1",
        title="Sales deck: January",
        url="https://example.org/decks/january",
        replacement="decks/march.md",
        replacement_hash="c3",
        diff="--- decks/january.md\n+++ decks/march.md\n-30 days\n+60 days\n= 4 lines are the same",
    )
    return replace(made, **changes)


def keep(by: str = "ada", why: str = "the board still quotes it") -> Decision:
    return Decision(Disposition.KEEP, by, why, at=DAY)


def purge(by: str = "bob", why: str = "nobody needs it") -> Decision:
    return Decision(Disposition.APPROVE_PURGE, by, why, at=DAY)


@pytest.fixture(params=["git", "fake"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Ledger:
    return GitLedger(tmp_path / "ledger") if request.param == "git" else FakeLedger()


@pytest.fixture
def on_disk(tmp_path: Path) -> GitLedger:
    return GitLedger(tmp_path / "ledger")


def put(ledger: Ledger, *items: ReviewItem) -> Queue:
    return ledger.renew(SOURCE, lambda _queue: items, message="Candidates")


def file_of(tmp_path: Path, doc_id: str = "decks/january.md") -> Path:
    return tmp_path / "ledger" / candidate_path(SOURCE, doc_id)


def git(tmp_path: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", "-C", str(tmp_path / "ledger"), *arguments], capture_output=True, text=True, check=True
    ).stdout


# -- items come, stand and go --


def test_what_is_put_in_is_what_stands_there_and_other_sources_are_none_of_it(ledger: Ledger) -> None:
    put(ledger, candidate("b.md"), candidate("a.md", proposal="review", title="", url="", replacement="", diff=""))
    assert [item.doc_id for item in ledger.candidates(SOURCE).items] == ["a.md", "b.md"]
    assert ledger.candidates(SOURCE).find("b.md") == candidate("b.md")
    assert ledger.candidates("helpcenter") == Queue("helpcenter")


@pytest.mark.parametrize(
    "doc_id",
    [
        "ä/ö ü.md",
        "a" * 900,
        "- odd: [yaml] #no",
        "../../etc/passwd",
        "null",
        "tab\tin it",
        "Ünïcode 🗑",
        "'quoted'",
        "2026-01-01",
    ],
)
def test_no_document_has_too_odd_a_name_for_a_file_of_its_own(ledger: Ledger, doc_id: str) -> None:
    item = candidate(
        doc_id,
        title=f"{doc_id}: a title",
        diff=" lines\n-of\n+a diff\n\n= x",
        links=12,
        linked_from=(f"{doc_id} too", "- odd"),
        notes=("a: note", "- two"),
    )
    put(ledger, item, candidate("other.md"))
    assert ledger.candidates(SOURCE).find(doc_id) == item


def test_an_item_that_is_not_returned_is_gone(ledger: Ledger) -> None:
    put(ledger, candidate("a.md"), candidate("b.md"))
    put(ledger, candidate("b.md"))
    assert [item.doc_id for item in ledger.candidates(SOURCE).items] == ["b.md"]


# -- decisions --


def test_a_persons_word_stands_in_the_item(ledger: Ledger) -> None:
    put(ledger, candidate())
    ledger.decide(SOURCE, "decks/january.md", keep(), fingerprint="f1")
    (item,) = ledger.candidates(SOURCE).decided
    assert item.decision == keep()


def test_the_second_of_two_people_is_told_who_was_first_and_what_they_said(ledger: Ledger) -> None:
    put(ledger, candidate())
    ledger.decide(SOURCE, "decks/january.md", keep("ada"), fingerprint="f1")
    with pytest.raises(
        DecisionConflict, match=r"decks/january\.md.*ada decided keep on 2026-03-01.*approve-purge was not"
    ):
        ledger.decide(SOURCE, "decks/january.md", purge("bob"), fingerprint="f1")
    assert ledger.candidates(SOURCE).items[0].decision == keep("ada")


def test_two_people_who_want_the_same_are_no_conflict(ledger: Ledger) -> None:
    put(ledger, candidate())
    ledger.decide(SOURCE, "decks/january.md", keep("ada"), fingerprint="f1")
    assert ledger.decide(SOURCE, "decks/january.md", keep("bob", "so say I"), fingerprint="f1").decision == keep("ada")


def test_a_later_word_overrules_when_it_is_said_so_and_the_earlier_is_noted(ledger: Ledger) -> None:
    put(ledger, candidate())
    ledger.decide(SOURCE, "decks/january.md", keep("ada"), fingerprint="f1")
    item = ledger.decide(SOURCE, "decks/january.md", purge("bob"), fingerprint="f1", overrule=True)
    assert item.decision == purge("bob")
    assert "ada decided keep" in item.notes[-1]


def test_a_word_on_evidence_that_is_another_by_now_is_not_recorded(ledger: Ledger) -> None:
    put(ledger, candidate(fingerprint="f2"))
    with pytest.raises(DecisionConflict, match="another than the one that you saw"):
        ledger.decide(SOURCE, "decks/january.md", purge(), fingerprint="f1")
    assert ledger.candidates(SOURCE).items[0].is_open


def test_one_word_on_many_is_one_commit_and_what_is_refused_is_named(ledger: Ledger, tmp_path: Path) -> None:
    put(ledger, *(candidate(f"{name}.md") for name in "abcd"))
    ledger.decide(SOURCE, "b.md", purge("bob"), fingerprint="f1")
    ledger.decide(SOURCE, "d.md", keep("eve"), fingerprint="f1")
    seen = {"a.md": "f1", "b.md": "f1", "c.md": "f0", "d.md": "f1", "gone.md": "f1"}
    words = [Said(doc_id, keep(), fingerprint) for doc_id, fingerprint in seen.items()]
    recorded = ledger.decide_all(SOURCE, words, by="ada", message="Keep what is old")
    assert [(item.doc_id, item.decision) for item in recorded.items] == [("a.md", keep()), ("d.md", keep("eve"))]
    assert list(recorded.refused) == ["b.md", "c.md", "gone.md"]
    assert "bob decided approve-purge" in recorded.refused["b.md"]
    assert "another than the one that you saw" in recorded.refused["c.md"]
    assert "is no candidate" in recorded.refused["gone.md"]
    assert [item.doc_id for item in ledger.candidates(SOURCE).open] == ["c.md"]
    if isinstance(ledger, GitLedger):
        assert git(tmp_path, "log", "-1", "--format=%an: %s", "--name-only").split("\n\n") == [
            "ada: Keep what is old",
            f"{candidate_path(SOURCE, 'a.md')}\n",
        ]


def test_nobody_decides_about_what_is_no_candidate(ledger: Ledger) -> None:
    with pytest.raises(ConfigError, match="is no candidate"):
        ledger.decide(SOURCE, "decks/january.md", keep(), fingerprint="f1")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"by": " "}, r"by is ' '; allowed is one line of text"),
        ({"why": "two\nlines"}, r"why is 'two\\nlines'"),
        ({"until": "2027-01-01"}, "until is '2027-01-01', but belongs to extend only"),
        ({"superseded_by": "a.md"}, "superseded_by is 'a.md', but belongs to supersede-link only"),
        ({"disposition": Disposition.EXTEND}, "until is ''; allowed is a day, as in 2027-01-31"),
        ({"disposition": Disposition.EXTEND, "until": "soon"}, "until is 'soon'"),
        ({"disposition": Disposition.EXTEND, "until": "2027-02-30"}, "until is '2027-02-30'"),
        ({"disposition": Disposition.SUPERSEDE_LINK}, "superseded_by is ''; allowed is the id of a document"),
    ],
)
def test_a_decision_that_makes_no_sense_says_which_field_and_what_is_allowed(
    fields: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Decision(**{"disposition": Disposition.KEEP, "by": "ada", "why": "right", **fields})


# -- an item that is found again --


def again(ledger: Ledger, found: Iterable[ReviewItem], hashes: dict[str, str], why_not: str = "") -> Queue:
    by_id = {item.doc_id: item for item in found}

    def all_renewed(queue: Queue) -> Iterable[ReviewItem]:
        standing = {item.doc_id: item for item in queue.items}
        for doc_id in sorted(standing.keys() | by_id.keys()):
            item = renewed(standing.get(doc_id), by_id.get(doc_id), content_hash=hashes.get(doc_id), why_not=why_not)
            if item is not None:
                yield item

    return ledger.renew(SOURCE, all_renewed, message="Candidates")


def test_a_decision_holds_while_text_and_evidence_are_the_same_and_the_age_stays(ledger: Ledger) -> None:
    put(ledger, candidate())
    ledger.decide(SOURCE, "decks/january.md", purge(), fingerprint="f1")
    later = candidate(since="2026-04-01T00:00:00.000000Z", doc_version="v2", arithmetic="the same sum")
    (item,) = again(ledger, [later], {"decks/january.md": "c1"}).items
    assert item.decision == purge()
    assert (item.since, item.doc_version, item.arithmetic) == (DAY, "v2", "the same sum")


@pytest.mark.parametrize(
    ("found", "content_hash", "why_not", "why"),
    [
        (candidate(content_hash="c9"), "c9", "", "the document was changed since"),
        (None, None, "", "the document is not in the index any more"),
        (candidate(fingerprint="f2", replacement="decks/april.md"), "c1", "", "the evidence is another now"),
        (None, "c1", "", "nothing speaks against the document any more"),
        (None, "c1", "it is pinned", "it is pinned"),
    ],
)
def test_a_decision_on_what_is_not_there_any_more_goes_back_to_open_with_a_note(
    ledger: Ledger, found: ReviewItem | None, content_hash: str | None, why_not: str, why: str
) -> None:
    put(ledger, candidate())
    ledger.decide(SOURCE, "decks/january.md", purge(), fingerprint="f1")
    hashes = {"decks/january.md": content_hash} if content_hash else {}
    (item,) = again(ledger, [found] if found else [], hashes, why_not).items
    assert item.is_open
    assert item.notes == (f"bob decided approve-purge on 2026-03-01 (nobody needs it), but {why}. Decide again.",)
    if found:
        assert (item.fingerprint, item.replacement, item.content_hash) == (
            found.fingerprint,
            found.replacement,
            found.content_hash,
        )
    (still,) = again(ledger, [], hashes).items
    assert still.notes == item.notes, "it waits for a person, however often a run comes by"


def test_an_open_item_goes_when_nothing_speaks_against_its_document(ledger: Ledger) -> None:
    put(ledger, candidate())
    assert again(ledger, [], {"decks/january.md": "c1"}).items == ()


def test_reopened_items_carry_the_reason_and_others_are_left_alone(ledger: Ledger) -> None:
    put(ledger, candidate("a.md"), candidate("b.md"), candidate("c.md"))
    for doc_id in ("a.md", "b.md"):
        ledger.decide(SOURCE, doc_id, purge(), fingerprint="f1")
    queue = ledger.reopen(SOURCE, {"a.md": "it is pinned", "c.md": "never decided"}, message="Back to open")
    assert [item.doc_id for item in queue.decided] == ["b.md"]
    assert "but it is pinned" in queue.items[0].notes[0]
    assert queue.items[2] == candidate("c.md")


# -- settled --


def test_what_is_settled_leaves_the_queue_and_is_remembered_with_what_was_done(ledger: Ledger) -> None:
    put(ledger, candidate("a.md"), candidate("b.md"))
    item = ledger.decide(SOURCE, "a.md", keep(), fingerprint="f1")
    done = replace(item, applied=Applied("2026-03-02T00:00:00.000000Z", "run-1", "kept"))
    ledger.settle(SOURCE, [done], by="ada", message="Settle")
    ledger.settle(SOURCE, [done], by="ada", message="Settle")
    assert [each.doc_id for each in ledger.candidates(SOURCE).items] == ["b.md"]
    assert ledger.settled(SOURCE).items == (done,)


def test_nothing_is_settled_when_one_decision_is_another_by_now(ledger: Ledger) -> None:
    put(ledger, candidate("a.md"), candidate("b.md"))
    applied = Applied("2026-03-02T00:00:00.000000Z", "run-1", "kept")
    items = [
        replace(ledger.decide(SOURCE, doc_id, keep(), fingerprint="f1"), applied=applied) for doc_id in ("a.md", "b.md")
    ]
    ledger.decide(SOURCE, "b.md", purge(), fingerprint="f1", overrule=True)
    with pytest.raises(DecisionConflict, match=r"b\.md: the decision is another by now"):
        ledger.settle(SOURCE, items, by="ada", message="Settle")
    assert len(ledger.candidates(SOURCE).items) == 2
    assert ledger.settled(SOURCE).items == ()


# -- holds --


def test_a_hold_stands_until_it_is_let_go(ledger: Ledger) -> None:
    hold = Protection("2027-01-31T00:00:00.000000Z", "audit", "ada", DAY)
    ledger.protect(SOURCE, {"a.md": hold, "b.md": hold}, by="ada", message="Hold")
    ledger.protect(SOURCE, {"a.md": None}, by="ada", message="Let go")
    assert ledger.holds(SOURCE) == {"b.md": hold}
    assert ledger.holds("helpcenter") == {}


# -- by hand, in the ledger's repository --


def decide_by_hand(tmp_path: Path, decision: str, doc_id: str = "decks/january.md") -> None:
    file = file_of(tmp_path, doc_id)
    text = file.read_text(encoding="utf-8")
    file.write_text(text[: text.index("decision:")] + f"decision:\n{decision}", encoding="utf-8")


KEPT_BY_HAND = "  disposition: keep\n  by: ada\n  why: the board still quotes it\n"


def test_a_word_written_into_the_file_is_the_same_record_as_one_of_the_command_line(
    on_disk: GitLedger, tmp_path: Path
) -> None:
    put(on_disk, candidate())
    decide_by_hand(tmp_path, KEPT_BY_HAND)
    (item,) = on_disk.candidates(SOURCE).decided
    assert item.decision is not None
    assert replace(item.decision, at=DAY) == keep()
    (renewed_item,) = again(on_disk, [candidate()], {"decks/january.md": "c1"}).items
    assert renewed_item.decision == item.decision
    assert "ada" in git(tmp_path, "log", "--format=%an %s")
    assert git(tmp_path, "status", "--porcelain") == ""


def test_a_word_by_hand_over_anothers_leaves_a_note_that_names_the_first(on_disk: GitLedger, tmp_path: Path) -> None:
    put(on_disk, candidate())
    on_disk.decide(SOURCE, "decks/january.md", purge("bob"), fingerprint="f1")
    decide_by_hand(tmp_path, KEPT_BY_HAND)
    (item,) = again(on_disk, [candidate()], {"decks/january.md": "c1"}).items
    assert item.decision is not None
    assert item.decision.by == "ada"
    assert "bob decided approve-purge on 2026-03-01" in item.notes[0]


def test_the_command_line_does_not_write_over_a_word_that_somebody_just_wrote_by_hand(
    on_disk: GitLedger, tmp_path: Path
) -> None:
    put(on_disk, candidate())
    decide_by_hand(tmp_path, KEPT_BY_HAND)
    with pytest.raises(DecisionConflict, match="ada decided keep"):
        on_disk.decide(SOURCE, "decks/january.md", purge("bob"), fingerprint="f1")


@pytest.mark.parametrize(
    ("decision", "problem"),
    [
        (
            "  disposition: delete\n  by: ada\n  why: x\n",
            "decision.disposition is 'delete'; allowed are approve-purge, keep",
        ),
        ("  disposition: keep\n  by: ada\n", "decision.why is ''; allowed is one line"),
        (
            "  disposition: keep\n  who: ada\n  by: a\n  why: x\n",
            "decision.who is not a field; allowed are disposition, by",
        ),
        (
            "  disposition: extend\n  by: ada\n  why: x\n  until: next year\n",
            "decision.until is 'next year'; allowed is a day",
        ),
        ("  disposition: keep\n  by: ada\n  why: x\n  at: yesterday\n", "decision.at is 'yesterday'"),
        ("  - keep\n", "decision is ['keep']; due are disposition"),
        (" keep\n", "decision is 'keep'"),
        ("  disposition: [keep\n", "this is no YAML that can be read"),
        ("<<<<<<< HEAD\n  disposition: keep\n=======\n", "this is no YAML that can be read"),
        ("  disposition: keep\n  disposition: archive\n  by: a\n  why: b\n", "'disposition' is there twice"),
    ],
)
def test_a_file_that_was_spoilt_is_named_and_kept_and_spoils_no_other(
    on_disk: GitLedger, tmp_path: Path, decision: str, problem: str
) -> None:
    put(on_disk, candidate(), candidate("b.md"))
    decide_by_hand(tmp_path, decision)
    spoilt = file_of(tmp_path).read_text(encoding="utf-8")
    for queue in (on_disk.candidates(SOURCE), put(on_disk, candidate(), candidate("b.md"), candidate("c.md"))):
        (unreadable,) = queue.unreadable
        assert problem in unreadable.problem
        assert unreadable.path == candidate_path(SOURCE, "decks/january.md")
        assert unreadable.doc_id == "decks/january.md"
        assert "b.md" in [item.doc_id for item in queue.items]
    assert file_of(tmp_path).read_text(encoding="utf-8") == spoilt
    with pytest.raises(ConfigError, match="cannot be read"):
        on_disk.decide(SOURCE, "decks/january.md", keep(), fingerprint="f1")


def test_an_item_whose_age_was_spoilt_is_named_like_every_other(on_disk: GitLedger, tmp_path: Path) -> None:
    put(on_disk, candidate(), candidate("b.md"))
    file = file_of(tmp_path)
    file.write_text(file.read_text(encoding="utf-8").replace(DAY, "last spring"), encoding="utf-8")
    (spoilt,) = on_disk.candidates(SOURCE).unreadable
    assert "since is 'last spring'; allowed is a day" in spoilt.problem


def test_an_item_whose_evidence_somebody_took_out_still_says_why_in_a_line(ledger: Ledger) -> None:
    put(ledger, candidate(), candidate("b.md", evidence=()))
    first, second = ledger.candidates(SOURCE).items
    assert (first.in_short, second.in_short) == (first.arithmetic, finding().sentence)


def test_an_item_is_not_believed_under_another_documents_name(on_disk: GitLedger, tmp_path: Path) -> None:
    put(on_disk, candidate())
    copied = file_of(tmp_path).read_text(encoding="utf-8")
    file_of(tmp_path, "b.md").write_text(copied, encoding="utf-8")
    queue = on_disk.candidates(SOURCE)
    assert [item.doc_id for item in queue.items] == ["decks/january.md"]
    assert "allowed is the one that the file is named after" in queue.unreadable[0].problem


def test_what_is_not_theirs_in_a_file_is_set_right_by_the_next_run(on_disk: GitLedger, tmp_path: Path) -> None:
    put(on_disk, candidate())
    text = file_of(tmp_path).read_text(encoding="utf-8")
    file_of(tmp_path).write_text(
        text.replace("Sales deck: January", "Sails deck").replace("\n", "\r\n"), encoding="utf-8"
    )
    again(on_disk, [candidate()], {"decks/january.md": "c1"})
    assert file_of(tmp_path).read_text(encoding="utf-8") == text


def test_a_file_reads_like_a_letter(on_disk: GitLedger, tmp_path: Path) -> None:
    put(on_disk, candidate())
    text = file_of(tmp_path).read_text(encoding="utf-8")
    assert text.startswith("# A candidate for the trash can.")
    assert "document: decks/january.md\n" in text
    assert "diff: |-\n  --- decks/january.md\n  +++ decks/march.md\n  -30 days\n  +60 days\n" in text
    assert text.endswith("decision: null\n")


def test_every_decision_is_a_commit_and_reverting_it_opens_the_item_again(on_disk: GitLedger, tmp_path: Path) -> None:
    put(on_disk, candidate())
    on_disk.decide(SOURCE, "decks/january.md", keep("ada"), fingerprint="f1")
    assert git(tmp_path, "log", "-1", "--format=%an|%s|%b").strip() == (
        "ada|Decide keep for decks/january.md of handbook|the board still quotes it"
    )
    git(tmp_path, "-c", "user.name=x", "-c", "user.email=x@y", "revert", "--no-edit", "HEAD")
    assert on_disk.candidates(SOURCE).items == (candidate(),)


def test_of_people_who_decide_in_the_same_moment_one_is_first_and_the_others_are_told(tmp_path: Path) -> None:
    put(GitLedger(tmp_path / "ledger"), candidate())

    def decide(number: int) -> str:
        decision = Decision(Disposition.EXTEND, f"person {number}", "wait", until=f"2027-01-{number + 1:02d}")
        try:
            GitLedger(tmp_path / "ledger").decide(SOURCE, "decks/january.md", decision, fingerprint="f1")
        except DecisionConflict as conflict:
            return str(conflict.facts["first"])
        return f"person {number}"

    with ThreadPoolExecutor(8) as people:
        firsts = set(people.map(decide, range(8)))
    (first,) = firsts
    (item,) = GitLedger(tmp_path / "ledger").candidates(SOURCE).decided
    assert item.decision is not None
    assert item.decision.by == first
    assert git(tmp_path, "log", "--format=%an").split("\n").count(first) == 1


def test_runs_and_people_at_work_at_once_lose_no_word(tmp_path: Path) -> None:
    items = [candidate(f"{number}.md") for number in range(12)]
    put(GitLedger(tmp_path / "ledger"), *items)
    hashes = {item.doc_id: "c1" for item in items}

    def decide(number: int) -> None:
        decision = keep(f"person {number % 3}", f"reason {number}")
        GitLedger(tmp_path / "ledger").decide(SOURCE, f"{number}.md", decision, fingerprint="f1")

    def run_the_detector(_: int) -> None:
        again(GitLedger(tmp_path / "ledger"), [replace(item, arithmetic="counted again") for item in items], hashes)

    with ThreadPoolExecutor(6) as everybody:
        at_work = [everybody.submit(decide, number) for number in range(12)]
        at_work += [everybody.submit(run_the_detector, number) for number in range(4)]
        for each in at_work:
            each.result()
    queue = GitLedger(tmp_path / "ledger").candidates(SOURCE)
    assert {item.doc_id: item.decision.why for item in queue.decided if item.decision} == {
        f"{number}.md": f"reason {number}" for number in range(12)
    }
    assert all(item.arithmetic == "counted again" for item in queue.items)


def decided_on_a_branch(tmp_path: Path, branch: str, decision: str, doc_id: str = "decks/january.md") -> None:
    git(tmp_path, "checkout", "-q", "-b", branch, "main")
    decide_by_hand(tmp_path, decision, doc_id)
    git(tmp_path, *AS_ADA, "commit", "-q", "-a", "-m", f"Keep {doc_id}")
    git(tmp_path, "checkout", "-q", "main")


AS_ADA = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")


def test_a_pull_request_decides_like_everything_else(on_disk: GitLedger, tmp_path: Path) -> None:
    put(on_disk, candidate(), candidate("b.md"))
    git(tmp_path, "branch", "-M", "main")
    decided_on_a_branch(tmp_path, "keep-january", KEPT_BY_HAND)
    assert on_disk.candidates(SOURCE).decided == ()
    on_disk.decide(SOURCE, "b.md", purge(), fingerprint="f1")
    git(tmp_path, *AS_ADA, "merge", "-q", "--no-edit", "keep-january")
    assert [item.doc_id for item in on_disk.candidates(SOURCE).decided] == ["b.md", "decks/january.md"]
    found = [candidate(), candidate("b.md")]
    queue = again(on_disk, found, {"decks/january.md": "c1", "b.md": "c1"})
    assert len(queue.decided) == 2


def test_two_pull_requests_that_disagree_are_named_with_their_file_and_both_words_stay(
    on_disk: GitLedger, tmp_path: Path
) -> None:
    put(on_disk, candidate(), candidate("b.md"))
    git(tmp_path, "branch", "-M", "main")
    decided_on_a_branch(tmp_path, "keep", KEPT_BY_HAND)
    decided_on_a_branch(tmp_path, "purge", "  disposition: approve-purge\n  by: bob\n  why: nobody needs it\n")
    git(tmp_path, *AS_ADA, "merge", "-q", "--no-edit", "keep")
    with pytest.raises(subprocess.CalledProcessError):
        git(tmp_path, *AS_ADA, "merge", "-q", "--no-edit", "purge")
    with pytest.raises(ConfigError, match=r"a merge is unfinished in .*january"):
        again(on_disk, [candidate(), candidate("b.md")], {"decks/january.md": "c1", "b.md": "c1"})
    text = file_of(tmp_path).read_text(encoding="utf-8")
    assert "by: ada" in text
    assert "by: bob" in text
    queue = on_disk.candidates(SOURCE)
    assert [item.doc_id for item in queue.items] == ["b.md"]
    assert [each.doc_id for each in queue.unreadable] == ["decks/january.md"]


def test_a_thousand_items_are_one_commit_and_a_few_seconds(on_disk: GitLedger, tmp_path: Path) -> None:
    items = [candidate(f"docs/page-{number:04d}.md") for number in range(1000)]
    started = time.perf_counter()
    put(on_disk, *items)
    assert on_disk.candidates(SOURCE).items == tuple(items)
    put(on_disk, *(replace(item, arithmetic="another") for item in items))
    put(on_disk, *(replace(item, arithmetic="another") for item in items))
    took = time.perf_counter() - started
    assert len(git(tmp_path, "log", "--format=%h").split()) == 2
    assert took < 30, f"{took:.1f} s"
