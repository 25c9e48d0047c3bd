"""A candidate beside what takes its place, for a person who has to decide. Pure.

    --- decks/march.md
    +++ decks/june.md
     … full refund within [-30-] {+60+} days of …
    -Slide nine: we support 20 connectors.
    = 41 lines are the same

Lines are compared first, then the words of two lines that are much alike. The text can stand in a YAML block as it is:
no tabs, no control characters, no blanks at the end of a line, never longer than asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice, pairwise
from typing import Literal

from include.staleness.evidence import Candidate

MOST_LINES = 40
WIDTH = 160
AROUND = 6
"""Words that are shown before and after a change."""

_LONGEST_LINE = 400  # words; what is longer is compared as a whole, or one page without line feeds would take minutes
_MOST_COMPARED = 2000  # lines of each text
_ALIKE = 0.5
_MARKED = re.compile(r"(\[-.*?-\]|\{\+.*?\+\})")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff\ufffe\uffff]")


def differences(old: str, new: str, *, names: tuple[str, str] = ("this", "that"), most_lines: int = MOST_LINES) -> str:
    """What was changed from `old` to `new`, in at most `most_lines` lines and two for the names. Never empty: texts
    that are the same are said to be so."""
    lines, others = _lines(old), _lines(new)
    head = [f"--- {_printable(names[0])}", f"+++ {_printable(names[1])}"]
    if lines == others:
        return "\n".join([*head, f"= the same text, {len(lines)} lines"])
    matcher = SequenceMatcher(None, lines[:_MOST_COMPARED], others[:_MOST_COMPARED], autojunk=False)
    blocks = matcher.get_opcodes()
    shown = [
        line
        for kind, start, stop, other_start, other_stop in blocks
        if kind != "equal"
        for line in _changed(lines[start:stop], others[other_start:other_stop])
    ]
    notes = []
    room = most_lines - 1
    if len(shown) > room:
        notes.append(f"{len(shown) - room} changed lines are not shown")
        shown = shown[:room]
    left_out = max(len(lines), len(others)) - _MOST_COMPARED
    if left_out > 0:
        notes.append(f"{left_out} lines at the end are not compared")
    same = sum(stop - start for kind, start, stop, _, _ in blocks if kind == "equal")
    notes.append(f"{same} lines are the same")
    return "\n".join([*head, *shown, f"= {', '.join(notes)}"])


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a line of `differences`: `gone` stands in the old text only, `new` in the new one only. A `note` stands
    in neither."""

    text: str
    kind: Literal["same", "gone", "new", "note"]


def pieces_of(line: str) -> list[Piece]:
    """What one line of `differences` shows, its marks left out. Not for the two lines with the names."""
    kinds: dict[str, Literal["gone", "new", "note"]] = {"-": "gone", "+": "new", "=": "note"}
    if kind := kinds.get(line[:1]):
        return [Piece(line[1:], kind)]
    return [
        Piece(part[2:-2], "gone" if part.startswith("[-") else "new")
        if _MARKED.fullmatch(part)
        else Piece(part, "same")
        for part in _MARKED.split(line)
        if part
    ]


@dataclass(frozen=True, slots=True)
class Side:
    """A line of `differences`, as it stands in the old text and in the new one; a `note` is about both."""

    old: Sequence[Piece] = ()
    new: Sequence[Piece] = ()
    note: str = ""


def side_by_side(difference: str) -> list[Side]:
    """The lines of `differences`, what is gone beside what is new in its place; the names are left out."""
    lines = [pieces_of(line) for line in islice(difference.splitlines(), 2, None)]
    sides, taken = [], False
    for pieces, following in pairwise([*lines, []]):
        kind = pieces[0].kind if len(pieces) == 1 else "same"
        if taken:
            taken = False
        elif kind == "note":
            sides.append(Side(note=pieces[0].text))
        elif kind == "gone":
            taken = len(following) == 1 and following[0].kind == "new"
            sides.append(Side(old=pieces, new=following if taken else ()))
        else:
            old, new = ([each for each in pieces if each.kind != other] for other in ("new", "gone"))
            sides.append(Side(old, new))
    return sides


def summary(candidate: Candidate) -> str:
    """What is proposed and why, a line for each finding, the strongest first."""
    lines = [f"{candidate.proposal} {candidate.key}, score {candidate.score:.3f}"]
    lines += [f"{each.strength:.2f} {each.signal}: {each.sentence}" for each in candidate.evidence]
    return "\n".join(_printable(line) for line in (*lines, candidate.arithmetic))


def _lines(text: str) -> list[str]:
    return [line for each in text.splitlines() if (line := _printable(each))]


def _printable(text: str) -> str:
    return " ".join(_UNPRINTABLE.sub(" ", text).split())


def _changed(lines: Sequence[str], others: Sequence[str]) -> Iterator[str]:
    """Lines that stand in one another's place, pair by pair; the rest as gone and as new."""
    paired = min(len(lines), len(others))
    for line, other in zip(lines[:paired], others[:paired], strict=True):
        words, other_words = line.split(), other.split()
        if max(len(words), len(other_words)) <= _LONGEST_LINE:
            matcher = SequenceMatcher(None, words, other_words, autojunk=False)
            if matcher.ratio() >= _ALIKE:
                yield f" {_shortened(' '.join(_marked(matcher, words, other_words)))}"
                continue
        yield f"-{_shortened(line)}"
        yield f"+{_shortened(other)}"
    yield from (f"-{_shortened(line)}" for line in lines[paired:])
    yield from (f"+{_shortened(line)}" for line in others[paired:])


def _marked(matcher: SequenceMatcher[str], words: Sequence[str], others: Sequence[str]) -> Iterator[str]:
    """The words of a line with its changes marked, and what lies far from any change left out."""
    blocks = matcher.get_opcodes()
    for number, (kind, start, stop, other_start, other_stop) in enumerate(blocks):
        if kind == "equal":
            before = AROUND if number > 0 else 0
            after = AROUND if number < len(blocks) - 1 else 0
            same = words[start:stop]
            if len(same) > before + after + 1:
                same = [*same[:before], "…", *same[len(same) - after :]]
            yield from same
            continue
        if stop > start:
            yield f"[-{' '.join(words[start:stop])}-]"
        if other_stop > other_start:
            yield f"{{+{' '.join(others[other_start:other_stop])}+}}"


def _shortened(line: str) -> str:
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 2].rstrip()} …"
