"""Changes of metadata in place: which fields there are, what one change says, and how it is recorded.

A patch maps field names to values; None takes the mark or the override away. Two hands write patches: a person, whose
word counts, and the resolver, which never overrules one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

Patch = Mapping[str, object]


class Shape(StrEnum):
    """How a field is written in a patch, in the ledger and on the command line."""

    WORD = "text"
    DATE = "ISO 8601 date or instant"
    YES_NO = "true or false"
    WORDS = "list of document ids"
    STATUS = "published, superseded or archived"


MARKS: Mapping[str, Shape] = MappingProxyType(
    {
        "status": Shape.STATUS,
        "pinned": Shape.YES_NO,
        "doc_family": Shape.WORD,
        "family_version": Shape.WORD,
        "is_canonical": Shape.YES_NO,
        "is_current": Shape.YES_NO,
        "supersedes": Shape.WORDS,
        "superseded_by": Shape.WORDS,
    }
)
"""What only the ledger knows."""

OVERRIDABLE: Mapping[str, Shape] = MappingProxyType(
    {
        "title": Shape.WORD,
        "content_type": Shape.WORD,
        "lang": Shape.WORD,
        "created_at": Shape.DATE,
        "updated_at": Shape.DATE,
        "effective_date": Shape.DATE,
        "expires_at": Shape.DATE,
    }
)
"""What the source says and a person may correct. The source's own value is kept beside it, see `payload.marked`."""

SETTABLE: Mapping[str, Shape] = MappingProxyType({**MARKS, **OVERRIDABLE})


class Hand(StrEnum):
    """Who decided."""

    PERSON = "person"
    RESOLVER = "resolver"


@dataclass(frozen=True, slots=True)
class DocumentPatch:
    """One document's part of a change: what this hand's record said of these fields before, and says after.

    None: nothing. `before` and `after` name the same fields.
    """

    doc_id: str
    before: Patch
    after: Patch


@dataclass(frozen=True, slots=True)
class MetadataChange:
    """Everything one run changes in one source; the entry in the ledger.

    `selector` says in words how the documents were chosen. `at` is RFC 3339. `reverts` names the run whose change this
    one takes back.
    """

    run_id: str
    source: str
    hand: Hand
    by: str
    reason: str
    at: str
    selector: str
    patches: tuple[DocumentPatch, ...]
    reverts: str = ""

    @property
    def checksum(self) -> str:
        return patches_checksum(self.source, self.patches)


def patches_checksum(source: str, patches: Iterable[DocumentPatch]) -> str:
    """Digest of what would change, independent of order: sha256, first 16 hex digits."""
    rows = sorted([patch.doc_id, dict(patch.before), dict(patch.after)] for patch in patches)
    text = json.dumps([source, rows], ensure_ascii=False, sort_keys=True, default=list)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
