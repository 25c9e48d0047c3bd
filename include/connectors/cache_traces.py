"""Taking an erased document out of the cache, whose every entry can be fetched again.

Clones of git repositories hold all that their history ever said. An entry that holds a trace is removed whole; the next
run fetches it anew. A clone then brings the history along, so that as long as the source's repository keeps the text in
its history, the cache will have it again: that is said.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path

from include.connectors.git_mirror import locked
from include.domain.erasure import Ending, PlaceReport, SearchReport, Trace


class CacheEntries:
    """Implements ports.erasing.Place. `search` looks into one entry."""

    name = "cache"

    def __init__(self, cache_dir: Path, search: Callable[[Path, Sequence[Trace]], SearchReport]) -> None:
        self._cache_dir = cache_dir
        self._search = search

    def clear(self, traces: Sequence[Trace]) -> PlaceReport:
        removed = clones = 0
        for entry in self._entries():
            if not self._search(entry, traces).hits:
                continue
            is_clone = entry.is_dir()
            with locked(entry.with_suffix(".lock")) if is_clone else nullcontext():
                shutil.rmtree(entry) if is_clone else entry.unlink(missing_ok=True)
            removed, clones = removed + 1, clones + is_clone
        if clones:
            return PlaceReport(
                self.name,
                Ending.OPEN,
                before=removed,
                unit="entries",
                open=f"{clones} clones were removed; the next run clones the history of their source anew",
                until="the text is taken out of the history of the source's repository",
            )
        return PlaceReport(self.name, Ending.CLEARED if removed else Ending.NOTHING, before=removed, unit="entries")

    def _entries(self) -> list[Path]:
        if not self._cache_dir.is_dir():
            return []
        clones = [path for path in self._cache_dir.rglob("*.git") if path.is_dir()]
        drafts = [path for path in self._cache_dir.rglob("*.new") if path.is_dir()]
        others = [
            path
            for path in self._cache_dir.rglob("*")
            if path.is_file() and not any(path.is_relative_to(clone) for clone in (*clones, *drafts))
        ]
        return [*clones, *drafts, *(path for path in others if path.suffix != ".lock")]
