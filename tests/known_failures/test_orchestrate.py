"""ORCHESTRATE: mapping, triggers, approvals and retries, as far as it needs no running Airflow.

What the DAGs hand from task to task is ids and counts; the truth is in manifests and ledger. So a lost, empty or None
result of a task can never start or hide anything.
"""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path

import pytest

from include.domain.dates import rfc3339
from include.domain.errors import ApprovalRefused, ConfigError, StoreUnavailable
from include.domain.manifest import DocumentState, Manifest, RunState
from include.settings import LimitSettings, Settings, SourceSettings
from include.wiring.application import Application
from include.wiring.held_plans import ASK_AGAIN_AFTER, held_plan, release_held, requests_to_make
from include.wiring.runs import (
    APPLY_HELD,
    INGEST,
    RECONCILE,
    Run,
    conclude_ingest_of,
    find_work,
    ingest_batch,
    ingest_source,
    manifests_of,
    reconcile_source,
    summary,
    verdict,
)
from tests.connector_sources import GitRepository
from tests.fakes.clock import FakeClock
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.index import FakeIndexStore
from tests.faults import Crash

ROOT = Path(__file__).parents[2]
SOURCE = "handbook"


class Installation(Application):
    """As in production, with manifests and ledger on disk; only clock, embedder and store are in memory."""

    @cached_property
    def clock(self) -> FakeClock:  # type: ignore[override]
        return FakeClock()

    @cached_property
    def embedder(self) -> FakeEmbedder:
        return FakeEmbedder()

    @cached_property
    def bare_store(self) -> FakeIndexStore:  # type: ignore[override]
        return FakeIndexStore()


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    return GitRepository.create(tmp_path / "r", {f"page-{n:02}.md": f"# Page {n}\n\nText {n}.\n" for n in range(20)})


@pytest.fixture
def installation(tmp_path: Path, repository: GitRepository) -> Installation:
    options = {"location": str(repository.folder)}
    settings = Settings(
        sources={SOURCE: SourceSettings(kind="git_markdown", options=options)},
        limits=LimitSettings(),
        batch_documents=5,
        state=str(tmp_path / "state"),
        ledger=tmp_path / "ledger",
    )
    application = Installation(settings)
    assert reconcile_source(application, SOURCE, Run(RECONCILE, "first-fill"), progress=quiet).state is RunState.TRUE
    return application


def quiet(_what: str, _done: int, _total: int) -> None:
    pass


def night(application: Installation, run_id: str, **options: object) -> Manifest:
    application.clock.turn(days=1)
    return reconcile_source(application, SOURCE, Run(RECONCILE, run_id), progress=quiet, **options)  # type: ignore[arg-type]


def remove(repository: GitRepository, first: int, last: int) -> None:
    repository.commit({f"page-{number:02}.md": None for number in range(first, last)})


def test_or_01_a_night_without_changes_still_leaves_manifests_that_report_zero(installation: Installation) -> None:
    run = Run(INGEST, "empty")
    assert find_work(installation, SOURCE, run) == []
    manifest = conclude_ingest_of(installation, SOURCE, run, started_at=installation.clock.now())
    assert (manifest.state, manifest.outcomes, manifest.documents) == (RunState.INGESTED, (), 20)
    manifest = night(installation, "quiet")
    assert (manifest.state, manifest.outcomes, manifest.documents) == (RunState.TRUE, (), 20)
    assert summary(manifest)["changed"] == 0
    assert verdict(manifests_of(installation, [SOURCE], Run(RECONCILE, "quiet"))) == []


def test_or_04_a_source_whose_run_left_nothing_is_red_and_never_counts_as_nothing_to_do(
    installation: Installation,
) -> None:
    found = manifests_of(installation, [SOURCE], Run(RECONCILE, "never-ran"))
    assert found == {SOURCE: None}
    [sentence] = verdict(found)
    assert "left no manifest" in sentence


def test_or_04_an_ingest_whose_search_never_finished_is_a_failure_and_not_an_empty_day(
    installation: Installation,
) -> None:
    manifest = conclude_ingest_of(installation, SOURCE, Run(INGEST, "lost"), started_at=installation.clock.now())
    assert manifest.state is RunState.FAILED
    assert "did not finish" in manifest.reason


