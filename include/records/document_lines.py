"""A record for each document of a source, in one file, a line each; see `entry_lines`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from include.domain.errors import ConfigError
from include.records.entry_lines import EntryError, read_entries, write_entries

RecordT = TypeVar("RecordT")


def read_documents(
    file: Path, record: Callable[[Mapping[str, Any]], RecordT], fields: Sequence[str]
) -> dict[str, RecordT]:
    """By doc id; none where there is no file. `record` raises ValueError for fields that make none. Raises ConfigError
    with everything that is wrong in the file."""
    try:
        entries = read_entries(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (EntryError, UnicodeDecodeError) as error:
        raise _spoilt(file, str(error)) from error
    found: dict[str, RecordT] = {}
    problems: list[str] = []
    for doc_id, said in entries.items():
        if not isinstance(said, dict) or said.keys() - set(fields):
            problems.append(f"{doc_id}: due are {', '.join(fields)}, got {said!r}")
            continue
        try:
            found[doc_id] = record(said)
        except ValueError as error:
            problems.append(f"{doc_id}: {error}")
    if problems:
        raise _spoilt(file, "; ".join(problems))
    return found


def write_documents(records: Mapping[str, object], fields: Sequence[str]) -> str:
    return write_entries({doc_id: {name: getattr(each, name) for name in fields} for doc_id, each in records.items()})


def text_of(fields: Mapping[str, Any], name: str) -> str:
    """Empty where nothing is said."""
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _spoilt(file: Path, problem: str) -> ConfigError:
    return ConfigError(
        f"ledger file {file} cannot be read: {problem}. It was edited by hand; mend it or `git revert` the change",
        path=str(file),
    )
