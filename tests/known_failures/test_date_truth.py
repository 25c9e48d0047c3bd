"""DATE-TRUTH: a date that says something else than when the text was written.

DT-03, a shallow clone dates every page by its last commit: test_git_sources.py. DT-05, a sitemap whose dates are those
of the build: tests/unit/test_sitemap_connector.py; here, that the date of an edit moves nothing. The table of every
form of a date in every time zone is tests/unit/test_written_dates.py.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from include.domain.date_candidates import DateField, Doubt
from include.domain.dates import Precision, parse_date, rfc3339
from include.domain.documents import DocumentKey, Marks
from include.domain.errors import DocumentUnreadable
from include.domain.manifest import RunState
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
from tests.fakes.source import FakeSource
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


@pytest.mark.parametrize(("written", "precision"), [("2024", "year"), ("2024-01", "month"), ("January 2024", "month")])
def test_dt_01_of_a_year_or_a_month_no_day_is_invented(written: str, precision: str) -> None:
    source = FakeSource()
    source.put("refunds.md", f"---\ndate: {written}\n---\n# Refunds\n\nrefunds\n", media_type="text/markdown")
    site = Site.of(source)
    site.night()
    stored = [chunk.metadata for chunk in site.chunks()]
    assert {(each["created_at"], each["created_at_precision"]) for each in stored} == {
        ("2024-01-01T00:00:00.000000Z", precision)
    }
    (found,) = explained(retrieve(site.store, site.embedder, "latest refunds", now=site.clock.now()).placed)
    assert found["date"]["note"] == f"known to the {precision}"


def test_dt_01_a_day_that_has_begun_only_in_the_east_is_the_newest_and_not_of_the_future() -> None:
    source = FakeSource()
    site = Site.of(source)
    tomorrow = f"{site.clock.now() + timedelta(days=2):%Y-%m-%d}"  # the night comes a day later, at noon in UTC
    source.put("refunds.md", f"---\ndate: {tomorrow}\n---\n# Refunds\n\nrefunds\n", media_type="text/markdown")
    site.night()
    assert dates_of(site) == {"refunds.md": (tomorrow, "high", "front matter date")}
    (found,) = explained(retrieve(site.store, site.embedder, "latest refunds", now=site.clock.now()).placed)
    assert (found["date"]["age_days"], found["date"]["note"]) == (0.0, "")


def test_dt_03_in_a_shallow_clone_what_a_page_states_counts(tmp_path: Path) -> None:
    pages = {"a.md": "# A\n\nDate: 2021-05-06\n\nalpha\n", "2019-03-04-b.md": "beta\n", "c.md": "gamma\n"}
    repository = GitRepository.create(tmp_path / "r", pages)
    repository.commit({"last.md": "x\n"}, day="2025-12-12")
    repository.git("clone", "--quiet", "--depth", "1", repository.folder.as_uri(), str(tmp_path / "shallow"))
    site = Site.of_git(tmp_path / "shallow", tmp_path)
    site.night()
    dates = dates_of(site)
    assert dates["a.md"] == ("2021-05-06", "low", "text, date")
    assert dates["2019-03-04-b.md"] == ("2019-03-04", "low", "file name")
    assert {dates[name][1] for name in ("c.md", "last.md")} == {"unknown"}


@given(st.one_of(st.text(max_size=40), st.from_regex(r"[0-9:TZ.+\- W]{0,32}"), st.dates().map(str)))
def test_whatever_stands_in_a_date_field_it_is_a_date_of_the_past_or_unknown(text: str) -> None:
    read = parse_date(text, origin="x", now=NOW)
    latest = NOW if read is None or read.precision is Precision.INSTANT else NOW + timedelta(hours=14)
    assert read is None or (read.value.tzinfo is UTC and read.value.year >= 1971 and read.value <= latest)


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


def dates_of(site: Site, doc_id: str = "") -> dict[str, tuple[str, str, str]]:
    """(day, trust, origin) of each document's creation, as every one of its chunks says alike."""
    found: dict[str, set[tuple[str, str, str]]] = {}
    for chunk in site.chunks():
        said = chunk.metadata
        parts = (str(said.get("created_at", "none"))[:10], said.get("created_at_trust"), said.get("created_at_origin"))
        found.setdefault(str(chunk.doc_id), set()).add(tuple(map(str, parts)))  # type: ignore[arg-type]
    assert all(len(each) == 1 for each in found.values())
    return {key: next(iter(each)) for key, each in found.items() if not doc_id or key == doc_id}


