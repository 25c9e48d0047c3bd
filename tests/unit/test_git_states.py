"""States a repository can be in: partial, sparse, detached, linked, replaced, hostile. What it lacks is unknown, and
what it names is not run."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from include.connectors.git_markdown import GitMarkdownConnector
from include.connectors.git_options import GitMarkdownOptions
from include.domain.documents import Presence
from include.domain.errors import DocumentGone, SourceUnavailable
from include.text.normalise import extract
from tests.connector_sources import GitRepository, TurnableClock


def connector(location: Path | str, cache: Path = Path("/nonexistent"), **options: Any) -> GitMarkdownConnector:
    checked = GitMarkdownOptions(location=str(location), **options)
    return GitMarkdownConnector("s", checked, clock=TurnableClock(), cache_dir=cache)


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    return GitRepository.create(
        tmp_path / "repository", {"a.md": "alpha\n", "docs/b.md": "beta\n", "docs/deep/c.md": "gamma\n"}
    )


# --- what is not there


def test_a_folder_that_became_a_submodule_is_gone_with_its_documents(repository: GitRepository):
    repository.git("rm", "--quiet", "-r", "docs")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},docs")
    repository.git("commit", "--quiet", "--message", "now a submodule")
    reader = connector(repository.folder)
    listing = reader.list_documents()
    assert listing.complete
    assert set(listing.documents) == {"a.md"}
    assert reader.probe("docs/b.md") is Presence.GONE
    assert reader.probe("docs") is Presence.NOT_PUBLIC
    below = connector(repository.folder, root="docs")
    assert "a submodule of that name" in below.list_documents().proof.problem
    assert below.probe("docs/b.md") is Presence.UNKNOWN


def test_links_to_files_and_folders_inside_and_outside_the_tree_are_never_followed(
    repository: GitRepository, tmp_path: Path
):
    (tmp_path / "outside.md").write_text("secret of this machine\n")
    for name, target in (
        ("inside.md", "a.md"),
        ("outside.md", str(tmp_path / "outside.md")),
        ("up.md", "../outside.md"),
        ("folder", "docs"),
        ("dangling.md", "nowhere.md"),
    ):
        (repository.folder / name).symlink_to(target)
    repository.commit_all()
    reader = connector(repository.folder)
    listing = reader.list_documents()
    assert set(listing.documents) == {"a.md", "docs/b.md", "docs/deep/c.md"}
    assert "4 symlinks skipped" in listing.proof.detail  # `folder` does not look like a document
    for name in ("inside.md", "outside.md", "up.md", "dangling.md", "folder"):
        assert reader.probe(name) is Presence.NOT_PUBLIC
    assert reader.probe("folder/b.md") is Presence.GONE


def lose(repository: GitRepository, *names: str) -> None:
    for name in names:
        oid = repository.git("rev-parse", name)
        (repository.folder / ".git/objects" / oid[:2] / oid[2:]).unlink()


def test_a_missing_text_makes_the_source_unavailable_and_never_smaller(repository: GitRepository):
    lose(repository, "HEAD:docs/b.md")
    reader = connector(repository.folder)
    with pytest.raises(SourceUnavailable, match="cannot be read"):
        reader.list_documents()
    assert connector(repository.folder).probe("docs/b.md") is Presence.UNKNOWN


def test_a_missing_folder_makes_the_source_unavailable(repository: GitRepository):
    lose(repository, "HEAD:docs/deep")
    with pytest.raises(SourceUnavailable, match="ls-tree"):
        connector(repository.folder).list_documents()
    assert connector(repository.folder).probe("a.md") is Presence.UNKNOWN


def test_a_history_with_holes_leaves_dates_unknown_and_the_text_alone(repository: GitRepository):
    """`git log` prints what it can and exits 128: what came out before is not a history."""
    repository.commit({"a.md": "alpha, edited\n", "docs/b.md": None}, day="2025-01-01")
    repository.commit({"moved.md": "beta\n", "a.md": "alpha again\n"}, day="2025-02-02")
    lose(repository, "HEAD~2:docs")
    reader = connector(repository.folder)
    assert reader.list_documents().complete
    document = reader.fetch("a.md")
    assert document.body == b"alpha again\n"
    assert document.dates == ()
    assert reader.probe("docs/b.md") is Presence.GONE


@pytest.mark.parametrize("filtered", ["blob:none", "tree:0"])
def test_a_partial_clone_is_unavailable_and_asks_nobody_for_the_rest(
    repository: GitRepository, tmp_path: Path, filtered: str
):
    repository.git("config", "uploadpack.allowFilter", "true")
    url, clone = repository.folder.as_uri(), tmp_path / "partial"
    repository.git("clone", "--quiet", "--no-checkout", f"--filter={filtered}", url, str(clone))
    with pytest.raises(SourceUnavailable):
        connector(clone).list_documents()
    assert connector(clone).probe("a.md") is Presence.UNKNOWN


def test_a_sparse_checkout_is_read_whole(repository: GitRepository):
    repository.git("sparse-checkout", "set", "--no-cone", "docs/deep/")
    assert not (repository.folder / "docs/b.md").exists()
    assert len(connector(repository.folder).list_documents().documents) == 3


def test_a_detached_head_a_linked_worktree_and_an_annotated_tag_are_read(repository: GitRepository, tmp_path: Path):
    repository.git("tag", "--annotate", "v1", "--message", "first")
    repository.git("tag", "--annotate", "of-a-tag", "--message", "again", "v1")
    repository.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "linked"))
    repository.commit({"new.md": "x\n"})
    assert "new.md" not in connector(tmp_path / "linked").list_documents().documents
    assert "new.md" in connector(repository.folder).list_documents().documents
    repository.git("checkout", "--quiet", "--detach", "v1")
    for reader in (
        connector(repository.folder),
        connector(repository.folder, ref="v1"),
        connector(repository.folder, ref="of-a-tag"),
    ):
        assert set(reader.list_documents().documents) == {"a.md", "docs/b.md", "docs/deep/c.md"}


def test_a_tag_of_a_file_is_no_commit(repository: GitRepository):
    repository.git("tag", "file", "HEAD:a.md")
    with pytest.raises(SourceUnavailable, match="no commit at `file`"):
        connector(repository.folder, ref="file").list_documents()


def test_a_named_branch_is_read_also_when_the_remote_s_head_names_none(repository: GitRepository, tmp_path: Path):
    """The default branch was renamed: HEAD still names the old one."""
    url, cache = repository.folder.as_uri(), tmp_path / "cache"
    repository.git("branch", "--move", "main", "trunk")
    repository.git("symbolic-ref", "HEAD", "refs/heads/main")
    with pytest.raises(SourceUnavailable):
        connector(url, cache).list_documents()
    assert len(connector(url, cache, ref="trunk").list_documents().documents) == 3


def test_a_deleted_branch_is_unavailable_and_not_what_was_mirrored_of_it(repository: GitRepository, tmp_path: Path):
    url, cache = repository.folder.as_uri(), tmp_path / "cache"
    repository.git("branch", "docs-branch")
    assert connector(url, cache, ref="docs-branch").list_documents().complete
    repository.git("branch", "--delete", "--force", "docs-branch")
    reader = connector(url, cache, ref="docs-branch")
    with pytest.raises(SourceUnavailable, match="no commit at `docs-branch`"):
        reader.list_documents()
    assert reader.probe("a.md") is Presence.UNKNOWN


@pytest.mark.parametrize("is_cloned", [False, True])
def test_a_repository_replaced_by_an_empty_one_proves_nothing(
    repository: GitRepository, tmp_path: Path, is_cloned: bool
):
    place = repository.folder.as_uri() if is_cloned else repository.folder
    cache = tmp_path / "cache"
    assert connector(place, cache).list_documents().complete
    shutil.rmtree(repository.folder)
    GitRepository.create(repository.folder)
    for options in ({}, {"ref": "main"}):
        reader = connector(place, cache, **options)
        with pytest.raises(SourceUnavailable):
            reader.list_documents()
        assert reader.probe("a.md") is Presence.UNKNOWN


def test_a_repository_replaced_by_another_one_is_caught_by_the_sentinel(repository: GitRepository, tmp_path: Path):
    url, cache = repository.folder.as_uri(), tmp_path / "cache"
    assert connector(url, cache, sentinel="docs/b.md").list_documents().complete
    shutil.rmtree(repository.folder)
    GitRepository.create(repository.folder, {"other.md": "quite another repository\n"})
    reader = connector(url, cache, sentinel="docs/b.md")
    assert not reader.list_documents().complete
    assert reader.probe("a.md") is Presence.UNKNOWN
    assert set(connector(url, cache).list_documents().documents) == {"other.md"}  # whole; the gate holds the rest


def test_after_a_force_push_the_new_history_is_read(repository: GitRepository, tmp_path: Path):
    url, cache = repository.folder.as_uri(), tmp_path / "cache"
    repository.commit({"d.md": "delta\n"})
    assert "d.md" in connector(url, cache).list_documents().documents
    repository.git("reset", "--quiet", "--hard", "HEAD~1")
    repository.commit({"e.md": "epsilon\n"}, day="2023-01-01")
    reader = connector(url, cache)
    assert {"d.md", "e.md"} & set(reader.list_documents().documents) == {"e.md"}
    with pytest.raises(DocumentGone):
        reader.fetch("d.md")


def test_names_that_differ_only_by_normalisation_case_or_line_ends_are_documents_of_their_own(tmp_path: Path):
    names = [
        b"caf\xc3\xa9.md",
        b"cafe\xcc\x81.md",
        b"Guide.md",
        b"guide.md",
        b"line\nend.md",
        b"line\\nend.md",
        b"\xff.md",
    ]
    repository = GitRepository.create(tmp_path / "odd")
    for number, name in enumerate(names):
        Path(os.fsdecode(os.fsencode(repository.folder) + b"/" + name)).write_text(f"text {number}\n")
    repository.commit_all()
    reader = connector(repository.folder, base_url="https://x.example/{page}")
    documents = reader.list_documents().documents
    assert len(documents) == len(names)
    fetched = [reader.fetch(doc_id) for doc_id in documents]
    assert len({one.body for one in fetched}) == len({one.url for one in fetched}) == len(names)
    assert all(extract(one).created_at is not None for one in fetched)
    assert {one.url for one in fetched} >= {"https://x.example/line%0Aend", "https://x.example/%FF"}
    repository.git("rm", "--quiet", "--", os.fsdecode(names[0]))
    repository.git("commit", "--quiet", "--message", "one of two")
    after = connector(repository.folder)
    assert set(documents) - set(after.list_documents().documents) == {"caf\u00e9.md"}
    assert after.probe("cafe\u0301.md") is Presence.PRESENT


# --- what must not be run


def booby_trap(repository: GitRepository, tmp_path: Path) -> Path:
    """Every setting by which a repository can name a program. The program leaves a mark."""
    mark, program = tmp_path / "mark", tmp_path / "program"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> {mark}\nexit 0\n')
    program.chmod(0o755)
    hooks = repository.folder / ".git/hooks"
    for hook in ("post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman"):
        hooks.mkdir(exist_ok=True)
        shutil.copy(program, hooks / hook)
    repository.commit({".gitattributes": "*.md diff=trap filter=trap merge=trap\n"})
    for name in (
        "core.fsmonitor",
        "core.sshCommand",
        "core.gitProxy",
        "core.askPass",
        "core.pager",
        "core.editor",
        "core.alternateRefsCommand",
        "pager.log",
        "diff.external",
        "diff.trap.command",
        "diff.trap.textconv",
        "filter.trap.smudge",
        "filter.trap.clean",
        "filter.trap.process",
        "gpg.program",
        "credential.helper",
        "uploadpack.packObjectsHook",
        "remote.origin.uploadpack",
    ):
        repository.git("config", name, str(program))
    repository.git("config", "core.hooksPath", str(hooks))
    repository.git("config", "filter.trap.required", "true")
    repository.git("config", "log.showSignature", "true")
    repository.git("config", "protocol.ext.allow", "always")
    repository.git("config", "protocol.allow", "always")
    mark.unlink(missing_ok=True)
    return mark


@pytest.mark.parametrize("is_cloned", [False, True])
def test_nothing_that_a_repository_names_is_run(repository: GitRepository, tmp_path: Path, is_cloned: bool):
    repository.commit({"a.md": "alpha, edited\n", "d.md": "delta\n"})
    mark = booby_trap(repository, tmp_path)
    reader = connector(repository.folder.as_uri() if is_cloned else repository.folder, tmp_path / "cache")
    assert "d.md" in reader.list_documents().documents
    assert extract(reader.fetch("a.md")).created_at is not None
    assert reader.probe("gone.md") is Presence.GONE
    assert not mark.exists(), mark.read_text()


def test_a_clone_that_lacks_objects_does_not_run_the_address_of_its_remote(repository: GitRepository, tmp_path: Path):
    mark = booby_trap(repository, tmp_path)
    for name, value in (
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", f"ext::{tmp_path / 'program'} %S"),
    ):
        repository.git("config", name, value)
    lose(repository, "HEAD:docs/b.md")
    with pytest.raises(SourceUnavailable):
        connector(repository.folder).list_documents()
    assert not mark.exists(), mark.read_text()


@pytest.mark.parametrize("location", ["ext::touch mark", "ext://touch%20mark", "fd://7"])
def test_an_address_that_is_a_command_is_refused(tmp_path: Path, location: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceUnavailable):
        connector(location, tmp_path / "cache").list_documents()
    assert not (tmp_path / "mark").exists()
