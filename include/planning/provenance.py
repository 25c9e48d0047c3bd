"""Looks at the dates of a whole source: which are shared by too many documents to be true, and where all come from.

| dates of one field and origin                                     | are taken for                          |
|-------------------------------------------------------------------|----------------------------------------|
| 5 or more documents within one second, not from git               | written by a program: an import, an API |
| 10 or more documents within a day, more than 20 % of all of them  | an import, a build, a checkout, a template |
| 5 to 9 documents within a day, more than half of all of them      | the same, in a small source             |

Only creation and last change are judged: many documents may rightly come into force, or expire, on one day. A commit
that touches several files is normal for git, so its seconds say nothing; `connectors.git_dates` counts its files.

A cluster stays one while its documents bear these dates: an import is not forgotten because pages were written since.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from include.domain.date_candidates import DateCandidate, DateField, Doubt, Rank, place_of
from include.domain.dates import EvidencedDate, Precision, Trust, from_rfc3339
from include.domain.dating import Distrust, date_document, imported, note_of, told_by
from include.domain.documents import ExtractedDocument, Marks
from include.domain.inventory import IndexInventory
from include.domain.payload import marked, metadata_hash, source_says
from include.domain.provenance import DateAnomaly, DateCluster, DateReport, DateShare, cluster_of

SAME_SECOND = 5
SAME_DAY, SAME_DAY_PERCENT = 10, 20
SMALL_SAME_DAY, SMALL_SAME_DAY_PERCENT = 5, 50

_JUDGED = (DateField.CREATED, DateField.UPDATED)
_DAY = timedelta(days=1)

_Span = tuple[datetime, datetime]


@dataclass(frozen=True, slots=True)
class DocumentProvenance:
    """The dates of one document and the notes about those that were passed over."""

    dates: Mapping[DateField, EvidencedDate]
    notes: Sequence[str] = ()


def of_extracted(document: ExtractedDocument) -> DocumentProvenance:
    dates = {
        DateField.CREATED: document.created_at,
        DateField.UPDATED: document.updated_at,
        DateField.EFFECTIVE: document.effective_date,
        DateField.EXPIRES: document.expires_at,
    }
    return DocumentProvenance({name: date for name, date in dates.items() if date}, document.date_notes)


def of_stored(metadata: Mapping[str, object]) -> DocumentProvenance:
    """What the source says, whatever a person has set over it. A date that cannot be read is none."""
    said = source_says(metadata)
    dates = {name: date for name in DateField if (date := _stored_date(said, name)) is not None}
    notes = said.get("date_notes")
    return DocumentProvenance(dates, [str(note) for note in notes] if isinstance(notes, list) else [])


def said_over(metadata: Mapping[str, object]) -> dict[DateField, EvidencedDate]:
    """The dates that a person has set over those of the source, as readers see them."""
    said = source_says(metadata)
    now = {name: date for name in DateField if (date := _stored_date(metadata, name)) is not None}
    return {name: date for name, date in now.items() if date != _stored_date(said, name)}


def provenance_of(inventory: IndexInventory) -> dict[str, DocumentProvenance]:
    """By document, for each that is readable."""
    return {doc_id: of_stored(one.metadata) for doc_id, one in inventory.documents.items() if one.version}


def clusters_in(documents: Iterable[DocumentProvenance], known: Sequence[DateCluster] = ()) -> tuple[DateCluster, ...]:
    """The clusters among all documents of a source, see above. `known` ones stay as long as they have members.

    A date that was passed over for its cluster is a member too: if the next best date that counts instead took it out,
    the cluster would dissolve, and the next document that is read alone would be believed.
    """
    by_origin: dict[tuple[DateField, str], _Alike] = defaultdict(_Alike)
    for document in documents:
        for name, date in document.dates.items():
            if name in _JUDGED and date.precision in (Precision.DAY, Precision.INSTANT):
                by_origin[name, place_of(date.origin)].dates.append(date)
        for name, origin, minute in filter(None, map(imported, document.notes)):
            by_origin[name, origin].passed_over.append(minute)
    found: list[DateCluster] = []
    for (name, origin), alike in by_origin.items():
        remembered = _joined((one.first, one.last) for one in known if one.is_of(name, origin))
        spans = _joined([*_spans(origin, alike, remembered), *remembered])
        of = len(alike.dates) + len(alike.passed_over)
        for (first, last), members in zip(spans, alike.counted(spans), strict=True):
            if members >= SAME_SECOND:
                found.append(DateCluster(name, origin, first, last, members, of))
    return tuple(sorted(found, key=lambda each: (each.field, each.origin, each.first)))


@dataclass(frozen=True, slots=True)
class _Alike:
    """Dates of one field from one place: those that documents have, and those that only their notes tell of, to the
    minute."""

    dates: list[EvidencedDate] = field(default_factory=list)
    passed_over: list[datetime] = field(default_factory=list)

    def counted(self, spans: Sequence[_Span]) -> list[int]:
        """How many lie in each."""
        exact, minutes = sorted(date.value for date in self.dates), sorted(self.passed_over)
        return [
            bisect_right(exact, last)
            - bisect_left(exact, first)
            + bisect_right(minutes, last)
            - bisect_left(minutes, _minute(first))
            for first, last in spans
        ]

    def not_in(self, spans: Sequence[_Span]) -> list[datetime]:
        """What was passed over and lies in none of these, which are in order and do not overlap."""
        firsts = [_minute(first) for first, _ in spans]
        places = [(minute, bisect_right(firsts, minute)) for minute in self.passed_over]
        return [minute for minute, at in places if not at or minute > spans[at - 1][1]]


def _minute(moment: datetime) -> datetime:
    return moment.replace(second=0, microsecond=0)


def _joined(spans: Iterable[_Span]) -> list[_Span]:
    """Overlapping ones are one."""
    joined: list[_Span] = []
    for first, last in sorted(spans):
        if joined and first <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return joined


def _spans(origin: str, alike: _Alike, remembered: Sequence[_Span]) -> Iterator[_Span]:
    """Days first, fullest first; then seconds among what is left. What was passed over and is remembered is not found
    a second time, a minute beside itself."""
    left = sorted([*(date.value for date in alike.dates), *alike.not_in(remembered)])
    of = len(left)
    while left:
        day = _fullest(left, _DAY - timedelta(microseconds=1))
        if not _is_too_much_for_a_day(len(day), of):
            break
        yield day[0], day[-1]
        left = [value for value in left if not day[0] <= value <= day[-1]]
    if origin.startswith("git "):
        return
    remaining = {value.replace(microsecond=0) for value in left}
    exact = Counter(date.value.replace(microsecond=0) for date in alike.dates if date.precision is Precision.INSTANT)
    for second, count in exact.items():
        if count >= SAME_SECOND and second in remaining:
            yield second, second + timedelta(microseconds=999_999)


def _is_too_much_for_a_day(count: int, of: int) -> bool:
    if count >= SAME_DAY:
        return count * 100 > SAME_DAY_PERCENT * of
    return count >= SMALL_SAME_DAY and count * 100 > SMALL_SAME_DAY_PERCENT * of


def _fullest(moments: Sequence[datetime], span: timedelta) -> Sequence[datetime]:
    """Of sorted moments, the run no longer than `span` that holds the most of them."""
    best, first = (0, 0), 0
    for last, moment in enumerate(moments):
        while moment - moments[first] > span:
            first += 1
        if last - first >= best[1] - best[0]:
            best = (first, last + 1)
    return moments[best[0] : best[1]]


def distrust_of(clusters: Sequence[DateCluster]) -> Distrust:
    """The same as a question about one date, for `domain.dating`."""

    def why(candidate: DateCandidate) -> str:
        date = candidate.date
        if date is None:
            return ""
        cluster = cluster_of(clusters, candidate.field, candidate.origin, date.value)
        return cluster.why if cluster else ""

    return why


def redated(document: ExtractedDocument, clusters: Sequence[DateCluster]) -> ExtractedDocument:
    """The document with its dates chosen again, under what is known of its source by now."""
    dates = date_document(document.date_candidates, fetched_at=document.fetched_at, distrust=distrust_of(clusters))
    return replace(
        document,
        created_at=dates.of(DateField.CREATED),
        updated_at=dates.of(DateField.UPDATED),
        effective_date=dates.of(DateField.EFFECTIVE),
        expires_at=dates.of(DateField.EXPIRES),
        date_notes=dates.notes,
    )


def still_believed(document: DocumentProvenance, clusters: Sequence[DateCluster]) -> Mapping[DateField, DateCluster]:
    """The trusted dates of a document that belong to a cluster, by field."""
    return {
        name: cluster
        for name, date in document.dates.items()
        if date.is_trusted and (cluster := cluster_of(clusters, name, date.origin, date.value))
    }


def report_of(documents: Mapping[str, DocumentProvenance], clusters: Sequence[DateCluster]) -> DateReport:
    """Where the dates of a source come from, and what is doubtful about them. Every document is counted for each of
    the two dates that it should have; a date of effect or expiry only where there is one."""
    shares: Counter[tuple[DateField, str, str]] = Counter()
    doubted: dict[tuple[DateField, Doubt], list[str]] = defaultdict(list)
    for doc_id, document in sorted(documents.items()):
        for name in DateField:
            date = document.dates.get(name)
            if date is not None:
                shares[name, date.origin, date.trust.value] += 1
            elif name in _JUDGED:
                shares[name, "", ""] += 1
        for told in {told for note in document.notes if (told := told_by(note)) is not None}:
            doubted[told].append(doc_id)
    return DateReport(
        len(documents),
        tuple(DateShare(*key, count) for key, count in sorted(shares.items(), key=_place)),
        tuple(
            DateAnomaly(name, doubt, len(doc_ids), doc_ids[0])
            for (name, doubt), doc_ids in sorted(doubted.items(), key=lambda one: (-len(one[1]), one[0]))
        ),
        tuple(clusters),
    )


def _place(share: tuple[tuple[DateField, str, str], int]) -> tuple[object, ...]:
    """The order in which people think of dates, the largest share first."""
    (name, origin, trust), count = share
    return list(DateField).index(name), -count, origin, trust


def _stored_date(said: Mapping[str, object], name: DateField) -> EvidencedDate | None:
    value, origin = said.get(name.value), said.get(f"{name}_origin")
    try:
        return EvidencedDate(
            from_rfc3339(str(value)),
            Precision(str(said.get(f"{name}_precision"))),
            str(origin or ""),
            Trust(str(said.get(f"{name}_trust"))),
        )
    except (ValueError, OverflowError):
        return None


def lowered(
    metadata: Mapping[str, object], marks: Marks, clusters: Mapping[DateField, DateCluster]
) -> dict[str, object]:
    """The stored fields that change when these dates of a document are not believed any more."""
    said = source_says(metadata)
    is_as_read = metadata.get("metadata_hash") == metadata_hash(said)
    notes = said.get("date_notes")
    kept = list(notes) if isinstance(notes, list) else []
    for name, cluster in clusters.items():
        date = _stored_date(said, name)
        if date is not None:
            doubted = DateCandidate(name, Rank.CMS, date.origin, date).doubted(Doubt.BULK, cluster.why)
            said[f"{name}_trust"] = Trust.UNKNOWN.value
            kept.append(note_of(doubted, is_shown=True))
    said["date_notes"] = kept
    # What was altered behind our back must not get a digest that it fits: it is still to be found and read again.
    digest = metadata_hash(said) if is_as_read else metadata.get("metadata_hash")
    after = marked({**said, "metadata_hash": digest, "read_with": metadata.get("read_with")}, marks)
    return {name: value for name, value in after.items() if value != metadata.get(name)}