def imported(count: int, *, text: str = "", field: str = "created") -> FakeSource:
    """A system whose import has dated its pages: all within a few minutes, long after they were written."""
    source = FakeSource()
    for number in range(count):
        stamp = f"2026-02-20T23:5{number % 10}:0{number % 7}Z"
        page = f"---\n{field}: {stamp}\n---\n# Page {number}\n{text.format(1981 + number)}\n\nrefunds, case {number}\n"
        source.put(f"page-{number:03}.md", page, media_type="text/markdown")
    return source


def test_dt_08_the_day_of_an_import_is_not_trusted_from_the_first_night_on() -> None:
    site = Site.of(imported(40))
    manifest = site.night()
    assert set(dates_of(site).values()) == {("2026-02-20", "unknown", "front matter created")}
    assert manifest.dates is not None
    assert manifest.dates.trusted(DateField.CREATED) == 0
    (cluster,) = manifest.dates.clusters
    assert (cluster.documents, cluster.of) == (40, 40)
    (anomaly,) = manifest.dates.anomalies
    assert (anomaly.doubt, anomaly.documents) == (Doubt.BULK, 40)
    found = retrieve(site.store, site.embedder, "latest refunds", now=site.clock.now())
    assert {each["date"]["note"] for each in explained(found.placed)} == {"date 2026-02-20 is not trusted"}
    assert [each["parts"]["recency"] for each in explained(found.placed)] == pytest.approx([0.1] * len(found.placed))
    assert site.night().outcomes == ()  # a second night has nothing to write


def test_dt_08_another_date_that_the_pages_state_counts_in_its_place() -> None:
    site = Site.of(imported(40, text="Date: {}-05-06"))
    site.night()
    dates = dates_of(site)
    assert dates["page-007.md"] == ("1988-05-06", "low", "text, date")
    assert len(set(dates.values())) == 40


def test_dt_08_what_runs_by_day_bring_in_is_distrusted_when_they_end() -> None:
    source = imported(40, text="Date: {}-05-06")
    pages, source.pages = source.pages, {}
    site = Site.of(source)
    for doc_id, page in pages.items():  # four runs of ten documents
        source.pages[doc_id] = page
        if len(source.pages) % 10 == 0:
            manifest = site.day()
    assert manifest.dates is not None
    assert dates_of(site, "page-007.md") == {"page-007.md": ("2026-02-20", "unknown", "front matter created")}
    assert "high" not in {trust for _, trust, _ in dates_of(site).values()}
    night = site.night()
    assert (night.state, night.outcomes) == (RunState.TRUE, ())  # it finds nothing amiss
    forced = site.day(force=True)  # what their texts state counts when they are read again
    assert dates_of(site, "page-007.md") == {"page-007.md": ("1988-05-06", "low", "text, date")}
    assert sum(outcome.embedded for outcome in forced.outcomes) == 0


def test_dt_08_an_import_stays_distrusted_when_the_source_has_grown_and_when_a_page_is_read_again() -> None:
    source = imported(12)  # of 312 pages in the end
    site = Site.of(source)
    site.night()
    for number in range(300):
        day = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(days=5 * number)
        page = f"---\ncreated: {day:%Y-%m-%dT%H:%M:%SZ}\n---\n# New {number}\n\nthing {number}\n"
        source.put(f"new-{number:03}.md", page, media_type="text/markdown")
    site.night()
    edited = source.pages["page-003.md"].body + b"and an edit\n"
    source.put("page-003.md", edited, media_type="text/markdown")
    site.day()
    trusts = {doc_id: trust for doc_id, (_, trust, _) in dates_of(site).items()}
    assert {doc_id for doc_id, trust in trusts.items() if trust == "unknown"} == {
        doc_id for doc_id in source.pages if doc_id.startswith("page")
    }
    assert trusts["new-007.md"] == "high"


