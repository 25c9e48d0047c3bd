"""The guards of dates, each switched off once: a date that lies then counts."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from include.connectors import git_dates
from include.connectors.git_dates import Noted, birth, last_change
from include.domain import date_candidates, dating, written_dates
from include.domain.date_candidates import DateCandidate, DateField, Doubt, Rank, stated
from include.domain.dates import Precision, Trust, rfc3339
from include.domain.dating import date_document
from include.domain.manifest import DocumentState
from include.domain.written_dates import WrittenDate
from include.planning import provenance
from include.ranking import recency as recency_module
from include.ranking.recency import NEUTRAL, HalfLives, recency
from include.services import ingest
from include.services import provenance as stock
from include.text import stated_dates
from tests.fakes.source import FakeSource
from tests.guards import Guard, switch
from tests.known_failures.site import Site
from tests.ranking_candidates import candidate, days_ago

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def created(*candidates: DateCandidate | None) -> tuple[str, str]:
    """(day, trust) of what counts."""
    date = date_document([one for one in candidates if one], fetched_at=NOW).of(DateField.CREATED)
    return ("", "") if date is None else (date.value.date().isoformat(), date.trust.value)


def says(rank: Rank, text: str, field: DateField = DateField.CREATED) -> DateCandidate | None:
    return stated(field, rank, "somewhere", text)


def commit(files: int, *, shallow: bool = False, committed: datetime = NOW - timedelta(days=9)) -> list[DateCandidate]:
    return birth(Noted(NOW - timedelta(days=9), committed, files), shallow)


def a_shallow_clone_dates_a_text() -> None:
    assert created(*commit(1, shallow=True))[1] == "unknown"


def an_import_in_one_commit_dates_a_text() -> None:
    assert created(*commit(21))[1] == "unknown"


def a_wrong_clock_dates_a_text() -> None:
    assert created(*commit(1, committed=NOW - timedelta(days=90)))[0] == "2025-12-01"


def a_reformat_is_an_edit_of_high_trust() -> None:
    changes = last_change(Noted(NOW, NOW, 101), shallow=False)
    assert {one.date.trust for one in changes if one.date} == {Trust.LOW}


def a_date_of_the_future_counts() -> None:
    assert created(says(Rank.CMS, "2026-03-09")) == ("", "")


def the_moment_of_the_fetch_counts() -> None:
    assert created(says(Rank.CMS, "2026-03-01T12:00:09Z")) == ("", "")


def a_zero_counts() -> None:
    assert created(says(Rank.CMS, "1970-01-01T00:00:00Z")) == ("", "")


def a_template_s_default_counts() -> None:
    assert created(says(Rank.FRONT_MATTER, "2000-01-01")) == ("", "")


def a_day_is_guessed() -> None:
    assert created(says(Rank.FRONT_MATTER, "05/02/2018")) == ("", "")


def a_text_is_created_after_its_last_change() -> None:
    dates = [says(Rank.CMS, "2026-02-01"), says(Rank.FRONT_MATTER, "2025-01-01", DateField.UPDATED)]
    assert created(*dates) == ("2026-02-01", "unknown")


def an_old_text_is_as_new_as_its_commit() -> None:
    assert created(*commit(1), says(Rank.FILE_NAME, "2015-05-27"))[0] == "2015-05-27"


def a_text_that_states_two_dates_is_believed_one() -> None:
    twice = stated_dates.date_candidates("Effective: 2025-03-01\n\nEffective: 2026-03-01\n")
    dates = date_document(twice, fetched_at=NOW)
    assert dates.of(DateField.EFFECTIVE) is None


def what_is_below_the_head_dates_the_text() -> None:
    filling = "".join(f"line {number}\n" for number in range(99))
    assert stated_dates.date_candidates(f"{filling}Effective date: 2020-01-01\n{filling}") == ()


def a_page_of_another_date_cannot_be_told_from_one_of_none() -> None:
    """In ranking, of either date that it looks at."""
    for field in ("created_at", "effective_date"):
        doubtful = candidate("x", 0.5, **{field: days_ago(3), f"{field}_trust": "unknown"})
        assert recency(doubtful, HalfLives(), now=days_ago(0)).value == NEUTRAL


def imported(numbers: range) -> FakeSource:
    source = FakeSource()
    for number in numbers:
        stamp = rfc3339(datetime(2026, 2, 20, 23, 50, tzinfo=UTC) + timedelta(seconds=40 * number))
        page = f"---\ncreated: {stamp}\n---\n# Page {number}\n\ncase {number}\n"
        source.put(f"page-{number:03}.md", page, media_type="text/markdown")
    return source


def trusts(site: Site) -> set[str]:
    return {str(chunk.metadata.get("created_at_trust")) for chunk in site.chunks()}


def an_import_is_trusted_at_night() -> None:
    site = Site.of(imported(range(30)))
    site.night()
    assert trusts(site) == {"unknown"}


def an_import_is_trusted_by_day() -> None:
    site = Site.of(imported(range(30)))
    site.day()
    assert trusts(site) == {"unknown"}


def a_small_import_is_trusted() -> None:
    site = Site.of(imported(range(6)))
    site.night()
    assert trusts(site) == {"unknown"}


def five_pages_of_one_second_are_trusted() -> None:
    source = FakeSource()
    for number in range(60):
        day = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(days=30 * min(number, 55))
        page = f"---\ncreated: {rfc3339(day)}\n---\n# Page {number}\n\ncase {number}\n"
        source.put(f"page-{number:03}.md", page, media_type="text/markdown")
    site = Site.of(source)
    site.night()
    assert sum(chunk.metadata.get("created_at_trust") == "unknown" for chunk in site.chunks()) == 5 * 2


def a_page_of_an_import_is_trusted_when_it_is_read_alone() -> None:
    source = imported(range(30))
    site = Site.of(source)
    site.night()
    source.put("page-003.md", source.pages["page-003.md"].body + b"edited\n", media_type="text/markdown")
    manifest = site.day("page-003.md")
    assert manifest.count(DocumentState.REPLACED) == 1
    assert trusts(site) == {"unknown"}


def an_import_is_forgotten_as_its_source_grows() -> None:
    source = imported(range(12))
    site = Site.of(source)
    site.night()
    for number in range(200):
        day = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(days=7 * number)
        page = f"---\ncreated: {rfc3339(day)}\n---\n# New {number}\n\nthing {number}\n"
        source.put(f"new-{number:03}.md", page, media_type="text/markdown")
    source.put("page-003.md", source.pages["page-003.md"].body + b"edited\n", media_type="text/markdown")
    site.night()
    edited = [chunk.metadata for chunk in site.chunks() if chunk.doc_id == "page-003.md"]
    assert {each["created_at_trust"] for each in edited} == {"unknown"}


def an_import_is_forgotten_when_its_pages_have_other_dates() -> None:
    """Their names tell when they were written: what the import has stamped is in the notes alone."""
    site = Site.of(source := FakeSource())
    for number in range(30):
        stamp = rfc3339(datetime(2026, 2, 20, 23, 50, tzinfo=UTC) + timedelta(seconds=40 * number))
        page = f"---\ncreated: {stamp}\n---\n# Page {number}\n\ncase {number}\n"
        source.put(f"{2000 + number % 20}-05-06-page-{number}.md", page, media_type="text/markdown")
    site.night()
    site.night()
    doc_id = "2003-05-06-page-3.md"
    source.put(doc_id, source.pages[doc_id].body + b"edited\n", media_type="text/markdown")
    assert site.day(doc_id).count(DocumentState.REPLACED) == 1
    assert {str(chunk.metadata.get("created_at_origin")) for chunk in site.chunks()} == {"file name"}


def doubts(*without: Doubt) -> Callable[[pytest.MonkeyPatch], object]:
    """These doubts are not noticed."""
    real = date_candidates.DateCandidate.doubted

    def blind(self: DateCandidate, doubt: Doubt, detail: str = "") -> DateCandidate:
        return self if doubt in without else real(self, doubt, detail)

    return lambda monkeypatch: monkeypatch.setattr(date_candidates.DateCandidate, "doubted", blind)


def the_first_number_is_the_day(numbers: re.Match[str], _order: object) -> WrittenDate:
    value = datetime(int(numbers["year"]), int(numbers["second"]), int(numbers["first"]), tzinfo=UTC)
    return WrittenDate(value, Precision.DAY)


def as_they_are(created: list[DateCandidate], updated: list[DateCandidate]) -> tuple[list[DateCandidate], ...]:
    return created, updated


def nothing(*_: object, **__: object) -> None:
    return None


GUARDS = [
    Guard("shallow clone", a_shallow_clone_dates_a_text, doubts(Doubt.SHALLOW)),
    Guard("bulk import", an_import_in_one_commit_dates_a_text, switch(git_dates, "MOST_BIRTHS", 1000)),
    Guard("author after commit", a_wrong_clock_dates_a_text, switch(git_dates, "_CLOCKS_DIFFER", timedelta(999))),
    Guard("reformat", a_reformat_is_an_edit_of_high_trust, switch(git_dates, "MOST_CHANGES", 1000)),
    Guard("future", a_date_of_the_future_counts, doubts(Doubt.FUTURE)),
    Guard("fetch", the_moment_of_the_fetch_counts, doubts(Doubt.FETCH)),
    Guard("zero", a_zero_counts, switch(dating, "FIRST_YEAR", 1900)),
    Guard("placeholder", a_template_s_default_counts, switch(dating, "_PLACEHOLDERS", frozenset())),
    Guard(
        "ambiguous",
        a_day_is_guessed,
        switch(written_dates, "_of_numbers", the_first_number_is_the_day),
    ),
    Guard("created > updated", a_text_is_created_after_its_last_change, switch(dating, "_consistent", as_they_are)),
    Guard(
        "first commit is the latest", an_old_text_is_as_new_as_its_commit, switch(dating, "IMPORT_LAG", timedelta(9999))
    ),
    Guard("conflict", a_text_that_states_two_dates_is_believed_one, doubts(Doubt.CONFLICT)),
    Guard("head and tail", what_is_below_the_head_dates_the_text, switch(stated_dates, "_HEAD", 999)),
    Guard(
        "trust in ranking",
        a_page_of_another_date_cannot_be_told_from_one_of_none,
        switch(recency_module, "_TRUSTED", frozenset({"high", "low", "unknown"})),
    ),
    Guard("alike at night", an_import_is_trusted_at_night, switch(provenance, "SAME_DAY_PERCENT", 100)),
    Guard("alike in a small source", a_small_import_is_trusted, switch(provenance, "SMALL_SAME_DAY_PERCENT", 100)),
    Guard("alike in one second", five_pages_of_one_second_are_trusted, switch(provenance, "SAME_SECOND", 6)),
    Guard("alike by day", an_import_is_trusted_by_day, switch(stock, "_lower", nothing)),
    Guard(
        "alike, read alone",
        a_page_of_an_import_is_trusted_when_it_is_read_alone,
        switch(ingest, "doubt_what_was_read", nothing),
    ),
    Guard(
        "alike, remembered",
        an_import_is_forgotten_as_its_source_grows,
        switch(stock, "clusters_in", lambda documents, _known: provenance.clusters_in(documents)),
    ),
    Guard(
        "alike, passed over",
        an_import_is_forgotten_when_its_pages_have_other_dates,
        switch(provenance, "imported", nothing),
    ),
]


@pytest.mark.parametrize("guard", GUARDS, ids=str)
def test_with_the_guard_no_date_lies(guard: Guard) -> None:
    guard.holds()


@pytest.mark.parametrize("guard", GUARDS, ids=str)
def test_without_the_guard_one_does(guard: Guard, monkeypatch: pytest.MonkeyPatch) -> None:
    guard.bites(monkeypatch)
