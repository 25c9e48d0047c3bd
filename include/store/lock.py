"""Exclusive use of a folder: by one thread of one process at a time, whatever it wants to do there.

The embedded engines have no usable lock of their own: one refuses a second opening, readers included, the other
loads everything *before* it locks and then overwrites what was written meanwhile. So this lock is taken before
anything is opened.

Who waits says so, by a shared lock on a second file: a session that many readers share can stay open while nobody
else wants the folder, and end when somebody does. A process that dies takes both locks with it.

Waiting is a blocking flock: the kernel wakes every waiter when the lock is free, so a process that opens session
after session does not keep the others out. Polling did: measured, one read in 30 s.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from include.domain.dates import rfc3339
from include.domain.errors import StoreBusy, StoreUnavailable

Resource = TypeVar("Resource")

LOCK = ".index.lock"  # ".lock" is the name that local mode uses for its own

WAITING = ".index.waiting"

NOTICE_AFTER = 1.0
"""Seconds of waiting before it is said aloud; ordinary sessions are shorter."""


class FolderLock:
    """Reentrant within a thread; other threads and processes wait, then get StoreBusy."""

    def __init__(self, folder: Path, timeout: float, notify: Callable[[str], None]) -> None:
        self._folder = folder
        self._timeout = timeout
        self._notify = notify

    @contextmanager
    def held(self) -> Iterator[Use]:
        """Hold the folder for the block. Nested blocks of the same thread share the outermost one's resources.

        Raises StoreBusy after the time-out, StoreUnavailable if the folder cannot be locked at all.
        """
        deadline = time.monotonic() + self._timeout
        use = _use_of(self._folder)
        if not use.take_turn(max(0.0, self._timeout)):
            raise self._busy(f"thread {use.thread} of this process")
        try:
            if use.depth == 0:
                use.begin(self._acquire(use, deadline))
            use.depth += 1
            try:
                yield use
            finally:
                use.depth -= 1
                if use.depth == 0:
                    use.end()
        finally:
            use.turn.release()

    def is_wanted(self) -> bool:
        """Whether another thread or process waits for the folder now."""
        return _use_of(self._folder).waiting > 0 or _is_waited_for(self._folder / WAITING)

    def _acquire(self, use: Use, deadline: float) -> int:
        if use.attempt is None or not use.attempt.adopt():
            use.attempt = _Attempt(self._folder)
        attempt = use.attempt
        try:
            remaining = deadline - time.monotonic()
            if remaining > NOTICE_AFTER and not attempt.done.wait(NOTICE_AFTER):
                self._notify(
                    f"{self._folder} is in use by {_holder(self._folder)}; waiting up to {self._timeout:g} s for it"
                )
            descriptor = attempt.result(deadline)
        except BaseException:
            # A task time-out or Ctrl-C lands here as well; the lock must not be granted to nobody.
            attempt.abandon()
            raise
        if descriptor is None:
            raise self._busy(_holder(self._folder))
        use.attempt = None
        return descriptor

    def _busy(self, holder: str) -> StoreBusy:
        return StoreBusy(
            f"{self._folder} is in use by {holder}; gave up after {self._timeout:g} s, nothing was changed. Try again "
            "later; if that process hangs, stop it: the lock goes with it.",
            path=str(self._folder),
            holder=holder,
            waited_seconds=self._timeout,
        )


class Use:
    """The use that this process makes of a folder: whose turn it is, and what is open."""

    def __init__(self) -> None:
        self.turn = threading.RLock()
        self.waiting = 0
        self.depth = 0
        self.thread = ""
        self.attempt: _Attempt | None = None
        self._descriptor = -1
        self._open: dict[str, object] = {}
        self._closing = ExitStack()
        self._pid = 0
        self._counting = threading.Lock()

    def take_turn(self, timeout: float) -> bool:
        with self._counting:
            self.waiting += 1
        try:
            return self.turn.acquire(timeout=timeout)
        finally:
            with self._counting:
                self.waiting -= 1

    def resource(self, name: str, opened: Callable[[], Resource], close: Callable[[Resource], object]) -> Resource:
        """The resource of that name, opened at first use and closed before the lock is given back."""
        if name not in self._open:
            resource = opened()
            self._open[name] = resource
            self._closing.callback(close, resource)
        return self._open[name]  # type: ignore[return-value]

    def begin(self, descriptor: int) -> None:
        self._descriptor, self._pid = descriptor, os.getpid()
        self.thread = threading.current_thread().name
        holder = {"pid": self._pid, "host": socket.gethostname(), "since": rfc3339(datetime.now(UTC))}
        _note(descriptor, json.dumps(holder))

    def end(self) -> None:
        # A fork shares the lock with its parent. If it leaves the block too, it must not unlock the parent's folder.
        if os.getpid() != self._pid:
            return
        closing, descriptor = self._closing, self._descriptor
        self._open, self._closing, self._descriptor = {}, ExitStack(), -1
        try:
            closing.close()
        finally:
            _note(descriptor, "")
            _release(descriptor)


class _Attempt:
    """One blocking wait for the lock, in a thread of its own because flock knows no time-out.

    Giving up leaves the thread in the queue; the next one of this process adopts it instead of adding another, and
    if nobody does, the thread unlocks at once what it gets.
    """

    def __init__(self, folder: Path) -> None:
        self.done = threading.Event()
        self._folder = folder
        self._mutex = threading.Lock()
        self._wanted = True
        self._descriptor: int | None = None
        self._error: OSError | None = None
        threading.Thread(target=self._run, name=f"lock of {folder}", daemon=True).start()

    def adopt(self) -> bool:
        with self._mutex:
            self._wanted = not self.done.is_set()
            return self._wanted

    def result(self, deadline: float) -> int | None:
        """The locked descriptor, or None if there is none in time."""
        self.done.wait(max(0.0, deadline - time.monotonic()))
        with self._mutex:
            if self._error is not None:
                raise StoreUnavailable(
                    f"{self._folder} cannot be locked: {self._error}. The index needs a writable folder on a local "
                    "disk."
                ) from self._error
            self._wanted = False
            return self._descriptor

    def abandon(self) -> None:
        with self._mutex:
            self._wanted = False
            if self._descriptor is not None:
                _release(self._descriptor)
                self._descriptor = None

    def _run(self) -> None:
        descriptor: int | None = None
        error: OSError | None = None
        try:
            descriptor = _locked(self._folder / LOCK)
        except OSError as problem:
            error = problem
        with self._mutex:
            if descriptor is not None and not self._wanted:
                _release(descriptor)
                descriptor = None
            self._descriptor, self._error = descriptor, error
            self.done.set()


def _locked(path: Path) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        announcement = os.open(path.with_name(WAITING), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        fcntl.flock(announcement, fcntl.LOCK_SH)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        finally:
            _release(announcement)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _is_waited_for(path: Path) -> bool:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return True
    _release(descriptor)
    return False


def _release(descriptor: int) -> None:
    # Unlock by name: closing alone leaves the lock with a fork that inherited the descriptor.
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    os.close(descriptor)


def _note(descriptor: int, holder: str) -> None:
    # For the messages of those who wait. A full disk must not keep anybody from unlocking.
    with suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, holder.encode(), 0)


def _holder(folder: Path) -> str:
    """Who the lock file says is inside, for messages only; never decides anything."""
    with suppress(OSError, ValueError):
        match json.loads((folder / LOCK).read_text()):
            case {"pid": int(pid), "host": str(host), "since": str(since)}:
                return f"process {pid} on {host} since {since}"
    return "another process"


_uses: dict[Path, Use] = {}
_uses_guard = threading.Lock()


def _use_of(folder: Path) -> Use:
    with _uses_guard:
        return _uses.setdefault(folder.resolve(), Use())


def _forget_uses() -> None:
    # The child of a fork holds nothing, whatever the copied memory says, and the guard may be held by a lost thread.
    global _uses_guard
    _uses_guard = threading.Lock()
    _uses.clear()


os.register_at_fork(after_in_child=_forget_uses)
