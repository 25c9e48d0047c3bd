"""What the scan of the stored points says of a document, and how damage of every kind is found and mended."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from include.domain.documents import DocumentKey, Marks, Status, StoredChunk
from include.domain.manifest import DocumentState, Findings, RunState
from include.domain.payload import marked
from include.planning.inspection import inspect, judge_document, with_marks
from include.services.context import SourceContext
from tests.builders import NOON, at, context_of, new_points, night, stored
from tests.fakes.index import FakeIndexStore, FakePoint
from tests.fakes.source import FakeSource

KEY = DocumentKey("handbook", "guide")


def whole(texts: tuple[str, ...] = ("a", "b", "c"), **fields: object) -> list[StoredChunk]:
    return stored(new_points(KEY, texts, status=Status.PUBLISHED), **fields)


@given(st.permutations(whole()))
def test_a_whole_document_has_no_flaw_in_whatever_order_its_points_come(chunks: list[StoredChunk]) -> None:
    judged = judge_document("guide", chunks)
    assert judged.flaws == ()
    assert (judged.version, judged.status, judged.chunks, judged.points) == ("v1", "published", 3, 3)
    assert judged.fetched_at == NOON


@pytest.mark.parametrize("lost", [{0}, {1}, {2}, {0, 1}, {1, 2}])
def test_lost_chunks_are_counted(lost: set[int]) -> None:
    left = [chunk for chunk in whole() if chunk.chunk_index not in lost]
    assert f"{3 - len(lost)} of 3 chunks" in judge_document("guide", left).flaws


def test_trailing_chunks_of_a_longer_version_are_found() -> None:
    longer = stored(new_points(KEY, ["a", "b", "c", "d"], status=Status.PUBLISHED, version="v0", fetched_at=at(-1)))
    judged = judge_document("guide", [*whole(), longer[3]])
    assert judged.version == "v1"
    assert judged.flaws == ("1 points of another version are still readable",)


def test_of_two_whole_versions_the_later_read_is_the_documents() -> None:
    newer = stored(new_points(KEY, ["x", "y"], status=Status.PUBLISHED, version="v2", fetched_at=at(1)))
    judged = judge_document("guide", [*whole(), *newer])
    assert (judged.version, judged.chunks) == ("v2", 2)
    assert judged.flaws


def test_incoming_points_alone_are_no_readable_version() -> None:
    judged = judge_document("guide", whole(status="incoming"))
    assert (judged.version, judged.chunks, judged.points) == ("", 0, 3)
    assert judged.flaws[0] == "no readable version"


def test_incoming_points_beside_a_whole_version_are_debris() -> None:
    debris = stored(new_points(KEY, ["x"], version="v2", fetched_at=at(1)))
    judged = judge_document("guide", [*whole(), *debris])
    assert judged.version == "v1"
    assert judged.flaws == ("1 incoming points: debris of an unfinished write",)


FIELDS = {
    "source": "another",
    "content_hash": "0" * 64,
    "chunk_hash": "0" * 64,
    "pipeline": "another",
    "chunk_index": 7,
    "chunk_count": 9,
    "doc_version": "v9",
    "fetched_at": "2026-03-01T11:00:00.000000Z",
    "text": "altered",
}


@pytest.mark.parametrize("wrong", ["value", "missing", "type"])
@pytest.mark.parametrize("name", FIELDS)
def test_any_altered_field_of_one_point_is_a_flaw(name: str, wrong: str) -> None:
    value = {"value": FIELDS[name], "missing": None, "type": [1]}[wrong]
    points = new_points(KEY, ["a", "b", "c"], status=Status.PUBLISHED)
    damaged = stored(points[:1], **{name: value}) + stored(points[1:])
    assert judge_document("guide", damaged).flaws


@pytest.mark.parametrize("status", ["archived", "nonsense", None, 5])
def test_a_status_that_siblings_do_not_share_is_a_flaw(status: object) -> None:
    points = new_points(KEY, ["a", "b"], status=Status.PUBLISHED)
    assert judge_document("guide", stored(points[:1], status=status) + stored(points[1:])).flaws


def test_a_status_that_nobody_decided_on_is_drift_and_a_decided_one_is_none() -> None:
    inventory = inspect("handbook", whole(status="archived"))
    assert inventory.documents["guide"].flaws == ()
    hidden = with_marks(inventory, {})
    assert (hidden.documents["guide"].flaws, hidden.documents["guide"].drift) == ((), ("status",))
    assert with_marks(inventory, {"guide": Marks(status=Status.ARCHIVED)}) == inventory


ALTERED = {
    "pinned": 1,
    "is_current": False,
    "supersedes": None,
    "doc_family": "guides",
    "overridden": '{"title": "Title of guide"}',
}


@pytest.mark.parametrize("name", ALTERED)
def test_a_mark_that_nobody_decided_on_is_drift_as_it_is_for_one_chunk_alone(name: str) -> None:
    inventory = inspect("handbook", whole(**{name: ALTERED[name]}))
    assert inventory.documents["guide"].flaws == ()
    assert with_marks(inventory, {}).documents["guide"].drift == (name,)
    one, others = whole()[:1], whole(**{name: ALTERED[name]})[1:]
    judged = judge_document("guide", [*one, *others])
    assert (judged.flaws, judged.drift) == ((f"siblings disagree about {name}",), (name,))


def test_a_mark_of_the_ledger_is_drift_until_every_chunk_says_it() -> None:
    marks = Marks(pinned=True, doc_family="guides", metadata={"title": "The guide"})
    before = with_marks(inspect("handbook", whole()), {"guide": marks}).documents["guide"]
    assert before.drift == ("doc_family", "overridden", "pinned", "title")
    after = inspect("handbook", whole(**marked(before.metadata, marks)))
    assert with_marks(after, {"guide": marks}) == after
    taken_back = with_marks(after, {}).documents["guide"]
    assert (taken_back.flaws, taken_back.drift) == ((), before.drift)


@pytest.mark.parametrize(("name", "value"), [("title", "another"), ("lang", None), ("stated_aliases", ["deck"])])
def test_what_the_source_never_said_is_a_flaw_whether_one_chunk_says_it_or_all(name: str, value: object) -> None:
    judged = judge_document("guide", whole(**{name: value}))
    assert judged.flaws == ("its metadata is not what was read: it does not fit its digest",)
    one = judge_document("guide", [*whole()[:1], *whole(**{name: value})[1:]])
    assert (one.flaws, one.drift) == ((f"siblings disagree about {name}",), ())


def test_points_of_a_release_without_digests_are_whole() -> None:
    assert judge_document("guide", whole(metadata_hash=None, read_with=None)).flaws == ()
    assert judge_document("guide", whole(metadata_hash=None)).flaws, "its digest was taken away"


def test_points_without_a_document_are_counted_as_foreign_and_belong_to_nobody() -> None:
    inventory = inspect("handbook", [*whole(), *stored(new_points(KEY, ["z"]), doc_id=None)], foreign_points=2)
    assert inventory.foreign_points == 3
    assert inventory.points == 4
    assert set(inventory.documents) == {"guide"}


# -- damage behind our back, found, counted and repaired by whole nights --

PAGES = 30


@pytest.fixture
def source() -> FakeSource:
    return FakeSource().put_pages(PAGES, ending="\nthe end of {}")


@pytest.fixture
def context(source: FakeSource) -> SourceContext:
    context = context_of(source, configured_sources=("handbook", "helpcenter"))
    assert night(context, "fill").state is RunState.TRUE
    return context


def points_of(context: SourceContext, doc_id: str) -> list[FakePoint]:
    points = everything(context).values()
    found = [point for point in points if point.payload.get("doc_id") == doc_id]
    return sorted(found, key=lambda point: int(str(point.payload["chunk_index"])))


def everything(context: SourceContext) -> dict[str, FakePoint]:
    assert isinstance(context.store, FakeIndexStore)
    return context.store.points


def exact(context: SourceContext, source: FakeSource) -> bool:
    """Does the index hold every line of every page once, readable, and nothing else?"""
    rows = sorted(
        (str(p.payload["source"]), str(p.payload["doc_id"]), str(p.payload["doc_version"]), str(p.payload["text"]))
        for p in everything(context).values()
        if p.payload["status"] == "published"
    )
    wanted = sorted(
        ("handbook", doc_id, page.version, line)
        for doc_id, page in source.published().items()
        for line in page.body.decode().splitlines()
    )
    return rows == wanted and len(everything(context)) == len(wanted)


def payloads(context: SourceContext) -> dict[str, dict[str, object]]:
    """Everything stored, by point; the fences aside, of which a document must have exactly one."""
    for doc_id in {str(point.payload.get("doc_id")) for point in everything(context).values()}:
        assert len({point.payload.get("fetched_at") for point in points_of(context, doc_id)}) == 1, doc_id
    return {
        point_id: {name: value for name, value in point.payload.items() if name != "fetched_at"}
        for point_id, point in everything(context).items()
    }


def damage_field(name: str, value: object) -> Callable[[SourceContext], None]:
    def damage(context: SourceContext) -> None:
        points_of(context, "page-03")[1].payload[name] = value

    return damage


def damage_all(name: str, value: object) -> Callable[[SourceContext], None]:
    def damage(context: SourceContext) -> None:
        for point in points_of(context, "page-03"):
            point.payload[name] = value

    return damage


def remove_field(name: str, *, whole: bool) -> Callable[[SourceContext], None]:
    def damage(context: SourceContext) -> None:
        for point in points_of(context, "page-03")[: None if whole else 1]:
            del point.payload[name]

    return damage


def lose_points(count: int) -> Callable[[SourceContext], None]:
    def damage(context: SourceContext) -> None:
        points = everything(context)
        for point_id in [pid for pid, p in points.items() if p.payload["doc_id"] == "page-03"][:count]:
            del points[point_id]

    return damage


def add_ghost(doc_id: str, **fields: object) -> Callable[[SourceContext], None]:
    def damage(context: SourceContext) -> None:
        key = DocumentKey("handbook", doc_id)
        dimension = context.store.dimension
        for point in new_points(key, ["I was never published"], status=Status.PUBLISHED, dimension=dimension):
            everything(context)[point.point_id] = FakePoint({**point.payload, **fields}, point.vector)

    return damage


PARTIAL, MISSING, STALE, ORPHAN = Findings(partial=1), Findings(missing=1), Findings(stale=1), Findings(orphan=1)
DRIFTED, OUTDATED = Findings(drifted=1), Findings(outdated=1)

DAMAGE: dict[str, tuple[Callable[[SourceContext], None], Findings]] = {
    "one point deleted": (lose_points(1), PARTIAL),
    "all points of a document deleted": (lose_points(3), MISSING),
    "a text altered": (damage_field("text", "call this number to pay"), PARTIAL),
    "a chunk hash altered": (damage_field("chunk_hash", "0" * 64), PARTIAL),
    "a content hash altered": (damage_field("content_hash", "0" * 64), PARTIAL),
    "a place altered": (damage_field("chunk_index", 0), PARTIAL),
    "a count altered": (damage_field("chunk_count", 2), PARTIAL),
    "every count altered": (damage_all("chunk_count", 2), PARTIAL),
    "a version altered": (damage_field("doc_version", "v7"), PARTIAL),
    "every version altered": (damage_all("doc_version", "v7"), STALE),
    "a pipeline altered": (damage_field("pipeline", "other"), PARTIAL),
    "every pipeline altered": (damage_all("pipeline", "other"), PARTIAL),
    "a fence altered": (damage_field("fetched_at", "2026-01-01T00:00:00.000000Z"), PARTIAL),
    "a fence from the future": (damage_field("fetched_at", "2035-01-01T00:00:00.000000Z"), PARTIAL),
    "a fence that is no date": (damage_field("fetched_at", "yesterday"), PARTIAL),
    "a fence removed": (remove_field("fetched_at", whole=False), PARTIAL),
    "every fence removed": (remove_field("fetched_at", whole=True), PARTIAL),
    "a status altered": (damage_field("status", "archived"), Findings(partial=1, drifted=1)),
    "a status made up": (damage_field("status", "nonsense"), Findings(partial=1, drifted=1)),
    "every status altered": (damage_all("status", "archived"), DRIFTED),
    "every status made up": (damage_all("status", "nonsense"), DRIFTED),
    "a title altered": (damage_field("title", "Pay here"), PARTIAL),
    "every title altered": (damage_all("title", "Pay here"), PARTIAL),
    "an address taken away": (remove_field("url", whole=False), PARTIAL),
    "every date made up": (damage_all("created_at", "2026-02-28T00:00:00.000000Z"), PARTIAL),
    "a pin set": (damage_field("pinned", True), Findings(partial=1, drifted=1)),
    "every pin set": (damage_all("pinned", True), DRIFTED),
    "every pin set to another truth": (damage_all("pinned", 0), DRIFTED),
    "every mark taken away": (remove_field("is_current", whole=True), DRIFTED),
    "an override made up": (damage_all("overridden", '{"title": "Pay here"}'), Findings(partial=1, drifted=1)),
    "an override that is none": (damage_all("overridden", "{"), DRIFTED),
    "every digest altered": (damage_all("metadata_hash", "0" * 16), PARTIAL),
    "every digest taken away": (remove_field("metadata_hash", whole=True), PARTIAL),
    "every name of settings altered": (damage_all("read_with", "others"), OUTDATED),
    "every name of settings taken away": (remove_field("read_with", whole=True), OUTDATED),
    "one chunk made invisible": (damage_field("status", "incoming"), PARTIAL),
    "every chunk made invisible": (damage_all("status", "incoming"), Findings(missing=1, partial=1)),
    "a point given to another document": (damage_field("doc_id", "page-04"), Findings(partial=2)),
    "a point given to an unknown document": (damage_field("doc_id", "ghost"), Findings(partial=1, orphan=1)),
    "a point given to another source": (damage_field("source", "helpcenter"), PARTIAL),
    "a point given to no document": (damage_field("doc_id", None), PARTIAL),
    "every point given to an unknown document": (damage_all("doc_id", "ghost"), Findings(missing=1, orphan=1)),
    "a ghost document": (add_ghost("ghost"), ORPHAN),
    "a ghost point in a document": (add_ghost("page-03"), PARTIAL),
    "a ghost of the future": (add_ghost("page-03", fetched_at="2035-01-01T00:00:00.000000Z"), PARTIAL),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_found_counted_and_repaired_within_two_nights(
    name: str, source: FakeSource, context: SourceContext
) -> None:
    damage, found = DAMAGE[name]
    pristine = payloads(context)
    damage(context)
    first = night(context, "night-1")
    assert first.found == found, first.reason
    if first.state is not RunState.TRUE:
        night(context, "night-2")
    assert payloads(context) == pristine
    last = night(context, "night-3")
    assert (last.state, last.outcomes) == (RunState.TRUE, ())


def test_an_emptied_collection_is_filled_again_in_one_night(source: FakeSource, context: SourceContext) -> None:
    everything(context).clear()
    manifest = night(context, "night-1")
    assert manifest.found == Findings(missing=PAGES)
    assert manifest.state is RunState.TRUE
    assert manifest.count(DocumentState.CREATED) == PAGES
    assert exact(context, source)


def test_damage_costs_no_embedding_where_the_vectors_are_still_there(
    source: FakeSource, context: SourceContext
) -> None:
    for point in points_of(context, "page-03"):
        point.payload["status"] = "archived"
    manifest = night(context, "night-1")
    assert sum(outcome.embedded for outcome in manifest.outcomes) == 0


def test_points_of_no_configured_source_are_counted_and_never_touched(
    source: FakeSource, context: SourceContext
) -> None:
    for point in new_points(DocumentKey("elsewhere", "x"), ["not ours"], dimension=context.store.dimension):
        everything(context)[point.point_id] = FakePoint(dict(point.payload), point.vector)
    before = len(everything(context))
    manifest = night(context, "night-1")
    assert (manifest.foreign_points, manifest.state) == (1, RunState.TRUE)
    assert len(everything(context)) == before


@pytest.mark.parametrize("fence", [at(600_000), datetime.max.replace(tzinfo=NOON.tzinfo)])
def test_a_fence_of_a_wrong_clock_blocks_neither_updates_nor_removals(
    fence: datetime, source: FakeSource, context: SourceContext
) -> None:
    spelled = fence.isoformat(timespec="microseconds").replace("+00:00", "Z")
    for doc_id in ("page-03", "page-04"):
        for point in points_of(context, doc_id):
            point.payload["fetched_at"] = spelled
    source.put("page-03", "page 3\nedited")
    source.delete("page-04")
    assert night(context, "night-1").state is RunState.TRUE
    assert exact(context, source)
    source.put("page-03", "page 3\nedited again")
    source.put("page-04", "back again")
    assert night(context, "night-2").state is RunState.TRUE
    assert exact(context, source)


def test_marks_of_the_ledger_survive_every_kind_of_write_and_all_siblings_carry_them(source: FakeSource) -> None:
    context = context_of(source)
    marks = Marks(status=Status.SUPERSEDED, pinned=True, doc_family="guides", is_current=False, superseded_by=("b",))
    context.ledger.marked["handbook"] = {"page-03": marks}
    night(context, "fill")
    for number, change in enumerate(
        (
            lambda: source.put("page-03", "page 3\nedited"),
            lambda: source.touch("page-03"),
            lambda: lose_points(1)(context),
        )
    ):
        change()
        assert night(context, f"night-{number}").state is RunState.TRUE
        carried = [
            (p.payload["status"], p.payload["pinned"], p.payload["doc_family"], p.payload["superseded_by"])
            for p in points_of(context, "page-03")
        ]
        assert carried
        assert set(map(repr, carried)) == {repr(("superseded", True, "guides", ["b"]))}
