"""The dialect `jekyll`: posts with a date in their name, collections, defaults by scope, `exclude`, permalinks. Pure.

After https://jekyllrb.com/docs (permalinks, collections, front matter defaults, configuration options).
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from include.connectors.git_options import GitMarkdownOptions
from include.connectors.git_paths import Globs, url_path
from include.connectors.git_site import Page, Site, Tree, ancestors, as_mapping, as_texts, below, folder_of, join
from include.connectors.git_visibility import BlobFields
from include.domain.date_candidates import DateCandidate, DateField, Rank, stated
from include.text import front_matter

_POST = re.compile(r"(\d{2,4}-\d{1,2}-\d{1,2})-(.*)")
_SPECIAL = ("_", ".", "#", "~")
_ALWAYS_EXCLUDED = (
    "Gemfile",
    "gemfiles",
    "node_modules",
    "vendor/bundle/",
    "vendor/cache/",
    "vendor/gems/",
    "vendor/ruby/",
)
_STYLES = {
    "date": "/:categories/:year/:month/:day/:title:output_ext",
    "pretty": "/:categories/:year/:month/:day/:title/",
    "ordinal": "/:categories/:year/:y_day/:title:output_ext",
    "weekdate": "/:categories/:year/W:week/:short_day/:title:output_ext",
    "none": "/:categories/:title:output_ext",
}
_OLD_TYPES = {"page": "pages", "post": "posts", "draft": "drafts"}


@dataclass(frozen=True, slots=True)
class _Kind:
    """`type` as scopes name it; `above` and `inside` are the folders before and after the `_posts` or `_label`."""

    type: str
    above: str = ""
    inside: str = ""


class JekyllSite(Site):
    """Pages are found from the folder of `_config.yml` (its `source`)."""

    setting_names: ClassVar = ("_config.yml", "_config.yaml", "_config.toml")

    def __init__(self, root: str, options: GitMarkdownOptions, tree: Tree) -> None:
        super().__init__(root, options, tree)
        if self.settings_path:
            source = front_matter.text_of(self.settings, "source")
            self.folder = join(folder_of(self.settings_path), source.strip("./"))
        else:  # a root like `docs/_posts` is part of the site above it
            self.folder = re.split(r"(?:^|/)_", root, maxsplit=1)[0]
        collections = self.settings.get("collections")
        if not isinstance(collections, Mapping):
            collections = {label: {} for label in as_texts(collections)}
        self._collections = {label: as_mapping(given) for label, given in collections.items()}
        self._collections_folder = front_matter.text_of(self.settings, "collections_dir").strip("/")
        self._exclude = (*_ALWAYS_EXCLUDED, *_listed(self.settings.get("exclude")))
        self._include = _listed(self.settings.get("include"))
        defaults = self.settings.get("defaults")
        self._defaults = [as_mapping(entry) for entry in defaults] if isinstance(defaults, list) else []
        self._permalink = front_matter.text_of(self.settings, "permalink") or "date"
        self.stamp = repr((self._permalink, self.settings.get("collections")))

    def why_no_page(self, page: Page) -> str:
        if below(self.folder, page.doc_id) is None:
            return f"outside the site's source `{self.folder}`"
        kind = self._kind(page)
        if kind.type == "drafts" and not self._on("show_drafts"):
            return "in _drafts"
        if kind.type == "posts" and not _POST.fullmatch(page.stem):
            return "in _posts without a date in its name"
        if kind.type not in ("pages", "posts", "drafts"):
            output = self._collections[kind.type].get("output")
            if not isinstance(output, str) or not front_matter.is_true(output):
                return f"the collection {kind.type} has no output"
        special = self._special(page, kind)
        if special and not self._is_included(page.path):
            return f"`{special}` is not published"
        return "" if self._is_included(page.path) else self._excluded(page.path)

    def inherited(self, page: Page, folder_files: Sequence[tuple[str, BlobFields]]) -> Mapping[str, object]:
        """`defaults` of the configuration: the longer path wins, at the same length the one with a type."""
        kind = self._kind(page).type
        result: dict[str, object] = {}
        best: tuple[int, bool] | None = None
        for entry in self._defaults:
            scope, values = as_mapping(entry.get("scope")), as_mapping(entry.get("values"))
            path = front_matter.text_of(scope, "path").strip("/")
            scoped = front_matter.text_of(scope, "type")
            if (scoped and _OLD_TYPES.get(scoped, scoped) != kind) or not _in_scope(path, page.path):
                continue
            rank = (len(path), bool(scoped))
            if best is None or rank >= best:
                result, best = {**result, **values}, rank
            else:
                result = {**values, **result}
        return result

    def is_public(self, page: Page, fields: Mapping[str, object], now: datetime) -> tuple[bool, str]:
        kind = self._kind(page).type
        judged = {name: value for name, value in fields.items() if name != "published" or not self._on("unpublished")}
        if kind == "posts" and not front_matter.text_of(fields, "date"):
            judged["date"] = _day(page)
        schedules = kind != "pages" and not self._on("future")
        return front_matter.is_public(judged, now, date_schedules=schedules, zone=self.zone)

    def dates(self, page: Page, fields: Mapping[str, object]) -> tuple[DateCandidate, ...]:
        """The date in a post's name is its date unless its fields say another."""
        own = super().dates(page, fields)
        named = stated(DateField.CREATED, Rank.FRONT_MATTER, "file name", _day(page))
        return (*own, named) if named is not None and self._kind(page).type == "posts" else own

    def site_path(self, page: Page, fields: Mapping[str, object]) -> str:
        kind = self._kind(page)
        own = front_matter.text_of(fields, "permalink")
        template = own or self._template(page, kind)
        path = _filled(template, self._placeholders(page, kind, fields))
        if path is None:  # a placeholder that is not known here
            path = _filled(self._template(page, _Kind("pages")), self._placeholders(page, kind, fields)) or page.name
        return url_path(re.sub(r"/{2,}", "/", path).lstrip("/"))

    def former_paths(self, page: Page, fields: Mapping[str, object]) -> tuple[str, ...]:
        return front_matter.texts_of(fields, "redirect_from")

    def _overridden(self, url: str, fields: Mapping[str, object]) -> str:
        return url  # the permalink is in the page's path already, below the site's own

    def _kind(self, page: Page) -> _Kind:
        parts = page.path.split("/")[:-1]
        for label in ("_posts", "_drafts"):
            if label in parts:
                at = parts.index(label)
                return _Kind(label[1:], "/".join(parts[:at]), "/".join(parts[at + 1 :]))
        inside = below(self._collections_folder, page.path)
        first = (inside or "").partition("/")[0]
        if first.startswith("_") and first[1:] in self._collections:
            return _Kind(first[1:], self._collections_folder, folder_of((inside or "").partition("/")[2]))
        return _Kind("pages")

    def _special(self, page: Page, kind: _Kind) -> str:
        """The first folder or file name that Jekyll passes over, the collection's own folder not counted."""
        inner = page.path if kind.type == "pages" else join(kind.above, kind.inside, page.path.rpartition("/")[2])
        names = inner.split("/")
        return next((name for name in names if name.startswith(_SPECIAL) or name.endswith("~")), "")

    def _is_included(self, path: str) -> bool:
        return any(_matches(pattern, entry) for pattern in self._include for entry in ancestors(path))

    def _excluded(self, path: str) -> str:
        for pattern in self._exclude:
            if any(_matches(pattern, entry) for entry in ancestors(path)):
                return f"excluded by `{pattern}`"
        return ""

    def _on(self, name: str) -> bool:
        return front_matter.is_true(front_matter.text_of(self.settings, name))

    def _template(self, page: Page, kind: _Kind) -> str:
        style = self._permalink
        if kind.type in ("posts", "drafts"):
            given = front_matter.text_of(self._collections.get("posts", {}), "permalink") or style
            return _STYLES.get(given, given)
        if kind.type == "pages":
            if page.stem.lower() in ("index", "readme"):
                return "/:path/"
            suffix = "/" if style == "pretty" or (style not in _STYLES and style.endswith("/")) else ":output_ext"
            return f"/:path/:basename{suffix}"
        given = front_matter.text_of(self._collections[kind.type], "permalink")
        if given:
            return _STYLES.get(given, given)
        return "/:collection/:path" + ("/" if style == "pretty" or style.endswith("/") else ":output_ext")

    def _placeholders(self, page: Page, kind: _Kind, fields: Mapping[str, object]) -> dict[str, str]:
        post = _POST.fullmatch(page.stem) if kind.type == "posts" else None
        base = post[2] if post else page.stem
        slug = front_matter.text_of(fields, "slug")
        found = {
            "output_ext": ".html",
            "basename": page.stem,
            "name": _slugified(base, keep="_-"),
            "title": _slugified(slug or base, keep="._~!$&'()+,;=@-"),
            "slug": _slugified(slug or base, keep="-").lower(),
            "collection": kind.type,
            "path": join(kind.inside, page.stem) if kind.type != "pages" else page.folder,
        }
        if kind.type in ("posts", "drafts"):
            named = front_matter.texts_of(fields, "categories") or front_matter.texts_of(fields, "category")
            given = named[0].split() if len(named) == 1 else named
            found["categories"] = "/".join(
                dict.fromkeys(part.lower() for part in (*kind.above.split("/"), *given) if part)
            )
        date = front_matter.text_of(fields, "date")
        moment = _date(date) or (_date(post[1]) if post else None)
        if moment is not None:
            found |= {
                "year": f"{moment:%Y}",
                "short_year": f"{moment:%y}",
                "month": f"{moment:%m}",
                "i_month": str(moment.month),
                "day": f"{moment:%d}",
                "i_day": str(moment.day),
                "y_day": f"{moment:%j}",
                "hour": f"{moment:%H}",
                "minute": f"{moment:%M}",
                "second": f"{moment:%S}",
            }
        return found


