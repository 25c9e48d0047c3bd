"""A content folder of a repository as a site generator sees it: which files are pages, and where they end up. Pure.

`Site` is the careful union of what all generators say. Each dialect derives from it and changes what its generator
does differently; a switch that hides a page in one of them (`draft: true`, `noindex`) hides it in all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from pathlib import PurePosixPath
from typing import ClassVar
from urllib.parse import urljoin
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from include.connectors.git_options import GitMarkdownOptions
from include.connectors.git_paths import url_path
from include.connectors.git_visibility import BlobFields, passed_on
from include.domain.date_candidates import DateCandidate
from include.domain.errors import DocumentUnreadable
from include.domain.written_dates import Conventions
from include.text import front_matter, front_matter_dates

INDEX_NAMES = ("index", "_index", "readme")
_ABSOLUTE = re.compile(r"https?://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Tree:
    """What a dialect may look at of a commit. `files` are ids of regular files, `others` of links and submodules;
    `read` gives the text of one file and raises DocumentUnreadable if it is none."""

    files: frozenset[str]
    others: frozenset[str]
    read: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Page:
    """One file of a site. `path` is below the content folder; `name` is that without suffix and language; `prefix` is
    what the site puts before the addresses of a language (`de/`)."""

    doc_id: str
    path: str
    name: str
    lang: str | None = None
    prefix: str = ""

    @property
    def stem(self) -> str:
        return self.name.rpartition("/")[2]

    @property
    def folder(self) -> str:
        """Without a slash at the end; empty at the top."""
        return self.name.rpartition("/")[0]


class Site:
    """The pages of one root. Raises DocumentUnreadable when built from a configuration that cannot be read: then
    nothing is known of any page."""

    setting_names: ClassVar[tuple[str, ...]] = ()
    """Files that may hold the site's configuration, looked for in the root and above."""
    needs_settings: ClassVar[bool] = False
    """Whether the generator builds nothing without one."""
    inherits_metadata: ClassVar[bool] = True
    """Whether title, dates and address may come from what a page inherits, so that its version covers it."""

    def __init__(self, root: str, options: GitMarkdownOptions, tree: Tree) -> None:
        self.root = root
        self.options = options
        self.tree = tree
        self.languages = {name.lower(): lang for name, lang in options.languages.items()}
        self.settings_path = self._find_settings()
        self.settings: Mapping[str, object] = {}
        if self.settings_path:
            self.settings = front_matter.read_settings(self.settings_path, tree.read(self.settings_path))
        self.zone = self._zone(options.time_zone or front_matter.text_of(self.settings, "timezone"))
        self.folder = root
        self.stamp = ""  # what else decides over addresses, for the versions

    # --- what a page is

    def page(self, doc_id: str) -> Page:
        path = below(self.folder, doc_id)
        if path is None:
            path = below(self.root, doc_id) or doc_id
        first, slash, rest = path.partition("/")
        if slash and first.lower() in self.languages:
            name, _ = self._without_language(rest)
            return Page(doc_id, path, name, self.languages[first.lower()], f"{first}/")
        name, lang = self._without_language(path)
        return Page(doc_id, path, name, lang)

    def why_no_page(self, page: Page) -> str:
        """Why the path alone says that this is no public page; empty if it does not."""
        return ""

    def inherited(self, page: Page, folder_files: Sequence[tuple[str, BlobFields]]) -> Mapping[str, object]:
        """What a page gets from the folders above it, the nearest one winning. `folder_files` come from the top
        down. Raises DocumentUnreadable when that cannot be told."""
        result: dict[str, object] = {}
        for path, fields in folder_files:
            if self._is_in_its_language(path, page):
                result.update(passed_on(path, fields))
        return result

    def is_public(self, page: Page, fields: Mapping[str, object], now: datetime) -> tuple[bool, str]:
        """With everything that is inherited. Raises DocumentUnreadable when it cannot be told."""
        if self.options.publish_opt_in and front_matter.text_of(fields, "publish").lower() not in ("true", "yes"):
            return False, "no `publish: true`"
        return front_matter.is_public(fields, now, date_schedules=self.options.future_date_hides, zone=self.zone)

    @property
    def conventions(self) -> Conventions:
        """How dates are written here: a declared time zone wins over that of the site's configuration."""
        has_zone = bool(self.options.time_zone or front_matter.text_of(self.settings, "timezone"))
        return replace(self.options.conventions, zone=self.zone, zone_is_declared=has_zone)

    def dates(self, page: Page, fields: Mapping[str, object]) -> tuple[DateCandidate, ...]:
        """What front matter and the generator's own rules say of the page's dates."""
        return front_matter_dates.date_candidates(fields, self.conventions)

    # --- where it ends up

    def site_path(self, page: Page, fields: Mapping[str, object]) -> str:
        """The page's path on its site below the language's prefix, quoted, without a leading slash; or a whole URL."""
        stem_dropped = page.stem.lower() in INDEX_NAMES
        return url_path(page.folder if stem_dropped else page.name)

    def former_paths(self, page: Page, fields: Mapping[str, object]) -> tuple[str, ...]:
        """Addresses that lead to this page now. Without a leading slash it may be another name of the page."""
        aliases = front_matter.texts_of(fields, "aliases", "redirect_from")
        return tuple(alias for alias in aliases if alias.startswith("/") or _ABSOLUTE.match(alias))

    def address(self, page: Page, fields: Mapping[str, object], template: str, *, commit: str) -> str:
        """The page's URL; see GitMarkdownOptions for the template."""
        own = self.site_path(page, fields)
        if _ABSOLUTE.match(own):
            return own
        lang = page.lang or self.options.lang or ""
        prefix = "" if "{lang}" in template or "{lang/}" in template else url_path(page.prefix)
        url = template.replace("{path}", url_path(page.doc_id)).replace("{page}", f"{prefix}{own}")
        url = url.replace("{commit}", commit)
        url = url.replace("{lang/}", "" if lang == (self.options.lang or "") else f"{lang}/").replace("{lang}", lang)
        return self._overridden(url, fields)

    def _overridden(self, url: str, fields: Mapping[str, object]) -> str:
        """The page's own `url` or `permalink` wins; Jekyll placeholders (`/:title/`) are resolved by its dialect."""
        for name in ("url", "permalink"):
            own = fields.get(name)
            if isinstance(own, str) and re.match(r"https?://|/", own) and "/:" not in own.replace("://", "", 1):
                with suppress(ValueError):  # it is no address, so it is not the page's
                    return urljoin(url, own)
        return url

    def _is_in_its_language(self, path: str, page: Page) -> bool:
        """`_index.de.md` speaks for German pages, and is a name like any other where nobody said that `de` is one."""
        name, lang = self._without_language(path)
        return "." not in name.rpartition("/")[2].lstrip(".") and lang in (None, page.lang)

    # --- the site's configuration

    def _find_settings(self) -> str | None:
        named = self.options.site_config
        if named == "" or (named is None and not self.setting_names):
            return None
        if named is not None:
            if named in self.tree.files:
                return named
            raise DocumentUnreadable(f"the site's configuration `{named}` is no file of this commit")
        folders = [self.root, *(str(parent) for parent in PurePosixPath(self.root).parents)] if self.root else [""]
        for folder in folders:
            for name in self.setting_names:
                path = join("" if folder == "." else folder, name)
                if path in self.tree.others:
                    raise DocumentUnreadable(f"the site's configuration {path} is a link, which is not followed")
                if path in self.tree.files:
                    return path
        if self.needs_settings:
            raise DocumentUnreadable(
                f"there is no configuration of the site ({', '.join(self.setting_names)}) at or above "
                f'`{self.root or "/"}`; name it by site_config, or say `site_config: ""` if it is kept elsewhere'
            )
        return None

    def _zone(self, name: str) -> tzinfo:
        """That of dates without an offset: nine hours early is early enough to publish a secret."""
        try:
            return ZoneInfo(name) if name else UTC
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise DocumentUnreadable(f"{self.settings_path}: the time zone {name!r} is not known here") from error

    def _without_language(self, path: str) -> tuple[str, str | None]:
        """(path without suffix and language, language) of `guide/intro.de.md`."""
        pure = PurePosixPath(path)
        bare = pure.with_suffix("")
        lang = self.languages.get(bare.suffix[1:].lower()) if bare.suffix else None
        return str(bare.with_suffix("")) if lang else str(bare), lang


def below(folder: str, path: str) -> str | None:
    """The path seen from the folder, None if it is not in it."""
    if not folder:
        return path
    return path[len(folder) + 1 :] if path.startswith(f"{folder}/") else None


def join(*parts: str) -> str:
    return "/".join(part for part in parts if part)


def folder_of(path: str | None) -> str:
    return (path or "").rpartition("/")[0]


def ancestors(path: str) -> Iterable[str]:
    """Every folder of a path, the top one first, and the path itself."""
    parts = path.split("/")
    return ("/".join(parts[: count + 1]) for count in range(len(parts)))


def as_mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def as_texts(value: object) -> tuple[str, ...]:
    """One text or a list of them."""
    return tuple(item for item in (value if isinstance(value, list) else [value]) if isinstance(item, str) and item)
