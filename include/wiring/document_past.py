"""What became of one document in past runs, and which answers showed it. Both look through many records: they stop when
the time is up, and say how far they came."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import unquote

from include.domain.dates import from_rfc3339
from include.domain.documents import DocumentKey
from include.domain.manifest import DocumentOutcome
from include.records.query_log import QueryLog
from include.wiring.application import Application

SECONDS = 4.0
MOST_RUNS = 500
CITED_WITHIN = timedelta(days=7)
MOST_CITATIONS = 20


@dataclass(frozen=True, slots=True)
class PastOutcome:
    """What became of the document in one run."""

    dag_id: str
    run_id: str
    started_at: datetime
    outcome: DocumentOutcome


@dataclass(frozen=True, slots=True)
class Past:
    """Newest first. `looked` runs of `total` were read, `unreadable` of them in vain."""

    outcomes: Sequence[PastOutcome]
    looked: int
    total: int
    unreadable: int


@dataclass(frozen=True, slots=True)
class Citation:
    """An answer that showed the document. `query` is empty where its text is not kept."""

    at: datetime
    asked_by: str
    query: str
    intent: str
    place: int
    score: float | None


@dataclass(frozen=True, slots=True)
class Citations:
    """The newest few of `number`, since `since`. `until` is set where there was no time to read on."""

    newest: Sequence[Citation]
    number: int
    since: datetime
    until: datetime | None = None


def past_of(application: Application, key: DocumentKey, *, seconds: float = SECONDS) -> Past:
    """What became of it in the runs that there is time to look at, the newest first."""
    until = time.monotonic() + seconds
    names = application.past_runs.names(key.source)
    found, looked, unreadable = [], 0, 0
    for name in names[:MOST_RUNS]:
        if time.monotonic() > until:
            break
        looked += 1
        dag_id, run_id = unquote(name.dag), unquote(name.run)
        try:
            outcome = application.past_runs.outcome_of(dag_id, run_id, key.source, key.doc_id)
        except (OSError, ValueError):
            unreadable += 1
            continue
        if outcome is not None:
            found.append(PastOutcome(dag_id, run_id, name.started, outcome))
    return Past(found, looked, len(names), unreadable)


def citations_of(application: Application, key: DocumentKey, *, seconds: float = SECONDS) -> Citations | None:
    """None where questions are not recorded."""
    chosen = application.settings.api.query_log
    if not chosen.enabled:
        return None
    stop, since = time.monotonic() + seconds, application.clock.now() - CITED_WITHIN
    log = QueryLog(application.state, application.clock, form="none", keep_days=chosen.keep_days)
    found: list[Citation] = []
    number, until = 0, None
    for line in log.since(since):
        citation = _citation(line, key)
        if citation is None or citation.at < since:
            continue
        number += 1
        found.append(citation)
        if len(found) > 2 * MOST_CITATIONS:
            found = sorted(found, key=lambda each: each.at)[-MOST_CITATIONS:]
        if time.monotonic() > stop:
            until = citation.at
            break
    newest = sorted(found, key=lambda each: each.at, reverse=True)[:MOST_CITATIONS]
    return Citations(newest, number, since, until)


def _citation(line: Mapping[str, Any], key: DocumentKey) -> Citation | None:
    """None for a line that is no question, or showed something else."""
    shown = line.get("shown")
    if not isinstance(shown, list):
        return None
    for place, each in enumerate(shown, start=1):
        if isinstance(each, dict) and (each.get("source"), each.get("doc_id")) == (key.source, key.doc_id):
            try:
                at = from_rfc3339(str(line.get("at")))
            except ValueError:
                return None
            score = each.get("score")
            asked_by, query, intent = (str(line.get(name) or "") for name in ("asked_by", "query", "intent"))
            return Citation(at, asked_by, query, intent, place, score if isinstance(score, float) else None)
    return None
