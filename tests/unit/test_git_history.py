"""When a file was born, when it last changed and where it went: real repositories, renames and merges of every kind."""

from __future__ import annotations

import random
import subprocess
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from include.connectors.git_history import History, read_history
from include.connectors.git_markdown import GitMarkdownConnector
from include.connectors.git_options import GitMarkdownOptions
from include.connectors.git_repository import Repository
from include.domain.date_candidates import DateField
from include.domain.dating import date_document
from include.domain.documents import Presence
from tests.connector_sources import GitRepository, TurnableClock
from tests.replay.history import REPLAYS, Folder, histories
from tests.replay.history import Repository as Recorded

LONG = "".join(f"line {number} of a text that git recognises\n" for number in range(30))
OTHER = "".join(f"{number} things of quite another kind\n" for number in range(30))


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    return GitRepository.create(tmp_path / "r")


def history(repository: GitRepository) -> History:
    opened = Repository.local(repository.folder, timeout=60)
    head = opened.resolve("HEAD")
    paths = [entry.path for entry in opened.tree(head) if entry.is_file]
    return read_history(opened, head, paths, shallow=False, timeout=60)


def days(repository: GitRepository, path: str) -> tuple[str, str]:
    """(born, last changed)"""
    born, changed = dated(history(repository), path.encode())
    return born.date().isoformat(), changed.date().isoformat()


def dated(found: History, path: bytes) -> tuple[datetime, datetime]:
    dates = date_document(found.dates[path], fetched_at=datetime(2027, 1, 1, tzinfo=UTC))
    born, changed = dates.of(DateField.CREATED), dates.of(DateField.UPDATED)
    assert born is not None
    assert changed is not None
    return born.value, changed.value


def branch(repository: GitRepository, name: str, start: str = "main") -> None:
    repository.git("checkout", "--quiet", "-B", name, start)


def merge(repository: GitRepository, name: str, day: str, *options: str) -> None:
    repository.git("checkout", "--quiet", "main")
    repository.git("merge", "--quiet", "--no-ff", "--no-edit", *options, name, day=day)


def test_a_chain_of_renames_with_edits_in_the_same_commits_leads_back_to_the_birth(repository: GitRepository):
    repository.commit({"a.md": LONG}, day="2020-01-01")
    repository.commit({"a.md": None, "docs/b.md": LONG + "one\n"}, day="2021-01-01")
    repository.commit({"docs/b.md": None, "Docs/B.md": LONG + "one\n"}, day="2022-01-01")
    repository.commit({"Docs/B.md": None, "c.md": LONG + "one\ntwo\n"}, day="2023-01-01")
    assert days(repository, "c.md") == ("2020-01-01", "2023-01-01")


@pytest.mark.parametrize("way", ["replace", "info/grafts"])
def test_a_history_that_somebody_cut_off_for_himself_is_read_as_it_is(repository: GitRepository, way: str):
    repository.commit({"a.md": LONG}, day="2020-01-01")
    repository.commit({"b.md": LONG + "b\n"}, day="2024-01-01")
    cut = repository.git("rev-parse", "HEAD").strip()
    if way == "replace":
        repository.git("replace", "--graft", cut)
    else:
        grafts = repository.folder / ".git" / "info" / "grafts"
        grafts.parent.mkdir(exist_ok=True)
        grafts.write_text(f"{cut}\n")
    assert days(repository, "a.md") == ("2020-01-01", "2020-01-01")


def test_a_case_only_rename_is_the_same_file_and_no_change(repository: GitRepository):
    repository.commit({"Guide.md": LONG}, day="2020-01-01")
    repository.git("mv", "Guide.md", "guide.md")
    repository.commit_all(day="2021-01-01")
    assert days(repository, "guide.md") == ("2020-01-01", "2020-01-01")


@pytest.mark.parametrize("text", [LONG, "short\n"])
def test_two_files_that_swap_names_keep_their_own_histories(repository: GitRepository, text: str):
    repository.commit({"a.md": text}, day="2020-01-01")
    repository.commit({"b.md": OTHER}, day="2021-01-01")
    repository.commit({"a.md": OTHER, "b.md": text}, day="2022-01-01")
    assert days(repository, "a.md") == ("2021-01-01", "2021-01-01")
    assert days(repository, "b.md") == ("2020-01-01", "2020-01-01")


def test_a_row_of_files_where_each_takes_the_next_one_s_name(repository: GitRepository):
    for number, day in enumerate(("2020-01-01", "2021-01-01", "2022-01-01")):
        repository.commit({f"{number}.md": f"text {number}\n"}, day=day)
    repository.commit({"3.md": "text 2\n", "2.md": "text 1\n", "1.md": "text 0\n", "0.md": None}, day="2023-01-01")
    born = {name: days(repository, name)[0] for name in ("1.md", "2.md", "3.md")}
    assert born == {"1.md": "2020-01-01", "2.md": "2021-01-01", "3.md": "2022-01-01"}


