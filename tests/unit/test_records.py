"""What runs and people leave behind: the state root, manifests, removal marks and the ledger, on disk and in memory."""

from __future__ import annotations

import importlib.util
import json
import multiprocessing
import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from fsspec.implementations.memory import MemoryFileSystem
from hypothesis import given
from hypothesis import strategies as st

from include.domain.dates import rfc3339
from include.domain.documents import DocumentKey, Marks, Status
from include.domain.errors import ApprovalRefused, ConfigError
from include.domain.inventory import Proof
from include.domain.manifest import DocumentOutcome, DocumentState, Findings, Manifest, RunState
from include.domain.plan import Action, Change, HeldPlan, Hold, HoldReason, PlanKind, Release
from include.families.members import Option
from include.families.review import FamilyReview, ReviewedDocument
from include.planning.fences import LONGEST_REMOVAL, corrected_fences, later_removal
from include.ports import Ledger, Manifests, RemovalMarks
from include.records.ledger import GitLedger
from include.records.manifests import FileManifests
from include.records.removal_marks import FileRemovalMarks
from include.records.state import StateRoot
from tests.builders import NOON, at, new_points, stored
from tests.fakes.records import FakeLedger, FakeManifests, FakeRemovalMarks

KEY = DocumentKey("handbook", "guide")
LONG_AGO = at(-100_000)


# -- state root --


@pytest.fixture(params=["folder", "memory://"])
def state(request: pytest.FixtureRequest, tmp_path: Path) -> StateRoot:
    if request.param == "folder":
        return StateRoot(str(tmp_path / "state"))
    return StateRoot(f"memory://{tmp_path.name}")


def test_a_file_is_replaced_whole_and_listed_by_name(state: StateRoot) -> None:
    state.write("a/b/second", b"2")
    state.write("a/b/first", b"1")
    state.write("a/b/first", b"one")
    assert state.read("a/b/first") == b"one"
    assert state.names("a/b") == ["first", "second"]
    assert state.names("nowhere") == []
    with pytest.raises(FileNotFoundError):
        state.read("a/b/third")


def test_a_removed_file_is_gone(state: StateRoot) -> None:
    state.write("a/b", b"1")
    state.remove("a/b")
    assert state.names("a") == []
    with pytest.raises(FileNotFoundError):
        state.remove("a/b")


@pytest.mark.parametrize(("scheme", "package"), [("s3", "s3fs"), ("gs", "gcsfs")])
def test_a_file_system_that_is_not_installed_is_named_with_its_package(scheme: str, package: str) -> None:
    if importlib.util.find_spec(package):
        pytest.skip(f"{package} is installed here")
    with pytest.raises(ConfigError, match=f"pip install {package}"):
        StateRoot(f"{scheme}://bucket/truecopy")


def test_an_unknown_kind_of_state_root_is_a_wrong_setting() -> None:
    with pytest.raises(ConfigError, match="nowhere"):
        StateRoot("nowhere://user:hunter2@bucket/truecopy")


def test_names_of_a_remote_root_are_not_those_remembered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    forgotten: list[str] = []
    monkeypatch.setattr(MemoryFileSystem, "invalidate_cache", lambda self, path=None: forgotten.append(path))
    StateRoot(f"memory://{tmp_path.name}").names("a")
    assert forgotten == [f"/{tmp_path.name}/a"]


def test_a_write_that_was_cut_off_is_not_listed(tmp_path: Path) -> None:
    state = StateRoot(str(tmp_path))
    state.write("a/whole", b"1")
    (tmp_path / "a" / "half.0123.tmp").write_bytes(b"hal")
    assert state.names("a") == ["whole"]


# -- manifests --


@pytest.fixture(params=["files", "memory"])
def manifests(request: pytest.FixtureRequest, tmp_path: Path) -> Manifests:
    return FileManifests(StateRoot(str(tmp_path))) if request.param == "files" else FakeManifests()


def manifest_of(run_id: str = "run-1", *, minutes: float = 0, **fields: object) -> Manifest:
    bare = Manifest(
        run_id=run_id, dag_id="reconcile_index", source="handbook", started_at=at(minutes), state=RunState.TRUE
    )
    return replace(bare, **fields)


