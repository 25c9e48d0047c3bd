"""The order of versions, whatever they are: antisymmetric, transitive, total where nothing lies within another."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.version import Version as PythonVersion

from include.domain.documents import DocumentKey
from include.families.grouping import group
from include.families.members import Member
from include.families.names import read_name
from include.families.versions import Kind, Version, compare, parse_version

SMALL = st.integers(0, 12)
RELEASES = st.lists(SMALL, min_size=2, max_size=4).map(lambda parts: ".".join(map(str, parts)))
PRE = st.sampled_from(["", "a1", "b2", "b10", "rc1", "rc2", ".post1"])
NUMBERS = st.builds(lambda release, pre: release + pre, RELEASES, PRE)
WORDED = st.builds(
    lambda release, word: f"v{release}{word}",
    RELEASES,
    st.sampled_from(
        ["", ".x", "-alpha", "-alpha.1", "-beta", "-preview", "-preview.3", "-SNAPSHOT", "-M2", "-rc.1", "-sp1"]
    ),
)
DAYS = st.dates(date(2019, 1, 1), date(2027, 12, 31))
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
DATES = st.one_of(
    DAYS.map(lambda day: day.isoformat()),
    DAYS.map(lambda day: f"{day:%Y%m%d}"),
    DAYS.map(lambda day: f"{day:%d-%m-%Y}"),
    DAYS.map(lambda day: f"{day:%m/%d/%Y}"),
    DAYS.map(lambda day: f"{day.day} {MONTHS[day.month - 1]} {day.year}"),
    DAYS.map(lambda day: f"{MONTHS[day.month - 1]} {day.year}"),
    DAYS.map(lambda day: f"{day:%Y-%m}"),
    DAYS.map(lambda day: f"Q{(day.month + 2) // 3} {day.year}"),
    DAYS.map(lambda day: f"{day:%G}-W{day:%V}"),
    DAYS.map(lambda day: str(day.year)),
    st.builds(lambda day, length: f"{day:%Y-%m-%d} to {day + timedelta(length):%Y-%m-%d}", DAYS, st.integers(1, 90)),
)
FISCAL = st.builds(
    lambda year, part, split: f"FY{year}{f'/{year + 1}' if split else ''}{part}",
    st.integers(19, 29),
    st.sampled_from(["", " Q1", " Q3", " H1", " H2"]),
    st.booleans(),
)
SEASONS = st.builds(
    lambda season, year: f"{season} {year}",
    st.sampled_from(["winter", "spring", "summer", "fall"]),
    st.integers(2020, 2026),
)
COUNTED = st.builds(
    lambda word, number: f"{word} {number}", st.sampled_from(["rev", "edition", "draft", "version"]), st.integers(1, 30)
)
STAGES = st.sampled_from(
    ["draft", "proposed", "alpha", "beta", "rc1", "rc2", "final", "final-final", "FINAL3", "approved"]
)
KINDS = (NUMBERS, WORDED, DATES, FISCAL, SEASONS, COUNTED, STAGES)
VERSIONS = st.one_of(*KINDS)
ALIKE_PAIRS = st.one_of(*(st.tuples(kind, kind) for kind in KINDS))
ALIKE_TRIPLES = st.one_of(*(st.tuples(kind, kind, kind) for kind in KINDS))


def read(text: str) -> Version:
    version = parse_version(text)
    assert version is not None, text
    return version


def is_sure_point(version: Version) -> bool:
    return version.is_sure and version.low == version.high


@given(st.one_of(ALIKE_PAIRS, st.tuples(VERSIONS, VERSIONS)))
def test_turned_round_the_answer_is_turned_round(pair: tuple[str, str]) -> None:
    one, other = pair
    there, back = compare(read(one), read(other)), compare(read(other), read(one))
    assert there == (None if back is None else -back)


@given(VERSIONS)
def test_every_version_is_as_new_as_itself(text: str) -> None:
    assert compare(read(text), read(text)) == 0


@settings(max_examples=300)
@given(ALIKE_TRIPLES)
def test_what_is_newer_than_a_newer_one_is_newer(texts: tuple[str, str, str]) -> None:
    first, second, third = (read(text) for text in texts)
    if compare(first, second) == -1 and compare(second, third) == -1:
        assert compare(first, third) == -1
    if compare(first, second) == 0 and compare(second, third) is not None:
        assert compare(first, third) == compare(second, third)


@given(ALIKE_PAIRS)
def test_points_of_one_kind_and_line_are_always_in_order(pair: tuple[str, str]) -> None:
    first, second = (read(text) for text in pair)
    if (first.kind, first.line) == (second.kind, second.line) and is_sure_point(first) and is_sure_point(second):
        assert compare(first, second) is not None


@given(DAYS, DAYS)
def test_days_are_in_the_order_of_the_calendar_however_they_are_written(one: date, other: date) -> None:
    spellings = ("%Y-%m-%d", "%Y%m%d", "%d %B %Y", "%B %d, %Y", "%Y/%m/%d", "%d-%b-%Y")
    expected = (one > other) - (one < other)
    for first, second in zip(spellings, (*spellings[1:], spellings[0]), strict=True):
        assert compare(read(one.strftime(first)), read(other.strftime(second))) == expected


@given(DAYS, DAYS)
def test_a_date_with_two_readings_is_ordered_only_where_both_agree(one: date, other: date) -> None:
    def readings(day: date) -> list[date]:
        return [day, date(day.year, day.day, day.month)] if day.day <= 12 else [day]

    answer = compare(read(one.strftime("%d-%m-%Y")), read(other.strftime("%d-%m-%Y")))
    possible = {(a > b) - (a < b) for a in readings(one) for b in readings(other)}
    assert answer is None or possible == {answer} or one == other


@given(NUMBERS, NUMBERS)
def test_numbers_are_ordered_as_python_orders_them(one: str, other: str) -> None:
    expected = (PythonVersion(one) > PythonVersion(other)) - (PythonVersion(one) < PythonVersion(other))
    assert compare(read(one), read(other)) == expected


@given(st.lists(st.tuples(*[st.integers(0, 10**12)] * 3), min_size=1))
def test_numbers_of_any_size_are_read(releases: list[tuple[int, int, int]]) -> None:
    for release in releases:
        assert read(".".join(map(str, release))).kind in (Kind.NUMBER, Kind.DATE)


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_name_can_be_read(doc_id: str, title: str) -> None:
    name = read_name(doc_id, title)
    assert read_name(doc_id, title) == name
    parse_version(title)


NAME = st.builds(
    lambda folder, word, version, mark, ending: f"{folder}{word}{version}{mark}{ending}",
    st.sampled_from(["", "a/", "docs/v1/", "docs/v2/", "docs/latest/", "2026/", "old/", "de/"]),
    st.sampled_from(["deck", "policy", "minutes"]),
    st.sampled_from(["", "-v1", "-v2", " 2026-05", " June 2026", "-rc1", "-1.9", "-1.10", " FY26"]),
    st.sampled_from(["", "-final", " (1)", "-draft", ".de"]),
    st.sampled_from([".md", ".pdf"]),
)
TITLE = st.sampled_from(["", "Deck", "Deck v2", "Acme deck", "Policy (internal)", "Minutes 2026-05"])


@given(st.dictionaries(NAME, TITLE, max_size=25), st.data())
def test_the_order_of_input_changes_no_group(titles: dict[str, str], data: st.DataObject) -> None:
    members = [Member(DocumentKey("s", doc_id), title, "") for doc_id, title in titles.items()]
    cosines: dict[frozenset[DocumentKey], float] = {}

    def alike(one: DocumentKey, other: DocumentKey) -> float:
        pair = frozenset((one, other))
        if pair not in cosines:
            cosines[pair] = data.draw(st.sampled_from([0.0, 0.3, 0.5, 0.7, 1.0]))
        return cosines[pair]

    expected = group(members, alike)
    shuffled = data.draw(st.permutations(members))
    assert group(shuffled, alike) == expected
    held = [member.key for each in expected.found for member in each.members]
    assert len(held) == len(set(held))
    assert len({each.family for each in expected.found}) == len(expected.found)
