"""Which documents a person means: conditions on what the index says of them, never an empty set of conditions.

    doc_id=<id>                      exactly this document
    path=<pattern>                   ids by pattern: `*` is anything but `/`, `**` anything, `?` one character
    url=<beginning>                  address
    content_type= lang= doc_family= status=
    created_at=<day>  created_at<<date>  created_at>=<date>  created_at=unknown      the same for the other dates

Conditions on one name are alternatives (`<` and `>=` are not: they bound a range), those on different names must all
hold. A document without a date is before and after nothing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from include.domain.documents import Status
from include.domain.errors import ConfigError
from include.domain.inventory import IndexedDocument
from include.domain.metadata import OVERRIDABLE, Shape, value_of

_DATES = tuple(name for name, shape in OVERRIDABLE.items() if shape is Shape.DATE)
_WORDS = ("doc_id", "path", "url", "content_type", "lang", "doc_family", "status")
_CONDITION = re.compile(r"([a-z_]+)(>=|<|=)(.*)", re.DOTALL)
_UNKNOWN = "unknown"

Test = Callable[[IndexedDocument], bool]


@dataclass(frozen=True, slots=True)
class Choice:
    """Documents chosen by conditions, or by name all of a source. `words` says which, as it was written."""

    words: str
    doc_ids: frozenset[str]
    tests: tuple[Test, ...]

    def of(self, documents: Mapping[str, IndexedDocument]) -> list[IndexedDocument]:
        """Those that are meant, by id; only documents with a readable version. Raises ConfigError when a document
        that was named is not among them, or when nothing fits."""
        readable = [document for _, document in sorted(documents.items()) if document.version]
        missing = sorted(self.doc_ids - {document.doc_id for document in readable})
        if missing:
            which = "1 document is" if len(missing) == 1 else f"{len(missing)} documents are"
            raise ConfigError(
                f"{which} not in the index: {', '.join(missing[:10])}. Nothing was changed. Check the ids; "
                "`path=` takes a pattern"
            )
        found = [document for document in readable if all(test(document) for test in self.tests)]
        if not found:
            raise ConfigError(f"no document of {len(readable)} fits [{self.words}]; nothing was changed")
        return found


def choose(conditions: Sequence[str], *, everything: bool = False) -> Choice:
    """Raises ConfigError for no condition at all, one that cannot be read, and conditions beside `everything`."""
    if everything and conditions:
        raise ConfigError(f"all documents, or those with [{' and '.join(conditions)}]? Give one of the two")
    if everything:
        return Choice("all documents", frozenset(), ())
    if not conditions:
        raise ConfigError("no condition says which documents are meant; to mean all of the source, say so: --all")
    alternatives: dict[str, list[Test]] = defaultdict(list)
    bounds: list[Test] = []
    ids = set()
    for condition in conditions:
        name, sign, value = _parts(condition)
        if name == "doc_id":
            ids.add(value)
        if sign == "=":
            alternatives[name].append(_is(name, value, condition))
        else:
            bounds.append(_bounded(name, sign, _date(name, value, condition)))
    tests = [partial(_any, tuple(each)) for each in alternatives.values()]
    return Choice(" and ".join(dict.fromkeys(conditions)), frozenset(ids), (*tests, *bounds))


def _parts(condition: str) -> tuple[str, str, str]:
    found = _CONDITION.fullmatch(condition)
    name, sign, value = found.groups() if found else ("", "", "")
    if not value.strip() or name not in (*_WORDS, *_DATES) or (sign != "=" and name not in _DATES):
        allowed = ", ".join(f"{name}=" for name in _WORDS) + f"; {', '.join(_DATES)} with =, < or >="
        raise ConfigError(f"condition {condition!r} is none; allowed are {allowed}")
    return name, sign, value


def _any(tests: Iterable[Test], document: IndexedDocument) -> bool:
    return any(test(document) for test in tests)


def _is(name: str, value: str, condition: str) -> Test:
    if name == "doc_id":
        return lambda document: document.doc_id == value
    if name == "path":
        pattern = _pattern(value)
        return lambda document: pattern.fullmatch(document.doc_id) is not None
    if name == "url":
        return lambda document: str(document.metadata.get("url") or "").startswith(value)
    if name == "status":
        shown = sorted(set(Status) - {Status.INCOMING})
        if value not in shown:
            raise ConfigError(f"condition {condition!r}: a status is one of {', '.join(shown)}")
        return lambda document: document.status == value
    if name in _DATES:
        if value == _UNKNOWN:
            return lambda document: not document.metadata.get(name)
        day = _date(name, value, condition)
        if not day.endswith("T00:00:00.000000Z"):
            raise ConfigError(f"condition {condition!r}: = takes a day or `{_UNKNOWN}`; use >= and < for instants")
        return lambda document: str(document.metadata.get(name) or "")[:10] == day[:10]
    return lambda document: document.metadata.get(name) == value


def _bounded(name: str, sign: str, bound: str) -> Test:
    """Stored dates have one spelling, whose order is that of time."""

    def test(document: IndexedDocument) -> bool:
        date = document.metadata.get(name)
        return isinstance(date, str) and (date < bound if sign == "<" else date >= bound)

    return test


def _date(name: str, value: str, condition: str) -> str:
    try:
        return str(value_of(name, value))
    except ValueError as error:
        raise ConfigError(f"condition {condition!r}: {error}") from None


def _pattern(written: str) -> re.Pattern[str]:
    parts = {"**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile(
        "".join(parts.get(part) or re.escape(part) for part in re.split(r"(\*\*|\*|\?)", written)), re.DOTALL
    )
