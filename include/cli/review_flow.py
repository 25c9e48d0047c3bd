"""Work through candidates on a terminal: one after the other, a key for each decision.

    show -> key -> what is due (why, until when, by what) -> recorded: one commit -> next
            |-> skip, back, all of the diff, help
            `-> quit, Ctrl-C: what was decided stays decided

Nothing is written before a decision is complete. Each is recorded at once, with the evidence that was on the screen, so
that two people can work on one queue: who comes second is told what the first one said, and goes on with the next.
"""

from __future__ import annotations

import readline  # noqa: F401 (lines that are typed can be edited)
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum
from typing import Protocol

import typer
from rich.console import Console

from include.cli.review_page import plain, print_diff, print_page, printable
from include.domain.errors import DecisionConflict, TruecopyError
from include.domain.review import Disposition, ReviewItem
from include.services.reviewing import Word

_DECISIONS = {
    "p": Disposition.APPROVE_PURGE,
    "k": Disposition.KEEP,
    "a": Disposition.ARCHIVE,
    "l": Disposition.SUPERSEDE_LINK,
    "e": Disposition.EXTEND,
}
_KEYS = (
    "[bold]p[/]urge  [bold]k[/]eep  [bold]a[/]rchive  [bold]l[/]ink  [bold]e[/]xtend   "
    "[bold]s[/]kip  [bold]b[/]ack  [bold]d[/]iff  [bold]q[/]uit  [bold]?[/]"
)
_HELP = """\
  [bold]p[/]  approve-purge: take it away for good. Asks for the key a second time
  [bold]k[/]  keep: it is right. It does not come back for the same evidence
  [bold]a[/]  archive: readers no longer find it, and it stays where it is
  [bold]l[/]  supersede-link: something else is to be read instead; it is found behind that
  [bold]e[/]  extend: leave it alone until a day
  [bold]s[/]  skip: decide nothing (→ too)     [bold]b[/]  back to the one before (← too), also to decide it otherwise
  [bold]d[/]  all of the difference            [bold]q[/]  quit; Ctrl-C does the same
  Enter takes what stands in brackets. Ctrl-C at a question takes back the key. Nothing is carried out here."""
_NEXT = frozenset({"s", " ", "\x1b[C", "\x1bOC"})  # and the arrow to the right
_BACK = frozenset({"b", "\x1b[D", "\x1bOD"})
_DIFF_LINES = 12
_LEFT_ALONE = timedelta(days=180)

_FOLLOWS_THE_EVIDENCE = frozenset({Disposition.APPROVE_PURGE, Disposition.ARCHIVE, Disposition.SUPERSEDE_LINK})
"""Whoever decides so may give the evidence as the reason; whoever decides against it has one of their own."""


class Keyboard(Protocol):
    def key(self) -> str:
        """The next key, or what an arrow sends. Raises KeyboardInterrupt for Ctrl-C, EOFError when nobody is there."""
        ...

    def line(self, question: str) -> str:
        """What is typed until Enter. Raises as `key` does."""
        ...


class TerminalKeyboard:
    """The keyboard of the terminal that this process runs in. What was typed before it was asked for is not taken."""

    def key(self) -> str:
        pressed = typer.getchar()
        if not pressed:
            raise EOFError("the terminal is gone")
        return pressed

    def line(self, question: str) -> str:
        return input(question)


@dataclass(frozen=True, slots=True)
class Desk:
    """What a person works with. `look` is the item as it stands now, `decide` records a word on it; they raise what
    `ports.ReviewQueue.candidate` and `services.reviewing.decide_candidate` raise. `staged` are hidden from readers, by
    source and document."""

    look: Callable[[str, str], ReviewItem]
    decide: Callable[[str, str, Word], ReviewItem]
    keyboard: Keyboard
    console: Console
    by: str
    now: datetime
    staged: frozenset[tuple[str, str]] = frozenset()

    def say(self, text: str, style: str = "", end: str = "\n") -> None:
        self.console.print(text, style=style or None, end=end, soft_wrap=True, highlight=False)


@dataclass
class Sitting:
    """What came of it. `decided` are the items as they were recorded, by source and document; `seen` those that were
    shown; `was_interrupted` by Ctrl-C."""

    decided: dict[tuple[str, str], ReviewItem] = field(default_factory=dict)
    seen: set[tuple[str, str]] = field(default_factory=set)
    reasons: dict[Disposition, str] = field(default_factory=dict)
    was_interrupted: bool = False

    @property
    def counted(self) -> str:
        """`2 keep, 1 archive`."""
        said = Counter(item.decision.disposition for item in self.decided.values() if item.decision)
        return ", ".join(f"{number} {disposition}" for disposition, number in said.most_common())


class _Step(Enum):
    NEXT = 1
    BACK = -1
    STAY = 0
    QUIT = None


