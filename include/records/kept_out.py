"""What people have taken out of the index, in one file for each source: `kept_out/<source>.yaml`, a line for each
document.

"prices/2024": {"doc_version": "7", "content_hash": "…", "reason": "…", "by": "ada", "at": "…"}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from include.domain.review import KeptOut
from include.records.document_lines import read_documents, text_of, write_documents
from include.records.repository import MACHINE
from include.records.yaml_records import YamlRecords

_FIELDS = ("doc_version", "content_hash", "reason", "by", "at")


class KeptOutDocuments(YamlRecords):
    """The part of ports.Ledger that is about documents out of the index; implements ports.KeepingOut."""

    def kept_out(self, source: str) -> Mapping[str, KeptOut]:
        return read_documents(self._folder / _path(source), _kept_out, _FIELDS)

    def let_in(self, source: str, doc_ids: Mapping[str, str]) -> None:
        with self._repository.locked():
            standing = dict(self.kept_out(source))
            left = {
                doc_id: each
                for doc_id, each in standing.items()
                if doc_id not in doc_ids or each.doc_version == doc_ids[doc_id]
            }
            if left != standing:
                named = ", ".join(sorted(standing.keys() - left.keys()))
                self._repository.write(_path(source), write_documents(left, _FIELDS))
                message = f"Back in the index of {source}, for its source has changed it: {named}"
                self._repository.commit([_path(source)], message, MACHINE)

    def _write_kept_out(self, source: str, doc_id: str, mark: KeptOut) -> list[str]:
        """The files that were written; none where it says so already."""
        standing = self.kept_out(source)
        if standing.get(doc_id) == mark:
            return []
        self._repository.write(_path(source), write_documents({**standing, doc_id: mark}, _FIELDS))
        return [_path(source)]


def _path(source: str) -> str:
    return f"kept_out/{source}.yaml"


def _kept_out(fields: Mapping[str, Any]) -> KeptOut:
    version = text_of(fields, "doc_version")
    if not version:
        raise ValueError(f"doc_version is {fields.get('doc_version')!r}; allowed is the version that is kept out")
    return KeptOut(version, *(text_of(fields, name) for name in _FIELDS[1:]))
