"""The list of documents that somebody reviews before they are erased: YAML, one document an entry.

    rule: GDPR art. 17, request 2026-114
    phrases: [Jane Doe]
    documents:
    - source: handbook
      doc_id: people/jane-doe
      …

What is taken out of `documents` stays. The file names what is to be forgotten: it is the reviewer's own, lies where the
reviewer put it, and has to go afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from include.domain.documents import DocumentKey
from include.domain.erasure import Target
from include.domain.errors import ConfigError

_HEADING = """\
# Documents to be erased. Take out of `documents` what stays; then:
#   truecopy erase --from THIS-FILE                       shows what is left, and its checksum
#   truecopy erase --from THIS-FILE --confirm CHECKSUM    carries it out
# This file names what is to be forgotten: delete it afterwards.
"""


@dataclass(frozen=True, slots=True)
class ErasureList:
    keys: tuple[DocumentKey, ...]
    rule: str = ""
    phrases: tuple[str, ...] = ()


def write_list(file: Path, targets: Sequence[Target], *, rule: str, phrases: Sequence[str]) -> None:
    rows = [
        {
            "source": each.key.source,
            "doc_id": each.key.doc_id,
            "title": each.title,
            "url": each.url,
            "chunks": each.chunks,
            "why": each.why,
        }
        for each in targets
    ]
    record = {"rule": rule, "phrases": list(phrases), "documents": rows}
    try:
        with file.open("x", encoding="utf-8") as stream:
            stream.write(_HEADING + yaml.safe_dump(record, sort_keys=False, allow_unicode=True, width=120))
    except OSError as error:
        raise ConfigError(f"{file}: the list cannot be written ({error.strerror}); name a new file") from error


def read_list(file: Path) -> ErasureList:
    """Raises ConfigError with everything that is wrong in it."""
    try:
        record: Any = yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read ({error.strerror})") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: is no YAML: {getattr(error, 'problem', None) or 'unreadable'}") from None
    rows = record.get("documents") if isinstance(record, dict) else None
    if not isinstance(rows, list):
        raise ConfigError(f"{file}: a list `documents` is due, each with source and doc_id")
    keys = []
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict) or not row.get("source") or not row.get("doc_id"):
            raise ConfigError(f"{file}: document {number} has no source and doc_id")
        keys.append(DocumentKey(str(row["source"]), str(row["doc_id"])))
    phrases = record.get("phrases") or ()
    if not isinstance(phrases, (list, tuple)) or not all(isinstance(each, str) for each in phrases):
        raise ConfigError(f"{file}: phrases must be a list of texts")
    return ErasureList(tuple(dict.fromkeys(keys)), str(record.get("rule") or ""), tuple(phrases))
