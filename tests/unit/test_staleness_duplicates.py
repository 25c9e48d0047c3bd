"""Near duplicates: what lies close, what is one thing, and which of two should go."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from include.domain.documents import DocumentKey, Status
from include.staleness.duplicates import near_duplicate, why_texts_differ
from include.staleness.evidence import Evidence
from include.staleness.neighbours import Vectors, neighbours
from include.staleness.overlaps import find_overlaps
from include.staleness.subject import Subject
from tests.benchmarks import duplicates as benchmark
from tests.staleness_subjects import covering, day, shelf, subject

TEXT = "We give a full refund within thirty days when the product comes back in its box. " * 8


def unit(rows: object) -> Vectors:
    made = np.asarray(rows, dtype=np.float32)
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)


def random_rows(number: int, *, dimension: int = 16, seed: int = 1) -> Vectors:
    return unit(np.random.default_rng(seed).standard_normal((number, dimension)))


# -- vectors --


@pytest.mark.parametrize("tile", [1, 7, 64, 1000])
def test_every_pair_is_found_once_whatever_the_tile(tile: int) -> None:
    rows = random_rows(150, dimension=4)
    expected = {
        (one, other) for one in range(150) for other in range(one + 1, 150) if float(rows[one] @ rows[other]) >= 0.9
    }
    assert len(expected) > 100
    found = neighbours(rows, at_least=0.9, most=150, tile=tile)
    assert sorted(zip(found.first.tolist(), found.second.tolist(), strict=True)) == sorted(expected)
    assert not found.crowded.any()


@pytest.mark.parametrize("tile", [3, 50, 1000])
def test_a_text_that_is_everywhere_tells_nothing_apart_and_costs_no_memory(tile: int) -> None:
    rows = random_rows(300)
    rows[100:200] = rows[100]
    rows[250] = rows[251]
    found = neighbours(rows, at_least=0.97, most=20, tile=tile)
    assert found.crowded[100:200].all()
    assert found.crowded.sum() == 100
    assert list(zip(found.first.tolist(), found.second.tolist(), strict=True)) == [(250, 251)]


def test_both_sides_of_a_near_copy_are_crowded_or_neither_is() -> None:
    """One lies just inside the crowd's reach, the other has a neighbour less."""
    rows = random_rows(40)
    rows[:11] = rows[0]
    rows[20] = unit([rows[0] + 0.15 * rows[30]])[0]
    rows[21] = rows[20]
    for most in range(8, 14):
        found = neighbours(rows, at_least=0.97, most=most, tile=9)
        assert found.crowded[20] == found.crowded[21]


def test_zeros_are_nobodys_neighbours() -> None:
    found = neighbours(np.zeros((5, 8), dtype=np.float32), at_least=0.5)
    assert len(found.first) == 0
    assert not found.crowded.any()


@pytest.mark.parametrize("threshold", [0.0, -1.0, 1.5])
def test_a_threshold_that_everything_or_nothing_passes_is_refused(threshold: float) -> None:
    with pytest.raises(ValueError, match="threshold"):
        neighbours(random_rows(3), at_least=threshold)


def test_a_document_is_covered_by_the_one_that_has_all_of_it_and_not_the_other_way_round() -> None:
    rows = random_rows(30)
    part, whole = DocumentKey("shelf", "part"), DocumentKey("shelf", "whole")
    found = find_overlaps([part] * 3 + [whole] * 10, np.concatenate([rows[:3], rows[:10]]))
    assert [(each.other, each.share) for each in found[part]] == [(whole, 1.0)]
    assert whole not in found


def test_the_order_of_chunks_changes_nothing_of_what_covers_what() -> None:
    rows = random_rows(60)
    rows[30:45] = rows[:15]
    owners = [DocumentKey("shelf", f"d{row // 5}") for row in range(60)]
    expected = find_overlaps(owners, rows)
    assert len(expected) == 6
    order = np.random.default_rng(3).permutation(60)
    assert find_overlaps([owners[row] for row in order], rows[order]) == expected


def test_a_document_of_nothing_but_boilerplate_is_covered_by_nobody() -> None:
    rows = random_rows(60)
    rows[:50] = rows[0]
    owners = [DocumentKey("shelf", f"d{row:02}") for row in range(60)]
    assert find_overlaps(owners, rows) == {}


def test_no_chunks_have_no_overlaps_and_too_few_owners_are_refused() -> None:
    assert find_overlaps([], np.empty((0, 8), dtype=np.float32)) == {}
    with pytest.raises(ValueError, match="1 owners for 2 vectors"):
        find_overlaps([DocumentKey("shelf", "a")], random_rows(2))


def test_the_search_needs_memory_for_its_tiles_and_not_for_the_whole_table() -> None:
    """6,000 rows, of which 4,000 are one text: 18 million pairs, 144 MB of products."""
    rows = random_rows(6000, dimension=32)
    rows[:4000] = rows[0]
    tracemalloc.start()
    neighbours(rows, at_least=0.97)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20 * 2**20


def test_the_benchmark_finds_what_it_plants() -> None:
    measured = benchmark.measure(benchmark.shelf(6_000))
    assert measured.found == measured.planted == benchmark.PLANTED


# -- documents --