def deleted(count: int) -> tuple[DocumentOutcome, ...]:
    return tuple(DocumentOutcome(f"gone-{number}", DocumentState.DELETED) for number in range(count))


FULL = manifest_of(
    "scheduled__2026-03-01T02:00:00+00:00 / ä~b",
    state=RunState.HELD,
    finished_at=at(5),
    proof=Proof(end_reached=True, scope_verified=True, seen=9, declared_total=9, detail="9 of 9"),
    found=Findings(orphan=3, stale=1),
    remaining=Findings(orphan=3),
    documents=9,
    chunks=27,
    foreign_points=2,
    indexed_before=9,
    planned_removals=1,
    held=(Change("x", Action.DELETE, "absent", version_before="v1", content_before="h"),),
    holds=(Hold(HoldReason.DELETION_LIMIT, "3 of 9"),),
    held_checksum="abc",
    held_since=at(-600),
    outcomes=(
        DocumentOutcome("d/ö", DocumentState.CREATED, version="v1", chunks=3, embedded=2, reused=1, minimum=2),
        DocumentOutcome("e", DocumentState.FAILED, "it has no text"),
    ),
    reason="3 of 9 documents would be deleted",
    next_step="approve it",
    pipeline="p",
)


def test_a_manifest_is_read_back_as_it_was_saved(manifests: Manifests) -> None:
    manifests.save(FULL)
    assert manifests.load(FULL.dag_id, FULL.run_id, "handbook") == FULL
    assert manifests.latest("handbook") == [FULL]


def test_saving_a_run_again_replaces_its_manifest(manifests: Manifests) -> None:
    manifests.save(manifest_of(state=RunState.RUNNING))
    manifests.save(manifest_of(state=RunState.TRUE, documents=3))
    (only,) = manifests.latest("handbook", limit=9)
    assert (only.state, only.documents) == (RunState.TRUE, 3)


def test_the_latest_manifests_come_first_by_source_and_dag(manifests: Manifests) -> None:
    for number in (3, 1, 2):
        manifests.save(manifest_of(f"run-{number}", minutes=number))
    manifests.save(manifest_of("other-dag", minutes=9, dag_id="ingest_documents"))
    manifests.save(manifest_of("other-source", minutes=9, source="helpcenter"))
    assert [m.run_id for m in manifests.latest("handbook", limit=2)] == ["other-dag", "run-3"]
    assert [m.run_id for m in manifests.latest("handbook", dag_id="reconcile_index", limit=9)] == [
        "run-3",
        "run-2",
        "run-1",
    ]
    assert manifests.latest("unknown") == []


def test_a_run_that_left_no_manifest_is_not_an_empty_one(manifests: Manifests) -> None:
    with pytest.raises(FileNotFoundError):
        manifests.load("reconcile_index", "never ran", "handbook")


def test_parts_of_several_workers_do_not_collide(manifests: Manifests) -> None:
    first, second = (DocumentOutcome("a", DocumentState.CREATED),), (DocumentOutcome("b", DocumentState.FAILED, "x"),)
    manifests.save_part(manifest_of(outcomes=second), "batch-00000200")
    manifests.save_part(manifest_of(outcomes=first), "0-found")
    parts = manifests.parts("reconcile_index", "run-1", "handbook")
    assert {name: tuple(outcomes) for name, outcomes in parts.items()} == {"0-found": first, "batch-00000200": second}
    assert list(parts) == ["0-found", "batch-00000200"]
    assert manifests.parts("reconcile_index", "run-2", "handbook") == {}


