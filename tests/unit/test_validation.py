"""The Great Expectations suites: what a listing and the index must look like."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from include.domain.documents import Status
from include.domain.inventory import IndexedDocument, IndexInventory, ListedDocument, Listing, Proof
from include.domain.manifest import RunState
from include.validation.suites import index_problems, listing_problems
from tests.builders import NOON, context_of, night
from tests.fakes.source import FakeSource


def listing_of(documents: Iterable[tuple[str, str]], problem: str = "") -> Listing:
    listed = {str(number): ListedDocument(*document) for number, document in enumerate(documents)}
    return Listing("handbook", listed, Proof(True, True, len(listed), problem=problem), NOON)


def inventory_of(*documents: tuple[str, str, int]) -> IndexInventory:
    return IndexInventory(
        "handbook",
        {
            str(number): IndexedDocument(doc_id, "v1", "h", "p", status, points, points, NOON)
            for number, (doc_id, status, points) in enumerate(documents)
        },
    )


def test_a_good_listing_has_no_problem() -> None:
    assert listing_problems(listing_of([("a", "v1"), ("b", "v1"), ("docs/ö ü.md", "sha1:abc")])) == []


@pytest.mark.parametrize(
    ("documents", "named"),
    [
        ([("a", "v1"), ("a", "v2")], "unique"),
        ([("a", "v1"), (" ", "v1")], "regex"),
        ([("a", "v1"), ("", "v1")], "regex"),
        ([("a", "v1"), ("b", "")], "null"),
    ],
    ids=["id twice", "blank id", "empty id", "no version"],
)
def test_a_listing_with_a_mistake_is_named_with_its_expectation(documents: list[tuple[str, str]], named: str) -> None:
    (problem,) = listing_problems(listing_of(documents))
    assert problem.startswith("listing: ")
    assert named in problem.lower()


def test_an_empty_listing_is_a_problem_in_the_words_of_its_proof() -> None:
    assert listing_problems(listing_of([], problem="the folder is not mounted")) == ["the folder is not mounted"]
    assert listing_problems(listing_of([])) != []


def test_a_good_index_has_no_problem_and_neither_has_an_empty_one() -> None:
    assert index_problems(inventory_of(*((f"d{n}", status.value, 3) for n, status in enumerate(Status)))) == []
    assert index_problems(inventory_of()) == []


@pytest.mark.parametrize(
    ("documents", "named"),
    [
        ([("a", "published", 1), ("a", "published", 1)], "unique"),
        ([("a", "nonsense", 1)], "nonsense"),
        ([("a", "published", 0)], "between"),
    ],
    ids=["id twice", "unknown status", "no points"],
)
def test_an_index_with_a_mistake_is_named_with_its_expectation(
    documents: list[tuple[str, str, int]], named: str
) -> None:
    (problem,) = index_problems(inventory_of(*documents))
    assert problem.startswith("index: ")
    assert named in problem.lower()


def test_many_wrong_values_are_counted_and_only_some_are_shown() -> None:
    (problem,) = index_problems(inventory_of(*((f"d{number}", f"odd-{number}", 1) for number in range(300))))
    assert "300 values" in problem
    assert len(problem) < 600


def test_a_night_with_the_real_suites_is_true() -> None:
    source = FakeSource()
    for number in range(12):
        source.put(f"page-{number:02}", f"page {number}")
    context = context_of(source, listing_problems=listing_problems, index_problems=index_problems)
    assert night(context, "fill").state is RunState.TRUE
    source.delete("page-03")
    assert night(context, "night").state is RunState.TRUE
    source.pages[" "] = source.pages.pop("page-04")
    manifest = night(context, "blank id")
    assert manifest.state is RunState.UNPROVEN
    assert "doc_id" in manifest.reason
