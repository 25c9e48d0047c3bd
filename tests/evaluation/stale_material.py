"""Real documents of which it is known what became of them: replaced or removed later, or alive years later.

`stale_registers`: registers that state what replaces what. `stale_histories`: sites on some day of their past.
"""

from __future__ import annotations

import csv
import json
import lzma
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from include.domain.documents import DocumentKey, Status
from include.families.members import Member
from include.families.resolve import patches, resolve
from include.staleness.detection import Observed
from include.staleness.subject import Subject

DATA = Path(__file__).parents[3] / "shared" / "data"
ABSENT = f"the shared histories are not in {DATA / 'replays'}"


@dataclass(frozen=True)
class Material:
    """Documents of one source on one day. `stale` is the verdict: True, False, or absent where nobody can say."""

    name: str
    subjects: tuple[Subject, ...]
    observed: Observed
    stale: Mapping[str, bool]
    now: datetime


def resolved(
    members: Sequence[Member],
    now: datetime,
    alike: Callable[[DocumentKey, DocumentKey], float] = lambda *_: 1.0,
) -> tuple[Subject, ...]:
    """With the marks that the resolver gives."""
    marks: dict[str, Mapping[str, object]] = {}
    for decision in resolve(members, alike, now=now):
        marks |= patches(decision)
    return tuple(_subject(member, marks.get(member.key.doc_id, {})) for member in members)


def _subject(member: Member, marks: Mapping[str, Any]) -> Subject:
    return Subject(
        key=member.key,
        title=member.title,
        url=member.url,
        content_type=member.content_type,
        lang=member.lang,
        content_hash=member.content_hash,
        status=Status(marks.get("status", Status.PUBLISHED)),
        stated_status=member.lineage.status,
        states_heirs=bool(member.lineage.superseded_by),
        states_forebears=bool(member.lineage.supersedes),
        created_at=member.created_at,
        updated_at=member.updated_at,
        effective_date=member.effective_date,
        doc_family=marks.get("doc_family"),
        is_canonical=marks.get("is_canonical", False),
        is_current=marks.get("is_current", True),
        superseded_by=tuple(marks.get("superseded_by", ())),
    )


def rows_of(name: str) -> list[dict[str, Any]]:
    path = DATA / name
    data = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
    return [json.loads(line) for line in data.decode().split("\n") if line.strip()]


def table_of(name: str) -> list[dict[str, str]]:
    with (DATA / "supersession" / name).open(encoding="utf-8", newline="") as lines:
        return [defaultdict(str, row) for row in csv.DictReader(lines)]


def instant(text: str | None) -> datetime | None:
    """A day or an instant in ISO 8601; anything else is unknown."""
    try:
        moment = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