@pytest.mark.parametrize(
    ("manifest", "counted"),
    [
        (manifest_of(outcomes=deleted(4)), 4),
        (manifest_of(outcomes=deleted(4), planned_removals=9), 4),
        (manifest_of(outcomes=deleted(4), released=True), None),
        (manifest_of(state=RunState.RUNNING, planned_removals=9), 9),
        (manifest_of(state=RunState.FAILED, planned_removals=9, outcomes=deleted(2)), 9),
        (manifest_of(state=RunState.RUNNING, planned_removals=9, released=True), None),
        (manifest_of(state=RunState.UNPROVEN), None),
        (manifest_of(dag_id="erase_documents", outcomes=deleted(1)), 1),
    ],
    ids=["finished", "finished short", "released", "killed", "broke off", "released killed", "unproven", "other dag"],
)
def test_what_a_run_counts_as_removed(manifests: Manifests, manifest: Manifest, counted: int | None) -> None:
    manifests.save(manifest)
    assert [r.documents for r in manifests.removals("handbook", LONG_AGO)] == ([] if counted is None else [counted])


def retired(count: int) -> tuple[DocumentOutcome, ...]:
    return tuple(DocumentOutcome(f"old-{n}", DocumentState.RETIRED) for n in range(count))


@pytest.mark.parametrize(
    ("manifest", "counted"),
    [
        (manifest_of(state=RunState.RESOLVED, planned_retirements=4, outcomes=retired(4)), 4),
        (manifest_of(state=RunState.RESOLVED, outcomes=retired(4), released=True), None),
        (manifest_of(state=RunState.RUNNING, planned_retirements=9), 9),
        (manifest_of(state=RunState.FAILED, planned_retirements=9, outcomes=retired(2)), 9),
        (manifest_of(state=RunState.PLANNED, outcomes=(DocumentOutcome("a", DocumentState.PLANNED),)), None),
    ],
    ids=["finished", "released", "killed", "broke off", "dry run"],
)
def test_what_a_run_of_the_resolver_counts_as_retired(
    manifests: Manifests, manifest: Manifest, counted: int | None
) -> None:
    manifests.save(manifest)
    found = [(r.documents, r.retired) for r in manifests.removals("handbook", LONG_AGO)]
    assert found == ([] if counted is None else [(0, counted)])


def test_removals_are_dated_by_the_end_of_their_run_so_that_a_long_one_is_not_forgotten(manifests: Manifests) -> None:
    manifests.save(manifest_of(minutes=-600, finished_at=at(30), outcomes=deleted(4)))
    (removal,) = manifests.removals("handbook", since=at(0))
    assert removal.at == at(30)


class WatchedState(StateRoot):
    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.was_read: list[str] = []

    def read(self, path: str) -> bytes:
        self.was_read.append(path)
        return super().read(path)


def test_comparisons_are_found_among_all_other_runs(manifests: Manifests) -> None:
    compared = [manifest_of(f"night-{n}", minutes=n, found=Findings()) for n in (1, 2, 9)]
    for manifest in (*compared, manifest_of("look", minutes=3, dag_id="follow_events", state=RunState.DEGRADED)):
        manifests.save(manifest)
    assert [m.run_id for m in manifests.comparisons("handbook", until=at(5))] == ["night-2", "night-1"]
    assert list(manifests.comparisons("helpcenter", until=at(5))) == []


def test_runs_that_removed_nothing_are_not_read_to_count_removals(tmp_path: Path) -> None:
    state = WatchedState(str(tmp_path))
    files = FileManifests(state)
    files.save(manifest_of("night", found=Findings(), planned_removals=2, outcomes=deleted(2)))
    for number in range(20):
        files.save(manifest_of(f"look-{number}", minutes=number, dag_id="follow_events"))
    assert [removal.documents for removal in files.removals("handbook", at(0))] == [2]
    assert [manifest.run_id for manifest in files.comparisons("handbook", until=at(60))] == ["night"]
    assert {path.split("/")[2] for path in state.was_read} == {"night"}


def test_the_manifest_file_names_what_needs_attention_for_a_person_to_read(tmp_path: Path) -> None:
    FileManifests(StateRoot(str(tmp_path))).save(FULL)
    (file,) = tmp_path.rglob("manifest.json")
    record = json.loads(file.read_text())
    assert record["attention"] == [
        {
            "doc_id": "e",
            "state": "failed",
            "detail": "it has no text",
            "version": "",
            "chunks": 0,
            "embedded": 0,
            "reused": 0,
            "minimum": 0,
            "version_before": "",
        }
    ]
    assert record["documents_by_state"] == {"created": 1, "failed": 1}
    assert (file.parent / "documents.parquet").exists()


