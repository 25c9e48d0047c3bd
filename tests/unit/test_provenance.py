"""Dates that too many documents of a source share, and the report about where all of them come from."""

from __future__ import annotations

import random
import time
from datetime import UTC, datetime, timedelta

import pytest

from include.domain.date_candidates import DateCandidate, DateField, Doubt, Rank, stated
from include.domain.dates import EvidencedDate, Precision, Trust, rfc3339
from include.domain.documents import DocumentKey, ExtractedDocument, Marks
from include.domain.manifest import Manifest, RunState
from include.domain.payload import marked, metadata_hash, source_says
from include.domain.provenance import DateCluster
from include.planning.provenance import (
    DocumentProvenance,
    clusters_in,
    lowered,
    of_extracted,
    of_stored,
    redated,
    report_of,
    still_believed,
)
from include.records.date_clusters import FileDateClusters
from include.records.manifests import FileManifests
from include.records.state import StateRoot

CREATED, UPDATED, EFFECTIVE = DateField.CREATED, DateField.UPDATED, DateField.EFFECTIVE
IMPORT = datetime(2026, 2, 1, 23, 50, tzinfo=UTC)


def dated(
    *moments: datetime,
    field: DateField = CREATED,
    origin: str = "field date_gmt",
    precision: Precision = Precision.INSTANT,
) -> list[DocumentProvenance]:
    return [DocumentProvenance({field: EvidencedDate(at, precision, origin, Trust.HIGH)}) for at in moments]


def days(count: int, *, every: float = 3) -> list[datetime]:
    """Of documents that somebody wrote one after the other."""
    return [
        datetime(2020, 1, 1, 9, tzinfo=UTC) + timedelta(days=every * number, minutes=number) for number in range(count)
    ]


def sizes(documents: list[DocumentProvenance], known: tuple[DateCluster, ...] = ()) -> list[tuple[int, int]]:
    return [(one.documents, one.of) for one in clusters_in(documents, known)]


@pytest.mark.parametrize(
    ("moments", "found"),
    [
        # an import of minutes, over midnight
        ([IMPORT + timedelta(seconds=40 * number) for number in range(30)], [(30, 30)]),
        # the same among twice as many that were written one by one
        ([*days(60), *(IMPORT + timedelta(seconds=40 * number) for number in range(30))], [(30, 90)]),
        # a small source, all of it imported
        ([IMPORT] * 5, [(5, 5)]),
        # five in one second among a thousand: no person does that
        ([*days(1000), *[IMPORT] * 5], [(5, 1005)]),
        # two imports
        ([*[IMPORT] * 20, *[IMPORT + timedelta(days=30)] * 20], [(20, 40), (20, 40)]),
        # a busy day, a day with two pages, a single page
        ([*days(60), *(IMPORT + timedelta(minutes=40 * number) for number in range(12))], []),
        ([IMPORT, IMPORT], []),
        ([IMPORT] * 4, []),
        (days(200), []),
        ([], []),
    ],
)
def test_what_an_import_has_dated_is_told_from_what_people_wrote(
    moments: list[datetime], found: list[tuple[int, int]]
) -> None:
    documents = dated(*moments)
    random.Random(3).shuffle(documents)
    assert sizes(documents) == found


def test_one_day_in_many_documents_is_that_of_a_template() -> None:
    same = [datetime(2024, 5, 6, tzinfo=UTC)] * 12
    assert sizes(dated(*same, *days(20), origin="front matter date", precision=Precision.DAY)) == [(12, 32)]
    assert sizes(dated(*same, *days(200), origin="front matter date", precision=Precision.DAY)) == []


def test_a_checkout_or_a_build_dates_all_pages_within_minutes_though_no_two_alike() -> None:
    moments = [IMPORT + timedelta(seconds=0.7 * number) for number in range(300)]
    (cluster,) = clusters_in(dated(*moments, origin="front matter lastmod", field=UPDATED))
    assert (cluster.first, cluster.last) == (moments[0], moments[-1])
    assert cluster.why == "300 of 300 documents bear dates within 3 minutes of 2026-02-01 23:50 UTC"


def test_each_field_and_origin_is_judged_by_itself() -> None:
    apart = [
        *dated(*[IMPORT] * 4, origin="field a"),
        *dated(*[IMPORT] * 4, origin="field b"),
        *dated(*[IMPORT] * 4, field=UPDATED, origin="field a"),
    ]
    assert clusters_in(apart) == ()


