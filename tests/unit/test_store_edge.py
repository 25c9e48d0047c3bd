"""The embedded store on its disk: crashes, damage, and what a scan may cost."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from include.domain.documents import DocumentKey, Status
from include.domain.errors import ConfigError, EmbedderMismatch, StoreUnavailable
from include.domain.selection import Selector
from include.ports import NewPoint
from include.store.edge import EdgeStore
from tests.builders import DIMENSION, EMBEDDER, new_points, publish

ROOT = Path(__file__).parents[2]
A = DocumentKey("helpcenter", "42")


@pytest.fixture
def store(tmp_path: Path) -> EdgeStore:
    store = EdgeStore(tmp_path / "index", "docs", lock_timeout=20)
    store.prepare(EMBEDDER, DIMENSION)
    with store.writing() as index:
        index.insert(new_points(A, ["a", "b", "c"]))
    return store


def count(store: EdgeStore) -> int:
    with store.reading() as index:
        return index.count_points()


def folder_of(store: EdgeStore) -> Path:
    return Path(store.location.removeprefix("edge://").split("#")[0])


def collection_of(store: EdgeStore) -> Path:
    return folder_of(store) / json.loads((folder_of(store) / "aliases.json").read_text())["docs"]


WRITER = """
import sys
from pathlib import Path
from include.domain.documents import DocumentKey
from include.domain.selection import Selector
from include.store.edge import EdgeStore
from tests.builders import at, ids_of, new_points, publish
store = EdgeStore(Path(sys.argv[1]), "docs")
start = int(sys.argv[2])
for n in range(start, start + 100_000):
    key = DocumentKey("helpcenter", f"doc-{n % 7}")
    points = new_points(key, [f"{n} chunk {part}" for part in range(10)], version=f"v{n}", fetched_at=at(n))
    with store.writing() as index:
        index.insert(points)
        publish(index, points)
        index.delete(Selector(key, older_than=at(n), except_ids=tuple(ids_of(points))))
    print(n, flush=True)
