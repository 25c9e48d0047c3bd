"""What people hold, in one file for each source: `protection/<source>.yaml`, a line for each document.

"policies/leave.md": {"held_until": "2027-03-01T00:00:00.000000Z", "reason": "…", "by": "ada", "at": "…"}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from include.domain.metadata import Shape, value_of
from include.domain.review import Protection
from include.records.document_lines import read_documents, text_of, write_documents
from include.records.repository import person
from include.records.yaml_records import YamlRecords

_FIELDS = ("held_until", "reason", "by", "at")


class Protections(YamlRecords):
    """The part of ports.Ledger that is about holds; implements ports.Protections."""

    def holds(self, source: str) -> Mapping[str, Protection]:
        return read_documents(self._folder / _path(source), _protection, _FIELDS)

    def protect(self, source: str, changes: Mapping[str, Protection | None], *, by: str, message: str) -> None:
        with self._repository.locked():
            if paths := self._write_holds(source, changes):
                self._repository.commit(paths, message, person(by))

    def _write_holds(self, source: str, changes: Mapping[str, Protection | None]) -> list[str]:
        """The files that were written; none where nothing changes."""
        standing = dict(self.holds(source))
        after = {doc_id: hold for doc_id, hold in {**standing, **changes}.items() if hold is not None}
        if after == standing:
            return []
        self._repository.write(_path(source), write_documents(after, _FIELDS))
        return [_path(source)]


def _path(source: str) -> str:
    return f"protection/{source}.yaml"


def _protection(fields: Mapping[str, Any]) -> Protection:
    try:
        held_until = str(value_of("expires_at", fields.get("held_until")))
    except ValueError:
        raise ValueError(f"held_until is {fields.get('held_until')!r}; allowed is {Shape.DATE.allowed}") from None
    reason = fields.get("reason")
    if not isinstance(reason, str) or not reason.strip():
        raise ValueError(f"reason is {reason!r}; allowed is one line of text")
    return Protection(held_until, reason, text_of(fields, "by"), text_of(fields, "at"))
