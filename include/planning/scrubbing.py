"""What a record says once it names an erased document no more. Pure.

A telling id, address or title and every phrase goes wherever it stands. An id that is an ordinary word (`faq`) goes
only where a field says that it is an id, in records of its own source.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from include.domain.erasure import Trace
from include.planning.spellings import spellings

_IDENTITIES = frozenset(
    {"doc_id", "doc_ids", "document", "documents", "moved_from", "moved_to", "replacement", "linked_from"}
    | {"supersedes", "superseded_by", "head", "heads", "member", "members", "canonical", "current"}
)
_TELLING = frozenset(
    {"detail", "reason", "title", "url", "sentence", "diff", "version", "version_before", "version_after"}
    | {"doc_version", "content_hash", "content_before", "content_after"}
)
"""Fields that say something of a document in a row that is about it. A version or a digest proves a guessed text."""

_BINARY = ("utf-16", "base64")


class Scrubber:
    """Puts the marks of erased documents where they were named, or where something says what they said. Made once for
    all files of a run, and gone with it."""

    def __init__(self, traces: Sequence[Trace]) -> None:
        self.traces = tuple(traces)
        self._texts: dict[str, str] = {}
        self._words = {word: trace.mark for trace in traces for word in trace.words}
        self._bytes: dict[bytes, bytes] = {}
        known = {phrase: trace.mark for trace in traces for phrase in (*trace.names, *trace.phrases)}
        for phrase in sorted(known, key=len, reverse=True):  # a phrase before what is a part of it
            self._texts[phrase] = known[phrase]
            for spelt, name in spellings(phrase).items():
                if not name.startswith(_BINARY):
                    self._bytes.setdefault(spelt, known[phrase].encode())
        ids = (trace.key.doc_id for trace in traces)
        self._ids = {spelt.encode("utf-8", "surrogatepass") for each in ids for spelt in (each, json.dumps(each)[1:-1])}

    def concerns(self, data: bytes) -> bool:
        """Quickly: False where nothing would be changed. An id may stand there by chance."""
        needles = (*self._ids, *self._bytes, *(spelt for word in self._words for spelt in spellings(word)))
        return any(spelt in data for spelt in needles)

    def text(self, text: str) -> str:
        """Free text, such as a message of a commit."""
        for phrase, mark in self._texts.items():
            if phrase in text:
                text = text.replace(phrase, mark)
        if " " in text:
            for word, mark in self._words.items():
                text = text.replace(word, mark)
        return text

    def bytes(self, data: bytes) -> bytes:
        """A file whose format nobody knows here: every spelling of every phrase, whatever stands around it."""
        for spelt, mark in self._bytes.items():
            if spelt in data:
                data = data.replace(spelt, mark)
        return data

    def record(self, record: Any, *, source: str = "") -> Any:
        """The same record, cleaned. `source` is the one that the whole record is about, where there is one; a field
        `source` says it of its own row."""
        return self._cleaned(record, source, "")

    def _cleaned(self, value: Any, source: str, field: str) -> Any:
        if isinstance(value, str):
            for trace in self.traces:
                if value == trace.key.doc_id and field in _IDENTITIES and source in ("", trace.key.source):
                    return trace.mark
            return self.text(value)
        if isinstance(value, Mapping):
            own = str(value.get("source") or source)
            about = self._is_about_one(value, own)
            return {
                self.text(name) if isinstance(name, str) else name: (
                    "" if about and name in _TELLING and each else self._cleaned(each, own, str(name))
                )
                for name, each in value.items()
            }
        if isinstance(value, (list, tuple)):
            return [self._cleaned(each, source, field) for each in value]
        return value

    def _is_about_one(self, row: Mapping[Any, Any], source: str) -> bool:
        named = row.get("doc_id", row.get("document"))
        return any(named == trace.key.doc_id and source in ("", trace.key.source) for trace in self.traces)
