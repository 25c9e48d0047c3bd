"""DATE-TRUTH: a date that says something else than when the text was written.

DT-03, a shallow clone dates every page by its last commit: test_git_sources.py. DT-05, a sitemap whose dates are those
of the build: tests/unit/test_sitemap_connector.py; here, that the date of an edit moves nothing. DT-08, that an import
which dates every page alike is noticed, comes with the detection of staleness; here, that one date for all changes no
order.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from include.domain.dates import Precision, parse_date, rfc3339
from include.domain.documents import DocumentKey
from include.domain.errors import DocumentUnreadable
from include.domain.selection import Selector
from include.ports import IndexStore
from include.ranking.explain import explained
from include.services.retrieval import Retrieval, retrieve
from include.store.edge import EdgeStore
from tests.builders import DIMENSION, EMBEDDER, new_points, with_payload
from tests.cms.wordpress_states import site_over
from tests.connector_sources import GitRepository
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.index import FakeIndexStore
from tests.fakes.wordpress import FakeWordPress
from tests.known_failures.pages import publish_page
from tests.known_failures.site import Site
from tests.ranking_candidates import NOW, days_ago

EMBED = FakeEmbedder(dimension=DIMENSION)


@pytest.fixture
def index() -> FakeIndexStore:
    made = FakeIndexStore()
    made.prepare(EMBEDDER, DIMENSION)
    return made


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[str]:
    """The machine stands there."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


def ask(store: IndexStore, query: str) -> Retrieval:
    return retrieve(store, EMBED, query, now=NOW, limit=10)


def shown(found: Retrieval) -> list[str]:
    return [each.scored.candidate.key.doc_id for each in found.shown]


ZONES = ["America/Los_Angeles", "UTC", "Pacific/Kiritimati", "Asia/Kathmandu"]


@pytest.mark.parametrize("zone", ZONES, indirect=True)
@pytest.mark.parametrize(
    "written", ["2016-12-15", '"2016-12-15"', "2016-12-15T00:00:00Z", "2016-12-14T16:00:00-08:00", "20161215"]
)
def test_dt_01_a_calendar_day_is_that_day_in_index_and_answer_on_every_machine(
    zone: str, written: str, tmp_path: Path
) -> None:
    page = f"---\ndate: {written}\n---\n# Refunds\n\nrefunds within 30 days\n"
    repository = GitRepository.create(tmp_path / "r", {"refunds.md": page})
    site = Site.of_git(repository.folder, tmp_path)
    site.night()
    assert isinstance(site.store, FakeIndexStore)
    assert {point.payload["created_at"] for point in site.store.points.values()} == {"2016-12-15T00:00:00.000000Z"}
    found = retrieve(site.store, site.embedder, "refunds", now=site.clock.now())
    assert explained(found.placed)[0]["date"]["value"] == "2016-12-15T00:00:00.000000Z"


def test_dt_01_a_day_says_that_it_is_no_more_exact_than_a_day() -> None:
    read = parse_date("2016-12-15", origin="x", now=NOW)
    assert read is not None
    assert (read.value, read.precision) == (datetime(2016, 12, 15, tzinfo=UTC), Precision.DAY)


@given(st.one_of(st.text(max_size=40), st.from_regex(r"[0-9:TZ.+\- W]{0,32}"), st.dates().map(str)))
def test_whatever_stands_in_a_date_field_it_is_a_date_of_the_past_or_unknown(text: str) -> None:
    read = parse_date(text, origin="x", now=NOW)
    assert read is None or (read.value.tzinfo is UTC and read.value.year >= 1971 and read.value <= NOW)


@given(
    st.datetimes(datetime(1971, 1, 3), datetime(2026, 6, 18), timezones=st.just(UTC)),  # noqa: DTZ001
    st.integers(-14 * 60, 14 * 60),
)
def test_one_instant_is_one_date_whatever_the_offset_it_is_written_with(moment: datetime, minutes: int) -> None:
    text = moment.astimezone(timezone(timedelta(minutes=minutes))).isoformat()
    read = parse_date(text, origin="x", now=NOW)
    assert read is not None
    assert read.value == moment


