"""Real nights over a real repository: READ-LEAK, UNSEEN-REMOVAL, FALSE-EMPTY, PARTIAL-LISTING, IDENTITY, DATE-TRUTH and
CONTENT-LOSS.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from include.domain.manifest import DocumentState, RunState
from include.domain.plan import HoldReason
from tests.connector_sources import GitRepository
from tests.known_failures.site import Site

SECRET = "the unannounced price is 4711"
LONG = "".join(f"line {number} that git recognises\n" for number in range(20))


def fillers(folder: str = "docs", count: int = 40) -> dict[str, str]:
    return {f"{folder}/filler-{number:02}.md": f"filler {number}\n" for number in range(count)}


def start(tmp_path: Path, files: dict[str, str], **options: Any) -> tuple[GitRepository, Site]:
    repository = GitRepository.create(tmp_path / "r", files)
    return repository, Site.of_git(repository.folder, tmp_path / "cache", options=options)


def everything(site: Site) -> str:
    """All that a night leaves: points, manifests, ledger."""
    manifests = [asdict(one) for one in site.manifests.latest(site.source, limit=100)]
    return repr((site.chunks(), manifests, vars(site.ledger)))


# --- READ-LEAK: what must not be visible reaches an answer

HIDDEN: list[tuple[str, dict[str, str]]] = [
    ("plain", {"docs/x.md": f"---\ndraft: 'true'\n---\n{SECRET}"}),
    ("plain", {"docs/x.md": f"\ufeff+++\ndraft = true\n+++\n{SECRET}"}),
    ("plain", {"docs/x.md": f'{{"draft": true}}\n{SECRET}'}),
    ("plain", {"docs/x.md": f"---\ntitle: {{{{ x }}}}\ndraft: true\n---\n{SECRET}"}),
    ("plain", {"docs/s/.meta.yml": "draft: true\n", "docs/s/x.md": SECRET}),
    ("plain", {"docs/s/.meta.yml": "---\ndraft: true\n", "docs/s/x.md": SECRET}),
    ("plain", {"docs/s/.meta.yml": "---\ndraft: true\n---\n", "docs/s/x.md": SECRET}),
    ("plain", {"docs/s/.meta.yml": "draft: [true\n", "docs/s/x.md": SECRET}),
    ("plain", {"docs/s/.meta.yml": "- draft: true\n", "docs/s/x.md": SECRET}),
    (
        "plain",
        {"docs/s/.meta.yml": "draft: true\n", "docs/s/_index.md": "---\ntitle: s\n---\n", "docs/s/x.md": SECRET},
    ),
    ("plain", {"docs/s/_index.md": "---\ncascade: {draft: true\n---\n", "docs/s/x.md": SECRET}),
    ("plain", {"docs/s/_index.md": "---\nCascade: {draft: true}\n---\n", "docs/s/deep/er/x.md": SECRET}),
    ("hugo", {"content/s/_index.md": "+++\n[cascade.build]\nrender = 'never'\n+++\n", "content/s/x.md": SECRET}),
    ("hugo", {"hugo.toml": "[[cascade]]\ndraft = true\n[cascade.target]\npath = '/s/**'\n", "content/s/x.md": SECRET}),
    ("hugo", {"content/x.md": f"---\ndate: 2099-01-01\n---\n{SECRET}"}),
    ("hugo", {"content/b/index.md": "bundle", "content/b/x.md": SECRET}),
    ("hugo", {"archetypes/x.md": SECRET}),
    (
        "jekyll",
        {"docs/_config.yml": "defaults: [{scope: {path: ''}, values: {published: false}}]\n", "docs/x.md": SECRET},
    ),
    ("jekyll", {"docs/_posts/2099-01-01-x.md": SECRET}),
    ("jekyll", {"docs/_drafts/x.md": SECRET}),
    ("jekyll", {"docs/_private/x.md": SECRET}),
    ("docusaurus", {"docs/_x.md": SECRET}),
    ("docusaurus", {"docs/x.md": f"---\nunlisted: true\n---\n{SECRET}"}),
    ("mkdocs", {"mkdocs.yml": "exclude_docs: x.md\n", "docs/x.md": SECRET}),
    ("mkdocs", {"mkdocs.yml": "draft_docs: |\n  s/\n", "docs/s/x.md": SECRET}),
    ("starlight", {"docs/x.md": f"---\npagefind: false\n---\n{SECRET}"}),
    ("obsidian", {"docs/templates/x.md": SECRET}),
    ("obsidian", {"docs/x.md": f"---\npublish: false\n---\n{SECRET}"}),
]


@pytest.mark.parametrize(("dialect", "files"), HIDDEN, ids=[f"{d}-{n}" for n, (d, _) in enumerate(HIDDEN)])
def test_rl_03_no_trace_of_a_page_that_its_generator_does_not_publish(
    tmp_path: Path, dialect: str, files: dict[str, str]
):
    base = {"hugo": {"hugo.toml": "title = 'x'\n"}, "mkdocs": {"mkdocs.yml": "site_name: x\n"}}.get(dialect, {})
    public = fillers("content" if dialect == "hugo" else "docs", 5)
    if dialect == "jekyll" and "docs/_config.yml" in files:
        public = {name: f"---\npublished: true\n---\n{text}" for name, text in public.items()}
    root = "" if dialect == "hugo" else "docs"
    _, site = start(tmp_path, {**base, **public, **files}, dialect=dialect, root=root)
    site.night()
    assert set(public) <= site.documents()
    assert "4711" not in everything(site)


def test_rl_03_a_page_that_shares_its_bytes_with_a_folder_s_file_is_read_as_a_page(tmp_path: Path):
    """One blob, two meanings: the fields of `.meta.yml` are the text of `a.md`."""
    files = {**fillers(), "docs/s/.meta.yml": "draft: true\n", "docs/a.md": "draft: true\n", "docs/s/x.md": SECRET}
    _, site = start(tmp_path, files)
    site.night()
    assert site.texts()["docs/a.md"] == ["draft: true"]
    assert "4711" not in everything(site)


# --- UNSEEN-REMOVAL: a removal at the source that never becomes a delete


def link(repository: GitRepository) -> None:
    (repository.folder / "docs/s/x.md").unlink()
    (repository.folder / "docs/s/x.md").symlink_to("../filler-00.md")
    repository.commit_all()


def submodule(repository: GitRepository) -> None:
    repository.git("rm", "--quiet", "-r", "docs/s")
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},docs/s")
    repository.git("commit", "--quiet", "--message", "submodule")


def rename(repository: GitRepository) -> None:
    repository.git("mv", "docs/s/x.md", "elsewhere.md")
    repository.commit_all()


def rewrite(repository: GitRepository) -> None:
    (repository.folder / "docs/s/x.md").unlink()
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--amend", "--message", "rewritten")


REMOVALS: dict[str, Callable[[GitRepository], object]] = {
    "deleted": lambda repository: repository.commit({"docs/s/x.md": None}),
    "draft": lambda repository: repository.commit({"docs/s/x.md": f"---\ndraft: true\n---\n{SECRET}"}),
    "unlisted": lambda repository: repository.commit({"docs/s/x.md": f"---\nunlisted: yes\n---\n{SECRET}"}),
    "expired": lambda repository: repository.commit({"docs/s/x.md": f"---\nexpiryDate: 2020-01-01\n---\n{SECRET}"}),
    "scheduled": lambda repository: repository.commit({"docs/s/x.md": f"---\npublishDate: 2099-01-01\n---\n{SECRET}"}),
    "noindex": lambda repository: repository.commit({"docs/s/x.md": f"---\nrobots: noindex\n---\n{SECRET}"}),
    "folder": lambda repository: repository.commit({"docs/s/.meta.yml": "draft: true\n"}),
    "excluded": lambda repository: repository.commit({"mkdocs.yml": "exclude_docs: s/\n"}),
    "draft_docs": lambda repository: repository.commit({"mkdocs.yml": "draft_docs: s/x.md\n"}),
    "moved out of the root": rename,
    "a link now": link,
    "a submodule now": submodule,
    "renamed without a suffix": lambda repository: repository.commit({"docs/s/x.md": None, "docs/s/x": SECRET}),
    "history rewritten": rewrite,
}


@pytest.mark.parametrize("how", REMOVALS)
def test_ur_01_one_night_after_any_form_of_removal_nothing_of_it_is_left(tmp_path: Path, how: str):
    files = {"mkdocs.yml": "site_name: x\n", **fillers(), "docs/s/x.md": f"{SECRET}\n"}
    repository, site = start(tmp_path, files, dialect="mkdocs", root="docs")
    assert site.night().state is RunState.TRUE
    assert site.texts()["docs/s/x.md"] == [SECRET]
    REMOVALS[how](repository)
    manifest = site.night()
    assert (manifest.state, manifest.count(DocumentState.DELETED)) == (RunState.TRUE, 1)
    assert "4711" not in repr(site.chunks())
    assert site.night().outcomes == ()


def test_ur_01_a_page_expires_in_the_night_although_nobody_commits(tmp_path: Path):
    _, site = start(tmp_path, {**fillers(), "docs/x.md": f"---\nexpiryDate: 2026-03-04\n---\n{SECRET}"}, root="docs")
    seen = []
    for _ in range(8):
        site.night()
        seen.append("docs/x.md" in site.documents())
    assert seen == sorted(seen, reverse=True)
    assert seen[-1] is False


# --- FALSE-EMPTY, PARTIAL-LISTING: what cannot be read is not absent


@pytest.mark.parametrize(
    "damage",
    [
        {"mkdocs.yml": "exclude_docs: [not, a text]\n"},
        {"mkdocs.yml": "nav: [\n"},
        {"mkdocs.yml": None},
        {"mkdocs.yml": "docs_dir: /elsewhere\n"},
    ],
    ids=["type", "syntax", "lost", "moved"],
)
def test_fe_02_a_site_s_configuration_that_breaks_overnight_deletes_and_publishes_nothing(
    tmp_path: Path, damage: dict[str, str | None]
):
    files = {"mkdocs.yml": "exclude_docs: secret.md\n", **fillers(), "docs/secret.md": SECRET}
    repository, site = start(tmp_path, files, dialect="mkdocs", root="docs")
    assert site.night().state is RunState.TRUE
    before = site.chunks()
    repository.commit({**damage, "docs/filler-00.md": None, "docs/filler-01.md": "edited\n"})
    manifest = site.night()
    assert manifest.state is RunState.UNPROVEN
    assert "no page is known to be public" in manifest.reason
    assert site.chunks() == before
    repository.commit({"mkdocs.yml": "exclude_docs: secret.md\n"})
    assert site.night().state is RunState.TRUE
    assert "docs/filler-00.md" not in site.documents()


def test_pl_08_a_root_that_is_gone_does_not_take_its_documents_with_it(tmp_path: Path):
    repository, site = start(tmp_path, {**fillers("docs"), **fillers("blog", 3)}, roots=["docs", "blog"])
    site.night()
    repository.git("rm", "--quiet", "-r", "blog")
    repository.commit({"docs/filler-00.md": None})
    manifest = site.night()
    assert manifest.state is RunState.UNPROVEN
    assert "no folder `blog`" in manifest.reason
    assert len(site.documents()) == 43


def test_pl_09_a_listing_that_covers_less_than_the_last_one_removes_nothing_by_itself(tmp_path: Path):
    """Two of forty is far below the limit; but nobody removed anything, a pattern became narrower."""
    repository, site = start(tmp_path, {**fillers(), "docs/a.html": "<p>one</p>", "docs/b.html": "<p>two</p>"})
    site.night()
    site.connect = Site.of_git(repository.folder, tmp_path, options={"include": ["*.md"]}).connect
    site.night()
    assert {"docs/a.html", "docs/b.html"} <= site.documents()
    assert HoldReason.SCOPE_CHANGED in {hold.reason for hold in site.held().holds}


def test_fe_02_a_folder_file_that_breaks_leaves_the_pages_below_it_as_they_are(tmp_path: Path):
    files = {**fillers(), "docs/s/_index.md": "---\ncascade: {draft: false}\n---\nsection\n", "docs/s/x.md": "first\n"}
    repository, site = start(tmp_path, files, root="docs")
    site.night()
    repository.commit({"docs/s/_index.md": "---\ncascade: {draft: true\n---\nsection\n", "docs/s/x.md": SECRET})
    site.night()
    assert site.texts()["docs/s/x.md"] == ["first"]
    repository.commit({"docs/s/_index.md": "---\ncascade: {draft: true}\n---\nsection\n"})
    site.night()
    assert "docs/s/x.md" not in site.documents()
    assert "4711" not in repr(site.chunks())


# --- IDENTITY and DATE-TRUTH: one document, one id, and the date of its own birth


def created(site: Site, doc_id: str) -> Any:
    with site.store.reading() as index:
        vector = site.embedder.embed(["x"])[0]
        hits = index.search(vector, limit=500)
    return next(hit.payload["created_at"] for hit in hits if hit.payload["doc_id"] == doc_id)


def test_id_07_a_renamed_document_leaves_under_its_old_id_and_brings_its_birth_along(tmp_path: Path):
    repository, site = start(tmp_path, {**fillers()})
    repository.commit({"docs/old.md": LONG}, day="2021-02-03")
    site.night()
    assert created(site, "docs/old.md").startswith("2021-02-03")
    repository.commit({"docs/old.md": None, "docs/new.md": LONG + "edited\n"}, day="2024-04-05")
    manifest = site.night()
    assert manifest.count(DocumentState.DELETED) == 1
    assert "docs/old.md" not in site.documents()
    assert created(site, "docs/new.md").startswith("2021-02-03")
    evidence = [outcome.detail for outcome in manifest.outcomes if outcome.doc_id == "docs/old.md"]
    assert any("moved" in detail for detail in evidence), evidence


def test_id_09_a_document_deleted_and_written_again_is_indexed_again_as_a_new_one(tmp_path: Path):
    repository, site = start(tmp_path, {**fillers()})
    repository.commit({"docs/a.md": LONG}, day="2021-02-03")
    site.night()
    repository.commit({"docs/a.md": None}, day="2022-02-03")
    site.night()
    assert "docs/a.md" not in site.documents()
    repository.commit({"docs/a.md": LONG}, day="2023-02-03")
    site.night()
    assert created(site, "docs/a.md").startswith("2023-02-03")


def test_id_01_adding_a_root_a_language_or_a_scope_writes_nothing_of_what_was_there(tmp_path: Path):
    repository, site = start(tmp_path, {**fillers(), "blog/post.md": "hello\n"}, root="docs")
    site.night()
    before = site.chunks()
    more = {"root": "docs", "roots": [{"path": "blog", "lang": "de"}], "languages": ["fr"]}
    site.connect = Site.of_git(repository.folder, tmp_path, options=more).connect
    manifest = site.night()
    assert manifest.count(DocumentState.CREATED) == len(manifest.outcomes) == 1
    assert [chunk for chunk in site.chunks() if chunk.doc_id != "blog/post.md"] == before


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_dt_01_a_post_is_born_on_the_day_of_its_name_on_every_machine(
    tmp_path: Path, zone: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        _, site = start(
            tmp_path, {**fillers("docs", 3), "docs/_posts/2016-12-15-x.md": "x\n"}, dialect="jekyll", root="docs"
        )
        site.night()
        assert created(site, "docs/_posts/2016-12-15-x.md") == "2016-12-15T00:00:00.000000Z"
    finally:
        monkeypatch.undo()
        time.tzset()


def test_dt_03_a_shallow_clone_dates_nothing_by_its_last_commit(tmp_path: Path):
    repository, _ = start(tmp_path, fillers())
    repository.commit({"docs/new.md": "x\n"}, day="2025-12-12")
    repository.git("clone", "--quiet", "--depth", "1", repository.folder.as_uri(), str(tmp_path / "shallow"))
    site = Site.of_git(tmp_path / "shallow", tmp_path)
    site.night()
    with site.store.reading() as index:
        hits = index.search(site.embedder.embed(["x"])[0], limit=500)
    assert {hit.payload["created_at_trust"] for hit in hits} == {"unknown"}


# --- CONTENT-LOSS: documents in are documents out and listed failures


def test_cl_01_cl_12_every_file_is_indexed_hidden_or_listed_with_a_reason(tmp_path: Path):
    odd = {
        "docs/blank-first.md": "\n\n---\ntitle: a\n---\ntext\n",
        "docs/bom.md": "\ufeff---\ntitle: a\n---\ntext\n",
        "docs/crlf.md": "---\r\ntitle: a\r\n---\r\ntext\r\n",
        "docs/rule.md": "---\n\nA rule, then prose.\n\n---\n\nand more\n",
        "docs/list.md": "---\nauthors: [Team]\nid: x\ncanonical: /x\n---\ntext\n",
        "docs/version.md": "---\nversion: 1.10\nslug: 0123\n---\ntext\n",
        "docs/old-date.md": "---\ndate: 2024-02-30\n---\ntext\n",
        "docs/empty.md": "",
    }
    broken = {
        "docs/impossible.md": "---\nexpiryDate: 2024-02-30\n---\ntext\n",
        "docs/twice.md": "---\ndraft: true\ndraft: false\n---\ntext\n",
        "docs/lfs.md": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
        "docs/binary.md": "\0\1\2\3" * 50,
    }
    _, site = start(tmp_path, {**fillers(), **odd, **broken})
    manifest = site.night()
    assert manifest.state is not RunState.TRUE
    assert site.documents() == set(fillers()) | set(odd)
    failed = {outcome.doc_id for outcome in manifest.outcomes if outcome.detail and outcome.doc_id in broken}
    assert failed == set(broken)
