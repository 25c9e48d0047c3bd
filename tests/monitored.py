"""Installations for tests of metrics and alarms: records of runs on a real state root, read as a server reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from include.domain.manifest import CandidateCounts, FamilyCounts, Feedback, Manifest, RunState
from include.domain.plan import Action, Change
from include.ranking.evaluation import Evaluation
from include.services.apply_dispositions import APPLY
from include.settings import Settings
from include.telemetry.exposition import exposition
from include.wiring.application import Application
from include.wiring.evaluation import Judged, keep
from include.wiring.metrics import every_gauge
from tests.fakes.clock import FakeClock
from tests.ops_pages import a_night, hours_ago

WEBHOOK = {"scheme": "github", "conn_id": "name-of-a-connection"}

Series = Mapping[tuple[str, frozenset[tuple[str, str]]], float]
"""Values by name and labels, as Prometheus reads them."""


def installation(folder: Path, *sources: str, webhook: bool = True) -> Application:
    """Each source has a webhook, or none has. The clock stands at the present and is turned by hand."""
    chosen = {name: {"kind": "git_markdown", **({"webhook": WEBHOOK} if webhook else {})} for name in sources}
    settings = {"sources": chosen, "state": str(folder / "state"), "ledger": str(folder / "ledger")}
    application = Application(Settings.model_validate(settings))
    application.__dict__["clock"] = FakeClock(hours_ago(0))
    return application


def with_every_gauge(application: Application, source: str) -> Application:
    """One run of every kind behind it, and an evaluation."""
    for manifest in (a_night(source, 3), resolved(source), detected(source), applied(source)):
        application.manifests.save(manifest)
    evaluation = Evaluation("example", hours_ago(1), "pipeline-1", outcomes=())
    keep(application, "scheduled__1", [Judged(evaluation, None, (), ())])
    return application


def resolved(source: str, hours: float = 2.5, **fields: Any) -> Manifest:
    began = hours_ago(hours)
    counts = FamilyCounts(decided=7, ambiguous=2, superseded=12, ambiguous_since=began - timedelta(days=2))
    made = {"state": RunState.RESOLVED, "finished_at": began, "families": counts, **fields}
    return Manifest(f"scheduled__{began:%Y-%m-%dT%H:%M:%S}", "resolve_canonical", source, began, **made)


def detected(source: str, hours: float = 30, **fields: Any) -> Manifest:
    began = hours_ago(hours)
    counts = CandidateCounts(
        examined=40,
        staged=3,
        open=5,
        decided=2,
        unreadable=0,
        spared=1,
        open_since=began - timedelta(days=4),
        signals={"expired": 4, "superseded": 3},
        feedback={"expired": Feedback(approved=3, kept=1)},
    )
    made = {"state": RunState.DETECTED, "finished_at": began, "candidates": counts, **fields}
    return Manifest(f"scheduled__{began:%Y-%m-%dT%H:%M:%S}", "detect_stale", source, began, **made)


def applied(source: str, hours: float = 29, **fields: Any) -> Manifest:
    """A run that carried out decisions, and left the queue as the detector had."""
    return replace(detected(source, hours, **fields), dag_id=APPLY)


def a_held_night(source: str, hours: float, *, since: float, deletions: int = 3) -> Manifest:
    held = tuple(Change(f"old-{number}.md", Action.DELETE, "absent from the listing") for number in range(deletions))
    return a_night(source, hours, RunState.HELD, held=held, held_since=hours_ago(since), held_checksum="c1")


def scraped(application: Application) -> Series:
    return read(exposition(every_gauge(application)))


def read(text: bytes) -> Series:
    """By Prometheus' own parser. Raises ValueError for what it would refuse, and where one series is there twice."""
    found: dict[tuple[str, frozenset[tuple[str, str]]], float] = {}
    for family in text_string_to_metric_families(text.decode()):
        for sample in family.samples:
            key = (sample.name, frozenset((name, value) for name, value in sample.labels.items() if value))
            if key in found:
                raise ValueError(f"{key} is there twice")
            found[key] = sample.value
    return found


def value(series: Series, name: str, source: str = "", **labels: str) -> float:
    """Raises KeyError where there is no such series."""
    return series[name, frozenset({**({"source": source} if source else {}), **labels}.items())]
