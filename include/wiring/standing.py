"""Where each source stands, for the pages and whoever else asks often: read from manifests and the ledger, a source
at a time, so that what is wrong with one is said of that one."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from include.domain.errors import TruecopyError
from include.domain.manifest import Gauge, Manifest, RunHead, RunState
from include.domain.plan import HeldPlan
from include.planning.fences import CLOCK_TOLERANCE
from include.records.past_runs import LostRun, PastRuns
from include.telemetry.gauges import SUCCESS, gauges
from include.telemetry.standing import Truth, truth
from include.wiring.application import Application
from include.wiring.held_plans import open_plans
from include.wiring.runs import NIGHTS, WELL

log = logging.getLogger(__name__)

TREND = 30
"""Nights that a trend goes back."""

_LOOKED_BACK = 40
"""Runs of any kind that are searched for the last failure."""

_FAILURES = frozenset(RunState) - frozenset(WELL) - {RunState.RUNNING, RunState.HELD, RunState.PLANNED}


@dataclass(frozen=True, slots=True)
class Standing:
    """One source. `nights` are its last whole comparisons, newest first; `latest` the newest of them that ended,
    `proven` the newest that made the index true, `at_work` one that has begun and not ended, `failure` the newest run
    of any kind that went wrong. `lost` are newer manifests that cannot be read. `problem` says why hardly anything is
    known."""

    source: str
    truth: Truth
    nights: Sequence[RunHead] = ()
    latest: RunHead | None = None
    proven: Manifest | None = None
    at_work: Manifest | None = None
    failure: Manifest | None = None
    held: Sequence[HeldPlan] = ()
    lost: Sequence[LostRun] = ()
    problem: str = ""


def standing_of(application: Application, source: str) -> Standing:
    """Never raises for what is wrong with this source's records; `problem` says it."""
    try:
        return _standing(application, application.past_runs, source)
    except (TruecopyError, OSError, ValueError) as error:
        log.warning("%s: where it stands cannot be read: %s", source, error)
        return Standing(source, Truth.NEVER, problem=f"{type(error).__name__}: {error}")


def _standing(application: Application, past: PastRuns, source: str) -> Standing:
    now = application.clock.now()
    names = [name for name in past.names(source) if name.started <= now + CLOCK_TOLERANCE]
    of_nights = [name for name in names if name.dag in NIGHTS]
    recent = [past.head(source, name) for name in of_nights[:TREND]]
    nights = [head for head in recent if isinstance(head, RunHead)]
    ended = [head for head in nights if head.manifest.state is not RunState.RUNNING]
    older = (past.head(source, name) for name in of_nights[TREND:])
    proven = next((head.manifest for head in _readable([*nights], older) if head.manifest.state in SUCCESS), None)
    latest = ended[0] if ended else None
    return Standing(
        source,
        truth(latest.manifest if latest else None, proven, now=now),
        nights=nights,
        latest=latest,
        proven=proven,
        at_work=nights[0].manifest if nights and nights[0].manifest.state is RunState.RUNNING else None,
        failure=next(_failures(past.heads(source, names[:_LOOKED_BACK])), None),
        held=open_plans(application, source),
        lost=[head for head in recent if isinstance(head, LostRun)],
    )


def _readable(nights: list[RunHead], older: Iterator[RunHead | LostRun]) -> Iterator[RunHead]:
    yield from nights
    yield from (head for head in older if isinstance(head, RunHead))


def _failures(heads: list[RunHead]) -> Iterator[Manifest]:
    return (head.manifest for head in heads if head.manifest.state in _FAILURES)


def trend(standing: Standing, now: datetime) -> dict[str, list[tuple[datetime, float]]]:
    """Each gauge over the nights, oldest first; a night that does not tell one is left out of it."""
    found: dict[str, list[tuple[datetime, float]]] = {}
    for head in reversed(standing.nights):
        at = head.manifest.finished_at or head.manifest.started_at
        for gauge in _told(head, now):
            found.setdefault(gauge.name, []).append((at, gauge.value))
    return found


def _told(head: RunHead, now: datetime) -> list[Gauge]:
    if head.manifest.state is RunState.RUNNING:
        return []
    at = head.manifest.finished_at or now  # ages are those of then
    return [gauge for gauge in gauges(head, now=at) if not gauge.labels]


def recent_runs(
    past: PastRuns, sources: Sequence[str], dag_ids: Sequence[str], states: Sequence[str], offset: int, limit: int
) -> tuple[list[RunHead | LostRun], bool]:
    """Runs of these sources, newest first, and whether there are more. Reads no more manifests than it must: without a
    filter by state, those of the page."""
    names = [(name, source) for source in sources for name in past.names(source, dag_ids)]
    names.sort(key=lambda each: each[0], reverse=True)
    if not states:
        page = [past.head(source, name) for name, source in names[offset : offset + limit]]
        return page, len(names) > offset + limit
    wanted = (each for name, source in names if _state(each := past.head(source, name)) in states)
    page = list(islice(wanted, offset, offset + limit + 1))
    return page[:limit], len(page) > limit


def _state(head: RunHead | LostRun) -> str:
    return head.manifest.state.value if isinstance(head, RunHead) else "lost"
