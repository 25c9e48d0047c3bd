"""Alarms of one source, derived from its last reconciliations. Pure: wiring sends them where the config says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from include.domain.manifest import DocumentState, Manifest, RunState

STALE_AFTER = timedelta(hours=26)
"""A nightly run that is two hours late."""

A_NIGHT_APART = timedelta(hours=12)

TOO_MANY_UNTRUE_NIGHTS = 2


_NOT_READ = (DocumentState.FAILED, DocumentState.VANISHED)


@dataclass(frozen=True, slots=True)
class Alert:
    """One alarm. `name` is stable and documented in docs/OPERATIONS.md."""

    name: str
    source: str
    message: str


ALERTS: dict[str, str] = {
    "not_true_two_nights": "orphan or stale documents remained after two consecutive nights",
    "deletions_held": "a plan waits for a person; repeated every night with its age",
    "listing_not_proven": "the source could not be read, or its listing proves nothing",
    "no_success": "no run has made the index true for 26 hours",
    "no_night": "no reconciliation has begun for 26 hours: its DAG is paused, or the scheduler is down",
    "failed_documents": "documents failed and keep their last good version",
    "run_failed": "the run itself failed",
}


def gated_alerts(
    latest: Manifest, *, now: datetime, failed: str, held: str, worker: str, waits: str, shows: str
) -> list[Alert]:
    """Alarms of the last run that marked documents behind a gate, under these names: that it failed, that a plan of it
    `waits` for a person. `shows` says how to look at it."""
    source, found = latest.source, []
    if latest.state is RunState.FAILED:
        why = f"run {latest.run_id} of the {worker} failed: {latest.reason}. {latest.next_step}"
        found.append(Alert(failed, source, f"{source}: {why}"))
    if latest.held:
        age = now - latest.held_since if latest.held_since else timedelta()
        found.append(
            Alert(
                held,
                source,
                f"{source}: {waits} been held for {age.total_seconds() / 3600:.0f} hours. {shows}; approve plan "
                f"{latest.held_checksum} in Airflow's required actions or with `truecopy approve`",
            )
        )
    return found


def alerts(nights: Sequence[Manifest], success: Manifest | None, *, source: str, now: datetime) -> list[Alert]:
    """What is wrong, from the source's last reconciliations, newest first, and the last one that ended well.

    No run at all is an alarm too.
    """
    found: list[Alert] = []

    def alarm(name: str, message: str) -> None:
        found.append(Alert(name, source, f"{source}: {message}"))

    since = success.finished_at if success else None
    if since is None or now - since > STALE_AFTER:
        when = f"since {since:%Y-%m-%d %H:%M} UTC" if since else "in any recorded run"
        alarm("no_success", f"the index was not proven true {when}. Look at the last run's reason")
    began = nights[0].started_at if nights else None
    if began is None or now - began > STALE_AFTER:
        alarm(
            "no_night", f"no reconciliation has begun since {began:%Y-%m-%d %H:%M} UTC" if began else "none ever began"
        )
    if not nights:
        return found
    latest = nights[0]
    if latest.state is RunState.FAILED:
        alarm("run_failed", f"run {latest.run_id} failed: {latest.reason}. {latest.next_step}")
    if latest.state is RunState.UNPROVEN:
        alarm("listing_not_proven", f"{latest.reason}. {latest.next_step}")
    if latest.held:
        age = now - latest.held_since if latest.held_since else timedelta()
        hours = f"{age.total_seconds() / 3600:.0f} hours"
        alarm("deletions_held", f"{len(latest.held)} changes have been held for {hours}. {latest.next_step}")
    failed = latest.count(*_NOT_READ)
    if failed:
        named = ", ".join(o.doc_id for o in latest.outcomes if o.state in _NOT_READ)
        alarm("failed_documents", f"{failed} documents failed: {named[:300]}")
    if nights_untrue(nights) >= TOO_MANY_UNTRUE_NIGHTS:
        assert latest.remaining is not None
        alarm(
            "not_true_two_nights",
            f"{latest.remaining.orphan} orphan and {latest.remaining.stale} stale documents remain after two nights. "
            f"{latest.reason}",
        )
    return found


def nights_untrue(nights: Iterable[Manifest]) -> int:
    """How many nights in a row, from the newest backwards, left orphan or stale documents behind. A retry or an
    approval in the same night is no second one."""
    counted: list[Manifest] = []
    for night in nights:
        if not left_untrue(night):
            break
        if not counted or counted[-1].started_at - night.started_at > A_NIGHT_APART:
            counted.append(night)
    return len(counted)


def left_untrue(manifest: Manifest) -> bool:
    return manifest.remaining is not None and bool(manifest.remaining.orphan or manifest.remaining.stale)
