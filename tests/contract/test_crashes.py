"""kill -9 between any two operations of a run: readers never notice, and the next run finishes the work.

A run is killed before its n-th operation, for every n. Meanwhile and afterwards a reader in another process looks at
every document; then one more run must make the index equal to the source, embedding what is missing and no more.
Between two reads nothing changes on disk: the quick test kills after some operations that write, the slow one at all.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from include.domain.documents import DocumentKey, Status, StoredChunk
from include.domain.payload import METADATA_FIELDS
from include.planning.inspection import inspect, judge_document, with_marks
from include.records.ledger import GitLedger
from tests.contract.crashing_runs import ForkServer, source_after, source_before, store_in
from tests.fakes.source import FakeSource


def texts_of(source: FakeSource) -> dict[str, str]:
    return {doc_id: page.body.decode() for doc_id, page in source.published().items()}


BEFORE, AFTER = texts_of(source_before()), texts_of(source_after())
VERSIONS = {doc_id: page.version for doc_id, page in source_after().published().items()}
KEYS = [DocumentKey("handbook", doc_id) for doc_id in sorted(BEFORE.keys() | AFTER.keys())]


class Reader:
    """Looks at every document as an assistant would: of two versions it keeps the newer. Remembers what it saw."""

    def __init__(self, folder: Path) -> None:
        self._store = store_in(folder)
        self._after: set[str] = set()
        self._gone: set[str] = set()
        self.looks = 0

    def look(self) -> None:
        with self._store.reading() as index:
            stored = index.chunks_of(KEYS)
        self.looks += 1
        shown = {key.doc_id: self._text(key.doc_id, chunks) for key, chunks in stored.items()}
        for doc_id, text in shown.items():
            if text is None:
                assert not (doc_id in BEFORE and doc_id in AFTER), f"{doc_id} lives and has no readable chunk"
                assert doc_id not in self._after, f"{doc_id} was there and is not any more"
                if doc_id in BEFORE:
                    self._gone.add(doc_id)
                continue
            assert doc_id not in self._gone, f"{doc_id} was seen gone and is back"
            assert text in (BEFORE.get(doc_id), AFTER.get(doc_id)), f"{doc_id} shows a mix of versions: {text!r}"
            if text != BEFORE.get(doc_id):
                self._after.add(doc_id)
            assert doc_id not in self._after or text == AFTER[doc_id], f"{doc_id} fell back to its older version"
        assert shown["moves"] or shown["moved"], "a renamed document is under neither name"

    @staticmethod
    def _text(doc_id: str, chunks: list[StoredChunk]) -> str | None:
        readable = [chunk for chunk in chunks if chunk.status != Status.INCOMING]
        if not readable:
            return None
        newest = max(chunk.fetched_at for chunk in readable if chunk.fetched_at)
        version = [chunk for chunk in readable if chunk.fetched_at == newest]
        judged = judge_document(doc_id, version)
        assert not judged.flaws, f"{doc_id} is not whole: {judged.flaws}"
        return "\n".join(str(chunk.text) for chunk in sorted(version, key=lambda chunk: chunk.chunk_index or 0))


def assert_equals_source(folder: Path) -> None:
    """Every document of the source is stored whole, once, in its version; nothing else is stored at all."""
    with store_in(folder).reading() as index:
        stored = index.chunks_of(KEYS)
        total = index.count_points()
    assert total == sum(len(text.splitlines()) for text in AFTER.values())
    for key, chunks in stored.items():
        if key.doc_id not in AFTER:
            assert not chunks
            continue
        judged = judge_document(key.doc_id, chunks)
        assert (judged.flaws, judged.version) == ((), VERSIONS[key.doc_id])
        text = "\n".join(str(chunk.text) for chunk in sorted(chunks, key=lambda chunk: chunk.chunk_index or 0))
        assert text == AFTER[key.doc_id]


def missing_texts(folder: Path) -> list[str]:
    """The chunks of the source whose vector the index does not hold."""
    wanted = {line for text in AFTER.values() for line in text.splitlines()}
    hashes = {hashlib.sha256(line.encode()).hexdigest(): line for line in wanted}
    with store_in(folder).reading() as index:
        return sorted(line for chunk_hash, line in hashes.items() if chunk_hash not in index.vectors(hashes))


@pytest.fixture(scope="module")
def runs() -> Iterator[ForkServer]:
    with ForkServer() as server:
        yield server


@pytest.fixture(scope="module")
def filled(runs: ForkServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index that equals the source as it was before the changes."""
    folder = tmp_path_factory.mktemp("filled") / "0"
    folder.mkdir()
    filled = runs.run(folder, "night", source="before")
    assert filled
    assert filled["state"] == "true", filled
    return folder


