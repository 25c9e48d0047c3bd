"""What is known of the pages of a snapshot: their fields, who may see them, their versions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence

from include.connectors.git_site import folder_of
from include.connectors.git_snapshot import Document, Snapshot
from include.connectors.git_visibility import BlobFields, passes_on_whole_file, read_fields
from include.domain.errors import DocumentUnreadable
from include.ports import Clock


class Pages:
    """Remembers the fields of every blob that was read, whatever the commit; a verdict also depends on the clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._fields: dict[tuple[str, bool], BlobFields] = {}  # by blob, and whether the whole file is fields
        self._by_folder: Mapping[str, Sequence[str]] = {}

    def forget(self) -> None:
        self._fields.clear()

    def read(self, snapshot: Snapshot, doc_ids: Iterable[str]) -> None:
        """One pass over the blobs that were not looked at before, those that pass fields on included. Raises
        SourceUnavailable."""
        wanted = {_blob_key(doc_id, snapshot.documents[doc_id].entry.oid): doc_id for doc_id in doc_ids}
        wanted |= {_blob_key(path, entry.oid): path for path, entry in snapshot.folder_files.items()}
        unknown = [key for key in wanted if key not in self._fields]
        contents = snapshot.repository.blobs([oid for oid, _ in unknown])
        for key, (_, content) in zip(unknown, contents, strict=True):
            self._fields[key] = read_fields(wanted[key], content)
        by_folder: dict[str, list[str]] = {}
        for path in sorted(snapshot.folder_files):
            by_folder.setdefault(folder_of(path), []).append(path)
        self._by_folder = by_folder

    def is_public(self, snapshot: Snapshot, doc_id: str) -> tuple[bool | None, str]:
        """(None, why) when it cannot be told."""
        document = snapshot.documents[doc_id]
        if document.site is None or document.page is None:
            return None, snapshot.problem
        if document.why_no_page:
            return False, document.why_no_page
        own = self._own(doc_id, document)
        if own.unreadable:
            return None, own.unreadable
        try:
            fields = {**self._inherited(snapshot, doc_id, document), **own.values}
            return document.site.is_public(document.page, fields, self._clock.now())
        except DocumentUnreadable as error:
            return None, str(error)

    def fields(self, snapshot: Snapshot, doc_id: str) -> Mapping[str, object]:
        """For title, dates and address. Raises DocumentUnreadable when what it inherits cannot be told."""
        document = snapshot.documents[doc_id]
        own = self._own(doc_id, document).values
        if document.site is None or not document.site.inherits_metadata:
            return own
        return {**self._inherited(snapshot, doc_id, document), **own}

    def version(self, snapshot: Snapshot, doc_id: str) -> str:
        """The blob id, and a digest of what else decides over metadata and address, where there is something."""
        document = snapshot.documents[doc_id]
        site = document.site
        if site is None or not site.inherits_metadata:
            return document.entry.oid
        try:
            inherited = self._inherited(snapshot, doc_id, document)
        except DocumentUnreadable:
            return document.entry.oid
        if not inherited and not site.stamp:
            return document.entry.oid
        rest = json.dumps([site.stamp, inherited], sort_keys=True).encode()
        return f"{document.entry.oid}.{hashlib.sha256(rest).hexdigest()[:12]}"

    def _own(self, doc_id: str, document: Document) -> BlobFields:
        return self._fields[_blob_key(doc_id, document.entry.oid)]

    def _inherited(self, snapshot: Snapshot, doc_id: str, document: Document) -> Mapping[str, object]:
        if document.site is None or document.page is None:
            return {}
        entries = snapshot.folder_files
        chain = _chain(doc_id, self._by_folder) if self._by_folder else ()
        read = [(path, self._fields[_blob_key(path, entries[path].oid)]) for path in chain]
        return document.site.inherited(document.page, read)


def _blob_key(path: str, oid: str) -> tuple[str, bool]:
    return oid, passes_on_whole_file(path)


def _chain(doc_id: str, by_folder: Mapping[str, Sequence[str]]) -> Iterable[str]:
    """The folder files that speak for a document, the top one first."""
    parts = doc_id.split("/")[:-1]
    folders = ["", *("/".join(parts[: count + 1]) for count in range(len(parts)))]
    return (path for folder in folders for path in by_folder.get(folder, ()))
