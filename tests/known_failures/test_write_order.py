"""WRITE-ORDER: crash windows. At every instant each live document has one complete readable version."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from include.domain.errors import Retriable, StoreUnavailable
from include.domain.manifest import DocumentState, RunState
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.index import FakeIndexStore
from tests.faults import Crash, CrashAt, ObservedStore
from tests.known_failures.site import filled


class MoodyEmbedder(FakeEmbedder):
    """Raises `mood`, if it has one, before it embeds a text that holds `trigger`."""

    mood: Exception | None = None
    trigger = ""

    def embed(self, texts: Sequence[str]):
        if self.mood is not None and any(self.trigger in text for text in texts):
            raise self.mood
        return super().embed(texts)


@pytest.mark.parametrize("mood", [Retriable("the embedder does not answer"), RuntimeError("CUDA"), MemoryError()])
def test_wo_01_an_embedder_that_fails_once_costs_no_document_its_readable_version(mood: Exception) -> None:
    embedder = MoodyEmbedder()
    source, site = filled(20, embedder=embedder)
    before = site.texts()
    source.put("page-003", "another text")
    embedder.mood, embedder.trigger = mood, "another"
    try:
        assert site.night().state is RunState.DEGRADED
    except Retriable:
        assert site.manifests.latest("handbook")[0].state is RunState.FAILED
    assert site.texts() == before
    embedder.mood = None
    assert site.night().state is RunState.TRUE
    assert site.texts()["page-003"] == ["another text"]


def test_wo_01_one_document_that_cannot_be_embedded_does_not_keep_the_others_back() -> None:
    embedder = MoodyEmbedder()
    source, site = filled(20, embedder=embedder)
    embedder.mood, embedder.trigger = ValueError("cannot embed this"), "poison"
    source.put("page-003", "poison")
    source.put("page-004", "good")
    manifest = site.night()
    assert {o.doc_id: o.state for o in manifest.outcomes} == {
        "page-003": DocumentState.FAILED,
        "page-004": DocumentState.REPLACED,
    }
    assert site.texts()["page-003"] == ["page 3", "about thing 3"]
    assert site.texts()["page-004"] == ["good"]


def test_wo_03_a_store_that_takes_nine_of_ten_chunks_leaves_the_previous_version_and_is_asked_again() -> None:
    store = FakeIndexStore()
    source, site = filled(20, store=store)
    losing = [True]

    def lose_one(operation: str) -> None:
        # Between the insert and the look afterwards one of the ten is lost: its failure was in a reply nobody read.
        if losing[0] and operation in ("count", "chunks_of"):
            for point_id in [i for i, p in store.points.items() if p.payload["text"] == "new line 7"]:
                del store.points[point_id]

    store.on_io = lose_one
    source.put("page-003", "\n".join(f"new line {number}" for number in range(10)))
    manifest = site.night()
    assert manifest.state is not RunState.TRUE
    assert manifest.count(DocumentState.FAILED) == 1
    assert site.texts()["page-003"][:2] == ["page 3", "about thing 3"]
    losing[0] = False
    assert site.night().state is RunState.TRUE
    assert site.texts()["page-003"] == [f"new line {number}" for number in range(10)]


def test_wo_05_killed_after_any_operation_of_the_writes_a_rerun_converges_and_no_reader_missed_a_document() -> None:
    after = 0
    while True:
        store = FakeIndexStore()
        source, site = filled(12, store=store)
        source.put("page-003", "new one\nnew two\nabout thing 3")
        source.put("page-new", "fresh")
        source.delete("page-005")
        fuse = CrashAt(after)
        site.store = ObservedStore(store, fuse)
        try:
            site.night()
            break
        except Crash:
            pass
        site.store = store
        texts = site.texts()
        assert set(texts["page-003"]) >= {"page 3", "about thing 3"} or set(texts["page-003"]) >= {"new one", "new two"}
        assert {f"page-{number:03}" for number in range(12)} - {"page-005"} <= texts.keys()
        # An operator's retry: the killed run counts with what it may have removed, so the plan may wait.
        manifest = site.night()
        if manifest.state is RunState.HELD:
            site.approve()
            manifest = site.run(released=True)
        assert manifest.state is RunState.TRUE
        assert site.texts()["page-003"] == ["new one", "new two", "about thing 3"]
        assert site.texts()["page-new"] == ["fresh"]
        assert "page-005" not in site.documents()
        assert len(site.chunks()) == 10 * 2 + 3 + 1
        after += 1
    assert after > 10


def test_wo_05_the_retry_of_a_first_fill_that_broke_off_half_way_leaves_no_second_set() -> None:
    inserted, most = [0], [99]

    def on_io(operation: str) -> None:
        if inserted[0] >= most[0]:
            raise StoreUnavailable("the connection broke after a batch was stored")
        inserted[0] += operation == "insert"

    source, site = filled(12, store=ObservedStore(FakeIndexStore(), on_io), batch_documents=4)
    for number in range(12, 24):
        source.put(f"page-{number:03}", f"page {number}\nabout thing {number}")
    for batches in (2, 1):
        inserted[0], most[0] = 0, batches
        with pytest.raises(StoreUnavailable):
            site.night()
        inserted[0], most[0] = 0, 99
        assert {len(texts) for texts in site.texts().values()} == {2}, "what is readable is whole"
    assert site.night().state is RunState.TRUE
    assert len(site.documents()) == 24
    assert len(site.chunks()) == 48
