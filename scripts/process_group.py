"""One started program with everything it forks, remembered in a file so that another command can stop it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_started_here: dict[int, subprocess.Popen[bytes]] = {}  # children must be reaped by their parent, or they stay zombies


@dataclass(frozen=True, slots=True)
class ProcessGroup:
    """A program in a process group of its own. `pid_file` outlives us, `log` takes its output.

    The pid file holds the number and the birth of the leader: a number alone may belong to somebody else by now.
    """

    name: str
    pid_file: Path
    log: Path

    def spawn(self, command: Sequence[str], environment: Mapping[str, str], *, user: str | int | None = None) -> None:
        """Start `command`, detached from the terminal. Raises OSError when it cannot be executed."""
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.pid_file.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as output:
            process = subprocess.Popen(
                command,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                user=user,
                cwd=self.pid_file.parent,
            )
        _started_here[process.pid] = process
        written = self.pid_file.with_suffix(".new")
        written.write_text(json.dumps({"pid": process.pid, "birth": _birth(process.pid), "boot": _boot()}))
        written.replace(self.pid_file)

    @property
    def pid(self) -> int | None:
        """The leader's number, if the leader is alive and is the process we started."""
        record = self._record()
        if record is None:
            return None
        pid, birth, _ = record
        return pid if birth is not None and _birth(pid) == birth else None

    @property
    def alive(self) -> bool:
        return self.pid is not None

    def signal(self, number: int) -> None:
        """Send a signal to the whole group; nothing happens when it is gone."""
        if (group := self._group()) is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group, number)

    @property
    def has_members(self) -> bool:
        """Whether anything of the group still runs, the leader or what it left behind."""
        return self._group() is not None

    def last_lines(self, count: int = 20) -> str:
        """The end of the log, for an error message."""
        if not self.log.exists():
            return "(no log was written)"
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-count:]) or "(the log is empty)"

    def _record(self) -> tuple[int, str | None, str] | None:
        try:
            record = json.loads(self.pid_file.read_text())
            return int(record["pid"]), record["birth"], str(record["boot"])
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError):
            return None  # torn by a crash while it was written: it proves nothing, so nothing is signalled

    def _group(self) -> int | None:
        """The group's number while it has members of ours.

        The kernel gives a number to nobody else while a group bears it. So a leader of another birth means that
        our group is gone, and a group without a leader is what ours left behind, unless the machine was restarted.
        """
        record = self._record()
        if record is None:
            return None
        pid, birth, boot = record
        found = _birth(pid)
        if boot != _boot() or (found is not None and found != birth):
            return None
        return pid if _group_runs(pid) else None


def stop_groups(groups: Iterable[ProcessGroup], *, patience: float = 20.0) -> list[str]:
    """End all groups: ask (SIGTERM), wait up to `patience` seconds, then kill. Returns who had to be killed.

    What outlived its leader is killed at once: nobody is left to tell it to finish. Raises RuntimeError when
    something outlives even that; otherwise the pid files are gone afterwards.
    """
    groups = list(groups)
    for group in groups:
        group.signal(signal.SIGTERM if group.alive else signal.SIGKILL)
    _wait_gone(groups, patience)
    stubborn = [group for group in groups if group.has_members]
    for group in stubborn:
        group.signal(signal.SIGKILL)
    _wait_gone(stubborn, 10.0)
    if survivors := [group.name for group in groups if group.has_members]:
        raise RuntimeError(f"still running after SIGKILL: {', '.join(survivors)}; see their pid files")
    for group in groups:
        group.pid_file.unlink(missing_ok=True)
    return [group.name for group in stubborn]


def _wait_gone(groups: Sequence[ProcessGroup], patience: float) -> None:
    deadline = time.monotonic() + patience
    while any(group.has_members for group in groups) and time.monotonic() < deadline:
        time.sleep(0.1)


def _birth(pid: int) -> str | None:
    """When the process was started, in the kernel's words; None if there is none (a zombie counts as none)."""
    if child := _started_here.get(pid):
        child.poll()
    if not Path("/proc/self/stat").exists():
        answer = subprocess.run(
            ["ps", "-o", "state=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
        ).stdout.strip()
        return None if not answer or answer.startswith("Z") else answer.split(maxsplit=1)[1]
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] == "Z" else fields[19]


def _boot() -> str:
    boot_id = Path("/proc/sys/kernel/random/boot_id")
    return boot_id.read_text().strip() if boot_id.exists() else "unknown"


def _group_runs(group: int) -> bool:
    if child := _started_here.get(group):
        child.poll()
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
