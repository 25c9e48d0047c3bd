"""Named stages: draft, proposed, alpha, beta, rc, approved, final, final-final. Pure; texts are in lower case."""

from __future__ import annotations

import re
from collections.abc import Callable

from include.families.calendars import LEFT, RIGHT
from include.families.kinds import Kind, Stage, Version
from include.families.vocabulary import APPROVED_WORDS, DRAFT_WORDS, FINAL_WORDS, PROPOSED_WORDS, apart

_LADDER: dict[Stage, tuple[int, int]] = {
    # From where to where a stage may lie. Draft and proposed belong to papers, alpha and beta to products: which of a
    # draft and a beta came first, nobody knows.
    Stage.DRAFT: (10, 40),
    Stage.PROPOSED: (11, 41),
    Stage.ALPHA: (20, 30),
    Stage.BETA: (21, 31),
    Stage.CANDIDATE: (50, 50),
    Stage.FINAL: (60, 60),
}


def stage(text: str, of: Stage, times: int = 1) -> Version:
    """A named stage. `times`: final-final is said twice, FINAL2 is the second."""
    low, high = _LADDER[of]
    return Version(Kind.STAGE, text, ((low, times),), ((high, times),), stage=of)


_END = r"(?=[\s._,\x00()\[\]-]*$)"
_BEGIN = r"^[\s(\[]{0,2}"
_BETWEEN = r"(?=[\s._:\])–-])"


def _final(match: re.Match[str]) -> Version:
    times = len(re.findall(FINAL_WORDS, match[1]))
    return stage(match[0], Stage.FINAL, int(match[2]) if match[2] else times)


def _named(of: Stage) -> Callable[[re.Match[str]], Version | None]:
    return lambda match: stage(match[0].strip(" ()[]"), of)


_RC = r"rc[\s_-]?(\d{0,2})|release[\s_-]candidate[\s_-]?(\d{0,2})"


def _candidate(match: re.Match[str]) -> Version:
    return stage(match[0].strip(" ()[]"), Stage.CANDIDATE, int(match[1] or match[2] or 1))


STAGES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Version | None]], ...] = tuple(
    (re.compile(pattern), read)
    for words, read in (
        (apart(DRAFT_WORDS), _named(Stage.DRAFT)),
        (apart(PROPOSED_WORDS), _named(Stage.PROPOSED)),
    )
    for pattern in (
        rf"{LEFT}(?:{words}){RIGHT}{_END}",
        rf"{_BEGIN}(?:{words}){_BETWEEN}",
        rf"[(\[](?:{words})[)\]]",
    )
) + tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (
            rf"{LEFT}(?:v[\s_-]?|version[\s_-])?((?:(?:{FINAL_WORDS})[\s._-]{{0,2}})*(?:{FINAL_WORDS}))[\s._-]?(\d{{1,2}})?{RIGHT}{_END}",
            _final,
        ),
        (rf"{_BEGIN}({FINAL_WORDS})(){_BETWEEN}", _final),
        (rf"[(\[]({FINAL_WORDS})()[)\]]", _final),
        (rf"{LEFT}(?:{APPROVED_WORDS}){RIGHT}{_END}", _named(Stage.FINAL)),
        (rf"[(\[](?:{APPROVED_WORDS})[)\]]", _named(Stage.FINAL)),
        (rf"{_BEGIN}(?:{APPROVED_WORDS})(?:\s[-–]\s|:\s)", _named(Stage.FINAL)),
        (rf"{LEFT}(?:{_RC}){RIGHT}{_END}", _candidate),
        (rf"{LEFT}alpha{RIGHT}{_END}", _named(Stage.ALPHA)),
        (rf"{LEFT}beta{RIGHT}{_END}", _named(Stage.BETA)),
    )
)
"""Stages are words like others: they count at the end of a name, at its beginning or in brackets."""