@given(st.text(min_size=1, max_size=30), st.text(min_size=1, max_size=30))
def test_any_run_id_has_a_file_name_of_its_own(one: str, other: str) -> None:
    manifests = FileManifests(StateRoot("memory://names"))
    try:
        one.encode(), other.encode()
    except UnicodeEncodeError:
        return
    if one in (".", "..") or other in (".", ".."):
        return
    manifests.save(manifest_of(one, documents=1))
    manifests.save(manifest_of(other, documents=2))
    assert manifests.load("reconcile_index", other, "handbook").documents == 2
    assert manifests.load("reconcile_index", one, "handbook").documents == (2 if one == other else 1)


# -- removal marks --


@pytest.fixture(params=["files", "memory"])
def marks(request: pytest.FixtureRequest, tmp_path: Path) -> RemovalMarks:
    return FileRemovalMarks(StateRoot(str(tmp_path))) if request.param == "files" else FakeRemovalMarks()


def test_a_mark_is_found_for_its_document_alone(marks: RemovalMarks) -> None:
    assert marks.fence_of(KEY) is None
    marks.put(KEY, at(1))
    assert marks.fence_of(KEY) == at(1)
    assert marks.fence_of(DocumentKey("helpcenter", "guide")) is None
    assert marks.fence_of(DocumentKey("handbook", "guide/")) is None


def test_the_later_removal_is_remembered_whatever_the_order(marks: RemovalMarks) -> None:
    for minutes in (2, 5, 3):
        marks.put(KEY, at(minutes))
    assert marks.fence_of(KEY) == at(5)


def test_a_removal_by_a_wrong_clock_does_not_hide_an_honest_one(marks: RemovalMarks) -> None:
    marks.put(KEY, datetime.fromisoformat("2035-01-01T00:00:00Z"))
    marks.put(KEY, at(5))
    assert marks.fence_of(KEY) == at(5)


def test_a_mark_says_nothing_about_its_document(tmp_path: Path) -> None:
    FileRemovalMarks(StateRoot(str(tmp_path))).put(DocumentKey("handbook", "layoffs-2026"), at(1))
    for path in tmp_path.rglob("*"):
        assert "layoffs" not in str(path)
        assert not path.is_file() or b"layoffs" not in path.read_bytes()


@given(st.timedeltas(-LONGEST_REMOVAL, LONGEST_REMOVAL))
def test_of_two_removals_within_a_day_the_later_counts(apart: timedelta) -> None:
    assert later_removal(NOON, NOON + apart) == later_removal(NOON + apart, NOON) == max(NOON, NOON + apart)


# -- fences --


def test_fences_of_a_wrong_clock_become_older_than_any_read_and_keep_their_order() -> None:
    wrong = [at(600_000), at(500_000), at(600_000)]
    honest = [at(-5), at(4.9)]
    chunks = [stored(new_points(KEY, ["x"], fetched_at=fence))[0] for fence in (*wrong, *honest)]
    corrected = corrected_fences(chunks, now=at(0))
    assert set(corrected) == set(wrong)
    assert corrected[at(500_000)] < corrected[at(600_000)] < datetime(1971, 1, 1, tzinfo=NOON.tzinfo)


# -- ledger --


