"""A git repository of our own, in which every change is a commit with author and reason.

Writers take a lock, so that two processes never commit over each other. Readers read the files as they stand; each is
replaced whole.
"""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from include.domain.errors import ConfigError

MACHINE = "truecopy <truecopy@localhost>"
# A caller inside a git hook has GIT_DIR set, and people sign commits and hook into them: neither may reach this
# repository, nor may this one reach theirs.
_OURS_ALONE = tuple(
    argument
    for setting in (
        "user.name=truecopy",
        "user.email=truecopy@localhost",
        "safe.directory=*",
        "commit.gpgsign=false",
        "core.hooksPath=/dev/null",
        "core.autocrlf=false",
    )
    for argument in ("-c", setting)
)
_BEGUN = {"merge": "MERGE_HEAD", "cherry-pick": "CHERRY_PICK_HEAD", "revert": "REVERT_HEAD"}
_WHOLE_ONLY = ("merge", "cherry-pick")  # git refuses to commit single files before these are committed
_LOCK = ".lock"
_GIT_TAKES_SECONDS = 60.0
_REWRITING_TAKES_SECONDS = 900.0


class Repository:
    """Text files below `folder`. It is created on first use.

    `finish` is called, under the lock, with the paths that somebody wrote and did not commit: a killed writer, a person
    with an editor. It may write and commit; what is uncommitted after it is committed as it stands.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.finish: Callable[[Sequence[str]], None] = lambda _paths: None

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Alone among writers until the block ends; what a killed writer left is committed before it begins. Raises
        ConfigError when the folder cannot be written."""
        with self._writable():
            self.folder.mkdir(parents=True, exist_ok=True)
            # In the repository's own folder, which all workers share. Held for milliseconds: waiting is right.
            lock = (self.folder / _LOCK).open("w")
        with lock, self._writable():
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (self.folder / ".git").exists():
                self._git("init", "-q")
                (self.folder / ".git" / "info").mkdir(exist_ok=True)
                (self.folder / ".git" / "info" / "exclude").write_text(f"{_LOCK}\n*.tmp\n", encoding="utf-8")
            self._take_over_what_a_killed_writer_left()
            yield

    @contextmanager
    def alone(self, work: str, holder: str) -> Iterator[None]:
        """Alone at this work until the block ends, however long it takes, while others may write. Raises
        BlockingIOError, which names the other's `holder`, when somebody is at it already."""
        with self.locked():
            pass  # the repository is there now
        # Inside .git, where nothing is ever committed.
        with self._writable():
            file = (self.folder / ".git" / f"alone-{work}").open("a+", encoding="utf-8")
        with file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.seek(0)
                raise BlockingIOError(file.read()) from None
            with self._writable():
                file.truncate(0)
                file.write(holder)
                file.flush()
            yield

    def write(self, path: str, text: str) -> None:
        """Replace the file at `path`, below the folder, in one step. Not committed yet."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        beside = target.with_suffix(".tmp")
        try:
            beside.write_text(text, encoding="utf-8")
            beside.replace(target)
        except BaseException:
            beside.unlink(missing_ok=True)  # half a file helps nobody, least of all on a full disk
            raise

    def commit(self, paths: Sequence[str], message: str, author: str = MACHINE) -> None:
        """Commit these files as they stand, removed ones as removed."""
        self._git("add", "-A", "--", *paths)
        # A file left by a killed writer may already be committed as it is; that is no error.
        if self._git("status", "--porcelain", "--", *paths).strip():
            self._git("commit", "-q", "--author", author, "-m", message, "--", *paths)

    def committed(self, path: str) -> str | None:
        """The file's text in the last commit, None where it is not in it."""
        if not self._git("rev-list", "-n", "1", "--all").strip():
            return None  # there is no commit at all
        is_there = self._git("ls-tree", "--name-only", "HEAD", "--", path).strip()
        return self._git("show", f"HEAD:{path}") if is_there else None

    def trailers(self, name: str, *, starting: str) -> list[str]:
        """What commits, whether reverted since or not, say in a line `name: …` at their end that begins so."""
        if not (self.folder / ".git").exists() or not self._git("rev-list", "-n", "1", "--all").strip():
            return []
        form = f"%(trailers:key={name},valueonly,separator=%x0A)"
        lines = self._git("log", f"--grep=^{name}: {re.escape(starting)}", f"--format={form}").splitlines()
        return [line for line in lines if line.startswith(starting)]

    def run(self, *arguments: str, data: bytes | None = None) -> bytes:
        """A command of git in this repository, for those who hold its lock. Raises ConfigError when it fails."""
        return self._run(arguments, data, _REWRITING_TAKES_SECONDS)

    @contextmanager
    def _writable(self) -> Iterator[None]:
        """A full disk, a read-only mount and a folder of another user are said as such."""
        try:
            yield
        except OSError as error:
            raise ConfigError(
                f"ledger {self.folder} cannot be written: {error.strerror or error}. Check that TRUECOPY_LEDGER is a "
                "folder that this user may write, and that its disk has room",
                ledger=str(self.folder),
            ) from error

    def _take_over_what_a_killed_writer_left(self) -> None:
        """We hold the lock, so an old lock of git belongs to nobody; what was written and not committed is."""
        left = self.folder / ".git" / "index.lock"
        if left.exists() and time.time() - left.stat().st_mtime > _GIT_TAKES_SECONDS:
            left.unlink(missing_ok=True)
        if changed := self._git("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"):
            entries = [entry for entry in changed.split("\0") if entry]
            # Committed now, the conflict markers would stand there as somebody's decision.
            if unmerged := [entry[3:] for entry in entries if "U" in entry[:2] or entry[:2] in ("AA", "DD")]:
                raise self._unfinished(f" in {', '.join(unmerged)}")
            if self._begun() in _WHOLE_ONLY:
                raise self._unfinished()
            self.finish([entry[3:] for entry in entries])
        if self._git("status", "--porcelain").strip():
            self._git("add", "-A")
            self._git("commit", "-q", "--author", MACHINE, "-m", "Commit what an interrupted run had written")

    def _begun(self) -> str:
        """What a person has begun here and not committed, as git calls it; empty for nothing."""
        return next((what for what, head in _BEGUN.items() if (self.folder / ".git" / head).exists()), "")

    def _unfinished(self, where: str = "") -> ConfigError:
        what = self._begun() or "merge"
        return ConfigError(
            f"ledger {self.folder}: a {what} is unfinished{where}. Commit it or `git {what} --abort`; nothing is "
            "written meanwhile",
            ledger=str(self.folder),
        )

    def _git(self, *arguments: str) -> str:
        return self._run(arguments, None, _GIT_TAKES_SECONDS).decode("utf-8", "surrogateescape")

    def _run(self, arguments: Sequence[str], data: bytes | None, timeout: float) -> bytes:
        where = (f"--git-dir={self.folder / '.git'}", f"--work-tree={self.folder}")
        done = subprocess.run(
            ["git", *_OURS_ALONE, *where, *arguments],
            cwd=self.folder,
            env={name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
            capture_output=True,
            input=data,
            timeout=timeout,
            check=False,
        )
        if done.returncode:
            said = (done.stderr.strip() or done.stdout.strip()).decode("utf-8", "replace")
            raise ConfigError(
                f"ledger {self.folder}: git {arguments[0]} failed: {said}. "
                "Check that TRUECOPY_LEDGER is a folder that this user may write",
                ledger=str(self.folder),
            )
        return done.stdout


def person(name: str) -> str:
    """A git author. Git refuses angle brackets and line breaks in one; a user name must not be able to forge one."""
    plain = (
        "".join(character for character in name if character.isalnum() or character in "@._+- ").strip() or "unknown"
    )
    return f"{plain} <{plain.replace(' ', '.')}@airflow>"
