"""The dialect `hugo`: content folders and languages of the configuration, cascades with targets, bundles. Pure.

After https://gohugo.io (front matter, cascade, build options, page bundles, multilingual, URL management).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import PurePosixPath
from typing import ClassVar

from include.connectors.git_hugo_settings import (
    SETTINGS_SUFFIXES,
    Content,
    all_settings,
    content_folders,
    is_on,
    lowered,
)
from include.connectors.git_options import GitMarkdownOptions
from include.connectors.git_paths import url_path
from include.connectors.git_site import Page, Site, Tree, as_mapping, as_texts, below, folder_of, join
from include.connectors.git_visibility import (
    CONTENT_SUFFIXES,
    BlobFields,
    cascades,
    passes_on_whole_file,
    refuse_unreadable,
)
from include.domain.errors import DocumentUnreadable
from include.text import front_matter

_TARGET_KEYS = frozenset({"path", "kind", "lang", "environment"})
_ENVIRONMENT = "production"
_GO_LIVE = ("publishdate", "pubdate", "published")  # the first that is set counts, else `date`
_EXPIRY = ("expirydate", "unpublishdate")
_VISIBILITY = frozenset({"draft", "date", "build", "_build", "headless", *_GO_LIVE, *_EXPIRY})


class HugoSite(Site):
    """Pages are found from the configuration's content folders."""

    setting_names: ClassVar = tuple(
        f"{stem}{suffix}"
        for stem in ("hugo", "config", "config/_default/hugo", "config/_default/config")
        for suffix in SETTINGS_SUFFIXES
    )
    needs_settings: ClassVar = True

    def __init__(self, root: str, options: GitMarkdownOptions, tree: Tree) -> None:
        super().__init__(root, options, tree)
        self._settings = all_settings(self.settings_path, self.settings, tree)
        self.zone = self._zone(front_matter.text_of(self._settings, "timezone"))
        listed = as_mapping(self._settings.get("languages"))
        self._given = {name.lower(): lowered(as_mapping(given)) for name, given in listed.items()}
        self.languages = {name: name for name in self._given} | self.languages
        self._default = front_matter.text_of(self._settings, "defaultcontentlanguage").lower() or "en"
        self._off = {name.lower() for name in as_texts(self._settings.get("disablelanguages"))}
        self._off |= {name for name, given in self._given.items() if is_on(given, "disabled")}
        self._content = content_folders(root, self.settings_path, self._settings, self._given)
        self._ignored = [_regex(text) for text in as_texts(self._settings.get("ignorefiles"))]
        self._taxonomies = self._taxonomy_names()
        self._bundles = self._leaf_bundles()
        urls = (
            "permalinks",
            "uglyurls",
            "defaultcontentlanguage",
            "defaultcontentlanguageinsubdir",
            "disablepathtolower",
        )
        self.stamp = repr([self._settings[name] for name in urls if name in self._settings])

    # --- what a page is

    def page(self, doc_id: str) -> Page:
        content = self._content_of(doc_id)
        if content is None:
            return super().page(doc_id)
        path = below(content.folder, doc_id) or doc_id
        name, suffix_lang = self._without_language(path)
        lang = content.lang or suffix_lang or (self._default if self._given else None)
        return Page(doc_id, path, join(content.at, name), lang, self._prefix(lang))

    def why_no_page(self, page: Page) -> str:
        if self._content_of(page.doc_id) is None:
            return f"outside the content folders {', '.join(one.folder or '/' for one in self._content)}"
        if (page.lang or self._default).lower() in self._off:
            return f"the language {page.lang or self._default} is switched off"
        for ignored in self._ignored:
            if ignored.search(f"/{page.doc_id}"):
                return f"ignoreFiles: {ignored.pattern}"
        own_folder = folder_of(page.doc_id)
        is_index = page.stem == "index"
        for bundle in [*map(str, PurePosixPath(page.doc_id).parents)][:-1]:
            if bundle in self._bundles and not (is_index and bundle == own_folder):
                return f"a resource of the bundle {bundle}, no page of its own"
        return ""

    def inherited(self, page: Page, folder_files: Sequence[tuple[str, BlobFields]]) -> Mapping[str, object]:
        """Cascades that aim at this page; the nearest folder wins, in one file the first entry."""
        result: dict[str, object] = {}
        entries = self._settings.get("cascade")
        own = [as_mapping(one) for one in (entries if isinstance(entries, list) else [entries])]
        for where, cascade in [("the site's configuration", own), *self._folder_cascades(page, folder_files)]:
            here: dict[str, object] = {}
            for entry in cascade:
                entry = lowered(entry)
                if self._is_target(page, entry, where):
                    values = {name: value for name, value in entry.items() if name not in ("target", "_target")}
                    here = values | here
            result |= here
        return result

    def is_public(self, page: Page, fields: Mapping[str, object], now: datetime) -> tuple[bool, str]:
        judged = self._with_usual_names(lowered(fields))
        if is_on(self._settings, "builddrafts"):
            judged.pop("draft", None)
        if is_on(self._settings, "buildexpired"):
            judged = {name: value for name, value in judged.items() if name not in _EXPIRY}
        if is_on(self._settings, "buildfuture"):
            judged = {name: value for name, value in judged.items() if name not in (*_GO_LIVE, "date")}
        dated = [name for name in _GO_LIVE if front_matter.text_of(judged, name)]
        for name in (*dated[1:], *(("date",) if dated else ())):
            judged.pop(name, None)
        return front_matter.is_public(judged, now, date_schedules=True, zone=self.zone)

    def _with_usual_names(self, fields: dict[str, object]) -> dict[str, object]:
        """Dates that decide who sees a page may have names of the site's own (`frontmatter` in its configuration)."""
        configured = lowered(as_mapping(self._settings.get("frontmatter")))
        for usual, defaults in (("publishdate", _GO_LIVE), ("expirydate", _EXPIRY)):
            listed = [name.lower() for name in as_texts(configured.get(usual))]
            named = [one for name in listed for one in (defaults if name == ":default" else (name,))]
            if value := front_matter.text_of(fields, *named):
                fields = {name: one for name, one in fields.items() if name not in defaults} | {usual: value}
        return fields

    # --- where it ends up

    def site_path(self, page: Page, fields: Mapping[str, object]) -> str:
        tokens = self._tokens(page, fields)
        if url := front_matter.text_of(fields, "url"):
            path = _filled(url, tokens)
            if path is not None:
                return _as_folder(path)
        is_section = page.stem.startswith("_index")
        if is_section or page.stem == "index":
            folder, last = page.folder.rpartition("/")[::2]
        else:
            folder, last = page.folder, page.stem
        slug = "" if is_section else front_matter.text_of(fields, "slug")
        pattern = "" if is_section else self._permalink(page)
        path = _filled(pattern, tokens | {"slug": slug or tokens["title"]}) if pattern else None
        if path is None:
            path = join(folder, slug or last)
        if not is_on(self._settings, "disablepathtolower"):
            path = path.lower()
        path = path.replace(" ", "-").strip("/")
        if is_on(self._settings, "uglyurls") and not is_section:
            return f"{url_path(path)}.html"
        return f"{url_path(path)}/" if path else ""

    def former_paths(self, page: Page, fields: Mapping[str, object]) -> tuple[str, ...]:
        """An alias is relative to the page's folder unless it begins with a slash."""
        folder = page.folder.rpartition("/")[0] if page.stem == "index" else page.folder
        return tuple(
            f"/{page.prefix}{posixpath.normpath(join(folder, alias)).strip('./')}"
            if not alias.startswith("/")
            else f"/{page.prefix}{alias.strip('/')}"
            for alias in front_matter.texts_of(fields, "aliases")
        )

    def _overridden(self, url: str, fields: Mapping[str, object]) -> str:
        return url

    # --- the configuration

    def _content_of(self, doc_id: str) -> Content | None:
        return next((one for one in self._content if below(one.folder, doc_id) is not None), None)

    def _prefix(self, lang: str | None) -> str:
        name = (lang or self._default).lower()
        in_folder = name != self._default or is_on(self._settings, "defaultcontentlanguageinsubdir")
        return f"{name}/" if in_folder and (self._given or lang) else ""

    def _leaf_bundles(self) -> frozenset[str]:
        found = set()
        for path in self.tree.files:
            pure = PurePosixPath(path)
            if pure.suffix.lower() in CONTENT_SUFFIXES and pure.name.partition(".")[0] == "index":
                content = self._content_of(path)
                if content is not None and str(pure.parent) not in (content.folder, "."):
                    found.add(str(pure.parent))
        return frozenset(found)

    def _taxonomy_names(self) -> frozenset[str]:
        given = self._settings.get("taxonomies")
        names = [name for name in as_mapping(given).values() if isinstance(name, str)]
        return frozenset(names if isinstance(given, Mapping) else ("tags", "categories"))

    # --- cascades

    def _folder_cascades(
        self, page: Page, folder_files: Sequence[tuple[str, BlobFields]]
    ) -> Iterable[tuple[str, Sequence[Mapping[str, object]]]]:
        for path, fields in folder_files:
            content = self._content_of(path)
            if content is None or passes_on_whole_file(path) or self.page(path).lang not in (None, page.lang):
                continue
            refuse_unreadable(path, fields)
            yield path, cascades(fields)

    def _is_target(self, page: Page, entry: Mapping[str, object], where: str) -> bool:
        target = lowered(as_mapping(entry.get("target", entry.get("_target"))))
        foreign = sorted(set(target) - _TARGET_KEYS)
        if foreign and _VISIBILITY & set(entry):
            raise DocumentUnreadable(
                f"{where}: a cascade that decides who sees a page aims by {', '.join(foreign)}, "
                "which cannot be judged here"
            )
        facts = {
            "path": self._logical_path(page),
            "kind": self._kind(page),
            "lang": (page.lang or self._default).lower(),
            "environment": _ENVIRONMENT,
        }
        return not foreign and all(
            _glob(str(pattern)).fullmatch(facts[name]) for name, pattern in target.items() if pattern
        )

    def _logical_path(self, page: Page) -> str:
        name = page.folder if page.stem in ("index", "_index") else page.name
        return f"/{name}".lower().replace(" ", "-")

    def _kind(self, page: Page) -> str:
        if page.stem != "_index":
            return "page"
        parts = page.folder.split("/") if page.folder else []
        if parts and parts[0] in self._taxonomies:
            return "taxonomy" if len(parts) == 1 else "term"
        return "section" if parts else "home"

    # --- permalinks

    def _permalink(self, page: Page) -> str:
        section = page.folder.partition("/")[0]
        permalinks = as_mapping(self._settings.get("permalinks"))
        by_kind = as_mapping(permalinks.get("page"))
        return front_matter.text_of(by_kind, section) or front_matter.text_of(permalinks, section)

    def _tokens(self, page: Page, fields: Mapping[str, object]) -> dict[str, str]:
        stem = page.folder.rpartition("/")[2] if page.stem == "index" else page.stem
        sections = page.folder.rpartition("/")[0] if page.stem == "index" else page.folder
        slug = front_matter.text_of(fields, "slug")
        title = re.sub(r"[^\w]+", "-", front_matter.text_of(fields, "title").lower()).strip("-")
        tokens = {
            "section": sections.partition("/")[0],
            "sections": sections,
            "title": title or stem,
            "slug": slug or title or stem,
            "filename": stem,
            "slugorfilename": slug or stem,
            "contentbasename": stem,
            "slugorcontentbasename": slug or stem,
        }
        if day := re.match(r"(\d{4})-(\d\d)-(\d\d)", front_matter.text_of(fields, "date", *_GO_LIVE)):
            tokens |= {"year": day[1], "month": day[2], "day": day[3]}
        return tokens


