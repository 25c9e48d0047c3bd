"""Which of several dates counts, which are doubted, and the sentences that say so."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from include.connectors.git_dates import Noted, birth, last_change
from include.domain.date_candidates import DateCandidate, DateField, Doubt, Rank, found, stated
from include.domain.dates import Precision, Trust
from include.domain.dating import DocumentDates, date_document, imported, told_by
from include.domain.written_dates import Conventions, read_date

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
_TRUST = {Rank.FRONT_MATTER: Trust.HIGH, Rank.CMS: Trust.HIGH}


def says(rank: Rank, text: str, field: DateField = DateField.CREATED, **parts: object) -> DateCandidate:
    origin = f"{rank.name.lower().replace('_', ' ')} {field.word}"
    made = stated(field, rank, origin, text, trust=_TRUST.get(rank, Trust.LOW), **parts)  # type: ignore[arg-type]
    assert made is not None
    return made


def updated(rank: Rank, text: str) -> DateCandidate:
    return says(rank, text, DateField.UPDATED)


def chosen(*candidates: DateCandidate, now: datetime = NOW) -> DocumentDates:
    return date_document(candidates, fetched_at=now)


def born(*candidates: DateCandidate, now: datetime = NOW) -> tuple[str, Trust] | None:
    date = chosen(*candidates, now=now).of(DateField.CREATED)
    return None if date is None else (date.value.date().isoformat(), date.trust)


def test_dates_are_believed_in_the_order_of_their_origins_whatever_order_they_come_in() -> None:
    all_five = [says(rank, f"2025-01-{int(rank):02}") for rank in Rank]
    for count in range(5, 0, -1):
        some = all_five[5 - count :]
        for order in permutations(some):
            assert born(*order) == (f"2025-01-{6 - count:02}", some[0].date.trust)  # type: ignore[union-attr]


def test_the_ones_that_do_not_count_are_kept_with_the_reason() -> None:
    front, git = says(Rank.FRONT_MATTER, "2025-01-01"), says(Rank.GIT, "2025-02-01")
    created = chosen(git, front, says(Rank.TEXT, "2014-19-19")).chosen[DateField.CREATED]
    assert created.date == front.date
    assert [reason for _, reason in created.passed_over] == [
        "front matter created counts before it",
        "no date that is read (no day of the calendar)",
    ]
    assert created.notes == ()  # neither of them would have counted


@pytest.mark.parametrize(
    ("written", "doubt"),
    [
        ("0000-00-00T00:00:00", Doubt.UNSET),
        ("0001-01-01T00:00:00Z", Doubt.UNSET),
        ("1970-01-01T00:00:00Z", Doubt.UNSET),
        ("1969-12-31", Doubt.UNSET),
        ("1980-01-01", Doubt.PLACEHOLDER),
        ("2000-01-01", Doubt.PLACEHOLDER),
        ("2000-01-01T00:00:00Z", Doubt.PLACEHOLDER),
        ("2026-03-01T12:00:03Z", Doubt.FETCH),
        ("2026-03-01T12:00:00Z", Doubt.FETCH),
        ("2026-03-01T13:00:00Z", Doubt.FUTURE),
        ("2026-03-03", Doubt.FUTURE),
        ("2031-01-01", Doubt.FUTURE),
        ("03/04/2025", Doubt.AMBIGUOUS),
        ("(fill me in)", Doubt.PLACEHOLDER),
        ("soon", Doubt.UNREADABLE),
    ],
)
def test_a_poisoned_date_is_unknown_and_the_next_one_counts(written: str, doubt: Doubt) -> None:
    poisoned = says(Rank.CMS, written)
    assert born(poisoned) is None
    assert born(poisoned, says(Rank.TEXT, "2024-05-06")) == ("2024-05-06", Trust.LOW)
    (note,) = chosen(poisoned).notes
    assert told_by(note) == (DateField.CREATED, doubt)


def test_a_number_in_a_date_field_is_named_and_not_taken_for_seconds() -> None:
    number = stated(DateField.CREATED, Rank.CMS, "field created", 1_700_000_000)
    assert number is not None
    assert born(number) is None
    assert "a number, and nobody says of what" in chosen(number).notes[0]
    for nothing in (None, "", "  ", True, False):
        assert stated(DateField.CREATED, Rank.CMS, "field created", nothing) is None


def test_a_day_that_has_begun_only_in_the_east_is_today_and_known() -> None:
    assert born(says(Rank.FRONT_MATTER, "2026-03-02")) == ("2026-03-02", Trust.HIGH)
    assert born(says(Rank.FRONT_MATTER, "2026-03-02"), now=NOW - timedelta(hours=2, seconds=1)) is None


def test_an_hour_of_an_unknown_time_zone_that_lies_ahead_is_known_to_the_day() -> None:
    ahead = says(Rank.CMS, "2026-03-01T20:00:00")
    date = chosen(ahead).of(DateField.CREATED)
    assert date is not None
    assert (date.value, date.precision) == (datetime(2026, 3, 1, tzinfo=UTC), Precision.DAY)
    declared = says(Rank.CMS, "2026-03-01T20:00:00", conventions=Conventions(zone_is_declared=True))
    assert born(declared) is None


def test_dates_of_effect_and_expiry_may_lie_ahead() -> None:
    effective, expires = (says(Rank.TEXT, "2027-01-01", name) for name in (DateField.EFFECTIVE, DateField.EXPIRES))
    dates = chosen(effective, expires)
    assert dates.of(DateField.EFFECTIVE) == effective.date
    assert dates.of(DateField.EXPIRES) == expires.date
    assert dates.notes == ()


@pytest.mark.parametrize(
    ("created", "changed", "left"),
    [
        # of two that contradict each other the less trusted is doubted …
        (says(Rank.FRONT_MATTER, "2025-06-01"), updated(Rank.GIT, "2025-01-01"), ("high", "unknown")),
        (says(Rank.FILE_NAME, "2025-06-01"), updated(Rank.GIT, "2025-01-01"), ("unknown", "low")),
        (says(Rank.CMS, "2025-06-01"), updated(Rank.FRONT_MATTER, "2025-01-01"), ("unknown", "high")),
        # … of two equal ones both
        (says(Rank.CMS, "2025-06-01"), updated(Rank.CMS, "2025-01-01"), ("unknown", "unknown")),
        # a year may mean any of its days, and a day another one elsewhere
        (says(Rank.CMS, "2025-06-01"), updated(Rank.CMS, "2025"), ("high", "high")),
        (says(Rank.CMS, "2025-06-02"), updated(Rank.CMS, "2025-06-01"), ("high", "high")),
        (says(Rank.CMS, "2025-06-03T12:00:00Z"), updated(Rank.CMS, "2025-06-01"), ("unknown", "unknown")),
    ],
)
def test_no_text_was_created_after_its_last_change(
    created: DateCandidate, changed: DateCandidate, left: tuple[str, str]
) -> None:
    dates = chosen(created, changed)
    found_dates = (dates.of(DateField.CREATED), dates.of(DateField.UPDATED))
    assert tuple(date.trust.value for date in found_dates if date) == left


def test_a_creation_that_is_too_late_leaves_the_place_to_another() -> None:
    dates = chosen(
        says(Rank.CMS, "2025-06-01"), updated(Rank.FRONT_MATTER, "2025-01-01"), says(Rank.FILE_NAME, "2024-01-01")
    )
    born_on = dates.of(DateField.CREATED)
    assert born_on is not None
    assert born_on.origin == "file name created"
    assert "later than the last change (front matter updated 2025-01-01)" in dates.notes[0]


def test_a_first_commit_is_the_latest_day_that_a_text_can_be_from() -> None:
    commit = says(Rank.GIT, "2016-11-18")
    assert born(commit, says(Rank.FILE_NAME, "2015-05-27")) == ("2015-05-27", Trust.LOW)
    assert born(commit, says(Rank.TEXT, "2014")) == ("2014-01-01", Trust.LOW)
    # a few days between writing and committing are usual, and what is later says nothing
    assert born(commit, says(Rank.FILE_NAME, "2016-11-01")) == ("2016-11-18", Trust.LOW)
    assert born(commit, says(Rank.FILE_NAME, "2019-01-01")) == ("2016-11-18", Trust.LOW)
    assert born(commit, says(Rank.TEXT, "2016")) == ("2016-11-18", Trust.LOW)
    # a content system's date is none of a commit
    assert born(says(Rank.CMS, "2016-11-18"), says(Rank.FILE_NAME, "2015-05-27")) == ("2016-11-18", Trust.HIGH)


def test_a_doubted_date_is_still_shown_where_it_is_one_and_nothing_else_is_known() -> None:
    commit = says(Rank.GIT, "2022-11-30").doubted(Doubt.BULK, "born in a commit of 647 files")
    assert born(commit) == ("2022-11-30", Trust.UNKNOWN)
    assert chosen(commit).notes == (
        "created: git created 2022-11-30 not trusted: bulk import (born in a commit of 647 files)",
    )
    assert chosen(commit, says(Rank.TEXT, "2021-05-05")).notes == (
        "created: git created 2022-11-30 passed over: bulk import (born in a commit of 647 files)",
    )


@pytest.mark.parametrize("moment", [datetime(1970, 1, 1, tzinfo=UTC), datetime(2038, 1, 19, 3, 14, tzinfo=UTC)])
@pytest.mark.parametrize(("files", "is_shallow"), [(1, True), (50, False), (50, True)])
def test_what_is_no_date_is_not_shown_under_another_doubt(moment: datetime, files: int, is_shallow: bool) -> None:
    """A clone that is cut off and an import keep what they say, to be shown; a wrong clock has said nothing."""
    commit = Noted(moment, moment, files)
    dates = chosen(*birth(commit, is_shallow), *last_change(commit, is_shallow))
    assert (dates.of(DateField.CREATED), dates.of(DateField.UPDATED)) == (None, None)
    assert "never set" in dates.notes[0] or "lies in the future" in dates.notes[0]


def test_a_committer_whose_clock_was_never_set_does_not_speak_against_the_author() -> None:
    written = datetime(2024, 5, 6, 7, tzinfo=UTC)
    dates = chosen(*birth(Noted(written, datetime(1970, 1, 1, tzinfo=UTC), 1), False))
    date = dates.of(DateField.CREATED)
    assert date is not None
    assert (date.value, date.trust) == (written, Trust.LOW)


@pytest.mark.parametrize("zone", ["-11:00", "-08:00", "+01:00", "+14:00", "Z", ""])
@pytest.mark.parametrize("day", ["1980-01-01", "2000-01-01", "2001-01-01"])
def test_the_zero_of_a_program_is_a_placeholder_wherever_the_program_runs(day: str, zone: str) -> None:
    dates = chosen(says(Rank.CMS, f"{day}T00:00:00{zone}"))
    assert dates.of(DateField.CREATED) is None
    assert "a placeholder" in dates.notes[0]
    assert chosen(says(Rank.CMS, f"{day}T09:30:00{zone}")).of(DateField.CREATED) is not None


def test_the_zero_date_as_php_prints_it_was_never_set() -> None:
    candidate = stated(DateField.CREATED, Rank.CMS, "field date_gmt", "-0001-11-30T00:00:00")
    assert candidate is not None
    assert candidate.doubt is Doubt.UNSET


def test_a_field_of_effect_that_says_when_it_was_asked_is_no_date() -> None:
    """Or the page would be the newest of all after every night."""
    asked = chosen(says(Rank.CMS, "2026-03-01T12:00:03Z", DateField.EFFECTIVE))
    assert asked.of(DateField.EFFECTIVE) is None
    assert asked.notes == ("effective: cms effective 2026-03-01T12:00:03Z passed over: stamped by the fetch",)
    for ahead in ("2026-03-01T13:00:00Z", "2026-03-02", "2027-01-01T00:00:00Z"):
        assert chosen(says(Rank.CMS, ahead, DateField.EFFECTIVE)).of(DateField.EFFECTIVE) is not None


def test_a_page_cannot_write_the_note_of_an_import_into_its_date() -> None:
    (note,) = chosen(says(Rank.FRONT_MATTER, "2024-05-06 passed over: bulk import (x")).notes
    assert told_by(note) == (DateField.CREATED, Doubt.UNREADABLE)
    assert imported(note) is None


def test_a_long_or_broken_text_in_a_date_field_does_not_fill_the_note() -> None:
    (note,) = chosen(says(Rank.FRONT_MATTER, "soon\n" * 500)).notes
    assert len(note) < 140
    assert "\n" not in note


TEXTS = st.one_of(
    st.dates(datetime(1960, 1, 1).date(), datetime(2027, 1, 1).date()).map(str),  # noqa: DTZ001
    st.sampled_from(["2024", "2024-05", "05/02/2018", "soon", "2000-01-01", "2026-03-01T12:00:01Z"]),
)


@given(st.lists(st.builds(says, st.sampled_from(list(Rank)), TEXTS, st.sampled_from(list(DateField))), max_size=8))
def test_what_is_trusted_is_never_in_the_future_never_zero_and_never_a_placeholder(some: list[DateCandidate]) -> None:
    dates = chosen(*some)
    for name in (DateField.CREATED, DateField.UPDATED):
        date = dates.of(name)
        if date is not None and date.is_trusted:
            assert date.value.year >= 1971
            assert date.value <= NOW + timedelta(hours=14)
            assert (date.value.year, date.value.month, date.value.day) != (2000, 1, 1) or date.precision is not (
                Precision.DAY
            )
    created, changed = dates.of(DateField.CREATED), dates.of(DateField.UPDATED)
    if created and changed and created.is_trusted and changed.is_trusted:
        assert created.value <= changed.end + timedelta(days=1)


@given(st.lists(st.builds(says, st.sampled_from(list(Rank)), TEXTS, st.sampled_from(list(DateField))), max_size=6))
def test_every_note_says_which_date_it_is_about_and_what_is_wrong_with_it(some: list[DateCandidate]) -> None:
    assert all(told_by(note) is not None for note in chosen(*some).notes)


def test_a_date_that_was_read_already_keeps_its_own_precision() -> None:
    month = found(DateField.CREATED, Rank.TEXT, "text 'date'", read_date("March 2025"), trust=Trust.LOW)
    date = chosen(month).of(DateField.CREATED)
    assert date is not None
    assert date.precision is Precision.MONTH
