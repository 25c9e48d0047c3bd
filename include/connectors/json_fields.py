"""Reads values out of foreign JSON: states against an allow-list, versions, ids, numbers. Pure."""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError

from include.domain.errors import DocumentUnreadable

States = Mapping[str, Sequence[bool | int | float | str | None]]


@functools.lru_cache(maxsize=512)
def _compiled(expression: str) -> Any:
    return jmespath.compile(expression)


def search(expression: str, data: object) -> Any:
    """The value at a JMESPath expression; None where it is missing or the data has another shape."""
    try:
        return _compiled(expression).search(data)
    except JMESPathError:
        return None


def judge(states: States, data: object) -> tuple[bool | None, str]:
    """Whether every named field has an allowed value. (False, why) names the first that has another value,
    (None, why) one that is missing: its state is unknown, which is neither public nor gone. A null that is written is
    a state that may be allowed; a field that is not there has none."""
    unknown = ""
    for expression, allowed in states.items():
        value = search(expression, data)
        if any(_same(value, one) for one in allowed) and not (value is None and _is_missing(expression, data)):
            continue
        if value is not None:
            return False, f"{expression} is {value!r:.60}, allowed: {', '.join(map(repr, allowed))}"
        unknown = unknown or f"{expression} is missing"
    return (None, unknown) if unknown else (True, "")


_DIGITS = re.compile(r"\d{1,18}")
_PLAIN_PATH = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


def _is_missing(expression: str, data: object) -> bool:
    """Whether a path of plain names leads nowhere. Of any other expression it cannot be told: it is as written."""
    if not _PLAIN_PATH.fullmatch(expression):
        return False
    for name in expression.split("."):
        if not isinstance(data, Mapping) or name not in data:
            return True
        data = data[name]
    return False


def _same(value: object, allowed: object) -> bool:
    """1 is not true: a number where a switch was due is an unknown state."""
    return value == allowed and isinstance(value, bool) is isinstance(allowed, bool)


def version_of(expressions: Sequence[str], data: object) -> str:
    """The value of one expression as it is, or a digest of several. Empty when none of them has a value."""
    values = [search(expression, data) for expression in expressions]
    if all(value is None for value in values):
        return ""
    if len(values) == 1 and isinstance(values[0], str | int) and not isinstance(values[0], bool):
        return str(values[0]).strip()
    text = json.dumps(values, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def identifier(value: object) -> str:
    """The id as text. Raises ValueError for what cannot be one (missing, empty, a dot path, not text or integer)."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError(f"{value!r:.60} is not an id")
    text = str(value)
    if not text.strip() or text in (".", "..") or any(ord(char) < 32 or 0xD800 <= ord(char) < 0xE000 for char in text):
        raise ValueError(f"{value!r:.60} is not an id")
    return text


def whole_number(value: object) -> int | None:
    """A count, from a number or its digits; None for anything else."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    return int(value) if isinstance(value, str) and _DIGITS.fullmatch(value.strip()) else None


def text_of(value: object) -> str | None:
    """A text, or a list of texts joined by an empty line; None for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
        return "\n\n".join(value)
    return None


def utf8(text: str, name: str) -> bytes:
    """The text as bytes. Raises DocumentUnreadable where JSON escapes spell half of a character pair."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise DocumentUnreadable(f"{name} holds half a character pair at position {error.start}") from None