@pytest.fixture
def copies(filled: Path, tmp_path: Path) -> Iterator[Path]:
    """A new copy of the filled index each time; only one exists at a time."""

    def copy() -> Iterator[Path]:
        while True:
            folder = tmp_path / "copy"
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(filled, folder, copy_function=copy_sparse)
            yield folder

    return copy()


def copy_sparse(source: str, target: str) -> None:
    """The engine's files are 250 MB of holes and 1 MB of data: only the data is copied."""
    with open(source, "rb") as reading, open(target, "wb") as writing:  # noqa: PTH123 (called by shutil with text)
        size = os.fstat(reading.fileno()).st_size
        os.ftruncate(writing.fileno(), size)
        place = 0
        while place < size:
            try:
                start = os.lseek(reading.fileno(), place, os.SEEK_DATA)
            except OSError:  # nothing but a hole up to the end
                break
            place = os.lseek(reading.fileno(), start, os.SEEK_HOLE)
            os.pwrite(writing.fileno(), os.pread(reading.fileno(), place - start, start), start)


def kill_and_rerun(runs: ForkServer, folder: Path, kind: str, kill_before: int) -> int:
    """Looks that the reader had."""
    reader = Reader(folder)
    assert runs.run(folder, kind, kill_before=kill_before, meanwhile=reader.look) is None
    reader.look()
    missing = missing_texts(folder)
    rerun = runs.run(folder, "night", meanwhile=reader.look)
    assert rerun
    assert rerun["state"] == "true", rerun
    assert rerun["embedded"] == missing
    reader.look()
    assert_equals_source(folder)
    return reader.looks


def operations_of(runs: ForkServer, folder: Path, kind: str) -> list[str]:
    done = runs.run(folder, kind)
    assert done
    assert done["state"] == {"night": "true", "day": "ingested"}[kind], done
    return list(done["operations"])


CHANGES_DISK = {"insert", "overwrite", "set_payload", "delete", "save", "put", "hold", "clear_held"}


@pytest.mark.parametrize("kind", ["night", "day"])
def test_killed_after_an_operation_that_writes_a_run_harms_no_reader_and_the_next_one_finishes(
    kind: str, runs: ForkServer, copies: Iterator[Path]
) -> None:
    operations = operations_of(runs, next(copies), kind)
    points = [number + 2 for number, operation in enumerate(operations[:-1]) if operation in CHANGES_DISK]
    looks = sum(kill_and_rerun(runs, next(copies), kind, point) for point in points[:: 3 if kind == "night" else 5])
    assert looks > len(points)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["night", "day"])
def test_killed_before_any_operation_a_run_harms_no_reader_and_the_next_one_finishes(
    kind: str, runs: ForkServer, copies: Iterator[Path]
) -> None:
    operations = operations_of(runs, next(copies), kind)
    for point in range(1, len(operations) + 1):
        kill_and_rerun(runs, next(copies), kind, point)


def test_killed_again_and_again_the_work_still_comes_to_an_end(runs: ForkServer, copies: Iterator[Path]) -> None:
    folder = next(copies)
    reader = Reader(folder)
    for kill_before in (60, 50, 45, 40, 35):
        runs.run(folder, "night", kill_before=kill_before, meanwhile=reader.look)
    last = runs.run(folder, "night", meanwhile=reader.look)
    assert last
    assert last["state"] == "true"
    assert_equals_source(folder)


