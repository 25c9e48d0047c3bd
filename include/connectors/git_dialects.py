"""The dialects by name, and those of generators whose configuration is a program or says nothing of visibility. Pure.

After https://docusaurus.io/docs (create a doc, docs plugin), https://starlight.astro.build/reference/frontmatter and
https://help.obsidian.md/publish. What a `docusaurus.config.js` or `astro.config.mjs` excludes must be excluded by a
pattern here.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping
from typing import ClassVar

from include.connectors.git_hugo import HugoSite
from include.connectors.git_jekyll import JekyllSite
from include.connectors.git_mkdocs import MkdocsSite
from include.connectors.git_options import GitMarkdownOptions
from include.connectors.git_paths import url_path
from include.connectors.git_site import Page, Site, Tree, below, join
from include.domain.errors import DocumentUnreadable
from include.text import front_matter

_TRANSLATED = re.compile(r"(?:.*/)?i18n/([^/]+)/docusaurus-plugin-content-docs[^/]*/(?:current|version-([^/]+))/(.+)")
_NUMBERED = re.compile(r"\d+\s*[-_.]+\s*(.+)")
_NO_NUMBER = re.compile(r"(?:\d{2}|\d{4})[-_.]\d{2}(?:[-_.](?:\d{2}|\d{4}))?|\d+[-_.]\d+")
_CONTENT_DOCS = "src/content/docs"
_TEMPLATE_SETTINGS = (
    (".obsidian/templates.json", "folder"),
    (".obsidian/plugins/templater-obsidian/data.json", "templates_folder"),
)
_TEMPLATE_FOLDERS = ("templates", "_templates")


class DocusaurusSite(Site):
    """The files of the docs plugin. Translations are found below `i18n` without any option."""

    def page(self, doc_id: str) -> Page:
        translated = _TRANSLATED.fullmatch(doc_id)
        if translated is None:
            return super().page(doc_id)
        name, version, path = translated.groups()
        lang = self.languages.get(name.lower(), name)
        return Page(doc_id, path, join(version or "", self._without_language(path)[0]), lang, f"{name}/")

    def why_no_page(self, page: Page) -> str:
        partial = next((part for part in page.path.split("/") if part.startswith("_") or part == "__tests__"), "")
        return f"`{partial}` is a partial" if partial else ""

    def site_path(self, page: Page, fields: Mapping[str, object]) -> str:
        folder = "/".join(_unnumbered(part) for part in page.folder.split("/"))
        slug = front_matter.text_of(fields, "slug")
        own = slug or front_matter.text_of(fields, "id")
        if own.startswith("/"):
            return url_path(own.strip("/"))
        stem = _unnumbered(page.stem)
        if not own and stem.lower() in ("index", "readme", folder.rpartition("/")[2].lower()):
            return url_path(folder)
        path = posixpath.normpath(join(folder, own or stem)).strip("/")
        return "" if path == "." else url_path(path)

    def former_paths(self, page: Page, fields: Mapping[str, object]) -> tuple[str, ...]:
        return ()

    def _overridden(self, url: str, fields: Mapping[str, object]) -> str:
        return url


class StarlightSite(Site):
    """The collection `docs` of an Astro site."""

    def __init__(self, root: str, options: GitMarkdownOptions, tree: Tree) -> None:
        super().__init__(root, options, tree)
        if f"{_CONTENT_DOCS}/" not in f"{root}/":
            inside = join(root, _CONTENT_DOCS)
            if any(path.startswith(f"{inside}/") for path in tree.files):
                self.folder = inside

    def why_no_page(self, page: Page) -> str:
        if below(self.folder, page.doc_id) is None:
            return f"outside `{self.folder}`"
        partial = next((part for part in page.path.split("/") if part.startswith("_")), "")
        return f"`{partial}` is no page" if partial else ""

    def site_path(self, page: Page, fields: Mapping[str, object]) -> str:
        path = front_matter.text_of(fields, "slug").strip("/")
        if not path:
            named = page.folder if page.stem == "index" else page.name
            path = "/".join(re.sub(r"[^\w\- ]", "", part.lower()).replace(" ", "-") for part in named.split("/"))
        elif page.prefix:
            path = path.removeprefix(page.prefix)  # a slug names the language itself
        return f"{url_path(path)}/" if path else ""

    def former_paths(self, page: Page, fields: Mapping[str, object]) -> tuple[str, ...]:
        return ()

    def _overridden(self, url: str, fields: Mapping[str, object]) -> str:
        return url


class ObsidianSite(Site):
    """A vault. Aliases are other names of a note; only one that is a note's whole path leads from there to here."""

    def __init__(self, root: str, options: GitMarkdownOptions, tree: Tree) -> None:
        super().__init__(root, options, tree)
        self._templates = {folder.lower() for folder in self._template_folders()}

    def why_no_page(self, page: Page) -> str:
        folders = page.path.lower().split("/")[:-1]
        dotted = next((part for part in page.path.split("/") if part.startswith(".")), "")
        if dotted:
            return f"`{dotted}` is no note"
        here = "/".join(folders)
        is_template = any(here == one or here.startswith(f"{one}/") for one in self._templates)
        return "a template" if is_template else ""

    def site_path(self, page: Page, fields: Mapping[str, object]) -> str:
        own = front_matter.text_of(fields, "permalink").strip("/")
        return url_path((own or page.name).replace(" ", "+"), safe="/+")

    def former_paths(self, page: Page, fields: Mapping[str, object]) -> tuple[str, ...]:
        named = front_matter.texts_of(fields, "aliases", "alias")
        return tuple(f"/{name.replace(' ', '+')}" for name in named if "/" in name.strip("/"))

    def _overridden(self, url: str, fields: Mapping[str, object]) -> str:
        return url

    def _template_folders(self) -> list[str]:
        found = []
        for name, key in _TEMPLATE_SETTINGS:
            path = join(self.root, name)
            if path not in self.tree.files:
                continue
            try:
                folder = json.loads(self.tree.read(path)).get(key) or ""
            except (ValueError, AttributeError) as error:
                raise DocumentUnreadable(f"{path} cannot be read: {error}") from error
            found.append(str(folder).strip("/"))
        return [folder for folder in found if folder] or list(_TEMPLATE_FOLDERS)


class PlainSite(Site):
    """No particular generator. What a page inherits hides it and nothing more, as it always was."""

    inherits_metadata: ClassVar = False


_DIALECTS: Mapping[str, type[Site]] = {
    "plain": PlainSite,
    "hugo": HugoSite,
    "jekyll": JekyllSite,
    "docusaurus": DocusaurusSite,
    "mkdocs": MkdocsSite,
    "starlight": StarlightSite,
    "obsidian": ObsidianSite,
}


def open_site(root: str, options: GitMarkdownOptions, tree: Tree) -> Site:
    """The site of one root in the dialect of the options. Raises DocumentUnreadable when its configuration cannot be
    read: then nothing is known of any of its pages."""
    return _DIALECTS[options.dialect](root, options, tree)


def _unnumbered(name: str) -> str:
    """`01-intro` is `intro`; dates and versions keep their numbers."""
    numbered = _NUMBERED.fullmatch(name)
    return numbered[1] if numbered and not _NO_NUMBER.match(name) else name