def test_a_copy_is_a_new_file_and_the_original_keeps_its_birth(repository: GitRepository):
    repository.commit({"a.md": LONG}, day="2020-01-01")
    repository.commit({"v1/a.md": LONG, "a.md": LONG + "next\n"}, day="2021-01-01")
    assert days(repository, "a.md") == ("2020-01-01", "2021-01-01")
    assert days(repository, "v1/a.md") == ("2021-01-01", "2021-01-01")


def test_a_file_that_moves_to_two_places_at_once_is_the_origin_of_both(repository: GitRepository):
    repository.commit({"a.md": LONG}, day="2020-01-01")
    repository.commit({"a.md": None, "v1/a.md": LONG, "v2/a.md": LONG}, day="2021-01-01")
    assert days(repository, "v1/a.md")[0] == days(repository, "v2/a.md")[0] == "2020-01-01"


def test_deleted_and_created_again_is_a_new_birth(repository: GitRepository):
    repository.commit({"a.md": LONG, "b.md": OTHER}, day="2020-01-01")
    repository.commit({"a.md": None}, day="2021-01-01")
    repository.commit({"a.md": LONG}, day="2022-01-01")
    assert days(repository, "a.md") == ("2022-01-01", "2022-01-01")


def test_empty_files_are_nobody_s_history(repository: GitRepository):
    repository.commit({"x/old.md": "", "b.md": OTHER}, day="2020-01-01")
    repository.commit({"x/old.md": None, "y/new.md": ""}, day="2021-01-01")
    assert days(repository, "y/new.md")[0] == "2021-01-01"


def test_a_rename_on_a_branch_keeps_what_the_main_line_did_to_the_old_name(repository: GitRepository):
    repository.commit({"a.md": LONG}, day="2020-01-01")
    branch(repository, "side")
    repository.git("mv", "a.md", "b.md")
    repository.commit_all(day="2021-01-01")
    repository.git("checkout", "--quiet", "main")
    repository.commit({"a.md": LONG + "on main\n"}, day="2022-01-01")
    merge(repository, "side", "2023-01-01")
    assert days(repository, "b.md") == ("2020-01-01", "2022-01-01")
    assert history(repository).moved == {b"a.md": b"b.md"}


def test_a_rename_inside_a_merge_is_followed_and_an_edit_inside_a_merge_is_a_change(repository: GitRepository):
    repository.commit({"a.md": LONG, "c.md": OTHER}, day="2020-01-01")
    branch(repository, "side")
    repository.commit({"side.md": "x\n"}, day="2021-01-01")
    repository.git("checkout", "--quiet", "main")
    repository.commit({"main.md": "x\n"}, day="2021-02-01")
    repository.git("merge", "--quiet", "--no-commit", "--no-ff", "side")
    repository.git("mv", "a.md", "b.md")
    (repository.folder / "b.md").write_text(LONG + "inside the merge\n")
    (repository.folder / "new.md").write_text("born inside the merge\n")
    repository.commit_all(day="2022-01-01")
    assert days(repository, "b.md") == ("2020-01-01", "2022-01-01")
    assert days(repository, "c.md") == ("2020-01-01", "2020-01-01")
    assert days(repository, "side.md") == ("2021-01-01", "2021-01-01")
    assert days(repository, "new.md") == ("2022-01-01", "2022-01-01")


def test_a_namesake_on_the_side_that_a_merge_threw_away_is_not_the_file_s_past(repository: GitRepository):
    repository.commit({"a.md": LONG, "z.md": OTHER}, day="2020-01-01")
    branch(repository, "old")
    repository.commit({"z.md": OTHER + "old\n"}, day="2020-06-01")
    repository.git("checkout", "--quiet", "main")
    repository.commit({"a.md": None}, day="2021-01-01")
    repository.commit({"a.md": "quite another page of the name\n"}, day="2022-01-01")
    merge(repository, "old", "2023-01-01", "--strategy=ours")
    assert days(repository, "a.md") == ("2022-01-01", "2022-01-01")


