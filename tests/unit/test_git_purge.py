"""Documents taken out of real git repositories: one commit on a branch of a clone, and nothing else touched."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from include.connectors.git_options import GitMarkdownOptions
from include.connectors.git_paths import document_id
from include.connectors.git_purge import GitPurge
from include.domain.errors import ConfigError, SourceUnavailable
from include.domain.purge import PurgeCommit
from tests.connector_sources import GitRepository

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
FILES = {"decks/january.md": "January\n", "decks/march.md": "March\n", "notes.md": "notes\n"}
JANUARY = {"decks/january.md": b"January\n"}
MESSAGE = "Remove 1 document\n\nAda said so: nobody reads it\n"


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    return GitRepository.create(tmp_path / "handbook", FILES)


def purging(repository: GitRepository, *, push: bool = False, location: str = "", **options: Any) -> GitPurge:
    checked = GitMarkdownOptions(location=location or str(repository.folder), **options)
    cache = repository.folder.parent / "cache"
    return GitPurge("handbook", checked, cache_dir=cache, author=("truecopy", "bot@example.org"), push=push)


def propose(repository: GitRepository, files: dict[str, bytes] | None = None, **options: Any) -> PurgeCommit:
    return purging(repository, **options).propose(files or JANUARY, message=MESSAGE, at=AT)


def in_clone(repository: GitRepository, made: PurgeCommit, *arguments: str) -> str:
    return repository.git("--git-dir", made.repository, *arguments)


def everything(repository: GitRepository) -> tuple[str, str, str, set[str]]:
    """What a person would notice: refs, the branch that is checked out, the index, the files."""
    files = {str(path) for path in repository.folder.rglob("*") if ".git/" not in f"{path}/"}
    head = repository.git("symbolic-ref", "HEAD")
    return repository.git("for-each-ref"), head, repository.git("status", "--porcelain"), files


def test_a_removal_is_one_commit_that_takes_away_exactly_the_files_and_says_who_and_why(repository: GitRepository):
    tip = repository.git("rev-parse", "HEAD")
    made = propose(repository, {**JANUARY, "notes.md": b"notes\n"})
    assert made.removed == ("decks/january.md", "notes.md")
    assert in_clone(repository, made, "rev-parse", made.branch) == made.commit
    assert in_clone(repository, made, "rev-list", f"{tip}..{made.branch}") == made.commit
    changes = in_clone(repository, made, "diff", "--name-status", tip, made.commit)
    assert changes.splitlines() == ["D\tdecks/january.md", "D\tnotes.md"]
    said = in_clone(repository, made, "log", "-1", "--format=%an <%ae> %aI%n%B", made.commit)
    assert said == f"truecopy <bot@example.org> 2026-03-02T09:00:00+00:00\n{MESSAGE}".strip()


def test_the_persons_repository_checkout_and_open_edits_are_left_alone(repository: GitRepository):
    repository.git("checkout", "--quiet", "-b", "draft")
    (repository.folder / "decks/january.md").write_text("half an edit", encoding="utf-8")
    before = everything(repository)
    made = propose(repository, ref="main")
    assert made.base == "main"
    assert everything(repository) == before


def test_the_command_that_is_told_brings_the_removal_in_and_a_revert_takes_it_back(repository: GitRepository):
    made = propose(repository)
    command = made.next_step.partition("`")[2].partition("`")[0].split()
    assert command[:3] == ["git", "-C", str(repository.folder)]
    repository.git(*command[3:])
    assert not (repository.folder / "decks/january.md").exists()
    repository.git("revert", "--no-edit", made.commit)
    assert (repository.folder / "decks/january.md").read_text() == "January\n"


def test_the_same_removal_again_is_the_commit_that_is_there_already(repository: GitRepository):
    first = propose(repository)
    repository.commit({"other.md": "other\n"})
    assert propose(repository) == first
    assert purging(repository).find(first.branch, first.commit)


def test_a_removal_that_was_merged_and_taken_back_can_be_made_again(repository: GitRepository):
    first = propose(repository)
    repository.git("pull", "--quiet", "--no-rebase", "--no-edit", first.repository, first.branch)
    repository.git("revert", "--no-edit", first.commit)
    second = propose(repository)
    assert (second.branch, second.commit != first.commit) == (f"{first.branch}-2", True)
    assert second.removed == first.removed


def test_a_file_that_is_another_by_now_is_left_alone_and_so_is_one_that_is_gone(repository: GitRepository):
    repository.commit({"decks/january.md": "January, corrected\n", "notes.md": None})
    files = {**JANUARY, "notes.md": b"notes\n", "decks/march.md": b"March\n"}
    made = propose(repository, files)
    assert (made.removed, made.changed, made.missing) == (("decks/march.md",), ("decks/january.md",), ("notes.md",))
    nothing = propose(repository)
    assert (nothing.removed, nothing.branch, nothing.commit) == ((), "", "")


def test_a_push_makes_a_branch_of_that_name_and_touches_no_other(repository: GitRepository, tmp_path: Path):
    repository.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    bare = GitRepository(tmp_path / "bare.git")
    tip = bare.git("rev-parse", "main")
    made = propose(bare, push=True)
    assert (made.pushed, made.problem, made.next_step) == (True, "", f"merge the branch {made.branch} into main")
    assert bare.git("rev-parse", made.branch) == made.commit
    assert bare.git("rev-parse", "main") == tip
    assert propose(bare, push=True) == made


def test_a_push_that_is_refused_is_told_and_can_be_made_up_for(repository: GitRepository, tmp_path: Path):
    repository.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    bare = GitRepository(tmp_path / "bare.git")
    hook = bare.folder / "hooks/pre-receive"
    hook.write_text("#!/bin/sh\necho no branches here >&2\nexit 1\n", encoding="utf-8")
    hook.chmod(0o755)
    made = propose(bare, push=True)
    assert (made.pushed, "no branches here" in made.problem) == (False, True)
    assert purging(bare).find(made.branch, made.commit)
    assert f"push {bare.folder} {made.branch}" in made.next_step
    hook.unlink()
    assert purging(bare, push=True).push(made.branch) == ""
    assert bare.git("rev-parse", made.branch) == made.commit


@pytest.mark.parametrize("ref", ["v1", "HEAD~0"])
def test_a_source_that_follows_no_branch_is_refused_with_what_to_do(repository: GitRepository, ref: str):
    repository.git("tag", "v1")
    with pytest.raises(ConfigError, match=rf"{ref}.*no branch there.*Set `ref` to a branch, or `purge.commit: false`"):
        propose(repository, ref=ref)


def test_a_source_that_does_not_answer_leaves_no_branch(repository: GitRepository):
    with pytest.raises(SourceUnavailable):
        propose(repository, location=str(repository.folder.parent / "nowhere"))


def test_a_clone_that_was_tidied_away_is_noticed_and_made_anew(repository: GitRepository):
    made = propose(repository)
    shutil.rmtree(made.repository)
    assert not purging(repository).find(made.branch, made.commit)
    assert propose(repository) == made


def test_names_of_any_bytes_can_be_removed(tmp_path: Path):
    repository = GitRepository.create(tmp_path / "odd", {"a.md": "a\n"})
    names = [b"caf\xe9.md", b"line\nbreak.md", b" -rf *.md"]
    oid = repository.git("hash-object", "-w", "--stdin", stdin=b"odd\n")
    rows = b"".join(b"100644 %s\t%s\0" % (oid.encode(), name) for name in names)
    repository.git("update-index", "-z", "--add", "--index-info", stdin=rows)
    repository.git("commit", "--quiet", "-m", "odd")
    made = propose(repository, {document_id(name): b"odd\n" for name in names})
    assert len(made.removed) == 3
    assert in_clone(repository, made, "ls-tree", "-r", "--name-only", made.branch) == "a.md"