def test_or_04_a_batch_that_never_reports_back_is_named_document_by_document(
    installation: Installation, repository: GitRepository
) -> None:
    repository.commit({f"new-{number}.md": f"# New {number}\n" for number in range(12)})
    run = Run(INGEST, "half")
    batches = find_work(installation, SOURCE, run)
    assert [len(batch["doc_ids"]) for batch in batches] == [5, 5, 2]
    ingest_batch(installation, batches[0], run, progress=quiet)
    ingest_batch(installation, batches[2], run, progress=quiet)
    manifest = conclude_ingest_of(installation, SOURCE, run, started_at=installation.clock.now())
    assert manifest.state is RunState.DEGRADED
    failed = {outcome.doc_id for outcome in manifest.outcomes if outcome.state is DocumentState.FAILED}
    assert failed == set(batches[1]["doc_ids"])
    assert manifest.count(DocumentState.CREATED) == 7
    assert len(manifest.outcomes) == 12, "each document once, whatever the number of parts"


def test_or_04_parts_are_merged_the_same_whatever_order_they_came_in_and_however_often(
    installation: Installation, repository: GitRepository
) -> None:
    repository.commit({f"new-{number}.md": f"# New {number}\n" for number in range(12)})
    run = Run(INGEST, "again")
    batches = find_work(installation, SOURCE, run)
    for batch in [*reversed(batches), batches[1]]:
        ingest_batch(installation, batch, run, progress=quiet)
    manifest = conclude_ingest_of(installation, SOURCE, run, started_at=installation.clock.now())
    assert manifest.state is RunState.INGESTED
    assert {outcome.doc_id for outcome in manifest.outcomes} == {f"new-{number}.md" for number in range(12)}
    assert manifest.documents == 32


def test_or_05_fifty_empty_days_are_fifty_green_runs(installation: Installation) -> None:
    for number in range(50):
        manifest = ingest_source(installation, SOURCE, Run(INGEST, f"day-{number}"), progress=quiet)
        assert (manifest.state, manifest.outcomes) == (RunState.INGESTED, ())


def test_or_06_an_approval_that_is_used_too_late_deletes_nothing(
    installation: Installation, repository: GitRepository
) -> None:
    remove(repository, 0, 10)
    held = night(installation, "held")
    assert held.state is RunState.HELD
    release_held(installation, SOURCE, held.held_checksum, by="owner", why="clean-up")
    installation.clock.turn(hours=installation.settings.release_hours + 1)
    with pytest.raises(ApprovalRefused, match="expired"):
        reconcile_source(installation, SOURCE, Run(APPLY_HELD, "late"), progress=quiet, released=True)
    [latest] = installation.manifests.latest(SOURCE)
    assert latest.state is RunState.FAILED
    assert installation.bare_store.points


def test_or_06_only_an_answer_in_the_ledger_counts(installation: Installation, repository: GitRepository) -> None:
    """Whatever a task state, an XCom or a parameter says."""
    remove(repository, 0, 10)
    held = night(installation, "held")
    with pytest.raises(ApprovalRefused, match="no recorded release"):
        reconcile_source(installation, SOURCE, Run(APPLY_HELD, "forged"), progress=quiet, released=True)
    for by, why in (("", "clean-up"), ("owner", ""), ("owner", "   ")):
        with pytest.raises(ConfigError, match="a person and a reason"):
            release_held(installation, SOURCE, held.held_checksum, by=by, why=why)
    with pytest.raises(ConfigError, match="is not held"):
        release_held(installation, SOURCE, "0" * 16, by="owner", why="clean-up")


def test_or_08_nothing_asks_airflow_for_a_logical_date() -> None:
    """Runs that an asset or the API started have none. To start one like that says so: `"logical_date": None`."""
    needs_one = re.compile(r"logical_date(?!\": None)|execution_date|data_interval|\{\{ *(ds|ts|prev_)|\bds_nodash\b")
    files = [*(ROOT / "dags").glob("*.py"), *(ROOT / "include").rglob("*.py")]
    assert files
    assert [path.name for path in files if needs_one.search(path.read_text(encoding="utf-8"))] == []


def test_or_12_nobody_answers_for_a_week_and_every_night_still_ingests_with_one_question_open(
    installation: Installation, repository: GitRepository
) -> None:
    remove(repository, 0, 10)
    asked: list[str] = []
    for number in range(7):
        repository.commit({f"new-{number}.md": f"# New {number}\n"})
        manifest = night(installation, f"night-{number}")
        assert manifest.state is RunState.HELD
        assert manifest.count(DocumentState.CREATED) == 1
        assert len(manifest.held) == 10
        for request in requests_to_make(installation, [SOURCE]):
            assert not request.moot
            asked.append(request.run_id)
            installation.ledger.open_request(SOURCE, request.checksum, rfc3339(installation.clock.now()))
    assert len(set(asked)) == 1, "a question that is asked anew is the same run"
    assert len(asked) <= 1 + 7 // ASK_AGAIN_AFTER.days
    assert len(installation.ledger.open_requests(SOURCE)) == 1


