"""Values of fields as people write them, and what several hands say together."""

from __future__ import annotations

import pytest

from include.domain.documents import Marks, Status
from include.domain.metadata import MARKS, SETTABLE, Patch, marks_of, merged, value_of


@pytest.mark.parametrize(
    ("name", "said", "value"),
    [
        ("created_at", "2023-04-01", "2023-04-01T00:00:00.000000Z"),
        ("created_at", " 2023-04-01 ", "2023-04-01T00:00:00.000000Z"),
        ("created_at", "2023-04-01T09:30:00+02:00", "2023-04-01T07:30:00.000000Z"),
        ("created_at", "2023-04-01 09:30Z", "2023-04-01T09:30:00.000000Z"),
        ("expires_at", "2199-12-31", "2199-12-31T00:00:00.000000Z"),
        ("pinned", "true", True),
        ("pinned", False, False),
        ("pinned", "No", False),
        ("doc_family", "  travel policy ", "travel policy"),
        ("family_version", "1.10", "1.10"),
        ("title", "Q3\u00a0report – Überblick 😀", "Q3\u00a0report – Überblick 😀"),
        ("superseded_by", "b.md", ("b.md",)),
        ("superseded_by", ["b.md", " c.md"], ("b.md", " c.md")),
        ("supersedes", [], ()),
        ("status", "archived", "archived"),
        ("status", "staged_for_review", "staged_for_review"),
    ],
)
def test_a_value_has_one_spelling_however_it_was_written(name: str, said: object, value: object) -> None:
    assert value_of(name, said) == value
    assert value_of(name, value_of(name, said)) == value, "the spelling is read as itself"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        *[("created_at", said) for said in ("2023-04", "2023", "01/04/2023", "2023-02-30", "2023-W14-1", "yesterday")],
        *[("created_at", said) for said in ("2023-04-01T09:30:00", "2023-04-01 09:30", "20230401", "1970-01-01", "")],
        *[("created_at", said) for said in ("0001-01-01", "2023-04-01T25:00Z", "2023-04-01T09:30+99:00", 1680300000)],
        *[("pinned", said) for said in ("maybe", "1", 1, None, "")],
        *[("doc_family", said) for said in ("", "  ", "a\nb", "a\x00b", "\ud800", 3, ["a"], None)],
        *[("superseded_by", said) for said in ("", ["a", ""], ["a", "a"], ["a", 1], {"a": 1}, None)],
        *[("status", said) for said in ("incoming", "deleted", "Archived", "", None, ["archived"])],
    ],
)
def test_what_is_not_a_value_is_refused_with_what_is_allowed(name: str, said: object) -> None:
    with pytest.raises(ValueError, match=rf"^{name} is .*; allowed is "):
        value_of(name, said)


@pytest.mark.parametrize("name", ["title", "doc_family", "created_at", "superseded_by"])
def test_a_value_that_was_pasted_by_mistake_is_refused_in_a_short_message(name: str) -> None:
    assert value_of("title", "é" * 4096) == "é" * 4096
    with pytest.raises(ValueError, match=f"^{name} is ") as raised:
        value_of(name, ["é" * 500_000, 1] if name == "superseded_by" else "é" * 500_000)
    assert len(str(raised.value)) < 500


def test_an_unknown_field_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="'pined' is not a field that can be set; allowed are status, pinned"):
        value_of("pined", "true")
    for name in ("doc_version", "text", "url", "fetched_at", "status_", "metadata"):
        with pytest.raises(ValueError, match="not a field"):
            value_of(name, "x")


def test_marks_are_made_of_what_is_said_and_the_rest_is_as_of_an_unmarked_document() -> None:
    assert marks_of({}) == Marks()
    made = marks_of({"status": "superseded", "superseded_by": ("b",), "title": "T", "pinned": None})
    assert made == Marks(status=Status.SUPERSEDED, superseded_by=("b",), is_current=False, metadata={"title": "T"})
    assert set(SETTABLE) >= set(MARKS)


RESOLVED = {"status": "superseded", "superseded_by": ("b",), "is_current": False, "doc_family": "travel"}


def test_what_a_person_calls_superseded_is_not_current_unless_they_say_so() -> None:
    said: Patch = {"status": "superseded", "superseded_by": ("b",)}
    assert not marks_of(merged(said, {})).is_current
    assert not marks_of(merged(said, {"is_current": True})).is_current
    assert marks_of({**said, "is_current": True}).is_current
    assert marks_of({"superseded_by": ("b",)}).is_current


def test_a_person_s_word_counts_field_by_field() -> None:
    assert merged({"doc_family": "leave"}, RESOLVED) == {**RESOLVED, "doc_family": "leave"}
    assert merged({}, RESOLVED) == RESOLVED
    assert merged({"is_canonical": True, "title": "T"}, {}) == {"is_canonical": True, "title": "T"}


@pytest.mark.parametrize(
    "word",
    [{"pinned": True}, {"pinned": True, "status": "archived"}, {"status": "published"}, {"status": "superseded"}],
)
def test_where_a_person_has_pinned_it_or_said_its_status_nothing_of_the_resolver_s_replacement_remains(
    word: dict[str, object],
) -> None:
    assert merged(word, RESOLVED) == {**word, "doc_family": "travel"}


def test_what_a_person_archives_still_leads_to_what_took_its_place() -> None:
    link = {"superseded_by": ("b",), "doc_family": "travel"}
    assert merged({"status": "archived"}, RESOLVED) == {"status": "archived", **link}
    assert merged({"status": "archived", "superseded_by": ("c",)}, RESOLVED)["superseded_by"] == ("c",)


def test_a_pin_that_was_taken_back_leaves_the_resolver_its_word() -> None:
    assert merged({"pinned": False}, RESOLVED) == {**RESOLVED, "pinned": False}


@pytest.mark.parametrize(
    ("person", "status"),
    [
        ({}, "staged_for_review"),
        ({"doc_family": "leave"}, "staged_for_review"),
        ({"pinned": False}, "staged_for_review"),
        ({"pinned": True}, None),
        ({"status": "published"}, "published"),
        ({"status": "archived"}, "archived"),
    ],
)
def test_the_detector_stages_what_no_person_has_spoken_for_and_has_no_other_word(
    person: dict[str, object], status: str | None
) -> None:
    found = merged(person, RESOLVED, {"status": "staged_for_review", "title": "not its own to say"})
    assert found.get("status") == status
    assert "title" not in found
