"""The one record of a run. Gauges, alerts, pages and the command line read it; nothing counts a second time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from include.domain.inventory import Proof
from include.domain.plan import Change, Hold
from include.domain.provenance import DateReport


class RunState(StrEnum):
    """How a run ended. `RUNNING` in a stored manifest means: it was killed, or is still at work."""

    RUNNING = "running"
    INGESTED = "ingested"  # an hourly run brought in what it found; it proves nothing about removals
    TRUE = "true"  # the index equals the source
    PLANNED = "planned"  # a dry run: what would be marked is written down, nothing is changed
    APPLIED = "applied"  # what people decided in review is carried out
    DETECTED = "detected"  # what looks out of date is staged or put up for review
    RESOLVED = "resolved"  # families are marked as decided; those that are ambiguous wait in review
    DEGRADED = "degraded"  # some documents failed, the others are true
    HELD = "held"  # a person must decide
    UNPROVEN = "unproven"  # the listing proves nothing; nothing was removed
    FAILED = "failed"


class DocumentState(StrEnum):
    CREATED = "created"
    REPLACED = "replaced"
    REPAIRED = "repaired"
    REFRESHED = "refreshed"  # metadata only, text unchanged
    DELETED = "deleted"
    RETIRED = "retired"  # superseded by a later member of its family
    RESTORED = "restored"  # no longer superseded or staged
    STAGED = "staged"  # hidden from readers until a person has looked
    PROPOSED = "proposed"  # put before a person; readers find it as before
    MARKED = "marked"  # its metadata was changed in place
    HIDDEN = "hidden"  # marked so that readers no longer find it: as good as deleted to them
    PURGED = "purged"  # a commit takes it out of its source; hidden until that has the commit
    SETTLED = "settled"  # what was decided about it is remembered; readers find it as before
    REOPENED = "reopened"  # what was decided about it does not hold any more: a person has to decide again
    PLANNED = "planned"  # a dry run would mark it
    WITHDRAWN = "withdrawn"  # a newer version arrived meanwhile
    HELD = "held"
    KEPT = "kept"  # planned for removal, but the source did not confirm
    FAILED = "failed"
    VANISHED = "vanished"  # gone at the source before it could be read


@dataclass(frozen=True, slots=True)
class DocumentOutcome:
    """What happened to one document. Chunk counts: `embedded` went through the embedder, `reused` took a
    vector from the index, `minimum` is how many of its chunk texts the index did not hold before. `version_before` is
    what readers found until then, of a document that was written."""

    doc_id: str
    state: DocumentState
    detail: str = ""
    version: str = ""
    chunks: int = 0
    embedded: int = 0
    reused: int = 0
    minimum: int = 0
    version_before: str = ""


@dataclass(frozen=True, slots=True)
class Findings:
    """What a comparison of source and index found, in documents."""

    orphan: int = 0
    stale: int = 0
    partial: int = 0
    missing: int = 0
    outdated: int = 0  # made by another pipeline, or read by other settings, than the configured ones
    drifted: int = 0  # their marks are not those of the ledger

    @property
    def clean(self) -> bool:
        return not (self.orphan or self.stale or self.partial or self.missing or self.outdated or self.drifted)


@dataclass(frozen=True, slots=True)
class FamilyCounts:
    """Families of a source, as one run of the resolver left them. `superseded` are documents that are readable and
    have this status. `ambiguous_since` is how long the oldest ambiguous family has waited for a person. `seen_until`:
    everything that changed before this instant was looked at; None for a run that was asked about less."""

    decided: int
    ambiguous: int
    superseded: int
    ambiguous_since: datetime | None = None
    seen_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Feedback:
    """What people made of the candidates that a signal spoke for: `approved` ones were taken away, archived or linked,
    `kept` ones were right as they were."""

    approved: int = 0
    kept: int = 0


@dataclass(frozen=True, slots=True)
class CandidateCounts:
    """Candidates of a source, as one run of the detector left them.

    `staged` are documents that are hidden because of it. `open` wait for a person since `open_since` at the earliest,
    `decided` wait to be carried out, `unreadable` are spoilt files of the queue. `signals` says for how many candidates
    each signal speaks, `not_judged` why one could not be used, `spared` how many documents somebody wants left alone,
    `feedback` what became of past candidates, by signal.
    """

    examined: int
    staged: int
    open: int
    decided: int
    unreadable: int
    spared: int
    open_since: datetime | None = None
    signals: Mapping[str, int] = field(default_factory=dict)
    not_judged: Mapping[str, str] = field(default_factory=dict)
    feedback: Mapping[str, Feedback] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Manifest:
    """Inputs, proof, plan, verdict, outcome per document and exact counts of one run over one source."""

    run_id: str
    dag_id: str
    source: str
    started_at: datetime
    state: RunState
    finished_at: datetime | None = None
    proof: Proof | None = None
    found: Findings | None = None
    remaining: Findings | None = None
    documents: int | None = None  # in the index after the run, exact
    chunks: int | None = None
    foreign_points: int | None = None
    indexed_before: int | None = None
    planned_removals: int = 0  # allowed by the gate in this run; what a crash may already have applied
    removals_asked: int = 0  # by id, before they were carried out; a sample of a large number of them
    released: bool = False  # a person released these removals; they do not fill the window
    held: tuple[Change, ...] = ()
    holds: tuple[Hold, ...] = ()
    held_checksum: str = ""
    held_since: datetime | None = None
    outcomes: tuple[DocumentOutcome, ...] = ()
    reason: str = ""  # why the state is not `true`, in one sentence
    next_step: str = ""  # what a person can do about it
    pipeline: str = ""
    dates: DateReport | None = None  # where the dates of the index come from, counted after the run
    alerts: tuple[str, ...] = ()  # raised after the run, as `name: message`
    families: FamilyCounts | None = None  # of a run of the resolver
    candidates: CandidateCounts | None = None  # of a run of the detector
    planned_retirements: int = 0  # allowed by the gate in this run; what a crash may already have applied

    def count(self, *states: DocumentState) -> int:
        return sum(outcome.state in states for outcome in self.outcomes)

    @property
    def removal(self) -> Removal:
        """What this run took from the answers. One that was killed or broke off cannot say what it did: whatever it was
        allowed to counts as done, and no document is named."""
        at = self.finished_at or self.started_at
        if self.state in (RunState.RUNNING, RunState.FAILED):
            return Removal(at, self.planned_removals, self.run_id, self.planned_retirements)
        removed = self._named(DocumentState.DELETED, DocumentState.HIDDEN)
        retired = self._named(DocumentState.RETIRED, DocumentState.STAGED)
        return Removal(at, len(removed), self.run_id, len(retired), frozenset(removed), frozenset(retired))

    def _named(self, *states: DocumentState) -> list[str]:
        return [outcome.doc_id for outcome in self.outcomes if outcome.state in states]


@dataclass(frozen=True, slots=True)
class RunHead:
    """A manifest without the outcome of each document: how many had which state stands in its place, and how many
    chunks were embedded, reused and new in all of them; None in a record from before that was written.

    `manifest.outcomes` may be empty, so that `count` is asked here and not there.
    """

    manifest: Manifest
    counts: Mapping[DocumentState, int]
    embedded: int | None = None
    reused: int | None = None
    minimum: int | None = None

    @classmethod
    def of(cls, manifest: Manifest) -> RunHead:
        """Of a manifest with its outcomes."""
        outcomes = manifest.outcomes
        return cls(
            manifest,
            Counter(outcome.state for outcome in outcomes),
            embedded=sum(outcome.embedded for outcome in outcomes),
            reused=sum(outcome.reused for outcome in outcomes),
            minimum=sum(outcome.minimum for outcome in outcomes),
        )

    def count(self, *states: DocumentState) -> int:
        return sum(self.counts.get(state, 0) for state in states)


@dataclass(frozen=True, slots=True)
class Removal:
    """How many documents a past run removed, and how many it `retired` (they stay in the index, behind another or
    staged); input of the sliding window. `removed_ids` and `retired_ids` are their doc ids, empty where only the
    numbers are known."""

    at: datetime
    documents: int
    run_id: str = ""
    retired: int = 0
    removed_ids: frozenset[str] = frozenset()
    retired_ids: frozenset[str] = frozenset()

    @property
    def is_none(self) -> bool:
        return not (self.documents or self.retired)


@dataclass(frozen=True, slots=True)
class Gauge:
    """A number derived from a manifest or an exact count, by source. `labels` tell apart the numbers of one name; their
    values come from short closed lists, never from documents."""

    name: str
    value: float
    source: str
    help: str = field(default="", compare=False)
    labels: tuple[tuple[str, str], ...] = ()