def test_files_of_an_adopted_repository_keep_their_births(repository: GitRepository, tmp_path: Path):
    """What `git subtree add` does: a merge that puts another history's files below a folder."""
    repository.commit({"a.md": OTHER}, day="2022-01-01")
    other = GitRepository.create(tmp_path / "other")
    other.commit({"guide.md": LONG}, day="2019-01-01")
    repository.git("fetch", "--quiet", str(other.folder), "main")
    repository.git("merge", "--quiet", "--no-commit", "--allow-unrelated-histories", "--strategy=ours", "FETCH_HEAD")
    repository.git("read-tree", "--prefix=handbook/", "-u", "FETCH_HEAD")
    repository.git("commit", "--quiet", "--message", "adopt", day="2023-01-01")
    assert days(repository, "handbook/guide.md") == ("2019-01-01", "2019-01-01")
    assert days(repository, "a.md") == ("2022-01-01", "2022-01-01")


def test_a_file_added_on_two_branches_is_as_old_as_the_older(repository: GitRepository):
    repository.commit({"z.md": OTHER}, day="2019-01-01")
    branch(repository, "side")
    repository.commit({"a.md": LONG}, day="2021-01-01")
    repository.git("checkout", "--quiet", "main")
    repository.commit({"a.md": LONG}, day="2020-01-01")
    merge(repository, "side", "2022-01-01")
    assert days(repository, "a.md") == ("2020-01-01", "2020-01-01")


@pytest.mark.parametrize("seed", range(4))
def test_births_survive_any_order_of_edits_renames_deletions_and_merges(repository: GitRepository, seed: int):
    """Every file has lines of its own, which no edit removes: they say which commit it was born in."""
    chance, born, count = random.Random(seed), {}, 0
    repository.commit({"start.md": OTHER}, day="1980-01-01")
    for step in range(30):
        day = f"{1990 + step}-01-01"
        here = [path for path in sorted(repository.folder.rglob("*.md")) if path.name != "start.md"]
        action = chance.choice(["create", "create", "edit", "rename", "delete", "fork", "merge"])
        if action == "fork":
            repository.git("checkout", "--quiet", "-B", f"side-{step % 3}")
            continue
        if action == "merge":
            side = f"side-{chance.randrange(3)}"
            if side in repository.git("branch", "--format=%(refname:short)").split():
                repository.git("checkout", "--quiet", "main")
                merging = ["merge", "--quiet", "--no-ff", "--no-edit", "--strategy-option=ours", side]
                with suppress(AssertionError):
                    repository.git(*merging, day=day)
                    continue
                repository.git("reset", "--quiet", "--hard")
            continue
        if action == "create" or not here:
            count += 1
            lines = "".join(f"{count}-{number} of a file of its own\n" for number in range(20))
            born[f"{count}-0"] = day
            path = repository.folder / chance.choice(["x", "y/z"]) / f"{count}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(lines)
        else:
            path = chance.choice(here)
            text = path.read_text() + (f"edited {step}\n" if action == "edit" or chance.random() < 0.5 else "")
            path.unlink()
            if action != "delete":
                target = path if action == "edit" else path.with_name(f"renamed-{step}.md")
                target.write_text(text)
        repository.commit_all(day=day)
    found = history(repository)
    for path in sorted(repository.folder.rglob("*.md")):
        name = path.relative_to(repository.folder).as_posix()
        if name != "start.md":
            assert dated(found, name.encode())[0].date().isoformat() == born[path.read_text().split(" ")[0]], name


def test_settings_of_the_repository_do_not_change_what_is_read(repository: GitRepository):
    repository.commit({"a.md": LONG}, day="2020-01-01")
    repository.git("mv", "a.md", "b.md")
    repository.commit_all(day="2021-01-01")
    expected = history(repository)
    for name, value in (
        ("log.showRoot", "false"),
        ("diff.renames", "false"),
        ("diff.renameLimit", "1"),
        ("diff.orderFile", "/nonexistent"),
        ("diff.noprefix", "true"),
        ("core.quotePath", "true"),
        ("diff.relative", "true"),
        ("log.follow", "true"),
    ):
        repository.git("config", name, value)
    assert history(repository) == expected


def test_names_with_line_ends_and_control_characters_do_not_confuse_the_reading(repository: GitRepository):
    odd = ["\x01starts like a header.md", "line\nend.md", ":100644 looks like a row.md", "tab\t.md", " blank.md"]
    repository.commit({name: f"{LONG}{name}" for name in odd}, day="2020-01-01")
    repository.commit({"plain.md": LONG}, day="2021-01-01")
    branch(repository, "side", "main~1")
    repository.commit({odd[0]: LONG + "edited\n"}, day="2021-06-01")
    merge(repository, "side", "2022-01-01")
    for name in odd[1:]:
        assert days(repository, name) == ("2020-01-01", "2020-01-01")
    assert days(repository, odd[0]) == ("2020-01-01", "2021-06-01")


