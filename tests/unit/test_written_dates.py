"""Every form of a date that is read, and what is read of none: the golden table, in every time zone of the earth."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from include.domain.dates import Precision, last_instant, rfc3339, shown
from include.domain.written_dates import (
    AmbiguousDate,
    Conventions,
    DateOrder,
    PlaceholderDate,
    UnreadDate,
    find_date,
    read_date,
)

GOLDEN = {
    # what is written: (first instant in UTC, precision)
    "2026-03-01": ("2026-03-01T00:00", "day"),
    "20260301": ("2026-03-01T00:00", "day"),
    "2016-W50-4": ("2016-12-15T00:00", "day"),
    "2026/3/1": ("2026-03-01T00:00", "day"),
    "2026.03.01": ("2026-03-01T00:00", "day"),
    "2026年3月1日": ("2026-03-01T00:00", "day"),
    "2026-03-01T09:30:00Z": ("2026-03-01T09:30", "instant"),
    "2026-03-01T23:30:00-11:00": ("2026-03-02T10:30", "instant"),
    "2026-03-01T09:30:00+14:00": ("2026-02-28T19:30", "instant"),
    "2026-03-01 9:30 UTC": ("2026-03-01T09:30", "instant"),
    "2026-03-01 23:35:00 -0400": ("2026-03-02T03:35", "instant"),
    "2026-03-01T09:30:00": ("2026-03-01T09:30", "instant"),
    "20260301T093000Z": ("2026-03-01T09:30", "instant"),
    "Sun, 01 Mar 2026 09:30:00 +0100": ("2026-03-01T08:30", "instant"),
    "Tue, 15 Nov 1994 08:12:31 GMT": ("1994-11-15T08:12:31", "instant"),
    "Sun Mar 01 2026 09:30:00 GMT+0100 (Central European Standard Time)": ("2026-03-01T08:30", "instant"),
    "Sun, 01 Mar 2026 09:30:00 -0500 (EST)": ("2026-03-01T14:30", "instant"),
    "13-Jun-2000": ("2000-06-13T00:00", "day"),
    "1 March 2026": ("2026-03-01T00:00", "day"),
    "1st of March, 2026": ("2026-03-01T00:00", "day"),
    "March 1, 2026": ("2026-03-01T00:00", "day"),
    "Mar. 1st 2026": ("2026-03-01T00:00", "day"),
    "Sunday, March 1, 2026": ("2026-03-01T00:00", "day"),
    "Dec. 8. 2014": ("2014-12-08T00:00", "day"),
    "1. März 2026": ("2026-03-01T00:00", "day"),
    "1er mars 2026": ("2026-03-01T00:00", "day"),
    "1 de marzo de 2026": ("2026-03-01T00:00", "day"),
    "26/03/2018": ("2018-03-26T00:00", "day"),
    "26.03.2018": ("2018-03-26T00:00", "day"),
    "3/23/2017": ("2017-03-23T00:00", "day"),
    "05/05/2018": ("2018-05-05T00:00", "day"),
    "(2016-06-17)": ("2016-06-17T00:00", "day"),
    "2026-03": ("2026-03-01T00:00", "month"),
    "03/2026": ("2026-03-01T00:00", "month"),
    "March 2026": ("2026-03-01T00:00", "month"),
    "2026年3月": ("2026-03-01T00:00", "month"),
    "2026": ("2026-01-01T00:00", "year"),
}

UNREAD: dict[str, type[UnreadDate]] = {
    "05/02/2018": AmbiguousDate,
    "05.02.2018": AmbiguousDate,
    "10/04/18": AmbiguousDate,
    "(fill me in with today's date)": PlaceholderDate,
    "{{ .Date }}": PlaceholderDate,
    "<date created on, in dd-mmm-yyyy format>": PlaceholderDate,
    "YYYY-MM-DD": PlaceholderDate,
    "TBD": PlaceholderDate,
    "2014-19-19": UnreadDate,
    "some day in May (perhaps)": UnreadDate,
    "20240101123": UnreadDate,
    "1712010112345": UnreadDate,
    "2024-01-01x10:00": UnreadDate,
    "1 March 2026 09:30 GMT+1": UnreadDate,
    "2024-02-30": UnreadDate,
    "31/02/2024": UnreadDate,
    "13/13/2024": UnreadDate,
    "Mon, 01 Mar 2026": UnreadDate,
    "2016-W50": UnreadDate,
    "yesterday": UnreadDate,
    "10": UnreadDate,
    "May": UnreadDate,
    "Event": UnreadDate,
    "1700000000": UnreadDate,
    "2026-03-01 or so": UnreadDate,
    "2024-2025": UnreadDate,
    "": UnreadDate,
    "   ": UnreadDate,
}

EVERY_ZONE = [f"Etc/GMT{'+' if hours > 0 else '-'}{abs(hours)}" for hours in range(-14, 12) if hours] + ["UTC"]


@pytest.mark.parametrize("written", GOLDEN)
def test_each_form_is_read_as_that_date_and_no_more_exactly(written: str) -> None:
    value, precision = GOLDEN[written]
    read = read_date(written)
    assert (read.value, read.precision) == (datetime.fromisoformat(f"{value}+00:00"), Precision(precision))


@pytest.mark.parametrize("written", UNREAD)
def test_what_is_no_date_that_can_be_told_is_not_guessed(written: str) -> None:
    with pytest.raises(UnreadDate) as caught:
        read_date(written)
    assert type(caught.value) is UNREAD[written]
    assert str(caught.value)


def test_the_table_is_the_same_in_every_time_zone_from_minus_11_to_plus_14() -> None:
    """The machine stands there, and its language is another."""
    code = (
        "import json, sys, time, os\n"
        "from include.domain.written_dates import read_date, UnreadDate\n"
        "def read(text):\n"
        "    try: found = read_date(text)\n"
        "    except UnreadDate as error: return str(error)\n"
        "    return [found.value.isoformat(), found.precision.value, found.is_zoned]\n"
        "texts, zones = json.load(sys.stdin)\n"
        "answers = []\n"
        "for zone in zones:\n"
        "    os.environ['TZ'] = zone; time.tzset()\n"
        "    answers.append([read(text) for text in texts])\n"
        "print(json.dumps(answers))"
    )
    texts = [*GOLDEN, *UNREAD]
    environment = {**os.environ, "LC_ALL": "de_DE.UTF-8"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps([texts, EVERY_ZONE]),
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    answers = json.loads(done.stdout)
    assert len(answers) == 26
    assert all(answer == answers[0] for answer in answers)
    assert answers[0][0] == ["2026-03-01T00:00:00+00:00", "day", False]


@pytest.mark.parametrize("zone", EVERY_ZONE)
def test_a_declared_time_zone_moves_instants_without_an_offset_and_nothing_else(zone: str) -> None:
    there = Conventions(zone=ZoneInfo(zone), zone_is_declared=True)
    for written in GOLDEN:
        here, declared = read_date(written), read_date(written, there)
        if here.precision is Precision.INSTANT and not here.is_zoned:
            local = here.value.replace(tzinfo=ZoneInfo(zone))
            assert (declared.value, declared.is_zoned) == (local.astimezone(UTC), True)
        else:
            assert (declared.value, declared.precision) == (here.value, here.precision)


@pytest.mark.parametrize(
    ("written", "dmy", "mdy"),
    [
        ("05/02/2018", "2018-02-05", "2018-05-02"),
        ("05.02.2018", "2018-02-05", "2018-05-02"),
        ("26/03/2018", "2018-03-26", "2018-03-26"),
        ("3/23/2017", "2017-03-23", "2017-03-23"),
    ],
)
def test_a_declared_order_decides_where_both_numbers_may_be_the_month(written: str, dmy: str, mdy: str) -> None:
    for order, expected in ((DateOrder.DAY_FIRST, dmy), (DateOrder.MONTH_FIRST, mdy)):
        read = read_date(written, Conventions(order=order))
        assert shown(read.value, read.precision) == expected


@given(st.dates(datetime(1971, 1, 1).date(), datetime(2100, 1, 1).date()))  # noqa: DTZ001
def test_every_day_is_read_the_same_in_every_form(day: object) -> None:
    spellings = ["%Y-%m-%d", "%Y%m%d", "%Y/%m/%d", "%d %B %Y", "%B %d, %Y", "%d-%b-%Y", "%a, %d %b %Y 00:00:00 +0000"]
    texts = [f"{day:{spelling}}" for spelling in spellings]
    assert {rfc3339(read_date(text).value) for text in texts} == {f"{day}T00:00:00.000000Z"}


@given(st.text(max_size=40))
def test_any_text_is_a_date_or_is_said_to_be_none(text: str) -> None:
    for read in (read_date, find_date):
        with suppress(UnreadDate):
            read(text)


def test_the_last_instant_of_a_period_is_before_the_next_one() -> None:
    ends = {
        Precision.YEAR: "2024-12-31T23:59:59.999999Z",
        Precision.MONTH: "2024-02-29T23:59:59.999999Z",
        Precision.DAY: "2024-02-01T23:59:59.999999Z",
        Precision.INSTANT: "2024-02-01T00:00:00.000000Z",
    }
    for precision, end in ends.items():
        begin = datetime(2024, 1 if precision is Precision.YEAR else 2, 1, tzinfo=UTC)
        assert rfc3339(last_instant(begin, precision)) == end
    assert last_instant(datetime(9999, 12, 31, tzinfo=UTC), Precision.YEAR).year == 9999
