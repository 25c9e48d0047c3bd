"""FALSE-EMPTY: a failure that looks like an empty source. Unknown is never absent."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from examples.helpcenter.server import HelpCenter
from include.domain.manifest import DocumentState, Manifest, RunState
from tests.connector_sources import GitRepository, Reply, help_center, help_center_options
from tests.known_failures.site import TOKEN, EditableCms, Site, filled, names, served

FAULTS = ("empty200", "outage500", "html200", "truncated", "total_mismatch", "page_cap", "repeat_page", "anonymous")


def assert_nothing_concluded(manifest: Manifest, site: Site, before: object) -> None:
    assert manifest.state is RunState.UNPROVEN
    assert manifest.reason
    assert manifest.next_step
    assert manifest.outcomes == ()
    assert site.chunks() == before


@pytest.fixture(scope="module")
def center() -> Iterator[tuple[HelpCenter, Site]]:
    with help_center() as (center, url):
        options = help_center_options(url, size=5)
        options["http"]["read_timeout"] = 0.3
        site = Site.of_http(options, credentials=TOKEN)
        assert site.night().state is RunState.TRUE
        yield center, site


@pytest.mark.parametrize("fault", [*FAULTS, "timeout"])
def test_fe_01_a_failure_that_answers_200_or_not_at_all_removes_nothing_and_the_next_night_writes_nothing(
    center: tuple[HelpCenter, Site], fault: str
) -> None:
    help_center, site = center
    before, embedded = site.chunks(), len(site.embedder.embedded)
    help_center.control({"action": "fault", "fault": fault})
    try:
        assert_nothing_concluded(site.night(), site, before)
    finally:
        help_center.control({"action": "fault", "fault": ""})
    manifest = site.night()
    assert (manifest.state, manifest.outcomes) == (RunState.TRUE, ())
    assert len(site.embedder.embedded) == embedded


def test_fe_01_a_downgraded_credential_is_named_as_a_possible_reason(center: tuple[HelpCenter, Site]) -> None:
    help_center, site = center
    help_center.control({"action": "fault", "fault": "anonymous"})
    try:
        assert "somebody else" in site.night().reason
        help_center.control({"action": "fault", "fault": "empty200"})
        assert "lost its scope" in site.night().reason
    finally:
        help_center.control({"action": "fault", "fault": ""})


def test_fe_01_an_empty_list_is_no_proof_even_from_a_source_that_vouches_for_it() -> None:
    source, site = filled(40)
    before = site.chunks()
    source.pages.clear()
    assert_nothing_concluded(site.night(), site, before)


def test_fe_02_documents_whose_page_does_not_answer_are_unknown_and_stay() -> None:
    cms = EditableCms(names(12))
    with served(cms) as site:
        assert site.night().state is RunState.TRUE
        before = site.texts()
        cms.texts = {doc_id: f"a new text of {doc_id}" for doc_id in cms.ids}
        cms.broken = dict.fromkeys(cms.ids, Reply(500, b"{}"))
        manifest = site.night()
        assert manifest.state is RunState.DEGRADED
        assert manifest.count(DocumentState.FAILED) == 12
        assert site.texts() == before
        cms.broken = {}
        assert site.night().state is RunState.HELD, "twelve of twelve rewritten: a person looks first"


def test_fe_02_an_outage_in_the_middle_of_reading_breaks_the_run_off_before_anything_is_written() -> None:
    cms = EditableCms(names(60))
    with served(cms) as site:
        site.night()
        before = site.chunks()
        cms.ids = names(90)
        down = Reply(502, b"bad gateway", "text/html")
        cms.broken = dict.fromkeys([*names(60), *names(90)[65:]], down)  # five new pages are read, then all is down
        assert_nothing_concluded(site.night(), site, before)


def test_many_broken_pages_in_a_row_do_not_block_a_source_that_answers_otherwise() -> None:
    cms = EditableCms(names(60))
    with served(cms) as site:
        site.night()
        cms.ids = names(90)
        cms.broken = dict.fromkeys(names(90)[60:85], Reply(302, b"", "text/html"))
        manifest = site.night()
        assert manifest.state is RunState.DEGRADED
        assert (manifest.count(DocumentState.FAILED), manifest.count(DocumentState.CREATED)) == (25, 5)


def test_fe_05_a_remote_that_refuses_connections_leaves_the_index_as_it_is(tmp_path: Path) -> None:
    remote = GitRepository.create(tmp_path / "remote", {f"page-{n}.md": f"# Page {n}\n" for n in range(5)})
    site = Site.of_git(f"file://{remote.folder}", tmp_path / "cache")
    assert site.night().state is RunState.TRUE
    before = site.chunks()
    moved = remote.folder.rename(tmp_path / "away")
    assert_nothing_concluded(site.night(), site, before)
    moved.rename(tmp_path / "remote")
    assert site.night().outcomes == ()


def test_fe_05_a_server_that_is_not_there_is_no_empty_repository(tmp_path: Path) -> None:
    repository = GitRepository.create(tmp_path / "r", {"a.md": "# A\n"})
    site = Site.of_git(repository.folder, tmp_path)
    site.night()
    before = site.chunks()
    site.connect = Site.of_git("http://127.0.0.1:9/gone.git", tmp_path / "cache").connect
    assert_nothing_concluded(site.night(), site, before)


@pytest.mark.parametrize("reply", [Reply(cut=0), Reply(503, b"{}"), Reply(429, b"{}")], ids=["refused", "503", "429"])
def test_fe_06_pages_that_fail_on_two_consecutive_nights_are_never_deleted(reply: Reply) -> None:
    cms = EditableCms(names(30))
    with served(cms) as site:
        site.night()
        before = site.texts()
        gone = "d0007"
        cms.unlisted, cms.broken = {gone}, {gone: reply}
        for _ in range(2):
            manifest = site.night()
            assert manifest.state is RunState.DEGRADED
            assert [outcome.state for outcome in manifest.outcomes] == [DocumentState.KEPT]
            assert site.texts() == before
        cms.ids.remove(gone)
        cms.broken = {}
        assert site.night().count(DocumentState.DELETED) == 1
        assert gone not in site.documents()


def test_fe_06_a_404_proves_nothing_while_living_documents_answer_404_too() -> None:
    """The list comes from a cache, the table behind the pages is lost."""
    cms = EditableCms(names(30))
    with served(cms) as site:
        site.night()
        before = site.texts()
        cms.unlisted, cms.broken = {"d0007"}, dict.fromkeys(cms.ids, Reply(404, b"{}"))
        for _ in range(2):
            manifest = site.night()
            assert [outcome.state for outcome in manifest.outcomes] == [DocumentState.KEPT]
            assert site.texts() == before


def test_fe_07_a_page_that_is_away_for_one_night_is_neither_deleted_nor_embedded_again() -> None:
    cms = EditableCms(names(30))
    with served(cms) as site:
        site.night()
        before, embedded = site.chunks(), len(site.embedder.embedded)
        cms.unlisted, cms.broken = {"d0003"}, {"d0003": Reply(503, b"{}")}
        assert site.night().count(DocumentState.DELETED) == 0
        cms.unlisted, cms.broken = set(), {}
        manifest = site.night()
        assert (manifest.state, manifest.outcomes) == (RunState.TRUE, ())
        assert site.chunks() == before, "version, id and dates are unchanged"
        assert len(site.embedder.embedded) == embedded


@pytest.mark.parametrize("what", ["empty folder", "no folder", "no commit", "no root", "no sentinel", "a file"])
def test_fe_10_an_unmounted_or_wrong_folder_is_no_empty_source(what: str, tmp_path: Path) -> None:
    files = {"docs/index.md": "# Home\n", "docs/a.md": "# A\n", "readme.txt": "x"}
    repository = GitRepository.create(tmp_path / "work" / "handbook", files)
    site = Site.of_git(repository.folder, tmp_path, options={"root": "docs", "sentinel": "docs/index.md"})
    assert site.night().state is RunState.TRUE
    before = site.chunks()
    match what:
        case "no root":
            repository.git("rm", "-r", "-q", "docs")
            repository.commit({"other/a.md": "# A\n"})
        case "no sentinel":
            repository.commit({"docs/index.md": None})
        case _:
            shutil.rmtree(repository.folder)
    match what:
        case "empty folder":
            repository.folder.mkdir()
        case "no commit":
            GitRepository.create(repository.folder)
        case "a file":
            repository.folder.write_text("")
    assert_nothing_concluded(site.night(), site, before)


def test_fe_10_an_empty_mount_inside_another_repository_is_not_that_repository(tmp_path: Path) -> None:
    outer = GitRepository.create(tmp_path / "outer", {"unrelated.md": "# Unrelated\n"})
    inner = GitRepository.create(tmp_path / "elsewhere", {"a.md": "# A\n", "b.md": "# B\n"})
    site = Site.of_git(inner.folder, tmp_path)
    site.night()
    before = site.chunks()
    (outer.folder / "mount").mkdir()
    site.connect = Site.of_git(outer.folder / "mount", tmp_path).connect
    assert_nothing_concluded(site.night(), site, before)
