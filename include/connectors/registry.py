"""Which kinds of connector exist, how their options are checked, and how one is built.

A new kind is one line in `KINDS`: its options model and a function that builds it. A preset is a YAML fragment of
options (config/presets/<name>.yaml) that names its kind; the user's own options are laid over it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from include.connectors.credentials import Credentials
from include.connectors.git_markdown import GitMarkdownConnector
from include.connectors.git_options import GitMarkdownOptions
from include.connectors.git_purge import GitPurge
from include.connectors.http_json import HttpJsonConnector
from include.connectors.http_options import HttpJsonOptions
from include.connectors.sitemap import SitemapConnector
from include.connectors.sitemap_options import SitemapOptions
from include.connectors.wordpress import WordPressConnector
from include.connectors.wordpress_options import WordPressOptions
from include.domain.errors import ConfigError
from include.domain.redaction import shown_value
from include.ports import Clock, Connector, Purging

PRESETS = Path(__file__).parents[2] / "config" / "presets"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a connector is given besides its options. `cache_dir` may hold anything that can be fetched again."""

    clock: Clock
    cache_dir: Path
    credentials: Credentials | None = None


@dataclass(frozen=True, slots=True)
class PurgeOptions:
    """How documents are removed: by whose commits, a name and an address; and whether their branch is pushed."""

    author: tuple[str, str]
    push: bool


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of connector: the model of its options, and how an instance is made. `purge` makes what takes documents
    out of such a source, where it may be ours to write."""

    options: type[BaseModel]
    build: Callable[[str, Any, Surroundings], Connector]
    purge: Callable[[str, Any, Surroundings, PurgeOptions], Purging] | None = None


def _git_markdown(source: str, options: GitMarkdownOptions, given: Surroundings) -> Connector:
    return GitMarkdownConnector(
        source, options, clock=given.clock, cache_dir=given.cache_dir, credentials=given.credentials
    )


def _purge_git(source: str, options: GitMarkdownOptions, given: Surroundings, chosen: PurgeOptions) -> Purging:
    return GitPurge(
        source,
        options,
        cache_dir=given.cache_dir,
        author=chosen.author,
        push=chosen.push,
        credentials=given.credentials,
    )


def _http_json(source: str, options: HttpJsonOptions, given: Surroundings) -> Connector:
    return HttpJsonConnector(source, options, clock=given.clock, credentials=given.credentials)


def _sitemap(source: str, options: SitemapOptions, given: Surroundings) -> Connector:
    return SitemapConnector(
        source, options, clock=given.clock, cache_dir=given.cache_dir, credentials=given.credentials
    )


def _wordpress(source: str, options: WordPressOptions, given: Surroundings) -> Connector:
    return WordPressConnector(source, options, clock=given.clock, credentials=given.credentials)


KINDS: Mapping[str, Kind] = {
    "git_markdown": Kind(GitMarkdownOptions, _git_markdown, _purge_git),
    "http_json": Kind(HttpJsonOptions, _http_json),
    "sitemap": Kind(SitemapOptions, _sitemap),
    "wordpress": Kind(WordPressOptions, _wordpress),
}


def check(
    kind: str,
    source: str,
    options: Mapping[str, object],
    *,
    file: str = "config/truecopy.yaml",
    presets_dir: Path = PRESETS,
) -> BaseModel:
    """The validated options, preset applied. Raises ConfigError naming file, key, value and what is allowed."""
    where = f"{file}: sources.{source}"
    if kind not in KINDS:
        raise ConfigError(f"{where}.kind: {kind!r} is not a kind of connector; allowed: {', '.join(sorted(KINDS))}")
    merged = dict(options)
    preset = merged.pop("preset", None)
    if preset is not None:
        merged = _laid_over(_preset(preset, kind, where, presets_dir), merged)
    try:
        return KINDS[kind].options.model_validate(merged)
    except ValidationError as error:
        lines = [_in_words(f"{where}.options", problem) for problem in error.errors(include_url=False)]
        raise ConfigError("\n".join(lines), file=file, source=source, problems=len(lines)) from None


def build(
    kind: str,
    source: str,
    options: Mapping[str, object] | BaseModel,
    *,
    clock: Clock,
    cache_dir: Path,
    credentials: Credentials | None = None,
    file: str = "config/truecopy.yaml",
) -> Connector:
    """A connector of this kind. Options that are a mapping are checked first. Raises ConfigError."""
    checked = options if isinstance(options, BaseModel) else check(kind, source, options, file=file)
    return KINDS[kind].build(source, checked, Surroundings(clock, cache_dir, credentials))


def build_purging(
    kind: str, source: str, options: BaseModel, given: Surroundings, chosen: PurgeOptions
) -> Purging | None:
    """What takes documents out of a source of this kind; None where no source of it is ours to write."""
    purge = KINDS[kind].purge
    return purge(source, options, given, chosen) if purge else None


def _preset(name: object, kind: str, where: str, presets_dir: Path) -> dict[str, object]:
    known = sorted(path.stem for path in presets_dir.glob("*.yaml"))
    if name in KINDS:
        raise ConfigError(f"{where}.options.preset: {name!r} is no preset but a kind of its own: set kind: {name}")
    if name not in known:
        raise ConfigError(f"{where}.options.preset: {name!r} is not a preset; allowed: {', '.join(known)}")
    path = presets_dir / f"{name}.yaml"
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    if not isinstance(content, dict) or not isinstance(content.get("options"), dict):
        raise ConfigError(f"{path}: a preset has two keys, `kind` and `options`")
    if content.get("kind") != kind:
        raise ConfigError(f"{where}.options.preset: {name!r} is a preset of kind {content.get('kind')!r}, not {kind!r}")
    return dict(content["options"])


def _laid_over(below: Mapping[str, object], above: Mapping[str, object]) -> dict[str, object]:
    """Mappings are merged, anything else above replaces what is below."""
    merged = dict(below)
    for key, value in above.items():
        under = merged.get(key)
        both = isinstance(under, Mapping) and isinstance(value, Mapping)
        merged[key] = _laid_over(under, value) if both else value  # type: ignore[arg-type]
    return merged


def _in_words(where: str, problem: Any) -> str:
    key = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "missing":
        return f"{where}.{key}: is missing and has no default"
    if problem["type"] == "extra_forbidden":
        return f"{where}.{key}: is not an option here"
    allowed = str(problem["msg"]).removeprefix("Value error, ")
    shown = shown_value(key, problem["input"], longest=120) or "the value (not shown)"
    return f"{where}.{key}: {shown} is not allowed; allowed: {allowed}"
