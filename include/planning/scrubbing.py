"""What a record says once it names an erased document no more. Pure.

A telling id, address or title and every phrase goes wherever it stands. An id that is an ordinary word (`faq`) goes
only where a field says that it is an id, in records of its own source.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from include.domain.erasure import Trace
from include.planning.spellings import spellings

_IDENTITIES = frozenset(
    {"doc_id", "doc_ids", "document", "documents", "moved_from", "moved_to", "replacement", "linked_from"}
    | {"supersedes", "superseded_by", "head", "heads", "member", "members", "canonical", "current"}
)
_PROSE = frozenset({"detail", "reason", "title", "url", "sentence", "diff"})
"""Texts about a document, in a row that is about it."""


def scrubbed(record: Any, traces: Sequence[Trace], *, source: str = "") -> Any:
    """The same record, with the marks of the erased documents where it named them or said what they said. `source` is
    the one that the whole record is about, where there is one; a field `source` says it of its own row."""
    return _scrubbed(record, traces, source, "")


def scrubbed_text(text: str, traces: Sequence[Trace]) -> str:
    """Free text, such as a log or a message of a commit: in every spelling that is text."""
    for trace in traces:
        for phrase in sorted((*trace.names, *trace.phrases), key=len, reverse=True):
            if phrase in text:
                text = text.replace(phrase, trace.mark)
    return text


def scrubbed_bytes(data: bytes, traces: Sequence[Trace]) -> bytes:
    """A file whose format nobody knows here: every spelling of every phrase, whatever stands around it."""
    for trace in traces:
        for phrase in sorted((*trace.names, *trace.phrases), key=len, reverse=True):
            for spelt, name in spellings(phrase).items():
                if not name.startswith(("utf-16", "base64")) and spelt in data:
                    data = data.replace(spelt, trace.mark.encode())
    return data


def _scrubbed(value: Any, traces: Sequence[Trace], source: str, field: str) -> Any:
    if isinstance(value, str):
        for trace in traces:
            if value == trace.key.doc_id and field in _IDENTITIES and source in ("", trace.key.source):
                return trace.mark
        return scrubbed_text(value, traces)
    if isinstance(value, Mapping):
        own = str(value.get("source") or source)
        about = _about(value, traces, own)
        return {
            _name(name, traces): "" if about and name in _PROSE and each else _scrubbed(each, traces, own, str(name))
            for name, each in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_scrubbed(each, traces, source, field) for each in value]
    return value


def _about(row: Mapping[Any, Any], traces: Sequence[Trace], source: str) -> bool:
    named = row.get("doc_id", row.get("document"))
    return any(named == trace.key.doc_id and source in ("", trace.key.source) for trace in traces)


def _name(name: Any, traces: Sequence[Trace]) -> Any:
    return scrubbed_text(name, traces) if isinstance(name, str) else name
