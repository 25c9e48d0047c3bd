"""The git connector on real repositories: identity, snapshot, visibility, dates, proof."""

from __future__ import annotations

import codecs
import os
import resource
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from include.connectors.git_markdown import GitMarkdownConnector
from include.connectors.git_options import GitMarkdownOptions
from include.connectors.git_visibility import read_fields
from include.domain.dates import Trust
from include.domain.documents import DocumentKey, FetchedDocument, Presence
from include.domain.errors import DocumentGone, DocumentNotPublic, DocumentUnreadable, SourceUnavailable
from include.text.normalise import extract
from tests.connector_sources import GitRepository, TurnableClock


def connector(
    location: Path | str, *, clock: TurnableClock | None = None, cache: Path = Path("/nonexistent"), **options: Any
) -> GitMarkdownConnector:
    checked = GitMarkdownOptions(location=str(location), **options)
    return GitMarkdownConnector("handbook", checked, clock=clock or TurnableClock(), cache_dir=cache)


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    return GitRepository.create(
        tmp_path / "repository", {"a.md": "alpha\n", "docs/b.md": "beta\n", "docs/c.txt": "no\n"}
    )


def test_ids_are_repository_paths_and_versions_are_blob_ids(repository: GitRepository):
    listing = connector(repository.folder, root="docs").list_documents()
    assert listing.complete
    assert {doc_id: one.version for doc_id, one in listing.documents.items()} == {
        "docs/b.md": repository.git("rev-parse", "HEAD:docs/b.md")
    }
    assert repository.git("rev-parse", "HEAD")[:12] in listing.proof.detail


def test_the_working_tree_is_never_read(repository: GitRepository):
    (repository.folder / "a.md").write_text("not committed\n")
    (repository.folder / "new.md").write_text("not committed\n")
    (repository.folder / "docs" / "b.md").unlink()
    reader = connector(repository.folder)
    assert set(reader.list_documents().documents) == {"a.md", "docs/b.md"}
    assert reader.fetch("a.md").body == b"alpha\n"


def test_a_listing_pins_the_commit_and_the_clock_of_everything_fetched_after_it(repository: GitRepository):
    clock = TurnableClock()
    reader = connector(repository.folder, clock=clock)
    reader.list_documents()
    listed_at = clock.now()
    repository.commit({"a.md": "newer\n", "docs/b.md": None})
    clock.sleep(300)
    document = reader.fetch("a.md")
    assert (document.body, document.fetched_at) == (b"alpha\n", listed_at)
    assert reader.probe("docs/b.md") is Presence.PRESENT
    fresh = connector(repository.folder, clock=clock)
    assert fresh.fetch("a.md").body == b"newer\n"
    assert fresh.probe("docs/b.md") is Presence.GONE


def test_names_that_differ_in_case_unicode_form_or_stray_bytes_stay_apart(tmp_path: Path):
    repository = GitRepository.create(tmp_path / "odd")
    names = ["Guide.md", "guide.md", "caf\u00e9.md", "cafe\u0301.md", "with space.md", "tab\there.md", "back\\slash.md"]
    for position, name in enumerate(names):
        (repository.folder / name).write_text(f"text {position}\n")
    for position, raw in enumerate((b"latin-\xe9.md", b"latin-\\xe9.md")):
        Path(os.fsdecode(os.fsencode(repository.folder) + b"/" + raw)).write_text(f"raw {position}\n")
    repository.commit_all()
    reader = connector(repository.folder)
    listing = reader.list_documents()
    assert listing.complete
    assert len(listing.documents) == len(names) + 2
    assert {"latin-\\xe9.md", "latin-\\\\xe9.md", "tab\\x09here.md", "back\\\\slash.md"} <= set(listing.documents)
    bodies = {reader.fetch(doc_id).body for doc_id in listing.documents}
    assert len(bodies) == len(listing.documents)
    for doc_id in listing.documents:
        doc_id.encode()  # can be stored anywhere
        assert reader.probe(doc_id) is Presence.PRESENT


