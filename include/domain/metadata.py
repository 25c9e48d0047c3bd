"""Changes of metadata in place: which fields there are, what one change says, and how it is recorded.

A patch maps field names to values; None takes the mark or the override away. Three hands write patches: a person, whose
word counts, and the resolver and the detector, which never overrule one.
"""

from __future__ import annotations

import hashlib
import json
import re
import reprlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from include.domain.dates import rfc3339
from include.domain.documents import Marks, Status

Patch = Mapping[str, object]


class Shape(StrEnum):
    """How a field is written in a patch, in the ledger and on the command line."""

    WORD = "text"
    DATE = "ISO 8601 date or instant"
    YES_NO = "true or false"
    WORDS = "list of document ids"
    STATUS = "published, superseded or archived"

    @property
    def allowed(self) -> str:
        """What a person may write, for messages."""
        return _ALLOWED[self]


_ALLOWED = {
    Shape.WORD: "one line of text, 4,096 characters at most",
    Shape.DATE: "a day (2026-03-01) or an instant with its offset (2026-03-01T09:30:00Z), from 1971 on",
    Shape.YES_NO: "true or false",
    Shape.WORDS: "a list of document ids, each once",
    Shape.STATUS: "published, superseded or archived",
}


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


DETECTORS = frozenset({"status"})
"""What the detector writes."""


class Hand(StrEnum):
    """Who decided."""

    PERSON = "person"
    RESOLVER = "resolver"
    DETECTOR = "detector"


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


def value_of(name: str, said: object) -> object:
    """The value that a field has by these words, in its one spelling: str, bool, or tuple of str; dates RFC 3339, UTC.

    `said` is what a person wrote (text as typed, a list, true or false), or a value in its spelling already. Raises
    ValueError, which names the field and what is allowed.
    """
    if name not in SETTABLE:
        raise ValueError(f"{name!r} is not a field that can be set; allowed are {', '.join(SETTABLE)}")
    shape = SETTABLE[name]
    value = _READERS[shape](said)
    if value is None:
        raise ValueError(f"{name} is {_MESSAGE.repr(said)}; allowed is {shape.allowed}")
    return value


_LONGEST_WORD = 4096
"""As long as a path may be, of which a family's name is made. Every chunk of the document repeats it."""

_MESSAGE = reprlib.Repr()
"""What somebody wrote, as messages show it: a megabyte that was pasted by mistake is not repeated in every record."""
_MESSAGE.maxstring = _MESSAGE.maxother = 200


_NOT_ONE_LINE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")

_NO_TEXT = re.compile(r"[\ud800-\udfff]")


def _word(said: object) -> str | None:
    text = said.strip() if isinstance(said, str) else ""
    return text if text and len(text) <= _LONGEST_WORD and not _NOT_ONE_LINE.search(text) else None


def one_line(text: str) -> str:
    """Text out of a document or a file name as a value of one line. A person's word is refused instead, but no
    document may keep all others of its source from being marked."""
    line = _NOT_ONE_LINE.sub(" ", text).strip()
    if line and len(line) <= _LONGEST_WORD:
        return line
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]
    return f"{line[: _LONGEST_WORD - 20]} {digest}".strip()


_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2})")


def _date(said: object) -> str | None:
    """Nothing is guessed: no month alone, no day order, no instant whose offset is not said. A zero date is none."""
    text = said.strip() if isinstance(said, str) else ""
    try:
        if _DAY.fullmatch(text):
            moment = datetime.combine(date.fromisoformat(text), datetime.min.time(), UTC)
        elif _INSTANT.fullmatch(text):
            moment = datetime.fromisoformat(text).astimezone(UTC)
        else:
            return None
    except (ValueError, OverflowError):
        return None
    return rfc3339(moment) if moment.year >= 1971 else None


_SAID_YES_NO = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}  # as YAML has it


def _yes_no(said: object) -> bool | None:
    return _SAID_YES_NO.get(str(said).lower()) if isinstance(said, bool | str) else None


def _words(said: object) -> tuple[str, ...] | None:
    words = (said,) if isinstance(said, str) else said
    if not isinstance(words, list | tuple) or not all(isinstance(word, str) and word.strip() for word in words):
        return None
    # A file's name may have a line break in it, and is an id all the same.
    return tuple(words) if len(set(words)) == len(words) and not _NO_TEXT.search("".join(words)) else None


def _status(said: object) -> str | None:
    # `staged_for_review` belongs to the detector: it may stand in the ledger, no person types it.
    return str(said) if isinstance(said, str) and said in set(Status) - {Status.INCOMING} else None


_READERS: Mapping[Shape, Any] = {
    Shape.WORD: _word,
    Shape.DATE: _date,
    Shape.YES_NO: _yes_no,
    Shape.WORDS: _words,
    Shape.STATUS: _status,
}

_REPLACED = frozenset({"status", "superseded_by", "is_current"})
"""What says together that a later document has taken this one's place."""


def merged(person: Patch, resolver: Patch, detector: Patch = MappingProxyType({})) -> Patch:
    """What holds of a document when several hands have written: a person's word counts, field by field.

    Whether a document has been replaced is one statement in several fields. So where a person has pinned it, or has
    said what its status is, nothing of the resolver's statement remains. Only to archive it says nothing against what
    took its place: without that link, an older one that it replaced would lead to nothing that readers find. The same
    goes for the detector, whose only statement is a status: it has staged the document, whatever the resolver calls it.
    """
    spoken = person.get("pinned") is True or "status" in person
    is_archived = person.get("pinned") is not True and person.get("status") == Status.ARCHIVED
    overruled = (_REPLACED - {"superseded_by"} if is_archived else _REPLACED) if spoken else frozenset()
    kept = {name: value for name, value in resolver.items() if name not in overruled}
    staged = {} if spoken else {name: value for name, value in detector.items() if name in DETECTORS}
    return {**kept, **staged, **person}


def marks_of(fields: Patch) -> Marks:
    """The marks that these fields make, in the spelling of `value_of`; what they do not name is as of an unmarked
    document. A superseded one is not current unless they say so."""
    said = {name: value for name, value in fields.items() if value is not None}
    marks: dict[str, Any] = {name: value for name, value in said.items() if name in MARKS}
    if "status" in marks:
        marks["status"] = Status(marks["status"])
        if marks["status"] is Status.SUPERSEDED:
            marks.setdefault("is_current", False)
    overrides = {name: str(value) for name, value in said.items() if name in OVERRIDABLE}
    return Marks(**marks, metadata=MappingProxyType(overrides)) if overrides else Marks(**marks)
