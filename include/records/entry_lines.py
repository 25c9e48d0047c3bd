"""Files of one entry a line. A line is a name and its fields in JSON, which is YAML as well:

    "policies/2023/leave.md": {"created_at": "2023-04-01T00:00:00.000000Z", "pinned": true}

So any YAML reader reads the file, `git diff` shows one line for each document that changed, and a file of 100,000
documents is read in a second, not in a minute. A person may write any YAML in it; the next change that truecopy records
brings it back into lines.

Scalars are read as the text that stands there: `family_version: 1.10` is not the number 1.1, `0123` is not 83, and a
date is what was typed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

import yaml

# Longer keys need a line of their own in YAML.
_LONGEST_KEY = 1000
# JSON takes these as they are, YAML does not, or reads a line break in them.
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")

_NOTHING = frozenset({"", "~", "null", "Null", "NULL"})


class EntryError(ValueError):
    """A file cannot be read; the message says where and why."""


def entry(value: object) -> str:
    """A value on one line, as JSON that every YAML reader takes too."""
    text = json.dumps(value, ensure_ascii=False, default=dict)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def write_entries(entries: Mapping[str, object]) -> str:
    """One line for each entry, sorted by name; `{}` when there is none."""
    lines = []
    for name in sorted(entries):
        key, value = entry(name), entry(entries[name])
        lines.append(f"{key}: {value}\n" if len(key) <= _LONGEST_KEY else f"? {key}\n: {value}\n")
    return "".join(lines) or "{}\n"


def read_entries(text: str) -> dict[str, Any]:
    """Entries by name; scalars are str, or None where nothing is said (null). In lines, true and false are bool.

    Raises EntryError for what is no YAML, no mapping, or names an entry or a field twice.
    """
    found = _read_lines(text)
    return _read_yaml(text) if found is None else found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise EntryError(f"{twice!r} is there twice")
    return fields


_JSON = json.JSONDecoder(object_pairs_hook=_unique, parse_int=str, parse_float=str, parse_constant=str)


def _read_lines(text: str) -> dict[str, Any] | None:
    """None if the file is not written in lines as `write_entries` writes them, comments and blank lines aside."""
    found: dict[str, Any] = {}
    long_key: str | None = None
    try:
        for line in text.split("\n"):
            line = line.rstrip("\r")
            if not line or line.startswith("#"):
                continue
            if long_key is not None:
                if not line.startswith(": "):
                    return None
                name, value = long_key, _JSON.decode(line[2:])
                long_key = None
            elif line.startswith('? "'):
                long_key = _JSON.decode(line[2:])
                continue
            elif line.startswith('"'):
                name, end = _JSON.raw_decode(line)
                if line[end : end + 2] != ": ":
                    return None
                value = _JSON.decode(line[end + 2 :])
            else:
                return None
            if name in found:
                raise EntryError(f"{name!r} is there twice")
            found[name] = value
    except json.JSONDecodeError:
        return None
    return found if found and long_key is None else None


class _Text(getattr(yaml, "CBaseLoader", yaml.BaseLoader)):  # type: ignore[misc]
    """YAML whose scalars are the text that stands there, and in which nothing may be said twice."""

    def construct_scalar(self, node: Any) -> str | None:
        text: str = super().construct_scalar(node)
        return None if not node.style and text in _NOTHING else text

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[str, Any]:
        pairs = [
            (self.construct_object(key, deep=True), self.construct_object(value, deep=True))
            for key, value in node.value
        ]
        line = node.start_mark.line + 1
        if any(not isinstance(key, str) for key, _ in pairs):
            raise EntryError(f"line {line}: a name must be text")
        try:
            return _unique(pairs)
        except EntryError as error:
            raise EntryError(f"line {line}: {error}") from None


def _read_yaml(text: str) -> dict[str, Any]:
    try:
        found = yaml.load(text, _Text)
    except (yaml.YAMLError, RecursionError) as error:
        raise EntryError(" ".join(str(error).split())) from error
    if not isinstance(found, dict):
        raise EntryError("it must map names to fields; write {} for none")
    return found


def write_list(heading: Mapping[str, object], name: str, rows: Iterable[object]) -> str:
    """A file with a heading, one field a line, and the list `name`, one row a line."""
    lines = [f"{field}: {entry(value)}\n" for field, value in heading.items()]
    lines.append(f"{name}:\n")
    lines.extend(f"- {entry(row)}\n" for row in rows)
    return "".join(lines)


def read_list(text: str, name: str) -> tuple[dict[str, Any], list[Any]]:
    """The inverse of `write_list`. Raises EntryError for anything else."""
    head, found, tail = text.partition(f"\n{name}:\n")
    if not found:
        raise EntryError(f"it has no {name}")
    try:
        heading = {}
        for line in head.split("\n"):
            field, _, value = line.partition(": ")
            heading[field] = _JSON.decode(value)
        return heading, [_JSON.decode(line.removeprefix("- ")) for line in tail.split("\n") if line]
    except json.JSONDecodeError as error:
        raise EntryError(str(error)) from error