@pytest.mark.skipif(not histories(), reason=f"no recorded histories below {REPLAYS}")
@pytest.mark.parametrize("name", [name for name in histories() if name.startswith(("fastapi", "handbook"))])
def test_births_of_a_real_history_are_those_that_git_follow_finds(name: str, tmp_path: Path):
    """`git log --follow` also follows copies and goes on beyond a deletion: files where it did are left out."""
    Recorded(tmp_path).commit(list(Folder().steps(name)))
    opened = Repository.local(tmp_path, timeout=60)
    head = opened.resolve("HEAD")
    paths = sorted(entry.path for entry in opened.tree(head) if entry.is_file)
    found = read_history(opened, head, paths, shallow=False, timeout=60)
    compared = 0
    for path in random.Random(7).sample(paths, 40):
        command = ["git", "-C", str(tmp_path), "log", "--follow", "--name-status", "--format=%x01%aI", "--", path]
        rows = subprocess.run(command, capture_output=True, check=True).stdout.decode().split("\n")
        statuses = [row[0] for row in rows if row and row[0] != "\x01"]
        if "C" in statuses or statuses.count("A") != 1:
            continue
        born = datetime.fromisoformat([row for row in rows if row.startswith("\x01")][-1][1:])
        assert dated(found, path)[0] == born, path
        compared += 1
    assert compared > 25


# --- MOVED


def connector(repository: GitRepository, **options: object) -> GitMarkdownConnector:
    checked = GitMarkdownOptions.model_validate({"location": str(repository.folder), **options})
    return GitMarkdownConnector("s", checked, clock=TurnableClock(), cache_dir=Path("/nonexistent"))


def test_a_renamed_document_has_moved_and_a_deleted_one_is_gone(repository: GitRepository):
    repository.commit({"a.md": LONG, "b.md": OTHER, "c.md": OTHER * 2, "d.md": LONG * 3})
    repository.commit({"a.md": None, "first.md": LONG + "x\n", "b.md": None})
    repository.commit({"first.md": None, "second.md": LONG + "x\n"})
    repository.commit({"c.md": None, "secret.md": "---\ndraft: true\n---\n" + OTHER * 2})
    reader = connector(repository)
    assert {name: reader.probe(name) for name in ("a.md", "first.md", "b.md", "c.md", "never.md")} == {
        "a.md": Presence.MOVED,
        "first.md": Presence.MOVED,
        "b.md": Presence.GONE,
        "c.md": Presence.GONE,  # where it went nobody may see it
        "never.md": Presence.GONE,
    }


def test_a_name_that_was_taken_again_and_deleted_is_gone(repository: GitRepository):
    repository.commit({"a.md": LONG})
    repository.commit({"a.md": None, "b.md": LONG})
    repository.commit({"a.md": OTHER})
    repository.commit({"a.md": None})
    assert connector(repository).probe("a.md") is Presence.GONE


@pytest.mark.parametrize(
    ("dialect", "fields", "moved"),
    [
        ("plain", "aliases: [/old]", True),
        ("plain", "aliases: [old]", False),
        ("jekyll", "redirect_from: /old.html", True),
        ("jekyll", "redirect_from: [/x/, /old/]", True),
        ("hugo", "aliases: [old]", True),
        ("hugo", "aliases: [/Old/]", True),
        ("obsidian", "aliases: [old]", False),
        ("docusaurus", "aliases: [/old]", False),
        ("plain", "aliases: [/old]\ndraft: true", False),
    ],
)
def test_a_page_that_names_an_old_address_says_where_it_went(
    repository: GitRepository, dialect: str, fields: str, moved: bool
):
    repository.commit({"old.md": LONG, "keep.md": OTHER})
    repository.commit({"old.md": None, "new.md": f"---\n{fields}\n---\nwritten anew\n"})
    reader = connector(repository, dialect=dialect, site_config="")
    reader.list_documents()
    assert reader.probe("old.md") is (Presence.MOVED if moved else Presence.GONE)


def test_the_whole_path_of_a_note_as_an_alias_is_an_address_in_obsidian(repository: GitRepository):
    repository.commit({"Guides/Making friends.md": LONG, "keep.md": OTHER})
    note = "---\naliases: [Guides/Making friends, Friends]\n---\nwritten anew\n"
    repository.commit({"Guides/Making friends.md": None, "new.md": note})
    reader = connector(repository, dialect="obsidian")
    reader.list_documents()
    assert reader.probe("Guides/Making friends.md") is Presence.MOVED


@pytest.mark.parametrize("doc_id", ["", ".", "..", "/", "a/..", "\udc80", "\\x", "\\xzz", "\0", "a" * 5000])
def test_whatever_id_is_asked_for_the_answer_is_a_presence(repository: GitRepository, doc_id: str):
    repository.commit({"a.md": LONG})
    assert connector(repository).probe(doc_id) is Presence.GONE