def work_through(desk: Desk, items: Sequence[ReviewItem]) -> Sitting:
    """Put these before the person, in this order. Never raises for one of them: it says what is wrong, and goes on."""
    sitting = Sitting()
    place, step = 0, _Step.NEXT
    try:
        while place < len(items) and step is not _Step.QUIT:
            step = _at(desk, sitting, items[place], f"{place + 1} of {len(items)}", forward=step is not _Step.BACK)
            if step is _Step.BACK and place == 0:
                desk.say("  this is the first one", style="dim")
                step = _Step.NEXT
            elif step.value is not None:
                place += step.value
    except (KeyboardInterrupt, EOFError):
        sitting.was_interrupted = True
    return sitting


def _at(desk: Desk, sitting: Sitting, listed: ReviewItem, place: str, *, forward: bool) -> _Step:
    """One item, as it is by now."""
    onwards = _Step.NEXT if forward else _Step.BACK
    name = (listed.source, listed.doc_id)
    desk.say("")
    desk.console.rule(f"{place} · {plain(listed.source)}", align="left", style="dim")
    try:
        item = desk.look(*name)
    except TruecopyError as error:
        return _passed_over(desk, f"{listed.doc_id}: nothing to decide any more: {error}", onwards)
    made = item.decision
    if made and sitting.decided.get(name) != item:
        return _passed_over(desk, f"{item.doc_id}: {made.by} decided {made} meanwhile: {made.why}", onwards)
    print_page(desk.console, item, desk.now, is_staged=name in desk.staged, diff_lines=_DIFF_LINES)
    sitting.seen.add(name)
    if made:
        desk.say(f"\n  [green]you decided {plain(str(made))}[/]: {plain(made.why)}")
    desk.say("")
    while True:
        desk.say(_KEYS, end="  ")
        step = _pressed(desk, sitting, item, desk.keyboard.key())
        if step is not _Step.STAY:
            return step


def _passed_over(desk: Desk, why: str, onwards: _Step) -> _Step:
    desk.say(f"  [yellow]{plain(why)}[/]")
    return onwards


def _pressed(desk: Desk, sitting: Sitting, item: ReviewItem, key: str) -> _Step:
    key = key.lower() if len(key) == 1 else key
    desk.say(_DECISIONS[key].value if key in _DECISIONS else "", style="bold")
    if key == "q":
        return _Step.QUIT
    if key in _NEXT:
        return _Step.NEXT
    if key in _BACK:
        return _Step.BACK
    if key == "d":
        print_diff(desk.console, item)
    elif key in _DECISIONS:
        return _decided(desk, sitting, item, _DECISIONS[key], key)
    else:
        desk.say(_HELP)
    return _Step.STAY


def _decided(desk: Desk, sitting: Sitting, item: ReviewItem, disposition: Disposition, key: str) -> _Step:
    """Asked what is due, and recorded. To the next one, unless the person thinks again or the word cannot be."""
    try:
        word = _word(desk, sitting, item, disposition)
        if disposition is Disposition.APPROVE_PURGE:
            _asked_again(desk, key)
    except (_ThinksAgain, KeyboardInterrupt, EOFError):
        desk.say("\n  nothing was recorded", style="dim")
        return _Step.STAY
    name = (item.source, item.doc_id)
    try:
        with _undisturbed():
            recorded = desk.decide(*name, word)
    except DecisionConflict as error:
        desk.say(f"  [yellow]{plain(str(error))}[/]")
        return _Step.NEXT
    except TruecopyError as error:
        desk.say(f"  [red]{plain(str(error))}[/]")
        return _Step.STAY
    sitting.decided[name] = recorded
    sitting.reasons[disposition] = word.reason
    desk.say(f"  [green]recorded: {plain(str(recorded.decision))}[/]")
    return _Step.NEXT


def _word(desk: Desk, sitting: Sitting, item: ReviewItem, disposition: Disposition) -> Word:
    """Raises _ThinksAgain when the person gives no answer where one is due."""
    until = successor = ""
    if disposition is Disposition.EXTEND:
        until = _asked(desk, "until", (desk.now + _LEFT_ALONE).date().isoformat())
    if disposition is Disposition.SUPERSEDE_LINK:
        successor = _asked(desk, "to be read instead", item.replacement)
    usual = item.evidence[0].sentence if item.evidence and disposition in _FOLLOWS_THE_EVIDENCE else ""
    reason = _asked(desk, "why", usual or sitting.reasons.get(disposition, ""))
    name = (item.source, item.doc_id)
    # Their own word of a minute ago; anybody else's is a conflict.
    overrule = item.decision is not None and sitting.decided.get(name) == item
    return Word(disposition, desk.by, reason, until, successor, item.fingerprint, overrule)


def _asked(desk: Desk, question: str, usual: str) -> str:
    answer = desk.keyboard.line(f"  {question}{f' [{printable(usual)}]' if usual else ''}: ").strip() or usual
    if not answer:
        raise _ThinksAgain
    return answer


def _asked_again(desk: Desk, key: str) -> None:
    desk.say(f"  [bold]{key}[/] again to take it away for good, any other key to think again", end="  ")
    if desk.keyboard.key().lower() != key:
        raise _ThinksAgain
    desk.say("")


class _ThinksAgain(Exception):
    """The person takes back the key that was pressed."""


@contextmanager
def _undisturbed() -> Iterator[None]:
    """A commit takes a tenth of a second; Ctrl-C reaches git too, and would leave it half done."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
