"""The review queue: candidates for the trash can with their evidence, and what a person decides about each. Pure data.

    found -> open -> decided -> (its removal is proposed to the source) -> settled
              ^         |                       |
              `---------+-----------------------' evidence or document is another by now, or somebody protected it

Nothing but a person's word ever turns an open item into a decided one.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

_NOT_ONE_LINE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
PROPOSALS = ("stage", "review")
"""What may be proposed; see `staleness.evidence.Proposal`."""


class Disposition(StrEnum):
    """What a person may decide about a candidate."""

    APPROVE_PURGE = "approve-purge"  # take it away for good: out of the source where that is ours, else of the index
    KEEP = "keep"  # it is right as it is; it does not come back for the same evidence
    ARCHIVE = "archive"  # readers no longer find it, and it stays where it is
    SUPERSEDE_LINK = "supersede-link"  # something else is to be read instead; it stays searchable behind that
    EXTEND = "extend"  # leave it alone until a day


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's word on one candidate. `at` is RFC 3339, empty in a file that somebody wrote by hand, until a run has
    seen it. `until` (a day, 2027-01-31) belongs to `extend`, `superseded_by` (a doc id) to `supersede-link`.

    Raises ValueError, which names the field and what is allowed.
    """

    disposition: Disposition
    by: str
    why: str
    at: str = ""
    until: str = ""
    superseded_by: str = ""

    def __post_init__(self) -> None:
        for name in ("by", "why"):
            if not one_line(getattr(self, name)):
                raise ValueError(f"{name} is {getattr(self, name)!r}; allowed is one line of text that says it")
        if self.disposition is Disposition.EXTEND:
            _check_day(self.until)
        elif self.until:
            raise ValueError(f"until is {self.until!r}, but belongs to {Disposition.EXTEND} only; leave it out")
        if self.disposition is Disposition.SUPERSEDE_LINK:
            if not one_line(self.superseded_by):
                raise ValueError(f"superseded_by is {self.superseded_by!r}; allowed is the id of a document")
        elif self.superseded_by:
            raise ValueError(
                f"superseded_by is {self.superseded_by!r}, but belongs to {Disposition.SUPERSEDE_LINK} only; leave it "
                "out"
            )

    def __str__(self) -> str:
        more = f" until {self.until}" if self.until else f" to {self.superseded_by}" if self.superseded_by else ""
        return f"{self.disposition}{more}"

    def says_the_same(self, other: Decision) -> bool:
        """Whether two people, or one twice, want the same to happen."""
        return (self.disposition, self.until, self.superseded_by) == (
            other.disposition,
            other.until,
            other.superseded_by,
        )


@dataclass(frozen=True, slots=True)
class Finding:
    """One signal's evidence as it is put before a person; see `staleness.evidence.Evidence`. `replacement` is a doc id
    of the same source, or empty. `fingerprint` is what a `keep` remembers."""

    signal: str
    strength: float
    sentence: str
    fingerprint: str
    anchor: bool = False
    facts: Mapping[str, str] = field(default_factory=dict, hash=False)
    replacement: str = ""


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of a decision: when (RFC 3339), in which run, and what was done, in words. `branch` and `commit` take
    the document out of the repository that is its source; `pushed_at` is empty where nobody pushed the branch yet."""

    at: str
    run_id: str
    detail: str
    branch: str = ""
    commit: str = ""
    pushed_at: str = ""


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One candidate of the queue.

    `doc_version` and `content_hash` are those of the document when it was last found; a decision is about that text.
    `fingerprint` is that of all evidence together. `since` is when it was first found (RFC 3339); being found again
    does not change it. `diff` shows it beside `replacement`, a doc id with the text `replacement_hash`; all three are
    empty where there is none. `links` documents that readers see link to it, `linked_from` are the first of them.
    `notes` say what happened to the item that a person should know, the newest last.
    `applied` is set on settled items, and on decided ones whose removal the source has to take up first.
    """

    source: str
    doc_id: str
    proposal: str
    score: float
    arithmetic: str
    evidence: tuple[Finding, ...]
    fingerprint: str
    since: str
    doc_version: str
    content_hash: str
    title: str = ""
    url: str = ""
    replacement: str = ""
    replacement_hash: str = ""
    diff: str = ""
    links: int = 0
    linked_from: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    decision: Decision | None = None
    applied: Applied | None = None

    @property
    def is_open(self) -> bool:
        return self.decision is None

    @property
    def in_short(self) -> str:
        """The first that speaks against it; the sum, where somebody took all evidence out of the file."""
        return self.evidence[0].sentence if self.evidence else self.arithmetic

    @property
    def waits_for_source(self) -> bool:
        """Whether its removal is proposed to its source: of an item in the queue."""
        return self.decision is not None and self.applied is not None

    @property
    def word(self) -> str:
        """Which word on which document this is, the same for as long as nobody says another: 16 hex digits, empty for
        an open item."""
        made = self.decision
        said = (self.source, self.doc_id, made.disposition, made.by, made.at) if made else ()
        return hashlib.sha256("\x1f".join(said).encode()).hexdigest()[:16] if made else ""


@dataclass(frozen=True, slots=True)
class Said:
    """A person's word on one of many items. `fingerprint` is that of the evidence that the person saw."""

    doc_id: str
    decision: Decision
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of many words: the items as they stand now, and why others were `refused`, by doc id."""

    items: tuple[ReviewItem, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file of the queue that somebody spoilt. It is left as it is, and nothing is concluded about its document.
    `doc_id` is empty where not even that can be told."""

    path: str
    problem: str
    doc_id: str = ""

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}"


@dataclass(frozen=True, slots=True)
class Queue:
    """The items of one source that can be read, sorted by doc id, and the files that cannot."""

    source: str
    items: tuple[ReviewItem, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()

    def find(self, doc_id: str) -> ReviewItem | None:
        return next((item for item in self.items if item.doc_id == doc_id), None)

    @property
    def open(self) -> tuple[ReviewItem, ...]:
        return tuple(item for item in self.items if item.is_open)

    @property
    def decided(self) -> tuple[ReviewItem, ...]:
        return tuple(item for item in self.items if not item.is_open)


@dataclass(frozen=True, slots=True)
class Protection:
    """A person's hold on a document: before `held_until` (RFC 3339) nothing of it is staged, superseded or purged."""

    held_until: str
    reason: str
    by: str
    at: str


@dataclass(frozen=True, slots=True)
class KeptOut:
    """A person has taken a document out of the index whose source is not ours to write. For as long as that has this
    version, it is not brought in again. `at` is RFC 3339."""

    doc_version: str
    content_hash: str
    reason: str
    by: str
    at: str

    def __str__(self) -> str:
        return f"{self.by} took it out of the index on {self.at[:10]} ({self.reason})"


def one_line(text: str) -> bool:
    return bool(text.strip()) and not _NOT_ONE_LINE.search(text)


_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def _check_day(text: str) -> None:
    try:
        if _DAY.fullmatch(text) and date.fromisoformat(text).year >= 1971:
            return
    except ValueError:
        pass
    raise ValueError(f"until is {text!r}; allowed is a day, as in 2027-01-31")
