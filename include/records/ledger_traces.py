"""Taking an erased document out of the ledger, its history included.

Files about the document alone, and questions and candidates that name it, go: the next run asks what is still to be
asked. Entries and rows about it go from the files that hold many. Then every commit is written anew in the same way,
with the same authors, dates and order, and git forgets the old ones. Commit ids change by that: an undo of an earlier
change is done by run (`truecopy set-meta --revert`), not by an old commit id. Clones of the ledger, and remotes it was
pushed to, keep their old history; they are named.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path

import yaml

from include.domain.erasure import Ending, PlaceReport, Trace
from include.planning.scrubbing import scrubbed, scrubbed_bytes, scrubbed_text
from include.planning.spellings import slug
from include.records.entry_lines import entry
from include.records.fast_export import rewritten
from include.records.repository import Repository

_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_LINES = ("marks/", "resolved/", "staged/", "changes/", "protection/", "kept_out/")
_QUESTIONS = ("review/",)


class LedgerFiles:
    """Implements ports.erasing.Place."""

    name = "ledger"

    def __init__(self, folder: Path) -> None:
        self._repository = Repository(folder)
        self._folder = folder

    def clear(self, traces: Sequence[Trace]) -> PlaceReport:
        if not (self._folder / ".git").exists():
            return PlaceReport(self.name, Ending.NOTHING, unit="files and commits")
        with self._repository.locked():
            changed = self._clear_files(traces)
            if changed:
                self._repository.commit(changed, "Take erased documents out of the files", author=_AUTHOR)
            commits = rewritten(
                self._repository,
                file=lambda path, data: _clean(path, data, traces),
                message=lambda text: scrubbed_text(text, traces),
            )
            remotes = self._repository.run("remote").decode().split()
        found = len(changed) + commits
        if remotes and found:
            return PlaceReport(
                self.name,
                Ending.OPEN,
                before=found,
                unit="files and commits",
                open=f"the ledger has remotes ({', '.join(remotes)}), which keep the history as it was pushed",
                until="a push with --force to each, and their own clean-up",
            )
        ending = Ending.CLEARED if found else Ending.NOTHING
        return PlaceReport(self.name, ending, before=found, unit="files and commits")

    def _clear_files(self, traces: Sequence[Trace]) -> list[str]:
        changed = []
        for file in sorted(self._folder.rglob("*")):
            path = file.relative_to(self._folder).as_posix()
            if path.startswith(".") or not file.is_file():
                continue
            data = file.read_bytes()
            clean = _clean(path, data, traces)
            if clean is None:
                file.unlink()
            elif clean != data:
                self._repository.write(path, clean.decode("utf-8", "surrogateescape"))
            else:
                continue
            changed.append(path)
        return changed


_AUTHOR = "truecopy <truecopy@localhost>"


def _clean(path: str, data: bytes, traces: Sequence[Trace]) -> bytes | None:
    """The file without the documents; None where nothing of it may stay."""
    if path.startswith("erased/"):
        return data
    name = path.rsplit("/", 1)[-1]
    for trace in traces:
        digest = hashlib.sha256(trace.key.doc_id.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        plain = slug(trace.key.doc_id)
        if digest in name or (trace.id_is_telling and plain and plain in name):
            return None
    if path.startswith(_QUESTIONS):
        return None if _names_one(path, data, traces) else data
    if path.startswith(_LINES):
        data = _without_lines(path, data, traces)
        return scrubbed_bytes(data, traces)
    return _scrubbed_yaml(path, data, traces)


def _names_one(path: str, data: bytes, traces: Sequence[Trace]) -> bool:
    if scrubbed_bytes(data, traces) != data:
        return True
    record = _read(data)
    return record is None or scrubbed(record, traces, source=_source_of(path)) != record


def _without_lines(path: str, data: bytes, traces: Sequence[Trace]) -> bytes:
    """Entries by document are one line each, as records.entry_lines writes them; a long name has a line of its own."""
    text = data.decode("utf-8", "surrogateescape")
    for trace in traces:
        if _source_of(path) != trace.key.source:
            continue
        name = re.escape(entry(trace.key.doc_id))
        text = re.sub(rf"(?m)^(?:{name}: .*|\? {name}\n: .*|- \{{\"doc_id\": {name}[,}}].*)\n?", "", text)
    return text.encode("utf-8", "surrogateescape")


def _scrubbed_yaml(path: str, data: bytes, traces: Sequence[Trace]) -> bytes:
    record = _read(data)
    clean = scrubbed(record, traces, source=_source_of(path))
    if record is None or clean == record:
        return scrubbed_bytes(data, traces)
    # Scalars stay the text that they were: dumped as JSON they would all become quoted, and numbers text.
    text = data.decode("utf-8", "surrogateescape")
    for trace in traces:
        for spelt in (json.dumps(trace.key.doc_id, ensure_ascii=False), f"'{trace.key.doc_id}'", trace.key.doc_id):
            text = re.sub(rf"(?m)(^|[\s:\-\[,])({re.escape(spelt)})(?=$|[\s,\]])", rf"\g<1>{trace.mark}", text)
    return scrubbed_bytes(text.encode("utf-8", "surrogateescape"), traces)


def _read(data: bytes) -> object:
    """None for what is no YAML."""
    try:
        return yaml.load(data, Loader=_LOADER)
    except (yaml.YAMLError, UnicodeDecodeError):
        return None


def _source_of(path: str) -> str:
    """held/<source>.yaml, marks/<source>.yaml, changes/<source>/…, review/<source>/…, held/families/<source>.yaml"""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 and parts[0] not in ("held", "requests") else parts[-1].rsplit(".", 1)[0]
