"""The block of fields at the top of a text file: YAML `---`, TOML `+++`, a JSON object, or `---` and a language's name.

Every leaf is a string, whatever the format, so that `version: 1.10` stays "1.10", `slug: 0123` keeps its zero and a
quoted "false" is not a truthy string. Nested values are dicts and lists of strings.

A file is quarantined (DocumentUnreadable) rather than guessed at when it has a block that does not parse: taken as
text, its `draft: true` would be ignored and the draft would reach answers.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, tzinfo

import yaml

from include.domain.dates import FIRST_YEAR, Precision, read_iso
from include.domain.errors import DocumentUnreadable

_BLOCK = re.compile(r"(?:(---)[ \t]*(yaml|yml|toml|json|js|javascript|coffee|cson)?|(\+\+\+))[ \t]*\r?\n")
_CLOSING = {
    "---": re.compile(r"^(?:---|\.\.\.)[ \t\r]*$\n?", re.MULTILINE),
    "+++": re.compile(r"^\+\+\+[ \t\r]*$\n?", re.MULTILINE),
}
_FIELD = re.compile(r"\s*[\"']?[A-Za-z_][\w.-]*[\"']?\s*[:=](?:\s|$|[^/\s])")
_JSON_OBJECT = re.compile(r"\{\s*(?:\"[^\"\n]*\"\s*:|\}\s*(?:\n|$))")
_MOST_CHARACTERS = 10_000_000  # of a block with its aliases written out
_LEADING = re.compile(r"(?:[ \t]*\r?\n)*")

TRUE = frozenset({"true", "yes", "on", "1", "y"})
FALSE = frozenset({"false", "no", "off", "0", "n", "", "null", "~"})

_HIDDEN_IF_TRUE = ("draft", "unlisted", "headless", "noindex", "private")
_GO_LIVE = ("publishdate", "pubdate", "publish_date", "published", "publish")
_EXPIRY = ("expirydate", "unpublishdate", "expiry_date", "expires", "expires_at")


def split(body: str) -> tuple[dict[str, object], str]:
    """(fields, the text below the block). Without a block: ({}, the whole text without a byte order mark).

    A file that merely opens with a thematic break keeps its text. Raises DocumentUnreadable for a block that does
    not parse, names a field twice, or is opened and never closed.
    """
    text = body.removeprefix("\ufeff")
    lead = _LEADING.match(text)
    start = lead.end() if lead else 0
    if text.startswith("{", start):
        return _split_json(text, start)
    opening = _BLOCK.match(text, start)
    if opening is None:
        return {}, text
    fence = opening[1] or opening[3]
    closing = _CLOSING[fence].search(text, opening.end())
    if closing is None:
        if _FIELD.match(text, opening.end()):
            raise _unreadable(f"the `{fence}` block is opened and never closed")
        return {}, text
    block = text[opening.end() : closing.start()]
    fields = _read(block, "toml" if fence == "+++" else opening[2] or "yaml")
    return ({}, text) if fields is None else (fields, text[closing.end() :])


def read_settings(name: str, text: str) -> dict[str, object]:
    """A whole file of fields, by its suffix TOML, JSON or YAML: `.meta.yml`, `_config.yml`, `hugo.toml`. Every leaf is
    a string. Raises DocumentUnreadable, naming the file, for one that does not parse or holds something else."""
    text = text.removeprefix("\ufeff")
    try:
        if name.lower().endswith(".toml"):
            return _toml(text)
        if name.lower().endswith(".json"):
            return _json(text)
        return _yaml_file(text)
    except DocumentUnreadable as error:
        raise DocumentUnreadable(f"{name}: {error.facts['why']}", **error.facts) from error


def text_of(fields: Mapping[str, object], *names: str) -> str:
    """The first of these fields (whatever its case) that holds a text, without white space around it, or ""."""
    return next((text for text in texts_of(fields, *names) if text), "")


def texts_of(fields: Mapping[str, object], *names: str) -> tuple[str, ...]:
    """Every text of these fields, each of which may be one text or a list of them."""
    by_name = {key.lower(): value for key, value in fields.items()}
    found: list[str] = []
    for name in names:
        value = by_name.get(name.lower())
        items = value if isinstance(value, list) else [value]
        found += [item.strip() for item in items if isinstance(item, str)]
    return tuple(found)


def is_true(text: str) -> bool:
    """Whether a switch is on; a text that is neither true nor false is."""
    return text.strip().lower() not in FALSE


def is_public(
    fields: Mapping[str, object], now: datetime, *, date_schedules: bool = False, zone: tzinfo = UTC
) -> tuple[bool, str]:
    """Whether a page with these fields is for everybody at `now`, and if not, which field says so.

    Public is an allow-list: a switch whose value is neither true nor false hides the page. `date_schedules`: a
    future `date` hides the page too (Hugo, Jekyll posts). `zone` is that of dates without an offset.
    `status: draft` does not hide: registers of proposals are public and use it for the state of the proposal.
    Raises DocumentUnreadable when a go-live or expiry date cannot be read: such a page is unknown, neither
    published nor removed.
    """
    flat = dict(flatten(fields))
    for name in _HIDDEN_IF_TRUE:
        if flat.get(name, "").strip().lower() not in FALSE:
            return False, f"{name}: {flat[name]}"
    for name in ("published", "publish", "pagefind"):
        if name in flat and flat[name].strip().lower() in FALSE - {""}:
            return False, f"{name}: {flat[name]}"
    if flat.get("search.exclude", "").strip().lower() not in FALSE:
        return False, f"search.exclude: {flat['search.exclude']}"
    if "noindex" in flat.get("robots", "").lower():
        return False, f"robots: {flat['robots']}"
    for name in ("build.list", "build.render", "_build.list", "_build.render"):
        if flat.get(name, "").strip().lower() in ("never", "false"):
            return False, f"{name}: {flat[name]}"
    for name in (*_GO_LIVE, *(("date",) if date_schedules else ())):
        moment = _visibility_date(name, flat.get(name, ""), zone)
        if moment is not None and moment > now:
            return False, f"{name}: {flat[name]} is in the future"
    for name in _EXPIRY:
        moment = _visibility_date(name, flat.get(name, ""), zone)
        if moment is not None and moment <= now:
            return False, f"{name}: {flat[name]} has passed"
    return True, ""


def _read(block: str, language: str) -> dict[str, object] | None:
    """See `_yaml`. Languages that are programs are not run."""
    if language in ("yaml", "yml"):
        return _yaml(block)
    if language == "toml":
        return _toml(block)
    if language == "json":
        return _json(block)
    raise _unreadable(f"the block is written in {language}, which is not read")


def _yaml(block: str) -> dict[str, object] | None:
    """Fields, or None when the block is not a block of fields but text between two rules."""
    try:
        data = _yaml_data(block)
    except DocumentUnreadable:
        if block[:1] in ("\n", "\r") and not _FIELD.match(block):
            return None  # a rule, an empty line, prose with a colon in it
        raise
    if isinstance(data, dict):
        return _merged(data)
    if _FIELD.match(block):
        raise _unreadable("the YAML block is not a list of fields")
    return None


def _yaml_file(text: str) -> dict[str, object]:
    data = _yaml_data(text)
    if not isinstance(data, dict):
        raise _unreadable("it is not a list of fields")
    return _merged(data)


def _yaml_data(text: str) -> object:
    loader = yaml.CBaseLoader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return {}
        if isinstance(node, yaml.MappingNode):
            _refuse_duplicates([str(key.value) for key, _ in node.value])
        data: object = loader.construct_document(node)
        size = _written_out(data, {})
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise _unreadable(f"the YAML does not parse ({_first_line(error)})") from error
    finally:
        loader.dispose()
    if size > _MOST_CHARACTERS:
        raise _unreadable(f"the YAML has {size} characters once its aliases are written out (limit {_MOST_CHARACTERS})")
    return data


def _written_out(value: object, known: dict[int, int]) -> int:
    """Characters of a value. An alias is one object in many places, so each is counted through once."""
    if not isinstance(value, dict | list):
        return len(str(value)) + 1
    if id(value) not in known:
        parts = [part for pair in value.items() for part in pair] if isinstance(value, dict) else value
        known[id(value)] = sum(_written_out(part, known) for part in parts)
    return known[id(value)]


def _merged(data: dict[str, object]) -> dict[str, object]:
    """`<<: *anchor` taken literally would hide the fields it brings in, `draft` among them."""
    if "<<" not in data:
        return data
    brought = data["<<"] if isinstance(data["<<"], list) else [data["<<"]]
    result: dict[str, object] = {}
    for mapping in reversed(brought):
        if not isinstance(mapping, dict):
            raise _unreadable("the YAML merge key `<<` does not name fields")
        result.update(_merged(mapping))
    result.update({key: value for key, value in data.items() if key != "<<"})
    return result


def _json(text: str) -> dict[str, object]:
    try:
        data = json.loads(text, object_pairs_hook=_pairs, parse_float=str, parse_int=str)
    except (ValueError, RecursionError) as error:
        raise _unreadable(f"the JSON does not parse ({_first_line(error)})") from error
    if not isinstance(data, dict):
        raise _unreadable("it is not a list of fields")
    return {key: _stringly(value) for key, value in data.items()}


def _toml(block: str) -> dict[str, object]:
    try:
        return {key: _stringly(value) for key, value in tomllib.loads(block, parse_float=str).items()}
    except (tomllib.TOMLDecodeError, ValueError, RecursionError) as error:
        raise _unreadable(f"the TOML block does not parse ({_first_line(error)})") from error


def _split_json(text: str, start: int) -> tuple[dict[str, object], str]:
    """Only an object with a key is front matter: `{% liquid %}`, `{{< shortcode >}}` and `{jsx}` are text."""
    if not _JSON_OBJECT.match(text, start):
        return {}, text
    try:
        pairs, end = json.JSONDecoder(object_pairs_hook=_pairs, parse_float=str, parse_int=str).raw_decode(text, start)
    except (ValueError, RecursionError) as error:
        raise _unreadable(f"the JSON block does not parse ({_first_line(error)})") from error
    rest = text[end:]
    if rest.strip() and not re.match(r"[ \t]*\r?\n", rest):
        raise _unreadable("the JSON block is followed by text on its last line")
    return {key: _stringly(value) for key, value in pairs.items()}, re.sub(r"\A[ \t]*\r?\n", "", rest)


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    _refuse_duplicates([key for key, _ in pairs])
    return dict(pairs)


def _refuse_duplicates(names: list[str]) -> None:
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        named = ", ".join(twice[:3]) + (f" and {len(twice) - 3} more" if len(twice) > 3 else "")
        raise _unreadable(f"the block names {named} more than once")


def _stringly(value: object) -> object:
    if isinstance(value, dict):
        return {str(key): _stringly(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_stringly(item) for item in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    return value.isoformat() if isinstance(value, datetime | date | time) else str(value)


def flatten(fields: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Lower-case names with one level of nesting as `outer.inner`; Hugo and Jekyll ignore case as well."""
    for key, value in fields.items():
        name = f"{prefix}{key}".lower()
        if isinstance(value, Mapping):
            if not prefix:
                yield from flatten(value, f"{key}.")
        elif isinstance(value, list):
            yield name, ", ".join(str(item) for item in value)
        else:
            yield name, str(_stringly(value))


def _visibility_date(name: str, text: str, zone: tzinfo) -> datetime | None:
    text = text.strip()
    if text.lower() in TRUE | FALSE or text.startswith(("0000-", "0001-")):
        return None  # a switch, or the zero date that stands for "not set"
    try:
        value, precision, _ = read_iso(text, zone=zone)
        if value.year < FIRST_YEAR:
            raise ValueError("a zero date")
    except ValueError as error:
        why = f"{name}: {text!r} is not an ISO 8601 date, so it is unknown whether the page is public"
        raise _unreadable(why) from error
    return value.replace(tzinfo=zone) if precision is Precision.DAY else value


def _first_line(error: Exception) -> str:
    return " ".join(str(error).split())[:160] or type(error).__name__


def _unreadable(why: str) -> DocumentUnreadable:
    return DocumentUnreadable(f"front matter: {why}; correct the file, its last good version stays indexed", why=why)
