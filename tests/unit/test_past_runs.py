"""Past runs as pages read them: the same as the manifests say, read once, and never older than the file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from include.domain.documents import DocumentKey
from include.domain.errors import DocumentGone
from include.domain.manifest import DocumentState, RunHead, RunState
from include.records.manifests import FileManifests
from include.records.past_runs import LostRun, PastRuns
from include.records.state import StateRoot
from include.telemetry.gauges import gauges
from include.wiring.application import Application
from include.wiring.runs import RECONCILE, Run, reconcile_source
from include.wiring.what_changed import what_changed
from tests.dags.live import Repository
from tests.ops_pages import a_night


class CountedState(StateRoot):
    """`remote` as an object store is, that cannot be asked for a stamp without a request."""

    remote = False
    reads = 0

    def read(self, path: str) -> bytes:
        self.reads += 1
        return super().read(path)

    def stamp(self, path: str) -> tuple[int, int, int] | None:
        return None if self.remote else super().stamp(path)


@pytest.fixture
def state(tmp_path: Path) -> CountedState:
    return CountedState(str(tmp_path))


def test_a_head_tells_the_gauges_that_the_whole_manifest_tells(state: CountedState) -> None:
    night = a_night("guide", 3, run_id="night")
    FileManifests(state).save(night)
    head = PastRuns(state).of("reconcile_index", "night", "guide")
    assert head.manifest.outcomes == ()
    assert (head.count(DocumentState.CREATED), head.embedded, head.reused, head.minimum) == (1, 6, 3, 6)
    now = night.started_at
    assert gauges(head, now=now) == gauges(RunHead.of(night), now=now)


def test_an_unchanged_manifest_is_read_once_and_a_changed_one_at_once(state: CountedState) -> None:
    manifests, past = FileManifests(state), PastRuns(state)
    night = a_night("guide", 90, RunState.RUNNING, run_id="night")
    manifests.save(night)
    (name,) = past.names("guide")
    for _ in range(3):
        found = past.head("guide", name)
    assert state.reads == 1
    assert isinstance(found, RunHead)
    manifests.save(replace(night, state=RunState.TRUE))
    found = past.head("guide", name)
    assert isinstance(found, RunHead)
    assert found.manifest.state is RunState.TRUE


@pytest.mark.parametrize(("hours", "reads"), [(90, 1), (3, 3)])
def test_where_files_cannot_be_asked_only_old_nights_are_believed_unread(
    state: CountedState, hours: float, reads: int
) -> None:
    FileManifests(state).save(a_night("guide", hours, run_id="night"))
    state.remote = True
    past = PastRuns(state)
    (name,) = past.names("guide")
    for _ in range(3):
        past.head("guide", name)
    assert state.reads == reads


def test_a_lost_manifest_is_a_lost_run_and_no_error(state: CountedState, tmp_path: Path) -> None:
    FileManifests(state).save(a_night("guide", 3, run_id="night"))
    past = PastRuns(state)
    (name,) = past.names("guide")
    (tmp_path / "manifests/reconcile_index/night/guide/manifest.json").write_bytes(b"\xff\xfe")
    found = past.head("guide", name)
    assert isinstance(found, LostRun)
    assert (found.dag_id, found.run_id, found.started_at) == ("reconcile_index", "night", name.started)


@pytest.fixture
def in_git(tmp_path: Path) -> Application:
    """A page of a repository, indexed, edited, indexed again."""
    repository = Repository(tmp_path / "guide")
    settings = tmp_path / "truecopy.yaml"
    source = {"kind": "git_markdown", "options": {"location": str(repository.folder)}}
    store = {"url": f"edge:{tmp_path}/index"}
    settings.write_text(json.dumps({"sources": {"guide": source}, "store": store}))
    environment = {
        "TRUECOPY_CONFIG": str(settings),
        "TRUECOPY_STATE": str(tmp_path / "state"),
        "TRUECOPY_LEDGER": str(tmp_path / "state/ledger"),
    }
    application = Application.from_environment(environment)
    for run, days in (("first", 14), ("second", 30)):
        repository.commit({"refunds.md": f"# Refunds\n\nWithin {days} days.\n"})
        reconcile_source(application, "guide", Run(RECONCILE, run))
    return application


def test_a_replaced_page_of_a_repository_shows_what_changed_until_it_is_erased(in_git: Application) -> None:
    outcome = in_git.past_runs.outcome_of(RECONCILE, "second", "guide", "refunds.md")
    assert outcome is not None
    assert outcome.state is DocumentState.REPLACED
    diff, why_not = what_changed(in_git, "guide", outcome)
    assert "[-14-] {+30+} days" in diff
    assert why_not == ""
    gone = replace(outcome, version_before="0" * 40)
    assert what_changed(in_git, "guide", gone)[0] == ""
    assert "not at hand" in what_changed(in_git, "guide", gone)[1]
    before_it_was_recorded = replace(outcome, version_before="")
    assert "does not say which version" in what_changed(in_git, "guide", before_it_was_recorded)[1]
    with pytest.raises(DocumentGone, match="names no file"):
        in_git.connector("guide").former_body("--upload-pack=evil")  # type: ignore[attr-defined]
    in_git.ledger.bury([DocumentKey("guide", "refunds.md")], by="the privacy officer", rule="asked", at="2026-01-01")
    assert what_changed(in_git, "guide", outcome) == (
        "",
        "This document was erased; its texts are not shown, wherever they may still be.",
    )