def _filled(template: str, tokens: Mapping[str, str]) -> str | None:
    """None where the template names something that is not among the tokens."""
    path = re.sub(r"(?<!\\):([a-z]+)", lambda found: tokens.get(found[1], found[0]), template)
    return None if re.search(r"(?<!\\):[a-z]", path) or "[" in path else path.replace("\\:", ":")


def _as_folder(path: str) -> str:
    if re.match(r"https?://", path):
        return path
    path = url_path(path.strip("/"))
    return path if not path or "." in path.rpartition("/")[2] else f"{path}/"


def _regex(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise DocumentUnreadable(f"ignoreFiles: {text!r} cannot be read ({error})") from error


def _glob(pattern: str) -> re.Pattern[str]:
    """Hugo's globs: `*` within a folder, `**` across, `{a,b}` one of several."""
    special = {"**": ".*", "*": "[^/]*", "?": "[^/]", "{": "(?:", "}": ")", ",": "|"}
    depth, parts = 0, []
    for token in re.split(r"(\*\*|[*?{},])", pattern):
        depth += (token == "{") - (token == "}")
        parts.append(special[token] if token in special and (token != "," or depth) else re.escape(token))
    try:
        return re.compile("".join(parts), re.IGNORECASE)
    except re.error:
        raise DocumentUnreadable(f"cascade: the pattern {pattern!r} cannot be read") from None