def test_patterns_ignore_case_and_exclude_drafts_folders(tmp_path: Path):
    repository = GitRepository.create(
        tmp_path / "r",
        {"READ.MD": "a", "x/_drafts/d.md": "b", "_drafts/e.md": "c", "v1/old.md": "d", "p.html": "<p>e</p>"},
    )
    assert set(connector(repository.folder).list_documents().documents) == {"READ.MD", "v1/old.md", "p.html"}
    listing = connector(repository.folder, include=["*.md"], exclude=["v1/**"]).list_documents()
    assert set(listing.documents) == {"READ.MD", "_drafts/e.md", "x/_drafts/d.md"}


def test_a_pattern_with_a_slash_at_its_end_means_all_that_is_below(tmp_path: Path):
    files = dict.fromkeys(["a.md", "internal/b.md", "internal/deep/c.md", "x/internal/d.md"], "text\n")
    repository = GitRepository.create(tmp_path / "r", files)
    for pattern in ("internal/", "/internal/", "./internal/", "./internal/**"):
        assert set(connector(repository.folder, exclude=[pattern]).list_documents().documents) == {
            "a.md",
            "x/internal/d.md",
        }
    assert set(connector(repository.folder, include=["internal/deep/"]).list_documents().documents) == {
        "internal/deep/c.md"
    }


@pytest.mark.parametrize("pattern", ["[Ii]nternal/**", "{internal,drafts}/**", "!keep.md", ""])
def test_a_pattern_that_would_silently_match_nothing_is_refused(pattern: str):
    with pytest.raises(ValidationError, match=r"\*\* and \?"):
        GitMarkdownOptions(location="r", exclude=(pattern,))


def test_an_address_that_is_none_costs_its_page_nothing_and_the_others_neither(tmp_path: Path):
    repository = GitRepository.create(
        tmp_path / "r",
        {
            "a.md": '---\naliases: ["//[x", "/old/"]\n---\nA\n',
            "b.md": '---\npermalink: "//[x"\n---\nB\n',
            "c.md": "C\n",
        },
    )
    reader = connector(repository.folder, base_url="https://e.org/{page}/")
    assert set(reader.list_documents().documents) == {"a.md", "b.md", "c.md"}
    assert reader.fetch("b.md").url == "https://e.org/b/"
    assert reader.probe("old.md") is Presence.MOVED


def test_symlinks_and_submodules_are_skipped_and_counted(repository: GitRepository):
    (repository.folder / "link.md").symlink_to("a.md")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},module")
    repository.git("add", "link.md")
    repository.git("commit", "--quiet", "--message", "odd ones")
    reader = connector(repository.folder)
    listing = reader.list_documents()
    assert set(listing.documents) == {"a.md", "docs/b.md"}
    assert "1 symlinks skipped, 1 submodules skipped" in listing.proof.detail
    assert reader.probe("link.md") is Presence.NOT_PUBLIC


def test_a_page_that_is_not_public_is_neither_listed_nor_fetched_and_the_probe_says_why(repository: GitRepository):
    repository.commit(
        {
            "draft.md": "---\ndraft: true\n---\nsecret",
            "toml.md": "\ufeff+++\ndraft = true\n+++\nsecret",
            "utf16.md": "---\ndraft: true\n---\nsecret".encode("utf-16"),
            "later.md": "---\npublishDate: 2026-03-02\n---\nsecret",
            "over.md": "---\nexpiryDate: 2026-02-28\n---\nsecret",
        }
    )
    reader = connector(repository.folder)
    assert set(reader.list_documents().documents) == {"a.md", "docs/b.md"}
    for doc_id in ("draft.md", "toml.md", "utf16.md", "later.md", "over.md", "docs/c.txt"):
        assert reader.probe(doc_id) is Presence.NOT_PUBLIC
        with pytest.raises(DocumentNotPublic):
            reader.fetch(doc_id)


