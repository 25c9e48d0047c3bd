"""Documents as the resolver marks them, and what the detector makes of its marks."""

from __future__ import annotations

from datetime import datetime

from include.domain.dates import EvidencedDate, Precision, Trust
from include.domain.documents import DocumentKey
from include.families.members import Member
from include.staleness.ageing import Ageing
from include.staleness.detection import Detection, Observed, detect
from include.staleness.links import read_links
from tests.evaluation.stale_material import resolved
from tests.staleness_subjects import NOW, SOURCE, proposals


def member(doc_id: str, title: str, created: str) -> Member:
    date = EvidencedDate(datetime.fromisoformat(f"{created}T00:00+00:00"), Precision.DAY, "cms", Trust.HIGH)
    return Member(DocumentKey(SOURCE, doc_id), title=title, url="", created_at=date)


def detected(*members: Member, links: dict[str, list[str]] | None = None) -> Detection:
    subjects = resolved(members, NOW)
    observed = Observed(links=read_links(subjects, links or {}, declared=False))
    return detect(SOURCE, subjects, observed, Ageing(), now=NOW)


MARCH = member("decks/sales-deck-march-2026.pdf", "Sales deck, March 2026", "2026-03-02")
APRIL = member("decks/sales-deck-april-2026.pdf", "Sales deck, April 2026", "2026-04-01")
JUNE = member("decks/sales-deck-june-2026.pdf", "Sales deck, June 2026", "2026-06-01")
INDEX = member("index.md", "All decks", "2026-01-01")


def test_of_three_decks_the_two_older_are_staged_with_the_newest_named() -> None:
    """A page that lists all of them knows of the newest too."""
    everything = [each.key.doc_id for each in (MARCH, APRIL, JUNE)]
    detection = detected(JUNE, MARCH, APRIL, INDEX, links={"index.md": everything})
    assert proposals(detection) == {MARCH.key.doc_id: "stage", APRIL.key.doc_id: "stage"}
    assert {each.replacement for each in detection.candidates} == {JUNE.key}
    assert all(JUNE.key.doc_id in each.evidence[0].sentence for each in detection.candidates)


def test_a_deck_that_a_page_still_sends_readers_to_is_for_a_person() -> None:
    detection = detected(JUNE, MARCH, INDEX, links={"index.md": [MARCH.key.doc_id]})
    assert proposals(detection) == {MARCH.key.doc_id: "review"}


def test_near_identical_offers_to_two_customers_are_left_alone() -> None:
    offers = [
        member("customers/acme/offer-2025.md", "Offer 2025", "2025-01-01"),
        member("customers/globex/offer-2026.md", "Offer 2026", "2026-01-01"),
        member("offers/offer-acme.md", "Offer for Acme", "2025-01-01"),
        member("offers/offer-globex.md", "Offer for Globex", "2026-01-01"),
    ]
    assert detected(*offers).candidates == ()


def test_annual_reports_minutes_and_release_notes_stay_true_for_their_own_time() -> None:
    series = [
        member(f"{folder}/{name}-{year}.md", f"{title} {year}", f"{year}-02-01")
        for folder, name, title in (
            ("reports", "annual-report", "Annual report"),
            ("minutes", "board-minutes", "Board minutes"),
            ("notes", "release-notes", "Release notes"),
        )
        for year in (2023, 2024, 2025)
    ]
    assert detected(*series).candidates == ()


def test_the_documentation_of_an_older_release_is_left_to_its_readers() -> None:
    pages = [
        member(f"docs/{release}/{page}.md", page.title(), "2025-01-01")
        for release in ("v1.9", "v1.10", "v2.0")
        for page in ("install", "upgrade", "concepts")
    ]
    assert detected(*pages).candidates == ()