def test_author_and_committer_date_one_commit() -> None:
    moments = [IMPORT + timedelta(minutes=number) for number in range(12)]
    (cluster,) = clusters_in(dated(*moments, origin="git first commit"))
    (other,) = dated(IMPORT, origin="git first commit, committer")
    assert still_believed(other, [cluster])


def test_dates_of_effect_may_be_shared_by_a_whole_source() -> None:
    assert clusters_in(dated(*[IMPORT] * 50, field=EFFECTIVE)) == ()


def test_a_commit_that_touches_several_files_is_no_import() -> None:
    assert sizes(dated(*days(40), *[IMPORT] * 6, origin="git last commit", field=UPDATED)) == []


def test_a_year_or_a_month_is_shared_by_nature() -> None:
    assert sizes(dated(*[datetime(2024, 1, 1, tzinfo=UTC)] * 40, precision=Precision.YEAR)) == []


def test_an_import_is_not_forgotten_when_its_source_has_grown() -> None:
    imported = dated(*[IMPORT + timedelta(minutes=number) for number in range(30)])
    known = clusters_in(imported)
    grown = [*imported, *dated(*days(3000, every=0.7))]
    assert sizes(grown) == []  # nobody would see it now
    assert sizes(grown, known) == [(30, 3030)]
    assert sizes(dated(*days(3000, every=0.7)), known) == []  # its documents are gone, and so is it


