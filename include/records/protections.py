"""What people hold, in one file for each source: `protection/<source>.yaml`, a line for each document.

"policies/leave.md": {"held_until": "2027-03-01T00:00:00.000000Z", "reason": "…", "by": "ada", "at": "…"}
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from include.domain.errors import ConfigError
from include.domain.metadata import Shape, value_of
from include.domain.review import Protection
from include.records.entry_lines import EntryError, read_entries, write_entries
from include.records.repository import person
from include.records.yaml_records import YamlRecords

_FIELDS = ("held_until", "reason", "by", "at")


class Protections(YamlRecords):
    """The part of ports.Ledger that is about holds; implements ports.Protections."""

    def holds(self, source: str) -> Mapping[str, Protection]:
        path = self._folder / _path(source)
        try:
            entries = read_entries(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (EntryError, UnicodeDecodeError) as error:
            raise _spoilt(path, str(error)) from error
        problems: list[str] = []
        holds = {doc_id: _protection(doc_id, fields, problems) for doc_id, fields in entries.items()}
        if problems:
            raise _spoilt(path, "; ".join(problems))
        return {doc_id: hold for doc_id, hold in holds.items() if hold is not None}

    def protect(self, source: str, changes: Mapping[str, Protection | None], *, by: str, message: str) -> None:
        with self._repository.locked():
            standing = dict(self.holds(source))
            after = {doc_id: hold for doc_id, hold in {**standing, **changes}.items() if hold is not None}
            if after != standing:
                rows = {doc_id: {name: getattr(hold, name) for name in _FIELDS} for doc_id, hold in after.items()}
                self._repository.write(_path(source), write_entries(rows))
                self._repository.commit([_path(source)], message, person(by))


def _path(source: str) -> str:
    return f"protection/{source}.yaml"


def _protection(doc_id: str, fields: Any, problems: list[str]) -> Protection | None:
    if not isinstance(fields, dict) or fields.keys() - set(_FIELDS):
        problems.append(f"{doc_id}: due are {', '.join(_FIELDS)}, got {fields!r}")
        return None
    try:
        held_until = str(value_of("expires_at", fields.get("held_until")))
    except ValueError:
        problems.append(f"{doc_id}: held_until is {fields.get('held_until')!r}; allowed is {Shape.DATE.allowed}")
        return None
    reason, by, at = (fields.get(name) for name in _FIELDS[1:])
    if not isinstance(reason, str) or not reason.strip():
        problems.append(f"{doc_id}: reason is {reason!r}; allowed is one line of text")
        return None
    return Protection(held_until, reason, by if isinstance(by, str) else "", at if isinstance(at, str) else "")


def _spoilt(path: Path, problem: str) -> ConfigError:
    return ConfigError(
        f"ledger file {path} cannot be read: {problem}. It was edited by hand; mend it or `git revert` the change",
        path=str(path),
    )
