"""Tables of metadata that people bring: a patch for each document, as CSV or as YAML.

    doc_id,created_at,title                     decks/q3.pptx:
    decks/q3.pptx,2025-10-07,                     created_at: 2025-10-07
    decks/q4.pptx,2026-01-12,The Q4 deck        decks/q4.pptx: {created_at: 2026-01-12, title: The Q4 deck}

An empty cell says nothing of its field. In YAML `null` takes a mark or an override away. Values are the text that
stands there: nothing is turned into a number or a date on the way.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path

from include.domain.errors import ConfigError
from include.domain.metadata import SETTABLE, Patch
from include.planning.assigning import typed
from include.records.entry_lines import EntryError, read_entries

_ID = "doc_id"
_MOST_PROBLEMS = 20


def read_patches(path: Path) -> Mapping[str, Patch]:
    """By doc_id. Raises ConfigError with everything that is wrong, by line or document; half a table is none."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}. It has to be CSV or YAML, in UTF-8") from error
    kinds = {".csv": _csv, ".yaml": _yaml, ".yml": _yaml}
    if path.suffix.lower() not in kinds:
        raise ConfigError(f"{path}: a table of metadata is a .csv or a .yaml file")
    problems: list[str] = []
    patches = kinds[path.suffix.lower()](text, problems)
    if not patches and not problems:
        problems.append("it names no document")
    if problems:
        more = f"; and {len(problems) - _MOST_PROBLEMS} more" if len(problems) > _MOST_PROBLEMS else ""
        raise ConfigError(f"{path}: {'; '.join(problems[:_MOST_PROBLEMS])}{more}. Nothing was changed")
    return patches


def _csv(text: str, problems: list[str]) -> dict[str, Patch]:
    heading = text.partition("\n")[0]
    # Spreadsheets of half the world separate by semicolons; the heading has names only, so it tells.
    separator = ";" if ";" in heading and "," not in heading else ","
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    patches: dict[str, Patch] = {}
    try:
        names = [name.strip() for name in next(rows, [])]
        if not _is_heading(names, problems):
            return {}
        for row in rows:
            if any(cell.strip() for cell in row):
                _row(names, row, f"line {rows.line_num}", patches, problems)
    except csv.Error as error:
        problems.append(f"line {rows.line_num}: {error}")
    return patches


def _is_heading(names: list[str], problems: list[str]) -> bool:
    unknown = [name for name in names if name != _ID and name not in SETTABLE]
    if names.count(_ID) != 1 or unknown or len(set(names)) < len(names) or len(names) < 2:
        problems.append(
            f"line 1: the heading is [{', '.join(names)}]; due are {_ID} and fields, each once: {', '.join(SETTABLE)}"
        )
        return False
    return True


def _row(names: list[str], row: list[str], where: str, patches: dict[str, Patch], problems: list[str]) -> None:
    if len(row) != len(names):
        problems.append(f"{where}: {len(row)} cells, the heading has {len(names)}")
        return
    said = {name: cell for name, cell in zip(names, row, strict=True) if cell.strip()}
    doc_id = said.pop(_ID, "")
    if not doc_id:
        problems.append(f"{where}: no {_ID}")
    elif doc_id in patches:
        problems.append(f"{where}: {doc_id} is there twice")
    elif said:
        _add(doc_id, said, where, patches, problems)


def _yaml(text: str, problems: list[str]) -> dict[str, Patch]:
    patches: dict[str, Patch] = {}
    try:
        found = read_entries(text)
    except EntryError as error:
        problems.append(str(error))
        return {}
    for doc_id, fields in found.items():
        if isinstance(fields, dict) and fields:
            _add(doc_id, fields, doc_id, patches, problems)
        else:
            problems.append(f"{doc_id}: fields are due, got {fields!r}")
    return patches


def _add(doc_id: str, said: Mapping[str, object], where: str, patches: dict[str, Patch], problems: list[str]) -> None:
    try:
        patches[doc_id] = typed(said)
    except ConfigError as error:
        problems.append(f"{where}: {error}")
