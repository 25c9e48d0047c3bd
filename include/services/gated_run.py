"""What every run has in common that marks documents behind a gate, whatever it marks and why.

    begun -> plan -> gate -> hold or clear -> allow -> mark, audited -> conclude
                        `-> a person's release `-^

A run saves its manifest at each of these steps, and when it breaks off. The ledger is written before the index: a run
that is killed is finished by the next one, which finds the documents that do not say what the ledger says.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Protocol, TypeVar

from include.domain.manifest import DocumentOutcome, DocumentState, Manifest
from include.domain.metadata import DocumentPatch, MetadataChange
from include.domain.plan import Change, HeldPlan, Hold, PlanKind, Release
from include.planning.staging import ApprovedStaging
from include.services.context import SourceContext
from include.services.holding import hold_or_clear
from include.services.reading import Progress
from include.services.run_record import begun, broke_off, ended
from include.services.set_metadata import apply_change


class Judged(Protocol):
    """A gate's answer to a plan: what waits for a person, and why."""

    @property
    def checksum(self) -> str:
        """Of what is held; empty when nothing is."""
        ...

    @property
    def held_changes(self) -> tuple[Change, ...]: ...

    @property
    def holds(self) -> tuple[Hold, ...]: ...


class Approved(Protocol):
    """What may be done: because no limit holds it, or because a person released it."""

    release: Release | None


VerdictT = TypeVar("VerdictT", bound=Judged, contravariant=True)
ApprovedT = TypeVar("ApprovedT", bound=Approved, covariant=True)


class Releasing(Protocol[VerdictT, ApprovedT]):
    """A gate's function for what a person released; raises ApprovalRefused unless it is exactly what is held now."""

    def __call__(self, verdict: VerdictT, release: Release | None, /, *, run_id: str, now: datetime) -> ApprovedT: ...


class GatedRun:
    """One run over one source, and its manifest as far as it has come. Made by `gated_run`."""

    def __init__(self, context: SourceContext, kind: PlanKind, manifest: Manifest) -> None:
        self.context = context
        self.kind = kind
        self.manifest = manifest

    def hold(self, verdict: Judged, *, indexed_documents: int) -> None:
        """Record what waits for a person, and clear what no longer does."""
        hold_or_clear(
            self.context,
            self.kind,
            checksum=verdict.checksum,
            changes=verdict.held_changes,
            holds=verdict.holds,
            indexed_documents=indexed_documents,
            run_id=self.manifest.run_id,
        )

    def use_release(
        self,
        verdict: VerdictT,
        standing: HeldPlan | None,
        *,
        approve: Callable[[VerdictT], ApprovedT],
        release: Releasing[VerdictT, ApprovedT],
        release_run: str,
    ) -> ApprovedT:
        """What a person released, if it is exactly what is held now; raises ApprovalRefused otherwise.

        `standing` is the plan that was held when the run began. `release_run` is the run that uses the release, the
        same for all its attempts: when one comes back after a crash and nothing is left to be held, the marks are in
        the ledger already, and what no limit holds is approved.
        """
        ledger, source = self.context.ledger, self.context.source
        if not verdict.held_changes and standing:
            used = ledger.find_release(source, standing.checksum)
            if used is not None and used.used_by_run == release_run:
                return approve(verdict)
        found = ledger.find_release(source, verdict.checksum)
        approved = release(verdict, found, run_id=release_run, now=self.context.clock.now())
        assert approved.release is not None
        ledger.use_release(approved.release, release_run)
        return approved

    def clear_released(self) -> None:
        """What was released is done: nothing of this kind is held any more."""
        why = f"released and applied by run {self.manifest.run_id}"
        self.context.ledger.clear_held(self.context.source, why, self.kind)

    def allow(self, *, documents: int, retirements: int = 0, removals: int = 0) -> None:
        """Saved before the first write: if this process is killed now, the window counts what it may have retired or
        removed."""
        self.manifest = replace(
            self.manifest, indexed_before=documents, planned_retirements=retirements, planned_removals=removals
        )
        self.context.manifests.save(self.manifest)

    def mark(
        self,
        change: MetadataChange,
        patches: tuple[DocumentPatch, ...],
        *,
        lagging: Collection[str],
        approved: ApprovedStaging | None = None,
        progress: Progress,
    ) -> Sequence[DocumentOutcome]:
        """Write these patches of a planned change into the ledger and every chunk, and bring in the `lagging`
        documents, which an earlier run left half done. Returns the outcomes of those; raises what `apply_change` does.
        """
        if patches or lagging:
            apply_change(
                self.context, replace(change, patches=patches), also=lagging, approved=approved, progress=progress
            )
        why = "its chunks did not say what the ledger says"
        return [DocumentOutcome(doc_id, DocumentState.REPAIRED, why) for doc_id in lagging]

    def ended(self) -> Manifest:
        """The manifest as the run ends now, with what waits for a person; the caller adds what was done."""
        return ended(self.context, self.manifest, self.kind)

    def conclude(self, manifest: Manifest) -> Manifest:
        """Save the manifest of the whole run, and return it."""
        self.context.manifests.save(manifest)
        return manifest


@contextmanager
def gated_run(
    context: SourceContext, dag_id: str, run_id: str, kind: PlanKind, *, released: bool = False
) -> Iterator[GatedRun]:
    """A run whose gate holds plans of this kind. What stops it is raised after its manifest is saved."""
    run = GatedRun(context, kind, begun(context, dag_id, run_id, released=released))
    try:
        yield run
    except BaseException as error:
        broke_off(context, run.manifest, error, kind)
        raise
