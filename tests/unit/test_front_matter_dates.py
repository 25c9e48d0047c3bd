"""Which fields of front matter mean which date, and what becomes of values that are none."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from include.domain.date_candidates import DateField
from include.domain.dates import EvidencedDate, Precision
from include.domain.dating import DocumentDates, date_document
from include.domain.written_dates import Conventions
from include.text.front_matter_dates import date_candidates

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def dates(fields: dict[str, object], conventions: Conventions = Conventions()) -> DocumentDates:
    return date_document(date_candidates(fields, conventions), fetched_at=NOW)


def created(text: object, conventions: Conventions = Conventions()) -> EvidencedDate | None:
    return dates({"date": text}, conventions).of(DateField.CREATED)


def test_dates_are_evidence_and_impossible_ones_are_unknown() -> None:
    found = dates({"date": {"created": "2024-05-06", "updated": "2025-01-01"}})
    born = found.of(DateField.CREATED)
    assert born is not None
    assert (born.value, born.precision) == (datetime(2024, 5, 6, tzinfo=UTC), Precision.DAY)
    assert born.origin == "front matter date.created"
    for text in ("2024-02-30", "2030-01-01", "yesterday", "0001-01-01T00:00:00+05:00", "9999-12-31T23:59:59-05:00"):
        assert created(text) is None
    assert dates({"lastmod": "not yet", "last_update": {"date": "2025-01-01"}}).of(DateField.UPDATED) is not None
    assert dates({"expiryDate": "2030-01-01"}).of(DateField.EXPIRES) is not None


@pytest.mark.parametrize(
    ("field", "names"),
    [
        (DateField.CREATED, ["date", "Created", "created-at", "publishDate", "date_created", "pubdate"]),
        (
            DateField.CREATED,
            ["createdAt", "publishedAt", "datePublished", "dateCreated", "publishedDate", "published-on"],
        ),
        (
            DateField.UPDATED,
            ["updatedAt", "lastModified", "dateModified", "updatedDate", "last-update", "modified_date"],
        ),
        (DateField.EFFECTIVE, ["effectiveFrom", "inForceFrom"]),
        (DateField.EXPIRES, ["expiresAt", "expirationDate", "validTo"]),
        (DateField.UPDATED, ["lastmod", "last-modified", "Last Updated", "last_modified_at", "lastUpdated"]),
        (DateField.EFFECTIVE, ["effective_date", "effectiveDate", "effective", "valid-from"]),
        (DateField.EXPIRES, ["expiryDate", "expires", "valid_until", "unpublishdate"]),
    ],
)
def test_each_generator_s_name_for_a_date_is_known(field: DateField, names: list[str]) -> None:
    for name in names:
        found = dates({name: "2025-05-06"})
        assert {one for one in DateField if found.of(one)} == {field}, name


@pytest.mark.parametrize("switch", ["true", "false", "", "yes", "null"])
def test_a_switch_of_a_date_s_name_is_no_date_and_no_trouble(switch: str) -> None:
    found = dates({"published": switch, "lastUpdated": switch})
    assert found.chosen == {}


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2015-06-12 23:35:00 -0400", "2015-06-13T03:35:00+00:00"),
        ("2015-06-12 9:05", "2015-06-12T09:05:00+00:00"),
        ("2015-06-12 23:35:00 UTC", "2015-06-12T23:35:00+00:00"),
        ("2015-06-12t23:35:00.5+02:00", "2015-06-12T21:35:00.500000+00:00"),
    ],
)
def test_instants_are_read_as_yaml_and_jekyll_write_them(text: str, instant: str) -> None:
    born = created(text)
    assert born is not None
    assert born.value == datetime.fromisoformat(instant)


def test_an_instant_without_an_offset_is_one_of_the_declared_zone_and_a_day_is_not_moved() -> None:
    tokyo = Conventions(zone=ZoneInfo("Asia/Tokyo"), zone_is_declared=True)
    instant, day = created("2024-05-06 08:00", tokyo), created("2024-05-06", tokyo)
    assert instant is not None
    assert instant.value == datetime(2024, 5, 5, 23, tzinfo=UTC)
    assert day is not None
    assert day.value == datetime(2024, 5, 6, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("05/02/2018", "day and month cannot be told apart"),
        ("(fill me in)", "a placeholder"),
        ("{{ .Date }}", "a placeholder"),
        ("2014-19-19", "no date that is read (no day of the calendar)"),
        ("2000-01-01", "a placeholder"),
        ("0000-00-00", "never set"),
        ("2031-01-01", "lies in the future"),
    ],
)
def test_what_is_passed_over_is_named_with_its_reason(value: str, words: str) -> None:
    found = dates({"date": value})
    assert found.of(DateField.CREATED) is None
    (note,) = found.notes
    assert note.startswith(f"created: front matter date {value} passed over: {words}")
