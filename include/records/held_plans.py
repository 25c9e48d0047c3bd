"""What waits for a person, who was asked about it, and what was answered.

held/<source>.yaml                         the source's open held plan of its documents
held/families/<source>.yaml                the one of its families
requests/<source>.yaml                     checksums of plans that a person was asked about and has not answered
requests/families/<source>.yaml
releases/<source>/<checksum>-<when>.yaml   approvals of held plans, with who, why and which run used them
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pydantic import TypeAdapter

from include.domain.errors import ApprovalRefused
from include.domain.plan import HeldPlan, PlanKind, Release
from include.records.repository import person
from include.records.yaml_records import YamlRecords

_HELD = TypeAdapter(HeldPlan)
_RELEASE = TypeAdapter(Release)
_REQUESTS = TypeAdapter(dict[str, str])
_BELOW = {
    PlanKind.CONTENT: "",
    PlanKind.FAMILIES: "families/",
    PlanKind.STAGING: "staging/",
    PlanKind.DISPOSITIONS: "dispositions/",
}


class HeldPlans(YamlRecords):
    """The part of ports.Ledger that is about held plans."""

    def held(self, source: str, kind: PlanKind = PlanKind.CONTENT) -> HeldPlan | None:
        plan: HeldPlan | None = self._read(_HELD, _held_path(source, kind))
        return plan

    def hold(self, plan: HeldPlan) -> HeldPlan:
        with self._repository.locked():
            standing = self.held(plan.source, plan.kind)
            if standing is not None:
                plan = replace(plan, first_held_at=standing.first_held_at)
                if standing.checksum == plan.checksum:
                    return standing
            self._commit(
                _held_path(plan.source, plan.kind),
                _HELD.dump_python(plan, mode="json"),
                f"Hold plan {plan.checksum} of {plan.source}: {len(plan.changes)} changes wait for a person",
            )
            return plan

    def reject(self, source: str, checksum: str, by: str, why: str) -> None:
        with self._repository.locked():
            open_plans = [plan for kind in PlanKind if (plan := self.held(source, kind))]
            standing = next((plan for plan in open_plans if plan.checksum == checksum), None)
            if standing is None:
                now = ", ".join(plan.checksum for plan in open_plans) or "nothing is held"
                raise ApprovalRefused(
                    f"{source}: plan {checksum} is not the one that is held now ({now}); look at the new one",
                    source=source,
                )
            self._commit(
                _held_path(source, standing.kind),
                _HELD.dump_python(replace(standing, rejected_by=by, rejected_why=why), mode="json"),
                f"Reject plan {checksum} of {source}\n\n{why}",
                author=person(by),
            )
            release = self.find_release(source, checksum)
            if release is not None and not release.used_by_run:
                self._commit(
                    _release_path(release),
                    _RELEASE.dump_python(replace(release, used_by_run=f"nobody: rejected by {by}"), mode="json"),
                    f"Take back the release of plan {checksum} of {source}: it was rejected",
                    author=person(by),
                )

    def clear_held(self, source: str, why: str, kind: PlanKind = PlanKind.CONTENT) -> None:
        with self._repository.locked():
            path = _held_path(source, kind)
            if (self._folder / path).exists():
                (self._folder / path).unlink()
                self._repository.commit([path], f"Nothing is held for {source}: {why}")

    def open_requests(self, source: str, kind: PlanKind = PlanKind.CONTENT) -> Mapping[str, str]:
        return self._read(_REQUESTS, _requests_path(source, kind)) or {}

    def open_request(self, source: str, checksum: str, asked_at: str, kind: PlanKind = PlanKind.CONTENT) -> None:
        with self._repository.locked():
            asked = {**self.open_requests(source, kind), checksum: asked_at}
            self._commit(_requests_path(source, kind), asked, f"Ask a person about plan {checksum} of {source}")

    def close_request(self, source: str, checksum: str) -> None:
        with self._repository.locked():
            for kind in PlanKind:
                asked = {**self.open_requests(source, kind)}
                if asked.pop(checksum, None) is not None:
                    why = f"The question about plan {checksum} of {source} is closed"
                    self._commit(_requests_path(source, kind), asked, why)

    def release(self, release: Release) -> None:
        with self._repository.locked():
            self._commit(
                _release_path(release),
                _RELEASE.dump_python(release, mode="json"),
                f"Release plan {release.checksum} of {release.source}\n\n{release.reason}",
                author=person(release.approved_by),
            )

    def find_release(self, source: str, checksum: str) -> Release | None:
        """The newest release of exactly this plan."""
        folder = self._folder / "releases" / source
        names = sorted(path.name for path in folder.glob(f"{checksum}-*.yaml")) if checksum and folder.exists() else []
        release: Release | None = self._read(_RELEASE, f"releases/{source}/{names[-1]}") if names else None
        return release

    def use_release(self, release: Release, run_id: str) -> Release:
        with self._repository.locked():
            standing: Release | None = self._read(_RELEASE, _release_path(release))
            if standing is None or (standing.used_by_run and standing.used_by_run != run_id):
                used_by = f"was used by run {standing.used_by_run}" if standing else "is not in the ledger any more"
                raise ApprovalRefused(
                    f"{release.source}: the release of plan {release.checksum} {used_by}; a release is used once",
                    source=release.source,
                    used_by_run=standing.used_by_run if standing else "",
                )
            used: Release = replace(standing, used_by_run=run_id)
            if used != standing:
                self._commit(
                    _release_path(release),
                    _RELEASE.dump_python(used, mode="json"),
                    f"Use release {release.checksum} of {release.source} in run {run_id}",
                )
            return used


def _held_path(source: str, kind: PlanKind) -> str:
    return f"held/{_BELOW[kind]}{source}.yaml"


def _requests_path(source: str, kind: PlanKind) -> str:
    return f"requests/{_BELOW[kind]}{source}.yaml"


def _release_path(release: Release) -> str:
    when = "".join(character for character in release.approved_at if character.isdigit())
    return f"releases/{release.source}/{release.checksum}-{when}.yaml"
