"""Taking an erased document out of the ledger, its history included.

Files about the document alone, and questions and candidates that name it, go: the next run asks what is still to be
asked. Entries and rows about it go from the files that hold many. Then every commit is written anew in the same way,
with the same authors, dates and order, and git forgets the old ones. Commit ids change by that: an undo of an earlier
change is done by run (`truecopy set-meta --revert`), not by an old commit id. Clones of the ledger, and remotes it was
pushed to, keep their old history; they are named.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from include.domain.erasure import Ending, PlaceReport, Trace
from include.planning.scrubbing import Scrubber
from include.planning.spellings import slug
from include.planning.traces import said
from include.records.entry_lines import EntryError, entry, read_entries, write_entries
from include.records.fast_export import rewritten
from include.records.repository import Repository

# As records.yaml_records reads and writes, so that what is written anew is read as before.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_ENTRIES = ("marks/", "resolved/", "staged/", "protection/", "kept_out/")
_UNIT = "files and commits"


class LedgerFiles:
    """Implements ports.erasing.Place."""

    name = "ledger"

    def __init__(self, folder: Path) -> None:
        self._repository = Repository(folder)
        self._folder = folder

    def clear(self, traces: Sequence[Trace]) -> PlaceReport:
        if not (self._folder / ".git").exists():
            return PlaceReport(self.name, Ending.NOTHING, unit=_UNIT)
        scrubber = Scrubber(traces)
        with self._repository.locked():
            changed = self._clear_files(scrubber)
            if changed:
                self._repository.commit(changed, "Take erased documents out of the files")
            commits = rewritten(
                self._repository, file=lambda path, data: _clean(path, data, scrubber), message=scrubber.text
            )
            remotes = self._repository.run("remote").decode().split()
        found = len(changed) + commits
        if remotes and found:
            pushed = f"the ledger has remotes ({', '.join(remotes)}), which keep the history as it was pushed"
            until = "a push with --force to each, and their own clean-up"
            return PlaceReport(self.name, Ending.OPEN, before=found, unit=_UNIT, open=pushed, until=until)
        return PlaceReport(self.name, Ending.CLEARED if found else Ending.NOTHING, before=found, unit=_UNIT)

    def _clear_files(self, scrubber: Scrubber) -> list[str]:
        changed = []
        for file in sorted(self._folder.rglob("*")):
            path = file.relative_to(self._folder).as_posix()
            if path.startswith(".") or not file.is_file():
                continue
            data = file.read_bytes()
            clean = _clean(path, data, scrubber)
            if clean is None:
                file.unlink()
            elif clean != data:
                self._repository.write(path, clean.decode("utf-8", "surrogateescape"))
            else:
                continue
            changed.append(path)
        return changed


def _clean(path: str, data: bytes, scrubber: Scrubber) -> bytes | None:
    """The file without the documents; None where nothing of it may stay."""
    if path.startswith("erased/"):
        return data
    name = path.rsplit("/", 1)[-1]
    for trace in scrubber.traces:
        digest = hashlib.sha256(trace.key.doc_id.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        plain = slug(trace.key.doc_id)
        if digest in name or (trace.id_is_telling and plain and plain in name):
            return None
    record = _read(path, data)
    concerned = scrubber.concerns(data) or any(scrubber.concerns(each.encode()) for each in _folded(record))
    if not concerned:
        return data
    source = _source_of(path)
    if path.startswith("review/"):
        same = record is not None and scrubber.record(record, source=source) == record and scrubber.bytes(data) == data
        return data if same else None
    if path.startswith(_ENTRIES):
        return scrubber.bytes(_without_entries(data, scrubber, source))
    if path.startswith("changes/"):
        return scrubber.bytes(_without_rows(data, scrubber, source))
    if isinstance(record, (dict, list)) and (clean := scrubber.record(record, source=source)) != record:
        data = yaml.dump(clean, Dumper=_DUMPER, sort_keys=False, allow_unicode=True).encode("utf-8", "surrogatepass")
    return scrubber.bytes(data)


def _without_entries(data: bytes, scrubber: Scrubber, source: str) -> bytes:
    ids = {trace.key.doc_id for trace in scrubber.traces if trace.key.source == source}
    try:
        entries = read_entries(data.decode("utf-8"))
    except (EntryError, UnicodeDecodeError):
        return data
    if not ids & entries.keys():
        return data
    return write_entries({name: fields for name, fields in entries.items() if name not in ids}).encode()


def _without_rows(data: bytes, scrubber: Scrubber, source: str) -> bytes:
    """A change is a heading and a row a line, as records.entry_lines writes it."""
    text = data.decode("utf-8", "surrogateescape")
    for trace in scrubber.traces:
        if trace.key.source == source:
            text = re.sub(rf"(?m)^- \{{\"doc_id\": {re.escape(entry(trace.key.doc_id))}[,}}].*\n?", "", text)
    return text.encode("utf-8", "surrogateescape")


def _read(path: str, data: bytes) -> Any:
    """None for what is no YAML."""
    if not path.endswith((".yaml", ".yml")) or path.startswith((*_ENTRIES, "changes/")):
        return None
    try:
        return yaml.load(data, Loader=_LOADER)
    except (yaml.YAMLError, UnicodeDecodeError):
        return None


def _folded(record: Any) -> Iterator[str]:
    """Its texts with spaces in them, which YAML may have broken over lines."""
    return (text for text in said(record) if " " in text)


def _source_of(path: str) -> str:
    """held/<source>.yaml, marks/<source>.yaml, changes/<source>/…, review/<source>/…, held/families/<source>.yaml"""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 and parts[0] not in ("held", "requests") else parts[-1].rsplit(".", 1)[0]