def test_a_second_run_writes_nothing_and_embeds_nothing(runs: ForkServer, copies: Iterator[Path]) -> None:
    folder = next(copies)
    runs.run(folder, "night")
    for kind, state in (("night", "true"), ("day", "ingested")):
        again = runs.run(folder, kind)
        assert again
        assert (again["writes"], again["embedded"], again["state"]) == (0, [], state)


class MetadataReader:
    """Looks whether the chunks of any document disagree."""

    def __init__(self, folder: Path) -> None:
        self._store = store_in(folder)
        self.looks = 0

    def look(self) -> None:
        with self._store.reading() as index:
            stored = index.chunks_of(KEYS)
        self.looks += 1
        for key, chunks in stored.items():
            said = {repr([chunk.status, [chunk.metadata.get(name) for name in METADATA_FIELDS]]) for chunk in chunks}
            assert len(said) <= 1, f"chunks of {key} disagree: {said}"


PAGES = {f"page-{number:02}" for number in range(10)}


def assert_marked_as_the_ledger_says(folder: Path) -> None:
    """The ten pages say what was set, as the ledger does, and nothing else does; every document is whole."""
    ledger = GitLedger(folder / "ledger")
    assert set(ledger.marks("handbook")) == PAGES
    with store_in(folder).reading() as index:
        inventory = with_marks(inspect("handbook", index.scan("handbook")), ledger.marks("handbook"))
    assert len(inventory.documents) == len(BEFORE)
    for doc_id, document in inventory.documents.items():
        assert not document.flaws, f"{doc_id}: {document.flaws}"
        assert not document.drift, f"{doc_id}: {document.drift}"
        assert (document.metadata["title"] == "A page") == (doc_id in PAGES)


def kill_while_setting(runs: ForkServer, folder: Path, kill_before: int, *, then: str) -> int:
    """Looks that the reader had."""
    reader = MetadataReader(folder)
    assert runs.run(folder, "set", source="before", kill_before=kill_before, meanwhile=reader.look) is None
    reader.look()
    rerun = runs.run(folder, then, source="before", meanwhile=reader.look)
    assert rerun
    assert (rerun["state"], rerun["embedded"]) == ("true", []), rerun
    if then == "night" and not GitLedger(folder / "ledger").marks("handbook"):
        return reader.looks  # killed before the ledger: nothing was ever said
    reader.look()
    assert_marked_as_the_ledger_says(folder)
    return reader.looks


def operations_of_setting(runs: ForkServer, folder: Path) -> list[str]:
    done = runs.run(folder, "set", source="before")
    assert done
    assert (done["state"], done["embedded"], done["operations"].count("set_payload")) == ("true", [], len(PAGES))
    assert_marked_as_the_ledger_says(folder)
    return list(done["operations"])


SETTING_CHANGES_DISK = {"set_payload", "save", "write", "commit", "record"}


@pytest.mark.parametrize("then", ["set", "night"])
def test_killed_while_it_sets_metadata_a_run_leaves_no_chunks_that_disagree_and_the_next_one_finishes(
    then: str, runs: ForkServer, copies: Iterator[Path]
) -> None:
    operations = operations_of_setting(runs, next(copies))
    points = [number + 2 for number, each in enumerate(operations[:-1]) if each in SETTING_CHANGES_DISK]
    step = 3 if then == "set" else 7
    looks = sum(kill_while_setting(runs, next(copies), point, then=then) for point in points[::step])
    assert looks > len(points)


@pytest.mark.slow
@pytest.mark.parametrize("then", ["set", "night"])
def test_killed_before_any_operation_of_setting_metadata_the_next_run_finishes(
    then: str, runs: ForkServer, copies: Iterator[Path]
) -> None:
    operations = operations_of_setting(runs, next(copies))
    for point in range(1, len(operations) + 1):
        kill_while_setting(runs, next(copies), point, then=then)
