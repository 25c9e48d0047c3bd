"""Held plans and people: who is asked about which plan, and what an answer records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from include.domain.dates import from_rfc3339, rfc3339
from include.domain.errors import ConfigError
from include.domain.plan import HeldPlan, Release
from include.wiring.application import Application

ASK_AGAIN_AFTER = timedelta(days=3)


def release_held(application: Application, source: str, checksum: str, *, by: str, why: str) -> Release:
    """Record a person's approval of the plan that is held now. Raises ConfigError when it is not that plan."""
    held = held_plan(application, source)
    if held.checksum != checksum:
        raise ConfigError(
            f"{source}: plan {checksum} is not held; the open one is {held.checksum} "
            f"({len(held.changes)} changes). Look at it first: `truecopy plan {source}`"
        )
    if not by.strip() or not why.strip():
        raise ConfigError(f"{source}: an approval needs a person and a reason")
    now = application.clock.now()
    release = Release(
        source=source,
        checksum=checksum,
        approved_by=by.strip(),
        reason=why.strip(),
        approved_at=rfc3339(now),
        expires_at=rfc3339(now + timedelta(hours=application.settings.release_hours)),
    )
    application.ledger.release(release)
    return release


def held_plan(application: Application, source: str) -> HeldPlan:
    """The source's open held plan. Raises ConfigError when nothing is held."""
    held = application.ledger.held(source)
    if held is None:
        raise ConfigError(f"{source}: nothing is held; there is nothing to approve")
    return held


@dataclass(frozen=True, slots=True)
class Request:
    """A question to a person about one held plan, or (`moot`) one that has to be withdrawn."""

    source: str
    checksum: str
    moot: bool

    @property
    def run_id(self) -> str:
        return f"held__{self.source}__{self.checksum}"


def requests_to_make(application: Application, sources: Sequence[str]) -> list[Request]:
    """Questions to ask and to withdraw, so that exactly one is open per held plan: a refreshed plan replaces the
    question about the old one, an unchanged or rejected plan is not asked about again. A question that has been open
    for days is asked anew, under the same run: it may have been lost with its run."""
    requests = []
    lost_before = application.clock.now() - ASK_AGAIN_AFTER
    for source in sources:
        asked = application.ledger.open_requests(source)
        held = application.ledger.held(source)
        current = held.checksum if held else ""
        requests += [Request(source, checksum, moot=True) for checksum in asked if checksum != current]
        waiting = current in asked and from_rfc3339(asked[current]) > lost_before
        if held and not held.rejected_by and not waiting:
            requests.append(Request(source, current, moot=False))
    return requests
