"""The dialect `mkdocs`: `docs_dir`, `exclude_docs` and `draft_docs` of `mkdocs.yml`, `.meta.yml` of a folder. Pure.

After https://www.mkdocs.org/user-guide/configuration; patterns are read by the library that MkDocs reads them with.
`not_in_nav` silences a warning and hides nothing.
"""

from __future__ import annotations

import fnmatch
import posixpath
import re
from collections.abc import Mapping
from typing import ClassVar

from pathspec import GitIgnoreSpec

from include.connectors.git_options import GitMarkdownOptions
from include.connectors.git_paths import url_path
from include.connectors.git_site import Page, Site, Tree, as_mapping, as_texts, below, folder_of, join
from include.domain.errors import DocumentUnreadable
from include.text import front_matter

_ALWAYS_EXCLUDED = (".*", "/templates/")
_MOST_PARENTS = 10


class MkdocsSite(Site):
    """Pages are found from `docs_dir`."""

    setting_names: ClassVar = ("mkdocs.yml", "mkdocs.yaml")
    needs_settings: ClassVar = True

    def __init__(self, root: str, options: GitMarkdownOptions, tree: Tree) -> None:
        super().__init__(root, options, tree)
        if self.settings_path:
            self.settings = self._with_parents(self.settings_path, self.settings)
            docs = front_matter.text_of(self.settings, "docs_dir") or "docs"
            self.folder = posixpath.normpath(join(folder_of(self.settings_path), docs))
            if docs.startswith("/") or self.folder.startswith(".."):
                raise DocumentUnreadable(f"{self.settings_path}: docs_dir {docs!r} is not in this repository")
            self.folder = "" if self.folder == "." else self.folder
        self._excluded = self._patterns("exclude_docs", _ALWAYS_EXCLUDED)
        self._drafts = self._patterns("draft_docs", ())
        self._globs, self._regexes = self._exclude_plugin()
        self._in_folders = (front_matter.text_of(self.settings, "use_directory_urls") or "true").lower() == "true"
        self.stamp = "" if self._in_folders else "no directory urls"

    def why_no_page(self, page: Page) -> str:
        if below(self.folder, page.doc_id) is None:
            return f"outside docs_dir `{self.folder}`"
        if self._excluded.match_file(page.path):
            return "exclude_docs"
        if self._drafts.match_file(page.path):
            return "draft_docs"
        if any(fnmatch.fnmatchcase(page.path, glob) for glob in self._globs) or any(
            regex.match(page.path) for regex in self._regexes
        ):
            return "the plugin `exclude`"
        if page.stem == "README" and join(folder_of(page.doc_id), "index.md") in self.tree.files:
            return "index.md takes its place"
        return ""

    def site_path(self, page: Page, fields: Mapping[str, object]) -> str:
        path = page.folder if page.stem in ("index", "README") else page.name
        if self._in_folders:
            return f"{url_path(path)}/" if path else ""
        return url_path(f"{path}.html" if path == page.name else join(path, "index.html"))

    def former_paths(self, page: Page, fields: Mapping[str, object]) -> tuple[str, ...]:
        return ()

    def _overridden(self, url: str, fields: Mapping[str, object]) -> str:
        return url

    def _with_parents(self, path: str, settings: Mapping[str, object]) -> Mapping[str, object]:
        """`INHERIT` names a file whose settings hold where this one is silent."""
        result, seen = dict(settings), [path]
        while parent := front_matter.text_of(settings, "INHERIT"):
            path = posixpath.normpath(join(folder_of(path), parent))
            if path not in self.tree.files or path in seen or len(seen) > _MOST_PARENTS:
                raise DocumentUnreadable(f"{seen[-1]}: INHERIT names {parent!r}, which is no file of this commit")
            seen.append(path)
            settings = front_matter.read_settings(path, self.tree.read(path))
            result = {**settings, **result}
        return result

    def _patterns(self, name: str, always: tuple[str, ...]) -> GitIgnoreSpec:
        given = self.settings.get(name, "")
        if not isinstance(given, str):
            raise DocumentUnreadable(f"{self.settings_path}: {name} is no text of patterns")
        return GitIgnoreSpec.from_lines([*always, *given.splitlines()])

    def _exclude_plugin(self) -> tuple[tuple[str, ...], tuple[re.Pattern[str], ...]]:
        plugins = self.settings.get("plugins")
        named = [as_mapping(one) for one in plugins] if isinstance(plugins, list) else [as_mapping(plugins)]
        given = next((as_mapping(one["exclude"]) for one in named if "exclude" in one), {})
        try:
            return as_texts(given.get("glob")), tuple(re.compile(text) for text in as_texts(given.get("regex")))
        except re.error as error:
            raise DocumentUnreadable(f"{self.settings_path}: the plugin `exclude`: {error}") from error
