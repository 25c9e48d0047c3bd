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
    """A program and all it forks. `pid_file` outlives us, `log` takes the output.

    The members are told by their session, which is the program's own: Airflow puts each task into another process
    group. The pid file holds the number and the birth of the leader: a number alone may be somebody else's by now.
    """

    name: str
    pid_file: Path
    log: Path

    def spawn(self, command: Sequence[str], environment: Mapping[str, str], *, folder: Path) -> None:
        """Start `command` in `folder`, detached from the terminal. Raises OSError when it cannot be executed."""
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
                cwd=folder,
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
        """Send a signal to every member; nothing happens when there is none."""
        for pid in self.members():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def members(self) -> list[int]:
        """All processes of the group that run, also when the leader is gone.

        The kernel gives a number to nobody else while a session bears it. So a leader of another birth means that
        our session is gone, and one without a leader is what ours left behind, unless the machine was restarted.
        """
        record = self._record()
        if record is None:
            return []
        leader, birth, boot = record
        found = _birth(leader)
        return [] if boot != _boot() or found not in (None, birth) else _session(leader)

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


def stop_groups(groups: Iterable[ProcessGroup], *, patience: float = 20.0) -> list[str]:
    """End all groups: ask (SIGTERM), wait up to `patience` seconds, then kill. Returns who had to be killed.

    What outlived its leader is killed at once: nobody is left to tell it to finish. Raises RuntimeError when
    something outlives even that; otherwise the pid files are gone afterwards.
    """
    groups = list(groups)
    for group in groups:
        group.signal(signal.SIGTERM if group.alive else signal.SIGKILL)
    _wait_gone(groups, patience)
    stubborn = [group for group in groups if group.members()]
    _wait_gone(stubborn, 10.0, signal_again=signal.SIGKILL)
    if survivors := [group.name for group in groups if group.members()]:
        raise RuntimeError(f"still running after SIGKILL: {', '.join(survivors)}; see their pid files")
    for group in groups:
        group.pid_file.unlink(missing_ok=True)
    return [group.name for group in stubborn]


def working_in(folder: Path) -> list[int]:
    """Numbers of all processes whose working directory is in `folder`, whoever started them (Linux only).

    Finds what left its session, too, since children inherit the folder. Command line and environment would not do:
    a process may overwrite its own, and Airflow does.
    """
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # ended meanwhile, or not ours to look at
            if (entry / "cwd").readlink().is_relative_to(folder):
                found.append(int(entry.name))
    return found


def _wait_gone(groups: Sequence[ProcessGroup], patience: float, *, signal_again: int | None = None) -> None:
    deadline = time.monotonic() + patience
    while any(group.members() for group in groups) and time.monotonic() < deadline:
        if signal_again is not None:  # again and again: a member may fork while the others are counted
            for group in groups:
                group.signal(signal_again)
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


def _session(leader: int) -> list[int]:
    """Living processes of the session that `leader` opened. Without /proc (macOS): of its process group."""
    if child := _started_here.get(leader):
        child.poll()
    if not Path("/proc/self/stat").exists():
        answer = subprocess.run(["ps", "-axo", "pid=,pgid=,state="], capture_output=True, text=True, check=True).stdout
        rows = (line.split() for line in answer.splitlines())
        return [int(pid) for pid, group, state in rows if int(group) == leader and not state.startswith("Z")]
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, _, _, session = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(session) == leader and state != "Z":
                found.append(int(entry.name))
    return found