def judged(one: Subject, other: Subject, texts: tuple[str, str] = (TEXT, TEXT)) -> Evidence | None:
    """The evidence against the first of two whose chunks lie close."""
    observed = covering({one.key.doc_id: texts[0], other.key.doc_id: texts[1]})
    assert observed.overlaps is not None
    return near_duplicate(one, observed.overlaps[one.key], shelf(one, other), observed.texts)


def test_an_older_copy_is_a_duplicate_of_the_newer_and_not_the_other_way_round() -> None:
    old, new = (
        subject("policies/refunds.md", created_at=day("2024-01-01")),
        subject("policies/Copy of refunds.md", title="Refunds", created_at=day("2026-01-01")),
    )
    # the name says that the newer is the copy: two things say the opposite, so neither is suspected
    assert judged(old, new) is None
    assert judged(new, old) is None
    original = subject("policies/refunds.md", created_at=day("2024-01-01"))
    copy = subject("policies/Copy of refunds.md", title="Refunds", created_at=day("2024-01-01"))
    found = judged(copy, original)
    assert found is not None
    assert (found.strength, found.anchor) == (0.4, False)
    assert found.replacement == original.key
    assert judged(original, copy) is None


def test_the_newer_of_two_versions_is_kept() -> None:
    old = subject("refunds-2024.md", title="Refunds 2024", created_at=day("2024-01-01"))
    new = subject("refunds-2025.md", title="Refunds 2025", created_at=day("2025-01-01"))
    found = judged(old, new)
    assert found is not None
    assert found.sentence == (
        "refunds-2025.md says nearly the same (100% of its chunks), and is newer (2025-01-01, this one 2024-01-01)"
    )
    assert judged(new, old) is None


def pair(**fields: tuple[object, object]) -> tuple[Subject, Subject]:
    """Two versions of one page, the second newer, different in what is said."""
    sides = [{name: values[side] for name, values in fields.items()} for side in (0, 1)]
    ids = [str(each.pop("doc_id", f"refunds-v{side}.md")) for side, each in enumerate(sides, start=1)]
    titles = [str(each.pop("title", "Refunds")) for each in sides]
    dates = ("2024-01-01", "2025-01-01")
    one, other = (
        subject(name, title=title, created_at=day(date), **side)
        for name, title, date, side in zip(ids, titles, dates, sides, strict=True)
    )
    return one, other


@pytest.mark.parametrize(
    "two",
    [
        pytest.param(pair(lang=("de", "en")), id="two languages"),
        pytest.param(pair(content_type=("faq", "page")), id="two types"),
        pytest.param(pair(title=("Refunds for partners", "Refunds")), id="two audiences"),
        pytest.param(pair(title=("Offer for Acme", "Offer for Globex")), id="two customers by title"),
        pytest.param(
            pair(doc_id=("customers/acme/offer.md", "customers/globex/offer.md"), title=("Offer", "Offer")),
            id="two customers by folder",
        ),
        pytest.param(
            pair(doc_id=("offer-acme.md", "offer-globex.md"), title=("Offer", "Offer")), id="two customers by file"
        ),
        pytest.param(
            pair(
                doc_id=("101", "102"), title=("Offer", "Offer"), url=("https://x.org/acme/1", "https://x.org/globex/1")
            ),
            id="two customers by address",
        ),
        pytest.param(pair(doc_id=("101", "102"), title=("", ""), url=("", "")), id="nothing says what they are"),
        pytest.param(
            pair(doc_id=("annual-report-2023.md", "annual-report-2024.md"), title=("Annual report", "Annual report")),
            id="a series",
        ),
        pytest.param(pair(doc_id=("docs/v1/x.md", "docs/v2/x.md")), id="two editions"),
        pytest.param(pair(status=(Status.PUBLISHED, Status.STAGED)), id="the other is hidden"),
    ],
)
def test_what_is_for_others_is_no_duplicate_however_alike_the_texts(two: tuple[Subject, Subject]) -> None:
    assert judged(*two) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (TEXT.replace("full", "60 day"), "their numbers differ: 60"),
        (TEXT + "Dear Acme, this is for you.", "they name different things: Acme, Dear"),
        (TEXT + "the shop is open on every day and night of the year, and some more " * 30, ""),
        ("We tell another story, about soup and bread. " * 8, "0% of their words in common"),
    ],
)
def test_texts_are_compared_word_by_word(text: str, why: str) -> None:
    assert why in why_texts_differ(TEXT, text)
    assert bool(why_texts_differ(text, TEXT)) is bool(why)


def test_near_identical_offers_to_two_customers_are_apart_even_under_one_name() -> None:
    """Numbered by their system, one title, no address: only the texts tell."""
    one, other = (
        subject("101", title="Offer", url="", created_at=day("2024-01-01")),
        subject("102", title="Offer", url="", created_at=day("2025-01-01")),
    )
    assert judged(one, other, (f"Offer for Acme. {TEXT}", f"Offer for Globex. {TEXT}")) is None
    assert judged(one, other, (f"Price 4,000. {TEXT}", f"Price 5,000. {TEXT}")) is None
    assert judged(one, other) is not None


def test_texts_are_not_read_where_names_say_no_already() -> None:
    one, other = pair(lang=("de", "en"))
    observed = covering({one.key.doc_id: TEXT, other.key.doc_id: TEXT})
    assert observed.overlaps is not None

    def unread(key: DocumentKey) -> str:
        raise AssertionError(f"{key} was read")

    assert near_duplicate(one, observed.overlaps[one.key], shelf(one, other), unread) is None
