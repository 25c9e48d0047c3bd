"""What each site generator publishes of a repository, and where, as its own documentation says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from include.connectors.git_markdown import GitMarkdownConnector
from include.connectors.git_options import GitMarkdownOptions
from include.connectors.registry import check
from include.domain.documents import Presence
from include.domain.errors import ConfigError, DocumentNotPublic, DocumentUnreadable
from include.text.normalise import extract
from tests.connector_sources import GitRepository, TurnableClock

SITE = "https://docs.example.org/"


def connector(repository: GitRepository, *, clock: TurnableClock | None = None, **options: Any) -> GitMarkdownConnector:
    checked = GitMarkdownOptions(
        **{"location": str(repository.folder), "base_url": f"{SITE}{{page}}", "exclude": (), **options}
    )
    return GitMarkdownConnector("s", checked, clock=clock or TurnableClock(), cache_dir=Path("/nonexistent"))


def published(reader: GitMarkdownConnector) -> dict[str, str]:
    """Addresses below the site, by document id, of everything that is listed and can be fetched."""
    listing = reader.list_documents()
    assert listing.complete, listing.proof.problem
    assert [one.unreadable for one in listing.documents.values() if one.unreadable] == []
    return {doc_id: reader.fetch(doc_id).url.removeprefix(SITE) for doc_id in listing.documents}


def site(tmp_path: Path, files: Mapping[str, str]) -> GitRepository:
    return GitRepository.create(tmp_path / "site", files)


def page(fields: str = "", text: str = "words") -> str:
    return f"---\n{fields}\n---\n{text}\n" if fields else f"{text}\n"


# --- Jekyll


def test_jekyll_publishes_posts_of_the_past_collections_with_output_and_pages_outside_underscore_folders(
    tmp_path: Path,
):
    repository = site(
        tmp_path,
        {
            "_config.yml": "collections:\n  guides: {output: true}\n  notes: {output: false}\n"
            "exclude: [internal, '*.tmp.md']\ndefaults:\n"
            "  - {scope: {path: hidden}, values: {published: false}}\n"
            "  - {scope: {path: hidden/but}, values: {published: true}}\n",
            "index.md": page("title: Home"),
            "about.md": page(),
            "own.md": page("permalink: /elsewhere/"),
            "_posts/2024-05-06-first-post.md": page("categories: [News]"),
            "blog/_posts/2024-05-07-second.md": page(),
            "_posts/2026-03-02-tomorrow.md": page(),
            "_posts/2024-01-01-later.md": page("date: 2026-03-01 13:00:00 +0000"),
            "_posts/2024-01-01-gone.md": page("published: false"),
            "_posts/undated.md": page(),
            "_drafts/idea.md": page(),
            "_guides/deep/start.md": page(),
            "_notes/secret.md": page(),
            "_includes/part.html": "<p>part</p>",
            "internal/plan.md": page(),
            "a.tmp.md": page(),
            "hidden/page.md": page(),
            "hidden/but/page.md": page(),
            "hidden/own.md": page("published: true"),
            "future-dated-page.md": page("date: 2030-01-01"),
        },
    )
    reader = connector(repository, dialect="jekyll")
    assert published(reader) == {
        "index.md": "",
        "about.md": "about.html",
        "own.md": "elsewhere/",
        "_posts/2024-05-06-first-post.md": "news/2024/05/06/first-post.html",
        "blog/_posts/2024-05-07-second.md": "blog/2024/05/07/second.html",
        "_guides/deep/start.md": "guides/deep/start.html",
        "hidden/but/page.md": "hidden/but/page.html",
        "hidden/own.md": "hidden/own.html",
        "future-dated-page.md": "future-dated-page.html",
    }
    created = extract(reader.fetch("_posts/2024-05-06-first-post.md")).created_at
    assert created is not None
    assert (created.value.date().isoformat(), created.origin) == ("2024-05-06", "file name")
    for hidden in ("_posts/2026-03-02-tomorrow.md", "_notes/secret.md", "internal/plan.md", "hidden/page.md"):
        assert reader.probe(hidden) is Presence.NOT_PUBLIC
        with pytest.raises(DocumentNotPublic):
            reader.fetch(hidden)


@pytest.mark.parametrize(
    ("style", "post", "about"),
    [
        ("pretty", "2024/05/06/a/", "about/"),
        ("none", "a.html", "about.html"),
        ("ordinal", "2024/127/a.html", "about.html"),
        ("/:year/:title/", "2024/a/", "about/"),
        ("/blog/:i_month-:i_day/:slug:output_ext", "blog/5-6/a.html", "about.html"),
    ],
)
def test_jekyll_permalink_styles(tmp_path: Path, style: str, post: str, about: str):
    files = {"_config.yml": f"permalink: {style}\n", "_posts/2024-05-06-a.md": page(), "about.md": page()}
    assert published(connector(site(tmp_path, files), dialect="jekyll")) == {
        "_posts/2024-05-06-a.md": post,
        "about.md": about,
    }


def test_jekyll_reads_a_post_s_time_in_the_zone_of_the_site(tmp_path: Path):
    """Noon in Los Angeles is eight hours after noon in Greenwich; the clock stands at noon UTC."""
    files = {
        "_config.yml": "timezone: America/Los_Angeles\n",
        "_posts/2026-03-01-a.md": page("date: 2026-03-01 11:00"),
        "old.md": page(),
    }
    clock, repository = TurnableClock(), site(tmp_path, files)
    assert set(published(connector(repository, clock=clock, dialect="jekyll"))) == {"old.md"}
    clock.sleep(8 * 3600)
    assert "_posts/2026-03-01-a.md" in published(connector(repository, clock=clock, dialect="jekyll"))


def test_a_changed_default_of_the_site_changes_the_versions_of_the_pages_it_reaches(tmp_path: Path):
    repository = site(tmp_path, {"_config.yml": "title: x\n", "a/b.md": page(), "c.md": page()})
    before = connector(repository, dialect="jekyll").list_documents().documents
    repository.commit({"_config.yml": "defaults: [{scope: {path: a}, values: {permalink: /new/}}]\n"})
    after = connector(repository, dialect="jekyll").list_documents().documents
    assert {doc_id for doc_id in after if after[doc_id] != before[doc_id]} == {"a/b.md"}
    assert connector(repository, dialect="jekyll").fetch("a/b.md").version == after["a/b.md"].version


# --- Hugo


HUGO = """
baseURL = 'https://docs.example.org/'
ignoreFiles = ['\\.tmp\\.md$']
[[cascade]]
draft = true
[cascade.target]
path = '/secret/**'
"""


def test_hugo_publishes_what_cascades_bundles_and_dates_leave(tmp_path: Path):
    repository = site(
        tmp_path,
        {
            "hugo.toml": HUGO,
            "README.md": page(),
            "content/_index.md": page("title: Home"),
            "content/Posts/My Post.md": page(),
            "content/posts/slugged.md": page("slug: other"),
            "content/posts/own.md": page("url: /very/own.html"),
            "content/posts/later.md": page("date: 2026-03-02"),
            "content/posts/dated.md": page("publishDate: 2020-01-01\ndate: 2030-01-01"),
            "content/posts/never.md": page("build: {render: never}"),
            "content/posts/x.tmp.md": page(),
            "content/secret/_index.md": page(),
            "content/secret/a.md": page(),
            "content/bundle/index.md": page(),
            "content/bundle/part.md": page(),
            "content/headless/index.md": page("headless: true"),
            "content/section/_index.md": page(
                "cascade:\n- {draft: true, target: {kind: page}}\n- {draft: true, _target: {environment: staging}}"
            ),
            "content/section/page.md": page(),
            "content/section/open.md": page("draft: false"),
            "archetypes/default.md": page("draft: true"),
        },
    )
    assert published(connector(repository, dialect="hugo")) == {
        "content/_index.md": "",
        "content/Posts/My Post.md": "posts/my-post/",
        "content/posts/slugged.md": "posts/other/",
        "content/posts/own.md": "very/own.html",
        "content/posts/dated.md": "posts/dated/",
        "content/secret/_index.md": "secret/",
        "content/bundle/index.md": "bundle/",
        "content/section/_index.md": "section/",
        "content/section/open.md": "section/open/",
    }


def test_hugo_s_own_switches_publish_what_is_held_back_elsewhere(tmp_path: Path):
    files = {
        "config.yaml": "buildDrafts: true\nbuildFuture: true\nbuildExpired: true\nuglyURLs: true\n",
        "content/a.md": page("draft: true"),
        "content/b.md": page("publishDate: 2030-01-01"),
        "content/c.md": page("expiryDate: 2020-01-01"),
    }
    assert published(connector(site(tmp_path, files), dialect="hugo")) == {
        "content/a.md": "a.html",
        "content/b.md": "b.html",
        "content/c.md": "c.html",
    }


def test_hugo_in_production_is_what_counts(tmp_path: Path):
    files = {
        "config/_default/hugo.yaml": "buildDrafts: true\n",
        "config/production/config.toml": "buildDrafts = false\n",
        "config/staging/hugo.toml": "buildDrafts = true\n",
        "content/a.md": page("draft: true"),
        "content/b.md": page(),
    }
    assert published(connector(site(tmp_path, files), dialect="hugo")) == {"content/b.md": "b/"}


def test_hugo_reads_dates_under_the_names_that_the_site_gives_them(tmp_path: Path):
    files = {
        "hugo.toml": "[frontmatter]\nexpiryDate = ['removeOn', ':default']\npublishDate = ['goLive']\n",
        "content/past.md": page("removeon: 2020-01-01"),
        "content/by-default.md": page("expiryDate: 2020-01-01"),
        "content/first-counts.md": page("removeOn: 2099-01-01\nexpiryDate: 2020-01-01"),
        "content/later.md": page("goLive: 2099-01-01"),
        "content/live.md": page("goLive: 2020-01-01\ndate: 2099-01-01"),
    }
    reader = connector(site(tmp_path, files), dialect="hugo")
    assert set(published(reader)) == {"content/first-counts.md", "content/live.md"}


@pytest.mark.parametrize("folder", ["config/_default/languages.toml", "hugo.toml"])
def test_hugo_languages_have_folders_suffixes_prefixes_and_a_switch(tmp_path: Path, folder: str):
    head = "[languages." if folder == "hugo.toml" else "["
    languages = (
        f"{head}en]\ncontentDir = 'content/en'\n{head}de]\ncontentDir = 'content/german'\n"
        f"{head}fr]\ndisabled = true\ncontentDir = 'content/fr'\n{head}pt]\n"
    )
    files = {folder: languages, "content/en/a.md": page(), "content/german/a.md": page(), "content/fr/a.md": page()}
    if folder != "hugo.toml":
        files["config/_default/hugo.toml"] = "title = 'x'\n"
    files["content/en/b.pt.md"] = page("title: x")
    files["content/en/v1.2.md"] = page()
    files["content/german/_index.md"] = page("cascade: {draft: true, target: {lang: fr}}")
    reader = connector(site(tmp_path, files), dialect="hugo")
    assert published(reader) == {
        "content/en/a.md": "a/",
        "content/german/_index.md": "de/",
        "content/german/a.md": "de/a/",
        "content/en/b.pt.md": "b/",
        "content/en/v1.2.md": "v1.2/",
    }
    assert reader.fetch("content/german/a.md").lang == "de"
    assert reader.fetch("content/en/a.md").lang == "en"


def test_hugo_suffixes_make_a_section_of_each_language(tmp_path: Path):
    files = {
        "hugo.toml": "defaultContentLanguage = 'en'\n[languages.en]\n[languages.de]\n",
        "content/s/a.md": page(),
        "content/s/a.de.md": page(),
        "content/s/_index.de.md": page("cascade: {build: {render: never}}\nbuild: {render: always}"),
        "content/b.de.md": page("slug: anders"),
    }
    reader = connector(site(tmp_path, files), dialect="hugo")
    assert published(reader) == {
        "content/s/a.md": "s/a/",
        "content/s/_index.de.md": "de/s/",
        "content/b.de.md": "de/anders/",
    }
    assert [reader.fetch(doc_id).lang for doc_id in ("content/s/a.md", "content/b.de.md")] == ["en", "de"]


def test_a_hugo_cascade_that_cannot_be_judged_leaves_its_pages_unknown(tmp_path: Path):
    files = {
        "hugo.toml": "title = 'x'\n",
        "content/s/_index.md": page("cascade: {draft: true, target: {sites: {matrix: {languages: [de]}}}}"),
        "content/s/a.md": page(),
        "content/b.md": page(),
    }
    reader = connector(site(tmp_path, files), dialect="hugo")
    documents = reader.list_documents().documents
    assert {doc_id for doc_id, one in documents.items() if one.unreadable} == {"content/s/_index.md", "content/s/a.md"}
    assert reader.probe("content/s/a.md") is Presence.UNKNOWN


# --- Docusaurus, MkDocs, Starlight, Obsidian


def test_docusaurus_drops_partials_drafts_and_number_prefixes(tmp_path: Path):
    repository = site(
        tmp_path,
        {
            "docs/01-intro.md": page(),
            "docs/02-guide/03 - start.md": page(),
            "docs/02-guide/index.md": page(),
            "docs/api/api.mdx": page(),
            "docs/2021-11-notes.md": page(),
            "docs/a.md": page("slug: /root"),
            "docs/sub/b.md": page("slug: ../up"),
            "docs/sub/c.md": page("id: named"),
            "docs/_partial.md": page(),
            "docs/_parts/x.md": page(),
            "docs/draft.md": page("draft: true"),
            "docs/unlisted.md": page("unlisted: true"),
            "i18n/de/docusaurus-plugin-content-docs/current/01-intro.md": page(),
        },
    )
    reader = connector(
        repository, dialect="docusaurus", roots=["docs", "i18n/de/docusaurus-plugin-content-docs/current"], lang="en"
    )
    assert published(reader) == {
        "docs/01-intro.md": "intro",
        "docs/02-guide/03 - start.md": "guide/start",
        "docs/02-guide/index.md": "guide",
        "docs/api/api.mdx": "api",
        "docs/2021-11-notes.md": "2021-11-notes",
        "docs/a.md": "root",
        "docs/sub/b.md": "up",
        "docs/sub/c.md": "sub/named",
        "i18n/de/docusaurus-plugin-content-docs/current/01-intro.md": "de/intro",
    }
    assert reader.fetch("i18n/de/docusaurus-plugin-content-docs/current/01-intro.md").lang == "de"
    assert reader.fetch("docs/01-intro.md").lang == "en"


def test_mkdocs_reads_exclude_docs_draft_docs_and_meta_files(tmp_path: Path):
    repository = site(
        tmp_path,
        {
            "base.yml": "draft_docs: |\n  wip/\nmarkdown_extensions:\n  - x: {y: !!python/name:a.b }\n",
            "mkdocs.yml": "INHERIT: base.yml\nsite_name: x\nplugins: [search, {exclude: {glob: ['old/*']}}]\n"
            "exclude_docs: |\n  /drafts/*\n  *.inc.md\n  !keep.inc.md\nnot_in_nav: |\n  quiet.md\n",
            "README.md": page(),
            "docs/index.md": page(),
            "docs/README.md": page(),
            "docs/guide/a.md": page(),
            "docs/quiet.md": page(),
            "docs/drafts/b.md": page(),
            "docs/x.inc.md": page(),
            "docs/keep.inc.md": page(),
            "docs/wip/c.md": page(),
            "docs/old/d.md": page(),
            "docs/templates/e.md": page(),
            "docs/.hidden/f.md": page(),
            "docs/secret/.meta.yml": "---\n# for the whole folder\n---\n".replace("---\n#", "#") + "draft: true\n",
            "docs/secret/g.md": page(),
            "docs/searchless.md": page("search: {exclude: true}"),
        },
    )
    assert published(connector(repository, dialect="mkdocs")) == {
        "docs/index.md": "",
        "docs/guide/a.md": "guide/a/",
        "docs/quiet.md": "quiet/",
        "docs/keep.inc.md": "keep.inc/",
    }


def test_starlight_and_obsidian_have_their_own_addresses_and_hidden_pages(tmp_path: Path):
    starlight = GitRepository.create(
        tmp_path / "starlight",
        {
            "README.md": page(),
            "src/content/docs/index.mdx": page(),
            "src/content/docs/Guides/Getting Started.md": page(),
            "src/content/docs/a.md": page("slug: else/where"),
            "src/content/docs/b.md": page("pagefind: false"),
            "src/content/docs/c.md": page("draft: true"),
            "src/content/docs/_d.md": page(),
            "src/content/docs/de/a.md": page(),
        },
    )
    reader = connector(starlight, dialect="starlight", languages=["de"])
    assert published(reader) == {
        "src/content/docs/index.mdx": "",
        "src/content/docs/Guides/Getting Started.md": "guides/getting-started/",
        "src/content/docs/a.md": "else/where/",
        "src/content/docs/de/a.md": "de/a/",
    }
    obsidian = GitRepository.create(
        tmp_path / "obsidian",
        {
            ".obsidian/templates.json": json.dumps({"folder": "Meta/Vorlagen"}),
            "Meta/Vorlagen/t.md": page(),
            "Templates/no template here.md": page("publish: true"),
            ".trash/x.md": page(),
            "A Note.md": page("publish: true"),
            "b.md": page("publish: false"),
            "c.md": page("permalink: see/c\npublish: true"),
            "d.md": page(),
        },
    )
    everything = {"Templates/no template here.md": "Templates/no+template+here", "A Note.md": "A+Note", "c.md": "see/c"}
    assert published(connector(obsidian, dialect="obsidian", publish_opt_in=True)) == everything
    assert published(connector(obsidian, dialect="obsidian")) == everything | {"d.md": "d"}


# --- a site that cannot be read


@pytest.mark.parametrize(
    ("dialect", "broken"),
    [
        ("jekyll", {"_config.yml": "exclude: [a\n"}),
        ("jekyll", {"_config.yml": "- a list\n"}),
        ("jekyll", {"_config.yml": "timezone: Mars/Phobos\n"}),
        ("hugo", {"hugo.toml": "a = [\n"}),
        ("hugo", {"hugo.toml": "ignoreFiles = ['(']\n"}),
        ("hugo", {}),
        ("mkdocs", {"mkdocs.yml": "exclude_docs: [a, b]\n"}),
        ("mkdocs", {"mkdocs.yml": "INHERIT: ../elsewhere.yml\n"}),
        ("mkdocs", {"mkdocs.yml": "a: 1\na: 2\n"}),
        ("mkdocs", {}),
        ("obsidian", {".obsidian/templates.json": "{"}),
    ],
)
def test_a_site_whose_configuration_cannot_be_read_is_unknown_and_never_public_as_a_whole(
    tmp_path: Path, dialect: str, broken: dict[str, str]
):
    repository = site(tmp_path, {"docs/a.md": page(), "content/a.md": page(), "a.md": page(), **broken})
    reader = connector(repository, dialect=dialect)
    listing = reader.list_documents()
    assert not listing.complete
    assert "no page is known to be public" in listing.proof.problem
    assert all(one.unreadable for one in listing.documents.values())
    for doc_id in ("a.md", "never.md"):
        assert reader.probe(doc_id) is Presence.UNKNOWN
    with pytest.raises(DocumentUnreadable):
        reader.fetch("a.md")


def test_a_configuration_that_is_kept_elsewhere_is_said_to_be_and_one_that_is_named_must_be_there(tmp_path: Path):
    repository = site(tmp_path, {"a.md": page(), "sub/mkdocs.yml": "docs_dir: ../text\n", "text/b.md": page()})
    assert published(connector(repository, dialect="hugo", site_config="")) == {"a.md": "a/", "text/b.md": "text/b/"}
    assert published(connector(repository, dialect="mkdocs", site_config="sub/mkdocs.yml")) == {"text/b.md": "b/"}
    assert not connector(repository, dialect="mkdocs", site_config="mkdocs.yml").list_documents().complete


def test_a_configuration_that_is_a_link_is_not_taken_for_none(tmp_path: Path):
    repository = site(tmp_path, {"a.md": page(), "real.yml": "exclude: [a.md]\n"})
    (repository.folder / "_config.yml").symlink_to("real.yml")
    repository.commit_all()
    listing = connector(repository, dialect="jekyll").list_documents()
    assert not listing.complete
    assert "link" in listing.proof.problem


# --- languages and roots


def test_languages_come_from_folder_suffix_or_the_page_itself(tmp_path: Path):
    repository = site(
        tmp_path,
        {
            "docs/a.md": page(),
            "docs/a.de.md": page(),
            "docs/pt-br/a.md": page(),
            "docs/index.de.md": page(),
            "docs/v1.2.md": page(),
            "docs/own.md": page("lang: fr"),
        },
    )
    options = {"root": "docs", "lang": "en", "languages": {"de": "de", "pt-br": "pt-BR"}}
    reader = connector(repository, base_url=f"{SITE}{{lang}}/{{page}}", **options)
    assert {doc_id: (reader.fetch(doc_id).lang, url) for doc_id, url in published(reader).items()} == {
        "docs/a.md": ("en", "en/a"),
        "docs/a.de.md": ("de", "de/a"),
        "docs/pt-br/a.md": ("pt-BR", "pt-BR/a"),
        "docs/index.de.md": ("de", "de/"),
        "docs/v1.2.md": ("en", "en/v1.2"),
        "docs/own.md": ("fr", "en/own"),
    }
    optional = published(connector(repository, base_url=f"{SITE}{{lang/}}{{page}}", **options))
    assert (optional["docs/a.md"], optional["docs/a.de.md"]) == ("a", "de/a")
    plain = published(connector(repository, **options))
    assert (plain["docs/pt-br/a.md"], plain["docs/a.de.md"]) == ("pt-br/a", "a")


def test_a_section_file_of_one_language_says_nothing_of_the_others(tmp_path: Path):
    repository = site(
        tmp_path,
        {
            "s/a.md": page(),
            "s/a.de.md": page(),
            "s/_index.de.md": page("cascade: {draft: true}"),
            "s/_index.png": "---\n\x00\x01\x02 no text, and cascade\n---\n",
        },
    )
    assert set(published(connector(repository))) == {"s/a.md", "s/a.de.md", "s/_index.de.md"}
    assert set(published(connector(repository, languages=["de"]))) == {"s/a.md"}


def test_without_the_option_no_language_is_read_from_a_path(tmp_path: Path):
    repository = site(tmp_path, {"de/a.md": page(), "b.de.md": page()})
    reader = connector(repository)
    assert published(reader) == {"de/a.md": "de/a", "b.de.md": "b.de"}
    assert {reader.fetch(doc_id).lang for doc_id in ("de/a.md", "b.de.md")} == {None}


def test_several_roots_keep_repository_paths_as_ids_and_have_their_own_settings(tmp_path: Path):
    repository = site(tmp_path, {"docs/a.md": page(), "docs/old/b.md": page(), "blog/c.md": page(), "d.md": page()})
    roots = [
        {"path": "docs/old", "base_url": "https://old.example.org/{page}", "content_type": "archive"},
        {"path": "blog", "lang": "de"},
    ]
    alone = connector(repository, root="docs").list_documents().documents
    reader = connector(repository, root="docs", roots=roots, lang="en")
    listing = reader.list_documents()
    assert set(listing.documents) == {"docs/a.md", "docs/old/b.md", "blog/c.md"}
    assert alone.items() <= listing.documents.items()
    fetched = {doc_id: reader.fetch(doc_id) for doc_id in listing.documents}
    assert {doc_id: (one.url, one.lang, one.content_type) for doc_id, one in fetched.items()} == {
        "docs/a.md": (f"{SITE}a", "en", "page"),
        "docs/old/b.md": ("https://old.example.org/b", "en", "archive"),
        "blog/c.md": (f"{SITE}c", "de", "page"),
    }


def test_a_root_that_is_missing_is_named_and_proves_nothing_about_the_others(tmp_path: Path):
    repository = site(tmp_path, {"docs/a.md": page()})
    (repository.folder / "blog").symlink_to("docs")
    repository.commit_all()
    for missing, words in (("news", "no folder `news`"), ("blog", "a symlink of that name")):
        reader = connector(repository, roots=["docs", missing])
        listing = reader.list_documents()
        assert not listing.complete
        assert words in listing.proof.problem
        assert reader.probe("docs/gone.md") is Presence.UNKNOWN


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"root": "a", "roots": ["a/"]}, "once"),
        ({"roots": ["../up"]}, "roots"),
        ({"dialect": "gatsby"}, "dialect"),
        ({"dialect": "docusaurus", "site_config": "docusaurus.config.js"}, "site_config"),
        ({"roots": [{"path": "a", "include": ["*"]}]}, "roots"),
    ],
)
def test_options_that_mean_nothing_are_refused_by_name(options: dict[str, Any], word: str):
    with pytest.raises(ConfigError, match=word):
        check("git_markdown", "s", {"location": "/x", **options})


def test_a_listing_names_its_scope_and_a_narrower_pattern_shows(tmp_path: Path):
    repository = site(tmp_path, {"docs/a.md": page()})
    wide = connector(repository, root="docs").list_documents().proof.scope
    repository.commit({"docs/b.md": page()})
    assert connector(repository, root="docs").list_documents().proof.scope == wide
    for change in ({"include": ["a*.md"]}, {"exclude": ["b*"]}, {"ref": "main"}, {"roots": ["docs"], "root": ""}):
        other = connector(repository, **{"root": "docs", **change}).list_documents().proof.scope
        assert (other == wide) is (change.get("roots") is not None)


def test_a_scope_never_holds_a_secret():
    from include.connectors.git_snapshot import scope

    for location in ("https://user:hunter2@h.example/r.git?key=hunter2", "ssh://hunter2@h/r", "git@h:r.git"):
        assert "hunter2" not in scope(location, GitMarkdownOptions(location=location))
