"""Manifests, ledger and removal marks in memory, held to the same tests as those on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice

from include.domain.consequence import Consequence
from include.domain.documents import DocumentKey, Marks
from include.domain.errors import ApprovalRefused, ChangeRefused, ChangeUnderway
from include.domain.manifest import DocumentOutcome, Manifest, Removal
from include.domain.metadata import Hand, MetadataChange, Patch, marks_of, merged
from include.domain.plan import HeldPlan, PlanKind, Release
from include.domain.review import KeptOut
from include.families.review import FamilyReview
from include.planning.fences import later_removal
from tests.fakes.review_queue import FakeReviewQueue


def _nothing(_operation: str) -> None:
    pass


@dataclass
class FakeManifests:
    saved: dict[tuple[str, str, str], Manifest] = field(default_factory=dict)
    worker_parts: dict[tuple[str, str, str], dict[str, tuple[DocumentOutcome, ...]]] = field(default_factory=dict)

    def save(self, manifest: Manifest) -> None:
        self.saved[manifest.dag_id, manifest.run_id, manifest.source] = manifest

    def load(self, dag_id: str, run_id: str, source: str) -> Manifest:
        try:
            return self.saved[dag_id, run_id, source]
        except KeyError:
            raise FileNotFoundError(f"{dag_id}/{run_id}/{source}") from None

    def save_part(self, manifest: Manifest, part: str) -> None:
        parts = self.worker_parts.setdefault((manifest.dag_id, manifest.run_id, manifest.source), {})
        parts[part] = manifest.outcomes

    def parts(self, dag_id: str, run_id: str, source: str) -> Mapping[str, Sequence[DocumentOutcome]]:
        return dict(sorted(self.worker_parts.get((dag_id, run_id, source), {}).items()))

    def newest_first(
        self, source: str, dag_ids: Sequence[str] = (), *, until: datetime | None = None
    ) -> Iterator[Manifest]:
        found = [m for m in self.saved.values() if m.source == source and (not dag_ids or m.dag_id in dag_ids)]
        found = [m for m in found if until is None or m.started_at <= until]
        return iter(sorted(found, key=lambda m: (m.started_at, m.dag_id, m.run_id), reverse=True))

    def comparisons(self, source: str, *, until: datetime) -> Iterator[Manifest]:
        return (manifest for manifest in self.newest_first(source, until=until) if manifest.found is not None)

    def latest(self, source: str, *, dag_id: str | None = None, limit: int = 1) -> Sequence[Manifest]:
        return list(islice(self.newest_first(source, (dag_id,) if dag_id else ()), limit))

    def removals(self, source: str, since: datetime) -> Sequence[Removal]:
        found = [each.removal for each in self.saved.values() if each.source == source and not each.released]
        return [each for each in found if not each.is_none and each.at >= since]


@dataclass
class FakeLedger(FakeReviewQueue):
    """`marked` is for tests that only need marks to be there."""

    marked: dict[str, dict[str, Marks]] = field(default_factory=dict)
    decisions: dict[tuple[str, Hand], Mapping[str, Patch]] = field(default_factory=dict)
    changes: list[MetadataChange] = field(default_factory=list)
    under_change: dict[str, str] = field(default_factory=dict)
    open_plans: dict[tuple[str, PlanKind], HeldPlan] = field(default_factory=dict)
    requests: dict[tuple[str, PlanKind], dict[str, str]] = field(default_factory=dict)
    releases: list[Release] = field(default_factory=list)
    open_reviews: dict[str, list[FamilyReview]] = field(default_factory=dict)
    out: dict[str, dict[str, KeptOut]] = field(default_factory=dict)
    words: list[tuple[str, str]] = field(default_factory=list)

    def marks(self, source: str) -> Mapping[str, Marks]:
        hands = [self.decided(source, hand) for hand in Hand]
        made = {name: marks_of(merged(*(hand.get(name, {}) for hand in hands))) for name in set().union(*hands)}
        return {**self.marked.get(source, {}), **made}

    def decided(self, source: str, hand: Hand) -> Mapping[str, Patch]:
        return dict(self.decisions.get((source, hand), {}))

    def record(self, change: MetadataChange) -> None:
        before = self.decided(change.source, change.hand)
        decided = dict(before)
        for patch in change.patches:
            fields = dict(decided.pop(patch.doc_id, {}))
            for name, value in patch.after.items():
                if fields.get(name) not in (patch.before[name], value):
                    raise ChangeRefused(f"{change.source}: {patch.doc_id}: {name} was changed since this was planned")
                fields[name] = value
            if kept := {name: value for name, value in fields.items() if value is not None}:
                decided[patch.doc_id] = kept
        if self.recorded(change.source, change.run_id) is not None:
            if decided != before:
                raise ChangeRefused(f"{change.source}: run {change.run_id} has changed metadata already")
            return
        self.decisions[change.source, change.hand] = decided
        self.changes.append(change)

    def recorded(self, source: str, run_id: str) -> MetadataChange | None:
        return next((each for each in self.changes if (each.source, each.run_id) == (source, run_id)), None)

    def carry_out(self, what: Consequence) -> None:
        item = what.item
        if not self.stands(item):
            return
        for change in what.changes:
            self.record(change)
        if what.hold is not None:
            self.protect(item.source, {item.doc_id: what.hold}, by="", message="")
        if what.kept_out is not None:
            self.out.setdefault(item.source, {})[item.doc_id] = what.kept_out
        if what.settles:
            self.put_away(item)
        else:
            self.items[item.source, item.doc_id] = item
        self.words.append((item.source, item.word))

    def carried_out(self, source: str) -> frozenset[str]:
        return frozenset(word for name, word in self.words if name == source)

    def kept_out(self, source: str) -> Mapping[str, KeptOut]:
        return dict(self.out.get(source, {}))

    def let_in(self, source: str, versions: Mapping[str, str]) -> None:
        self.out[source] = {
            doc_id: each
            for doc_id, each in self.kept_out(source).items()
            if doc_id not in versions or each.doc_version == versions[doc_id]
        }

    @contextmanager
    def changing(self, source: str, run_id: str) -> Iterator[None]:
        if source in self.under_change:
            raise ChangeUnderway(f"{source}: run {self.under_change[source]} is changing metadata of this source")
        self.under_change[source] = run_id
        try:
            yield
        finally:
            del self.under_change[source]

    def held(self, source: str, kind: PlanKind = PlanKind.CONTENT) -> HeldPlan | None:
        return self.open_plans.get((source, kind))

    def hold(self, plan: HeldPlan) -> HeldPlan:
        standing = self.held(plan.source, plan.kind)
        if standing is not None and standing.checksum == plan.checksum:
            return standing
        if standing is not None:
            plan = replace(plan, first_held_at=standing.first_held_at)
        self.open_plans[plan.source, plan.kind] = plan
        return plan

    def open_requests(self, source: str, kind: PlanKind = PlanKind.CONTENT) -> Mapping[str, str]:
        return dict(self.requests.get((source, kind), {}))

    def open_request(self, source: str, checksum: str, asked_at: str, kind: PlanKind = PlanKind.CONTENT) -> None:
        self.requests.setdefault((source, kind), {})[checksum] = asked_at

    def close_request(self, source: str, checksum: str) -> None:
        for kind in PlanKind:
            self.requests.get((source, kind), {}).pop(checksum, None)

    def reject(self, source: str, checksum: str, by: str, why: str) -> None:
        standing = next((p for kind in PlanKind if (p := self.held(source, kind)) and p.checksum == checksum), None)
        if standing is None:
            raise ApprovalRefused(f"{source}: plan {checksum} is not the one that is held now")
        self.open_plans[source, standing.kind] = replace(standing, rejected_by=by, rejected_why=why)
        release = self.find_release(source, checksum)
        if release is not None and not release.used_by_run:
            self.use_release(release, f"nobody: rejected by {by}")

    def clear_held(self, source: str, why: str, kind: PlanKind = PlanKind.CONTENT) -> None:
        self.open_plans.pop((source, kind), None)

    def review(self, source: str, families: Sequence[FamilyReview]) -> Sequence[FamilyReview]:
        since = {review.family: review.since for review in self.reviews(source)}
        asked = [replace(review, since=since.get(review.family, review.since)) for review in families]
        self.open_reviews[source] = sorted(asked, key=lambda review: review.family)
        return self.reviews(source)

    def reviews(self, source: str) -> Sequence[FamilyReview]:
        return list(self.open_reviews.get(source, []))

    def release(self, release: Release) -> None:
        self.releases.append(release)

    def find_release(self, source: str, checksum: str) -> Release | None:
        fitting = [r for r in self.releases if (r.source, r.checksum) == (source, checksum)]
        return max(fitting, key=lambda r: r.approved_at, default=None)

    def use_release(self, release: Release, run_id: str) -> Release:
        place = next(
            n
            for n, r in enumerate(self.releases)
            if (r.source, r.checksum, r.approved_at) == (release.source, release.checksum, release.approved_at)
        )
        standing = self.releases[place]
        if standing.used_by_run and standing.used_by_run != run_id:
            raise ApprovalRefused(f"{release.source}: the release was used by run {standing.used_by_run}")
        self.releases[place] = replace(standing, used_by_run=run_id)
        return self.releases[place]


@dataclass
class FakeRemovalMarks:
    """`on_io` is called before each look and each mark, as for the fake index."""

    on_io: Callable[[str], None] = _nothing
    fences: dict[DocumentKey, datetime] = field(default_factory=dict)

    def put(self, key: DocumentKey, fence: datetime) -> None:
        self.on_io("mark")
        self.fences[key] = later_removal(self.fences.get(key), fence)

    def fence_of(self, key: DocumentKey) -> datetime | None:
        self.on_io("look for a mark")
        return self.fences.get(key)
