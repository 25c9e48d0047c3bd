"""Registers as material: what their headers say, today and in earlier years. The verdict is that of the shared tables,
which were made apart from this project.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from include.domain.dates import EvidencedDate, Precision, Trust
from include.domain.documents import DocumentKey
from include.domain.lineage import Lineage
from include.families.members import Member
from include.staleness.detection import Observed
from tests.evaluation.stale_material import Material, instant, resolved, rows_of, table_of

REGISTERS = ("peps", "xeps", "bips", "openedx-oeps", "adr-moj-cloud-platform")
YEARS_OF_PEPS = (2008, 2012, 2016, 2020, 2023)
_OUT = ("superseded", "replaced", "obsolete")


def register(name: str) -> Material:
    """A register as it is today, by the fields of its documents' headers. No texts and no links."""
    now = datetime(2026, 9, 1, tzinfo=UTC)
    rows = table_of(f"{name}.docs.csv")
    members = [
        _member(name, row["doc_id"], row["title"], row["status"], row["superseded_by"], row["replaces"], row["created"])
        for row in rows
    ]
    return Material(f"register {name}", resolved(members, now), Observed(), verdicts(rows), now)


def peps_of(year: int) -> Material:
    """The PEPs as their headers were at the beginning of a year; the verdict is that of 2026."""
    now = datetime(year, 1, 1, tzinfo=UTC)
    headers: dict[str, dict[str, str]] = {}
    for event in rows_of("supersession/peps.timeline.jsonl"):
        if datetime.fromisoformat(event["date"]) >= now:
            continue
        if event["event"] == "first seen":
            headers[event["doc"]] = {each: event[each] for each in ("status", "superseded_by", "replaces", "title")} | {
                "since": event["date"]
            }
        elif event["event"] == "change" and event["doc"] in headers:
            headers[event["doc"]][event["field"]] = event["new"]
    members = [
        _member("peps", doc_id, head["title"], head["status"], head["superseded_by"], head["replaces"], head["since"])
        for doc_id, head in headers.items()
    ]
    today = verdicts(table_of("peps.docs.csv"))
    known = {doc_id: today[doc_id] for doc_id in headers if doc_id in today}
    return Material(f"PEPs of {year}", resolved(members, now), Observed(), known, now)


def verdicts(rows: Sequence[Mapping[str, str]]) -> dict[str, bool]:
    """Stale is what another in force replaces, and what calls itself superseded, replaced, obsolete."""
    return {
        row["doc_id"]: row["current"] == "no" or row["status"].casefold().startswith(_OUT)
        for row in rows
        if row["current"] != "ambiguous"
    }


def _member(source: str, doc_id: str, title: str, status: str, newer: str, older: str, created: str) -> Member:
    split = [tuple(each.replace(",", " ").split()) for each in (older, newer)]
    moment = instant(created)
    return Member(
        DocumentKey(source, doc_id),
        title=f"{doc_id}: {title}",
        url="",
        lang="en",
        lineage=Lineage(status=status or None, supersedes=split[0], superseded_by=split[1], aliases=(doc_id,)),
        created_at=EvidencedDate(moment, Precision.DAY, "header", Trust.HIGH) if moment else None,
    )
