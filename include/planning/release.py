"""Whether a person's release is one of exactly the plan that is computed now, still valid and not used up."""

from __future__ import annotations

from datetime import datetime

from include.domain.dates import from_rfc3339
from include.domain.errors import ApprovalRefused
from include.domain.plan import Release


def check_release(
    source: str, computed: str, waiting: int, release: Release | None, *, run_id: str, now: datetime
) -> Release:
    """The release, if it is one of exactly the held plan `computed` now, of so many changes. Raises ApprovalRefused."""
    if not waiting:
        raise ApprovalRefused(f"{source}: nothing is held any more; the release has no effect", source=source)
    if release is None:
        raise ApprovalRefused(
            f"{source}: no recorded release for plan {computed} ({waiting} changes). "
            "Only an answer in the ledger counts; approve it in Airflow's required actions or with `truecopy approve`",
            source=source,
            checksum=computed,
        )
    if release.source != source or release.checksum != computed:
        raise ApprovalRefused(
            f"{source}: the release names plan {release.checksum}, but the plan computed now is {computed} "
            f"({waiting} changes): the sources changed since {release.approved_by} looked. "
            "Look at the new plan and approve that one",
            source=source,
            released=release.checksum,
            computed=computed,
        )
    if now >= from_rfc3339(release.expires_at):
        raise ApprovalRefused(
            f"{source}: the release of plan {release.checksum} by {release.approved_by} expired at "
            f"{release.expires_at}; approve it again",
            source=source,
            expires_at=release.expires_at,
        )
    if release.used_by_run and release.used_by_run != run_id:
        raise ApprovalRefused(
            f"{source}: the release of plan {release.checksum} was used by run {release.used_by_run}; "
            "a release is used once",
            source=source,
            used_by_run=release.used_by_run,
        )
    return release