"""


@pytest.mark.parametrize("seed", range(3))
def test_a_writer_killed_at_any_moment_leaves_whole_operations(store: EdgeStore, seed: int) -> None:
    dice = random.Random(seed)
    acknowledged: dict[str, int] = {}  # the last version of each document that the writer reported as done
    start = 0
    for _ in range(4):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(folder_of(store)), str(start)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert writer.stdout is not None
        reported = [writer.stdout.readline() for _ in range(dice.randint(1, 12))]
        time.sleep(dice.uniform(0, 0.05))
        writer.kill()
        for line in reported + writer.communicate()[0].splitlines():
            acknowledged[f"doc-{int(line) % 7}"] = int(line)
        with store.reading() as index:
            documents = index.chunks_of([DocumentKey("helpcenter", f"doc-{n}") for n in range(7)])
        for key, chunks in documents.items():
            published = [-1]
            for version in {chunk.doc_version for chunk in chunks}:
                ours = [chunk for chunk in chunks if chunk.doc_version == version]
                # Never a part of a document, never a mixture of incoming and published chunks.
                assert sorted(chunk.chunk_index for chunk in ours) == list(range(10)), (key, version)
                assert len({chunk.status for chunk in ours}) == 1, (key, version)
                number = int(str(version)[1:])
                start = max(start, number + 1)
                if ours[0].status == Status.PUBLISHED:
                    published.append(number)
            assert max(published) >= acknowledged.get(key.doc_id, -1), key  # nothing reported as done was lost
    assert acknowledged


def test_debris_of_a_killed_merge_is_removed_at_the_next_opening(store: EdgeStore) -> None:
    debris = collection_of(store) / "shard" / "temp_segments" / "half"
    debris.mkdir(parents=True)
    (debris / "vectors").write_bytes(b"x" * 100)
    assert count(store) == 3
    assert not debris.parent.exists()


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"docs": 5}', '{"docs": ""}', "\x00" * 20])
def test_a_damaged_alias_file_is_an_error_and_never_an_empty_index(store: EdgeStore, damage: str) -> None:
    file = folder_of(store) / "aliases.json"
    whole = file.read_text()
    file.write_text(damage)
    with pytest.raises(StoreUnavailable, match=r"aliases\.json"):
        count(store)
    with pytest.raises(StoreUnavailable, match=r"aliases\.json"):
        store.prepare(EMBEDDER, DIMENSION)
    assert any("aliases.json" in problem for problem in store.problems())
    file.write_text(whole)
    assert count(store) == 3


def test_a_lost_alias_is_reported_and_prepare_finds_the_collection_again(store: EdgeStore) -> None:
    (folder_of(store) / "aliases.json").unlink()
    with pytest.raises(StoreUnavailable, match="alias points nowhere"):
        count(store)
    assert any("alias points nowhere" in problem for problem in store.problems())
    with pytest.raises(EmbedderMismatch):
        store.prepare("another-embedder", DIMENSION)
    store.prepare(EMBEDDER, DIMENSION)
    assert count(store) == 3


@pytest.mark.parametrize("lost", ["collection.json", "shard", ""])
def test_a_lost_part_of_the_collection_is_an_error_and_never_an_empty_index(store: EdgeStore, lost: str) -> None:
    part = collection_of(store) / lost
    part.rename(part.with_name("elsewhere"))
    with pytest.raises(StoreUnavailable):
        count(store)
    if lost != "shard":
        with pytest.raises(StoreUnavailable):
            store.prepare(EMBEDDER, DIMENSION)
    assert store.problems()
    part.with_name("elsewhere").rename(part)
    assert count(store) == 3


def test_half_a_creation_is_started_over(tmp_path: Path) -> None:
    store = EdgeStore(tmp_path, "docs")
    store.prepare(EMBEDDER, DIMENSION)
    collection = collection_of(store)
    (tmp_path / "aliases.json").unlink()
    collection.rename(collection.with_name(collection.name + ".new"))
    store.prepare(EMBEDDER, DIMENSION)
    assert count(store) == 0
    assert store.problems() == []
    assert not list(tmp_path.glob("*.new"))


def test_two_aliases_in_one_folder_are_two_indexes(store: EdgeStore) -> None:
    other = EdgeStore(folder_of(store), "docs-next")
    other.prepare("another-embedder", DIMENSION + 1)
    assert (count(store), count(other)) == (3, 0)
    with store.reading() as old, other.writing() as new:
        new.insert(new_points(A, ["a"], dimension=DIMENSION + 1))
        assert (old.count_points(), new.count_points()) == (3, 1)


def test_reading_a_folder_that_does_not_exist_creates_nothing(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="does not exist"):
        count(EdgeStore(tmp_path / "typo", "docs"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("alias", ["", "../docs", "a/b", "a.b", "-x", "a" * 101])
def test_an_alias_that_is_no_plain_name_is_refused(tmp_path: Path, alias: str) -> None:
    with pytest.raises(ConfigError, match="alias"):
        EdgeStore(tmp_path, alias)


def test_a_doctor_finds_nothing_in_a_sound_store_and_a_mismatch_in_another(store: EdgeStore) -> None:
    assert store.problems() == []
    with pytest.raises(EmbedderMismatch, match="another-embedder"):
        store.prepare("another-embedder", DIMENSION)


def test_a_missing_payload_index_is_found(store: EdgeStore) -> None:
    import qdrant_edge as edge

    shard = edge.EdgeShard.load(str(collection_of(store) / "shard"))
    shard.update(edge.UpdateOperation.delete_field_index("fetched_at"))
    shard.close()
    assert store.problems() == [f"{store.location}: payload index 'fetched_at' is missing; rebuild the collection"]


def test_the_engine_keeps_a_log_and_builds_no_graph(store: EdgeStore) -> None:
    settings = json.loads((collection_of(store) / "shard" / "edge_config.json").read_text())
    assert settings["optimizers"]["indexing_threshold"] == 400_000
    assert settings.get("wal_enabled", True)
    assert any((collection_of(store) / "shard" / "wal").iterdir())


def test_a_vector_survives_reading_and_writing_again_bit_for_bit(store: EdgeStore) -> None:
    points = new_points(A, [f"text {n}" for n in range(50)])
    copies = new_points(DocumentKey("handbook", "copy"), [f"text {n}" for n in range(50)])
    with store.writing() as index:
        index.insert(points)
        first = index.vectors([str(p.payload["chunk_hash"]) for p in points])
        index.insert([NewPoint(p.point_id, first[str(p.payload["chunk_hash"])], p.text, p.payload) for p in copies])
        index.delete(Selector(A))
        second = index.vectors(first)
    assert all(first[name].tobytes() == second[name].tobytes() for name in first)


@pytest.mark.slow
def test_scanning_25_000_points_costs_less_than_three_quarters_of_a_second(tmp_path: Path) -> None:
    store = EdgeStore(tmp_path, "docs")
    store.prepare(EMBEDDER, DIMENSION)
    text = "word " * 150
    with store.writing() as index:
        for n in range(250):
            index.insert(
                new_points(
                    DocumentKey("helpcenter", str(n)),
                    [f"{n} {part} {text}" for part in range(100)],
                    status=Status.PUBLISHED,
                )
            )
    costs = []
    with store.reading() as index:
        for _ in range(3):
            started = time.process_time()
            chunks = list(index.scan("helpcenter"))
            costs.append(time.process_time() - started)
    assert len(chunks) == 25_000
    assert all(chunk.text for chunk in chunks)
    print(f"CPU seconds of a scan: {costs}")
    assert min(costs) < 0.75
    assert np.isfinite(costs).all()


def test_publishing_is_one_operation_whatever_the_number_of_points(store: EdgeStore) -> None:
    points = new_points(DocumentKey("helpcenter", "big"), [f"part {n}" for n in range(1_500)])
    with store.writing() as index:
        index.insert(points)
        publish(index, points)
        assert index.count(Selector(DocumentKey("helpcenter", "big"), status=Status.PUBLISHED)) == 1_500
