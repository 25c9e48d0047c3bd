"""What two texts have in common, word by word. Pure."""

from __future__ import annotations

import re
from collections.abc import Set
from functools import lru_cache
from typing import Any

BRIEF = 30
"""Words of a text up to which it is a record: two of one form have hardly a run of three words in common."""

_LONGEST_WORD = 20
_WORD = re.compile(r"\w+")
_ROW_OF_DIGITS = re.compile(r"\d+")


def share_of_runs(one: str, other: str) -> float:
    """Three-word runs that two texts have in common, of all that they have (Jaccard)."""
    return _share(_runs(one), _runs(other))


def share_of_words(one: str, other: str) -> float:
    """Words that two texts have in common, of all that they have (Jaccard). Any number is like any other."""
    words, others = ({"0" if word.isdecimal() else word for word in folded_words(text)} for text in (one, other))
    return _share(words, others)


def is_brief(text: str) -> bool:
    return len(text) <= BRIEF * _LONGEST_WORD and len(text.split()) <= BRIEF


@lru_cache(maxsize=2048)
def folded_words(text: str) -> frozenset[str]:
    """In lower case, a plural like its singular."""
    return frozenset(word.removesuffix("s") for word in _WORD.findall(text.casefold()))


def have_the_same_numbers(one: str, other: str) -> bool:
    """Whether the same rows of digits stand in both, in whatever order."""
    return _digits(one) == _digits(other) and _numbers(one) == _numbers(other)


@lru_cache(maxsize=2048)
def _digits(text: str) -> tuple[int, ...]:
    """How often each digit stands there: ten times quicker than to read the numbers, and nearly always enough."""
    return tuple(text.count(digit) for digit in "0123456789")


@lru_cache(maxsize=2048)
def _numbers(text: str) -> tuple[str, ...]:
    return tuple(sorted(_ROW_OF_DIGITS.findall(text)))


@lru_cache(maxsize=1024)
def _runs(text: str) -> frozenset[int]:
    """As numbers: a thousand texts as tuples of words would be half a million objects for the garbage collector."""
    words = _WORD.findall(text.lower())
    return frozenset(map(hash, zip(words, words[1:], words[2:], strict=False))) or frozenset({hash(tuple(words))})


def _share(one: Set[Any], other: Set[Any]) -> float:
    common = len(one & other)
    return common / max(1, len(one) + len(other) - common)
