"""Documents for tests of the detector, said in few words."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from include.domain.dates import EvidencedDate, Precision, Trust
from include.domain.documents import DocumentKey
from include.staleness.ageing import Ageing
from include.staleness.detection import Detection, Observed, detect
from include.staleness.evidence import Evidence, Signal
from include.staleness.overlaps import Overlap
from include.staleness.subject import Subject

SOURCE = "shelf"
NOW = datetime(2026, 6, 20, 12, tzinfo=UTC)
AGEING = Ageing(never=frozenset({"company"}), days={"price": 90, "event": 30})


def subject(doc_id: str, **fields: Any) -> Subject:
    title = fields.pop("title", doc_id.rpartition("/")[2].partition(".")[0].replace("-", " ").capitalize())
    url = fields.pop("url", f"https://docs.example.org/{doc_id}")
    return Subject(DocumentKey(SOURCE, doc_id), title=title, url=url, **fields)


def day(text: str, *, trust: Trust = Trust.HIGH, precision: Precision = Precision.DAY) -> EvidencedDate:
    return EvidencedDate(datetime.fromisoformat(text).replace(tzinfo=UTC), precision, "front matter", trust)


def days_ago(number: float, *, trust: Trust = Trust.HIGH) -> EvidencedDate:
    return EvidencedDate(NOW - timedelta(days=number), Precision.INSTANT, "front matter", trust)


def shelf(*subjects: Subject) -> Mapping[str, Subject]:
    return {each.key.doc_id: each for each in subjects}


def found(*subjects: Subject, observed: Observed = Observed(), ageing: Ageing = AGEING) -> Detection:
    return detect(SOURCE, subjects, observed, ageing, now=NOW)


def proposals(detection: Detection) -> dict[str, str]:
    return {each.key.doc_id: str(each.proposal) for each in detection.candidates}


def covering(texts: Mapping[str, str], *, share: float = 1.0) -> Observed:
    """Every document is covered by every other: what is left to tell them apart is what they are and say."""
    keys = [DocumentKey(SOURCE, doc_id) for doc_id in texts]
    overlaps = {one: tuple(Overlap(one, other, share) for other in keys if other != one) for one in keys}
    return Observed(overlaps=overlaps, texts=lambda key: texts[key.doc_id])


def evidence(signal: Signal, strength: float, *, anchor: bool = False, **facts: str) -> Evidence:
    return Evidence(signal, strength, f"{signal} was seen", anchor=anchor, facts=facts)
