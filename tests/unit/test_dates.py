"""Dates are evidence: exact where they say so, unknown where they do not, the same on every machine."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from include.domain.dates import EvidencedDate, Precision, Trust, from_rfc3339, parse_date, rfc3339

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "value", "precision"),
    [
        ("2016-12-15", datetime(2016, 12, 15, tzinfo=UTC), Precision.DAY),
        ("20161215", datetime(2016, 12, 15, tzinfo=UTC), Precision.DAY),
        ("2016-W50-4", datetime(2016, 12, 15, tzinfo=UTC), Precision.DAY),
        ("2016-12-15T08:30:00Z", datetime(2016, 12, 15, 8, 30, tzinfo=UTC), Precision.INSTANT),
        ("2016-12-15T08:30:00-05:00", datetime(2016, 12, 15, 13, 30, tzinfo=UTC), Precision.INSTANT),
        ("2016-12-15 08:30:00.250", datetime(2016, 12, 15, 8, 30, 0, 250_000, tzinfo=UTC), Precision.INSTANT),
    ],
)
def test_iso_dates_are_read_with_their_precision(text: str, value: datetime, precision: Precision) -> None:
    read = parse_date(text, origin="front matter: date", now=NOW)
    assert read == EvidencedDate(value, precision, "front matter: date", Trust.HIGH)


@pytest.mark.parametrize(
    "text",
    [
        *("", "  ", "yesterday", "2014-19-19", "2024-02-30", "15/12/2016", "12/15/2016", "2016-W50", "10"),
        "(fill me in)",
        *("0000-00-00T00:00:00", "1970-01-01", "2031-01-01", "9999-12-31T23:59:59-05:00", None, 20161215, True),
    ],
)
def test_what_is_no_date_of_the_past_is_unknown_and_never_guessed(text: object) -> None:
    assert parse_date(text, origin="cms", now=NOW) is None


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "America/Los_Angeles", "UTC"])
def test_the_machine_s_time_zone_changes_nothing(zone: str) -> None:
    code = (
        "from datetime import datetime, UTC\n"
        "from include.domain.dates import parse_date, rfc3339\n"
        "now = datetime(2026, 1, 1, tzinfo=UTC)\n"
        "print([rfc3339(parse_date(t, origin='x', now=now).value) for t in ('2016-12-15', '2016-12-15T23:00:00')])"
    )
    done = subprocess.run([sys.executable, "-c", code], env={"TZ": zone, "PATH": ""}, capture_output=True, text=True)
    assert done.stdout.strip() == "['2016-12-15T00:00:00.000000Z', '2016-12-15T23:00:00.000000Z']", done.stderr


def test_a_date_without_a_zone_cannot_be_evidence() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        EvidencedDate(NOW.replace(tzinfo=None), Precision.DAY, "cms", Trust.LOW)


@given(
    st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1)),  # noqa: DTZ001 (given a zone below)
    st.integers(-14 * 60, 14 * 60),
)
def test_an_instant_survives_being_written_and_read(moment: datetime, offset: int) -> None:
    there = moment.replace(tzinfo=timezone(timedelta(minutes=offset)))
    assert from_rfc3339(rfc3339(there)) == there
    assert rfc3339(there).endswith("Z")