def test_a_scheduled_page_goes_live_and_an_expired_one_goes_without_any_commit(repository: GitRepository):
    repository.commit({"later.md": "---\npublishDate: 2026-03-02\nexpiryDate: 2026-03-04\n---\ntext"})
    clock = TurnableClock()
    seen = []
    for _ in range(3):
        seen.append("later.md" in connector(repository.folder, clock=clock).list_documents().documents)
        clock.sleep(86_400 * 1.5)
    assert seen == [False, True, False]


def test_a_page_inherits_what_hides_its_folder(repository: GitRepository):
    repository.commit(
        {
            "hugo/_index.md": "---\ntitle: s\ncascade:\n  draft: true\n---\n",
            "hugo/deep/page.md": "secret",
            "hugo/open.md": "---\ndraft: false\n---\nopen",
            "mkdocs/.meta.yml": "draft: true\n",
            "mkdocs/page.md": "secret",
        }
    )
    reader = connector(repository.folder)
    assert set(reader.list_documents().documents) == {"a.md", "docs/b.md", "hugo/open.md"}
    assert connector(repository.folder).probe("hugo/deep/page.md") is Presence.NOT_PUBLIC


def test_a_file_whose_front_matter_does_not_parse_is_unknown_neither_gone_nor_good(repository: GitRepository):
    repository.commit(
        {
            "broken.md": "---\ntitle: a: b\ndraft: true\n---\nsecret",
            "when.md": "---\npublishDate: 2024-02-30\n---\nx",
            "lfs.md": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
        }
    )
    reader = connector(repository.folder)
    listing = reader.list_documents()
    assert listing.complete
    for doc_id, word in (("broken.md", "does not parse"), ("when.md", "2024-02-30"), ("lfs.md", "LFS")):
        assert word in listing.documents[doc_id].unreadable
        assert reader.probe(doc_id) is Presence.UNKNOWN
        with pytest.raises(DocumentUnreadable, match=doc_id):
            reader.fetch(doc_id)


def test_an_absent_document_is_gone_only_where_the_tree_proves_something(repository: GitRepository):
    good = connector(repository.folder, sentinel="a.md")
    assert good.probe("never.md") is Presence.GONE
    with pytest.raises(DocumentGone, match=r"never\.md is not in commit"):
        good.fetch("never.md")
    for broken in (
        connector(repository.folder, root="no/such/folder"),
        connector(repository.folder, sentinel="moved.md"),
        connector(repository.folder, ref="no-such-branch"),
    ):
        assert broken.probe("never.md") is Presence.UNKNOWN
        with pytest.raises(SourceUnavailable):
            broken.fetch("never.md")


def test_a_repository_further_up_is_not_mistaken_for_an_unmounted_one(repository: GitRepository):
    mount = repository.folder / "mount"
    mount.mkdir()
    with pytest.raises(SourceUnavailable, match="is empty"):
        connector(mount).list_documents()


