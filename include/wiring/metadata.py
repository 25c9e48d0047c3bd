"""Runs that set metadata, one source at a time: what the DAG and the command line have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from include.domain.errors import ConfigError
from include.domain.manifest import Manifest
from include.domain.metadata import Patch
from include.planning.assigning import typed
from include.planning.choosing import choose
from include.records.patch_files import read_patches
from include.services.metadata_run import SET_METADATA, Done, MetadataPlan, Wish, apply_run, dry_run, plan_run
from include.services.reading import Progress
from include.wiring.application import Application
from include.wiring.kept_runs import kept_run
from include.wiring.runs import Run, chosen_sources, log_progress


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody asks for, in the words of the command line. One of three: conditions with a patch, a table of
    patches, a run to take back."""

    by: str
    reason: str
    where: Sequence[str] = ()
    everything: bool = False
    patch: Patch = field(default_factory=dict)
    table: Path | None = None
    reverts: str = ""
    skip_conflicts: bool = False

    def wish(self) -> Wish:
        """Raises ConfigError when it is none of the three, or more than one."""
        by_conditions = bool(self.where or self.everything or self.patch)
        if by_conditions + (self.table is not None) + bool(self.reverts) != 1:
            raise ConfigError(
                "say what to do, in one way: conditions and fields (--where, --set, --unset), a table of patches "
                "(--file), or a run to take back (--revert)"
            )
        if self.reverts:
            return Wish(self.by, self.reason, reverts=self.reverts, skip_conflicts=self.skip_conflicts)
        if self.table is not None:
            return Wish(self.by, self.reason, patches=read_patches(self.table), words=f"the table {self.table.name}")
        choice = choose(self.where, everything=self.everything)
        if not self.patch:
            raise ConfigError("nothing is set or unset; give --set field=value, or --unset field")
        return Wish(self.by, self.reason, choice=choice, patch=self.patch)


def plan_metadata(application: Application, source: str, run: Run, asked: Asked) -> MetadataPlan:
    """What would be done. Raises what `services.metadata_run.plan_run` raises; changes nothing."""
    wish = asked.wish()
    with application.context(_one(application, source)) as context:
        return plan_run(context, wish, run_id=run.manifest_id)


def set_metadata_of(
    application: Application,
    source: str,
    run: Run,
    asked: Asked,
    *,
    checksum: str = "",
    progress: Progress = log_progress,
) -> Done:
    """Do it. Raises what `services.metadata_run.apply_run` raises, after its manifest is saved."""
    wish = asked.wish()
    with kept_run(application, _one(application, source), run, SET_METADATA) as (context, run_id):
        return apply_run(context, wish, run_id=run_id, checksum=checksum, progress=progress)


def set_metadata_as_asked(application: Application, run: Run, params: Mapping[str, Any], *, by: str) -> Manifest:
    """What the parameters of the DAG say. A dry run unless they say otherwise; then the checksum of one is due."""
    source = _one(application, str(params["source"]))
    asked = Asked(
        by=by,
        reason=str(params["reason"]) or ("dry run" if params["dry_run"] else ""),
        where=tuple(params["where"]),
        everything=bool(params["everything"]),
        patch=typed(params["set"]) if params["set"] else {},
        reverts=str(params["revert"]),
    )
    if params["dry_run"]:
        wish = asked.wish()
        with kept_run(application, source, run, SET_METADATA) as (context, run_id):
            return dry_run(context, wish, run_id=run_id)[0]
    if not params["checksum"]:
        raise ConfigError(f"{source}: give the checksum of the dry run that you looked at; its manifest names it")
    return set_metadata_of(application, source, run, asked, checksum=str(params["checksum"])).manifest


def _one(application: Application, source: str) -> str:
    """Ids mean something in one source only. Raises ConfigError for none, all, or an unknown one."""
    if source in ("", "all"):
        raise ConfigError(f"name one source of {', '.join(sorted(application.settings.sources))}")
    return chosen_sources(application, source)[0]
