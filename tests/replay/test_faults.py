"""Every connector against every way a source can fail: an outage must never look like a smaller source.

Each case asserts the one thing that matters: SourceUnavailable is raised, or the listing says complete=False and why.
A complete listing that lacks a living document would be a deletion.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from examples.helpcenter.server import FAULTS, HelpCenter
from include.connectors.credentials import Credentials
from include.connectors.git_markdown import GitMarkdownConnector
from include.connectors.git_options import GitMarkdownOptions
from include.domain.documents import Presence
from include.domain.errors import SourceUnavailable
from include.domain.inventory import Listing
from include.ports import Connector
from tests.connector_sources import (
    GitRepository,
    ModelCms,
    Reply,
    Request,
    TurnableClock,
    help_center,
    help_center_options,
    http_connector,
    http_server,
    model_options,
)

TOKEN = Credentials(headers={"Authorization": "Bearer helpcenter-demo-token"})


def refusal(connector: Connector) -> str:
    """Why the listing cannot be had or trusted. Fails when it is called complete."""
    try:
        listing: Listing = connector.list_documents()
    except SourceUnavailable as error:
        return str(error)
    assert not listing.complete, f"called complete with {len(listing.documents)} documents"
    assert listing.proof.problem
    return listing.proof.problem


CENTER_FAULTS = {
    "outage500": "answers 500, 2 times",
    "html200": "where JSON was due",
    "empty200": "empty list proves nothing",
    "truncated": "are not JSON",
    "timeout": "did not answer in time",
    "total_mismatch": "declares 16 documents and lists 13",
    "page_cap": "declares 13 documents and lists 5",
    "repeat_page": "page 2 repeats the page before it",
    "anonymous": "takes us for somebody else",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_help_center_in_every_fault_mode(fault: str):
    with help_center() as (center, url):
        reader = http_connector(help_center_options(url, size=5), credentials=TOKEN)
        assert len(reader.list_documents().documents) == 13
        center.control({"action": "fault", "fault": fault})
        assert CENTER_FAULTS[fault] in refusal(reader)
        fresh = http_connector(help_center_options(url, size=5), credentials=TOKEN)
        assert CENTER_FAULTS[fault] in refusal(fresh)
        if fault in ("outage500", "html200", "empty200", "truncated", "anonymous"):
            assert not reader.probe("9999").confirms_absence
            assert not reader.probe("1012").confirms_absence
        center.control({"action": "fault", "fault": ""})
        assert reader.list_documents().complete  # and the next night all is well again


def replying(reply: Reply) -> Callable[[ModelCms], None]:
    return lambda cms: cms.replies.update(dict.fromkeys(range(1, 50), reply))


def page_two(reply: Reply) -> Callable[[ModelCms], None]:
    return setting(later=reply)


def setting(**values: Any) -> Callable[[ModelCms], None]:
    def apply(cms: ModelCms) -> None:
        for name, value in values.items():
            setattr(cms, name, value)

    return apply


def dropping(cms: ModelCms) -> None:
    """The newest document goes after each page."""
    cms.between = lambda cms: cms.ids.pop(0)


HTTP_FAULTS: dict[str, tuple[Callable[[ModelCms], None], str]] = {
    "401": (replying(Reply(401, b"{}")), "answers 401"),
    "403": (replying(Reply(403, b"{}")), "answers 403"),
    "404 on the collection": (replying(Reply(404, b'{"code": "rest_no_route"}')), "answers 404"),
    "429": (replying(Reply(429)), "answers 429"),
    "503 with a wish": (replying(Reply(503, headers={"Retry-After": "600"})), "answers 503"),
    "200 and nothing": (replying(Reply(200, b"")), "not JSON"),
    "200 and an empty list": (replying(Reply.of({"items": [], "total": 0})), "empty list proves nothing"),
    "200 and HTML": (replying(Reply(200, b"<html>", kind="text/html")), "where JSON was due"),
    "200, HTML called JSON": (replying(Reply(200, b"<html>")), "not JSON"),
    "a notice before the JSON": (replying(Reply(200, b'<br />Notice{"items": []}')), "not JSON"),
    "redirect to a login": (replying(Reply(302, headers={"Location": "/login"})), "redirects to /login"),
    "truncated JSON": (replying(Reply(200, b'{"items": [{"id": "a", "v"')), "not JSON"),
    "connection breaks": (replying(Reply(200, b'{"items": []}', cut=4)), "broke off"),
    "another key": (replying(Reply.of({"data": [], "total": 0})), "holds nothing at `items`"),
    "an object for a list": (replying(Reply.of({"items": {"a": 1}, "total": 1})), "where a list was due"),
    "page 2: 500": (page_two(Reply(500)), "page 2 could not be read"),
    "page 2: HTML": (page_two(Reply(200, b"<html>", kind="text/html")), "page 2 could not be read"),
    "page 2: empty, total kept": (page_two(Reply.of({"items": [], "total": 40})), "declares 40 documents and lists 10"),
    "page 2: empty, total lost": (page_two(Reply.of({"items": [], "total": 0})), "from page to page: 40 -> 0"),
    "page 2: no total": (page_two(Reply.of({"items": []})), "from page to page: 40 -> none"),
    "total above": (setting(total_of=lambda total: total + 1), "declares 41 documents and lists 40"),
    "total below": (setting(total_of=lambda total: total - 35), "declares 5 documents and lists 10"),
    "silent cap": (setting(hidden_after=20), "declares 40 documents and lists 20"),
    "change while paging": (dropping, "no two in a row agree"),
}  # fmt: skip


@pytest.mark.parametrize("name", HTTP_FAULTS)
def test_a_json_source_that_fails(name: str):
    break_it, word = HTTP_FAULTS[name]
    cms = ModelCms([f"d{number:03}" for number in range(40)])
    break_it(cms)
    with http_server(cms.answer) as url:
        assert word in refusal(http_connector(model_options(url, cms)))


@pytest.mark.parametrize(
    ("host", "word"), [("127.0.0.1:9", "cannot be reached"), ("no-such-host.invalid", "cannot be resolved (DNS)")]
)
def test_a_json_source_that_is_not_there(host: str, word: str):
    reader = http_connector(model_options(f"http://{host}", ModelCms()))
    assert word in refusal(reader)
    assert reader.probe("a") is Presence.UNKNOWN


def test_a_list_that_collapsed_while_it_was_read_must_show_the_same_twice_before_it_counts():
    def collapse(cms: ModelCms) -> None:
        cms.ids = cms.ids[:5]

    cms = ModelCms([f"d{number:03}" for number in range(40)], between=collapse)
    with http_server(cms.answer) as url:
        listing = http_connector(model_options(url, cms)).list_documents()
    assert "40 -> 5" in listing.proof.detail  # on record, for whoever looks at the removals
    assert cms.list_pages == 6  # three readings, each asks for what follows the only page that is left


def test_a_listing_that_broke_off_still_delivers_what_it_read():
    cms = ModelCms([f"d{number:03}" for number in range(40)], replies={3: Reply(500), 4: Reply(500)})
    with http_server(cms.answer) as url:
        listing = http_connector(model_options(url, cms)).list_documents()
    assert len(listing.documents) == 20  # additions and edits may go through, nothing is removed
    assert not listing.complete


def test_one_short_outage_is_waited_out():
    cms = ModelCms([f"d{number:03}" for number in range(40)], replies={2: Reply(503), 5: Reply(500)})
    clock = TurnableClock()
    with http_server(cms.answer) as url:
        listing = http_connector(model_options(url, cms), clock=clock).list_documents()
    assert listing.complete
    assert len(listing.documents) == 40
    assert clock.sleeps


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    return GitRepository.create(tmp_path / "r", {"docs/a.md": "alpha\n", "docs/b.md": "beta\n", "README.txt": "x\n"})


def git(location: Path | str, tmp_path: Path, **options: Any) -> GitMarkdownConnector:
    checked = GitMarkdownOptions(location=str(location), **options)
    return GitMarkdownConnector("handbook", checked, clock=TurnableClock(), cache_dir=tmp_path / "cache")


def unmounted(repository: GitRepository) -> dict[str, Any]:
    shutil.rmtree(repository.folder)
    return {}


def empty_mount(repository: GitRepository) -> dict[str, Any]:
    shutil.rmtree(repository.folder)
    repository.folder.mkdir()
    return {}


def no_repository(repository: GitRepository) -> dict[str, Any]:
    shutil.rmtree(repository.folder / ".git")
    return {}


def damaged_head(repository: GitRepository) -> dict[str, Any]:
    (repository.folder / ".git" / "refs" / "heads" / "main").write_text("0" * 40 + "\n")
    return {}


def lost_blob(repository: GitRepository) -> dict[str, Any]:
    oid = repository.git("rev-parse", "HEAD:docs/b.md")
    (repository.folder / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    return {}


def lost_tree(repository: GitRepository) -> dict[str, Any]:
    oid = repository.git("rev-parse", "HEAD:docs")
    (repository.folder / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    return {}


def torn_blob(repository: GitRepository) -> dict[str, Any]:
    oid = repository.git("rev-parse", "HEAD:docs/b.md")
    path = repository.folder / ".git" / "objects" / oid[:2] / oid[2:]
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:8])
    return {}


def empty_branch(repository: GitRepository) -> dict[str, Any]:
    repository.git("rm", "-r", "--quiet", ".")
    repository.commit_all()
    return {}


def orphan_branch(repository: GitRepository) -> dict[str, Any]:
    repository.git("checkout", "--quiet", "--orphan", "nothing-yet")
    return {}


def only_drafts(repository: GitRepository) -> dict[str, Any]:
    repository.commit({"docs/a.md": "---\ndraft: true\n---\n", "docs/b.md": "---\ndraft: true\n---\n"})
    return {}


GIT_FAULTS: dict[str, tuple[Callable[[GitRepository], dict[str, Any]], str]] = {
    "unmounted folder": (unmounted, "no such folder; is it mounted?"),
    "empty mount": (empty_mount, "is empty; is it mounted"),
    "not a repository": (no_repository, "holds no git repository"),
    "damaged head": (damaged_head, "no commit at `HEAD`"),
    "missing ref": (lambda repository: {"ref": "no-such"}, "no commit at `no-such`"),
    "unborn branch": (orphan_branch, "no commit at `HEAD`"),
    "lost blob": (lost_blob, "cannot be read (missing)"),
    "lost tree": (lost_tree, "git ls-tree failed"),
    "torn blob": (torn_blob, "cannot be read"),
    "empty branch": (empty_branch, "holds no file at all"),
    "root missing": (lambda repository: {"root": "documents"}, "no folder `documents`"),
    "sentinel missing": (lambda repository: {"sentinel": "SENTINEL"}, "lacks the sentinel `SENTINEL`"),
    "no file matches": (lambda repository: {"include": ["*.adoc"]}, "holds no public document (0 files match"),
    "only drafts": (only_drafts, "holds no public document (2 files match, 2 not public)"),
    "git is slow": (lambda repository: {"timeout_seconds": 1e-4}, "did not finish in 0.0001 s"),
}


@pytest.mark.parametrize("name", GIT_FAULTS)
def test_a_repository_that_fails(name: str, repository: GitRepository, tmp_path: Path):
    break_it, word = GIT_FAULTS[name]
    options = break_it(repository)
    reader = git(repository.folder, tmp_path, **options)
    assert word in refusal(reader)
    if name not in ("no file matches", "only drafts", "lost blob", "torn blob"):
        assert reader.probe("docs/never.md") is Presence.UNKNOWN


@pytest.mark.parametrize("broken", ["remote gone", "remote emptied", "address wrong"])
def test_a_clone_that_cannot_be_refreshed_is_not_served_from_the_old_mirror(
    broken: str, repository: GitRepository, tmp_path: Path
):
    url = repository.folder.as_uri()
    reader = git(url, tmp_path)
    assert reader.list_documents().complete
    if broken == "remote gone":
        shutil.rmtree(repository.folder)
    elif broken == "remote emptied":
        shutil.rmtree(repository.folder)
        GitRepository.create(repository.folder)
    else:
        reader = git("http://127.0.0.1:9/r.git", tmp_path)
    assert "git fetch failed" in refusal(reader)


def test_a_shallow_clone_is_a_whole_tree_and_a_partial_one_is_not(repository: GitRepository, tmp_path: Path):
    repository.commit({"docs/c.md": "gamma\n"})
    repository.git("config", "uploadpack.allowFilter", "true")
    url = repository.folder.as_uri()
    repository.git("clone", "--quiet", "--depth", "1", url, str(tmp_path / "shallow"))
    assert len(git(tmp_path / "shallow", tmp_path).list_documents().documents) == 3
    repository.git("clone", "--quiet", "--no-checkout", "--filter=blob:none", url, str(tmp_path / "partial"))
    shutil.rmtree(repository.folder)  # the rest can no longer be had
    assert "cannot be read" in refusal(git(tmp_path / "partial", tmp_path))


def test_a_file_that_cannot_be_read_is_unknown_and_not_missing(repository: GitRepository, tmp_path: Path):
    repository.commit({"docs/b.md": "---\ndate: [\n---\nbeta\n"})
    listing = git(repository.folder, tmp_path).list_documents()
    assert set(listing.documents) == {"docs/a.md", "docs/b.md"}
    assert listing.documents["docs/b.md"].unreadable
    assert "1 unreadable" in listing.proof.detail


def test_the_incident_of_the_demo_is_seen_in_one_listing():
    with help_center() as (center, url):
        reader = http_connector(help_center_options(url), credentials=TOKEN)
        before = reader.list_documents().documents
        center.control({"action": "incident"})
        listing = reader.list_documents()
        after = listing.documents
        assert listing.complete
        assert set(before) - set(after) == {"1004"}
        assert set(after) - set(before) == {"1015"}
        assert {doc_id for doc_id in set(before) & set(after) if before[doc_id] != after[doc_id]} == {"1005", "1011"}
        assert reader.probe("1004") is Presence.NOT_PUBLIC
        assert b"30 days" in reader.fetch("1015").body
        assert b"Saturday" not in reader.fetch("1005").body
        assert reader.fetch("1011").url.endswith("/talk-to-us")


def test_the_help_center_file_format_refuses_an_empty_folder(tmp_path: Path):
    with pytest.raises(SystemExit, match="holds no article"):
        HelpCenter.load(tmp_path)


def test_a_request_without_a_credential_is_not_a_smaller_source():
    seen: list[Request] = []

    def answer(request: Request) -> Reply:
        seen.append(request)
        return Reply.of({"items": [{"id": "a", "v": "1"}], "total": 1, "user": "anonymous"})

    with http_server(answer) as url:
        options = model_options(url, ModelCms(style="none"), identity={"path": "me", "expect": {"user": ["bot"]}})
        assert "takes us for somebody else: " in refusal(http_connector(options))