def test_an_import_of_weeks_in_thousands_of_batches_is_found_in_seconds() -> None:
    batches = dated(*(IMPORT + timedelta(minutes=number // 5) for number in range(50_000)))
    began = time.process_time()
    found = clusters_in(batches)
    assert clusters_in(batches, found) == found
    assert all(still_believed(one, found) for one in batches)
    assert time.process_time() - began < 20
    assert (len(found), {one.documents for one in found}) == (10_000, {5})


def test_looking_twice_finds_the_same() -> None:
    documents = dated(*days(60), *[IMPORT] * 30, *[IMPORT + timedelta(hours=30)] * 30)
    once = clusters_in(documents)
    assert clusters_in(documents, once) == once
    assert [one.documents for one in once] == [30, 30]


def pages(created: datetime, count: int, *, seconds: float = 40) -> list[ExtractedDocument]:
    """Of an import whose file names tell when each was written."""
    return [
        extracted(
            stated(CREATED, Rank.CMS, "field created", rfc3339(created + timedelta(seconds=seconds * number))),
            stated(CREATED, Rank.FILE_NAME, "file name", f"{2000 + number % 20}-05-06", trust=Trust.LOW),
        )
        for number in range(1, count + 1)
    ]


def extracted(*candidates: DateCandidate | None) -> ExtractedDocument:
    document = ExtractedDocument(
        key=DocumentKey("site", "a"),
        version="1",
        fetched_at=IMPORT + timedelta(days=100),
        text="text",
        content_hash="0" * 64,
        title="A",
        url="",
        content_type="page",
        lang=None,
        created_at=None,
        updated_at=None,
        effective_date=None,
        expires_at=None,
        date_candidates=tuple(one for one in candidates if one),
    )
    return redated(document, ())


@pytest.mark.parametrize("seconds", [40, 0.01])
def test_an_import_is_not_forgotten_when_other_dates_count_in_its_place(seconds: float) -> None:
    documents = pages(IMPORT, 30, seconds=seconds)
    known = clusters_in(map(of_extracted, documents))
    doubted = [redated(document, known) for document in documents]
    assert {one.created_at.origin for one in doubted if one.created_at} == {"file name"}

    again = clusters_in(map(of_extracted, doubted), known)
    assert [(one.origin, one.documents, one.of) for one in again] == [("field created", 30, 30)]
    alone = extracted(*doubted[3].date_candidates)  # it is read by itself, on another day
    assert still_believed(of_extracted(alone), again)
    assert clusters_in(map(of_extracted, doubted))[0].documents == 30  # also where the memory was lost
    assert clusters_in(map(of_extracted, pages(IMPORT, 3)), again) == ()


METADATA = {
    "url": "https://example.org/a",
    "title": "A",
    "created_at": "2026-02-01T23:50:00.000000Z",
    "created_at_origin": "field date_gmt",
    "created_at_trust": "high",
    "created_at_precision": "instant",
    "date_notes": ["updated: front matter lastmod soon passed over: no date that is read"],
    "read_with": "settings-1",
}


def stored(marks: Marks = Marks(), **fields: object) -> dict[str, object]:
    said = {**METADATA, **fields}
    return {k: v for k, v in marked({**said, "metadata_hash": metadata_hash(said)}, marks).items() if v is not None}


def test_a_date_that_is_not_believed_any_more_is_lowered_in_the_words_of_the_source_alone() -> None:
    cluster = DateCluster(CREATED, "field date_gmt", IMPORT, IMPORT, 30, 40)
    for marks in (Marks(), Marks(pinned=True, metadata={"title": "B"})):
        before = stored(marks)
        doubted = still_believed(of_stored(before), [cluster])
        assert doubted == {CREATED: cluster}
        after = {**before, **lowered(before, marks, doubted)}
        assert after["created_at_trust"] == "unknown"
        assert after["created_at"] == before["created_at"]
        assert after["title"] == before["title"]
        assert after["metadata_hash"] == metadata_hash(source_says(after))
        assert after["read_with"] == before["read_with"]  # the night has nothing to read again
        assert after["date_notes"][-1] == (  # type: ignore[index]
            "created: field date_gmt 2026-02-01 23:50 UTC not trusted: bulk import "
            "(30 of 40 documents bear 2026-02-01 23:50 UTC)"
        )
        assert still_believed(of_stored(after), [cluster]) == {}


def test_a_date_that_a_person_has_set_stays_and_the_source_s_own_is_lowered_below_it() -> None:
    marks = Marks(metadata={"created_at": "2020-05-06T00:00:00.000000Z"})
    before = stored(marks)
    cluster = DateCluster(CREATED, "field date_gmt", IMPORT, IMPORT, 30, 40)
    after = {**before, **lowered(before, marks, still_believed(of_stored(before), [cluster]))}
    assert (after["created_at"], after["created_at_trust"]) == ("2020-05-06T00:00:00.000000Z", "high")
    assert of_stored(after).dates[CREATED].trust is Trust.UNKNOWN


def test_a_document_that_was_altered_behind_our_back_is_not_given_a_digest_that_it_fits() -> None:
    before = {**stored(), "url": "https://pay.example"}
    cluster = DateCluster(CREATED, "field date_gmt", IMPORT, IMPORT, 30, 40)
    after = {**before, **lowered(before, Marks(), still_believed(of_stored(before), [cluster]))}
    assert after["created_at_trust"] == "unknown"
    assert after["metadata_hash"] != metadata_hash(source_says(after))


def test_the_report_counts_every_document_once_for_each_date() -> None:
    documents = {
        "a": of_stored(stored()),
        "b": of_stored(stored(created_at_trust="unknown", date_notes=None)),
        "c": DocumentProvenance({}),
        "d": of_stored(stored(created_at="2026-02-01", date_notes="not a list")),
    }
    report = report_of(documents, ())
    assert report.documents == 4
    assert {(one.field, one.origin, one.trust): one.documents for one in report.shares} == {
        (CREATED, "field date_gmt", "high"): 1,
        (CREATED, "field date_gmt", "unknown"): 1,
        (CREATED, "", ""): 2,  # one that no release ever wrote is none
        (UPDATED, "", ""): 4,
    }
    assert [(one.field, one.doubt, one.documents, one.example) for one in report.anomalies] == [
        (UPDATED, Doubt.UNREADABLE, 1, "a")
    ]
    assert report.trusted(CREATED) == 1


def test_clusters_survive_on_the_state_root_and_a_damaged_file_is_none(tmp_path) -> None:  # type: ignore[no-untyped-def]
    records = FileDateClusters(StateRoot(str(tmp_path)))
    assert records.of("handbook") == ()
    found = clusters_in(dated(*[IMPORT] * 30))
    records.put("handbook", found)
    assert FileDateClusters(StateRoot(str(tmp_path))).of("handbook") == found
    assert records.of("blog") == ()
    (tmp_path / "dates" / "handbook.json").write_text('[{"field": "created_at"')
    assert records.of("handbook") == ()


def test_a_manifest_keeps_the_report_and_one_of_an_older_release_has_none(tmp_path) -> None:  # type: ignore[no-untyped-def]
    manifests = FileManifests(StateRoot(str(tmp_path)))
    documents = dict(enumerate(dated(*[IMPORT] * 30)))
    report = report_of({str(name): one for name, one in documents.items()}, clusters_in(documents.values()))
    manifests.save(Manifest("run-1", "reconcile_index", "handbook", IMPORT, RunState.TRUE, dates=report))
    assert manifests.load("reconcile_index", "run-1", "handbook").dates == report
    path = tmp_path / "manifests" / "reconcile_index" / "run-1" / "handbook" / "manifest.json"
    path.write_text(path.read_text().replace('"dates"', '"attention"'))
    assert manifests.load("reconcile_index", "run-1", "handbook").dates is None
