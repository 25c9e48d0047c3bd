"""Taking an erased document out of logs that others are writing.

Its bytes are overwritten in place, letter by letter: a log that was replaced by a clean copy would lose what its writer
appends to the old one.
"""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from pathlib import Path

from include.domain.erasure import Ending, PlaceReport, Trace
from include.planning.spellings import spellings


class LogFiles:
    """Implements ports.erasing.Place for all files below one folder."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self._folder = folder

    def clear(self, traces: Sequence[Trace]) -> PlaceReport:
        needles = {
            spelt
            for trace in traces
            for phrase in (*trace.names, *trace.phrases, *trace.words)
            for spelt, name in spellings(phrase).items()
            if not name.startswith("utf-16")
        }
        before = failed = 0
        for file in sorted(self._folder.rglob("*")) if self._folder.is_dir() else ():
            try:
                if file.is_file() and not file.is_symlink() and file.stat().st_size:
                    before += _overwritten(file, needles)
            except FileNotFoundError:
                continue  # rotated away meanwhile
            except OSError:  # of another user; the others are cleared all the same
                failed += 1
        if failed:
            return PlaceReport(
                self.name,
                Ending.OPEN,
                before=before,
                open=f"{failed} files could not be opened for writing; they were not looked into here",
                until="the same erasure again, as a user who may write them",
            )
        return PlaceReport(self.name, Ending.CLEARED if before else Ending.NOTHING, before=before)


def _overwritten(file: Path, needles: set[bytes]) -> bool:
    with file.open("r+b") as stream, mmap.mmap(stream.fileno(), 0) as data:
        found = False
        for needle in needles:
            position = data.find(needle)
            while position >= 0:
                found = True
                data[position : position + len(needle)] = b"x" * len(needle)
                position = data.find(needle, position + len(needle))
        if found:
            data.flush()
        return found