def test_dt_08_what_a_person_has_dated_stays_whatever_the_import_did() -> None:
    site = Site.of(imported(40))
    site.ledger.marked["handbook"] = {"page-003.md": Marks(metadata={"created_at": "2022-03-04T00:00:00.000000Z"})}
    site.night()
    assert dates_of(site, "page-003.md") == {"page-003.md": ("2022-03-04", "high", "ledger")}
    site.ledger.marked["handbook"] = {}
    site.night()
    assert dates_of(site, "page-003.md") == {"page-003.md": ("2026-02-20", "unknown", "front matter created")}


def test_dt_08_pages_that_were_written_one_by_one_are_trusted() -> None:
    source = FakeSource()
    for number in range(40):
        day = datetime(2024, 1, 1, 9, tzinfo=UTC) + timedelta(days=11 * number)
        page = f"---\ncreated: {day:%Y-%m-%dT%H:%M:%SZ}\n---\n# Page {number}\n\nthing {number}\n"
        source.put(f"page-{number:03}.md", page, media_type="text/markdown")
    site = Site.of(source)
    manifest = site.night()
    assert manifest.dates is not None
    assert (manifest.dates.trusted(DateField.CREATED), manifest.dates.clusters) == (40, ())


def test_a_checkout_s_own_times_are_never_looked_at(tmp_path: Path) -> None:
    repository = GitRepository.create(tmp_path / "r", {"a.md": "alpha\n", "b.md": "beta\n"})
    site = Site.of_git(repository.folder, tmp_path)
    site.night()
    before = dates_of(site)
    for path in repository.folder.rglob("*"):
        os.utime(path, (1_800_000_000, 1_800_000_000), follow_symlinks=False)
    other = Site.of_git(repository.folder, tmp_path / "other")
    other.night()
    assert dates_of(other) == before


@given(
    st.sampled_from(["created_at", "effective_date"]),
    st.sampled_from(["unknown", None, "HIGH", "certain"]),
    st.lists(st.integers(-400, 4000), min_size=1, max_size=5),
    st.sampled_from(["refunds", "latest refunds", "current refunds policy", "refunds in 2025"]),
)
def test_no_date_that_is_not_trusted_ever_reaches_the_ranking(
    field: str, trust: str | None, ages: list[int], query: str
) -> None:
    """The answer is the one without these dates, down to the scores."""
    answers = []
    for is_dated in (True, False):
        made = FakeIndexStore()
        made.prepare(EMBEDDER, DIMENSION)
        for number, age in enumerate(ages):
            dates = (
                {field: rfc3339(days_ago(age)), f"{field}_trust": trust, f"{field}_origin": "cms"} if is_dated else {}
            )
            text = f"refunds within {number} days {'of the purchase ' * number}"
            publish_page(made, EMBED, f"page-{number}", text, title=f"T{'x' * number}", **dates)  # type: ignore[arg-type]
        answers.append([(each.scored.candidate.key.doc_id, each.scored.score) for each in ask(made, query).placed])
    assert answers[0] == answers[1]


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
    assert only["date"] == {
        "value": None,
        "origin": "",
        "trust": "",
        "age_days": None,
        "precision": "",
        "note": "date unknown",
    }
    assert only["parts"]["recency"] == pytest.approx(0.1)


def test_the_day_of_fetching_is_never_the_date_of_a_text(index: FakeIndexStore) -> None:
    publish_page(index, EMBED, "fetched today", "refunds within days", fetched_at=NOW)
    (only,) = ask(index, "latest refunds").placed
    assert only.scored.recency_found.date.value is None
