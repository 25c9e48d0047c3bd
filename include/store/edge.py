"""The embedded index: Qdrant Edge in a local folder. One folder per collection, one small file for the aliases.

    <path>/.index.lock                    who is inside (include.store.lock)
    <path>/aliases.json                   {alias: collection}
    <path>/<collection>/collection.json   who built it
    <path>/<collection>/shard/            the engine's files; the write-ahead log in it must never be removed

Every operation is written to the log as a whole, so a killed process leaves whole operations. The engine holds
Python's global lock during each call, and lets nobody else open the folder: sessions are short.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from include.domain.errors import StoreUnavailable
from include.ports import Index, IndexReader
from include.store.edge_engine import EdgeEngine
from include.store.edge_erasure import EdgeErasure
from include.store.lock import FolderLock, Use
from include.store.schema import Builder, check_alias, check_builder, check_embedder, collection_name
from include.store.session import Reading, Writing

_log = logging.getLogger(__name__)


class EdgeStore:
    """IndexStore on a local disk. `lock_timeout` is in seconds; `notify` is told once per wait who is inside."""

    def __init__(
        self, path: Path, alias: str, *, lock_timeout: float = 60.0, notify: Callable[[str], None] = _log.warning
    ) -> None:
        self._path = path.absolute()
        self._alias = check_alias(alias)
        self._lock = FolderLock(self._path, lock_timeout, notify)

    @property
    def location(self) -> str:
        return f"edge://{self._path}#{self._alias}"

    def prepare(self, embedder_id: str, dimension: int) -> None:
        check_embedder(embedder_id, dimension)
        self._path.mkdir(parents=True, exist_ok=True)
        with self._lock.held():
            collection = self._aliases().get(self._alias)
            if collection is None:
                collection = self._unaliased(embedder_id)
                if not (self._path / collection).exists():
                    self.finished(self.begun(collection, Builder(embedder_id, dimension)), collection)
            check_builder(self._builder(collection), embedder_id, dimension, self.location)
            self._point_alias(collection)

    @contextmanager
    def reading(self) -> Iterator[IndexReader]:
        with self._engine() as engine:
            session = Reading(engine)
            try:
                yield session
            finally:
                session.end()

    @contextmanager
    def writing(self) -> Iterator[Index]:
        with self._engine() as engine:
            session = Writing(engine)
            try:
                yield session
                engine.flush()
            finally:
                session.end()

    def is_wanted(self) -> bool:
        """Whether another thread or process waits for the index now. Whoever reads for long looks at it."""
        return self._lock.is_wanted()

    def problems(self) -> list[str]:
        """What is wrong with the store itself, one sentence each. Raises StoreBusy like a reader."""
        try:
            with self._engine() as engine:
                missing = engine.missing_indexes()
        except StoreUnavailable as error:
            return [str(error)]
        return [f"{self.location}: payload index {name!r} is missing; rebuild the collection" for name in missing]

    # -- for an erasure, which copies collections --

    @property
    def path(self) -> Path:
        return self._path

    def erasing(self) -> EdgeErasure:
        return EdgeErasure(self)

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Nobody else is in the folder until the block ends. A folder that is not there yet has no collections."""
        self._path.mkdir(parents=True, exist_ok=True)
        with self._lock.held():
            yield

    def collections(self) -> list[str]:
        """Whole collections of this alias, whether it leads there or not."""
        found = self._path.glob(f"{self._alias}.*/collection.json")
        return sorted(file.parent.name for file in found if file.parent.suffix != ".new")

    def targets(self) -> Collection[str]:
        """What aliases lead to."""
        return self._aliases().values()

    @contextmanager
    def opened(self, collection: str) -> Iterator[EdgeEngine]:
        engine = EdgeEngine(self._path / collection / "shard", self._builder(collection), self.location)
        try:
            yield engine
        finally:
            engine.close()

    def begun(self, collection: str, builder: Builder) -> Path:
        """An empty draft of a collection of this name; what a killed one left goes."""
        draft = self._path / f"{collection}.new"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir()
        EdgeEngine.create(draft / "shard", builder, self.location)
        _replace(draft / "collection.json", builder.as_metadata())
        return draft

    def finished(self, draft: Path, collection: str) -> None:
        """Made under another name and renamed when whole, so a folder of that name is never half a collection."""
        draft.rename(self._path / collection)
        _sync_folder(self._path)

    def repoint(self, collection: str, instead: str) -> None:
        """Every alias that leads to the one leads to the other, all at once."""
        aliases = self._aliases()
        if collection in aliases.values():
            moved = {name: instead if target == collection else target for name, target in aliases.items()}
            _replace(self._path / "aliases.json", moved)

    @contextmanager
    def _engine(self) -> Iterator[EdgeEngine]:
        if not self._path.is_dir():
            raise self._unavailable("the folder does not exist; the first ingest run creates it")
        with self._lock.held() as use:
            yield self._opened(use)

    def _opened(self, use: Use) -> EdgeEngine:
        collection = self._aliases().get(self._alias)
        if collection is None:
            raise self._unavailable("the alias points nowhere; an ingest run creates it, or restore aliases.json")
        builder = self._builder(collection)
        return use.resource(
            collection, lambda: EdgeEngine(self._path / collection / "shard", builder, self.location), EdgeEngine.close
        )

    def _unaliased(self, embedder_id: str) -> str:
        """The collection to use where the alias is unknown: a whole one that lost its alias, else a new one.

        A collection of another embedder is neither used nor passed over: that would look like an empty index.
        """
        own, others = collection_name(self._alias, embedder_id), self.collections()
        return others[0] if others and own not in others else own

    def _aliases(self) -> Mapping[str, str]:
        """A damaged file is not an empty one: an index that looks new would be filled again beside the old."""
        file = self._path / "aliases.json"
        try:
            match json.loads(file.read_text()):
                case dict() as aliases if all(isinstance(name, str) and name for name in aliases.values()):
                    return aliases
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise self._unavailable(f"{file} cannot be read ({error}); restore it from a backup") from error
        raise self._unavailable(f"{file} does not map aliases to collections; restore it from a backup")

    def _point_alias(self, collection: str) -> None:
        aliases = self._aliases()
        if aliases.get(self._alias) != collection:
            _replace(self._path / "aliases.json", {**aliases, self._alias: collection})

    def _builder(self, collection: str) -> Builder:
        file = self._path / collection / "collection.json"
        try:
            builder = Builder.from_metadata(json.loads(file.read_text()))
        except (OSError, ValueError) as error:
            raise self._unavailable(f"{file} cannot be read ({error}); restore it from a backup") from error
        if builder is None:
            raise self._unavailable(f"{file} does not say who built the collection; restore it from a backup")
        return builder

    def _unavailable(self, problem: str) -> StoreUnavailable:
        return StoreUnavailable(f"{self.location}: {problem}", location=self.location)


def _replace(file: Path, content: Mapping[str, object]) -> None:
    """Write so that a reader, and a machine that loses power, finds the old file or the new one."""
    draft = file.with_name(f"{file.name}.{os.getpid()}.new")
    with draft.open("w") as stream:
        json.dump(content, stream, indent=1, sort_keys=True)
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(file)
    _sync_folder(file.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
