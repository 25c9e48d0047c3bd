"""The configuration of a Hugo site: one file or a folder of files, and the content folders that it names. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from include.connectors.git_site import Tree, as_mapping, below, folder_of, join
from include.domain.errors import DocumentUnreadable
from include.text import front_matter

SETTINGS_SUFFIXES = (".toml", ".yaml", ".yml", ".json")
_DEFAULT_FOLDER = "config/_default"
_FILTERS = frozenset({"files", "includefiles", "excludefiles", "sites"})


@dataclass(frozen=True, slots=True)
class Content:
    """A folder whose files are content. `at`: where they are mounted below the content root."""

    folder: str
    lang: str | None = None
    at: str = ""


def all_settings(path: str | None, settings: Mapping[str, object], tree: Tree) -> Mapping[str, object]:
    """The configuration's file, or every file of its folder (`languages.toml` holds what is below `languages`), and
    what is different in production laid over it. Raises DocumentUnreadable for one that cannot be read."""
    result = lowered(settings)
    folder = folder_of(path)
    if not folder.endswith(_DEFAULT_FOLDER):
        return result
    for environment in (folder, folder.removesuffix("_default") + "production"):
        for other in sorted(tree.files):
            stem, suffix = posixpath.splitext(below(environment, other) or "")
            if suffix not in SETTINGS_SUFFIXES or "/" in stem or other == path:
                continue
            given = lowered(front_matter.read_settings(other, tree.read(other)))
            key, _, lang = stem.lower().partition(".")
            if key in ("hugo", "config"):
                result |= given
            elif not lang:  # `menus.de.toml` is that of one language
                result[key] = {**as_mapping(result.get(key)), **given} if key != "cascade" else given
    return result


def content_folders(
    root: str, path: str | None, settings: Mapping[str, object], languages: Mapping[str, Mapping[str, object]]
) -> Sequence[Content]:
    """Inner folders before the outer ones. Without a configuration the root is the only one. Raises
    DocumentUnreadable where it cannot be told which files are content."""
    if path is None:
        return [Content(root)]
    base = re.sub(rf"(?:^|/){_DEFAULT_FOLDER}$", "", folder_of(path))
    found = _mounted(base, path, settings) or _named(base, settings, languages)
    return sorted(found, key=lambda one: len(one.folder), reverse=True)


def lowered(fields: Mapping[str, object]) -> dict[str, object]:
    return {name.lower(): value for name, value in fields.items()}


def is_on(settings: Mapping[str, object], name: str) -> bool:
    return front_matter.is_true(front_matter.text_of(settings, name))


def _mounted(base: str, path: str, settings: Mapping[str, object]) -> list[Content]:
    mounts = as_mapping(settings.get("module")).get("mounts")
    found = []
    for mount in [lowered(as_mapping(one)) for one in mounts] if isinstance(mounts, list) else []:
        target = front_matter.text_of(mount, "target").strip("/")
        if target != "content" and not target.startswith("content/"):
            continue
        if _FILTERS & set(mount):
            raise DocumentUnreadable(f"{path}: a mount of content with a filter cannot be judged")
        source = front_matter.text_of(mount, "source").strip("./")
        lang = front_matter.text_of(mount, "lang") or None
        found.append(Content(join(base, source), lang, target.removeprefix("content").strip("/")))
    return found


def _named(base: str, settings: Mapping[str, object], languages: Mapping[str, Mapping[str, object]]) -> list[Content]:
    default = front_matter.text_of(settings, "contentdir").strip("./") or "content"
    own = {
        name: folder.strip("./")
        for name, given in languages.items()
        if (folder := front_matter.text_of(given, "contentdir"))
    }
    found = [Content(join(base, folder), name) for name, folder in own.items()]
    return found if default in own.values() else [*found, Content(join(base, default))]
