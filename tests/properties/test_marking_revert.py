"""Taking a run back: as if the change had never been, whatever was ingested and set in between."""

from __future__ import annotations

from datetime import date
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from include.domain.documents import DocumentKey
from include.domain.metadata import Hand, Patch
from tests.builders import at, day, night
from tests.fakes.index import FakeIndexStore
from tests.fakes.records import FakeLedger
from tests.metadata_shelf import DECKS, Shelf

SOME = DECKS[:4]

words = st.text("ab/'ü", min_size=1, max_size=8)
dates = st.dates(date(1971, 1, 1), date(2025, 12, 31)).map(str)
FIELDS: dict[str, st.SearchStrategy[object]] = {
    "title": words,
    "content_type": words,
    "lang": words,
    "created_at": dates,
    "effective_date": dates,
    "expires_at": dates,
    "pinned": st.booleans(),
    "doc_family": words,
    "family_version": words,
    "is_canonical": st.booleans(),
    "is_current": st.booleans(),
    "supersedes": st.lists(st.sampled_from(DECKS[10:14]), unique=True, max_size=3),
}
replaced = st.just({"status": "superseded", "superseded_by": [DECKS[15]]})
fields = st.fixed_dictionaries({}, optional={name: st.none() | values for name, values in FIELDS.items()})
patch = st.tuples(fields, st.none() | replaced).map(lambda parts: {**parts[0], **(parts[1] or {})})
patches = st.dictionaries(st.sampled_from(SOME), patch, min_size=1)
edits = st.lists(st.tuples(st.sampled_from(SOME), words, st.booleans()), max_size=3)


def shelf() -> Shelf:
    return Shelf(FakeIndexStore())


def edit(shelf: Shelf, made: list[tuple[str, str, bool]]) -> None:
    """Another title, text or nothing but a version, by day or by night."""
    for number, (doc_id, title, by_night) in enumerate(made, start=1):
        shelf.source.put(doc_id, f"# {title}\n\nwhat we sell\n", media_type="text/markdown")
        shelf.clock.moment = at(60 * number)
        (night if by_night else day)(shelf.context, f"edit-{number}")


def stored(shelf: Shelf) -> dict[str, dict[str, Any]]:
    """Every stored point, but for the moment at which its document was read."""
    return {point_id: {**payload, "fetched_at": None} for point_id, payload in shelf.payloads().items()}


@settings(max_examples=60, deadline=None)
@given(first=patches, change=patches, made=edits)
def test_every_byte_is_as_if_the_change_had_never_been(
    first: dict[str, Patch], change: dict[str, Patch], made: list[tuple[str, str, bool]]
) -> None:
    ours, never = shelf(), shelf()
    for each in (ours, never):
        each.set(first, run_id="before")
    ours.set(change, run_id="the change")
    for each in (ours, never):
        edit(each, made)
    if ours.context.ledger.recorded("handbook", "the change"):
        ours.revert("the change")
    assert stored(ours) == stored(never)
    assert ours.context.ledger.marks("handbook") == never.context.ledger.marks("handbook")


@settings(max_examples=40, deadline=None)
@given(change=patches, later=patches, made=edits)
def test_taken_back_one_after_the_other_everything_is_the_source_s_again(
    change: dict[str, Patch], later: dict[str, Patch], made: list[tuple[str, str, bool]]
) -> None:
    ours, never = shelf(), shelf()
    ours.set(change, run_id="first")
    edit(ours, made)
    edit(never, made)
    ours.set(later, run_id="second")
    for run_id in ("second", "first"):
        if ours.context.ledger.recorded("handbook", run_id):
            ours.revert(run_id)
    assert stored(ours) == stored(never)
    ledger = ours.context.ledger
    assert isinstance(ledger, FakeLedger)
    assert not any(ledger.decisions.values())


@settings(max_examples=60, deadline=None)
@given(change=patches, made=edits)
def test_whatever_is_set_and_edited_every_chunk_says_what_the_ledger_says(
    change: dict[str, Patch], made: list[tuple[str, str, bool]]
) -> None:
    ours = shelf()
    ours.set(change)
    edit(ours, made)
    assert ours.is_true()
    decided = ours.context.ledger.decided("handbook", Hand.PERSON)
    for doc_id, said in decided.items():
        for name, value in said.items():
            expected = list(value) if isinstance(value, tuple) else value
            assert ours.says(DocumentKey("handbook", doc_id).doc_id, name) == expected
