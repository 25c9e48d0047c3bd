"""Removing documents from an embedded index down to its files.

A delete of the engine leaves the text in the pages of its segments and in its write-ahead log, for as long as nothing
overwrites them. So each collection is copied, point by point, without the erased documents, into a fresh folder; the
alias is pointed there, and the old folder is removed. Vectors are copied as they are.

    <alias>.<digest>       as it was made
    <alias>.<digest>-2     its first copy, and so on

The alias says which of them is the collection. Killed at any moment, either the old folder or the copy is behind it,
whole; what else is there goes with the next erasure. All of it happens under the folder's lock.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from include.domain.documents import DocumentKey
from include.domain.erasure import Ending, PlaceReport
from include.domain.errors import StoreUnavailable
from include.store.edge_engine import EdgeEngine
from include.store.where import Is, Where

if TYPE_CHECKING:
    from include.store.edge import EdgeStore

_GENERATION = re.compile(r"-(\d+)$")


class EdgeErasure:
    """Implements ports.erasing.ErasableIndex."""

    name = "index"

    def __init__(self, store: EdgeStore) -> None:
        self._store = store

    def count_everywhere(self, keys: Sequence[DocumentKey]) -> int:
        with self._store.exclusive():
            return sum(self._count(collection, keys) for collection in self._standing())

    def points_everywhere(self) -> Iterator[Mapping[str, object]]:
        with self._store.exclusive():
            for collection in self._standing():
                with self._store.opened(collection) as engine:
                    for page in engine.pages(Where()):
                        yield from (record.payload or {} for record in page)

    def erase(self, keys: Sequence[DocumentKey]) -> PlaceReport:
        with self._store.exclusive():
            for leftover in self._leftovers():
                shutil.rmtree(self._store.path / leftover)
            before = after = 0
            for collection in self._standing():
                had, left = self._copied_without(collection, keys)
                before, after = before + had, after + left
        return PlaceReport(
            self.name, Ending.CLEARED if before else Ending.NOTHING, before=before, after=after, unit="points"
        )

    def _copied_without(self, collection: str, keys: Sequence[DocumentKey]) -> tuple[int, int]:
        """How many points of these documents the collection had, and how many its copy has."""
        copy, erased = _next_generation(collection), {(key.source, key.doc_id) for key in keys}
        with self._store.opened(collection) as engine:
            before = self._count_in(engine, keys)
            expected = engine.count(Where()) - before
            draft = self._store.begun(copy, engine.builder)
            with self._store.opened(draft.name) as fresh:
                for page in engine.whole_pages():
                    fresh.put(
                        record
                        for record in page
                        if ((record.payload or {}).get("source"), (record.payload or {}).get("doc_id")) not in erased
                    )
                fresh.flush()
                copied, after = fresh.count(Where()), self._count_in(fresh, keys)
        if copied != expected:
            shutil.rmtree(draft)
            raise StoreUnavailable(
                f"{self._store.location}: the copy without the erased documents has {copied} points, {expected} were "
                "due; nothing was changed. Try again; if it repeats, look at the folder's disk"
            )
        self._store.finished(draft, copy)
        self._store.repoint(collection, copy)
        shutil.rmtree(self._store.path / collection)
        return before, after

    def _standing(self) -> list[str]:
        left = self._leftovers()
        return [name for name in self._store.collections() if name not in left]

    def _leftovers(self) -> set[str]:
        """Copies that nobody reads any more, or does not yet, and drafts: what a killed erasure left."""
        groups: dict[str, list[str]] = {}
        for name in self._store.collections():
            groups.setdefault(_GENERATION.sub("", name), []).append(name)
        pointed_at = set(self._store.targets())
        left = {path.name for path in self._store.path.glob("*.new") if path.is_dir()}
        for names in groups.values():
            kept = next((name for name in names if name in pointed_at), max(names, key=_generation))
            left |= set(names) - {kept} - pointed_at
        return left

    def _count(self, collection: str, keys: Sequence[DocumentKey]) -> int:
        with self._store.opened(collection) as engine:
            return self._count_in(engine, keys)

    def _count_in(self, engine: EdgeEngine, keys: Sequence[DocumentKey]) -> int:
        return sum(engine.count(Where((Is("source", key.source), Is("doc_id", key.doc_id)))) for key in keys)


def _generation(collection: str) -> int:
    found = _GENERATION.search(collection)
    return int(found[1]) if found else 1


def _next_generation(collection: str) -> str:
    return f"{_GENERATION.sub('', collection)}-{_generation(collection) + 1}"
