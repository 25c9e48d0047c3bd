"""A person works through candidates: which key does what, what is written when, and two people on one queue."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest
from rich.console import Console

from include.cli.review_flow import Desk, Sitting, work_through
from include.domain.review import Decision, ReviewItem
from include.services.reviewing import Word, decide_candidate
from tests.fakes.records import FakeLedger
from tests.unit.test_review_queue import SOURCE, candidate, finding, purge, put

NOW = datetime(2026, 3, 4, 9, tzinfo=UTC)
CTRL_C = "\x03"
GONE = "\x04"
"""The terminal was closed."""


@dataclass
class Keys:
    """What a person presses and types, in this order; a callable is what happens elsewhere meanwhile."""

    script: list[str | Callable[[], object]]
    asked: list[str] = field(default_factory=list)

    def key(self) -> str:
        return self._next()

    def line(self, question: str) -> str:
        self.asked.append(question.strip())
        return self._next()

    def _next(self) -> str:
        while self.script and callable(meanwhile := self.script[0]):
            self.script.pop(0)
            meanwhile()
        pressed = self.script.pop(0)
        assert isinstance(pressed, str)
        if pressed == CTRL_C:
            raise KeyboardInterrupt
        if pressed == GONE:
            raise EOFError
        return pressed


@dataclass
class Room:
    """A queue and a person before it. The index holds the decks of January to March."""

    ledger: FakeLedger = field(default_factory=FakeLedger)
    shown: str = ""
    asked: list[str] = field(default_factory=list)

    def work(self, *script: str | Callable[[], object], by: str = "Ada") -> Sitting:
        screen = io.StringIO()
        keys = Keys(list(script))
        staged = frozenset({(SOURCE, "a.md")})
        desk = Desk(self.ledger.candidate, self.decide, keys, Console(file=screen, width=120), by, NOW, staged)
        sitting = work_through(desk, self.ledger.candidates(SOURCE).open)
        assert not keys.script, "keys that nobody asked for"
        self.shown, self.asked = screen.getvalue(), keys.asked
        return sitting

    def decide(self, source: str, doc_id: str, word: Word) -> ReviewItem:
        decks = {f"{name}.md" for name in "abc"} | {"decks/march.md"}
        return decide_candidate(
            self.ledger,
            source,
            doc_id,
            word,
            now=NOW,
            missing=lambda wanted: [one for one in wanted if one not in decks],
        )

    @property
    def decided(self) -> dict[str, Decision]:
        return {item.doc_id: item.decision for item in self.ledger.candidates(SOURCE).decided if item.decision}


@pytest.fixture
def room() -> Room:
    made = Room()
    put(made.ledger, *(candidate(f"{name}.md") for name in "abc"))
    return made


def test_a_key_for_each_decision_and_the_evidence_is_reason_enough_to_follow_it(room: Room) -> None:
    evidence = finding().sentence
    put(room.ledger, *(candidate(f"{name}.md") for name in "abcde"))
    sitting = room.work("p", "", "p", "k", "the board quotes it", "a", "", "l", "", "", "e", "2027-01-31", "in use")
    assert {doc_id: (str(made), made.why) for doc_id, made in room.decided.items()} == {
        "a.md": ("approve-purge", evidence),
        "b.md": ("keep", "the board quotes it"),
        "c.md": ("archive", evidence),
        "d.md": ("supersede-link to decks/march.md", evidence),
        "e.md": ("extend until 2027-01-31", "in use"),
    }
    assert {made.by for made in room.decided.values()} == {"Ada"}
    assert len(sitting.decided) == 5
    assert "to be read instead [decks/march.md]:" in room.asked
    assert not sitting.was_interrupted


def test_a_page_says_what_a_person_has_to_know(room: Room) -> None:
    diff = (
        "--- a\n+++ b\n"
        + "\n".join(f" word {number} [-old-] {{+new+}}" for number in range(30))
        + "\n= 41 lines are the same"
    )
    item = candidate(
        "a.md", links=12, linked_from=("faq.md", "start.md"), diff=diff, notes=("Bob decided keep, but it changed.",)
    )
    put(room.ledger, item)
    room.work("d", "?", "q")
    assert "readers find it" not in room.shown
    for said in (
        item.title,
        "a.md",
        item.url,
        "stage, since 2026-03-01 (3 days); hidden from readers until you decide",
        "0.95  superseded  the resolver says that it is superseded by decks/march.md",
        item.arithmetic,
        "to be read instead  decks/march.md",
        "faq.md, start.md and 10 more",
        "Bob decided keep, but it changed.",
        "word 5 [-old-] {+new+}",
        "21 more lines, d shows them",
        "= 41 lines are the same",
        "word 29 [-old-] {+new+}",
        "keep: it is right",
    ):
        assert said in room.shown, said


def test_nothing_is_written_before_a_decision_is_complete(room: Room) -> None:
    sitting = room.work("k", "", "k", CTRL_C, "p", "", "n", "p", "old", CTRL_C, "e", "2027-01-31", "", "s", "s", "s")
    assert room.decided == {}
    assert sitting.decided == {}
    assert room.shown.count("nothing was recorded") == 5


@pytest.mark.parametrize("end", ["q", CTRL_C, GONE])
def test_what_was_decided_stays_decided_however_it_ends(room: Room, end: str) -> None:
    sitting = room.work("k", "right", end)
    assert list(room.decided) == ["a.md"]
    assert list(sitting.decided) == [(SOURCE, "a.md")]
    assert sitting.was_interrupted is (end != "q")


def test_a_word_that_cannot_be_is_said_and_asked_again(room: Room) -> None:
    room.work("e", "2001-01-01", "wait", "l", "gone.md", "", "l", "a.md", "", "k", "right", "q")
    for said in ("has passed", "gone.md is not in the index", "cannot be superseded by itself"):
        assert said in room.shown
    assert {doc_id: str(made) for doc_id, made in room.decided.items()} == {"a.md": "keep"}


def test_one_goes_back_and_decides_otherwise_and_the_first_word_is_noted(room: Room) -> None:
    sitting = room.work("b", "k", "right", "\x1b[D", "a", "", "\x1b[C", "q")
    assert str(room.decided["a.md"]) == "archive"
    assert "you decided keep" in room.shown
    assert (
        "Ada decided keep on 2026-03-04 (right); Ada overruled it with archive."
        in room.ledger.candidate(SOURCE, "a.md").notes
    )
    assert len(sitting.decided) == 1


def test_the_reason_of_a_minute_ago_is_offered_again(room: Room) -> None:
    room.work("k", "the board quotes them", "k", "", "q")
    assert {made.why for made in room.decided.values()} == {"the board quotes them"}
    assert room.asked[-1] == "why [the board quotes them]:"


def test_what_somebody_else_decided_before_it_was_shown_is_passed_over(room: Room) -> None:
    def bob_decides() -> None:
        room.ledger.decide(SOURCE, "b.md", purge("Bob"), fingerprint="f1")

    room.work(bob_decides, "s", "b", "s", "k", "right")
    assert "b.md: Bob decided approve-purge meanwhile: nobody needs it" in room.shown
    assert {doc_id: made.by for doc_id, made in room.decided.items()} == {"b.md": "Bob", "c.md": "Ada"}


def test_who_comes_second_is_told_the_first_word_and_goes_on_with_the_next(room: Room) -> None:
    def bob_decides() -> None:
        room.ledger.decide(SOURCE, "a.md", purge("Bob"), fingerprint="f1")

    room.work("k", bob_decides, "right", "k", "right too", "q")
    assert "Bob decided approve-purge on 2026-03-01 (nobody needs it); your keep was not recorded" in room.shown
    assert {doc_id: made.by for doc_id, made in room.decided.items()} == {"a.md": "Bob", "b.md": "Ada"}


def test_somebody_who_overruled_the_own_word_meanwhile_is_not_overruled_by_going_back(room: Room) -> None:
    def bob_overrules() -> None:
        room.ledger.decide(SOURCE, "a.md", purge("Bob"), fingerprint="f1", overrule=True)

    room.work("k", "right", bob_overrules, "b", "s", "q")
    assert "a.md: Bob decided approve-purge meanwhile" in room.shown
    assert room.decided["a.md"].by == "Bob"


def test_evidence_that_changed_while_it_was_looked_at_is_not_decided_about(room: Room) -> None:
    def a_run_renews() -> None:
        put(room.ledger, candidate("a.md", fingerprint="f2"), candidate("b.md"), candidate("c.md"))

    room.work("k", a_run_renews, "right", "q")
    assert "the evidence is another than the one that you saw" in room.shown
    assert room.decided == {}


def test_what_vanished_or_was_spoilt_meanwhile_is_said_and_passed_over(room: Room) -> None:
    def it_vanishes() -> None:
        put(room.ledger, candidate("a.md"), candidate("c.md"))
        room.ledger.spoilt[SOURCE, "c.md"] = "proposal is 'burn'"

    sitting = room.work(it_vanishes, "s")
    assert room.shown.count("nothing to decide any more") == 2
    assert sitting.seen == {(SOURCE, "a.md")}


def test_pasted_text_is_no_decision(room: Room) -> None:
    room.work("keep it", "kk", "\r", "q")
    assert room.decided == {}
