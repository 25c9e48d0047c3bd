"""What two texts have in common, word by word. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

BRIEF = 30
"""Words of a text up to which it is a record: two of one form have hardly a run of three words in common."""

_WORD = re.compile(r"\w+")
_RUN = 3


def share_of_runs(one: str, other: str) -> float:
    """Three-word runs that two texts have in common, of all that they have (Jaccard)."""
    runs, others = _runs(one), _runs(other)
    return len(runs & others) / len(runs | others)


def share_of_words(one: str, other: str) -> float:
    """Words that two texts have in common, of all that they have (Jaccard). Any number is like any other."""
    words, others = ({"0" if word.isdecimal() else word for word in folded_words(text)} for text in (one, other))
    return len(words & others) / max(1, len(words | others))


def is_brief(text: str) -> bool:
    return len(_WORD.findall(text)) <= BRIEF


@lru_cache(maxsize=2048)
def folded_words(text: str) -> frozenset[str]:
    """In lower case, a plural like its singular."""
    return frozenset(word.removesuffix("s") for word in _WORD.findall(text.casefold()))


@lru_cache(maxsize=2048)
def numbers(text: str) -> tuple[str, ...]:
    """Every word with a digit in it, sorted."""
    return tuple(sorted(word for word in _WORD.findall(text) if any(char.isdigit() for char in word)))


@lru_cache(maxsize=2048)
def _runs(text: str) -> frozenset[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    return frozenset(zip(*(words[start:] for start in range(_RUN)), strict=False)) or frozenset({tuple(words)})