@pytest.mark.parametrize("query", ["refunds", "latest refunds", "current refunds policy"])
def test_dt_05_an_edit_or_a_build_makes_no_page_newer(index: FakeIndexStore, query: str) -> None:
    """The stamp of every build is `now`, on the old page and on no other."""
    old = {"created": days_ago(900), "updated_at": rfc3339(NOW), "title": "Refunds, 2024"}
    publish_page(index, EMBED, "old", "refunds are possible for 60 days of the purchase", **old)  # type: ignore[arg-type]
    publish_page(index, EMBED, "new", "refunds are possible for 30 days of the purchase", created=days_ago(9))
    found = ask(index, query)
    ages = {each.scored.candidate.key.doc_id: each.scored.recency_found.age_days for each in found.placed}
    assert ages == {"old": pytest.approx(900), "new": pytest.approx(9)}
    if query != "refunds":
        assert shown(found)[0] == "new"


def test_dt_08_a_date_that_all_pages_share_changes_no_order(index: FakeIndexStore) -> None:
    for number in range(10):
        text = f"refunds {'and other matters ' * number}"
        publish_page(index, EMBED, f"page-{number}", text, title=f"T{'x' * number}", created=days_ago(3))
    assert shown(ask(index, "latest refunds")) == shown(ask(index, "refunds"))


UNREADABLE = ["2024/3/1", "yesterday", "", " ", "0000-00-00T00:00:00", "2024-02-30T00:00:00.000000Z", "2024-03-01"]


@pytest.mark.parametrize("engine", ["fake", "edge"])
@pytest.mark.parametrize("field", ["created_at", "updated_at", "effective_date", "expires_at", "fetched_at"])
def test_dt_09_no_date_is_stored_that_the_engine_cannot_read(engine: str, field: str, tmp_path: Path) -> None:
    store: IndexStore = FakeIndexStore() if engine == "fake" else EdgeStore(tmp_path / "index", "docs")
    store.prepare(EMBEDDER, DIMENSION)
    key = DocumentKey("handbook", "refunds")
    points = new_points(key, ["refunds"])
    with store.writing() as open_index:
        open_index.insert(points)
        for text in UNREADABLE:
            damaged = [with_payload(point, **{field: text}) for point in points]
            with pytest.raises(DocumentUnreadable):
                open_index.overwrite(damaged)
            with pytest.raises(DocumentUnreadable):
                open_index.set_payload(Selector(key), {field: text})
        assert open_index.count(Selector(key)) == 1


@pytest.mark.parametrize("text", [*UNREADABLE[:-1], None, 1_700_000_000, ["2024-03-01"], "1970-01-01T00:00:00Z"])
@pytest.mark.parametrize("field", ["created_at", "effective_date"])
def test_dt_09_one_that_another_writer_left_is_unknown_neutral_and_said_so(
    index: FakeIndexStore, field: str, text: object
) -> None:
    publish_page(index, EMBED, "damaged", "refunds", created=None, created_at_trust="high", created_at_origin="cms")
    for point in index.points.values():
        point.payload[field] = text
    (only,) = ask(index, "latest refunds").placed
    assert only.scored.recency_found.value == 0.5
    assert explained([only])[0]["date"]["value"] is None
    assert explained([only])[0]["date"]["note"]


@pytest.mark.parametrize("date", [None, "0000-00-00T00:00:00", "", "1970-01-01T00:00:00", "2099-01-01T00:00:00"])
def test_dt_11_a_page_without_a_date_of_its_own_is_neither_new_nor_old_in_the_answer(date: str | None) -> None:
    with FakeWordPress.serving() as wordpress:
        doc_id = wordpress.create(title="Refunds", content="<p>refunds within days</p>")
        wordpress.overrides[doc_id] = {"date_gmt": date}
        site = site_over(wordpress)
        site.night()
        (only,) = [
            each
            for each in explained(retrieve(site.store, site.embedder, "latest refunds", now=site.clock.now()).placed)
            if each["doc_id"] == doc_id
        ]
    assert only["created_at"] is None
    assert only["date"] == {"value": None, "origin": "", "trust": "", "age_days": None, "note": "date unknown"}
    assert only["parts"]["recency"] == pytest.approx(0.1)


def test_the_day_of_fetching_is_never_the_date_of_a_text(index: FakeIndexStore) -> None:
    publish_page(index, EMBED, "fetched today", "refunds within days", fetched_at=NOW)
    (only,) = ask(index, "latest refunds").placed
    assert only.scored.recency_found.date.value is None
