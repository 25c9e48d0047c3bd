"""A candidate beside what takes its place, as a person reads it."""

from __future__ import annotations

import time

import pytest
import yaml

from include.staleness.diff import Piece, Side, differences, side_by_side, summary
from tests.staleness_subjects import found, subject

OLD = """# Refunds

We give a full refund within 30 days of the purchase when the product is returned in its box and with its receipt.

An old line that nobody needs.
The same line.
"""
NEW = """# Refunds

We give a full refund within 60 days of the purchase when the product is returned in its box and with its receipt.

The same line.
A new line.
"""


def test_changed_words_stand_in_their_line_and_the_rest_is_left_out() -> None:
    assert differences(OLD, NEW, names=("decks/march.md", "decks/june.md")).splitlines() == [
        "--- decks/march.md",
        "+++ decks/june.md",
        " We give a full refund within [-30-] {+60+} days of the purchase when the …",
        "-An old line that nobody needs.",
        "+A new line.",
        "= 2 lines are the same",
    ]


def test_texts_that_are_the_same_are_said_to_be_so() -> None:
    assert differences(OLD, OLD.replace("\n", "\n\n")).endswith("= the same text, 4 lines")


def test_long_differences_are_cut_and_counted() -> None:
    old = "\n".join(f"line number {number} of the old text" for number in range(100))
    shown = differences(old, "all of it is new", most_lines=10).splitlines()
    assert len(shown) == 12
    assert shown[-1] == "= 92 changed lines are not shown, 0 lines are the same"


@pytest.mark.parametrize(
    "text",
    ["a\ttab", "bell\x07", "next\x85line", "wide\u2028line", "blank at the end   ", "bidi \u202e back", "x" * 999],
)
def test_the_text_stands_in_a_yaml_block_as_it_is(text: str) -> None:
    shown = differences(OLD, text)
    assert yaml.safe_load(yaml.safe_dump({"diff": shown}, allow_unicode=True)) == {"diff": shown}
    written = yaml.safe_dump({"diff": shown}, default_style="|", allow_unicode=True)
    assert "|-" in written
    assert max(map(len, shown.splitlines())) <= 161


def test_pages_without_line_feeds_and_of_equal_lines_are_compared_in_no_time() -> None:
    started = time.process_time()
    differences("word other " * 20_000, "other word " * 20_000)
    differences("same\n" * 9_000, "same\n" * 8_000 + "new\n" * 500)
    assert time.process_time() - started < 10


def test_the_summary_is_what_is_proposed_and_why() -> None:
    (candidate,) = found(subject("a.md", superseded_by=("b.md",)), subject("b.md")).candidates
    assert summary(candidate) == (
        "stage shelf:a.md, score 0.950\n"
        "0.95 superseded: the resolver says that it is superseded by b.md (B)\n"
        "superseded 0.95: 1 − (1 − 0.95) = 0.950, stage."
    )


def test_a_difference_is_read_line_beside_line() -> None:
    assert side_by_side("--- old\n+++ new\n-- a list\n+- another\n+more\n-gone\n Same [-1-] {+2+}\n= 3 same") == [
        Side([Piece("- a list", "gone")], [Piece("- another", "new")]),
        Side([], [Piece("more", "new")]),
        Side([Piece("gone", "gone")], ()),
        Side(
            [Piece(" Same ", "same"), Piece("1", "gone"), Piece(" ", "same")],
            [Piece(" Same ", "same"), Piece(" ", "same"), Piece("2", "new")],
        ),
        Side(note=" 3 same"),
    ]
    assert side_by_side("") == []
    assert side_by_side(differences(OLD, NEW))[-1].note.endswith("same")
