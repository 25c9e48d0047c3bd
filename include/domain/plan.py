"""The list of changes that would make the index true, and what the gate says of it. Pure data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from include.domain.inventory import Proof


class Action(StrEnum):
    CREATE = "create"  # published at the source, absent from the index
    REPLACE = "replace"  # the source has another version
    REPAIR = "repair"  # same version, but its points are not what they should be
    REBUILD = "rebuild"  # same version, made by another extractor, chunker or embedder
    REFRESH = "refresh"  # same version and pipeline, its metadata was read by other settings
    DELETE = "delete"  # in the index, absent from a proven listing
    RETIRE = "retire"  # a later member of its family replaces it: its status becomes superseded
    RESTORE = "restore"  # nothing replaces it any more: it is published as before
    STAGE = "stage"  # the detector hides it from readers until a person has looked
    PURGE = "purge"  # a person wants it taken out of its source, or where that is not ours, out of the index
    ARCHIVE = "archive"  # a person wants readers not to find it any more
    MARK = "mark"  # other marks: family, version, current, canonical, links


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """One change to one document.

    `reason` says why in words. `moved_to` is set on the delete of a document whose content the same plan creates
    under another id (a rename), `moved_from` on that creation. `content_before` is the text the index holds,
    `content_after` the text the change would write; both are content hashes, empty where there is none or the
    document has not been read. `empties`: the page has no text any more, its title would stand in.
    """

    doc_id: str
    action: Action
    reason: str
    version_before: str = ""
    version_after: str = ""
    moved_from: str = ""
    moved_to: str = ""
    content_before: str = ""
    content_after: str = ""
    empties: bool = False

    @property
    def changes_text(self) -> bool:
        return self.content_before != self.content_after


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything one source needs, sorted by document. `indexed_documents` is the gate's denominator."""

    source: str
    changes: tuple[Change, ...]
    indexed_documents: int
    listed_documents: int
    proof: Proof

    def of(self, *actions: Action) -> tuple[Change, ...]:
        return tuple(change for change in self.changes if change.action in actions)

    @property
    def removals(self) -> tuple[Change, ...]:
        return self.of(Action.DELETE)


def checksum(source: str, changes: Iterable[Change]) -> str:
    """Digest of a set of changes: what a person approves, and what must still be true when it is applied.

    Covers source, document, action, the version the index has, the version and text it would get. Independent
    of order and of wording. sha256, first 16 hex digits.
    """
    rows = sorted([c.doc_id, c.action, c.version_before, c.version_after, c.content_after] for c in changes)
    return hashlib.sha256(json.dumps([source, rows], ensure_ascii=False).encode()).hexdigest()[:16]


class HoldReason(StrEnum):
    """Which limit was met. The wording of each is in planning.gate."""

    DELETION_LIMIT = "deletion_limit"
    DELETION_WINDOW = "deletion_window"
    MASS_REKEY = "mass_rekey"
    MASS_UPDATE = "mass_update"
    SAME_TEXT = "same_text"
    SCOPE_CHANGED = "scope_changed"
    RETIREMENT_LIMIT = "retirement_limit"
    RETIREMENT_WINDOW = "retirement_window"
    STAGING_LIMIT = "staging_limit"
    STAGING_WINDOW = "staging_window"
    DISPOSITION_LIMIT = "disposition_limit"
    DISPOSITION_WINDOW = "disposition_window"


@dataclass(frozen=True, slots=True)
class Hold:
    """One limit that was met, with its arithmetic in a sentence."""

    reason: HoldReason
    message: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The gate's answer: `held` waits for a person, `allowed` may be applied now, `holds` says why."""

    source: str
    allowed: tuple[Change, ...]
    held: tuple[Change, ...]
    holds: tuple[Hold, ...] = ()

    @property
    def checksum(self) -> str:
        """Digest of what is held; empty when nothing is."""
        return checksum(self.source, self.held) if self.held else ""


class PlanKind(StrEnum):
    """What a held plan is about. A source may have one of each open at a time."""

    CONTENT = "content"  # documents come, change and go
    FAMILIES = "families"  # documents are marked: what supersedes what
    STAGING = "staging"  # documents are hidden from readers until a person has looked
    DISPOSITIONS = "dispositions"  # documents are taken away or archived, as people decided one by one


@dataclass(frozen=True, slots=True)
class HeldPlan:
    """A held part of a plan, as it waits in the ledger for a person. One open per source and kind, refreshed nightly.

    `first_held_at` is when the source first had something of this kind held without a break. `rejected_by` and
    `rejected_why` are set once somebody declined this very plan; it is not asked about again.
    """

    source: str
    checksum: str
    changes: tuple[Change, ...]
    holds: tuple[Hold, ...]
    indexed_documents: int
    first_held_at: str
    run_id: str
    rejected_by: str = ""
    rejected_why: str = ""
    kind: PlanKind = PlanKind.CONTENT


@dataclass(frozen=True, slots=True)
class Release:
    """A person's approval of one held plan. Used once, expires, names the checksum it was given for."""

    source: str
    checksum: str
    approved_by: str
    reason: str
    approved_at: str
    expires_at: str
    used_by_run: str = ""
