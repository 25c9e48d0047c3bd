"""What docs/DATES.md says of the declared dates of twelve repositories, where they are on this machine."""

from __future__ import annotations

import pytest

from tests.evaluation import dates

pytestmark = pytest.mark.skipif(not dates.DATES.exists(), reason=dates.ABSENT)


@pytest.fixture(scope="module")
def rows() -> list[dates.Row]:
    return dates.rows()


def test_no_declared_date_is_ever_read_as_another_day(rows: list[dates.Row]) -> None:
    readings = dates.readings(rows)
    assert sum(count["wrong"] for count in readings.values()) == 0
    assert sum(count["as declared"] for form, count in readings.items() if "order" not in form) >= 2884
    ambiguous = readings["D/M/Y ambiguous (order declared)"]
    assert ambiguous == {"as declared": 14}


def test_whole_texts_give_the_date_that_they_declare(rows: list[dates.Row]) -> None:
    peps, decisions = dates.texts(rows).values()
    assert peps == {"as declared": 703}
    assert (decisions["as declared"], decisions["wrong"], decisions["unknown"]) == (47, 0, 0)


def test_what_is_trusted_of_git_is_right_far_more_often_than_what_git_says(rows: list[dates.Row]) -> None:
    naive, followed, *_, trusted = dates.git_rules(rows)
    assert naive.within(365) < followed.within(365) < trusted.within(365)
    assert naive.within(365) < 0.50
    assert trusted.within(365) > 0.95
    assert trusted.within(30) > 0.71
    assert trusted.unknown < trusted.documents * 0.15


def test_a_date_in_the_file_s_name_corrects_a_late_commit(rows: list[dates.Row]) -> None:
    alone, named = dates.name_rules(rows)
    assert (alone.unknown, named.unknown) == (59, 0)
    assert named.within(30) > 0.99 > alone.within(30)