def _listed(value: object) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split(",")) if isinstance(value, str) else as_texts(value)


def _matches(pattern: str, entry: str) -> bool:
    """`*` spans folders here, and a pattern is also the beginning of a path."""
    pattern, entry = f"/{pattern.lstrip('/')}", f"/{entry}"
    return fnmatch.fnmatchcase(entry, pattern) or entry.startswith(pattern) or pattern == f"{entry}/"


def _in_scope(scope: str, path: str) -> bool:
    if "*" in scope:
        globs = Globs([f"/{scope}"])
        return any(globs.match(entry) for entry in ancestors(path))
    return not scope or path == scope or path.startswith(f"{scope}/")


def _filled(template: str, values: Mapping[str, str]) -> str | None:
    """None where the template names something that is not among the values."""
    names = sorted(values, key=len, reverse=True)
    path = re.sub(":(" + "|".join(names) + ")", lambda found: values[found[1]], template) if names else template
    return None if re.search(r":[a-z]", path) else path


def _slugified(text: str, *, keep: str) -> str:
    return re.sub(rf"[^\w{re.escape(keep)}]+", "-", text).strip("-")


def _day(page: Page) -> str:
    """The date in a post's name, as ISO 8601 where it has four digits of a year."""
    post = _POST.fullmatch(page.stem)
    if post is None:
        return ""
    year, month, day = post[1].split("-")
    return f"{year:0>4}-{month:0>2}-{day:0>2}" if len(year) == 4 else post[1]


def _date(text: str) -> datetime | None:
    """Only the calendar day as it is written: Jekyll shows a post's day in the zone of its date."""
    found = re.match(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]+(\d\d?):(\d\d)(?::(\d\d))?)?", text)
    if not found:
        return None
    try:
        return datetime(*(int(part or 0) for part in found.groups()))  # type: ignore[arg-type]  # noqa: DTZ001
    except ValueError:
        return None