def test_variables_of_a_surrounding_git_process_do_not_redirect_the_reader(
    repository: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    other = GitRepository.create(tmp_path / "other", {"other.md": "x"})
    monkeypatch.setenv("GIT_DIR", str(other.folder / ".git"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other.folder / ".git" / "objects"))
    assert set(connector(repository.folder).list_documents().documents) == {"a.md", "docs/b.md"}


def test_a_bare_repository_a_tag_and_an_older_commit_can_be_read(repository: GitRepository, tmp_path: Path):
    repository.git("tag", "v1")
    repository.commit({"new.md": "x"})
    repository.git("clone", "--quiet", "--bare", str(repository.folder), str(tmp_path / "bare.git"))
    assert set(connector(tmp_path / "bare.git", ref="v1").list_documents().documents) == {"a.md", "docs/b.md"}
    assert "new.md" in connector(tmp_path / "bare.git").list_documents().documents


def test_a_clone_url_is_fetched_with_every_listing_also_after_a_rewrite_and_a_renamed_branch(
    repository: GitRepository, tmp_path: Path
):
    url = repository.folder.as_uri()
    reader = connector(url, cache=tmp_path / "cache")
    assert set(reader.list_documents().documents) == {"a.md", "docs/b.md"}
    repository.commit({"new.md": "x"})
    assert "new.md" in reader.list_documents().documents
    repository.git("reset", "--hard", "--quiet", "HEAD~1")
    repository.git("branch", "--move", "main", "trunk")
    assert "new.md" not in reader.list_documents().documents
    with pytest.raises(SourceUnavailable, match="no commit at `main`"):
        connector(url, cache=tmp_path / "cache", ref="main").list_documents()


def lose_objects(mirror: Path) -> None:
    shutil.rmtree(mirror / "objects")


def lose_texts(mirror: Path) -> None:
    """As a fetch cannot see it: the newest commit and its history are there."""
    for packed in (*(mirror / "objects/pack").glob("*.pack"), *(mirror / "objects").glob("??/*")):
        kept = packed.read_bytes()
        packed.chmod(0o644)
        packed.write_bytes(kept[:-40] + b"\0" * 40 if packed.suffix == ".pack" else b"")


def empty_every_file(mirror: Path) -> None:
    for file in [path for path in mirror.rglob("*") if path.is_file()]:
        file.chmod(0o644)
        file.write_bytes(b"")


def be_a_file(mirror: Path) -> None:
    shutil.rmtree(mirror)
    mirror.write_text("no folder\n")


@pytest.mark.parametrize(
    "damage",
    [
        lambda mirror: (mirror / "refs/heads/main.lock").touch(),
        lambda mirror: (mirror / "config").write_text("garbage[["),
        lose_objects,
        lose_texts,
        empty_every_file,
        be_a_file,
    ],
    ids=["lock", "config", "objects", "texts", "everything", "file"],
)
def test_a_damaged_mirror_is_made_anew_in_the_same_run(
    repository: GitRepository, tmp_path: Path, damage: Callable[[Path], object]
):
    url, cache = repository.folder.as_uri(), tmp_path / "cache"
    connector(url, cache=cache).list_documents()
    (mirror,) = cache.glob("*.git")
    damage(mirror)
    repository.commit({"a.md": "edited\n"})
    reader = connector(url, cache=cache)
    assert reader.list_documents().complete
    assert reader.fetch("a.md").body == b"edited\n"
    assert reader.fetch("docs/b.md").body == b"beta\n"


def test_a_mirror_is_kept_while_its_source_cannot_be_reached_or_lacks_the_branch(
    repository: GitRepository, tmp_path: Path
):
    url, cache = repository.folder.as_uri(), tmp_path / "cache"
    connector(url, cache=cache).list_documents()
    (mirror,) = cache.glob("*.git")
    before = mirror.stat().st_ino
    with pytest.raises(SourceUnavailable, match="no commit at `nope`"):
        connector(url, cache=cache, ref="nope").list_documents()
    repository.folder.rename(tmp_path / "away")
    with pytest.raises(SourceUnavailable, match="git fetch failed"):
        connector(url, cache=cache).list_documents()
    assert mirror.stat().st_ino == before


@pytest.mark.parametrize("is_cloned", [False, True])
def test_a_tag_with_the_name_of_the_branch_does_not_freeze_the_source(
    repository: GitRepository, tmp_path: Path, is_cloned: bool
):
    place = repository.folder.as_uri() if is_cloned else repository.folder
    repository.git("tag", "main")
    repository.git("tag", "v1")
    repository.commit({"a.md": "edited\n"})
    bodies = {
        ref: connector(place, cache=tmp_path / "cache", ref=ref).fetch("a.md").body
        for ref in ("main", "main~1", "main^{commit}", "tags/main", "v1", repository.git("rev-parse", "HEAD"))
    }
    old, new = b"alpha\n", b"edited\n"
    assert list(bodies.values()) == [new, old, new, old, old, new]


def test_a_password_in_a_clone_url_is_never_shown(tmp_path: Path):
    with pytest.raises(SourceUnavailable) as caught:
        connector("http://user:hunter2@127.0.0.1:9/r.git?key=hunter2", cache=tmp_path / "cache").list_documents()
    assert "hunter2" not in str(caught.value) + repr(caught.value.facts)
    assert "***@127.0.0.1:9/r.git?key=***" in str(caught.value)


def test_dates_follow_renames_and_ignore_pure_moves(repository: GitRepository):
    text = "".join(f"line {number}\n" for number in range(30))
    repository.commit({"old.md": text}, day="2023-02-03")
    repository.commit({"old.md": text + "more\n"}, day="2023-05-06")
    repository.git("mv", "old.md", "moved.md")
    repository.commit_all(day="2024-07-08")
    repository.commit({"old.md": "another file of the old name, unrelated\n"}, day="2024-09-09")
    reader = connector(repository.folder)
    moved, old = extract(reader.fetch("moved.md")), extract(reader.fetch("old.md"))
    assert moved.created_at is not None
    assert moved.updated_at is not None
    assert (moved.created_at.value.date().isoformat(), moved.created_at.trust) == ("2023-02-03", Trust.LOW)
    assert (moved.updated_at.value.date().isoformat(), moved.updated_at.trust) == ("2023-05-06", Trust.HIGH)
    assert old.created_at is not None
    assert old.created_at.value.date().isoformat() == "2024-09-09"


def test_front_matter_dates_win_over_git(repository: GitRepository):
    repository.commit({"dated.md": "---\ndate: 2020-01-02\nlastmod: 2021-03-04\n---\nx"}, day="2024-05-05")
    document = extract(connector(repository.folder).fetch("dated.md"))
    assert document.created_at is not None
    assert document.updated_at is not None
    assert document.created_at.origin == "front matter date"
    assert [one.value.date().isoformat() for one in (document.created_at, document.updated_at)] == [
        "2020-01-02",
        "2021-03-04",
    ]


def test_a_mass_import_says_nothing_of_a_birth(repository: GitRepository):
    repository.commit({f"import/{number}.md": f"text {number}\n" for number in range(101)}, day="2024-02-02")
    document = extract(connector(repository.folder).fetch("import/7.md"))
    assert document.created_at is not None
    assert document.created_at.trust is Trust.UNKNOWN
    assert document.date_notes[0].endswith("not trusted: bulk import (born in a commit of 101 files)")


def test_a_shallow_clone_says_nothing_of_dates(repository: GitRepository, tmp_path: Path):
    repository.commit({"last.md": "x"}, day="2024-03-03")
    repository.git("clone", "--quiet", "--depth", "1", repository.folder.as_uri(), str(tmp_path / "shallow"))
    shallow = connector(tmp_path / "shallow")
    assert shallow.list_documents().complete  # its tree is whole, only its history is not
    document = extract(shallow.fetch("a.md"))
    assert document.created_at is not None
    assert document.updated_at is not None
    assert (document.created_at.trust, document.updated_at.trust) == (Trust.UNKNOWN, Trust.UNKNOWN)


def test_urls_come_from_the_template_or_from_the_page_itself(repository: GitRepository):
    repository.commit(
        {
            "docs/guide/_index.md": "x",
            "docs/guide/a b.md": "x",
            "docs/own.md": "---\npermalink: /elsewhere/\n---\nx",
            "docs/jekyll.md": "---\npermalink: /:year/:title/\n---\nx",
        }
    )
    reader = connector(repository.folder, root="docs", base_url="https://docs.example.org/{page}")
    urls = {
        doc_id: reader.fetch(doc_id).url.removeprefix("https://docs.example.org")
        for doc_id in reader.list_documents().documents
    }
    assert urls == {
        "docs/b.md": "/b",
        "docs/guide/_index.md": "/guide",
        "docs/guide/a b.md": "/guide/a%20b",
        "docs/own.md": "/elsewhere/",
        "docs/jekyll.md": "/jekyll",
    }


@pytest.mark.parametrize(
    "content",
    [
        b"---\rdraft: true\r---\rsecret",
        b"\xe2\x80\x8b---\ndraft: true\n---\nsecret",
        b"--\xe2\x80\x8b-\ndraft: true\n---\nsecret",
        b"\xc2\xa0\n---\ndraft: true\n---\nsecret",
        b"\xef\xbb\xbf\xef\xbb\xbf---\ndraft: true\n---\nsecret",
        b"\xe2\x80\xa8---\ndraft: true\n---\nsecret",
        b"\x00---\ndr\xc2\xadaft: true\n---\nsecret and more text",
        "\u2028---\ndraft: true\n---\nsecret".encode("utf-16"),
        codecs.BOM_UTF32_BE + "+++\ndraft = true\n+++\nsecret".encode("utf-32-be"),
        b"\xa0\n+++\rdraft = true\r+++\rsecret",
        b'\xe2\x80\x8b{"draft": true}\nsecret',
        b"---\ntitle: x\n" + b"# a long comment\n" * 1_000 + b"draft: true\n---\nsecret",
        b"---\rtitle: x\r" + b"tags: [a]\r" + b"# c\r" * 4_000 + b"draft: true\r---\rsecret",
    ],
    ids=lambda content: repr(content[:24]),
)
def test_a_draft_is_seen_however_its_bytes_are_dressed(content: bytes):
    assert read_fields("page.md", content).values.get("draft") == "true"


@given(
    st.lists(st.sampled_from(["\ufeff", "\u200b", "\u00a0", "\u2028", "\r", "\n", " ", "\x85", "\u00ad"]), max_size=4),
    st.sampled_from(["\n", "\r", "\r\n", "\u2028", "\x0c"]),
    st.sampled_from(["---\ndraft: true\n---\n", "+++\ndraft = true\n+++\n", '{"draft": 1}\n', "---\n---\n", "x\n"]),
    st.sampled_from(["utf-8", "utf-16", "utf-32", "utf-8-sig"]),
    st.sampled_from([0, 10_000]),
)
def test_listing_and_extraction_see_the_same_fields(
    before: list[str], line_end: str, block: str, encoding: str, length: int
):
    text = "".join(before) + block.replace("\n", line_end) + "words" + " and words" * length
    body = text.encode(encoding)
    at = datetime(2026, 1, 1, tzinfo=UTC)
    extracted = extract(FetchedDocument(DocumentKey("s", "a.md"), "1", body, "text/markdown", "", at))
    assert read_fields("a.md", body).values == extracted.front_matter


def test_a_listing_of_two_thousand_files_costs_less_than_half_a_cpu_second(tmp_path: Path):
    block = "---\ntitle: Page {0}\ndescription: about things\ntags: [a, b]\n---\n" + "words of a page\n" * 200
    repository = GitRepository.create(
        tmp_path / "big", {f"p/{n}.md": block.replace("{0}", str(n)) for n in range(2000)}
    )
    repository.git("gc", "--quiet")

    def cpu() -> float:
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(one.ru_utime + one.ru_stime for one in used)

    def cost_of_a_listing() -> float:
        before = cpu()
        listing = connector(repository.folder).list_documents()
        assert len(listing.documents) == 2000
        return cpu() - before

    # Beside other work on the same cores the same listing costs twice as much CPU: the best of some is its own cost.
    assert min(cost_of_a_listing() for _ in range(5)) < 0.5
