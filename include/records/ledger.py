"""People's decisions as small YAML files in a git repository of their own: every decision is a commit.

    marks/<source>.yaml                     lifecycle metadata by document
    held/<source>.yaml                      the source's open held plan
    requests/<source>.yaml                  checksums of plans that a person was asked about and has not answered
    releases/<source>/<checksum>-<when>.yaml   approvals of held plans, with who, why and which run used them

Undo is `git revert`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml
from pydantic import ConfigDict, TypeAdapter, ValidationError

from include.domain.documents import Marks
from include.domain.errors import ApprovalRefused, ConfigError
from include.domain.plan import HeldPlan, Release
from include.records.repository import MACHINE, Repository, person

# A misspelled mark in a file that people edit is an error: a pin that is not read protects nothing.
_MARKS = TypeAdapter(dict[str, Marks], config=ConfigDict(extra="forbid"))
_HELD = TypeAdapter(HeldPlan)
_RELEASE = TypeAdapter(Release)
_REQUESTS = TypeAdapter(dict[str, str])


class GitLedger:
    """Implements ports.Ledger. The repository is created on first use."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._repository = Repository(folder)

    def marks(self, source: str) -> Mapping[str, Marks]:
        path = self._folder / "marks" / f"{source}.yaml"
        return {} if not path.exists() else _parse(_MARKS, path)

    def held(self, source: str) -> HeldPlan | None:
        path = self._folder / "held" / f"{source}.yaml"
        return _parse(_HELD, path) if path.exists() else None

    def hold(self, plan: HeldPlan) -> HeldPlan:
        with self._repository.locked():
            standing = self.held(plan.source)
            if standing is not None:
                plan = replace(plan, first_held_at=standing.first_held_at)
                if standing.checksum == plan.checksum:
                    return standing
            self._commit(
                f"held/{plan.source}.yaml",
                _HELD.dump_python(plan, mode="json"),
                f"Hold plan {plan.checksum} of {plan.source}: {len(plan.changes)} changes wait for a person",
            )
            return plan

    def reject(self, source: str, checksum: str, by: str, why: str) -> None:
        with self._repository.locked():
            standing = self.held(source)
            if standing is None or standing.checksum != checksum:
                now = standing.checksum if standing else "nothing is held"
                raise ApprovalRefused(
                    f"{source}: plan {checksum} is not the one that is held now ({now}); look at the new one",
                    source=source,
                )
            self._commit(
                f"held/{source}.yaml",
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

    def open_requests(self, source: str) -> Mapping[str, str]:
        path = self._folder / "requests" / f"{source}.yaml"
        return _parse(_REQUESTS, path) if path.exists() else {}

    def open_request(self, source: str, checksum: str, asked_at: str) -> None:
        with self._repository.locked():
            asked = {**self.open_requests(source), checksum: asked_at}
            self._commit(f"requests/{source}.yaml", asked, f"Ask a person about plan {checksum} of {source}")

    def close_request(self, source: str, checksum: str) -> None:
        with self._repository.locked():
            asked = {**self.open_requests(source)}
            if asked.pop(checksum, None) is None:
                return
            self._commit(f"requests/{source}.yaml", asked, f"The question about plan {checksum} of {source} is closed")

    def clear_held(self, source: str, why: str) -> None:
        with self._repository.locked():
            path = self._folder / "held" / f"{source}.yaml"
            if path.exists():
                path.unlink()
                self._repository.commit([f"held/{source}.yaml"], f"Nothing is held for {source}: {why}")

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
        paths = sorted(folder.glob(f"{checksum}-*.yaml")) if checksum and folder.exists() else []
        return _parse(_RELEASE, paths[-1]) if paths else None

    def use_release(self, release: Release, run_id: str) -> Release:
        with self._repository.locked():
            standing: Release = _parse(_RELEASE, self._folder / _release_path(release))
            if standing.used_by_run and standing.used_by_run != run_id:
                raise ApprovalRefused(
                    f"{release.source}: the release of plan {release.checksum} was used by run "
                    f"{standing.used_by_run}; a release is used once",
                    source=release.source,
                    used_by_run=standing.used_by_run,
                )
            used: Release = replace(standing, used_by_run=run_id)
            if used != standing:
                self._commit(
                    _release_path(release),
                    _RELEASE.dump_python(used, mode="json"),
                    f"Use release {release.checksum} of {release.source} in run {run_id}",
                )
            return used

    def _commit(self, path: str, record: Any, message: str, author: str = MACHINE) -> None:
        self._repository.write(path, yaml.safe_dump(record, sort_keys=False, allow_unicode=True))
        self._repository.commit([path], message, author)


def _release_path(release: Release) -> str:
    when = "".join(character for character in release.approved_at if character.isdigit())
    return f"releases/{release.source}/{release.checksum}-{when}.yaml"


def _parse(adapter: TypeAdapter[Any], path: Path) -> Any:
    try:
        return adapter.validate_python(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (ValidationError, yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"ledger file {path} cannot be read: {error}. It was edited by hand; mend it or `git revert` the change",
            path=str(path),
        ) from error
