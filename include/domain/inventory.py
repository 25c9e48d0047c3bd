"""What each side holds: the source's listing with its proof, and the index read point by point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Proof:
    """Why a listing may be taken as whole, or why not.

    A listing is complete only if the end was reached, the declared total (where the source declares one)
    equals what was seen on every page, and the credential's scope was verified. `problem` is empty then,
    otherwise it states what is missing, for the manifest.

    `scope` names what the listing was read with and what it covers, in a form that two nights can be compared by:
    the account and its rights as the source states them, the collections that were listed. Never a secret. Empty
    where the connector cannot tell.
    """

    end_reached: bool
    scope_verified: bool
    seen: int
    declared_total: int | None = None
    detail: str = ""
    problem: str = ""
    scope: str = ""

    @property
    def complete(self) -> bool:
        return (
            self.end_reached
            and self.scope_verified
            and not self.problem
            and (self.declared_total is None or self.declared_total == self.seen)
        )


@dataclass(frozen=True, slots=True)
class ListedDocument:
    """One entry of a listing. `unreadable` is set where the source names it but its state cannot be read:
    such a document is unknown, it is neither fetched nor ever deleted in this run."""

    doc_id: str
    version: str
    unreadable: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """Everything a source publishes at one moment, `{doc_id: ListedDocument}`, with the proof of wholeness."""

    source: str
    documents: Mapping[str, ListedDocument]
    proof: Proof
    listed_at: datetime

    @property
    def complete(self) -> bool:
        return self.proof.complete


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """One document as the index holds it, judged from its stored points alone.

    `version`, `content_hash`, `pipeline`, `status` are those of the newest readable version (empty strings if
    there is none). `chunks` is how many of its points are right, `flaws` says in words what is wrong with the
    rest: too few or too many points, a second version, debris of a crash, a text that no longer matches its
    hash. A document without flaws is one complete readable version and nothing else. `metadata` is what the fields of
    `payload.METADATA_FIELDS` say on the first chunk of that version, as stored; absent ones are left out. `drift` names
    those, and the status, that are not as the ledger decides: they are set right in place, without the source.
    """

    doc_id: str
    version: str
    content_hash: str
    pipeline: str
    status: str
    chunks: int
    points: int
    fetched_at: datetime | None
    flaws: tuple[str, ...] = ()
    metadata: Mapping[str, object] = field(default_factory=dict)
    drift: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexInventory:
    """The index's side of one source. `foreign_points` belong to no configured source and are never touched.
    `kept_out` are the versions, by doc id, that a person has taken out of it."""

    source: str
    documents: Mapping[str, IndexedDocument] = field(default_factory=dict)
    points: int = 0
    foreign_points: int = 0
    kept_out: Mapping[str, str] = field(default_factory=dict)
