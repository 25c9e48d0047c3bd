"""The comparison of source and index, over every combination of what the two sides hold."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from include.domain.errors import ListingNotProven
from include.domain.inventory import IndexedDocument, IndexInventory, ListedDocument, Listing, Proof
from include.domain.plan import Action, Change
from include.planning.diff import diff, due_by_day, findings, presence_changes, why_unproven, with_contents
from tests.builders import NOON, PIPELINE, READ_WITH

READ = {"read_with": READ_WITH}
doc_ids = st.text("abcdef", min_size=1, max_size=3)
listed = st.builds(
    ListedDocument,
    doc_id=doc_ids,
    version=st.sampled_from(["v1", "v2"]),
    unreadable=st.sampled_from(["", "", "broken"]),
)
indexed = st.builds(
    IndexedDocument,
    doc_id=doc_ids,
    version=st.sampled_from(["", "v1", "v2"]),
    content_hash=st.sampled_from(["text-1", "text-2", "text-3"]),
    pipeline=st.sampled_from([PIPELINE, "older"]),
    status=st.just("published"),
    chunks=st.just(1),
    points=st.just(1),
    fetched_at=st.just(NOON),
    flaws=st.sampled_from([(), (), ("1 of 2 chunks",)]),
    metadata=st.sampled_from([READ, READ, {"read_with": "others"}, {}]),
    drift=st.sampled_from([(), (), ("pinned",)]),
)
listings = st.lists(listed, min_size=1, max_size=12, unique_by=lambda document: document.doc_id)
inventories = st.lists(indexed, max_size=12, unique_by=lambda document: document.doc_id)


def listing_of(documents: list[ListedDocument], **proof: object) -> Listing:
    whole = Proof(end_reached=True, scope_verified=True, seen=len(documents))
    return Listing("handbook", {one.doc_id: one for one in documents}, replace(whole, **proof), NOON)


def inventory_of(documents: list[IndexedDocument]) -> IndexInventory:
    return IndexInventory("handbook", {one.doc_id: one for one in documents}, len(documents))


def by_document(changes: tuple[Change, ...] | list[Change]) -> dict[str, Action]:
    assert len({change.doc_id for change in changes}) == len(changes), "one document, two changes"
    return {change.doc_id: change.action for change in changes}


@given(listings, inventories)
def test_every_document_gets_the_change_of_the_decision_table(
    there: list[ListedDocument], here: list[IndexedDocument]
) -> None:
    listing, inventory = listing_of(there), inventory_of(here)
    plan = diff(listing, inventory, pipeline=PIPELINE, read_with=READ_WITH)
    actions = by_document(plan.changes)
    for doc_id in listing.documents.keys() | inventory.documents.keys():
        source, index = listing.documents.get(doc_id), inventory.documents.get(doc_id)
        expected: Action | None
        if source is None:
            expected = Action.DELETE
        elif source.unreadable:
            expected = None
        elif index is None or not index.version:
            expected = Action.CREATE
        elif index.version != source.version:
            expected = Action.REPLACE
        elif index.flaws:
            expected = Action.REPAIR
        elif index.pipeline != PIPELINE:
            expected = Action.REBUILD
        elif index.metadata.get("read_with") != READ_WITH:
            expected = Action.REFRESH
        else:
            expected = None
        assert actions.get(doc_id) == expected
    assert list(plan.changes) == sorted(plan.changes)
    assert (plan.indexed_documents, plan.listed_documents) == (len(here), len(there))


FUTURE = "created: front matter date {} passed over: lies in the future"


@pytest.mark.parametrize(
    ("note", "read", "due"),
    [
        (FUTURE.format("2026-02-20"), NOON - timedelta(days=20), True),
        (FUTURE.format("2026-02-20T09:00:00Z"), NOON - timedelta(days=20), True),
        (FUTURE.format("2026-02-20"), NOON - timedelta(days=1), False),  # read since: it is no more to be had
        (FUTURE.format("2026-02-28"), NOON - timedelta(days=20), False),  # somewhere it is still that day
        (FUTURE.format("2026-02-30"), NOON - timedelta(days=20), False),
        (FUTURE.format("20 February 2026"), NOON - timedelta(days=20), False),
        ("created: front matter date 2026-02-20 passed over: a placeholder", NOON - timedelta(days=20), False),
        (7, NOON - timedelta(days=20), False),
    ],
)
def test_a_document_is_read_again_when_a_date_has_come_that_lay_ahead(note: object, read: datetime, due: bool) -> None:
    metadata = {**READ, "date_notes": [note]}
    here = [IndexedDocument("a", "v1", "text", PIPELINE, "published", 1, 1, read, (), metadata)]
    plan = diff(listing_of([ListedDocument("a", "v1")]), inventory_of(here), pipeline=PIPELINE, read_with=READ_WITH)
    assert [change.action for change in plan.changes] == ([Action.REFRESH] if due else [])


@given(listings, inventories)
def test_a_plan_names_each_reason_in_words(there: list[ListedDocument], here: list[IndexedDocument]) -> None:
    assert all(
        change.reason
        for change in diff(listing_of(there), inventory_of(here), pipeline=PIPELINE, read_with=READ_WITH).changes
    )


@given(listings, inventories)
def test_what_the_source_lists_is_never_removed_and_the_looser_comparison_never_deletes(
    there: list[ListedDocument], here: list[IndexedDocument]
) -> None:
    listing, inventory = listing_of(there), inventory_of(here)
    plan = diff(listing, inventory, pipeline=PIPELINE, read_with=READ_WITH)
    assert not {change.doc_id for change in plan.removals} & listing.documents.keys()
    loose = presence_changes(listing, inventory, pipeline=PIPELINE, read_with=READ_WITH)
    assert loose == [change for change in plan.changes if change.action is not Action.DELETE]
    assert due_by_day(loose) == [change for change in loose if change.action is not Action.REFRESH]


@given(listings)
def test_an_index_that_equals_the_source_needs_no_change(there: list[ListedDocument]) -> None:
    here = [IndexedDocument(d.doc_id, d.version, "text", PIPELINE, "published", 1, 1, NOON, (), READ) for d in there]
    plan = diff(listing_of(there), inventory_of(here), pipeline=PIPELINE, read_with=READ_WITH)
    assert plan.changes == ()
    assert findings(plan, inventory_of(here)).clean


UNPROVEN: list[dict[str, object]] = [
    {"end_reached": False},
    {"scope_verified": False},
    {"declared_total": 10**6},
    {"problem": "an HTML page where JSON was due"},
]


@pytest.mark.parametrize("proof", UNPROVEN, ids=lambda proof: next(iter(proof)))
@given(there=listings, here=inventories)
def test_an_unproven_listing_never_yields_a_deletion(
    proof: dict[str, object], there: list[ListedDocument], here: list[IndexedDocument]
) -> None:
    listing = listing_of(there, **proof)
    with pytest.raises(ListingNotProven, match="handbook: listing not proven, nothing is planned"):
        diff(listing, inventory_of(here), pipeline=PIPELINE, read_with=READ_WITH)
    assert all(
        change.action is not Action.DELETE
        for change in presence_changes(listing, inventory_of(here), pipeline=PIPELINE, read_with=READ_WITH)
    )


@pytest.mark.parametrize("declared", [None, 0])
def test_an_empty_listing_is_never_proof_whatever_it_declares(declared: int | None) -> None:
    listing = listing_of([], declared_total=declared)
    assert "an empty listing proves nothing" in why_unproven(listing)
    with pytest.raises(ListingNotProven):
        diff(listing, inventory_of([]), pipeline=PIPELINE, read_with=READ_WITH)


@given(listings, inventories, st.dictionaries(doc_ids, st.sampled_from(["text-1", "text-2", "new"])))
def test_a_rename_pairs_one_deletion_with_one_creation_of_the_same_text(
    there: list[ListedDocument], here: list[IndexedDocument], contents: dict[str, str]
) -> None:
    bare = diff(listing_of(there), inventory_of(here), pipeline=PIPELINE, read_with=READ_WITH)
    plan = with_contents(bare, contents)
    changes = {change.doc_id: change for change in plan.changes}
    moved = [change for change in plan.changes if change.moved_to]
    assert len({change.moved_to for change in moved}) == len(moved)
    for change in moved:
        assert change.action is Action.DELETE
        partner = changes[change.moved_to]
        assert (partner.action, partner.moved_from) == (Action.CREATE, change.doc_id)
        assert change.content_before == partner.content_after != ""
    # As many pairs as there can be: no text is left over on both sides.
    lost = {c.content_before for c in plan.removals if not c.moved_to}
    new = {c.content_after for c in plan.of(Action.CREATE) if not c.moved_from}
    assert not lost & (new - {""})
    assert with_contents(plan, contents) == plan


@given(listings, inventories)
def test_findings_count_documents_and_a_damaged_stale_one_counts_as_both(
    there: list[ListedDocument], here: list[IndexedDocument]
) -> None:
    listing, inventory = listing_of(there), inventory_of(here)
    plan = diff(listing, inventory, pipeline=PIPELINE, read_with=READ_WITH)
    found = findings(plan, inventory)
    assert found.orphan == len(inventory.documents.keys() - listing.documents.keys())
    assert found.stale == len(plan.of(Action.REPLACE))
    assert found.missing == len(plan.of(Action.CREATE))
    assert found.outdated == len(plan.of(Action.REBUILD, Action.REFRESH))
    assert found.drifted == sum(bool(document.drift) for document in here)
    assert found.partial == sum(
        bool(inventory.documents[doc_id].flaws)
        for doc_id, source in listing.documents.items()
        if doc_id in inventory.documents and not source.unreadable
    )
    assert found.clean == (not plan.changes and not found.drifted)