@pytest.fixture(params=["git", "memory"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Ledger:
    return GitLedger(tmp_path / "ledger") if request.param == "git" else FakeLedger()


def held_plan(checksum: str = "c1", *, minutes: float = 0, run_id: str = "run-1") -> HeldPlan:
    return HeldPlan(
        source="handbook",
        checksum=checksum,
        changes=(Change("d", Action.DELETE, "absent: gone", version_before="v1", content_before="h"),),
        holds=(Hold(HoldReason.DELETION_LIMIT, "1 of 9"),),
        indexed_documents=9,
        first_held_at=rfc3339(at(minutes)),
        run_id=run_id,
    )


def release_of(checksum: str = "c1", *, minutes: float = 0, **fields: str) -> Release:
    bare = Release("handbook", checksum, "ada", "looked at it", rfc3339(at(minutes)), rfc3339(at(minutes + 60)))
    return replace(bare, **fields)


def test_a_held_plan_waits_as_it_was_and_its_age_survives_refreshed_plans(ledger: Ledger) -> None:
    assert ledger.held("handbook") is None
    ledger.hold(held_plan())
    assert ledger.held("handbook") == held_plan()
    ledger.hold(held_plan("c2", minutes=60, run_id="run-2"))
    refreshed = ledger.held("handbook")
    assert refreshed is not None
    assert (refreshed.checksum, refreshed.first_held_at) == ("c2", rfc3339(at(0)))
    assert ledger.held("helpcenter") is None


def test_the_same_plan_held_again_is_the_standing_one(ledger: Ledger) -> None:
    ledger.hold(held_plan())
    assert ledger.hold(held_plan(minutes=60, run_id="run-2")) == held_plan()


def test_a_rejected_plan_stays_held_and_says_who_declined_it(ledger: Ledger) -> None:
    ledger.hold(held_plan())
    with pytest.raises(ApprovalRefused):
        ledger.reject("handbook", "another", "ada", "wrong one")
    ledger.reject("handbook", "c1", "ada", "the CMS is broken")
    declined = ledger.hold(held_plan(minutes=60))
    assert (declined.rejected_by, declined.rejected_why) == ("ada", "the CMS is broken")
    ledger.hold(held_plan("c2"))
    fresh = ledger.held("handbook")
    assert fresh is not None
    assert fresh.rejected_by == ""


def test_a_cleared_hold_is_gone_and_the_age_starts_anew(ledger: Ledger) -> None:
    ledger.hold(held_plan())
    ledger.clear_held("handbook", "the source is whole again")
    ledger.clear_held("handbook", "again")
    assert ledger.held("handbook") is None
    assert ledger.hold(held_plan(minutes=90)).first_held_at == rfc3339(at(90))


def test_a_source_has_a_held_plan_of_each_kind_and_neither_touches_the_other(ledger: Ledger) -> None:
    content, families = held_plan("c1"), replace(held_plan("f1"), kind=PlanKind.FAMILIES)
    ledger.hold(content)
    ledger.hold(families)
    assert (ledger.held("handbook"), ledger.held("handbook", PlanKind.FAMILIES)) == (content, families)
    ledger.open_request("handbook", "f1", "2026-11-30T02:00:00.000000Z", PlanKind.FAMILIES)
    assert ledger.open_requests("handbook") == {}
    assert tuple(ledger.open_requests("handbook", PlanKind.FAMILIES)) == ("f1",)
    ledger.close_request("handbook", "f1")
    assert ledger.open_requests("handbook", PlanKind.FAMILIES) == {}

    ledger.reject("handbook", "f1", by="Ada", why="these are no versions of each other")
    declined = ledger.held("handbook", PlanKind.FAMILIES)
    assert declined is not None
    assert declined.rejected_by == "Ada"
    assert ledger.held("handbook") == content
    ledger.clear_held("handbook", "nothing is held", PlanKind.FAMILIES)
    assert ledger.held("handbook", PlanKind.FAMILIES) is None
    assert ledger.held("handbook") == content


def family_review(family: str = "Refund policy", *, minutes: float = 0, why: str = "two heads") -> FamilyReview:
    options = (Option("refunds-v2.md", ("version 2 > 1",)), Option("refunds-new.md", ("dated 2026-03-01",)))
    members = tuple(ReviewedDocument(each.doc_id, "Refunds", "https://example.org", "", "") for each in options)
    return FamilyReview("handbook", family, rfc3339(at(minutes)), "Which?", (why,), options, members, ("decide it",))


def test_families_in_review_are_those_of_the_last_run_and_keep_their_age(ledger: Ledger) -> None:
    assert ledger.reviews("handbook") == []
    first, second = family_review("Travel"), family_review("Refunds / EU")
    assert ledger.review("handbook", [first, second]) == [second, first]
    assert ledger.reviews("handbook") == [second, first]
    assert ledger.reviews("helpcenter") == []

    later = family_review("Travel", minutes=60, why="three heads now")
    assert ledger.review("handbook", [later]) == [replace(later, since=first.since)]
    assert ledger.review("handbook", []) == []
    assert ledger.review("handbook", [later]) == [later]


def test_a_review_is_one_readable_file_and_one_commit_a_run_and_none_when_nothing_changed(tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    ledger = GitLedger(folder)
    alike = [family_review(name) for name in ("a/b", "a-b", "A B", "é", "x" * 300)]
    ledger.review("handbook", alike)
    files = git(folder, "ls-files").split()
    assert len(files) == len(alike)
    assert all(name.startswith("review/handbook/families/") and len(name) < 110 for name in files)
    ledger.review("handbook", [replace(each, since=rfc3339(at(5))) for each in alike])
    assert git(folder, "rev-list", "--count", "HEAD").strip() == "1"
    ledger.review("handbook", alike[:1])
    assert len(git(folder, "ls-files").split()) == 1
    assert git(folder, "rev-list", "--count", "HEAD").strip() == "2"


def test_a_release_is_found_by_source_and_checksum_and_the_newest_counts(ledger: Ledger) -> None:
    assert ledger.find_release("handbook", "c1") is None
    ledger.release(release_of())
    ledger.release(release_of(minutes=5, approved_by="grace"))
    found = ledger.find_release("handbook", "c1")
    assert found is not None
    assert found.approved_by == "grace"
    assert ledger.find_release("handbook", "c2") is None
    assert ledger.find_release("helpcenter", "c1") is None
    assert ledger.find_release("handbook", "") is None


def test_a_release_is_used_by_one_run_only(ledger: Ledger) -> None:
    ledger.release(release_of())
    assert ledger.use_release(release_of(), "run-1").used_by_run == "run-1"
    assert ledger.use_release(release_of(), "run-1").used_by_run == "run-1", "a retry is no second use"
    with pytest.raises(ApprovalRefused, match="run-1"):
        ledger.use_release(release_of(), "run-2")


def test_a_rejection_takes_back_an_earlier_release_that_was_not_used(ledger: Ledger) -> None:
    ledger.hold(held_plan())
    ledger.release(release_of())
    ledger.reject("handbook", "c1", by="Bob", why="the editor made a mistake")
    release = ledger.find_release("handbook", "c1")
    assert release is not None
    with pytest.raises(ApprovalRefused, match="rejected by Bob"):
        ledger.use_release(release, "run-1")
    ledger.release(release_of(minutes=5))
    again = ledger.find_release("handbook", "c1")
    assert again is not None
    assert ledger.use_release(again, "run-2").used_by_run == "run-2", "a person may change their mind"


def test_requests_are_open_until_they_are_closed(ledger: Ledger) -> None:
    for checksum in ("c2", "c1", "c2"):
        ledger.open_request("handbook", checksum, "2026-11-30T02:00:00.000000Z")
    assert sorted(ledger.open_requests("handbook")) == ["c1", "c2"]
    ledger.close_request("handbook", "c1")
    ledger.close_request("handbook", "never asked")
    assert tuple(ledger.open_requests("handbook")) == ("c2",)
    assert tuple(ledger.open_requests("helpcenter")) == ()


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True).stdout


def test_marks_are_read_from_the_file_that_people_edit(tmp_path: Path) -> None:
    (tmp_path / "marks").mkdir()
    (tmp_path / "marks" / "handbook.yaml").write_text(
        "guide:\n  status: archived\n  pinned: true\n  superseded_by: [newer]\n'0123':\n  is_canonical: true\n"
    )
    assert GitLedger(tmp_path).marks("handbook") == {
        "guide": Marks(status=Status.ARCHIVED, pinned=True, superseded_by=("newer",)),
        "0123": Marks(is_canonical=True),
    }
    assert GitLedger(tmp_path).marks("helpcenter") == {}


@pytest.mark.parametrize("text", ["guide: {status: gone}", "guide: [", "- a list", "guide: {pined: 5}"])
def test_a_marks_file_with_a_mistake_is_an_error_and_never_no_marks(text: str, tmp_path: Path) -> None:
    (tmp_path / "marks").mkdir()
    (tmp_path / "marks" / "handbook.yaml").write_text(text)
    with pytest.raises(ConfigError, match=r"handbook\.yaml"):
        GitLedger(tmp_path).marks("handbook")


def test_each_decision_is_a_commit_with_its_author_and_reason(tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    ledger = GitLedger(folder)
    ledger.hold(held_plan())
    ledger.release(release_of(approved_by="Ada Lovelace", reason="spring clean-up"))
    ledger.use_release(release_of(), "run-1")
    log = git(folder, "log", "--reverse", "--format=%an|%s|%b").split("\n")
    subjects = [line for line in log if "|" in line]
    assert subjects[0].startswith("truecopy|Hold plan c1 of handbook: 1 changes wait for a person")
    assert subjects[1] == "Ada Lovelace|Release plan c1 of handbook|spring clean-up"
    assert subjects[2].startswith("truecopy|Use release c1 of handbook in run run-1")
    assert git(folder, "status", "--porcelain") == ""


@pytest.mark.parametrize("name", ["Eve <ada@airflow>", "Eve\nCommit: x", "<>", "", "-- --amend", "Zoë O'Neil"])
def test_a_user_name_cannot_forge_another_author(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    GitLedger(folder).release(release_of(approved_by=name))
    (author,) = git(folder, "log", "--format=%an <%ae>").splitlines()
    assert author != "ada <ada@airflow>"
    assert author.count("<") == 1


def test_an_approval_can_be_undone_with_git_revert(tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    ledger = GitLedger(folder)
    ledger.hold(held_plan())
    ledger.release(release_of())
    git(folder, "-c", "user.name=x", "-c", "user.email=x@x", "revert", "--no-edit", "HEAD")
    assert ledger.find_release("handbook", "c1") is None
    assert ledger.held("handbook") == held_plan()


def _use(folder: Path, run_id: str) -> bool:
    try:
        GitLedger(folder).use_release(release_of(), run_id)
    except ApprovalRefused:
        return False
    return True


def test_of_many_processes_one_alone_uses_a_release(tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    GitLedger(folder).release(release_of())
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        used = pool.starmap(_use, [(folder, f"run-{number}") for number in range(9)])
    assert used.count(True) == 1
    assert git(folder, "status", "--porcelain") == ""


@pytest.mark.parametrize("leftover", [lambda p: p / "held" / "handbook.tmp", lambda p: p / "held" / "handbook.yaml"])
def test_what_a_killed_writer_left_does_not_stop_the_next_one(leftover: Callable[[Path], Path], tmp_path: Path) -> None:
    folder = tmp_path / "ledger"
    ledger = GitLedger(folder)
    ledger.hold(held_plan("c0"))
    target = folder / "held" / "handbook.yaml"
    leftover(folder).write_text(target.read_text().replace("c0", "c9"))
    ledger.hold(held_plan("c1"))
    standing = GitLedger(folder).held("handbook")
    assert standing is not None
    assert standing.checksum == "c1"
    ledger.clear_held("handbook", "done")
    assert GitLedger(folder).held("handbook") is None


def test_the_lock_is_in_the_folder_that_all_workers_share_and_is_never_committed(tmp_path: Path) -> None:
    GitLedger(tmp_path / "ledger").hold(held_plan())
    assert [path.name for path in tmp_path.iterdir()] == ["ledger"]
    assert git(tmp_path / "ledger", "ls-files").split() == ["held/handbook.yaml"]


def test_an_old_lock_of_a_killed_git_is_taken_over(tmp_path: Path) -> None:
    ledger = GitLedger(tmp_path / "ledger")
    ledger.hold(held_plan())
    left = tmp_path / "ledger" / ".git" / "index.lock"
    left.touch()
    os.utime(left, (1, 1))
    ledger.clear_held("handbook", "the source has them again")
    assert not left.exists()
    assert git(tmp_path / "ledger", "status", "--porcelain") == ""


def test_what_an_interrupted_run_had_written_is_committed_by_the_next(tmp_path: Path) -> None:
    ledger = GitLedger(tmp_path / "ledger")
    ledger.hold(held_plan("c1"))
    (tmp_path / "ledger" / "requests").mkdir()
    (tmp_path / "ledger" / "requests" / "handbook.yaml").write_text("{c1: '2026-11-30T02:00:00.000000Z'}\n")
    ledger.clear_held("handbook", "done")
    assert git(tmp_path / "ledger", "status", "--porcelain") == ""
    assert "interrupted" in git(tmp_path / "ledger", "log", "--format=%s")


def test_a_ledger_commit_reaches_no_other_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a git hook of the content repository, with signing and hooks that fail."""
    content = tmp_path / "content"
    content.mkdir()
    git(content, "init", "-q")
    (content / "page.md").write_text("a page")
    git(content, "add", "-A")
    git(content, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "a page")
    head = git(content, "rev-parse", "HEAD")
    home = tmp_path / "home"
    (home / "hooks").mkdir(parents=True)
    (home / "hooks" / "pre-commit").write_text("#!/bin/sh\nexit 1\n")
    (home / "hooks" / "pre-commit").chmod(0o755)
    (home / ".gitconfig").write_text(
        f"[commit]\n gpgsign = true\n[gpg]\n program = /bin/false\n[core]\n hooksPath = {home / 'hooks'}\n"
    )
    for name, value in {"GIT_DIR": content / ".git", "GIT_WORK_TREE": content, "HOME": home}.items():
        monkeypatch.setenv(name, str(value))
    GitLedger(tmp_path / "ledger").hold(held_plan())
    for name in ("GIT_DIR", "GIT_WORK_TREE"):
        monkeypatch.delenv(name)
    assert git(content, "rev-parse", "HEAD") == head
    assert git(tmp_path / "ledger", "ls-files").split() == ["held/handbook.yaml"]


def test_a_manifest_from_the_future_is_not_the_newest(manifests: Manifests) -> None:
    manifests.save(manifest_of("honest"))
    manifests.save(manifest_of("future", minutes=60 * 24 * 3000))
    found = list(manifests.newest_first("handbook", until=at(60)))
    assert [manifest.run_id for manifest in found] == ["honest"]


def test_a_damaged_or_stray_record_does_not_stop_the_nights_after_it(tmp_path: Path) -> None:
    files = FileManifests(StateRoot(str(tmp_path)))
    files.save(manifest_of("good", outcomes=deleted(2)))
    files.save(manifest_of("bad", minutes=5))
    (tmp_path / "manifests" / "reconcile_index" / "bad" / "handbook" / "manifest.json").write_bytes(b"")
    (tmp_path / "manifests" / "by-source" / "handbook" / ".DS_Store").write_bytes(b"\x00")
    assert [manifest.run_id for manifest in files.newest_first("handbook")] == ["good"]
    assert [removal.documents for removal in files.removals("handbook", at(-60))] == [2]


def test_a_run_with_a_very_long_id_has_a_manifest(manifests: Manifests) -> None:
    long = "scheduled__" + "x" * 240
    manifests.save(manifest_of(long))
    assert manifests.load("reconcile_index", long, "handbook").run_id == long
    assert [manifest.run_id for manifest in manifests.newest_first("handbook")] == [long]


def test_a_removal_mark_without_content_blocks_nothing(tmp_path: Path) -> None:
    marks = FileRemovalMarks(StateRoot(str(tmp_path)))
    key = DocumentKey("handbook", "page")
    marks.put(key, at(0))
    [path] = tmp_path.rglob("*.json")
    path.write_bytes(b"")
    assert marks.fence_of(key) is None
    marks.put(key, at(5))
    assert marks.fence_of(key) == at(5)
