"""An installation with real content behind its pages: policies with their older editions, synchronised, resolved and
looked through by the detector; besides them pages that try to break out of a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from include.domain.documents import DocumentKey, Status
from include.domain.review import Finding, ReviewItem
from include.ports import NewPoint
from include.services.detect_stale import DETECT
from include.services.resolve_canonical import RESOLVE
from include.wiring.application import Application
from include.wiring.families import resolve_source
from include.wiring.runs import INGEST, RECONCILE, Run, ingest_source, reconcile_source
from include.wiring.staleness import detect_source
from tests.builders import new_points, sha256
from tests.dags.live import Repository, settings

POLICIES = Path(__file__).parent.parent / "examples" / "policies"
SOURCE = "handbook"

SCRIPT = "nasty/script.md"
LONG = "nasty/a folder/" + "very-long-name-" * 14 + "end.md"
RIGHT_TO_LEFT = "nasty/\u05de\u05d3\u05d9\u05e0\u05d9\u05d5\u05ea.md"
HOSTILE_TITLE = "<script>alert('title')</script><img src=x onerror=alert(1)>"
HOSTILE_TEXT = "<script>alert('text')</script> [click](javascript:alert(1)) {{ 7 * 7 }}"
NASTY = {
    SCRIPT: f'---\ntitle: "{HOSTILE_TITLE}"\n---\n\n# Scripts\n\n{HOSTILE_TEXT} say what to do in great heat\n',
    LONG: f"---\ntitle: {'A title without an end ' * 12}\n---\n\n# Long\n\n{'Wordwithoutanyspace' * 30}\n",
    RIGHT_TO_LEFT: '---\ntitle: "\u05de\u05d3\u05d9\u05e0\u05d9\u05d5\u05ea \u05d4\u05d7\u05d6\u05e8\u05d5\u05ea '
    '2026 (draft)"\n---\n\n# \u05d4\u05d7\u05d6\u05e8\u05d5\u05ea\n\n\u05dc\u05e7\u05d5\u05d7\u05d5\u05ea '
    "\u05d9\u05db\u05d5\u05dc\u05d9\u05dd.\n",
}


def shelf(folder: Path, *documents: Sequence[NewPoint]) -> Application:
    """An index of nothing but these, by the real embedder, and an empty ledger: made in a moment."""
    path, environment = settings(folder, (SOURCE,))
    path.write_text(path.read_text() + "api: {query_log: {enabled: true, text: plain}}\n", encoding="utf-8")
    application = Application.from_environment(environment)
    points = [point for document in documents for point in document]
    vectors = application.embedder.embed([point.text for point in points])
    points = [replace(point, vector=vector) for point, vector in zip(points, vectors, strict=True)]
    with application.store.writing() as index:
        index.insert(points)
    return application


def document(doc_id: str, *texts: str, status: Status = Status.PUBLISHED, **fields: Any) -> list[NewPoint]:
    """For `shelf`."""
    return new_points(DocumentKey(SOURCE, doc_id), texts, status=status, **fields)


def library(folder: Path, *, editions: int = 0) -> Application:
    """Takes seconds. With so many more editions of one deck, for a queue that is long."""
    path, environment = settings(folder, (SOURCE,))
    path.write_text(path.read_text() + "limits: {deletion_percent: 100, window_percent: 100}\n")
    pages = {file.name: file.read_text(encoding="utf-8") for file in sorted(POLICIES.glob("*.md"))}
    decks = {
        f"decks/sales-deck-v{number}.md": f"# Sales deck\n\nWhat we sell, state {number}: three plans, a price list.\n"
        for number in range(1, editions + 1)
    }
    repository = Repository(folder / SOURCE)
    repository.commit({**pages, **decks, **NASTY})
    application = Application.from_environment(environment)
    ingest_source(application, SOURCE, Run(INGEST, "manual__1"), progress=_quiet)
    resolve_source(application, SOURCE, Run(RESOLVE, "manual__2"), progress=_quiet)
    detect_source(application, SOURCE, Run(DETECT, "manual__3"), progress=_quiet)
    reconcile_source(application, SOURCE, Run(RECONCILE, "manual__4"), progress=_quiet)
    return application


def _quiet(_what: str, _done: int, _total: int) -> None:
    pass


def candidate(doc_id: str, score: float = 0.9, **fields: Any) -> ReviewItem:
    """For `queued`: superseded by new.md, and not looked at for long."""
    made = ReviewItem(
        source=SOURCE,
        doc_id=doc_id,
        proposal="stage",
        score=score,
        arithmetic=f"superseded {score}: 1 \u2212 (1 \u2212 {score}) = {score:.3f}, stage.",
        evidence=(
            Finding("superseded", score, "new.md says that it replaces it", "f1", facts={"stated": "replaces old"}),
            Finding("old", 0.4, "nobody has changed it for 900 days", "f2"),
        ),
        fingerprint=f"evidence-{doc_id}",
        since="2026-11-01T09:00:00.000000Z",
        doc_version="v1",
        content_hash=sha256(doc_id),
        title=f"Title of {doc_id}",
        replacement="new.md",
        replacement_hash=sha256("new.md"),
        diff="--- old\n+++ new\n Refunds within [-30-] {+60+} days\n-Slide nine.\n= 41 lines are the same",
    )
    return replace(made, **fields)


def queued(application: Application, *items: ReviewItem) -> Application:
    """The application, with these in its review queue and no others."""
    application.ledger.renew(SOURCE, lambda _queue: items, message="Found")
    return application
