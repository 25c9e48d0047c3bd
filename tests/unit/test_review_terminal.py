"""`truecopy review` in a terminal of its own, as a person has it: keys, lines, Ctrl-C, and what is recorded of it."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from include.records.ledger import GitLedger
from tests.dags.live import settings
from tests.unit.test_cli import run
from tests.unit.test_review_queue import SOURCE, candidate, finding, put

_COLOURS = re.compile(rb"\x1b\[[0-9;?]*[a-zA-Z]")
_LOCAL = 3  # among the attributes of a terminal
_PATIENCE = 60.0


class Terminal:
    """A process that has a terminal to itself, seen from the other side."""

    def __init__(self, *arguments: str) -> None:
        argv = [sys.executable, "-m", "include.cli", *arguments]
        self._process, self._screen = pty.fork()
        if not self._process:
            os.execve(sys.executable, argv, {**os.environ, "TERM": "xterm"})
        self._sent = b""

    def press(self, key: str, *, at: str) -> None:
        """Once `at` has appeared, and the terminal waits for one key: what comes before is thrown away."""
        self._send(key, at, a_line=False)

    def type(self, text: str, *, at: str) -> None:
        self._send(text, at, a_line=True)

    def interrupt(self, *, at: str, until: str) -> None:
        """Ctrl-C once `at` has appeared, again as a person would until it is heard: between the words of a question and
        the wait for the answer a signal may be taken and seen only with the next key."""
        self.type("\x03", at=at)
        deadline = time.monotonic() + _PATIENCE
        while until.encode() not in self._shown and time.monotonic() < deadline:
            if not self._more(seconds=2):
                os.write(self._screen, b"\x03")

    def end(self) -> tuple[int, str]:
        """The exit code, and what was shown since the last key."""
        while self._more():
            pass
        os.close(self._screen)
        _, status = os.waitpid(self._process, 0)
        return os.waitstatus_to_exitcode(status), self._shown.decode()

    def _send(self, keys: str, at: str, *, a_line: bool) -> None:
        deadline = time.monotonic() + _PATIENCE
        while at.encode() not in self._shown or self._waits_for_a_line is not a_line:
            self._more(seconds=0.02)
            if time.monotonic() > deadline:
                raise AssertionError(f"{at!r} does not appear: {self._shown.decode()}")
        self._sent = self._shown.rpartition(at.encode())[2]
        os.write(self._screen, keys.encode())

    @property
    def _shown(self) -> bytes:
        return _COLOURS.sub(b"", self._sent)  # of the whole: what colours may arrive in two pieces

    @property
    def _waits_for_a_line(self) -> bool | None:
        """Or for one key, which Ctrl-C is then too; None while the process is at work."""
        local = termios.tcgetattr(self._screen)[_LOCAL]
        return None if local & termios.ICANON else bool(local & termios.ISIG)

    def _more(self, seconds: float = _PATIENCE) -> bool:
        if not select.select([self._screen], [], [], seconds)[0]:
            return False
        try:
            found = os.read(self._screen, 65536)
        except OSError:  # the process has ended
            return False
        self._sent += found
        return bool(found)


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitLedger:
    """Three decks and an old page wait for a person."""
    _, environment = settings(tmp_path, (SOURCE,))
    for name, value in {**environment, "COLUMNS": "120"}.items():
        monkeypatch.setenv(name, value)
    made = GitLedger(tmp_path / "state" / "ledger")
    aged = finding("aged", strength=0.6, sentence="it was last written in 2019", anchor=False, facts={}, replacement="")
    page = candidate("page.md", proposal="review", score=0.6, evidence=(aged,), replacement="", diff="")
    put(made, *(candidate(f"{name}.md", title=f"Deck {name}") for name in "abc"), page)
    return made


def authors(tmp_path: Path) -> list[str]:
    command = ["git", "-C", str(tmp_path / "state" / "ledger"), "log", "--format=%an: %s"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def test_a_person_decides_with_keys_and_ctrl_c_loses_nothing_of_it(ledger: GitLedger, tmp_path: Path) -> None:
    terminal = Terminal("review", "--by", "Ada")
    terminal.press("k", at="Deck a")
    terminal.type("the board quotes it\n", at="why:")
    terminal.press("p", at="Deck b")
    terminal.type("\n", at="why [the resolver says")
    terminal.press("p", at="p again")
    terminal.press("e", at="Deck c")
    terminal.interrupt(at="until [", until="nothing was recorded")
    terminal.press("a", at="nothing was recorded")
    terminal.type("nobody readx\x7f it\n", at="why [")
    terminal.press("\x03", at="page.md")
    code, shown = terminal.end()
    assert code == 130
    for said in (
        "a.md: keep, said Ada on",
        "b.md: approve-purge, said Ada on",
        "c.md: archive",
        "3 decided (",
        "1 left",
    ):
        assert said in shown, shown
    queue = ledger.candidates(SOURCE)
    assert {item.doc_id: (str(item.decision), item.decision.why) for item in queue.decided if item.decision} == {
        "a.md": ("keep", "the board quotes it"),
        "b.md": ("approve-purge", finding().sentence),
        "c.md": ("archive", "nobody read it"),
    }
    assert [item.doc_id for item in queue.open] == ["page.md"]
    assert authors(tmp_path)[:3] == [
        f"Ada: Decide {what} of handbook" for what in ("archive for c.md", "approve-purge for b.md", "keep for a.md")
    ]


KEEP_THE_OLD = ("review", "--all", "--signal", "aged", "--decide", "keep", "--reason", "still right")


def test_many_are_decided_once_the_person_has_typed_how_many(ledger: GitLedger) -> None:
    terminal = Terminal(*KEEP_THE_OLD)
    terminal.type("1\n", at="type the number to record it, 1:")
    assert terminal.end()[0] == 0
    assert [item.doc_id for item in ledger.candidates(SOURCE).decided] == ["page.md"]


def test_without_a_terminal_many_are_decided_by_their_number_only(ledger: GitLedger, tmp_path: Path) -> None:
    for more, said in (((), "confirm the number with --yes 1"), (("--yes", "2"), "keep for 1 candidate, not 2")):
        code, message = run(*KEEP_THE_OLD, *more)
        assert (code, said in " ".join(message.split())) == (2, True)
    assert ledger.candidates(SOURCE).decided == ()
    code, (done,) = run(*KEEP_THE_OLD, "--yes", "1", "--by", "Ada", "--json")
    assert (code, done) == (0, {"source": SOURCE, "recorded": ["page.md"], "refused": {}})
    assert authors(tmp_path)[0] == f"Ada: Decide keep for page.md of {SOURCE}"
    assert run(*KEEP_THE_OLD, "--yes", "1")[0] == 0, "none is left, which is no error"


def test_what_has_other_evidence_besides_is_left_to_be_looked_at(ledger: GitLedger) -> None:
    replaced, aged = finding(), finding("aged", strength=0.5, sentence="it is old", anchor=False, facts={})
    put(ledger, candidate("both.md", evidence=(replaced, aged)), candidate("old.md", evidence=(aged,)))
    code, text = run(*KEEP_THE_OLD, "--yes", "1")
    assert code == 0
    assert "1 more have other evidence besides and are left as they are" in text
    assert [item.doc_id for item in ledger.candidates(SOURCE).open] == ["both.md"]


def test_of_many_those_that_cannot_be_recorded_are_named(ledger: GitLedger) -> None:
    link = ("review", "--all", "--decide", "supersede-link", "--reason", "read that instead")
    put(ledger, candidate("a.md", replacement="a.md"), candidate("page.md", replacement=""))
    code, message = run(*link, "--yes", "2")
    assert code == 2
    assert "cannot be superseded by itself" in message
    assert "nothing was recorded of 2 candidates" in " ".join(message.split())