def test_or_12_a_refreshed_plan_replaces_the_question_and_a_vanished_one_withdraws_it(
    installation: Installation, repository: GitRepository
) -> None:
    def questions() -> list[tuple[str, bool]]:
        return [(request.checksum, request.moot) for request in requests_to_make(installation, [SOURCE])]

    remove(repository, 0, 10)
    first = night(installation, "one").held_checksum
    assert questions() == [(first, False)]
    installation.ledger.open_request(SOURCE, first, rfc3339(installation.clock.now()))
    assert questions() == []
    remove(repository, 10, 12)
    second = night(installation, "two").held_checksum
    assert sorted(questions()) == sorted([(first, True), (second, False)])
    installation.ledger.close_request(SOURCE, first)
    installation.ledger.open_request(SOURCE, second, rfc3339(installation.clock.now()))
    assert questions() == []
    repository.git("revert", "--no-edit", "HEAD", "HEAD~1")
    assert night(installation, "three").state is RunState.TRUE
    assert questions() == [(second, True)]
    with pytest.raises(ConfigError, match="nothing is held"):
        held_plan(installation, SOURCE)


def test_or_12_a_declined_plan_is_not_asked_about_again_and_stays_held(
    installation: Installation, repository: GitRepository
) -> None:
    remove(repository, 0, 10)
    checksum = night(installation, "one").held_checksum
    installation.ledger.reject(SOURCE, checksum, "owner", "the folder was moved by mistake")
    assert night(installation, "two").state is RunState.HELD
    assert requests_to_make(installation, [SOURCE]) == []
    assert len(installation.bare_store.points) >= 20


def test_every_retry_leaves_a_manifest_of_its_own_and_the_window_counts_what_a_killed_one_may_have_removed(
    installation: Installation, repository: GitRepository
) -> None:
    remove(repository, 0, 2)
    kill = [True]

    def on_io(operation: str) -> None:
        if kill[0] and operation == "delete":
            raise Crash("killed")

    installation.bare_store.on_io = on_io
    installation.clock.turn(days=1)
    for attempt in (1, 2, 3):
        with pytest.raises(Crash):
            reconcile_source(installation, SOURCE, Run(RECONCILE, "night", attempt), progress=quiet)
    ids = {manifest.run_id for manifest in installation.manifests.latest(SOURCE, limit=9)}
    assert {"night", "night.attempt-2", "night.attempt-3"} <= ids
    since = installation.clock.now() - ASK_AGAIN_AFTER
    assert sum(removal.documents for removal in installation.manifests.removals(SOURCE, since)) == 6
    kill[0] = False
    # Six that may be gone and two that shall go are more than the window lets through: a person looks.
    last = reconcile_source(installation, SOURCE, Run(RECONCILE, "night", attempt=4), progress=quiet)
    assert last.state is RunState.HELD
    assert manifests_of(installation, [SOURCE], Run(RECONCILE, "night"))[SOURCE] == last


def test_a_retry_of_the_run_that_used_a_release_is_no_second_use_and_another_run_is(
    installation: Installation, repository: GitRepository
) -> None:
    remove(repository, 0, 10)
    held = night(installation, "held")
    release_held(installation, SOURCE, held.held_checksum, by="owner", why="clean-up")
    broken = [True]

    def on_io(operation: str) -> None:
        if broken[0] and operation == "delete":
            raise StoreUnavailable("no answer")

    installation.bare_store.on_io = on_io
    with pytest.raises(StoreUnavailable):
        reconcile_source(installation, SOURCE, Run(APPLY_HELD, "apply"), progress=quiet, released=True)
    broken[0] = False
    with pytest.raises(ApprovalRefused, match="used by run apply"):
        reconcile_source(installation, SOURCE, Run(APPLY_HELD, "another"), progress=quiet, released=True)
    manifest = reconcile_source(installation, SOURCE, Run(APPLY_HELD, "apply"), progress=quiet, released=True)
    assert manifest.count(DocumentState.DELETED) == 10
    assert manifest.state is RunState.TRUE


def test_a_run_that_was_killed_is_red_the_next_morning_and_its_work_is_taken_up(
    installation: Installation, repository: GitRepository
) -> None:
    repository.commit({"new.md": "# New\n"})

    def die(operation: str) -> None:
        if operation == "insert":
            raise Crash("killed")

    installation.bare_store.on_io = die
    with pytest.raises(Crash):
        night(installation, "killed")
    [sentence] = verdict(manifests_of(installation, [SOURCE], Run(RECONCILE, "killed")))
    assert "killed" in sentence or "failed" in sentence
    installation.bare_store.on_io = lambda _: None
    assert night(installation, "next").count(DocumentState.CREATED) == 1
